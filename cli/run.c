/* weft run: compile, load, check everything that can be checked, compute, write or print. */
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/session.h"

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
    struct tensor *results;
    struct weft_argument *arguments_in, *arguments_out;
    size_t in_count;
};

/* The text alone: are names, outputs and all that needs no data right? */
static bool check_names(struct run *run)
{
    struct weft_compile_params params = {.math = run->arguments->math};
    run->session.muted = true;
    struct weft_program *program = session_compile(&run->session, &run->script, params);
    run->session.muted = false;
    bool good =
        program && inputs_match(run->report, program, &run->script, run->arguments, INPUTS_DATA) &&
        outputs_match(run->report, &run->outputs, program, script_parse(run->report, &run->script),
                      &run->bindings, &run->binding_count);
    weft_program_destroy(program);
    return good;
}

static bool compile(struct run *run)
{
    struct arena *arena = run->report->arena;
    const struct shape **shapes;
    if (!inputs_fit(run->report, &run->script, &run->inputs, &shapes))
        return false;
    struct weft_compile_params params = {
        .math = run->arguments->math, .results = run->bindings, .result_count = run->binding_count};
    params.inputs = inputs_types(arena, &run->inputs, &params.input_count);
    run->program = session_compile(&run->session, &run->script, params);
    if (!run->program)
        return false;
    run->result_count = weft_program_result_count(run->program);
    run->infos = ARENA_ARRAY(arena, struct weft_tensor_info, run->result_count + 1);
    run->arguments_in = inputs_arguments(arena, &run->inputs, &run->in_count);
    struct weft_error *errors = NULL;
    enum weft_status status =
        weft_infer(run->program, run->arguments_in, run->in_count, run->infos, &errors);
    return report_library(run->report, status, errors);
}

/* All results together must fit, not only each. */
static bool allocate(struct run *run)
{
    struct arena *arena = run->report->arena;
    const char *path = run->script.origin ? run->script.origin : "<expr>";
    double total = 0;
    run->results = ARENA_ARRAY(arena, struct tensor, run->result_count + 1);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct weft_tensor_info *info = &run->infos[i];
        struct tensor *tensor = &run->results[i];
        size_t bytes = 0;
        tensor->dtype = info->dtype;
        tensor->rank = info->rank;
        memcpy(tensor->shape, info->shape, sizeof info->shape);
        memcpy(tensor->layout, info->layout, sizeof info->layout);
        if (tensor_bytes(tensor, &bytes))
            total += (double)bytes;
    }
    if (!memory_check(run->report, path, "the result", total))
        return false;
    for (size_t i = 0; i < run->result_count; i++)
        if (!tensor_allocate(run->report, path, "the result", &run->results[i]))
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
    size_t bytes;
    for (int i = 0; i < run->inputs.count; i++)
        if (tensor_bytes(&run->inputs.items[i].tensor, &bytes))
            total += (double)bytes;
    for (size_t i = 0; i < run->result_count; i++)
        total += (double)run->results[i].size;
    return total;
}

struct times {
    double first, again; /* seconds; until the first result is there, and of a later run */
};

static void print_times(const struct run *run, const struct weft_kernel_info *kernels, size_t count,
                        const struct times *times)
{
    FILE *file = run->report->stream;
    int from[WEFT_FROM_FIRST + 1] = {0}, first = 0, threads = 1;
    double seconds = 0, first_seconds = 0, bytes = bytes_moved(run);
    for (size_t i = 0; i < count && i < MOST_KERNELS; i++) {
        from[kernels[i].origin]++;
        first += kernels[i].first_seconds > 0;
        threads = kernels[i].threads > threads ? kernels[i].threads : threads;
        seconds += kernels[i].seconds;
        first_seconds += kernels[i].first_seconds;
    }
    fprintf(file, "compile %10.3f ms  %d compiled, %d from disk, %d from memory, %d by libtcc\n",
            1e3 * seconds, from[WEFT_FROM_COMPILER], from[WEFT_FROM_DISK], from[WEFT_FROM_MEMORY],
            from[WEFT_FROM_FIRST]);
    fprintf(file, "first   %10.3f ms  with page faults and the wait for kernels", 1e3 * times->first);
    if (first)
        fprintf(file, ", %d by libtcc in %.3f ms", first, 1e3 * first_seconds);
    fprintf(file, "\nrun     %10.3f ms  %d %s, %s moved, %.2f GB/s\n", 1e3 * times->again,
            threads, threads == 1 ? "thread" : "threads", report_size(run->report, bytes),
            times->again > 0 ? 1e-9 * bytes / times->again : 0.0);
}

/* Waits for good kernels. */
static bool prepare(struct run *run, const struct weft_run_params *params,
                    struct weft_kernel_info *kernels, size_t *count)
{
    struct weft_error *errors = NULL;
    enum weft_status status = weft_prepare(run->program, params, kernels, count, &errors);
    return report_library(run->report, status, errors);
}

static bool run_once(struct run *run, const struct weft_run_params *params, double *seconds)
{
    struct weft_error *errors = NULL;
    double start = now();
    enum weft_status status = weft_run(run->program, params, &errors);
    *seconds = now() - start;
    return report_library(run->report, status, errors);
}

/* --time: the run that counts has good kernels and finds its pages in memory. */
static bool run_timed(struct run *run, const struct weft_run_params *params)
{
    struct weft_kernel_info kernels[MOST_KERNELS] = {{0}};
    size_t count = MOST_KERNELS;
    struct times times;
    if (!run_once(run, params, &times.first))
        return false;
    if (!prepare(run, params, kernels, &count)) /* tells what the C compiler said meanwhile */
        return false;
    bool quiet = run->report->quiet;
    run->report->quiet = true; /* remarks have been told */
    bool done = run_once(run, params, &times.again);
    run->report->quiet = quiet;
    if (done)
        print_times(run, kernels, count, &times);
    return done;
}

/* Ends a C compiler that still runs for a kernel nobody will call. */
static void close_session(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) /* names die with the program */
        run->infos[i].name =
            arena_string(run->report->arena, run->infos[i].name, strlen(run->infos[i].name));
    weft_program_destroy(run->program);
    run->program = NULL;
    session_close(&run->session);
}

static bool compute(struct run *run)
{
    struct arena *arena = run->report->arena;
    DLTensor *views = ARENA_ARRAY(arena, DLTensor, run->result_count + 1);
    run->arguments_out = ARENA_ARRAY(arena, struct weft_argument, run->result_count + 1);
    for (size_t i = 0; i < run->result_count; i++) {
        views[i] = tensor_view(&run->results[i]);
        run->arguments_out[i] = (struct weft_argument){.tensors = &views[i], .count = 1};
    }
    struct weft_run_params params = {.inputs = run->arguments_in,
                                     .input_count = run->in_count,
                                     .outputs = run->arguments_out,
                                     .output_count = run->result_count};
    double seconds;
    output_hold_signals();
    bool done = run->arguments->time ? run_timed(run, &params) : run_once(run, &params, &seconds);
    close_session(run);
    output_release_signals();
    return done;
}

static bool deliver(struct run *run)
{
    struct arena *arena = run->report->arena;
    const char **names = ARENA_ARRAY(arena, const char *, run->result_count + 1);
    for (size_t i = 0; i < run->result_count; i++)
        names[i] = run->infos[i].name;
    if (run->outputs.count)
        return outputs_write(run->report, &run->outputs, run->results, names);
    for (size_t i = 0; i < run->result_count; i++)
        print_tensor(stdout, arena, names[i], &run->results[i]);
    return output_flush(run->report);
}

static bool run_all(struct run *run)
{
    return outputs_prepare(run->report, run->arguments, &run->outputs) &&
           script_load(run->report, run->arguments->program, &run->script) &&
           session_open(&run->session, run->report, run->arguments->tier,
                         run->arguments->threads) && check_names(run) &&
           inputs_load(run->report, &run->script, run->arguments, INPUTS_DATA, &run->inputs) &&
           compile(run) &&
           outputs_bind(run->report, &run->outputs, run->infos, run->result_count) &&
           allocate(run) && compute(run) && deliver(run);
}

int command_run(struct report *report, const struct arguments *arguments)
{
    struct run run = {.report = report, .arguments = arguments};
    if (!run_all(&run) && !report->status)
        report->status = 1;
    for (size_t i = 0; run.results && i < run.result_count; i++)
        tensor_finish(&run.results[i]);
    inputs_finish(&run.inputs);
    weft_program_destroy(run.program);
    session_close(&run.session);
    return report->status;
}
