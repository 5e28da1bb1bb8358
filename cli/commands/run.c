/* weft run: compile, load, check everything that can be checked, compute, write or print. */
#include "cli/commands/commands.h"
#include "cli/commands/session_impl.h"
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
    *value = (struct value){.batch = info->batch, .count = (int)info->count};
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

/* All results and what is still to be read must fit into memory together. */
static bool check_memory(struct run *run)
{
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

/* "200 samples, ", "" without a batch. */
static const char *samples_text(const struct run *run)
{
    const struct value *batch = inputs_batch(&run->inputs, run->program);
    return !batch ? ""
                  : pool_printf(run->report->pool, "%d sample%s, ", batch->count,
                                 batch->count == 1 ? "" : "s");
}

static void print_times(const struct run *run, const struct weft_kernel_info *kernels, size_t count,
                        const struct times *times)
{
    FILE *file = run->report->stream;
    int from[WEFT_FROM_FIRST + 1] = {0}, first = 0, threads = 1;
    bool gpu = false; /* no thread of the host computes */
    double seconds = 0, first_seconds = 0, bytes = bytes_moved(run);
    for (size_t i = 0; i < count && i < MOST_KERNELS; i++) {
        from[kernels[i].origin]++;
        first += kernels[i].first_seconds > 0;
        threads = kernels[i].threads > threads ? kernels[i].threads : threads;
        gpu = gpu || kernels[i].threads == 0;
        seconds += kernels[i].seconds;
        first_seconds += kernels[i].first_seconds;
    }
    fprintf(file, "compile %10.3f ms  %d compiled, %d from disk, %d from memory, %d by libtcc\n",
            1e3 * seconds, from[WEFT_FROM_COMPILER], from[WEFT_FROM_DISK], from[WEFT_FROM_MEMORY],
            from[WEFT_FROM_FIRST]);
    fprintf(file, "first   %10.3f ms  with page faults and the wait for kernels",
            1e3 * times->first);
    if (first)
        fprintf(file, ", %d by libtcc in %.3f ms", first, 1e3 * first_seconds);
    const char *where = gpu ? "GPU, copies included"
                            : pool_printf(run->report->pool, "%d thread%s", threads,
                                           threads == 1 ? "" : "s");
    fprintf(file, "\nrun     %10.3f ms  %s, %s%s moved, %.2f GB/s\n", 1e3 * times->again, where,
            samples_text(run),
            report_size(run->report, bytes), times->again > 0 ? 1e-9 * bytes / times->again : 0.0);
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

/* Ends a C compiler that is still running for a kernel that nobody will call. */
static void close_session(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) /* names die with the program */
        run->names[i] = pool_string(run->report->pool, run->names[i], strlen(run->names[i]));
    weft_program_destroy(run->program);
    run->program = NULL;
    session_close(&run->session);
}

static bool compute(struct run *run)
{
    struct pool *pool = run->report->pool;
    struct weft_argument *results = POOL_ARRAY(pool, struct weft_argument, run->result_count + 1);
    for (size_t i = 0; i < run->result_count; i++)
        results[i] = value_argument(pool, &run->results[i]);
    struct weft_run_params params = {.outputs = results, .output_count = run->result_count};
    params.inputs = inputs_arguments(pool, &run->inputs, &params.input_count);
    double seconds;
    bool done = run->arguments->time ? run_timed(run, &params) : run_once(run, &params, &seconds);
    close_session(run);
    return done;
}

static bool deliver(struct run *run)
{
    if (run->outputs.count)
        return outputs_write(run->report, &run->outputs, run->results, run->names,
                             run->arguments->threads);
    for (size_t i = 0; i < run->result_count; i++)
        print_result(run->report, stdout, run->names[i], &run->results[i], run->infos[i].dtype);
    return output_flush(run->report);
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
           inputs_load(run->report, run->program, arguments, INPUTS_DATA, &run->inputs) &&
           specify(run) &&
           outputs_bind(run->report, &run->outputs, run->results, run->names, run->result_count) &&
           check_memory(run);
}

static bool run_all(struct run *run)
{
    return prepare_run(run) && inputs_read(run->report, &run->inputs, run->arguments->threads) &&
           allocate(run) && compute(run) && mappings_whole(run->report) && deliver(run);
}

bool command_run(struct report *report, const struct arguments *arguments)
{
    struct run run = {.report = report, .arguments = arguments};
    bool good = run_all(&run);
    good = mappings_whole(report) && good; /* it failed, and this may be why */
    for (size_t i = 0; run.results && i < run.result_count; i++)
        value_finish(&run.results[i]);
    inputs_finish(&run.inputs);
    weft_program_destroy(run.program);
    session_close(&run.session);
    return good;
}
