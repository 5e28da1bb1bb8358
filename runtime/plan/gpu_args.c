/* Writes the arguments of kernels on GPUs (gpu_args.h), and makes what a plan keeps there (gpu_plan.h). Equal bytes are
 * on a GPU once and stay as long as the weft_context, because nobody can tell when the last kernel or graph that reads
 * them is done. Nothing is allocated from an arena while a context is current: a failure would jump past cuda_leave. */
#include "runtime/plan/plan.h"

#include <string.h>

static const struct form *form_of(const struct planned *planned)
{
    return &planned->emitted->form;
}

/* ---- arguments ---- */

#define SHARED static
#define FORM struct form
#include "templates/shared/launch_args.c"

unsigned cuda_blocks(const struct planned *planned, int64_t tiles, int processors)
{
    const unsigned blocks = count_blocks(form_of(planned), tiles);
    const unsigned most = (unsigned)form_of(planned)->blocks * (unsigned)processors;
    return most && blocks > most ? most : blocks;
}

void cuda_write_geometry(const struct planned *planned, const uint64_t *maps, uint64_t *words)
{
    put_geometry(words, form_of(planned), &planned->walk, maps);
}

/* Whether chunks may be loaded and stored whole, and where tiles begin: `dense` of a sample. A reduction only loads
 * them, and they are parts of rows of lanes. */
static int64_t dense_word(const struct planned *planned, const uint64_t *bases)
{
    const bool reduces = form_of(planned)->reduces;
    const int count = reduces ? planned->kernel->load_count : planned->kernel->access_count;
    bool dense = reduces || rows_are_whole(form_of(planned), &planned->walk);
    for (int a = 0; a < count; a++) {
        const int size = type_rows[planned->kernel->accesses[a].dtype].size;
        dense = dense && (planned->kinds[a] != ACCESS_UNIT ||
                          is_aligned(form_of(planned), &planned->walk, a, size, bases[a]));
    }
    return 2 * planned->peel + dense;
}

void cuda_write_sample(const struct planned *planned, int64_t first_tile, uint64_t geometry,
                       const uint64_t *bases, uint64_t *words)
{
    put_sample(words, form_of(planned), first_tile, dense_word(planned, bases), geometry, bases);
}

void cuda_write_args(const struct planned *planned, const struct launch_words *launch, uint64_t *words)
{
    struct launch_words all = *launch;
    all.literals = planned->literals;
    all.dense = form_of(planned)->many ? 0 : dense_word(planned, launch->bases);
    put_args(words, form_of(planned), &planned->walk, &all);
}

void cuda_change_args(const struct planned *planned, uint64_t faults, const uint64_t *bases, uint64_t *words)
{
    const struct form *form = form_of(planned);
    uint64_t *to = words + form_args_words(form) - form->accesses;
    words[1] = faults;
    *(to - form_geometry_words(form) - 1) = (uint64_t)dense_word(planned, bases);
    memcpy(to, bases, (size_t)form->accesses * sizeof *to);
}

/* ---- sources ---- */

/* Copies the bytes to the GPU. False with a diagnostic. */
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
    const long long *map = planned->walk.maps ? planned->walk.maps[a] : NULL;
    const bool bounded = planned->kinds[a] == ACCESS_BOUNDED;
    if (!map)
        return (struct cuda_source){.data = NULL};
    size_t count = map_words(map, bounded);
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, count);
    put_map(words, map, bounded, form_of(planned)->wide);
    return (struct cuda_source){words, count * sizeof *words, 0};
}

static struct cuda_source literal_source(const struct planned *planned)
{
    const size_t count = form_of(planned)->literals_loaded ? (size_t)form_of(planned)->literals : 0;
    return (struct cuda_source){planned->literals, count * sizeof *planned->literals, 0};
}

static bool is_resident(const struct cuda_source *source)
{
    return !source->bytes || source->address;
}

/* NULL: the arguments are not passed by value, or not all sources are resident. */
static uint64_t *make_words(struct arena *arena, const struct planned *planned)
{
    const struct cuda_planned *cuda = planned->cuda;
    const struct form *form = &planned->emitted->form;
    if (form->many || !cuda->resident)
        return NULL;
    uint64_t *none = ARENA_ARRAY(arena, uint64_t, form->accesses);
    uint64_t *maps = ARENA_ARRAY(arena, uint64_t, form->accesses);
    for (int a = 0; a < form->accesses; a++)
        maps[a] = cuda->maps[a].address;
    const struct launch_words launch = {.tiles = planned->tiles, .bases = none, .maps = maps,
                                   .literals_address = cuda->literals.address};
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, form_args_words(form));
    cuda_write_args(planned, &launch, words);
    return words;
}

/* Collects what the kernel reads, still in host memory. */
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
    cuda->literals = literal_source(planned);
}

/* The context must be current. False with a diagnostic. */
static bool place_all(struct weft_context *context, struct plan *plan, const struct planned *planned,
                      const struct source *source, struct diags *diags)
{
    struct cuda_planned *cuda = planned->cuda;
    const struct kernel *kernel = planned->kernel;
    if (!place(plan->gpu, &cuda->literals, diags))
        return false;
    cuda->resident = is_resident(&cuda->literals);
    for (int a = 0; a < kernel->access_count; a++) {
        if (!place(plan->gpu, &cuda->constants[a], diags) || !place(plan->gpu, &cuda->maps[a], diags))
            return false;
        cuda->resident = cuda->resident && is_resident(&cuda->constants[a]) && is_resident(&cuda->maps[a]);
    }
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
