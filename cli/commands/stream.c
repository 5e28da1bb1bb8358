/* See stream_impl.h.
 *
 * Invariant: samples are begun in order, and one that was begun is finished unless an earlier one failed. So archives,
 * whose samples wait for their turn, end, and of several failures the first is told. */
#include "cli/commands/stream_impl.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct flow {
    struct stream *stream;
    struct samples **samples;      /* by input; NULL: no batch, or one that is loaded */
    struct tensor *single;         /* by result: the data of those that are no batches, guarded by `mutex` */
    int single_of;                 /* the sample that they are from; INT_MAX: none yet */
    pthread_mutex_t mutex;         /* guards what follows, and the stream's times */
    pthread_cond_t changed;
    int turn;                      /* the sample that may go into archives */
    int failed;                    /* the first that failed so far; INT_MAX: none */
    int remarked;                  /* the first that had a remark; INT_MAX: none */
    char *remark;                  /* its text */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void add_time(struct flow *flow, double *to, double start)
{
    const double seconds = now() - start;
    pthread_mutex_lock(&flow->mutex);
    *to += seconds;
    pthread_mutex_unlock(&flow->mutex);
}

static double input_bytes(const struct value *value, int index, bool mapped)
{
    return !value->batch ? 0 : mapped ? value_sample_bytes(value, index) : value_sample_pending(value, index);
}

double stream_sample_bytes(const struct stream *stream, bool mapped)
{
    double largest = 0;
    for (int s = 0; s < stream->batch->count; s++) {
        double bytes = 0;
        for (int i = 0; i < stream->inputs->count; i++)
            bytes += input_bytes(&stream->inputs->items[i].value, s, mapped);
        for (size_t r = 0; r < stream->result_count; r++)
            if (!stream->results[r].batch)
                bytes += value_sample_bytes(&stream->results[r], 0);
            else if (!stream->keep)
                bytes += value_sample_bytes(&stream->results[r], s);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* ---- one sample ---- */

/* What one sample consists of; arrays by input and by result. */
struct sample {
    struct tensor *inputs, *results;
    int read, made;                /* how many of them have data */
};

/* The sample of input i, as the library takes it. False: it is no batch, and the value itself serves. */
static bool read_input(struct report *report, struct flow *flow, struct sample *sample, int i, int index, bool *good)
{
    const struct value *value = &flow->stream->inputs->items[i].value;
    if (flow->samples[i])
        *good = samples_read(report, flow->samples[i], index, &sample->inputs[i]);
    else if (value->batch)
        sample->inputs[i] = value->samples[index];
    return value->batch;
}

/* Reads the sample of every batch; the arguments for the library. NULL after a diagnostic. */
static struct weft_argument *read_inputs(struct report *report, struct flow *flow, struct sample *sample, int index,
                                         size_t *count)
{
    const struct inputs *inputs = flow->stream->inputs;
    struct weft_argument *list = POOL_ARRAY(report->pool, struct weft_argument, inputs->count + 1);
    const double start = now();
    bool good = true;
    *count = 0;
    for (int i = 0; i < inputs->count && good; i++, sample->read = i) {
        struct weft_argument *argument = &list[(*count)++];
        if (read_input(report, flow, sample, i, index, &good)) {
            DLTensor *view = POOL_NEW(report->pool, DLTensor);
            *argument = (struct weft_argument){.tensors = view, .count = 1, .batch = true};
            if (good)
                *view = tensor_view(&sample->inputs[i]);
        } else {
            *argument = value_argument(report->pool, &inputs->items[i].value);
        }
        argument->name = inputs->items[i].assignment->name;
    }
    add_time(flow, &flow->stream->times.read, start);
    return good ? list : NULL;
}

static struct weft_argument *make_results(struct report *report, struct flow *flow, struct sample *sample, int index)
{
    const struct stream *stream = flow->stream;
    struct weft_argument *list = POOL_ARRAY(report->pool, struct weft_argument, stream->result_count + 1);
    DLTensor *views = POOL_ARRAY(report->pool, DLTensor, stream->result_count + 1);
    for (size_t r = 0; r < stream->result_count; r++) {
        sample->results[r] = stream->results[r].samples[stream->results[r].batch ? index : 0];
        if (!tensor_allocate(report, report->samples[0], "the result", &sample->results[r]))
            return NULL;
        sample->made = (int)r + 1;
        views[r] = tensor_view(&sample->results[r]);
        list[r] = (struct weft_argument){.tensors = &views[r], .count = 1, .batch = stream->results[r].batch};
    }
    return list;
}

/* Keeps what the first sample with a remark has to tell. Takes over the list. */
static void keep_remark(struct report *report, struct flow *flow, int index, struct weft_error *errors)
{
    char *text = NULL;
    size_t length;
    struct report own = *report;
    own.stream = open_memstream(&text, &length);
    if (own.stream) {
        report_library(&own, WEFT_OK, &errors);
        fclose(own.stream);
    } else {
        weft_error_destroy(errors);
    }
    pthread_mutex_lock(&flow->mutex);
    if (index < flow->remarked) {
        char *before = flow->remark;
        flow->remarked = index;
        flow->remark = text;
        text = before;
    }
    pthread_mutex_unlock(&flow->mutex);
    free(text);
}

static bool compute(struct report *report, struct flow *flow, int index, const struct weft_run_params *params)
{
    struct weft_error *errors = NULL;
    const double start = now();
    const enum weft_status status = weft_run(flow->stream->program, params, &errors);
    add_time(flow, &flow->stream->times.compute, start);
    if (status <= WEFT_OK)
        return report_library(report, status, &errors);
    keep_remark(report, flow, index, errors);
    return true;
}

/* Waits until all samples before are in the archives. False: one of them failed. */
static bool await_turn(struct flow *flow, int index)
{
    pthread_mutex_lock(&flow->mutex);
    while (flow->turn != index && flow->failed > index)
        pthread_cond_wait(&flow->changed, &flow->mutex);
    const bool good = flow->turn == index;
    pthread_mutex_unlock(&flow->mutex);
    return good;
}

static void pass_turn(struct flow *flow, int index, bool good, bool read)
{
    struct stream *stream = flow->stream;
    const bool left = stream->left && stream->left[index];
    pthread_mutex_lock(&flow->mutex);
    if (good || left) {
        flow->turn = index + 1;
        stream->done += good;
    } else if (index < flow->failed) {
        flow->failed = index;
        stream->unread = !read;
    }
    pthread_cond_broadcast(&flow->changed);
    pthread_mutex_unlock(&flow->mutex);
}

static bool has_archives(const struct outputs *outputs)
{
    bool has = false;
    for (int i = 0; i < outputs->count; i++)
        has = has || outputs->items[i].writer;
    return has;
}

/* Results that are kept are no longer the sample's: of batches they take the places of their outlines. */
static void keep_results(struct flow *flow, struct sample *sample, int index)
{
    const struct stream *stream = flow->stream;
    for (size_t r = 0; r < stream->result_count; r++)
        if (stream->results[r].batch && stream->keep) {
            stream->results[r].samples[index] = sample->results[r];
            sample->results[r].memory = NULL;
        }
}

/* Results that are no batches, whose outlines all samples read, wait for the end: those of the first sample there is.
 * The others' are finished with them. */
static void keep_single(struct flow *flow, struct sample *sample, int index)
{
    const struct stream *stream = flow->stream;
    pthread_mutex_lock(&flow->mutex);
    const bool first = index < flow->single_of;
    flow->single_of = first ? index : flow->single_of;
    for (size_t r = 0; r < stream->result_count && first; r++)
        if (!stream->results[r].batch) {
            const struct tensor before = flow->single[r];
            flow->single[r] = sample->results[r];
            sample->results[r] = before;
        }
    pthread_mutex_unlock(&flow->mutex);
}

/* The places that all samples read are free now, and those that were left out go. */
static void place_results(struct flow *flow)
{
    const struct stream *stream = flow->stream;
    bool *kept = POOL_ARRAY(stream->report->pool, bool, stream->batch->count + 1);
    for (int i = 0; stream->left && i < stream->batch->count; i++)
        kept[i] = !stream->left[i];
    for (size_t r = 0; stream->left && r < stream->result_count; r++)
        if (stream->results[r].batch)
            value_keep(stream->report->pool, &stream->results[r], kept);
    for (size_t r = 0; r < flow->stream->result_count; r++)
        if (!flow->stream->results[r].batch)
            flow->stream->results[r].samples[0] = flow->single[r];
}

static bool write_results(struct report *report, struct flow *flow, const struct sample *sample, int index)
{
    struct stream *stream = flow->stream;
    double start = now();
    bool good = outputs_files(report, stream->outputs, sample->results, index);
    add_time(flow, &stream->times.write, start);
    if (!good || !has_archives(stream->outputs))
        return good;
    if (!await_turn(flow, index))
        return false;
    start = now();
    good = outputs_archives(report, stream->outputs, sample->results, stream->batch->keys[index]);
    add_time(flow, &stream->times.write, start);
    return good;
}

/* A sample that could not be read, where the others go on without it. */
static void leave_out(struct flow *flow, int index)
{
    struct stream *stream = flow->stream;
    if (!stream->left)
        return;
    stream->left[index] = true;
    if (!stream->keep)
        outputs_leave_out(stream->outputs, index);
    if (!stream->keep && has_archives(stream->outputs))
        await_turn(flow, index);
}

static void finish_sample(const struct flow *flow, struct sample *sample)
{
    for (int i = 0; i < sample->read; i++)
        if (flow->samples[i])
            tensor_finish(&sample->inputs[i]);
    for (int r = 0; r < sample->made; r++)
        tensor_finish(&sample->results[r]);
}

static bool do_sample(struct report *report, void *user, int index)
{
    struct flow *flow = user;
    struct stream *stream = flow->stream;
    struct sample sample = {.inputs = POOL_ARRAY(report->pool, struct tensor, stream->inputs->count + 1),
                            .results = POOL_ARRAY(report->pool, struct tensor, stream->result_count + 1)};
    report->samples = &stream->batch->paths[index]; /* the library counts one sample */
    report->sample_count = 1;
    struct weft_run_params params = {.output_count = stream->result_count,
                                     .first_sample = stream->batch->places ? stream->batch->places[index] : index};
    params.inputs = read_inputs(report, flow, &sample, index, &params.input_count);
    if (!params.inputs)
        leave_out(flow, index);
    params.outputs = params.inputs ? make_results(report, flow, &sample, index) : NULL;
    bool good = params.outputs && compute(report, flow, index, &params);
    good = good && (stream->keep || write_results(report, flow, &sample, index));
    if (good) {
        keep_results(flow, &sample, index);
        keep_single(flow, &sample, index);
    }
    finish_sample(flow, &sample);
    pass_turn(flow, index, good, params.inputs);
    return good;
}

/* ---- all of them ---- */

static bool open_samples(struct flow *flow)
{
    struct stream *stream = flow->stream;
    flow->samples = POOL_ARRAY(stream->report->pool, struct samples *, stream->inputs->count + 1);
    for (int i = 0; i < stream->inputs->count; i++) {
        struct value *value = &stream->inputs->items[i].value;
        if (!value->batch || value->source == VALUE_READY)
            continue;
        flow->samples[i] = samples_open(stream->report, value);
        if (!flow->samples[i])
            return false;
    }
    return true;
}

/* What a user asks who sees an error: is there anything of it, and how do the others get through? */
void stream_tell_end(struct report *report, const struct value *batch, const struct outputs *outputs, int done,
                     bool unread)
{
    if (outputs->count)
        REPORT_NOTE(report, outputs->items[0].destination->path, NOTHING_WRITTEN, done, batch->whole);
    if (unread)
        REPORT_NOTE(report, batch->text, KEEP_GOING);
}

static bool do_all(struct flow *flow)
{
    struct stream *stream = flow->stream;
    const int count = stream->batch->count;
    stream->left = stream->keep_going ? POOL_ARRAY(stream->report->pool, bool, count + 1) : NULL;
    struct work work = {"computing", count, stream->threads, do_sample, flow, stream->left};
    flow->single = POOL_ARRAY(stream->report->pool, struct tensor, stream->result_count + 1);
    const bool good = open_samples(flow) &&
                      (stream->keep || outputs_begin(stream->report, stream->outputs, count)) &&
                      work_do(stream->report, &work) && stream->done;
    fputs(flow->remark ? flow->remark : "", stream->report->stream);
    return mappings_whole(stream->report) && good;
}

bool stream_run(struct stream *stream)
{
    struct flow flow = {.stream = stream, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                        .failed = INT_MAX, .remarked = INT_MAX, .single_of = INT_MAX};
    bool good = do_all(&flow);
    if (good)
        place_results(&flow);
    if (!stream->keep) {
        const double start = now();
        good = good && outputs_single(stream->report, stream->outputs, stream->results, stream->names,
                                      stream->threads);
        good = outputs_end(stream->report, stream->outputs, good);
        stream->times.write += now() - start;
    }
    for (int i = 0; i < stream->inputs->count && flow.samples; i++)
        samples_close(flow.samples[i]);
    free(flow.remark);
    if (!good)
        stream_tell_end(stream->report, stream->batch, stream->outputs, stream->done, stream->unread);
    return good;
}
