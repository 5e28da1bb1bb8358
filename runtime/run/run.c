/* weft_prepare and weft_run. Both read the arguments into a struct call and find the typed instance and the
 * plan; then weft_run runs the plan. */
#include "runtime/run/batch_impl.h"
#include "runtime/run/gpu_batch_impl.h"
#include "runtime/run/gpu_staged_impl.h"
#include "runtime/run/gpu_pieces_impl.h"
#include "runtime/run/gpu_run_impl.h"
#include "runtime/run/cpu_launch_impl.h"
#include "runtime/run/overlap_impl.h"
#include "runtime/run/recent_call_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void open_call(struct call *call, struct weft_program *program, void *room)
{
    *call = (struct call){.program = program, .samples = 1}; /* the arenas are empty */
    arena_lend(&call->arena, room, CALL_ROOM);
    call->diags.arena = &call->arena; /* alone: of a struct made beside it halves are read before they are written */
    call->diags.source = &program->source;
}

static void close_call(struct call *call)
{
    if (call->plan)
        plan_release(call->plan);
    if (call->batch)
        batch_release(call);
    if (call->scratch.blocks)
        arena_finish(&call->scratch);
    arena_finish(&call->arena);
}

enum weft_status call_make(struct weft_program *program, call_body *body, const void *user, bool remarks,
                           struct weft_error **error)
{
    struct call call;
    _Alignas(16) char room[CALL_ROOM];
    jmp_buf env;
    int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    open_call(&call, program, room);
    if (!ARENA_GUARD(&call.arena, env)) {
        body(&call, user);
        status = diags_empty(&call.diags) ? WEFT_OK
                 : remarks                ? finish_remarks(&call.diags, error)
                                          : finish_call(&program->context->log, &call.diags, error);
    }
    close_call(&call);
    if (remarks || status < 0) /* another program's call shall not tell them */
        log_untold(&program->context->log);
    errno = saved;
    return status;
}

/* ---- prepare and run ---- */

/* Reads the arguments, finds the plan or plans, and makes all checks that do not depend on addresses. */
static bool find_plan(struct call *call, const struct weft_run_params *params, bool needs_data)
{
    call->first_sample = params->first_sample;
    call->inputs = read_arguments(call, params->inputs, params->input_count, false, needs_data);
    if (call->diags.errors || !find_typed(call))
        return false;
    if (params->output_count || needs_data)
        call->outputs = read_arguments(call, params->outputs, params->output_count, true, needs_data);
    if (call->diags.errors || (call->outputs && !check_batches(call, params->outputs)) ||
        !choose_device(call) || !cuda_cut(call, needs_data))
        return false;
    if (call->batch)
        return batch_find(call, needs_data);
    const struct occasion occasion = {.inputs = cuda_inputs(call, call->inputs), .outputs = cuda_outputs(call),
                                      .filled = call->filled,
                                      .device = call->device, .wait = !needs_data};
    call->plan = plan_get(call->program, call->typed, &occasion, &call->diags);
    return call->plan != NULL;
}

/* The number of the sample where there is no batch. */
static const int64_t no_sample;

static void *access_data(const struct call *call, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    if (access->kind == TENSOR_INPUT) /* nearly all: no jump by a table */
        return call->inputs[access->index].data;
    if (access->kind == TENSOR_RESULT)
        return call->outputs[access->index].data;
    switch (access->kind) {
    case TENSOR_CONSTANT: return (void *)kernel->constants[access->index].data;
    case TENSOR_BYTES: return call->plan->bytes;
    case TENSOR_SAMPLE: return (void *)&no_sample;
    default: return call->temporaries + call->plan->placed[access->index]; /* of windows threads have their own */
    }
}

/* Makes a launch on the call's only sample. Threads: as in struct launch. */
static void set_up(struct call *call, const struct planned *planned, int threads, struct scratch *scratch,
                   struct launch *launch)
{
    const struct kernel *kernel = planned->kernel;
    struct weft_sample *sample =
        arena_raw(&call->arena, sizeof(struct weft_sample) + (size_t)kernel->access_count * sizeof(char *));
    char **bases = (char **)(sample + 1);
    for (int a = 0; a < kernel->access_count; a++)
        bases[a] = (char *)access_data(call, kernel, a) + planned->starts[a];
    *sample = (struct weft_sample){0, &planned->walk, bases};
    *launch = (struct launch){.planned = planned, .samples = sample, .sample_count = 1, .tiles = planned->tiles,
                              .work = planned->work, .touched = planned->touched - planned->window_touched,
                              .stored = planned->stored - planned->window_stored, .chain = planned->chain,
                              .windows = planned->windows, .window_count = planned->window_count,
                              .threads = threads};
    launch_init(launch, call->program->context, scratch, &call->arena);
}

/* How many threads compute a chain of kernels, and in *work what these are to do together. */
static int chain_threads(const struct call *call, const struct planned *first, double *work)
{
    *work = 0;
    for (int i = 0; i < first->chain; i++)
        *work += first[i].work;
    return launch_threads_beside(call->program->context, first, *work, first->tiles);
}

/* Makes the launches of the kernels that begin with number k. Returns their number. */
static int set_up_chain(struct call *call, int k, struct scratch *scratch, struct launch *launches)
{
    const struct planned *first = &call->plan->kernels[k];
    double work = first->work;
    const int count = first->chain ? first->chain : 1, threads = count > 1 ? chain_threads(call, first, &work) : 0;
    for (int i = 0; i < count; i++)
        set_up(call, &first[i], threads, scratch, &launches[k + i]);
    launches[k].work = work;
    return count;
}

static void run_plan(struct call *call)
{
    int count = call->plan->kernel_count;
    struct launch *launches = arena_raw(&call->arena, sizeof *launches * (size_t)count);
    struct fault first = no_fault;
    struct scratch scratch = {0};
    scratch.windows = call->plan->window_bytes;
    if (call->plan->placed_bytes)
        call->temporaries = lend_aligned(&call->arena, call->plan->placed_bytes);
    for (int k = 0; k < count;)
        k += set_up_chain(call, k, &scratch, launches);
    for (int k = 0; scratch.threads && k < count; k++)
        scratch_lend(&scratch, &launches[k], &call->arena);
    for (int k = 0, next = 0; k < count; k++) {
        if (k == next) {
            launch_run(&launches[k], call->program->context);
            next += launches[k].chain ? launches[k].chain : 1;
        }
        launch_remark(&launches[k], &first);
    }
    if (fault_is_any(&first))
        fault_tell(&call->diags, &first);
}

/* Runs the work; NULL: there is nothing to do. */
static void run_on_gpu(struct call *call, struct cuda_work *work, void *stream)
{
    if (work && call->staged)
        cuda_host_run(call, &work, 1);
    else if (work)
        work_run(work, stream);
}

static void run_batch(struct call *call, void *stream)
{
    int count = 0;
    struct cuda_work **works = call->staged ? cuda_pieces(call, &count) : NULL;
    if (!call->device)
        batch_run(call);
    else if (!call->staged)
        run_on_gpu(call, cuda_batch_set_up(call, call->parts), stream);
    else if (count)
        cuda_host_run(call, works, count);
}

/* False with diagnostics. */
static bool check_all_overlaps(struct call *call)
{
    for (int r = 0; r < call->typed->program->result_count; r++)
        check_overlap(call, r);
    return !call->diags.errors;
}

static void run(struct call *call, const void *user)
{
    const struct weft_run_params *params = user;
    bool recent = (call->program->context->fast & FAST_CALL) && recent_find(call, params);
    if ((!recent && !find_plan(call, params, true)) ||
        ((!call->batch || call->slabs) && !check_all_overlaps(call)))
        return;
    if (call->batch) {
        run_batch(call, params->stream);
        return;
    }
    if (!recent)
        recent_keep(call, params);
    if (call->device)
        run_on_gpu(call, cuda_set_up(call, call->plan), params->stream);
    else
        run_plan(call);
}

static size_t plan_kernels(struct call *call, struct weft_kernel_info *kernels, size_t room)
{
    struct weft_context *context = call->program->context;
    pthread_mutex_lock(&call->program->mutex);
    bool again = call->plan->reported;
    call->plan->reported = true;
    pthread_mutex_unlock(&call->program->mutex);
    for (int k = 0; k < call->plan->kernel_count; k++) {
        const struct planned *planned = &call->plan->kernels[k];
        struct weft_kernel_info info = call->plan->infos[k];
        kernels_settle(context, planned->loaded, &info);
        if (again)
            info = (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
        info.threads = call->device ? 0 : launch_threads(context, planned->work, planned->tiles);
        if ((size_t)k < room)
            kernels[k] = info;
    }
    return (size_t)call->plan->kernel_count;
}

/* What weft_prepare is given. */
struct preparation {
    const struct weft_run_params *params;
    struct weft_kernel_info *kernels; /* these two may be NULL */
    size_t *kernel_count;
};

static void prepare(struct call *call, const void *user)
{
    const struct preparation *to = user;
    size_t room = to->kernels && to->kernel_count ? *to->kernel_count : 0;
    if (!find_plan(call, to->params, false))
        return;
    size_t count = (call->batch ? batch_kernels : plan_kernels)(call, to->kernels, room);
    if (to->kernel_count)
        *to->kernel_count = count;
}

static enum weft_status perform(struct weft_program *program, const struct weft_run_params *params, call_body *body,
                                const void *user, struct weft_error **error)
{
    if (!program || !params || (params->input_count && !params->inputs) ||
        (params->output_count && !params->outputs))
        return invalid_call(error, "a run needs a program and its tensors, found NULL");
    return call_make(program, body, user, true, error);
}

enum weft_status weft_prepare(struct weft_program *program, const struct weft_run_params *params,
                              struct weft_kernel_info *kernels, size_t *kernel_count,
                              struct weft_error **error)
{
    return perform(program, params, prepare, &(struct preparation){params, kernels, kernel_count}, error);
}

enum weft_status weft_run(struct weft_program *program, const struct weft_run_params *params,
                          struct weft_error **error)
{
    return perform(program, params, run, params, error);
}
