/* Captures of the fake driver. What a capture forbids makes it invalid, as the driver does it. */
#include "graphs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, ACTIVE, INVALIDATED };
enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };

struct mock_capture {
    struct CUgraph_st *graph;
    struct CUstream_st *origin;
    int status, mode;
    uint64_t id;
    pthread_t thread;
    struct mock_capture *next; /* all there ever were */
};

static struct mock_capture *captures;
static _Thread_local int thread_mode = MODE_GLOBAL;

static void set_numbers(int **numbers, int *count, const int *from, int from_count)
{
    int *copy = mock_copy_numbers(from, from_count);
    free(*numbers);
    *numbers = copy;
    *count = from_count;
}

static void leave_capture(struct mock_capture *capture)
{
    for (struct mock_object *object = mock_objects(); object; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)object;
        if (object->kind != STREAM || stream->capture != capture)
            continue;
        stream->capture = NULL;
        set_numbers(&stream->capture_nodes, &stream->capture_node_count, NULL, 0);
    }
    capture->status = NONE;
}

void mock_abandon_capture(struct CUstream_st *stream)
{
    struct mock_capture *capture = stream->capture;
    if (!capture)
        return;
    mock_release_parts(&capture->graph->parts);
    mock_dead(capture->graph);
    leave_capture(capture);
}

static int invalidate(struct mock_capture *capture, int result)
{
    capture->status = INVALIDATED;
    return result;
}

int mock_capture_item(struct CUstream_st *stream, struct mock_item *item)
{
    struct mock_capture *capture = stream->capture;
    struct parts *parts = &capture->graph->parts;
    if (capture->status != ACTIVE) {
        mock_release_item(item);
        return CAPTURE_INVALIDATED;
    }
    item->in_graph = true;
    mock_add_node(parts, item, stream->capture_nodes, stream->capture_node_count);
    int added = parts->node_count - 1;
    set_numbers(&stream->capture_nodes, &stream->capture_node_count, &added, 1);
    return SUCCESS;
}

int mock_forbidden_by_capture(void)
{
    int result = SUCCESS;
    for (struct mock_capture *capture = captures; capture; capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self());
        if (capture->status != ACTIVE || thread_mode == MODE_RELAXED ||
            capture->mode == MODE_RELAXED)
            continue;
        if (own || (thread_mode == MODE_GLOBAL && capture->mode == MODE_GLOBAL))
            result = invalidate(capture, CAPTURE_UNSUPPORTED);
    }
    return result;
}

/* A blocking stream of the legacy stream's context that captures. */
static struct mock_capture *beside_legacy(const struct CUstream_st *legacy)
{
    for (struct mock_object *object = mock_objects(); legacy->is_legacy && object;
         object = object->next) {
        const struct CUstream_st *stream = (struct CUstream_st *)object;
        if (object->kind == STREAM && object->context == legacy->object.context &&
            stream->blocking && stream->capture)
            return stream->capture;
    }
    return NULL;
}

int mock_capture_forbids(struct CUstream_st *stream)
{
    struct mock_capture *beside = beside_legacy(stream);
    if (stream->capture)
        return invalidate(stream->capture, CAPTURE_UNSUPPORTED);
    return beside ? invalidate(beside, CAPTURE_IMPLICIT) : SUCCESS;
}

bool mock_is_captured(struct CUevent_st *event)
{
    if (event->capture && event->capture->status == NONE)
        event->capture = NULL;
    return event->capture;
}

int mock_capture_record(struct CUstream_st *stream, struct CUevent_st *event)
{
    event->capture = stream->capture;
    mock_release_item(event->item);
    event->item = NULL;
    set_numbers(&event->capture_nodes, &event->capture_node_count, stream->capture_nodes,
                stream->capture_node_count);
    return stream->capture->status == ACTIVE ? SUCCESS : CAPTURE_INVALIDATED;
}

int mock_capture_wait(struct CUstream_st *stream, struct CUevent_st *event)
{
    if (!event->capture)
        return event->item ? invalidate(stream->capture, CAPTURE_ISOLATION) : SUCCESS;
    if (stream->is_legacy)
        return invalidate(event->capture, CAPTURE_IMPLICIT);
    if (stream->capture && stream->capture != event->capture)
        mock_wrong("two captures are joined");
    int count = stream->capture_node_count, more = event->capture_node_count;
    int *all = malloc((size_t)(count + more + 1) * sizeof *all);
    if (count)
        memcpy(all, stream->capture_nodes, (size_t)count * sizeof *all);
    if (more)
        memcpy(all + count, event->capture_nodes, (size_t)more * sizeof *all);
    stream->capture = event->capture;
    set_numbers(&stream->capture_nodes, &stream->capture_node_count, all, count + more);
    free(all);
    return SUCCESS;
}

int cuStreamBeginCapture_v2(struct CUstream_st *handle, int mode)
{
    static uint64_t number;
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    if (stream->is_legacy || stream->capture || mode < 0 || mode > MODE_RELAXED)
        return mock_leave(stream->is_legacy ? CAPTURE_UNSUPPORTED : INVALID_VALUE);
    struct mock_capture *capture = calloc(1, sizeof *capture);
    *capture = (struct mock_capture){mock_new(GRAPH, sizeof(struct CUgraph_st), NULL),
                                     stream,
                                     ACTIVE,
                                     mode,
                                     ++number,
                                     pthread_self(),
                                     captures};
    captures = stream->capture = capture;
    return mock_leave(SUCCESS);
}

/* Whether every node is before the end of the stream that the capture began with. */
static bool is_joined(const struct mock_capture *capture)
{
    const struct parts *parts = &capture->graph->parts;
    bool *seen = calloc((size_t)parts->node_count + 1, sizeof *seen), all = true;
    for (int i = 0; i < capture->origin->capture_node_count; i++)
        seen[capture->origin->capture_nodes[i]] = true;
    for (int i = parts->node_count - 1; i >= 0; i--) {
        all = all && seen[i];
        for (int k = 0; seen[i] && k < parts->nodes[i].after_count; k++)
            seen[parts->nodes[i].after[k]] = true;
    }
    free(seen);
    return all;
}

int cuStreamEndCapture(struct CUstream_st *handle, struct CUgraph_st **graph)
{
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    struct mock_capture *capture = stream->capture;
    if (!capture)
        return mock_leave(INVALID_VALUE);
    if (capture->origin != stream)
        return mock_leave(CAPTURE_UNMATCHED);
    int result = capture->status == INVALIDATED ? CAPTURE_INVALIDATED
                 : is_joined(capture)           ? SUCCESS
                                                : CAPTURE_UNJOINED;
    *graph = result ? NULL : capture->graph;
    if (result)
        mock_abandon_capture(stream);
    else
        leave_capture(capture);
    return mock_leave(result);
}

int cuStreamIsCapturing(struct CUstream_st *handle, int *status)
{
    ENTER();
    const struct CUstream_st *stream = mock_any_stream(handle);
    if (beside_legacy(stream))
        return mock_leave(CAPTURE_IMPLICIT);
    *status = stream->capture ? stream->capture->status : NONE;
    return mock_leave(SUCCESS);
}

/* Of the nodes there are only numbers, so their handles are not told. */
int cuStreamGetCaptureInfo_v2(struct CUstream_st *handle, int *status, uint64_t *id,
                              struct CUgraph_st **graph, const void *const **dependencies,
                              size_t *count)
{
    ENTER();
    const struct CUstream_st *stream = mock_any_stream(handle);
    if (beside_legacy(stream))
        return mock_leave(CAPTURE_IMPLICIT);
    *status = stream->capture ? stream->capture->status : NONE;
    if (dependencies || count)
        mock_wrong("the nodes of a capture are not played");
    if (*status == ACTIVE && id)
        *id = stream->capture->id;
    if (*status == ACTIVE && graph)
        *graph = stream->capture->graph;
    return mock_leave(SUCCESS);
}

int cuStreamGetCaptureInfo_v3(struct CUstream_st *handle, int *status, uint64_t *id,
                              struct CUgraph_st **graph, const void *const **dependencies,
                              const void **edges, size_t *count)
{
    (void)edges;
    return cuStreamGetCaptureInfo_v2(handle, status, id, graph, dependencies, count);
}

int cuThreadExchangeStreamCaptureMode(int *mode)
{
    ENTER();
    int old = thread_mode;
    if (*mode < 0 || *mode > MODE_RELAXED)
        return mock_leave(INVALID_VALUE);
    thread_mode = *mode;
    *mode = old;
    return mock_leave(SUCCESS);
}
