/* Implements pipeline.h. */
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

/* The program of kernels while it is made. */
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

/* The shape, or an example of it in numbers where it is open; NULL if there is no example. */
static const struct shape *in_numbers(const struct building *b, const struct shape *shape)
{
    const struct open_extents *open = b->p->open;
    return open ? open->example(open->user, shape) : shape;
}

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

static struct lower_params lower_params(const struct building *b)
{
    const bool asks = program_asks_shapes(b->p->program);
    return (struct lower_params){b->p->program, asks ? b->p->shapes : NULL, b->reduced, b->p->diags};
}

/* The kernel of results of one shape. Where lowering asks for no shape, it is done once for all
 * plans. NULL with a diagnostic. */
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

/* The shapes, in numbers, of what a kernel reads. NULL where one is not known. */
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

/* Where extents are open, finds the iteration space of a materialized kernel: the shape to which its loads broadcast.
 * The temporaries that it stores get that shape. */
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

/* Takes costly values that vary less out of a kernel. Returns what is left of it. */
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
        add_kernel(b->into, narrowed(b, kernel), p->open ? join_loads(b, kernel) : hoisted.parts[k].shape, order);
    }
    return rest;
}

/* ---- reductions ---- */

/* Adds the kernels of a reduction: first one that computes what is reduced, over dimensions that are all reduced;
 * reduce() then makes it parallel and adds the kernels that join. False with a diagnostic. */
static bool add_reduction(struct building *b, int n)
{
    struct kernel_program *into = b->into;
    const struct program *program = b->p->program;
    const struct node *node = &program->nodes[n];
    const int operand = program->operands[node->operands];
    const struct shape *space = b->p->shapes[operand];
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const struct lower_params params = lower_params(b);
    const int values = add_temporary(into, compute, space);
    struct kernel *whole = lower_value(b->p->arena, &params, operand, compute, values);
    if (!whole)
        return false;
    add_kernel(into, narrowed(b, materialize(b, whole, space, 0)), space, 0);
    struct program_kernel *kernel = &into->kernels[into->count - 1];
    b->reduced[n] = add_temporary(into, node->dtype, ARENA_NEW(b->p->arena, struct shape));
    kernel->reduced = space->rank < 32 ? (1u << space->rank) - 1 : ~0u;
    kernel->reduce = (struct reduce){node->reduction, compute, node->dtype, b->reduced[n], node->token};
    reduce(into, into->count - 1);
    return true;
}

/* Finds the nodes that the wanted results need. */
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

/* ---- the pass ---- */

/* Adds the kernels of results of one shape. False with a diagnostic. */
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
    ARENA_PUSH(p->arena, b->results, b->result_count, ((struct program_kernel){.kernel = rest, .space = space, .order = order}));
    return true;
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

bool pipeline_kernels(const struct pipeline *p, struct kernel_program *into)
{
    struct building b = {.p = p, .into = into};
    *into = (struct kernel_program){.arena = p->arena, .program = p->program, .open = p->open};
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
        add_kernel(into, b.results[i].kernel, b.results[i].space, b.results[i].order);
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
