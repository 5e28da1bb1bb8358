/* The record of a call; see recent_call_impl.h. It is made once for a plan, by the first run that uses it, and
 * never changes. */
#include "runtime/run/recent_call_impl.h"

#include <stddef.h>
#include <string.h>

/* The members of a DLTensor that stand together between its address and its shape, to be compared at once. */
struct kind {
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
};
_Static_assert(offsetof(DLTensor, ndim) - offsetof(DLTensor, device) == offsetof(struct kind, ndim) &&
                   offsetof(DLTensor, dtype) - offsetof(DLTensor, device) == offsetof(struct kind, dtype) &&
                   sizeof(struct kind) == sizeof(DLDevice) + sizeof(int32_t) + sizeof(DLDataType),
               "the members of a DLTensor stand elsewhere");

/* How a tensor was given. */
struct look {
    const char *name;              /* a copy; NULL: given by position */
    size_t argument;               /* its index among the inputs or the outputs */
    struct kind kind;
    bool strides;                  /* strides were given */
    unsigned char mask, rest;      /* the bits of its address that matter, and what they are: it is aligned, and on a
                                      GPU lies as far from a multiple of 16 */
};

struct recent {
    struct plan *plan;
    bool staged;                   /* as in struct call */
    size_t input_count, output_count;
    struct look *looks;            /* inputs, then outputs, by position */
    struct tensor *tensors;        /* likewise, as if their data were at address 0 */
};

static bool same_extents(const struct tensor *tensor, const DLTensor *from)
{
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] != from->shape[d])
            return false;
    for (int d = 0; from->strides && d < tensor->rank; d++)
        if (tensor->strides[d] != from->strides[d] && tensor->shape[d] > 1)
            return false;
    return true;
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_look(const struct look *look, const struct weft_argument *argument, const struct tensor *tensor)
{
    const DLTensor *from = argument->tensors;
    return from && !argument->batch && (uint64_t)argument->count <= 1 &&
           memcmp((const char *)from + offsetof(DLTensor, device), &look->kind, sizeof look->kind) == 0 &&
           (from->strides != NULL) == look->strides && (from->shape || tensor->rank == 0) &&
           same_name(argument->name, look->name) && same_extents(tensor, from);
}

/* Sets the tensor's address. False where tensor_read could report something, or another plan may be needed. Sums that
 * do not fit the memory's addresses come out on the wrong side of what was added to. */
static bool place(const struct look *look, const DLTensor *from, struct tensor *tensor)
{
    const uintptr_t begin = (uintptr_t)from->data, data = begin + from->byte_offset;
    tensor->data = (void *)data;
    tensor->first += data;
    tensor->end += data;
    if (!begin || data < begin || tensor->first > data || tensor->end < data || (data & look->mask) != look->rest)
        return false;
    return !tensor->numbers || numbers_same(tensor);
}

static bool place_all(const struct recent *recent, const struct weft_run_params *params, struct tensor *tensors)
{
    const struct look *looks = recent->looks;
    const size_t inputs = recent->input_count, count = inputs + recent->output_count;
    for (size_t i = 0; i < count; i++) {
        const struct weft_argument *argument = &(i < inputs ? params->inputs : params->outputs)[looks[i].argument];
        if (!same_look(&looks[i], argument, &tensors[i]) || !place(&looks[i], argument->tensors, &tensors[i]))
            return false;
    }
    return true;
}

bool recent_find(struct call *call, const struct weft_run_params *params)
{
    struct weft_program *program = call->program;
    pthread_mutex_lock(&program->mutex);
    const struct recent *recent = program->recent;
    if (recent)
        recent->plan->users++;
    pthread_mutex_unlock(&program->mutex);
    if (!recent)
        return false;
    call->plan = recent->plan; /* released at the end of the call */
    size_t inputs = recent->input_count, outputs = recent->output_count;
    struct tensor *tensors =
        arena_copy(&call->arena, recent->tensors, (inputs + outputs) * sizeof *tensors);
    if (params->input_count == inputs && params->output_count == outputs &&
        place_all(recent, params, tensors)) {
        call->typed = call->plan->typed;
        call->device = call->plan->device;
        call->staged = recent->staged;
        call->inputs = tensors;
        call->outputs = tensors + inputs;
        return true;
    }
    call->plan = NULL;
    plan_release(recent->plan);
    return false;
}

/* ---- recording ---- */

static void keep(struct arena *arena, const struct weft_argument *arguments,
                 const struct tensor *tensors, size_t count, struct look *looks, struct tensor *kept)
{
    for (size_t i = 0; i < count; i++) {
        const struct tensor *tensor = &tensors[i];
        size_t extents = (size_t)tensor->rank * sizeof(int64_t);
        const struct weft_argument *argument = &arguments[tensor->given - 1];
        const DLTensor *from = argument->tensors;
        size_t length = argument->name ? strlen(argument->name) : 0;
        looks[i] = (struct look){.name = argument->name ? arena_string(arena, argument->name, length) : NULL,
                                 .argument = tensor->given - 1, .kind = {from->device, from->ndim, from->dtype},
                                 .strides = from->strides != NULL, .mask = tensor_mask(tensor)};
        looks[i].rest = (unsigned char)((uintptr_t)tensor->data & looks[i].mask);
        kept[i] = *tensor;
        kept[i].shape = arena_copy(arena, tensor->shape, extents);
        kept[i].strides = arena_copy(arena, tensor->strides, extents);
        if (tensor->number_count)
            kept[i].numbers = arena_copy(arena, tensor->numbers,
                                         (size_t)tensor->number_count * sizeof *tensor->numbers);
        kept[i].first -= (uintptr_t)tensor->data;
        kept[i].end -= (uintptr_t)tensor->data;
        kept[i].data = NULL;
    }
}

/* NULL: out of memory; the next run tries again. */
static struct recent *make(const struct call *call, const struct weft_run_params *params)
{
    struct plan *plan = call->plan;
    struct arena *arena = &plan->own;
    size_t inputs = params->input_count, count = inputs + params->output_count;
    jmp_buf env;
    if (ARENA_GUARD(arena, env))
        return NULL;
    struct recent *recent = ARENA_NEW(arena, struct recent);
    *recent = (struct recent){plan, call->staged, inputs, params->output_count,
                              ARENA_ARRAY(arena, struct look, count),
                              ARENA_ARRAY(arena, struct tensor, count)};
    keep(arena, params->inputs, call->inputs, inputs, recent->looks, recent->tensors);
    keep(arena, params->outputs, call->outputs, params->output_count, recent->looks + inputs,
         recent->tensors + inputs);
    return recent;
}

void recent_keep(struct call *call, const struct weft_run_params *params)
{
    if (params->input_count != (size_t)call->program->parsed->input_count)
        return;                    /* some are ignored */
    pthread_mutex_lock(&call->program->mutex);
    if (!call->plan->recent)
        call->plan->recent = make(call, params);
    call->program->recent = call->plan->recent;
    pthread_mutex_unlock(&call->program->mutex);
}
