/* Dividing a typed program on certain shapes into kernels: results of one shape share one, what is
 * hoisted out of them has its own, and each is made for a class, of which an instance has a few. */
#include "runtime/internal.h"

#include "compiler/ir/ir.h"
#include "compiler/loop/loop.h"

#include <assert.h>
#include <string.h>

static struct shape tensor_shape(const struct tensor *tensor)
{
    struct shape shape = {.rank = tensor->rank};
    for (int d = 0; d < tensor->rank; d++)
        shape.extents[d] = tensor->shape[d];
    return shape;
}

/* What is divided. */
struct planning {
    struct arena *arena;
    struct weft_program *program;
    struct typed *typed;
    const struct shape *const *shapes; /* of nodes */
    const struct occasion *occasion;
    const struct tensor *outputs;  /* NULL: all dense */
    const struct target *target;
    unsigned fast;
    bool many;
    struct division *into;
    struct diags *diags;
};

static const struct shape *result_shape(const struct planning *p, int result)
{
    return p->shapes[p->typed->program->results[result].node];
}

/* Whether an input's bytes are read as another type. */
static bool reinterprets(const struct planning *p, const struct access *access)
{
    return access->kind == TENSOR_INPUT && access->dtype != p->occasion->inputs[access->index].dtype;
}

/* Then its elements are taken in their order. */
static struct shape reinterpreted_shape(const struct planning *p, const struct access *access)
{
    const struct tensor *input = &p->occasion->inputs[access->index];
    const struct shape own = tensor_shape(input);
    int old = type_rows[input->dtype].size, size = type_rows[access->dtype].size;
    int64_t volume = shape_volume(&own);
    return (struct shape){.rank = 1, .extents = {size > old ? volume / (size / old) : volume * (old / size)}};
}

/* Where a kernel's access leads: the tensor's own shape. */
static struct shape access_shape(const struct planning *p, const struct kernel *kernel,
                                 const struct shape *loop, int a)
{
    const struct access *access = &kernel->accesses[a];
    if (a >= kernel->load_count)
        return *loop;
    switch (access->kind) {
    case TENSOR_INPUT:
        return reinterprets(p, access) ? reinterpreted_shape(p, access)
                                       : tensor_shape(&p->occasion->inputs[access->index]);
    case TENSOR_CONSTANT: return *p->shapes[kernel->constants[access->index].node];
    case TENSOR_TEMPORARY: return *p->into->hoisted.temporaries[access->index].shape;
    case TENSOR_BYTES: return (struct shape){.rank = 1, .extents = {TABLE_ENTRIES}};
    default: return (struct shape){.rank = 0}; /* a table stays where it is, whatever the loop does */
    }
}

/* The elements of an input whose bytes are read as another type; false with a diagnostic. */
static bool reinterpret(const struct planning *p, const struct access *access, struct pieces *pieces)
{
    const struct tensor *input = &p->occasion->inputs[access->index];
    const struct program *program = p->typed->program;
    int old = type_rows[input->dtype].size, size = type_rows[access->dtype].size;
    int64_t strides[WEFT_MAX_RANK];
    struct pieces own;
    for (int d = 0; d < input->rank; d++)
        strides[d] = input->strides[d] * old;
    pieces_make(&own, input->rank, input->shape, strides);
    return pieces_reinterpret(&own, old, size, pieces) ||
           diag_at(p->diags, DIAG_VIEW_STRIDES, NULL, 0,
                   program->symbols[program->inputs[access->index]].name, type_rows[access->dtype].name, size);
}

/* How a kernel walks what an access leads to; false with a diagnostic. */
static bool access_view(const struct planning *p, const struct kernel *kernel, const struct shape *loop,
                        int a, struct view *view)
{
    const struct access *access = &kernel->accesses[a];
    const struct shape from = access_shape(p, kernel, loop, a);
    const struct shape *to = access->map ? kernel->maps[access->map].to : loop;
    const int64_t *own = access->kind == TENSOR_INPUT ? p->occasion->inputs[access->index].strides
                         : access->kind == TENSOR_RESULT && p->outputs ? p->outputs[access->index].strides
                                                                       : NULL;
    bool other = reinterprets(p, access);
    struct pieces pieces;
    broadcast_strides(to->rank, to->extents, from.rank, from.extents, own, type_rows[access->dtype].size,
                      view->strides);
    if ((!access->map && !other) || shape_volume(loop) == 0)
        return true;
    pieces_make(&pieces, to->rank, to->extents, view->strides);
    if (other && !reinterpret(p, access, &pieces))
        return false;
    if (!pieces.count && !map_is_bounded(kernel, access->map))
        return true; /* one element */
    struct walk *walk = ARENA_NEW(p->arena, struct walk);
    walk_make(p->arena, kernel->maps, access->map, &pieces, walk);
    view->walk = walk;
    return true;
}

/* Rough: a vector instruction takes about a third of the time of a byte moved. */
static double estimate(const struct kernel *kernel, const struct geometry *g)
{
    double each = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        each += kernel->ins[i].kind == INS_OP ? op_weight(kernel->ins[i].op, kernel->ins[i].source) / 3.0 : 0;
    for (int a = 0; a < kernel->access_count; a++)
        each += g->kinds[a] == ACCESS_SCALAR ? 0 : type_rows[kernel->accesses[a].dtype].size;
    return each * (double)g->volume;
}

static void count_traffic(const struct kernel *kernel, const struct geometry *g, struct planned *planned)
{
    for (int a = 0; a < kernel->access_count; a++) {
        double bytes = (double)g->volume * type_rows[kernel->accesses[a].dtype].size;
        bool moves = g->kinds[a] != ACCESS_SCALAR && g->kinds[a] != ACCESS_PERIODIC;
        planned->touched += moves ? bytes : 0;
        planned->stored += a >= kernel->load_count ? bytes : 0;
    }
}

/* Adds a kernel that loops over `shape`. `order` is that of the results it helps. False with a
 * diagnostic. */
static bool add_draft(struct planning *p, struct kernel *kernel, const struct shape *shape, int order)
{
    struct view *views = ARENA_ARRAY(p->arena, struct view, kernel->access_count);
    struct draft draft = {.kernel = kernel, .shape = shape, .order = order};
    for (int a = 0; a < kernel->access_count; a++)
        if (!access_view(p, kernel, shape, a, &views[a]))
            return false;
    make_geometry(p->arena, kernel, shape->rank, shape->extents, views, p->fast, p->target->chunks,
                  &draft.geometry);
    if (p->target->chunks)
        make_form(kernel, &draft.geometry, p->many, &draft.form);
    else
        block_form(kernel, &draft.form);
    assert(!verify_program(p->typed->program));
    assert(!verify_kernel(kernel));
    assert(!verify_geometry(kernel, &draft.geometry));
    ARENA_PUSH(p->arena, p->into->drafts, p->into->count, draft);
    return true;
}

struct emitted *draft_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                           struct typed *typed, const struct target *target, const struct draft *draft)
{
    const struct emit_params params = {target, &draft->form, draft->geometry.kinds,
                                       program->context->cc.vector_functions, draft->geometry.fast};
    return emitted_get(program, typed, arena, scratch, draft->kernel, &params);
}

/* Geometry as kernels take it, copied but for maps: where there are views the plan keeps all memory. */
static struct weft_geometry keep_walk(struct arena *arena, const struct kernel *kernel,
                                      const struct geometry *g)
{
    size_t accesses = (size_t)kernel->access_count, groups = (size_t)g->groups;
    bool expanded = g->row_groups > 0;
    int **offsets = expanded ? arena_copy(arena, g->offsets, accesses * sizeof *g->offsets) : NULL;
    for (size_t a = 0; expanded && a < accesses; a++)
        if (offsets[a])
            offsets[a] = arena_copy(arena, offsets[a], (size_t)g->columns * sizeof *offsets[a]);
    return (struct weft_geometry){
        .rows = g->rows, .columns = g->columns, .tile_rows = g->tile_rows,
        .tile_columns = g->tile_columns, .row_tiles = g->row_tiles, .period = g->period,
        .groups = g->groups, .offsets = offsets, .maps = program_asks_shapes(kernel->program) ? g->maps : NULL,
        .extents = arena_copy(arena, g->extents, groups * sizeof *g->extents),
        .strides = arena_copy(arena, g->strides, accesses * (groups + 2) * sizeof *g->strides),
        .distinct = expanded ? arena_copy(arena, g->distinct, accesses * sizeof *g->distinct) : NULL};
}

void finish_kernel(struct plan *plan, struct arena *scratch, struct weft_program *program,
                   const struct draft *draft, struct planned *planned)
{
    const struct kernel *kernel = draft->kernel;
    *planned = (struct planned){.kernel = kernel, .order = draft->order, .shared = draft->shared,
                                .tiles = form_tiles(&draft->form, &draft->geometry),
                                .work = estimate(kernel, &draft->geometry)};
    count_traffic(kernel, &draft->geometry, planned);
    planned->emitted = draft_text(&plan->own, scratch, program, plan->typed, plan->target, draft);
    planned->kinds = arena_copy(&plan->own, draft->geometry.kinds, (size_t)kernel->access_count);
    planned->starts = arena_copy(&plan->own, draft->geometry.starts,
                                 (size_t)kernel->access_count * sizeof *draft->geometry.starts);
    planned->walk = keep_walk(&plan->own, kernel, &draft->geometry);
    planned->literals = ARENA_ARRAY(&plan->own, unsigned long long, kernel->literal_count);
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel->literals[i].bits;
}

/* ---- lowering ---- */

/* The program's mutex is held. */
static struct lowered *find_lowered(const struct typed *typed, const int *results, int count)
{
    struct lowered *at = typed->lowered;
    while (at && (at->kernel->result_count != count ||
                  memcmp(at->kernel->results, results, (size_t)count * sizeof *results) != 0))
        at = at->next;
    return at;
}

/* NULL: memory ran out. The program's mutex is held. */
static struct lowered *make_lowered(struct typed *typed, const int *results, int count,
                                    struct diags *diags)
{
    jmp_buf env;
    struct arena *arena = &typed->arena;
    if (ARENA_GUARD(arena, env))
        return NULL;
    struct lowered *made = ARENA_NEW(arena, struct lowered);
    results = arena_copy(arena, results, (size_t)count * sizeof *results);
    made->kernel = lower(arena, typed->program, NULL, results, count, diags);
    made->narrowed = narrow(arena, made->kernel);
    made->next = typed->lowered;
    typed->lowered = made;
    return made;
}

/* Without views lowering looks at no shape, and is done once for the instance. NULL with a diagnostic. */
static const struct lowered *get_lowered(struct planning *p, const int *results, int count)
{
    if (program_asks_shapes(p->typed->program)) {
        struct lowered *own = ARENA_NEW(p->arena, struct lowered);
        own->kernel = lower(p->arena, p->typed->program, p->shapes, results, count, p->diags);
        own->narrowed = own->kernel ? narrow(p->arena, own->kernel) : NULL;
        return own->kernel ? own : NULL;
    }
    pthread_mutex_lock(&p->program->mutex);
    struct lowered *found = find_lowered(p->typed, results, count);
    found = found ? found : make_lowered(p->typed, results, count, p->diags);
    pthread_mutex_unlock(&p->program->mutex);
    if (!found)
        arena_fail(p->arena);
    return found;
}

/* The kernel of results of one shape, without what is hoisted out of it; false with a diagnostic. */
static bool lower_group(struct planning *p, const int *results, int count, struct part *part)
{
    const struct shape *shape = result_shape(p, results[0]);
    const struct lowered *lowered = get_lowered(p, results, count);
    if (!lowered)
        return false;
    struct kernel *whole = lowered->kernel;
    const struct shape **shapes = ARENA_ARRAY(p->arena, const struct shape *, whole->load_count);
    for (int a = 0; a < whole->load_count; a++) {
        const struct shape from = access_shape(p, whole, shape, a);
        shapes[a] = arena_copy(p->arena, &from, sizeof from);
    }
    struct kernel *rest = hoist(p->arena, whole, shape, shapes, p->fast, p->target->launch, &p->into->hoisted);
    if (p->fast & FAST_NARROW)
        rest = rest == whole ? lowered->narrowed : narrow(p->arena, rest);
    *part = (struct part){rest, shape};
    return true;
}

/* ---- dividing ---- */

static bool add_hoisted(struct planning *p, int order)
{
    const struct hoisted *hoisted = &p->into->hoisted;
    for (int k = p->into->count; k < hoisted->count; k++) {
        struct kernel *kernel = hoisted->parts[k].kernel;
        if (p->fast & FAST_NARROW)
            kernel = narrow(p->arena, kernel);
        if (!add_draft(p, kernel, hoisted->parts[k].shape, order))
            return false;
    }
    return true;
}

/* Results of one shape share a kernel. What is hoisted runs before any result is written. False with a
 * diagnostic. */
static bool divide_results(struct planning *p)
{
    int count = p->typed->program->result_count, rest_count = 0;
    bool *done = ARENA_ARRAY(p->arena, bool, count), good = true;
    struct part *rests = ARENA_ARRAY(p->arena, struct part, count);
    *p->into = (struct division){.target = p->target};
    for (int r = 0; p->occasion->taken && r < count; r++)
        done[r] = !p->occasion->taken[r];
    for (int first = 0; first < count && good; first++) {
        int *results = NULL, together = 0;
        for (int r = first; r < count && !done[first]; r++)
            if (!done[r] && shapes_equal(result_shape(p, r), result_shape(p, first))) {
                ARENA_PUSH(p->arena, results, together, r);
                done[r] = r > first;
            }
        if (together)
            good = lower_group(p, results, together, &rests[rest_count++]);
        good = good && add_hoisted(p, rest_count - 1);
    }
    for (int i = 0; good && i < rest_count; i++)
        good = add_draft(p, rests[i].kernel, rests[i].shape, i);
    return good;
}

static uint64_t add_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* What the texts of the kernels depend on. Two that are equal by chance cost nothing but a class. */
static uint64_t division_class(const struct division *division)
{
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < division->count; k++) {
        const struct kernel *kernel = division->drafts[k].kernel;
        for (int i = 0; i < kernel->ins_count; i++) {
            const struct ins *ins = &kernel->ins[i];
            const int words[] = {(int)ins->kind, (int)ins->op, (int)ins->dtype, (int)ins->source,
                                 ins->a[0], ins->a[1], ins->a[2], ins->index};
            hash = add_bytes(hash, words, sizeof words);
        }
        hash = add_bytes(hash, division->drafts[k].geometry.kinds, (size_t)kernel->access_count);
        const struct form *form = &division->drafts[k].form;
        const int words[] = {form->groups, form->wide, form->many, form->threads,
                             form->period, form->block};
        hash = add_bytes(hash, words, sizeof words);
    }
    return hash;
}

/* Whether the instance may have kernels of this class: it has them, or not yet too many for the target. */
static bool admit(struct weft_program *program, struct typed *typed, struct plan_class class)
{
    bool found = false;
    int count = 0;
    pthread_mutex_lock(&program->mutex);
    for (int i = 0; i < typed->class_count && !found; i++) {
        count += typed->classes[i].target == class.target;
        found = typed->classes[i].target == class.target && typed->classes[i].hash == class.hash;
    }
    if (!found && count < MAX_CLASSES)
        typed->classes[typed->class_count++] = class;
    pthread_mutex_unlock(&program->mutex);
    return found || count < MAX_CLASSES;
}

/* ---- temporaries ---- */

static bool reads_batches(const struct kernel *kernel, const struct tensor *inputs, const bool *own)
{
    for (int a = 0; a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        bool kept = access->kind == TENSOR_TEMPORARY || access->kind == TENSOR_TABLE;
        if ((access->kind == TENSOR_INPUT && inputs[access->index].batch) || (kept && own[access->index]))
            return true;
    }
    return false;
}

/* Which hoisted kernels, and what they store, are the same for all samples of the plan. */
static void find_shared(struct arena *arena, const struct tensor *inputs, struct division *division)
{
    bool *own = ARENA_ARRAY(arena, bool, division->hoisted.temporary_count);
    for (int k = 0; k < division->hoisted.count; k++) {
        struct draft *draft = &division->drafts[k];
        draft->shared = !reads_batches(draft->kernel, inputs, own);
        for (int a = draft->kernel->load_count; a < draft->kernel->access_count; a++)
            own[draft->kernel->accesses[a].index] = !draft->shared;
    }
    division->own = own;
}

void place_temporaries(struct plan *plan, const struct division *division)
{
    int count = division->hoisted.temporary_count;
    if (!count)
        return;
    plan->temporaries = ARENA_ARRAY(&plan->own, size_t, count);
    plan->shared = ARENA_ARRAY(&plan->own, bool, count);
    plan->bytes = ARENA_ARRAY(&plan->own, unsigned char, TABLE_ENTRIES);
    for (int i = 0; i < TABLE_ENTRIES; i++)
        plan->bytes[i] = (unsigned char)i;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &division->hoisted.temporaries[t];
        size_t size = (size_t)type_rows[temporary->dtype].size;
        size_t *total = division->own[t] ? &plan->own_bytes : &plan->shared_bytes;
        plan->shared[t] = !division->own[t];
        plan->temporaries[t] = *total;
        *total += ((size_t)shape_volume(temporary->shape) * size + TEMPORARY_ALIGNMENT - 1) /
                  TEMPORARY_ALIGNMENT * TEMPORARY_ALIGNMENT;
    }
}

static const struct tensor *strided_outputs(const struct program *program, const struct occasion *occasion)
{
    for (int r = 0; occasion->outputs && r < program->result_count; r++)
        if ((!occasion->taken || occasion->taken[r]) && !occasion->outputs[r].dense)
            return occasion->outputs;
    return NULL;
}

bool divide(struct arena *arena, struct weft_program *program, struct typed *typed,
            const struct shape *const *shapes, const struct occasion *occasion,
            struct division *division, struct diags *diags)
{
    const struct target *own = occasion->device ? &target_cuda : &target_c;
    const struct target *target = occasion->target ? occasion->target : own;
    struct planning p = {.arena = arena, .program = program, .typed = typed, .shapes = shapes,
                         .occasion = occasion, .target = target, .into = division,
                         .fast = program->context->fast & target->fast, .many = occasion->many,
                         .outputs = strided_outputs(typed->program, occasion), .diags = diags};
    if (!divide_results(&p))
        return false;
    if (!admit(program, typed, (struct plan_class){target, division_class(division)})) {
        p.fast &= ~(unsigned)(FAST_SPECIAL | FAST_HOIST | FAST_TABLE);
        if (!divide_results(&p))
            return false;
    }
    find_shared(arena, occasion->inputs, division);
    return true;
}
