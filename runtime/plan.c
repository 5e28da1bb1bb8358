/* Plans: what a typed program becomes for certain shapes and strides. Made once, then found by
 * comparing a few integers. */
#include "runtime/internal.h"

#include "compiler/verify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLANS = 64 };           /* kept for each instance; the one used longest ago goes */

/* ---- shapes ---- */

struct size_value {
    int64_t value;
    int input;                     /* that set it; -1: none yet */
};

static bool check_extent(const struct program *program, int input, int d, int64_t extent,
                         struct size_value *sizes, struct diags *diags)
{
    const struct symbol *symbol = &program->symbols[program->inputs[input]];
    int64_t declared = symbol->type.extents[d];
    if (declared == EXTENT_UNKNOWN || declared == extent)
        return true;
    if (declared >= 0)
        return false;
    struct size_value *size = &sizes[EXTENT_VARIABLE - declared];
    if (size->input < 0)
        *size = (struct size_value){extent, input};
    if (size->value == extent)
        return true;
    const char *other = program->symbols[program->inputs[size->input]].name;
    return diag_at(diags, DIAG_SIZE_VARIABLE, NULL, 0,
                   program->size_variables[EXTENT_VARIABLE - declared],
                   (long long)size->value, other, (long long)extent, symbol->name);
}

static const struct shape *input_shape(struct arena *arena, const struct program *program, int input,
                                       const struct tensor *tensor, struct size_value *sizes,
                                       struct diags *diags)
{
    const struct symbol *symbol = &program->symbols[program->inputs[input]];
    const struct type *type = &symbol->type;
    struct shape *shape = ARENA_NEW(arena, struct shape);
    shape->rank = tensor->rank;
    for (int d = 0; d < tensor->rank; d++)
        shape->extents[d] = tensor->shape[d];
    if (!type->ranked)
        return shape;
    int errors = diags->errors;
    bool fits = type->rank == tensor->rank;
    for (int d = 0; d < tensor->rank && fits; d++) {
        fits = check_extent(program, input, d, tensor->shape[d], sizes, diags);
        if (type->extents[d] <= EXTENT_VARIABLE)
            shape->rigid |= 1u << d;
    }
    if (!fits && diags->errors == errors)
        diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "input", symbol->name,
                shape_text(arena, program, shape),
                shape_text(arena, program, type_shape(arena, type)));
    return shape;
}

const struct shape **plan_shapes(struct arena *arena, const struct program *program,
                                 const struct tensor *inputs, struct diags *diags)
{
    const struct shape **given = ARENA_ARRAY(arena, const struct shape *, program->input_count);
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    struct size_value *sizes = ARENA_ARRAY(arena, struct size_value, program->size_variable_count);
    for (int i = 0; i < program->size_variable_count; i++)
        sizes[i].input = -1;
    for (int i = 0; i < program->input_count; i++)
        given[i] = input_shape(arena, program, i, &inputs[i], sizes, diags);
    if (diags->errors || !infer_shapes(arena, program, diags, given, shapes))
        return NULL;
    return shapes;
}

/* ---- kernels ---- */

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank &&
           memcmp(a->extents, b->extents, (size_t)a->rank * sizeof a->extents[0]) == 0;
}

static const struct shape *result_shape(const struct plan *plan, int result)
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
};

/* Where a kernel's access leads: the tensor's own shape. */
static struct shape access_shape(const struct planning *p, const struct kernel *kernel,
                                 const struct shape *loop, int a)
{
    const struct access *access = &kernel->accesses[a];
    if (a >= kernel->load_count)
        return *loop;
    switch (access->kind) {
    case TENSOR_INPUT: return tensor_shape(&p->inputs[access->index]);
    case TENSOR_CONSTANT: return *p->plan->shapes[kernel->constants[access->index].node];
    case TENSOR_TEMPORARY: return *p->hoisted.temporaries[access->index].shape;
    case TENSOR_BYTES: return (struct shape){.rank = 1, .extents = {TABLE_ENTRIES}};
    default: return (struct shape){.rank = 0}; /* a table stays where it is, whatever the loop does */
    }
}

static void access_view(const struct planning *p, const struct kernel *kernel,
                        const struct shape *loop, int a, struct view *view)
{
    const struct access *access = &kernel->accesses[a];
    const struct shape from = access_shape(p, kernel, loop, a);
    const int64_t *strides = access->kind == TENSOR_INPUT ? p->inputs[access->index].strides
                             : access->kind == TENSOR_RESULT && p->outputs
                                 ? p->outputs[access->index].strides
                                 : NULL;
    broadcast_strides(loop->rank, loop->extents, from.rank, from.extents, strides,
                      type_rows[access->dtype].size, view->strides);
}

/* Adds a kernel that loops over `shape`, up to its geometry. `order` is that of the results it helps. */
static void add_kernel(struct planning *p, struct kernel *kernel, const struct shape *shape, int order)
{
    struct arena *arena = p->plan->arena;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    struct planned planned = {.kernel = kernel, .shape = shape, .order = order};
    for (int a = 0; a < kernel->access_count; a++)
        access_view(p, kernel, shape, a, &views[a]);
    make_geometry(arena, kernel, shape->rank, shape->extents, views, p->fast, &planned.geometry);
    assert(!verify_program(p->plan->typed->program));
    assert(!verify_kernel(kernel));
    assert(!verify_geometry(kernel, &planned.geometry));
    ARENA_PUSH(arena, p->plan->kernels, p->plan->kernel_count, planned);
}

/* The text of a kernel, and what it is called with. */
static void finish_kernel(const struct planning *p, struct planned *planned)
{
    struct arena *arena = p->plan->arena;
    const struct kernel *kernel = planned->kernel;
    const struct geometry *g = &planned->geometry;
    const struct emit_params params = {&target_c, g->kinds, p->vector_functions, p->fast};
    planned->text = emit(arena, kernel, &params, &planned->scratch);
    planned->sample = (struct weft_sample){
        .rows = g->rows, .columns = g->columns, .tile_rows = g->tile_rows,
        .tile_columns = g->tile_columns, .row_tiles = g->row_tiles, .period = g->period,
        .groups = g->groups, .extents = (const long long *)g->extents,
        .strides = (const long long *)g->strides};
    planned->literals = ARENA_ARRAY(arena, unsigned long long, kernel->literal_count);
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel->literals[i].bits;
}

/* Kernels of the results with the shape of result `first`, but what is hoisted out of them. */
static struct part lower_group(struct planning *p, const int *results, int count)
{
    struct plan *plan = p->plan;
    const struct shape *shape = result_shape(plan, results[0]);
    struct kernel *whole = lower(plan->arena, plan->typed->program, results, count);
    const struct shape **shapes = ARENA_ARRAY(plan->arena, const struct shape *, whole->load_count);
    for (int a = 0; a < whole->load_count; a++) {
        const struct shape from = access_shape(p, whole, shape, a);
        shapes[a] = arena_copy(plan->arena, &from, sizeof from);
    }
    return (struct part){hoist(plan->arena, whole, shape, shapes, p->fast, &p->hoisted), shape};
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

/* Results of one shape share a kernel. What is hoisted runs before any result is written. */
static void divide(struct planning *p)
{
    struct plan *plan = p->plan;
    int count = plan->typed->program->result_count, rest_count = 0, order = 0;
    bool *taken = ARENA_ARRAY(plan->arena, bool, count);
    struct part *rests = NULL;
    plan->kernels = NULL;
    plan->kernel_count = 0;
    for (int first = 0; first < count; first++) {
        int *results = NULL, together = 0;
        for (int r = first; r < count && !taken[first]; r++)
            if (same_shape(result_shape(plan, r), result_shape(plan, first)))
                ARENA_PUSH(plan->arena, results, together, r);
        for (int i = 0; i < together; i++)
            taken[results[i]] = true;
        if (!together)
            continue;
        ARENA_PUSH(plan->arena, rests, rest_count, lower_group(p, results, together));
        for (; plan->kernel_count < p->hoisted.count;)
            add_kernel(p, p->hoisted.parts[plan->kernel_count].kernel,
                       p->hoisted.parts[plan->kernel_count].shape, order);
        order++;
    }
    for (int i = 0; i < rest_count; i++)
        add_kernel(p, rests[i].kernel, rests[i].shape, i);
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

void plan_kernels(struct plan *plan, const struct tensor *inputs, const struct tensor *outputs,
                  struct weft_program *program)
{
    const struct weft_context *context = program->context;
    struct planning p = {.plan = plan, .inputs = inputs, .outputs = outputs, .fast = context->fast,
                         .vector_functions = context->cc.vector_functions};
    divide(&p);
    if (!admit(program, plan->typed, plan_class(plan))) {
        p.fast &= ~(unsigned)(FAST_SPECIAL | FAST_HOIST | FAST_TABLE);
        p.hoisted = (struct hoisted){0};
        divide(&p);
    }
    place_temporaries(&p);
    for (int k = 0; k < plan->kernel_count; k++)
        finish_kernel(&p, &plan->kernels[k]);
    plan->infos = ARENA_ARRAY(plan->arena, struct weft_kernel_info, plan->kernel_count);
}

static bool load_kernels(struct weft_program *program, struct plan *plan, struct diags *diags)
{
    struct weft_context *context = program->context;
    pthread_mutex_lock(&context->mutex);
    bool good = cc_probe(&context->cc, diags);
    pthread_mutex_unlock(&context->mutex);
    for (int k = 0; good && k < plan->kernel_count; k++) {
        struct planned *planned = &plan->kernels[k];
        planned->loaded = kernels_get(context, planned->text, program->math, diags, &plan->infos[k]);
        good = planned->loaded != NULL;
    }
    return good;
}

/* ---- finding and keeping ---- */

static int64_t *put_tensor(int64_t *key, const struct tensor *tensor)
{
    *key++ = tensor->rank;
    for (int d = 0; d < tensor->rank; d++) {
        *key++ = tensor->shape[d];
        *key++ = tensor->strides[d];
    }
    return key;
}

static int64_t *make_key(struct arena *arena, const struct program *program,
                         const struct tensor *inputs, const struct tensor *outputs, size_t *length)
{
    int count = program->input_count + (outputs ? program->result_count : 0);
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += 1 + 2 * (size_t)(i < program->input_count ? inputs[i].rank
                                                         : outputs[i - program->input_count].rank);
    int64_t *key = ARENA_ARRAY(arena, int64_t, size), *to = key;
    for (int i = 0; i < program->input_count; i++)
        to = put_tensor(to, &inputs[i]);
    for (int i = 0; outputs && i < program->result_count; i++)
        to = put_tensor(to, &outputs[i]);
    *length = size;
    return key;
}

static struct plan *find_plan(struct typed *typed, const int64_t *key, size_t length)
{
    for (struct plan **at = &typed->plans; *at; at = &(*at)->next) {
        struct plan *plan = *at;
        if (plan->key_length != length || memcmp(plan->key, key, length * sizeof *key) != 0)
            continue;
        *at = plan->next;
        plan->next = typed->plans;
        typed->plans = plan;
        plan->users++;
        return plan;
    }
    return NULL;
}

static void plan_destroy(struct plan *plan)
{
    arena_finish(&plan->own);
    free(plan);
}

void plans_destroy(struct plan *plans)
{
    while (plans) {
        struct plan *plan = plans;
        plans = plan->next;
        plan_destroy(plan);
    }
}

/* Drops the plan used longest ago that no run holds. */
static void evict(struct typed *typed)
{
    struct plan **last = NULL;
    for (struct plan **at = &typed->plans; *at; at = &(*at)->next)
        if ((*at)->users == 0)
            last = at;
    if (!last)
        return;
    struct plan *plan = *last;
    *last = plan->next;
    typed->plan_count--;
    plan_destroy(plan);
}

static bool check_output(struct plan *plan, int r, const struct tensor *output, struct diags *diags)
{
    const struct program *program = plan->typed->program;
    const struct shape *shape = result_shape(plan, r);
    const char *name = program->results[r].name;
    struct shape given = {.rank = output->rank};
    if (output->dtype != program->results[r].dtype)
        return diag_at(diags, DIAG_WRONG_DTYPE, NULL, 0, "output", name,
                       type_rows[output->dtype].name, type_rows[program->results[r].dtype].name);
    for (int d = 0; d < output->rank; d++)
        given.extents[d] = output->shape[d];
    if (same_shape(&given, shape))
        return true;
    return diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "output", name,
                   shape_text(diags->arena, program, &given),
                   shape_text(diags->arena, program, shape));
}

static bool check_outputs(struct plan *plan, const struct tensor *outputs, struct diags *diags)
{
    bool good = true;
    for (int r = 0; outputs && r < plan->typed->program->result_count; r++)
        good = check_output(plan, r, &outputs[r], diags) && good;
    return good;
}

static bool any_strided(const struct program *program, const struct tensor *outputs)
{
    for (int r = 0; outputs && r < program->result_count; r++)
        if (!tensor_is_dense(&outputs[r]))
            return true;
    return false;
}

/* `outputs` are compared with the results before anything is compiled for them. */
static bool make_plan(struct weft_program *program, struct plan *plan, const struct tensor *inputs,
                      const struct tensor *outputs, bool strided, struct diags *diags)
{
    jmp_buf env;
    if (ARENA_GUARD(plan->arena, env))
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    plan->key = make_key(plan->arena, plan->typed->program, inputs, strided ? outputs : NULL,
                         &plan->key_length);
    plan->shapes = plan_shapes(plan->arena, plan->typed->program, inputs, diags);
    if (!plan->shapes || !check_outputs(plan, outputs, diags))
        return false;
    plan_kernels(plan, inputs, strided ? outputs : NULL, program);
    return load_kernels(program, plan, diags);
}

struct plan *plan_get(struct weft_program *program, struct typed *typed, const struct tensor *inputs,
                      const struct tensor *outputs, struct diags *diags)
{
    size_t length;
    bool strided = any_strided(typed->program, outputs);
    int64_t *key = make_key(diags->arena, typed->program, inputs, strided ? outputs : NULL, &length);
    pthread_mutex_lock(&program->mutex);
    struct plan *plan = find_plan(typed, key, length);
    pthread_mutex_unlock(&program->mutex);
    if (plan && check_outputs(plan, outputs, diags))
        return plan;
    if (plan) {
        plan_release(program, plan);
        return NULL;
    }
    plan = calloc(1, sizeof *plan);
    if (!plan) {
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        return NULL;
    }
    *plan = (struct plan){.typed = typed, .users = 1};
    arena_init(&plan->own);
    plan->arena = &plan->own;
    if (!make_plan(program, plan, inputs, outputs, strided, diags)) {
        plan_destroy(plan);
        return NULL;
    }
    pthread_mutex_lock(&program->mutex);
    plan->next = typed->plans;
    typed->plans = plan;
    if (++typed->plan_count > MAX_PLANS)
        evict(typed);
    pthread_mutex_unlock(&program->mutex);
    return plan;
}

void plan_release(struct weft_program *program, struct plan *plan)
{
    pthread_mutex_lock(&program->mutex);
    plan->users--;
    pthread_mutex_unlock(&program->mutex);
}
