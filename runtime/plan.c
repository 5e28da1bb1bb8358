/* Plans: what a typed program becomes for certain shapes and strides. Made once, then found by
 * comparing a few integers. */
#include "runtime/internal.h"

#include "compiler/schedule.h"
#include "compiler/verify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PLANS = 64,                /* kept for each instance; the one used longest ago goes */
    FETCHED_BYTES = 4 << 20,       /* inputs and outputs together, from which on inputs are fetched */
    FETCH_AHEAD = 2048,            /* bytes */
    STREAMED_BYTES = 16 << 20      /* outputs, from which on they are written past the caches */
};

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

static void access_view(const struct plan *plan, const struct planned *planned, int a,
                        const struct tensor *inputs, const struct tensor *outputs, struct view *view)
{
    const struct access *access = &planned->kernel->accesses[a];
    const struct shape *to = result_shape(plan, planned->kernel->results[0]);
    const struct shape *from = to;
    const int64_t *extents = to->extents, *strides = NULL;
    int rank = to->rank;
    if (access->kind == TENSOR_INPUT) {
        extents = inputs[access->index].shape;
        rank = inputs[access->index].rank;
        strides = inputs[access->index].strides;
    } else if (access->kind == TENSOR_CONSTANT) {
        from = plan->shapes[planned->kernel->constants[access->index].node];
        extents = from->extents;
        rank = from->rank;
    } else if (outputs) {
        strides = outputs[access->index].strides;
    }
    broadcast_strides(to->rank, to->extents, rank, extents, strides, type_rows[access->dtype].size,
                      view->strides);
}

/* Work on more memory than the near caches hold is fetched ahead, and its outputs, when they are large,
 * are written past the caches: a plain store would read the line first. Both sizes are measured
 * (bench/throughput.py --sizes). */
static void choose_traffic(struct planned *planned, unsigned fast)
{
    const struct kernel *kernel = planned->kernel;
    int64_t stored = 0, touched = 0;
    for (int a = 0; a < kernel->access_count; a++) {
        int64_t bytes = planned->geometry.volume * type_rows[kernel->accesses[a].dtype].size;
        bool moves = planned->geometry.kinds[a] != ACCESS_SCALAR &&
                     planned->geometry.kinds[a] != ACCESS_PERIODIC;
        touched += moves ? bytes : 0;
        stored += a >= kernel->load_count ? bytes : 0;
    }
    planned->ahead = touched >= FETCHED_BYTES ? FETCH_AHEAD : 0;
    planned->streams = (fast & FAST_STREAM) && stored >= STREAMED_BYTES;
}

/* See struct planned. The weights are rough: a row that is called on whole blocks takes about as long
 * as moving 32 bytes, another as one. */
static int64_t estimate(const struct kernel *kernel, const struct geometry *g)
{
    double each = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        each += is_block_call(&kernel->ins[i]) ? 32 : 1;
    for (int a = 0; a < kernel->access_count; a++)
        each += g->kinds[a] == ACCESS_SCALAR ? 0 : type_rows[kernel->accesses[a].dtype].size;
    double all = each * (double)g->volume;
    return all < (double)(INT64_MAX / 2) ? (int64_t)all : INT64_MAX / 2;
}

/* One kernel for results of one shape, up to its text. */
static void make_kernel(struct plan *plan, struct planned *planned, const int *results, int count,
                        const struct tensor *inputs, const struct tensor *outputs,
                        const struct weft_context *context)
{
    struct arena *arena = plan->arena;
    const struct shape *shape = result_shape(plan, results[0]);
    planned->kernel = lower(arena, plan->typed->program, results, count);
    const struct kernel *kernel = planned->kernel;
    struct view *views = ARENA_ARRAY(arena, struct view, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        access_view(plan, planned, a, inputs, outputs, &views[a]);
    struct geometry *g = &planned->geometry;
    make_geometry(arena, kernel, shape->rank, shape->extents, views, context->fast, g);
    assert(!verify_program(plan->typed->program));
    assert(!verify_kernel(kernel));
    assert(!verify_geometry(kernel, g));
    const struct emit_params params = {&target_c, g->kinds, context->cc.vector_functions, context->fast};
    planned->work = estimate(kernel, g);
    planned->text = emit(arena, kernel, &params, &planned->scratch);
    planned->sample = (struct weft_sample){
        .rows = g->rows, .columns = g->columns, .tile_rows = g->tile_rows,
        .tile_columns = g->tile_columns, .row_tiles = g->row_tiles, .period = g->period,
        .groups = g->groups, .extents = (const long long *)g->extents,
        .strides = (const long long *)g->strides};
    choose_traffic(planned, context->fast);
    planned->literals = ARENA_ARRAY(arena, unsigned long long, kernel->literal_count);
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel->literals[i].bits;
}

void plan_kernels(struct plan *plan, const struct tensor *inputs, const struct tensor *outputs,
                  const struct weft_context *context)
{
    int count = plan->typed->program->result_count;
    bool *taken = ARENA_ARRAY(plan->arena, bool, count);
    plan->kernels = ARENA_ARRAY(plan->arena, struct planned, count);
    plan->infos = ARENA_ARRAY(plan->arena, struct weft_kernel_info, count);
    for (int first = 0; first < count; first++) {
        int *results = NULL, together = 0;
        for (int r = first; r < count; r++)
            if (!taken[r] && same_shape(result_shape(plan, r), result_shape(plan, first))) {
                ARENA_PUSH(plan->arena, results, together, r);
                taken[r] = true;
            }
        if (together && results[0] == first)
            make_kernel(plan, &plan->kernels[plan->kernel_count++], results, together, inputs,
                        outputs, context);
    }
}

static bool all_exact(const struct kernel *kernel)
{
    for (int i = 0; i < kernel->ins_count; i++)
        if (is_block_call(&kernel->ins[i]))
            return false;
    return true;
}

static bool load_kernels(struct weft_program *program, struct plan *plan, bool wait,
                         struct diags *diags)
{
    struct weft_context *context = program->context;
    bool good = true;
    for (int k = 0; good && k < plan->kernel_count; k++) {
        struct planned *planned = &plan->kernels[k];
        const struct kernel_request request = {planned->text, program->math,
                                               all_exact(planned->kernel), wait};
        planned->loaded = kernels_get(context, &request, diags, &plan->infos[k]);
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

static void make_key(struct plan *plan, const struct tensor *inputs, const struct tensor *outputs)
{
    const struct program *program = plan->typed->program;
    size_t size = 0;
    for (int i = 0; i < program->input_count; i++)
        size += 1 + 2 * (size_t)inputs[i].rank;
    for (int i = 0; plan->strided && i < program->result_count; i++)
        size += 1 + 2 * (size_t)outputs[i].rank;
    int64_t *to = plan->key = ARENA_ARRAY(plan->arena, int64_t, size);
    for (int i = 0; i < program->input_count; i++)
        to = put_tensor(to, &inputs[i]);
    for (int i = 0; plan->strided && i < program->result_count; i++)
        to = put_tensor(to, &outputs[i]);
}

/* Where the key goes on after a tensor like this one, NULL when it has another. */
static const int64_t *match_tensor(const int64_t *key, const struct tensor *tensor)
{
    if (*key++ != tensor->rank)
        return NULL;
    for (int d = 0; d < tensor->rank; d++, key += 2)
        if (key[0] != tensor->shape[d] || key[1] != tensor->strides[d])
            return NULL;
    return key;
}

static bool match(const struct plan *plan, const struct tensor *inputs, const struct tensor *outputs,
                  bool strided)
{
    const struct program *program = plan->typed->program;
    const int64_t *key = plan->strided == strided ? plan->key : NULL;
    for (int i = 0; key && i < program->input_count; i++)
        key = match_tensor(key, &inputs[i]);
    for (int i = 0; key && strided && i < program->result_count; i++)
        key = match_tensor(key, &outputs[i]);
    return key;
}

static struct plan *find_plan(struct typed *typed, const struct tensor *inputs,
                              const struct tensor *outputs, bool strided)
{
    for (struct plan **at = &typed->plans; *at; at = &(*at)->next) {
        struct plan *plan = *at;
        if (!match(plan, inputs, outputs, strided))
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
static void evict(struct weft_program *program, struct typed *typed)
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
    if (program->recent == plan->recent)
        program->recent = NULL;
    plan_destroy(plan);
}

static bool wrong_shape(const struct program *program, const char *name, const struct tensor *output,
                        const struct shape *expected, struct diags *diags)
{
    struct shape given = {.rank = output->rank};
    for (int d = 0; d < output->rank; d++)
        given.extents[d] = output->shape[d];
    return diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "output", name,
                   shape_text(diags->arena, program, &given),
                   shape_text(diags->arena, program, expected));
}

static bool check_output(struct plan *plan, int r, const struct tensor *output, struct diags *diags)
{
    const struct program *program = plan->typed->program;
    const struct shape *shape = result_shape(plan, r);
    const char *name = program->results[r].name;
    if (output->dtype != program->results[r].dtype)
        return diag_at(diags, DIAG_WRONG_DTYPE, NULL, 0, "output", name,
                       type_rows[output->dtype].name, type_rows[program->results[r].dtype].name);
    bool same = output->rank == shape->rank;
    for (int d = 0; same && d < output->rank; d++)
        same = output->shape[d] == shape->extents[d];
    return same || wrong_shape(program, name, output, shape, diags);
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
        if (!outputs[r].dense)
            return true;
    return false;
}

/* `outputs` are compared with the results before anything is compiled for them. */
static bool make_plan(struct weft_program *program, struct plan *plan, const struct tensor *inputs,
                      const struct tensor *outputs, bool wait, struct diags *diags)
{
    jmp_buf env;
    if (ARENA_GUARD(plan->arena, env))
        return diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    make_key(plan, inputs, outputs);
    plan->shapes = plan_shapes(plan->arena, plan->typed->program, inputs, diags);
    if (!plan->shapes || !check_outputs(plan, outputs, diags))
        return false;
    plan_kernels(plan, inputs, plan->strided ? outputs : NULL, program->context);
    return load_kernels(program, plan, wait, diags);
}

struct plan *plan_get(struct weft_program *program, struct typed *typed, const struct tensor *inputs,
                      const struct tensor *outputs, bool wait, struct diags *diags)
{
    bool strided = any_strided(typed->program, outputs);
    pthread_mutex_lock(&program->mutex);
    struct plan *plan = find_plan(typed, inputs, outputs, strided);
    pthread_mutex_unlock(&program->mutex);
    if (plan && check_outputs(plan, outputs, diags))
        return plan;
    if (plan) {
        plan_release(plan);
        return NULL;
    }
    plan = calloc(1, sizeof *plan);
    if (!plan) {
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        return NULL;
    }
    *plan = (struct plan){.typed = typed, .users = 1, .strided = strided};
    arena_init(&plan->own);
    plan->arena = &plan->own;
    if (!make_plan(program, plan, inputs, outputs, wait, diags)) {
        plan_destroy(plan);
        return NULL;
    }
    pthread_mutex_lock(&program->mutex);
    plan->next = typed->plans;
    typed->plans = plan;
    if (++typed->plan_count > MAX_PLANS)
        evict(program, typed);
    pthread_mutex_unlock(&program->mutex);
    return plan;
}

void plan_release(struct plan *plan)
{
    atomic_fetch_sub(&plan->users, 1);
}
