/* Plans: what a typed program becomes for certain shapes and strides. Made once, then found by
 * comparing a few integers. */
#include "runtime/internal.h"

#include "compiler/schedule.h"

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
    if (tensor->rank == NO_SHAPE)
        return type_shape(arena, type);
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
        plan->infos[k] = (struct weft_kernel_info){.origin = WEFT_FROM_MEMORY};
        planned->loaded = wait ? NULL : atomic_load(&planned->emitted->loaded);
        if (planned->loaded)
            continue;
        const struct kernel_request request = {planned->emitted->text, program->math,
                                               all_exact(planned->kernel), wait};
        planned->loaded = kernels_get(context, &request, diags, &plan->infos[k]);
        atomic_store(&planned->emitted->loaded, planned->loaded);
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
    const struct shape *shape = plan_result_shape(plan, r);
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
    plan->viewed = find_viewed(plan->arena, plan->typed->program);
    return plan_kernels(plan, inputs, plan->strided ? outputs : NULL, program, diags) &&
           load_kernels(program, plan, wait, diags);
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
