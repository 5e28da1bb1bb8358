/* The calls that take tensors: infer, prepare, run. Each reads its arguments into a struct call,
 * finds the typed instance and the plan, and only then touches data. */
#include "runtime/call.h"
#include "runtime/launch.h"
#include "runtime/recent.h"

#include <stdlib.h>
#include <string.h>

void call_open(struct call *call, struct weft_program *program, void *room)
{
    *call = (struct call){.program = program, .samples = 1};
    arena_init(&call->arena);
    arena_init(&call->scratch);
    arena_lend(&call->arena, room, CALL_ROOM);
    diags_init(&call->diags, &call->arena, &program->source);
}

void call_drop(struct call *call)
{
    if (call->plan)
        plan_release(call->plan);
    arena_finish(&call->scratch);
    arena_finish(&call->arena);
}

enum weft_status call_close(struct call *call, struct weft_error **error)
{
    enum weft_status status = finish_call(call->program->context, &call->diags, error);
    call_drop(call);
    return status;
}

/* ---- outputs ---- */

/* The last of the results, in their kernels' order, for which this tensor is read or written; -1:
 * none. What is hoisted counts as a part of the results it helps, so that the answer does not depend on
 * what is hoisted. */
static int last_use(const struct plan *plan, enum tensor_kind kind, int index)
{
    int last = -1;
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct kernel *kernel = plan->kernels[k].kernel;
        for (int a = 0; a < kernel->access_count; a++)
            if (kernel->accesses[a].kind == kind && kernel->accesses[a].index == index &&
                plan->kernels[k].order > last)
                last = plan->kernels[k].order;
    }
    return last;
}

/* Rule 5.4: an output may be the very buffer of an input if every kernel that reads the input reads
 * only the element it writes, which none does under a view, and no kernel that runs later reads it at all. */
static bool in_place(const struct call *call, int r, int input)
{
    return tensors_same(&call->outputs[r], &call->inputs[input]) && !call->plan->viewed[input] &&
           last_use(call->plan, TENSOR_INPUT, input) <= last_use(call->plan, TENSOR_RESULT, r);
}

static bool check_overlaps(struct call *call, int r)
{
    const struct program *program = call->typed->program;
    const struct tensor *output = &call->outputs[r];
    const char *name = program->results[r].name, *what = NULL;
    for (int i = 0; i < program->input_count && !what; i++)
        if (tensors_overlap(output, &call->inputs[i]) && !in_place(call, r, i))
            what = arena_printf(&call->arena, "input '%s'",
                                program->symbols[program->inputs[i]].name);
    for (int i = 0; i < r && !what; i++)
        if (tensors_overlap(output, &call->outputs[i]))
            what = arena_printf(&call->arena, "output '%s'", program->results[i].name);
    return !what || diag_at(&call->diags, DIAG_OVERLAP, NULL, 0, name, what);
}

/* ---- prepare and run ---- */

static bool find_plan(struct call *call, const struct weft_run_params *params, bool needs_data)
{
    call->inputs = read_arguments(call, params->inputs, params->input_count, false, needs_data);
    if (call->diags.errors || !find_typed(call))
        return false;
    if (params->output_count || needs_data)
        call->outputs = read_arguments(call, params->outputs, params->output_count, true, needs_data);
    if (call->diags.errors || (call->outputs && !check_batches(call, params->outputs)))
        return false;
    if (call->batch)
        return false; /* each_sample */
    call->plan = plan_get(call->program, call->typed, call->inputs, call->outputs, !needs_data,
                          &call->diags);
    return call->plan != NULL;
}

static void *access_data(const struct call *call, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    switch (access->kind) {
    case TENSOR_INPUT: return call->inputs[access->index].data;
    case TENSOR_CONSTANT: return (void *)kernel->constants[access->index].data;
    case TENSOR_RESULT: return call->outputs[access->index].data;
    case TENSOR_BYTES: return call->plan->bytes;
    default: return call->temporaries + call->plan->temporaries[access->index];
    }
}

/* The place of the first remark in the text, of all kernels. */
static void remark(const struct launch *launch, struct span *place)
{
    const struct kernel *kernel = launch->planned->kernel;
    for (int f = 0; f < kernel->fault_count; f++)
        if (kernel->faults[f].start < place->start && launch_fault(launch, f))
            *place = kernel->faults[f];
}

static void set_up(struct call *call, const struct planned *planned, struct launch *launch)
{
    const struct kernel *kernel = planned->kernel;
    char **bases = ARENA_ARRAY(&call->arena, char *, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        bases[a] = access_data(call, kernel, a);
    launch_init(launch, call->program->context, &call->arena, planned, bases);
}

static void lend_temporaries(struct call *call)
{
    size_t size = call->plan->temporary_bytes;
    char *memory = size ? arena_alloc(&call->arena, size + TEMPORARY_ALIGNMENT) : NULL;
    call->temporaries = size ? memory + -(uintptr_t)memory % TEMPORARY_ALIGNMENT : NULL;
}

static void run(struct call *call, const struct weft_run_params *params)
{
    bool recent = (call->program->context->fast & FAST_CALL) && recent_find(call, params);
    if (!recent && !find_plan(call, params, true))
        return;
    for (int r = 0; r < call->typed->program->result_count; r++)
        check_overlaps(call, r);
    if (call->diags.errors)
        return;
    if (!recent)
        recent_keep(call, params);
    int count = call->plan->kernel_count;
    struct launch *launches = ARENA_ARRAY(&call->arena, struct launch, count);
    struct span place = {UINT32_MAX, UINT32_MAX};
    lend_temporaries(call);
    for (int k = 0; k < count; k++)
        set_up(call, &call->plan->kernels[k], &launches[k]);
    for (int k = 0; k < count; k++) {
        launch_run(&launches[k], call->program->context);
        remark(&launches[k], &place);
    }
    if (place.start != UINT32_MAX)
        diag(&call->diags, DIAG_ZERO_DIVISOR, place);
}

/* The remark goes to the caller of weft_run, not to the log. */
static enum weft_status close_run(struct call *call, struct weft_error **error)
{
    enum weft_status status = diags_status(&call->diags);
    if (status == WEFT_OK && call->diags.warnings)
        status = WEFT_DIVIDE_BY_ZERO;
    if (error)
        *error = diags_export(&call->diags, WEFT_WARNING);
    call_drop(call);
    return status;
}

static void prepare(struct call *call, const struct weft_run_params *params,
                    struct weft_kernel_info *kernels, size_t *kernel_count)
{
    size_t room = kernels && kernel_count ? *kernel_count : 0;
    if (!find_plan(call, params, false))
        return;
    pthread_mutex_lock(&call->program->mutex);
    bool again = call->plan->reported;
    call->plan->reported = true;
    pthread_mutex_unlock(&call->program->mutex);
    for (int k = 0; k < call->plan->kernel_count; k++) {
        const struct planned *planned = &call->plan->kernels[k];
        struct weft_kernel_info info = call->plan->infos[k];
        kernels_settle(call->program->context, planned->loaded, &info);
        if (again)
            info = (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
        info.threads = launch_threads(call->program->context, planned);
        if ((size_t)k < room)
            kernels[k] = info;
    }
    if (kernel_count)
        *kernel_count = (size_t)call->plan->kernel_count;
}

/* Where prepare puts what it found; NULL when it is not asked for. */
struct kernel_list {
    struct weft_kernel_info *kernels;
    size_t *count;
};

/* The arguments of sample `i` as tensors. */
static struct weft_argument *one_sample(struct call *call, const struct weft_argument *arguments,
                                        size_t count, int64_t i)
{
    struct weft_argument *single = ARENA_ARRAY(&call->arena, struct weft_argument, count);
    for (size_t a = 0; a < count; a++) {
        single[a] = arguments[a];
        single[a].tensors += arguments[a].batch ? i : 0;
        single[a].batch = false;
        single[a].count = 1;
    }
    return single;
}

static enum weft_status perform(struct weft_program *program, const struct weft_run_params *params,
                                const struct kernel_list *list, struct weft_error **error);

/* A batch, one sample after the other. */
static enum weft_status each_sample(struct call *call, const struct weft_run_params *params,
                                    const struct kernel_list *list, struct weft_error **error)
{
    enum weft_status worst = WEFT_OK;
    for (int64_t i = 0; i < call->samples && worst >= 0; i++) {
        struct weft_run_params single = *params;
        struct weft_error *found = NULL;
        single.inputs = one_sample(call, params->inputs, params->input_count, i);
        single.outputs = one_sample(call, params->outputs, params->output_count, i);
        enum weft_status status = perform(call->program, &single, list, &found);
        if (status != WEFT_OK && (worst == WEFT_OK || status < 0)) {
            worst = status;
            if (error) {
                weft_error_destroy(*error);
                *error = found;
                continue;
            }
        }
        weft_error_destroy(found);
    }
    return worst;
}

/* weft_prepare with a list, weft_run without. */
static enum weft_status perform(struct weft_program *program, const struct weft_run_params *params,
                                const struct kernel_list *list, struct weft_error **error)
{
    if (!program || !params || (params->input_count && !params->inputs) ||
        (params->output_count && !params->outputs))
        return invalid_call(error, "a run needs a program and its tensors, found NULL");
    struct call call;
    _Alignas(16) char room[CALL_ROOM];
    jmp_buf env;
    int saved = errno;
    enum weft_status status;
    if (error)
        *error = NULL;
    call_open(&call, program, room);
    if (ARENA_GUARD(&call.arena, env)) {
        status = WEFT_OUT_OF_MEMORY;
        call_drop(&call);
    } else {
        if (list)
            prepare(&call, params, list->kernels, list->count);
        else
            run(&call, params);
        if (call.batch && !call.diags.errors) {
            status = each_sample(&call, params, list, error);
            call_drop(&call);
        } else {
            status = close_run(&call, error);
        }
    }
    log_untold(program->context);
    errno = saved;
    return status;
}

enum weft_status weft_prepare(struct weft_program *program, const struct weft_run_params *params,
                              struct weft_kernel_info *kernels, size_t *kernel_count,
                              struct weft_error **error)
{
    const struct kernel_list list = {kernels, kernel_count};
    return perform(program, params, &list, error);
}

enum weft_status weft_run(struct weft_program *program, const struct weft_run_params *params,
                          struct weft_error **error)
{
    return perform(program, params, NULL, error);
}
