/* See gpu_plan.h. Nothing is allocated from an arena while a context is current: that might jump. Equal
 * bytes are on a GPU once, whoever wants them, and stay as long as the weft_context: nobody can tell when
 * the last kernel or graph that reads them is gone. */
#include "runtime/plan/plan.h"

#include <string.h>

/* False with a diagnostic. */
static bool place(struct cuda_device *device, struct cuda_source *source, struct diags *diags)
{
    int errors = diags->errors;
    if (source->bytes)
        source->address = cuda_constant(device, source->data, source->bytes, diags);
    return diags->errors == errors;
}

static struct cuda_source constant_source(const struct plan *plan, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    if (access->kind == TENSOR_BYTES)
        return (struct cuda_source){plan->bytes, TABLE_ENTRIES, 0};
    if (access->kind != TENSOR_CONSTANT)
        return (struct cuda_source){.data = NULL};
    const struct constant *constant = &kernel->constants[access->index];
    return (struct cuda_source){constant->data, constant->bytes, 0};
}

static struct cuda_source map_source(struct arena *arena, const struct planned *planned, int a)
{
    if (!cuda_is_mapped(planned, a))
        return (struct cuda_source){.data = NULL};
    size_t count = cuda_map_words(planned, a);
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, count);
    cuda_write_map(planned, a, words);
    return (struct cuda_source){words, count * sizeof *words, 0};
}

static struct cuda_source literal_source(struct arena *arena, const struct planned *planned)
{
    const struct form *form = &planned->emitted->form;
    if (!form->apart)
        return (struct cuda_source){.data = NULL};
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, form->literals);
    cuda_write_literals(planned, words);
    return (struct cuda_source){words, (size_t)form->literals * sizeof *words, 0};
}

static bool is_resident(const struct cuda_source *source)
{
    return !source->bytes || source->address;
}

/* NULL where they are no values, or some source comes with each run. */
static uint64_t *make_words(struct arena *arena, const struct planned *planned)
{
    const struct cuda_planned *cuda = planned->cuda;
    const struct form *form = &planned->emitted->form;
    bool resident = !form->many && is_resident(&cuda->literals);
    uint64_t *none = ARENA_ARRAY(arena, uint64_t, form->accesses);
    uint64_t *maps = ARENA_ARRAY(arena, uint64_t, form->accesses);
    for (int a = 0; a < form->accesses; a++) {
        resident = resident && is_resident(&cuda->constants[a]) && is_resident(&cuda->maps[a]);
        maps[a] = cuda->maps[a].address;
    }
    if (!resident)
        return NULL;
    const struct launch_words launch = {.tiles = planned->tiles, .bases = none, .maps = maps,
                                   .literals_address = cuda->literals.address};
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, form_args_words(form));
    cuda_write_args(planned, &launch, words);
    return words;
}

/* What the kernel reads, still on the host. */
static void gather(struct plan *plan, struct planned *planned)
{
    struct arena *arena = &plan->own;
    int count = planned->kernel->access_count;
    struct cuda_planned *cuda = planned->cuda = ARENA_NEW(arena, struct cuda_planned);
    cuda->constants = ARENA_ARRAY(arena, struct cuda_source, count);
    cuda->maps = ARENA_ARRAY(arena, struct cuda_source, count);
    for (int a = 0; a < count; a++) {
        cuda->constants[a] = constant_source(plan, planned->kernel, a);
        cuda->maps[a] = map_source(arena, planned, a);
    }
    cuda->literals = literal_source(arena, planned);
}

/* The context is current. False with a diagnostic. */
static bool place_all(struct weft_context *context, struct plan *plan, const struct planned *planned,
                      const struct source *source, struct diags *diags)
{
    struct cuda_planned *cuda = planned->cuda;
    const struct kernel *kernel = planned->kernel;
    for (int a = 0; a < kernel->access_count; a++)
        if (!place(plan->gpu, &cuda->constants[a], diags) || !place(plan->gpu, &cuda->maps[a], diags))
            return false;
    if (!place(plan->gpu, &cuda->literals, diags))
        return false;
    if (!kernel->fault_count)
        return true;
    cuda->site = remarks_site(&context->remarks, source, kernel, diags);
    return cuda->site && cuda_pinned_reserve(plan->gpu, (size_t)kernel->fault_count, diags);
}

bool cuda_plan(struct weft_context *context, struct plan *plan, const struct source *source,
               struct diags *diags)
{
    for (int k = 0; k < plan->kernel_count; k++)
        gather(plan, &plan->kernels[k]);
    bool good = cuda_enter(plan->gpu, diags);
    if (!good)
        return false;
    for (int k = 0; good && k < plan->kernel_count; k++)
        good = place_all(context, plan, &plan->kernels[k], source, diags);
    cuda_leave(plan->gpu);
    for (int k = 0; good && k < plan->kernel_count; k++)
        plan->kernels[k].cuda->words = make_words(&plan->own, &plan->kernels[k]);
    return good;
}
