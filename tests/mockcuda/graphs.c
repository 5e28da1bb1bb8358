/* Captures, graphs and user objects of the fake driver. A node is an item that nobody puts on a stream; a launch carries
 * all of them out, in any order that their edges allow (with MOCKCUDA_SEED; else in that of the capture). What a capture
 * forbids makes it invalid, as the driver does it. */
#include "mock.h"

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

struct node {
    struct mock_item *item;    /* a reference */
    int *after, after_count;   /* nodes that come before */
};

struct tie {
    struct CUuserObject_st *object;
    unsigned references;
};

/* Both of a graph and of what is made of it. */
struct parts {
    struct node *nodes;
    int node_count;
    struct tie *ties;
    int tie_count;
};

struct CUgraph_st {
    struct mock_object object;
    struct parts parts;
};

struct CUgraphExec_st {
    struct mock_object object;
    struct parts parts;
    struct mock_item *last;    /* launch; a reference */
    int launches;              /* not yet carried out */
};

struct CUuserObject_st {
    struct mock_object object;
    void (*destroy)(void *);
    void *user;
    unsigned references;
};

static struct mock_capture *captures;
static _Thread_local int thread_mode = MODE_GLOBAL;

/* ---- user objects ---- */

static void release_object(struct CUuserObject_st *object, unsigned references)
{
    mock_valid(object, USER_OBJECT);
    if (references > object->references)
        mock_wrong("%u references of a user object that has %u", references, object->references);
    object->references -= references;
    if (object->references)
        return;
    mock_dead(object);
    mock_call_back(object->destroy, object->user);
}

int cuUserObjectCreate(struct CUuserObject_st **object, void *user, void (*destroy)(void *), unsigned references,
                       unsigned flags)
{
    ENTER();
    if (flags != 1 || !references || !destroy)
        return mock_leave(INVALID_VALUE);
    *object = mock_new(USER_OBJECT, sizeof **object, NULL);
    (*object)->destroy = destroy;
    (*object)->user = user;
    (*object)->references = references;
    return mock_leave(SUCCESS);
}

int cuUserObjectRetain(struct CUuserObject_st *object, unsigned references)
{
    ENTER();
    mock_valid(object, USER_OBJECT);
    object->references += references;
    return mock_leave(SUCCESS);
}

int cuUserObjectRelease(struct CUuserObject_st *object, unsigned references)
{
    int failed = mock_enter(__func__);
    release_object(object, references);
    return mock_leave(failed);
}

static void add_tie(struct parts *parts, struct CUuserObject_st *object, unsigned references)
{
    parts->ties = realloc(parts->ties, (size_t)(parts->tie_count + 1) * sizeof *parts->ties);
    parts->ties[parts->tie_count++] = (struct tie){object, references};
}

/* Flag 1: the caller's references become the graph's. */
int cuGraphRetainUserObject(struct CUgraph_st *graph, struct CUuserObject_st *object, unsigned references,
                            unsigned flags)
{
    ENTER();
    mock_valid(graph, GRAPH);
    mock_valid(object, USER_OBJECT);
    if (flags > 1 || !references)
        return mock_leave(INVALID_VALUE);
    if (!flags)
        object->references += references;
    else if (references > object->references)
        mock_wrong("%u references of a user object that has %u", references, object->references);
    add_tie(&graph->parts, object, references);
    return mock_leave(SUCCESS);
}

int cuGraphReleaseUserObject(struct CUgraph_st *graph, struct CUuserObject_st *object, unsigned references)
{
    int failed = mock_enter(__func__);
    mock_valid(graph, GRAPH);
    for (int i = 0; i < graph->parts.tie_count; i++)
        if (graph->parts.ties[i].object == object && graph->parts.ties[i].references >= references) {
            graph->parts.ties[i].references -= references;
            release_object(object, references);
            return mock_leave(failed);
        }
    mock_wrong("the graph has not so many references of the user object");
}

/* ---- parts ---- */

static void release_parts(struct parts *parts)
{
    for (int i = 0; i < parts->node_count; i++) {
        mock_release_item(parts->nodes[i].item);
        free(parts->nodes[i].after);
    }
    for (int i = 0; i < parts->tie_count; i++)
        if (parts->ties[i].references)
            release_object(parts->ties[i].object, parts->ties[i].references);
    free(parts->nodes);
    free(parts->ties);
    *parts = (struct parts){NULL, 0, NULL, 0};
}

static int *copy_numbers(const int *numbers, int count)
{
    int *copy = malloc((size_t)(count + 1) * sizeof *copy);
    if (count)
        memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}

static void share_parts(struct parts *to, const struct parts *from)
{
    to->nodes = calloc((size_t)from->node_count + 1, sizeof *to->nodes);
    to->node_count = from->node_count;
    for (int i = 0; i < from->node_count; i++) {
        const struct node *node = &from->nodes[i];
        to->nodes[i] = (struct node){node->item, copy_numbers(node->after, node->after_count), node->after_count};
        node->item->references++;
    }
    for (int i = 0; i < from->tie_count; i++) {
        add_tie(to, from->ties[i].object, 1);
        from->ties[i].object->references++;
    }
}

static bool is_ready(const struct parts *parts, const bool *done, int i)
{
    for (int k = 0; k < parts->nodes[i].after_count; k++)
        if (!done[parts->nodes[i].after[k]])
            return false;
    return !done[i];
}

/* The first that can be next, or any of them. */
static int next_node(const struct parts *parts, const bool *done)
{
    int start = (int)mock_random((unsigned)parts->node_count);
    for (int k = 0; k < parts->node_count; k++) {
        int i = (start + k) % parts->node_count;
        if (is_ready(parts, done, i))
            return i;
    }
    mock_wrong("a graph with a circle");
}

static void run_parts(const struct parts *parts)
{
    bool *done = calloc((size_t)parts->node_count + 1, sizeof *done);
    for (int k = 0; k < parts->node_count; k++) {
        int i = next_node(parts, done);
        parts->nodes[i].item->run(parts->nodes[i].item);
        done[i] = true;
    }
    free(done);
}

/* ---- captures ---- */

static void set_numbers(int **numbers, int *count, const int *from, int from_count)
{
    int *copy = copy_numbers(from, from_count);
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
    parts->nodes = realloc(parts->nodes, (size_t)(parts->node_count + 1) * sizeof *parts->nodes);
    parts->nodes[parts->node_count] =
        (struct node){item, copy_numbers(stream->capture_nodes, stream->capture_node_count),
                      stream->capture_node_count};
    set_numbers(&stream->capture_nodes, &stream->capture_node_count, &parts->node_count, 1);
    parts->node_count++;
    return SUCCESS;
}

int mock_forbidden_by_capture(void)
{
    int result = SUCCESS;
    for (struct mock_capture *capture = captures; capture; capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self());
        if (capture->status != ACTIVE || thread_mode == MODE_RELAXED || capture->mode == MODE_RELAXED)
            continue;
        if (own || (thread_mode == MODE_GLOBAL && capture->mode == MODE_GLOBAL))
            result = invalidate(capture, CAPTURE_UNSUPPORTED);
    }
    return result;
}

/* A blocking stream of the legacy stream's context that captures. */
static struct mock_capture *beside_legacy(const struct CUstream_st *legacy)
{
    for (struct mock_object *object = mock_objects(); legacy->is_legacy && object; object = object->next) {
        const struct CUstream_st *stream = (struct CUstream_st *)object;
        if (object->kind == STREAM && object->context == legacy->object.context && stream->blocking && stream->capture)
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
    set_numbers(&event->capture_nodes, &event->capture_node_count, stream->capture_nodes, stream->capture_node_count);
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
    int result = capture->status == INVALIDATED ? CAPTURE_INVALIDATED : is_joined(capture) ? SUCCESS : CAPTURE_UNJOINED;
    *graph = result ? NULL : capture->graph;
    if (result) {
        release_parts(&capture->graph->parts);
        mock_dead(capture->graph);
    }
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
int cuStreamGetCaptureInfo_v2(struct CUstream_st *handle, int *status, uint64_t *id, struct CUgraph_st **graph,
                              const void *const **dependencies, size_t *count)
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

int cuStreamGetCaptureInfo_v3(struct CUstream_st *handle, int *status, uint64_t *id, struct CUgraph_st **graph,
                              const void *const **dependencies, const void **edges, size_t *count)
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

/* ---- graphs ---- */

int cuGraphDestroy(struct CUgraph_st *graph)
{
    int failed = mock_enter(__func__);
    mock_valid(graph, GRAPH);
    release_parts(&graph->parts);
    mock_dead(graph);
    return mock_leave(failed);
}

int cuGraphGetNodes(struct CUgraph_st *graph, void **nodes, size_t *count)
{
    ENTER();
    mock_valid(graph, GRAPH);
    if (nodes)
        mock_wrong("nodes of a graph are counted alone");
    *count = (size_t)graph->parts.node_count;
    return mock_leave(SUCCESS);
}

int cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph, unsigned long long flags)
{
    ENTER();
    mock_valid(graph, GRAPH);
    if (flags & ~15ull)
        return mock_leave(INVALID_VALUE);
    *exec = mock_new(GRAPH_EXEC, sizeof **exec, NULL);
    share_parts(&(*exec)->parts, &graph->parts);
    return mock_leave(SUCCESS);
}

static void run_graph(struct mock_item *item)
{
    run_parts(&item->exec->parts);
}

/* Also where the work is thrown away. */
static void finish_graph(struct mock_item *item)
{
    struct CUgraphExec_st *exec = item->exec;
    if (--exec->launches == 0 && exec->object.dead)
        release_parts(&exec->parts);
}

/* Launches of one graph come one after the other. */
int cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *handle)
{
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    mock_valid(exec, GRAPH_EXEC);
    if (stream->capture)
        mock_wrong("graphs inside graphs are not played");
    struct mock_item *item = mock_new_item(run_graph);
    item->finish = finish_graph;
    item->exec = exec;
    exec->launches++;
    mock_wait_for(item, exec->last);
    mock_release_item(exec->last);
    item->references++;
    exec->last = item;
    return mock_leave(mock_enqueue(stream, item));
}

int cuGraphExecDestroy(struct CUgraphExec_st *exec)
{
    int failed = mock_enter(__func__);
    mock_valid(exec, GRAPH_EXEC);
    mock_dead(exec);
    struct mock_item *last = exec->last;
    exec->last = NULL;
    mock_release_item(last);
    if (!exec->launches)
        release_parts(&exec->parts);
    return mock_leave(failed);
}
