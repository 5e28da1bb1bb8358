/* Dividing a typed program on certain shapes into kernels: results of one shape share one, what is
 * hoisted out of them has its own, and each is made for a class, of which an instance has a few. */
#include "runtime/internal.h"

#include "compiler/narrow.h"
#include "compiler/schedule.h"
#include "compiler/verify.h"

#include <assert.h>
#include <string.h>

enum {
    FETCHED_BYTES = 4 << 20,       /* inputs and outputs together, from which on inputs are fetched */
    FETCH_AHEAD = 2048,            /* bytes */
    STREAMED_BYTES = 16 << 20      /* outputs, from which on they are written past the caches */
};

const struct shape *plan_result_shape(const struct plan *plan, int result)
{
    return plan->shapes[plan->typed->program->results[result].node];
}

static struct shape tensor_shape(const struct tensor *tensor)
{
    struct shape shape = {.rank = tensor->rank};
    memcpy(shape.extents, tensor->shape, (size_t)tensor->rank * sizeof shape.extents[0]);
    return shape;
}

/* The tensors of a call, `outputs` NULL for dense ones, and what is made for them. */
struct planning {
    struct plan *plan;
    const struct tensor *inputs, *outputs;
    struct hoisted hoisted;
    unsigned fast;
    const char *vector_functions;
    struct diags *diags;
};

/* Whether an input's bytes are read as another type. */
static bool reinterprets(const struct planning *p, const struct access *access)
{
    return access->kind == TENSOR_INPUT && access->dtype != p->inputs[access->index].dtype;
}

/* Then its elements are taken in their order. */
static struct shape reinterpreted_shape(const struct planning *p, const struct access *access)
{
    const struct tensor *input = &p->inputs[access->index];
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
                                       : tensor_shape(&p->inputs[access->index]);
    case TENSOR_CONSTANT: return *p->plan->shapes[kernel->constants[access->index].node];
    case TENSOR_TEMPORARY: return *p->hoisted.temporaries[access->index].shape;
    case TENSOR_BYTES: return (struct shape){.rank = 1, .extents = {TABLE_ENTRIES}};
    default: return (struct shape){.rank = 0}; /* a table stays where it is, whatever the loop does */
    }
}

/* The elements of an input whose bytes are read as another type; false with a diagnostic. */
static bool reinterpret(const struct planning *p, const struct access *access, struct pieces *pieces)
{
    const struct tensor *input = &p->inputs[access->index];
    const struct program *program = p->plan->typed->program;
    int old = type_rows[input->dtype].size, size = type_rows[access->dtype].size;
    int64_t strides[WEFT_MAX_RANK];
    struct pieces own;
    for (int d = 0; d < input->rank; d++)
        strides[d] = input->strides[d] * old;
    pieces_make(&own, input->rank, input->shape, strides);
    return pieces_reinterpret(&own, old, size, pieces) ||
           diag_at(p->diags, DIAG_VIEW_STRIDES, NULL, 0, program->symbols[program->inputs[access->index]].name,
                   type_rows[access->dtype].name, size);
}

/* How a kernel walks what an access leads to; false with a diagnostic. */
static bool access_view(const struct planning *p, const struct kernel *kernel, const struct shape *loop,
                        int a, struct view *view)
{
    const struct access *access = &kernel->accesses[a];
    const struct shape from = access_shape(p, kernel, loop, a);
    const struct shape *to = access->map ? kernel->maps[access->map].to : loop;
    const int64_t *own = access->kind == TENSOR_INPUT ? p->inputs[access->index].strides
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
    if (!pieces.count)
        return true; /* one element */
    struct walk *walk = ARENA_NEW(p->plan->arena, struct walk);
    walk_make(p->plan->arena, kernel->maps, access->map, &pieces, walk);
    view->walk = walk;
    return true;
}

/* Work on more memory than the near caches hold is fetched ahead, and its outputs, when they are large,
 * are written past the caches: a plain store would read the line first. How far ahead and from how much
 * on outputs stream is measured, with and without WEFT_DISABLE=stream (bench/throughput.py --bytes); from
 * where on to fetch is not: it made no difference below. */
static void choose_traffic(struct planned *planned, unsigned fast)
{
    const struct kernel *kernel = planned->kernel;
    double stored = 0, touched = 0; /* one tensor's bytes fit an int64, those of all may not */
    for (int a = 0; a < kernel->access_count; a++) {
        double bytes = (double)planned->geometry.volume * type_rows[kernel->accesses[a].dtype].size;
        bool moves = planned->geometry.kinds[a] != ACCESS_SCALAR &&
                     planned->geometry.kinds[a] != ACCESS_PERIODIC;
        touched += moves ? bytes : 0;
        stored += a >= kernel->load_count ? bytes : 0;
    }
    planned->ahead = touched >= FETCHED_BYTES ? FETCH_AHEAD : 0;
    planned->streams = (fast & FAST_STREAM) && stored >= STREAMED_BYTES;
}

/* See struct planned. Rough: a vector instruction takes about a third of the time of a byte moved. */
static int64_t estimate(const struct kernel *kernel, const struct geometry *g)
{
    double each = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        each += kernel->ins[i].kind == INS_OP ? op_weight(kernel->ins[i].op, kernel->ins[i].source) / 3.0 : 0;
    for (int a = 0; a < kernel->access_count; a++)
        each += g->kinds[a] == ACCESS_SCALAR ? 0 : type_rows[kernel->accesses[a].dtype].size;
    double all = each * (double)g->volume;
    return all < (double)(INT64_MAX / 2) ? (int64_t)all : INT64_MAX / 2;
}

/* Adds a kernel that loops over `shape`, up to its geometry. `order` is that of the results it helps. False
 * with a diagnostic. */
static bool add_kernel(struct planning *p, struct kernel *kernel, const struct shape *shape, int order)
{
    struct arena *arena = p->plan->arena;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    kernel = p->fast & FAST_NARROW ? narrow(arena, kernel) : kernel;
    struct planned planned = {.kernel = kernel, .shape = shape, .order = order};
    for (int a = 0; a < kernel->access_count; a++)
        if (!access_view(p, kernel, shape, a, &views[a]))
            return false;
    make_geometry(arena, kernel, shape->rank, shape->extents, views, p->fast, &planned.geometry);
    assert(!verify_program(p->plan->typed->program));
    assert(!verify_kernel(kernel));
    assert(!verify_geometry(kernel, &planned.geometry));
    ARENA_PUSH(arena, p->plan->kernels, p->plan->kernel_count, planned);
    return true;
}

/* The text of a kernel, and what it is called with. */
static void finish_kernel(const struct planning *p, struct weft_program *program,
                          struct planned *planned)
{
    struct arena *arena = p->plan->arena;
    const struct kernel *kernel = planned->kernel;
    const struct geometry *g = &planned->geometry;
    const struct emit_params params = {&target_c, g->kinds, p->vector_functions, p->fast};
    planned->work = estimate(kernel, g);
    choose_traffic(planned, p->fast);
    planned->emitted = emitted_get(program, p->plan->typed, arena, kernel, &params);
    planned->sample = (struct weft_sample){
        .rows = g->rows, .columns = g->columns, .tile_rows = g->tile_rows,
        .tile_columns = g->tile_columns, .row_tiles = g->row_tiles, .period = g->period,
        .groups = g->groups, .extents = (const long long *)g->extents,
        .strides = (const long long *)g->strides, .offsets = g->offsets, .distinct = g->distinct,
        .maps = g->maps};
    planned->literals = ARENA_ARRAY(arena, unsigned long long, kernel->literal_count);
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel->literals[i].bits;
}

/* The kernel of results of one shape, without what is hoisted out of it; false with a diagnostic. */
static bool lower_group(struct planning *p, const int *results, int count, struct part *rest)
{
    struct plan *plan = p->plan;
    const struct shape *shape = plan_result_shape(plan, results[0]);
    struct kernel *whole =
        lower(plan->arena, plan->typed->program, plan->shapes, results, count, p->diags);
    if (!whole)
        return false;
    const struct shape **shapes = ARENA_ARRAY(plan->arena, const struct shape *, whole->load_count);
    for (int a = 0; a < whole->load_count; a++) {
        const struct shape from = access_shape(p, whole, shape, a);
        shapes[a] = arena_copy(plan->arena, &from, sizeof from);
    }
    *rest = (struct part){hoist(plan->arena, whole, shape, shapes, p->fast, &p->hoisted), shape};
    return true;
}

/* Places for temporaries in the memory of a run. */
static void place_temporaries(struct planning *p)
{
    struct plan *plan = p->plan;
    plan->temporaries = ARENA_ARRAY(plan->arena, size_t, p->hoisted.temporary_count);
    plan->bytes = ARENA_ARRAY(plan->arena, unsigned char, TABLE_ENTRIES);
    for (int i = 0; i < TABLE_ENTRIES; i++)
        plan->bytes[i] = (unsigned char)i;
    for (int t = 0; t < p->hoisted.temporary_count; t++) {
        const struct temporary *temporary = &p->hoisted.temporaries[t];
        size_t size = (size_t)type_rows[temporary->dtype].size;
        plan->temporaries[t] = plan->temporary_bytes;
        plan->temporary_bytes += ((size_t)shape_volume(temporary->shape) * size + TEMPORARY_ALIGNMENT - 1) /
                                 TEMPORARY_ALIGNMENT * TEMPORARY_ALIGNMENT;
    }
}

/* Results of one shape share a kernel. What is hoisted runs before any result is written. False with a
 * diagnostic. */
static bool divide(struct planning *p)
{
    struct plan *plan = p->plan;
    int count = plan->typed->program->result_count, rest_count = 0;
    bool *taken = ARENA_ARRAY(plan->arena, bool, count), good = true;
    struct part *rests = ARENA_ARRAY(plan->arena, struct part, count);
    plan->kernels = NULL;
    plan->kernel_count = 0;
    for (int first = 0; first < count && good; first++) {
        int *results = NULL, together = 0;
        for (int r = first; r < count && !taken[first]; r++)
            if (shapes_equal(plan_result_shape(plan, r), plan_result_shape(plan, first))) {
                ARENA_PUSH(plan->arena, results, together, r);
                taken[r] = r > first;
            }
        if (together)
            good = lower_group(p, results, together, &rests[rest_count++]);
        for (int k = plan->kernel_count; good && k < p->hoisted.count; k++)
            good = add_kernel(p, p->hoisted.parts[k].kernel, p->hoisted.parts[k].shape, rest_count - 1);
    }
    for (int i = 0; good && i < rest_count; i++)
        good = add_kernel(p, rests[i].kernel, rests[i].shape, i);
    return good;
}

static uint64_t add_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* What the texts of a plan's kernels depend on. Two that are equal by chance cost nothing but a class. */
static uint64_t plan_class(const struct plan *plan)
{
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < plan->kernel_count; k++) {
        const struct kernel *kernel = plan->kernels[k].kernel;
        for (int i = 0; i < kernel->ins_count; i++) {
            const struct ins *ins = &kernel->ins[i];
            const int words[] = {(int)ins->kind, (int)ins->op, (int)ins->dtype, (int)ins->source,
                                 ins->a[0], ins->a[1], ins->a[2], ins->index};
            hash = add_bytes(hash, words, sizeof words);
        }
        hash = add_bytes(hash, plan->kernels[k].geometry.kinds, (size_t)kernel->access_count);
    }
    return hash;
}

/* Whether the instance may have kernels of this class: it has them, or not yet too many. */
static bool admit(struct weft_program *program, struct typed *typed, uint64_t class)
{
    int i = 0;
    pthread_mutex_lock(&program->mutex);
    while (i < typed->class_count && typed->classes[i] != class)
        i++;
    bool good = i < MAX_CLASSES;
    if (i == typed->class_count && good)
        typed->classes[typed->class_count++] = class;
    pthread_mutex_unlock(&program->mutex);
    return good;
}

bool plan_kernels(struct plan *plan, const struct tensor *inputs, const struct tensor *outputs,
                  struct weft_program *program, struct diags *diags)
{
    const struct weft_context *context = program->context;
    struct planning p = {.plan = plan, .inputs = inputs, .outputs = outputs, .fast = context->fast,
                         .vector_functions = context->cc.vector_functions, .diags = diags};
    if (!divide(&p))
        return false;
    if (!admit(program, plan->typed, plan_class(plan))) {
        p.fast &= ~(unsigned)(FAST_SPECIAL | FAST_HOIST | FAST_TABLE);
        p.hoisted = (struct hoisted){0};
        if (!divide(&p))
            return false;
    }
    place_temporaries(&p);
    for (int k = 0; k < plan->kernel_count; k++)
        finish_kernel(&p, program, &plan->kernels[k]);
    plan->infos = ARENA_ARRAY(plan->arena, struct weft_kernel_info, plan->kernel_count);
    return true;
}
