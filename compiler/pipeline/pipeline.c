/* Implements pipeline.h. */
#include "compiler/pipeline/pipeline.h"

#include <assert.h>
#include <string.h>

/* ---- text, types, shapes ---- */

static bool pass_parse(struct pipeline *p)
{
    return parse(p->arena, p->source, p->diags, &p->programs) && !p->diags->errors;
}

static bool pass_names(struct pipeline *p)
{
    return match_names(p->arena, &p->parsed, p->diags, p->last);
}

static bool pass_check(struct pipeline *p)
{
    return check(p->parsed);
}

static bool pass_shapes(struct pipeline *p)
{
    return infer_shapes(p->arena, p->program, p->diags, p->inputs, p->contents, NULL, p->shapes, p->views) &&
           check_results(p->arena, p->program, p->diags, p->inputs, NULL, p->shapes);
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
    made->narrowed = made->kernel ? narrow(arena, made->kernel, params->temporaries) : NULL;
    return made->kernel ? made : NULL;
}

struct lowered *pipeline_lower(struct arena *arena, const struct program *program, const int *results, int count,
                               struct diags *diags)
{
    results = arena_copy(arena, results, (size_t)count * sizeof *results);
    return lower_both(arena, &(struct lower_params){.program = program, .diags = diags}, results, count);
}

/* The kernel of results of one shape. Where lowering asks for no shape, it is done once for all
 * plans. NULL with a diagnostic. */
static const struct lowered *lower_results(const struct pipeline *p, const int *results, int count)
{
    const struct lower_params params = lower_params(&p->lowering);
    if (params.shapes || p->program->number_arrays || !p->store)
        return lower_both(p->arena, &params, results, count);
    const struct lowered *found = p->store->get(p->store->user, results, count);
    if (!found)
        arena_fail(p->arena);
    return found;
}

/* How the target's kernels join what is reduced. */
static enum joiner joiner_of(const struct pipeline *p)
{
    if (!p->target->reduce || !(p->fast & FAST_REDUCE))
        return JOIN_KERNELS;
    return p->target->chunks ? JOIN_THREADS : JOIN_TILES;
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

static bool pass_reductions(struct pipeline *p)
{
    p->kernels = (struct kernel_program){.arena = p->arena, .program = p->program, .open = p->open};
    p->lowering = (struct lowering){p->arena, p->diags, p->program, p->values, p->shapes, p->views, p->taken, p->fast,
                                    p->row_bytes, joiner_of(p), p->operands ? p->operands->inputs : NULL, p->open,
                                    p->batches, p->target->launch, p->most_orders ? p->most_orders : MOST_ORDERS,
                                    p->apart, &p->kernels};
    const bool good = lower_temporaries(&p->lowering);
    p->kernels.first_result = p->kernels.count;
    return good;
}

/* Results of equal shapes share a kernel. */
static bool pass_lower(struct pipeline *p)
{
    bool good = true;
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
        loads[a] = other ? access_row(p->arena, &shapes, &kernel->accesses[a]) : in_numbers(p->open, own);
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
    int clash;                     /* none: they did broadcast */
    for (int a = 0; a < kernel->load_count; a++)
        space = shape_join(p->arena, p->open, space, access_shape(&shapes, kernel, space, a),
                           p->program->results[0].span, &clash);
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        p->kernels.temporaries[kernel->accesses[a].index].shape = space;
    return space;
}

/* Takes costly values that vary less out of a kernel, and adds kernels for them. */
static void take_costly(struct pipeline *p, struct program_kernel *whole)
{
    struct kernel_program *into = &p->kernels;
    const struct shape *numbers = in_numbers(p->open, whole->space);
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
        kernel->kernel = kernel->narrowed ? kernel->narrowed
                                          : narrow(p->arena, kernel->kernel, p->kernels.temporaries);
    }
    return true;
}

static bool pass_split(struct pipeline *p)
{
    if (!(p->fast & FAST_SPLIT))
        return true;
    const struct kernel_program before = take_kernels(p);
    for (int k = 0; k < before.count; k++) {
        if (before.kernels[k].reduce)
            add_kernel(&p->kernels, before.kernels[k]);
        else
            split_kernel(&p->kernels, &before.kernels[k]);
        if (k + 1 == before.first_result)
            p->kernels.first_result = p->kernels.count;
    }
    return true;
}

static bool pass_reduce(struct pipeline *p)
{
    const struct kernel_program before = take_kernels(p);
    for (int k = 0; k < before.count; k++) {
        add_kernel(&p->kernels, before.kernels[k]);
        if (before.kernels[k].reduce)
            reduce(&p->kernels, p->kernels.count - 1, joiner_of(p));
        if (k < before.first_result)
            p->kernels.first_result = p->kernels.count;
    }
    if (joiner_of(p) != JOIN_KERNELS && !p->open)
        store_results(&p->kernels, p->dense);
    if (joiner_of(p) == JOIN_TILES && !p->open)
        sort_reductions(&p->kernels);
    return true;
}

/* ---- loops, chains, texts ---- */

static bool pass_loops(struct pipeline *p)
{
    const struct access *wrong;
    struct loop_params params = {.chunks = p->target->chunks, .fast = p->fast, .tuning = p->tuning,
                                 .many = p->many, .placed = !p->open, .shapes = shapes_of(p)};
    if (p->open) {
        make_open_schedule(&p->kernels, &params, p->examples, p->example_count, &p->schedule);
        return true;
    }
    params.operands = *p->operands;
    if (!make_schedule(&p->kernels, &params, p->batches, &p->schedule, &wrong))
        return diag_at(p->diags, DIAG_VIEW_STRIDES, NULL, 0, p->program->symbols[p->program->inputs[wrong->index]].name,
                       type_rows[wrong->dtype].name, type_rows[wrong->dtype].size);
    p->schedule.views = p->views ? p->views : p->program->views;
    return true;
}

static bool pass_chain(struct pipeline *p)
{
    if (p->fast & FAST_CHAIN)
        find_chains(p->arena, &p->schedule, p->target->chunks);
    return true;
}

/* The text of kernels that share a launch, or of one. */
static const struct kernel_text *text_of(const struct pipeline *p, const struct scheduled *first, int count)
{
    const struct kernel **kernels = ARENA_ARRAY(p->arena, const struct kernel *, count);
    struct emit_params *params = ARENA_ARRAY(p->arena, struct emit_params, count);
    for (int i = 0; i < count; i++) {
        kernels[i] = first[i].kernel;
        params[i] = (struct emit_params){p->target, &first[i].form, first[i].geometry.kinds, first[i].geometry.near,
                                         p->vector_functions, first[i].geometry.fast, p->shown};
    }
    return p->texts->get(p->texts->user, kernels, params, count);
}

static bool pass_text(struct pipeline *p)
{
    for (int k = 0; k < p->schedule.count; k++) {
        struct scheduled *s = &p->schedule.kernels[k];
        s->text = text_of(p, s, 1);
        s->launched = !s->form.chained ? s->text : s->chain ? text_of(p, s, s->chain) : NULL;
    }
    return true;
}

/* ---- verifiers: NULL, or what is broken ---- */

static const char *verify_parse(const struct pipeline *p)
{
    return p->programs.count ? NULL : "a text without programs";
}

static const char *verify_names(const struct pipeline *p)
{
    const struct program *program = p->parsed;
    bool good = true;
    for (int n = 0; good && !program->names_open && n < program->node_count; n++)
        for (int i = 0; i < program->nodes[n].operand_count; i++)
            good = good && program->operands[program->nodes[n].operands + i] < n;
    return good ? NULL : "an operand behind its node";
}

static const char *verify_check(const struct pipeline *p)
{
    return verify_program(p->parsed);
}

/* Shapes that are not known are NULL. */
static const char *verify_shapes(const struct pipeline *p)
{
    for (int n = 0; n < p->program->node_count; n++) {
        const struct node *node = &p->program->nodes[n];
        for (int i = 0; p->shapes[n] && node->kind == NODE_OP && i < node->operand_count; i++) {
            const struct shape *operand = p->shapes[p->program->operands[node->operands + i]];
            if (!operand || operand->rank > p->shapes[n]->rank)
                return "an operation on what its shape does not hold";
        }
    }
    return NULL;
}

static const char *verify_layouts(const struct pipeline *p)
{
    const char *broken = NULL;
    for (int n = 0; n < p->program->node_count && !broken; n++)
        if (p->layouts[n] && *p->layouts[n] && p->shapes[n] &&
            (int)strlen(p->layouts[n]) != p->shapes[n]->rank)
            broken = "a layout of another rank";
    return broken;
}

static const char *verify_reductions(const struct pipeline *p)
{
    return verify_kernels(&p->kernels);
}
#define verify_lower verify_reductions
#define verify_materialize verify_reductions
#define verify_narrow verify_reductions
#define verify_split verify_reductions
#define verify_reduce verify_reductions

static const char *verify_loops(const struct pipeline *p)
{
    return p->open ? NULL : verify_schedule(&p->schedule);
}
#define verify_chain verify_loops
#define verify_text verify_loops

/* ---- all passes ---- */

const char *pass_name(enum pass pass)
{
#define PASS(NAME, name, makes) #name,
    static const char *const names[] = {PASSES(PASS)};
#undef PASS
    return names[pass];
}

/* What a verifier finds ends the program with the pass's name. */
static bool run_pass(struct pipeline *p, enum pass pass)
{
    bool good = false;
    switch (pass) {
#define PASS(NAME, name, makes) \
    case PASS_##NAME: \
        good = pass_##name(p); \
        assert(!good || !verify_##name(p)); \
        (void)verify_##name; /* without assertions nothing else names it */ \
        break;
    PASSES(PASS)
#undef PASS
    case PASS_COUNT: break;
    }
    return good;
}

/* Where a kernel would have too many maps, asks that values are stored from a quarter of the maps on. False where that
 * was not why the pass failed, or can be no fewer. */
static bool store_more(struct pipeline *p, enum pass failed, const struct diags *before)
{
    enum { FEWER = 4 };
    const struct diag *last = p->diags ? p->diags->last : NULL;
    if (failed < PASS_REDUCTIONS || last == before->last || last->id != DIAG_TOO_MANY_VIEWS || p->most_orders == 1)
        return false;
    p->most_orders = (p->most_orders ? p->most_orders : MOST_ORDERS) / FEWER;
    p->most_orders = p->most_orders < 1 ? 1 : p->most_orders;
    *p->diags = *before;
    if (p->diags->last)
        p->diags->last->next = NULL;
    return true;
}

/* Whether a value was stored for kernels that take turns by its rows, and these do not. Then asks that none is. */
static bool store_less(struct pipeline *p)
{
    const struct schedule *schedule = &p->schedule;
    for (int t = 0; t < schedule->temporary_count; t++) {
        const struct lifetime *lifetime = &schedule->lifetimes[t];
        p->apart = p->apart || (schedule->temporaries[t].turns && lifetime->to >= 0 && !lifetime->window.bytes);
    }
    return p->apart;
}

bool pipeline_run(struct pipeline *p, enum pass first, enum pass last)
{
    bool good = true;
    for (int at = first; good && at <= (int)last; at++) {
        const struct diags before = p->diags ? *p->diags : (struct diags){0};
        good = run_pass(p, (enum pass)at);
        if (!good && first <= PASS_REDUCTIONS && store_more(p, (enum pass)at, &before)) {
            good = true;
            at = PASS_REDUCTIONS - 1;
            continue;
        }
        if (good && at == PASS_LOOPS && p->admit && !p->admit(p->admit_user, &p->schedule)) {
            p->admit = NULL;
            p->fast &= ~(unsigned)(FAST_SPECIAL | FAST_HOIST | FAST_TABLE | FAST_SPLIT);
            at = PASS_REDUCTIONS - 1;
        }
        if (good && at == PASS_CHAIN && first <= PASS_REDUCTIONS && !p->apart && store_less(p))
            at = PASS_REDUCTIONS - 1;
    }
    return good;
}
