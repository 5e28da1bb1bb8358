/* weft run: compile, load, check everything that can be checked, compute, write or print. */
#include "cli/commands/commands.h"
#include "cli/commands/stream_impl.h"
#include "cli/outputs/outputs.h"
#include "cli/values/values.h"

#include <string.h>
#include <time.h>

enum { MOST_KERNELS = 256 };

struct run {
    struct report *report;
    const struct arguments *arguments;
    struct script script;
    struct session session;
    struct inputs inputs;
    struct outputs outputs;
    struct weft_program *program;
    const char *const *bindings; /* wanted as results besides those the text returns */
    size_t binding_count;
    size_t result_count;
    struct weft_tensor_info *infos;
    const char **names; /* of the results */
    struct value *results;
    int left_out; /* samples of the batch that could not be read */
    double read; /* seconds that reading the inputs took */
    struct weft_run_params given; /* the inputs as arguments, for what is done once results are out */
};

/* Checks all that needs no data: the text, the inputs' names, the outputs. */
static bool compile(struct run *run)
{
    run->program = session_compile(&run->session, &run->script, run->arguments->rules, run->arguments->math);
    return run->program &&
           inputs_match(run->report, run->program, script_origin(&run->script), run->script.text,
                        run->arguments, INPUTS_DATA) &&
           outputs_match(run->report, &run->outputs, run->program, &run->bindings, &run->binding_count);
}

/* Shapes of a result: of every sample if it is a batch, which is named as the first batch of the
 * inputs is. */
static bool describe_result(struct run *run, const struct weft_argument *inputs, size_t input_count,
                            size_t index)
{
    struct pool *pool = run->report->pool;
    const struct weft_tensor_info *info = &run->infos[index];
    struct value *value = &run->results[index];
    const struct value *named = inputs_batch(&run->inputs, run->program);
    int64_t *extents = POOL_ARRAY(pool, int64_t, info->count * info->rank + 1);
    struct weft_error *errors = NULL;
    *value = (struct value){.batch = info->batch, .count = (int)info->count, .truth = info->truth};
    value->samples = POOL_ARRAY(pool, struct tensor, value->count + 1);
    if (info->batch && named) {
        value->keys = named->keys;
        value->paths = named->paths;
    }
    enum weft_status status =
        weft_infer_samples(run->program, inputs, input_count, index, extents, &errors);
    for (int i = 0; i < value->count && status >= WEFT_OK; i++) {
        struct tensor *sample = &value->samples[i];
        *sample = (struct tensor){.dtype = info->dtype, .rank = info->rank};
        memcpy(sample->shape, extents + i * info->rank, sizeof *extents * (size_t)info->rank);
        memcpy(sample->layout, info->layout, sizeof info->layout);
    }
    return report_library(run->report, status, &errors);
}

/* Results with named dimensions are told by their names. */
static bool name_results(struct run *run)
{
    const char **types;
    struct weft_error *errors = NULL;
    const enum weft_status status = weft_program_result_types(run->program, &types, &errors);
    for (size_t r = 0; status >= WEFT_OK && r < run->result_count; r++) {
        const char *dims = strchr(types[r], '(');
        dims = dims ? pool_string(run->report->pool, dims, strlen(dims)) : NULL;
        for (int i = 0; i < run->results[r].count; i++)
            run->results[r].samples[i].dims = dims;
    }
    if (status >= WEFT_OK)
        weft_free(types);
    return report_library(run->report, status, &errors);
}

static bool describe_results(struct run *run)
{
    size_t count;
    struct weft_argument *inputs = inputs_arguments(run->report->pool, &run->inputs, &count);
    struct weft_error *errors = NULL;
    inputs_name_samples(run->report, &run->inputs, run->program);
    bool good = report_library(run->report, weft_infer(run->program, inputs, count, run->infos, &errors), &errors);
    for (size_t i = 0; i < run->result_count && good; i++) {
        run->names[i] = run->infos[i].name;
        good = describe_result(run, inputs, count, i);
    }
    return good;
}

static bool specify(struct run *run)
{
    struct pool *pool = run->report->pool;
    struct weft_compile_params params = {.results = run->bindings, .result_count = run->binding_count};
    params.inputs = inputs_types(pool, &run->inputs, &params.input_count);
    if (!session_specify(&run->session, run->program, &run->inputs, &params))
        return false;
    run->result_count = weft_program_result_count(run->program);
    run->infos = POOL_ARRAY(pool, struct weft_tensor_info, run->result_count + 1);
    run->names = POOL_ARRAY(pool, const char *, run->result_count + 1);
    run->results = POOL_ARRAY(pool, struct value, run->result_count + 1);
    return describe_results(run) && name_results(run);
}

/* Whether the samples of batches are read, computed and written one after the other: a result is a batch, and there
 * are samples. */
static bool is_stream(const struct run *run)
{
    const struct value *batch = inputs_batch(&run->inputs, run->program);
    bool has = false;
    for (size_t i = 0; i < run->result_count; i++)
        has = has || run->results[i].batch;
    return has && batch && batch->count;
}

/* All results and what is still to be read must fit into memory together. */
static bool check_memory(struct run *run)
{
    if (is_stream(run))
        return true;
    double pending = inputs_pending(&run->inputs), total = pending;
    for (size_t i = 0; i < run->result_count; i++)
        total += value_bytes(&run->results[i]);
    return memory_check(run->report, script_origin(&run->script),
                        pending ? "the result with its inputs" : "the result", total);
}

static bool allocate(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        for (int s = 0; s < run->results[i].count; s++)
            if (!tensor_allocate(run->report, script_origin(&run->script), "the result",
                                 &run->results[i].samples[s]))
                return false;
    return true;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Every byte of every input and result once. */
static double bytes_moved(const struct run *run)
{
    double total = 0;
    for (int i = 0; i < run->inputs.count; i++)
        total += value_bytes(&run->inputs.items[i].value);
    for (size_t i = 0; i < run->result_count; i++)
        total += value_bytes(&run->results[i]);
    return total;
}

struct times {
    double first, again; /* seconds; until the first result is there, and of a later run */
};

static void print_time(const struct run *run, const char *what, double seconds, const char *more)
{
    fprintf(run->report->stream, "%-7s %10.3f ms%s%s\n", what, 1e3 * seconds, *more ? "  " : "", more);
}

/* "200 samples, ", "" without a batch. */
static const char *samples_text(const struct run *run)
{
    const struct value *batch = inputs_batch(&run->inputs, run->program);
    return !batch ? ""
                  : pool_printf(run->report->pool, "%d sample%s, ", batch->count,
                                 batch->count == 1 ? "" : "s");
}

/* What the kernels of a run say together. */
struct kernels {
    int from[WEFT_FROM_FIRST + 1], first, threads;
    bool gpu; /* no thread of the host computes */
    double seconds, first_seconds;
};

static struct kernels sum_kernels(const struct weft_kernel_info *infos, size_t count)
{
    struct kernels sum = {.threads = 1};
    for (size_t i = 0; i < count && i < MOST_KERNELS; i++) {
        sum.from[infos[i].origin]++;
        sum.first += infos[i].first_seconds > 0;
        sum.threads = infos[i].threads > sum.threads ? infos[i].threads : sum.threads;
        sum.gpu = sum.gpu || infos[i].threads == 0;
        sum.seconds += infos[i].seconds;
        sum.first_seconds += infos[i].first_seconds;
    }
    return sum;
}

static void print_compile(const struct run *run, const struct kernels *kernels)
{
    const int *from = kernels->from;
    print_time(run, "compile", kernels->seconds,
               pool_printf(run->report->pool, "%d compiled, %d from disk, %d from memory, %d by libtcc",
                           from[WEFT_FROM_COMPILER], from[WEFT_FROM_DISK], from[WEFT_FROM_MEMORY],
                           from[WEFT_FROM_FIRST]));
}

static void print_run(const struct run *run, const struct kernels *kernels, int threads, double seconds)
{
    struct pool *pool = run->report->pool;
    const double bytes = bytes_moved(run);
    const char *where = kernels->gpu ? "GPU, copies included"
                                     : pool_printf(pool, "%d thread%s", threads, threads == 1 ? "" : "s");
    print_time(run, "run", seconds,
               pool_printf(pool, "%s, %s%s moved, %.2f GB/s", where, samples_text(run),
                           report_size(run->report, bytes), seconds > 0 ? 1e-9 * bytes / seconds : 0.0));
}

/* Whether some input comes from a file. */
static bool files_read(const struct run *run)
{
    bool read = false;
    for (int i = 0; i < run->inputs.count; i++)
        read = read || run->inputs.items[i].file;
    return read;
}

static void print_times(const struct run *run, const struct weft_kernel_info *infos, size_t count,
                        const struct times *times)
{
    struct pool *pool = run->report->pool;
    const struct kernels kernels = sum_kernels(infos, count);
    const char *first = kernels.first ? pool_printf(pool, ", %d by libtcc in %.3f ms", kernels.first,
                                                    1e3 * kernels.first_seconds)
                                      : "";
    if (files_read(run))
        print_time(run, "read", run->read, "");
    print_compile(run, &kernels);
    print_time(run, "first", times->first,
               pool_printf(pool, "with page faults and the wait for kernels%s", first));
    print_run(run, &kernels, kernels.threads, times->again);
}

static bool run_once(struct run *run, const struct weft_run_params *params, double *seconds)
{
    struct weft_error *errors = NULL;
    double start = now();
    enum weft_status status = weft_run(run->program, params, &errors);
    *seconds = now() - start;
    return report_library(run->report, status, &errors);
}

/* --time: the run that is measured has the final kernels, and its pages are in memory. */
static bool run_timed(struct run *run, const struct weft_run_params *params)
{
    struct weft_kernel_info kernels[MOST_KERNELS] = {{0}};
    size_t count = MOST_KERNELS;
    struct weft_error *errors = NULL;
    struct times times;
    if (!run_once(run, params, &times.first))
        return false;
    /* Waits for good kernels, and tells what the C compiler said meanwhile. */
    if (!report_library(run->report, weft_prepare(run->program, params, kernels, &count, &errors), &errors))
        return false;
    bool quiet = run->report->quiet;
    run->report->quiet = true; /* remarks have been told */
    bool done = run_once(run, params, &times.again);
    run->report->quiet = quiet;
    if (done)
        print_times(run, kernels, count, &times);
    return done;
}

static bool compute(struct run *run)
{
    struct pool *pool = run->report->pool;
    struct weft_argument *results = POOL_ARRAY(pool, struct weft_argument, run->result_count + 1);
    for (size_t i = 0; i < run->result_count; i++)
        results[i] = value_argument(pool, &run->results[i]);
    struct weft_run_params params = {.outputs = results, .output_count = run->result_count};
    params.inputs = inputs_arguments(pool, &run->inputs, &params.input_count);
    run->given = (struct weft_run_params){.inputs = params.inputs, .input_count = params.input_count};
    double seconds;
    return run->arguments->time ? run_timed(run, &params) : run_once(run, &params, &seconds);
}

static bool deliver(struct run *run)
{
    if (run->outputs.count)
        return outputs_write(run->report, &run->outputs, run->results, run->names,
                             run->arguments->threads);
    const bool json = run->report->json;
    fputs(json ? "[" : "", stdout);
    for (size_t i = 0; i < run->result_count; i++) {
        fputs(json && i ? ",\n" : "", stdout);
        if (json)
            print_result_json(stdout, run->report->pool, run->names[i], &run->results[i], run->infos[i].dtype);
        else
            print_result(run->report, stdout, run->names[i], &run->results[i], run->infos[i].dtype);
    }
    fputs(json ? "]\n" : "", stdout);
    return output_flush(run->report);
}

/* Opens all inputs. What ends a batch here is told as it is where one ends later. */
static bool load(struct run *run)
{
    if (inputs_load(run->report, run->program, run->arguments, INPUTS_DATA, &run->inputs))
        return true;
    const struct value *batch = inputs_failed(&run->inputs);
    if (batch)
        stream_tell_end(run->report, batch, &run->outputs, 0, !batch->keep_going);
    return false;
}

/* Everything that can be checked is checked before anything long begins. */
static bool prepare_run(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct weft_context_params params = {
        .tier = arguments->tier, .threads = arguments->threads, .target = arguments->target};
    return outputs_prepare(run->report, arguments, &run->outputs) &&
           script_load(run->report, arguments->program, &run->script) &&
           session_open(&run->session, run->report, params) &&
           compile(run) &&
           load(run) &&
           specify(run) &&
           outputs_bind(run->report, &run->outputs, run->results, run->names, run->result_count) &&
           check_memory(run);
}

/* ---- a batch, sample after sample ---- */

enum { STREAM_BYTES = 512 << 20 }; /* that samples take at a time, unless one alone takes more */

static bool open_stream(struct run *run, struct stream *stream)
{
    *stream = (struct stream){.report = run->report, .program = run->program, .inputs = &run->inputs,
                              .batch = inputs_batch(&run->inputs, run->program), .outputs = &run->outputs,
                              .results = run->results, .names = run->names, .result_count = run->result_count,
                              .keep_going = run->arguments->keep_going,
                              .keep = !outputs_stream(&run->outputs)};
    const double sample = stream_sample_bytes(stream, false), all = stream_sample_bytes(stream, true);
    double kept = 0;
    for (int i = 0; i < run->inputs.count; i++)
        kept += run->inputs.items[i].value.batch ? 0 : value_pending(&run->inputs.items[i].value);
    for (size_t i = 0; i < run->result_count && stream->keep; i++)
        kept += value_bytes(&run->results[i]);
    const double left = memory_available() - kept, room = left < STREAM_BYTES ? left : STREAM_BYTES;
    stream->threads = work_threads(run->arguments->threads, stream->batch->count);
    if (all * stream->threads > room)
        stream->threads = room > all ? (int)(room / all) : 1;
    return memory_check(run->report, script_origin(&run->script),
                        stream->keep ? "the result with its inputs" : "a sample with its result", kept + sample);
}

/* The kernels of all samples, with --time: what then is measured waits for none. */
static bool prepare_kernels(struct run *run, struct kernels *kernels)
{
    struct pool *pool = run->report->pool;
    struct weft_kernel_info infos[MOST_KERNELS] = {{0}};
    size_t count = MOST_KERNELS;
    struct weft_run_params params = {0};
    struct weft_error *errors = NULL;
    params.inputs = inputs_arguments(pool, &run->inputs, &params.input_count);
    if (!report_library(run->report, weft_prepare(run->program, &params, infos, &count, &errors), &errors))
        return false;
    *kernels = sum_kernels(infos, count);
    print_compile(run, kernels);
    return true;
}

static void print_stream(struct run *run, const struct stream *stream, const struct kernels *kernels, double all)
{
    struct pool *pool = run->report->pool;
    const int threads = stream->threads > kernels->threads ? stream->threads : kernels->threads;
    print_time(run, "read", stream->times.read, "");
    print_run(run, kernels, threads, stream->times.compute);
    if (!stream->keep)
        print_time(run, "write", stream->times.write, "");
    print_time(run, "all", all,
               stream->threads == 1 ? "one sample after the other, compiling apart"
                                    : pool_printf(pool, "%d samples at a time, their times added up above, compiling "
                                                        "apart", stream->threads));
}

static bool stream_all(struct run *run)
{
    struct stream stream;
    struct kernels kernels = {.threads = 1};
    if (!open_stream(run, &stream) || !inputs_read_single(run->report, &run->inputs, run->arguments->threads) ||
        (run->arguments->time && !prepare_kernels(run, &kernels)))
        return false;
    run->given.inputs = inputs_arguments(run->report->pool, &run->inputs, &run->given.input_count);
    const double start = now();
    if (!stream_run(&stream))
        return false;
    run->left_out = inputs_left_out(&run->inputs) + stream.batch->count - stream.done;
    if (run->arguments->time)
        print_stream(run, &stream, &kernels, now() - start);
    return !stream.keep || deliver(run);
}

/* ---- all of it ---- */

static bool read_inputs(struct run *run)
{
    const double start = now();
    const bool done = inputs_read(run->report, &run->inputs, run->arguments->threads);
    run->read = now() - start;
    return done;
}

static bool compute_all(struct run *run)
{
    if (!read_inputs(run) || !allocate(run) || !compute(run) || !mappings_whole(run->report))
        return false;
    const double start = now();
    if (!deliver(run))
        return false;
    if (run->arguments->time && run->outputs.count)
        print_time(run, "write", now() - start, "");
    return true;
}

/* The results are out, so nothing here may fail. Where data came from files the same will be computed again: the C
 * compiler may finish, so that later runs find its kernel on disk. For literals it would take longer than all of
 * them. */
static void leave_kernels(struct run *run)
{
    char *cache = NULL;
    struct weft_error *errors = NULL;
    size_t count = 0;
    const bool kept = files_read(run) && weft_cache_path(NULL, &cache, NULL) == WEFT_OK && *cache;
    weft_free(cache);
    if (!kept)
        return;
    weft_prepare(run->program, &run->given, NULL, &count, &errors);
    weft_error_destroy(errors);
}

static void tell_left_out(const struct run *run)
{
    const struct value *batch = inputs_batch(&run->inputs, run->program);
    REPORT_NOTE(run->report, batch->text, LEFT_OUT, run->left_out, batch->whole, run->left_out == 1 ? "is" : "are");
}

static bool run_all(struct run *run)
{
    const bool done = prepare_run(run) && (is_stream(run) ? stream_all(run) : compute_all(run));
    if (done)
        leave_kernels(run);
    if (done && run->left_out)
        tell_left_out(run);
    return done && !run->left_out;
}

bool command_run(struct report *report, const struct arguments *arguments)
{
    struct run run = {.report = report, .arguments = arguments};
    if (arguments->trace)
        return command_trace(report, arguments);
    bool good = run_all(&run);
    good = mappings_whole(report) && good; /* it failed, and this may be why */
    for (size_t i = 0; run.results && i < run.result_count; i++)
        value_finish(&run.results[i]);
    inputs_finish(&run.inputs);
    weft_program_destroy(run.program);
    session_close(&run.session);
    return good;
}
