/* Streams and events: what is put on a stream waits there until somebody waits for it (or, with
 * MOCKCUDA_SEED, until some random call), and is carried out after nothing but what CUDA promises:
 * the work before it in its stream, the events that stream was told to wait for, and the rules of
 * the legacy default stream. Work on other streams comes as late as it can. A program that relies
 * on more finds its data not there yet. */
#define _GNU_SOURCE
#include "mock.h"

#include <stdlib.h>
#include <time.h>

static struct CUstream_st *streams;

/* ---- items ---- */

struct mock_item *mock_new_item(void (*run)(struct mock_item *))
{
    struct mock_item *item = calloc(1, sizeof *item);
    if (!item)
        mock_wrong("out of the host's memory");
    item->run = run;
    item->references = 1;
    return item;
}

static void drop_waits(struct mock_item *item)
{
    for (int i = 0; i < item->wait_count; i++)
        mock_release_item(item->waits[i]);
    free(item->waits);
    item->waits = NULL;
    item->wait_count = 0;
}

static void finish(struct mock_item *item)
{
    if (item->finish)
        item->finish(item);
    item->finish = NULL;
}

void mock_release_item(struct mock_item *item)
{
    if (!item || --item->references)
        return;
    drop_waits(item);
    finish(item);
    free(item->staged);
    free(item);
}

static struct mock_item *share(struct mock_item *item)
{
    item->references++;
    return item;
}

void mock_wait_for(struct mock_item *item, struct mock_item *before)
{
    if (!before || before->done)
        return;
    item->waits = realloc(item->waits, (size_t)(item->wait_count + 1) * sizeof *item->waits);
    item->waits[item->wait_count++] = share(before);
}

/* The first of a stream, whose waits are done. */
static void carry_out(struct mock_item *item)
{
    struct timespec now;
    item->stream->head = item->next;
    if (!item->context->lost)
        item->run(item);
    clock_gettime(CLOCK_MONOTONIC, &now);
    item->time = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
    item->done = true;
    drop_waits(item);
    finish(item);
    mock_release_item(item);
}

/* Waits form no circle: each is for something that was there before. */
void mock_complete(struct mock_item *item)
{
    item->references++;
    while (!item->done) {
        struct mock_item *head = item->stream->head;
        for (int i = 0; i < head->wait_count; i++)
            mock_complete(head->waits[i]);
        if (mock_random(4) == 1)
            mock_progress();
        if (item->stream->head == head)
            carry_out(head);
    }
    mock_release_item(item);
}

/* ---- streams ---- */

struct CUstream_st *mock_new_stream(struct CUctx_st *context, unsigned flags)
{
    struct CUstream_st *stream = mock_new(STREAM, sizeof *stream, context);
    stream->flags = flags;
    stream->blocking = !(flags & 1);
    stream->next = streams;
    return streams = stream;
}

struct CUstream_st *mock_any_stream(struct CUstream_st *handle)
{
    if ((uintptr_t)handle <= 1)
        return mock_context()->legacy;
    if ((uintptr_t)handle == 2)
        return mock_context()->per_thread;
    return mock_valid(handle, STREAM);
}

struct CUstream_st *mock_stream(struct CUstream_st *handle)
{
    struct CUstream_st *stream = mock_any_stream(handle);
    if (stream->object.context != mock_context())
        mock_wrong("a stream of another context (device %d) than the current one (device %d)",
                   stream->object.context->device, mock_context()->device);
    return stream;
}

/* The legacy stream comes after all work of blocking streams, and they after its own. */
static int add_legacy_waits(struct CUstream_st *stream, struct mock_item *item)
{
    struct CUctx_st *context = stream->object.context;
    if (!stream->blocking)
        return SUCCESS;
    if (!stream->is_legacy) {
        mock_wait_for(item, context->legacy->last);
        return SUCCESS;
    }
    for (struct CUstream_st *other = streams; other; other = other->next) {
        if (other->object.context != context || !other->blocking || other == stream)
            continue;
        if (other->capture)
            return CAPTURE_IMPLICIT;
        mock_wait_for(item, other->last);
    }
    return SUCCESS;
}

int mock_enqueue(struct CUstream_st *stream, struct mock_item *item)
{
    item->context = stream->object.context;
    item->stream = stream;
    if (stream->capture)
        return mock_capture_item(stream, item);
    int result = add_legacy_waits(stream, item);
    if (result) {
        mock_release_item(item);
        return result;
    }
    if (stream->head)
        stream->last->next = item;
    else
        stream->head = item;
    mock_release_item(stream->last);
    stream->last = share(item);
    return SUCCESS;
}

/* Dead ones without work. */
static void sweep_streams(void)
{
    for (struct CUstream_st **at = &streams; *at;) {
        struct CUstream_st *stream = *at;
        if (!stream->object.dead || stream->head) {
            at = &stream->next;
            continue;
        }
        mock_release_item(stream->last);
        stream->last = NULL;
        *at = stream->next;
    }
}

void mock_drain(struct CUctx_st *context)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        if (stream->object.context == context && stream->head)
            mock_complete(stream->last);
    sweep_streams();
}

/* Also the streams of a context that goes. */
void mock_discard(struct CUctx_st *context)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next) {
        if (stream->object.context != context)
            continue;
        while (stream->head)
            carry_out(stream->head);
        if (context->object.dead)
            mock_dead(stream);
    }
    sweep_streams();
}

static bool is_ready(const struct CUstream_st *stream)
{
    const struct mock_item *head = stream->head;
    if (!head || head->host)
        return false;
    for (int i = 0; i < head->wait_count; i++)
        if (!head->waits[i]->done)
            return false;
    return true;
}

void mock_progress(void)
{
    for (unsigned steps = mock_random(4); steps > 0; steps--) {
        unsigned count = 0, chosen;
        for (struct CUstream_st *stream = streams; stream; stream = stream->next)
            count += is_ready(stream);
        if (!count)
            return;
        chosen = mock_random(count);
        for (struct CUstream_st *stream = streams; stream; stream = stream->next)
            if (is_ready(stream) && chosen-- == 0) {
                carry_out(stream->head);
                break;
            }
    }
}

static bool needs(const struct mock_item *item, const void *module)
{
    return !module || item->module == module;
}

int mock_pending(const struct CUctx_st *context, const void *module)
{
    int count = 0;
    for (const struct CUstream_st *stream = streams; stream; stream = stream->next)
        for (const struct mock_item *item = stream->head; item; item = item->next)
            count += (!context || item->context == context) && !item->context->lost &&
                     needs(item, module);
    return count;
}

int cuStreamCreate(struct CUstream_st **stream, unsigned flags)
{
    ENTER();
    if (flags > 1)
        return mock_leave(INVALID_VALUE);
    *stream = mock_new_stream(mock_context(), flags);
    return mock_leave(SUCCESS);
}

int cuStreamCreateWithPriority(struct CUstream_st **stream, unsigned flags, int priority)
{
    (void)priority;
    ENTER();
    *stream = mock_new_stream(mock_context(), flags);
    return mock_leave(SUCCESS);
}

/* What waits in it is still carried out. */
int cuStreamDestroy_v2(struct CUstream_st *handle)
{
    int failed = mock_enter(__func__);
    struct CUstream_st *stream = mock_valid(handle, STREAM);
    if (stream->is_legacy || stream->is_per_thread)
        mock_wrong("a default stream");
    if (stream->capture && !stream->object.context->lost)
        mock_wrong("a stream that captures is destroyed");
    mock_abandon_capture(stream);
    mock_dead(stream);
    sweep_streams();
    return mock_leave(failed);
}

/* One that is made to fail has waited all the same: its errors are mostly those of the work. */
int cuStreamSynchronize(struct CUstream_st *handle)
{
    int failed = mock_enter(__func__);
    if (failed == NOT_INITIALIZED)
        return mock_leave(failed);
    struct CUstream_st *stream = mock_any_stream(handle);
    int forbidden = mock_capture_forbids(stream);
    if (!forbidden && stream->head)
        mock_complete(stream->last);
    return mock_leave(failed ? failed : forbidden ? forbidden : stream->object.context->lost);
}

/* Whoever asks again and again sees the work go on. */
int cuStreamQuery(struct CUstream_st *handle)
{
    ENTER();
    struct CUstream_st *stream = mock_any_stream(handle);
    int forbidden = mock_capture_forbids(stream);
    if (forbidden || !stream->head)
        return mock_leave(forbidden);
    mock_complete(stream->head);
    return mock_leave(NOT_READY);
}

int cuStreamGetCtx(struct CUstream_st *handle, struct CUctx_st **context)
{
    ENTER();
    *context = mock_any_stream(handle)->object.context;
    return mock_leave(SUCCESS);
}

int cuStreamGetFlags(struct CUstream_st *handle, unsigned *flags)
{
    ENTER();
    *flags = mock_any_stream(handle)->flags;
    return mock_leave(SUCCESS);
}

/* ---- functions of the host ---- */

static void run_call(struct mock_item *item)
{
    mock_inside(true);
    item->call(item->user);
    mock_inside(false);
}

int cuLaunchHostFunc(struct CUstream_st *handle, void (*call)(void *), void *user)
{
    ENTER();
    struct mock_item *item = mock_new_item(run_call);
    item->call = call;
    item->user = user;
    item->host = true;
    return mock_leave(mock_enqueue(mock_stream(handle), item));
}

/* ---- events ---- */

static void run_nothing(struct mock_item *item)
{
    (void)item;
}

int cuEventCreate(struct CUevent_st **event, unsigned flags)
{
    ENTER();
    if (flags > 7)
        return mock_leave(INVALID_VALUE);
    *event = mock_new(EVENT, sizeof **event, mock_context());
    (*event)->flags = flags;
    return mock_leave(SUCCESS);
}

int cuEventDestroy_v2(struct CUevent_st *event)
{
    int failed = mock_enter(__func__);
    mock_valid(event, EVENT);
    mock_release_item(event->item);
    event->item = NULL;
    free(event->capture_nodes);
    event->capture_nodes = NULL;
    mock_dead(event);
    return mock_leave(failed);
}

int cuEventRecord(struct CUevent_st *event, struct CUstream_st *handle)
{
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    mock_valid(event, EVENT);
    if (event->object.context != stream->object.context)
        mock_wrong("event and stream are of two contexts");
    if (stream->capture)
        return mock_leave(mock_capture_record(stream, event));
    struct mock_item *item = mock_new_item(run_nothing);
    event->capture = NULL;
    mock_release_item(event->item);
    event->item = share(item);
    return mock_leave(mock_enqueue(stream, item));
}

int cuStreamWaitEvent(struct CUstream_st *handle, struct CUevent_st *event, unsigned flags)
{
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    mock_valid(event, EVENT);
    if (flags > 1)
        return mock_leave(INVALID_VALUE);
    if (stream->capture || mock_is_captured(event))
        return mock_leave(mock_capture_wait(stream, event));
    if (!event->item || event->item->done)
        return mock_leave(SUCCESS);
    struct mock_item *item = mock_new_item(run_nothing);
    mock_wait_for(item, event->item);
    return mock_leave(mock_enqueue(stream, item));
}

int cuEventSynchronize(struct CUevent_st *event)
{
    int failed = mock_enter(__func__);
    if (failed == NOT_INITIALIZED)
        return mock_leave(failed);
    mock_valid(event, EVENT);
    if (mock_is_captured(event))
        return mock_leave(failed ? failed : CAPTURED_EVENT);
    if (event->item)
        mock_complete(event->item);
    return mock_leave(failed ? failed : event->object.context->lost);
}

int cuEventQuery(struct CUevent_st *event)
{
    ENTER();
    mock_valid(event, EVENT);
    int forbidden = mock_forbidden_by_capture();
    if (mock_is_captured(event) || forbidden)
        return mock_leave(forbidden ? forbidden : CAPTURED_EVENT);
    if (!event->item || event->item->done)
        return mock_leave(SUCCESS);
    mock_complete(event->item->stream->head);
    return mock_leave(NOT_READY);
}

int cuEventElapsedTime(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end)
{
    ENTER();
    mock_valid(start, EVENT);
    mock_valid(end, EVENT);
    if ((start->flags | end->flags) & 2 || !start->item || !end->item)
        return mock_leave(INVALID_HANDLE);
    if (!start->item->done || !end->item->done)
        return mock_leave(NOT_READY);
    *milliseconds = (float)(end->item->time - start->item->time);
    return mock_leave(SUCCESS);
}

int cuEventElapsedTime_v2(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}
