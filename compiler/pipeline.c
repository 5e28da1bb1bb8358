/* See pipeline.h. */
#include "compiler/pipeline.h"

#include <assert.h>
#include <string.h>

/* ---- text, types, shapes ---- */

bool pipeline_parse(struct arena *arena, const struct source *source, struct diags *diags,
                    struct programs *programs)
{
    return parse(arena, source, diags, programs) && !diags->errors;
}

bool pipeline_check(struct program *program)
{
    bool good = check(program);
    assert(!good || !verify_program(program));
    return good;
}

bool pipeline_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes)
{
    return infer_shapes_of(arena, program, diags, inputs, contents, shapes);
}

bool pipeline_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                      const struct shape *const *shapes, const struct contents *contents, const char **layouts)
{
    return infer_layouts(arena, program, diags, shapes, contents, layouts);
}

/* ---- a program of kernels ---- */

/* The kernels while they are made. */
struct building {
    const struct pipeline *p;
    struct kernel_program *into;
    int *reduced;                  /* [node] the temporary that holds a reduction's value; -1: none */
    struct program_kernel *results; /* kernels that store results: they run last */
    int result_count;
};

static struct access_shapes shapes_of(const struct building *b)
{
    return (struct access_shapes){b->p->program, b->p->inputs, b->p->shapes, b->into->temporaries};
}

static struct kernel *narrowed(const struct building *b, struct kernel *kernel)
{
    return b->p->fast & FAST_NARROW ? narrow(b->p->arena, kernel) : kernel;
}

/* The shape with numbers; NULL where there are none. */
static const struct shape *in_numbers(const struct building *b, const struct shape *shape)
{
    const struct open_extents *open = b->p->open;
    return open ? open->example(open->user, shape) : shape;
}

static void add_kernel(struct building *b, struct kernel *kernel, const struct shape *space, int order)
{
    assert(!verify_kernel(kernel));
    ARENA_PUSH(b->p->arena, b->into->kernels, b->into->count, ((struct program_kernel){kernel, space, 0, order}));
}

/* NULL with a diagnostic. */
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

static struct lower_params lower_params(const struct building *b)
{
    const bool asks = program_asks_shapes(b->p->program);
    return (struct lower_params){b->p->program, asks ? b->p->shapes : NULL, b->reduced, b->p->diags};
}

/* Results of one shape; where lowering asks for no shape it is done once for all. NULL with a diagnostic. */
static const struct lowered *lower_results(const struct building *b, const int *results, int count)
{
    const struct pipeline *p = b->p;
    const struct lower_params params = lower_params(b);
    if (params.shapes || !p->store)
        return lower_both(p->arena, &params, results, count);
    const struct lowered *found = p->store->get(p->store->user, results, count);
    if (!found)
        arena_fail(p->arena);
    return found;
}

/* What a kernel reads has these shapes, in numbers; NULL where that is not known. */
static const struct shape *const *load_shapes(const struct building *b, const struct kernel *kernel,
                                              const struct shape *space)
{
    const struct access_shapes shapes = shapes_of(b);
    const struct shape **loads = ARENA_ARRAY(b->p->arena, const struct shape *, kernel->load_count + 1);
    for (int a = 0; a < kernel->load_count; a++) {
        const bool other = access_reinterprets(b->p->program, &kernel->accesses[a]);
        const struct shape *own = access_shape(&shapes, kernel, space, a);
        if (other && b->p->open)
            return NULL;
        loads[a] = other ? access_row(b->p->arena, &shapes, &kernel->accesses[a]) : in_numbers(b, own);
        if (!loads[a])
            return NULL;
    }
    return loads;
}

/* The iteration space of a materialized kernel: what its loads broadcast to. Temporaries that it stores have it. */
static const struct shape *join_loads(struct building *b, const struct kernel *kernel)
{
    const struct shape *space = ARENA_NEW(b->p->arena, struct shape);
    const struct access_shapes shapes = shapes_of(b);
    for (int a = 0; a < kernel->load_count; a++)
        space = b->p->open->join(b->p->open->user, space, access_shape(&shapes, kernel, space, a));
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        b->into->temporaries[kernel->accesses[a].index].shape = space;
    return space;
}

/* Takes costly values that vary less out of a kernel; returns what is left of it. */
static struct kernel *materialize(struct building *b, struct kernel *whole, const struct shape *space, int order)
{
    const struct pipeline *p = b->p;
    const struct shape *numbers = in_numbers(b, space);
    const struct shape *const *loads = numbers ? load_shapes(b, whole, space) : NULL;
    struct hoisted hoisted = {.temporaries = b->into->temporaries, .temporary_count = b->into->temporary_count};
    if (!loads)
        return whole;
    struct kernel *rest = hoist(p->arena, whole, numbers, loads, p->fast, p->target->launch, &hoisted);
    b->into->temporaries = hoisted.temporaries;
    b->into->temporary_count = hoisted.temporary_count;
    for (int k = 0; k < hoisted.count; k++) {
        struct kernel *kernel = hoisted.parts[k].kernel;
        add_kernel(b, narrowed(b, kernel), p->open ? join_loads(b, kernel) : hoisted.parts[k].shape, order);
    }
    return rest;
}

/* ---- reductions ---- */

static int add_temporary(struct building *b, enum weft_dtype dtype, const struct shape *shape)
{
    const struct temporary temporary = {dtype, shape};
    ARENA_PUSH(b->p->arena, b->into->temporaries, b->into->temporary_count, temporary);
    return b->into->temporary_count - 1;
}

static const struct shape *new_shape(const struct building *b, int rank, const int64_t *extents)
{
    struct shape *shape = ARENA_NEW(b->p->arena, struct shape);
    shape->rank = rank;
    memcpy(shape->extents, extents, (size_t)rank * sizeof *extents);
    return shape;
}
#define SHAPE(b, ...) \
    new_shape(b, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

static int64_t volume_of(const struct building *b, const struct shape *shape)
{
    const struct open_extents *open = b->p->open;
    return shape_known(shape) ? shape_volume(shape) : open->volume(open->user, shape);
}

/* Groups of `each` elements, at least 1, times `times`. */
static int64_t groups_of(const struct building *b, int64_t extent, int64_t each, int64_t times)
{
    const struct open_extents *open = b->p->open;
    const int64_t groups = extent > each ? extent / each + (extent % each > 0) : 1;
    return extent < 0 ? open->groups(open->user, extent, each, times) : groups * times;
}

/* How many rows of a block there are at most; all where the extent is open. */
static int block_rows(int64_t elements)
{
    const int most = REDUCE_BLOCK / REDUCE_LANES;
    return elements < 0 || elements >= REDUCE_BLOCK ? most : (int)(elements + REDUCE_LANES - 1) / REDUCE_LANES;
}

/* The elements of a temporary, [n], as lanes of blocks: a temporary [blocks, lanes]. */
static int reduce_blocks(struct building *b, const struct reduce *r, int from, const struct shape *own)
{
    const int64_t n = own->extents[0], blocks = groups_of(b, n, REDUCE_BLOCK, 1);
    struct reduce_rows rows = {.from = from, .before = -1, .own = own};
    rows.space = SHAPE(b, blocks, REDUCE_LANES);
    rows.rows = SHAPE(b, blocks, REDUCE_BLOCK / REDUCE_LANES, REDUCE_LANES);
    rows.padded = SHAPE(b, groups_of(b, n, REDUCE_BLOCK, REDUCE_BLOCK));
    for (int left = block_rows(n); left > 0; left -= REDUCE_STEP) {
        rows.to = add_temporary(b, r->dtype, rows.space);
        add_kernel(b, reduce_rows(r, &rows), rows.space, 0);
        rows.before = rows.to;
        rows.first += REDUCE_STEP;
    }
    return rows.before;
}

/* Blocks joined in pairs until one is left: of any number that memory holds, where it is open. */
static int reduce_pairs(struct building *b, const struct reduce *r, int from)
{
    enum { STEPS = 10 };           /* 16 ** 10 blocks */
    const struct shape *own = b->into->temporaries[from].shape;
    for (int step = 0; step < STEPS && own->extents[0] != 1; step++) {
        const int64_t groups = groups_of(b, own->extents[0], REDUCE_STEP, 1);
        struct reduce_rows rows = {.from = from, .before = -1, .own = own, .pairs = true};
        rows.space = SHAPE(b, groups, REDUCE_LANES);
        rows.rows = SHAPE(b, groups, REDUCE_STEP, REDUCE_LANES);
        rows.padded = SHAPE(b, groups_of(b, own->extents[0], REDUCE_STEP, REDUCE_STEP), REDUCE_LANES);
        rows.to = from = add_temporary(b, r->dtype, rows.space);
        add_kernel(b, reduce_rows(r, &rows), rows.space, 0);
        own = rows.space;
    }
    return from;
}

/* The kernel that stores what is reduced, all of whose dimensions are reduced dimensions, as kernels that are
 * parallel: false with a diagnostic. */
static bool add_reduction(struct building *b, int n)
{
    const struct program *program = b->p->program;
    const struct node *node = &program->nodes[n];
    const int operand = program->operands[node->operands];
    const struct shape *space = b->p->shapes[operand], *none = ARENA_NEW(b->p->arena, struct shape);
    const struct lower_params params = lower_params(b);
    const struct reduce r = {b->p->arena, program, node->reduction, type_rows[node->dtype].compute, node->token};
    const struct shape *flat = SHAPE(b, volume_of(b, space));
    const int values = add_temporary(b, r.dtype, flat);
    struct kernel *whole = lower_value(b->p->arena, &params, operand, r.dtype, values);
    if (!whole)
        return false;
    add_kernel(b, narrowed(b, materialize(b, whole, space, 0)), space, 0);
    b->reduced[n] = add_temporary(b, node->dtype, none);
    if (flat->extents[0] == 0) {
        add_kernel(b, reduce_nothing(&r, b->reduced[n], node->dtype), none, 0);
        return true;
    }
    const int lanes = reduce_pairs(b, &r, reduce_blocks(b, &r, values, flat));
    const bool open = flat->extents[0] < 0;
    add_kernel(b, reduce_lanes(&r, lanes, b->into->temporaries[lanes].shape, b->reduced[n], node->dtype, values,
                               open ? flat : NULL), none, 0);
    return true;
}

/* The nodes that the wanted results need. */
static bool *find_needed(const struct pipeline *p)
{
    const struct program *program = p->program;
    bool *needed = ARENA_ARRAY(p->arena, bool, program->node_count + 1);
    for (int r = 0; r < program->result_count; r++)
        needed[program->results[r].node] |= !p->taken || p->taken[r];
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        for (int i = 0; needed[n] && i < node->operand_count; i++)
            needed[program->operands[node->operands + i]] = true;
        if (needed[n] && symbol && symbol->kind == SYMBOL_BINDING)
            needed[symbol->node] = true;
    }
    return needed;
}

static bool add_reductions(struct building *b)
{
    const struct program *program = b->p->program;
    bool good = true;
    if (!program->reduction_count)
        return true;
    const bool *needed = find_needed(b->p);
    b->reduced = ARENA_ARRAY(b->p->arena, int, program->node_count);
    for (int n = 0; good && n < program->node_count; n++)
        if (needed[n] && program->nodes[n].kind == NODE_REDUCE)
            good = add_reduction(b, n);
    return good;
}

/* ---- all of it ---- */

/* The kernels of results of one shape; false with a diagnostic. */
static bool add_results(struct building *b, const int *results, int count)
{
    const struct pipeline *p = b->p;
    const struct shape *space = p->shapes[p->program->results[results[0]].node];
    const struct lowered *lowered = lower_results(b, results, count);
    if (!lowered)
        return false;
    const int order = b->result_count;
    struct kernel *rest = materialize(b, lowered->kernel, space, order);
    if (rest == lowered->kernel && p->fast & FAST_NARROW)
        rest = lowered->narrowed;
    else
        rest = narrowed(b, rest);
    ARENA_PUSH(p->arena, b->results, b->result_count, ((struct program_kernel){rest, space, 0, order}));
    return true;
}

/* The results of the shape that result `first` has; NULL where they have a kernel already. */
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

bool pipeline_kernels(const struct pipeline *p, struct kernel_program *into)
{
    struct building b = {.p = p, .into = into};
    *into = (struct kernel_program){.kernels = NULL};
    if (!add_reductions(&b))
        return false;
    for (int r = 0; r < p->program->result_count; r++) {
        int count;
        const int *results = same_shape(p, r, &count);
        if (results && !add_results(&b, results, count))
            return false;
    }
    into->first_result = into->count;
    for (int i = 0; i < b.result_count; i++)
        add_kernel(&b, b.results[i].kernel, b.results[i].space, b.results[i].order);
    return true;
}

/* ---- loops ---- */

bool pipeline_loop(struct arena *arena, const struct loop_params *params, struct loop *loop,
                   const struct access **wrong)
{
    const struct kernel *kernel = params->kernel;
    const struct shape *space = params->space;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    if (!make_views(arena, &params->shapes, &params->operands, kernel, params->maps, space, views, wrong))
        return false;
    make_geometry(arena, kernel, space->rank, space->extents, views, params->fast, params->target->chunks,
                  &loop->geometry);
    if (params->target->chunks)
        make_form(kernel, &loop->geometry, params->many, &loop->form);
    else
        block_form(kernel, &loop->form);
    assert(!verify_geometry(kernel, &loop->geometry));
    return true;
}

char *pipeline_text(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
                    size_t *scratch)
{
    return emit(arena, kernel, params, scratch);
}
