/* Implements pipeline.h. */
#include "compiler/pipeline/pipeline_impl.h"

#include <assert.h>
#include <string.h>

/* ---- text, types, shapes ---- */

static bool pass_parse(struct pipeline *p)
{
    return parse(p->arena, p->source, p->diags, &p->programs) && !p->diags->errors;
}

static bool pass_check(struct pipeline *p)
{
    bool good = check(p->parsed);
    assert(!good || !verify_program(p->parsed));
    return good;
}

static bool pass_shapes(struct pipeline *p)
{
    return infer_shapes(p->arena, p->program, p->diags, p->inputs, p->contents, p->shapes, p->views);
}

static bool pass_layouts(struct pipeline *p)
{
    return infer_layouts(p->arena, p->program, p->diags, p->shapes, p->contents, p->layouts);
}

/* ---- lowering ---- */

/* Lowers results without and with narrow integers. NULL with a diagnostic. */
static struct lowered *lower_both(struct arena *arena, const struct lower_params *params, const int *results,
                                  int count)
{
    struct lowered *made = ARENA_NEW(arena, struct lowered);
    made->kernel = lower(arena, params, results, count);
    made->narrowed = made->kernel ? narrow(arena, made->kernel) : NULL;
    return made->kernel ? made : NULL;
}

struct lowered *pipeline_lower(struct arena *arena, const struct program *program, const int *results, int count,
                               struct diags *diags)
{
    results = arena_copy(arena, results, (size_t)count * sizeof *results);
    return lower_both(arena, &(struct lower_params){.program = program, .diags = diags}, results, count);
}

struct lower_params lower_params(const struct pipeline *p)
{
    return (struct lower_params){p->program, program_asks_shapes(p->program) ? p->shapes : NULL, p->values, p->views,
                                 p->open != NULL, p->reduced, p->kernels.temporaries, p->diags, p->open, p->positions,
                                 p->position_count};
}

/* The kernel of results of one shape. Where lowering asks for no shape, it is done once for all
 * plans. NULL with a diagnostic. */
static const struct lowered *lower_results(const struct pipeline *p, const int *results, int count)
{
    const struct lower_params params = lower_params(p);
    if (params.shapes || p->program->number_arrays || !p->store)
        return lower_both(p->arena, &params, results, count);
    const struct lowered *found = p->store->get(p->store->user, results, count);
    if (!found)
        arena_fail(p->arena);
    return found;
}

enum joiner joiner_of(const struct pipeline *p)
{
    if (!p->target->reduce || !(p->fast & FAST_REDUCE))
        return JOIN_KERNELS;
    return p->target->chunks ? JOIN_THREADS : JOIN_TILES;
}

const struct shape *in_numbers(const struct pipeline *p, const struct shape *shape)
{
    return p->open ? p->open->example(p->open->user, shape) : shape;
}

/* The results with the shape of result `first`. NULL if it is not wanted, or if an earlier result has that shape. */
static const int *same_shape(const struct pipeline *p, int first, int *count)
{
    const struct program *program = p->program;
    const struct shape *shape = p->shapes[program->results[first].node];
    int *results = NULL;
    *count = 0;
    if (p->taken && !p->taken[first])
        return NULL;
    for (int r = 0; r < program->result_count; r++) {
        if ((p->taken && !p->taken[r]) || !shapes_equal(p->shapes[program->results[r].node], shape))
            continue;
        if (r < first)
            return NULL;
        ARENA_PUSH(p->arena, results, *count, r);
    }
    return results;
}

/* Results of equal shapes share a kernel. */
static bool pass_lower(struct pipeline *p)
{
    p->kernels = (struct kernel_program){.arena = p->arena, .program = p->program, .open = p->open};
    bool good = lower_temporaries(p);
    p->kernels.first_result = p->kernels.count;
    for (int r = 0; good && r < p->program->result_count; r++) {
        int count;
        const int *results = same_shape(p, r, &count);
        const struct lowered *lowered = results ? lower_results(p, results, count) : NULL;
        good = !results || lowered;
        if (lowered)
            add_kernel(&p->kernels, (struct program_kernel){
                .kernel = lowered->kernel, .narrowed = lowered->narrowed,
                .space = p->shapes[p->program->results[r].node], .order = p->kernels.count - p->kernels.first_result});
    }
    return good;
}

/* ---- materializing ---- */

static struct access_shapes shapes_of(const struct pipeline *p)
{
    return (struct access_shapes){p->program, p->inputs, p->shapes, p->kernels.temporaries};
}

/* The shapes, in numbers, of what a kernel reads. NULL where one is not known. */
static const struct shape *const *load_shapes(const struct pipeline *p, const struct kernel *kernel,
                                              const struct shape *space)
{
    const struct access_shapes shapes = shapes_of(p);
    const struct shape **loads = ARENA_ARRAY(p->arena, const struct shape *, kernel->load_count + 1);
    for (int a = 0; a < kernel->load_count; a++) {
        const bool other = access_reinterprets(p->program, &kernel->accesses[a]);
        const struct shape *own = access_shape(&shapes, kernel, space, a);
        if (other && p->open)
            return NULL;
        loads[a] = other ? access_row(p->arena, &shapes, &kernel->accesses[a]) : in_numbers(p, own);
        if (!loads[a])
            return NULL;
    }
    return loads;
}

/* Where extents are open, finds the iteration space of a materialized kernel: the shape to which its loads broadcast.
 * The temporaries that it stores get that shape. */
static const struct shape *join_loads(struct pipeline *p, const struct kernel *kernel)
{
    const struct shape *space = ARENA_NEW(p->arena, struct shape);
    const struct access_shapes shapes = shapes_of(p);
    for (int a = 0; a < kernel->load_count; a++)
        space = p->open->join(p->open->user, space, access_shape(&shapes, kernel, space, a));
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        p->kernels.temporaries[kernel->accesses[a].index].shape = space;
    return space;
}

/* Takes costly values that vary less out of a kernel, and adds kernels for them. */
static void take_costly(struct pipeline *p, struct program_kernel *whole)
{
    struct kernel_program *into = &p->kernels;
    const struct shape *numbers = in_numbers(p, whole->space);
    const struct shape *const *loads = numbers ? load_shapes(p, whole->kernel, whole->space) : NULL;
    struct materialized materialized = {.temporaries = into->temporaries, .temporary_count = into->temporary_count};
    if (!loads)
        return;
    struct kernel *rest =
        materialize(p->arena, whole->kernel, numbers, loads, p->fast, p->target->launch, &materialized);
    into->temporaries = materialized.temporaries;
    into->temporary_count = materialized.temporary_count;
    for (int k = materialized.count - 1; k >= 0; k--) {
        struct kernel *kernel = materialized.kernels[k].kernel;
        add_kernel(into, (struct program_kernel){
            .kernel = kernel, .space = p->open ? join_loads(p, kernel) : materialized.kernels[k].shape,
            .order = whole->order});
    }
    whole->narrowed = rest == whole->kernel ? whole->narrowed : NULL;
    whole->kernel = rest;
}

/* The kernels, to be added once more with others between them. */
static struct kernel_program take_kernels(struct pipeline *p)
{
    const struct kernel_program taken = p->kernels;
    p->kernels.kernels = NULL;
    p->kernels.count = 0;
    return taken;
}

static bool pass_materialize(struct pipeline *p)
{
    const struct kernel_program before = take_kernels(p);
    for (int k = 0; k < before.count; k++) {
        take_costly(p, &before.kernels[k]);
        if (k < before.first_result)
            add_kernel(&p->kernels, before.kernels[k]);
    }
    p->kernels.first_result = p->kernels.count;
    for (int k = before.first_result; k < before.count; k++)
        add_kernel(&p->kernels, before.kernels[k]);
    return true;
}

/* ---- narrowing, splitting, reducing ---- */

static bool pass_narrow(struct pipeline *p)
{
    for (int k = 0; p->fast & FAST_NARROW && k < p->kernels.count; k++) {
        struct program_kernel *kernel = &p->kernels.kernels[k];
        kernel->kernel = kernel->narrowed ? kernel->narrowed : narrow(p->arena, kernel->kernel);
    }
    return true;
}

static bool pass_split(struct pipeline *p)
{
    if (p->open || !(p->fast & FAST_SPLIT))
        return true;
    const struct kernel_program before = take_kernels(p);
    for (int k = 0; k < before.count; k++)
        if (k < before.first_result)
            add_kernel(&p->kernels, before.kernels[k]);
        else
            split_kernel(&p->kernels, &before.kernels[k]);
    return true;
}

static bool pass_reduce(struct pipeline *p)
{
    const struct kernel_program before = take_kernels(p);
    for (int k = 0; k < before.count; k++) {
        if (k == before.first_result)
            p->kernels.first_result = p->kernels.count;
        add_kernel(&p->kernels, before.kernels[k]);
        if (before.kernels[k].reduce)
            reduce(&p->kernels, p->kernels.count - 1, joiner_of(p));
    }
    if (joiner_of(p) != JOIN_KERNELS && !p->open)
        store_results(&p->kernels, p->dense);
    if (joiner_of(p) == JOIN_TILES && !p->open)
        sort_reductions(&p->kernels);
    return true;
}

/* ---- all passes ---- */

bool pipeline_run(struct pipeline *p, enum pass first, enum pass last)
{
    static bool (*const passes[PASS_COUNT])(struct pipeline *p) = {
        [PASS_PARSE] = pass_parse,
        [PASS_CHECK] = pass_check,
        [PASS_SHAPES] = pass_shapes,
        [PASS_LAYOUTS] = pass_layouts,
        [PASS_LOWER] = pass_lower,
        [PASS_MATERIALIZE] = pass_materialize,
        [PASS_NARROW] = pass_narrow,
        [PASS_SPLIT] = pass_split,
        [PASS_REDUCE] = pass_reduce,
    };
    bool good = true;
    for (int at = first; good && at <= (int)last; at++)
        good = passes[at](p);
    return good;
}

/* ---- loops ---- */

/* The addresses of the accesses, modulo 16. Memory of Weft's own is aligned. */
static const unsigned char *misalignments(struct arena *arena, const struct loop_params *params)
{
    const struct kernel *kernel = params->kernel;
    unsigned char *all = ARENA_ARRAY(arena, unsigned char, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct operands *operands = &params->operands;
        if (access->kind == TENSOR_INPUT)
            all[a] = (unsigned char)operands->inputs[access->index].misalignment;
        else if (access->kind == TENSOR_RESULT && operands->results)
            all[a] = (unsigned char)operands->results[access->index].misalignment;
    }
    return all;
}

bool pipeline_loop(struct arena *arena, const struct loop_params *params, struct loop *loop,
                   const struct access **wrong)
{
    const struct kernel *kernel = params->kernel;
    const struct shape *space = params->space;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    if (!make_views(arena, &params->shapes, &params->operands, kernel, params->maps, space, views, wrong))
        return false;
    const struct lane_tiles *lanes = kernel->lanes ? &kernel->lanes->tiles : NULL;
    const bool threads = lanes && kernel->lanes->threads.threads;
    /* rows hold one point */
    const unsigned apart = lanes && (lanes->points > 1 || threads) ? FAST_FLAT | FAST_EXPAND : 0;
    make_geometry(arena, kernel, space->rank, space->extents, views, params->fast & ~apart, params->target->chunks,
                  &loop->geometry);
    if (lanes && loop->geometry.volume)
        loop->geometry.tiling.tiles =
            (lanes->points + lanes->together - 1) / lanes->together * lanes->windows * lanes->chunks;
    for (int a = 0; a < kernel->load_count; a++)
        if (access_by_value(params->shapes.program, params->operands.inputs, &kernel->accesses[a]))
            loop->geometry.kinds[a] = ACCESS_VALUE;
    if (params->target->chunks) {
        make_form(kernel, &loop->geometry, params->tuning, params->many, &loop->form);
        if (params->placed)
            align_chunks(kernel, misalignments(arena, params), &loop->geometry, &loop->form);
    } else {
        block_form(kernel, &loop->form);
    }
    assert(!verify_geometry(kernel, &loop->geometry));
    return true;
}
