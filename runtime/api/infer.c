/* weft_infer and weft_infer_samples: types and shapes of results, without touching data. */
#include "runtime/run/run.h"

#include <string.h>

/* What the caller asks for. */
struct question {
    const struct weft_argument *inputs;
    size_t input_count;
    struct weft_tensor_info *results; /* of all results; NULL: `extents` is asked for */
    size_t result;                 /* the result that extents are asked for */
    int64_t *extents;              /* [samples][rank] */
};

/* Whether the elements are those of a bool, cast to a number. */
static bool is_truth(const struct program *program, int r)
{
    const struct node *node = &program->nodes[program->results[r].node];
    bool cast = program->results[r].dtype != WEFT_BOOL && node->dtype == WEFT_BOOL;
    for (node = named_node(program, node); node->kind == NODE_CAST || (node->kind == NODE_VIEW && node->operand_count);
         node = named_node(program, operand_node(program, node, 0)))
        cast = cast || (node->kind == NODE_CAST && operand_node(program, node, 0)->dtype == WEFT_BOOL);
    return cast && node->dtype == WEFT_BOOL;
}

static void put_info(const struct call *call, const struct shape *shape, const char *layout, int r,
                     struct weft_tensor_info *info)
{
    bool batch = call->batch && call->batched[r];
    *info = (struct weft_tensor_info){.name = call->program->parsed->results[r].name,
                                      .dtype = call->typed->program->results[r].dtype,
                                      .rank = shape ? shape->rank : 0,
                                      .batch = batch, .count = batch ? call->samples : 1,
                                      .truth = is_truth(call->typed->program, r)};
    for (int d = 0; d < info->rank; d++)
        info->shape[d] = shape->extents[d] < 0 ? 0 : shape->extents[d];
    if (layout)
        strcpy(info->layout, layout);
}

static void put_extents(const struct question *question, const struct shape *shape, int64_t i)
{
    if (question->extents)
        memcpy(question->extents + i * shape->rank, shape->extents,
               (size_t)shape->rank * sizeof *question->extents);
}

/* The shape of the result asked for, in the current sample. It lives until the next call; NULL with
 * diagnostics. In the first sample layouts are checked, too, and question->results is filled in; for a batch without
 * samples the shapes are the declared ones. */
static const struct shape *sample_shape(struct call *call, const struct question *question, int64_t i)
{
    struct diag *last = call->diags.last;
    const struct program *program = call_program(call);
    arena_finish(&call->scratch);
    arena_init(&call->scratch);
    call->scratch.out_of_memory = call->arena.out_of_memory;
    const char **layouts;
    const struct shape **shapes = plan_shapes(&call->scratch, program, call->inputs, i ? NULL : &layouts, NULL,
                                              &call->diags);
    for (int r = 0; shapes && i == 0 && question->results && r < program->result_count; r++) {
        int node = program->results[r].node;
        put_info(call, shapes[node], layouts[node], r, &question->results[r]);
    }
    if (!shapes && call->batch && call->samples)
        blame_sample(&call->diags, last, i);
    return shapes ? shapes[program->results[question->result].node] : NULL;
}

static void infer(struct call *call, const void *user)
{
    const struct question *question = user;
    call->inputs = read_arguments(call, question->inputs, question->input_count, false, false);
    if (call->diags.errors || !find_typed(call))
        return;
    bool every = call->batch && (question->results || call->batched[question->result]);
    const struct shape *shape = sample_shape(call, question, 0);
    if (shape && (!every || call->samples))
        put_extents(question, shape, 0);
    for (int64_t i = 1; every && i < call->samples && !call->diags.errors; i++) {
        enum next next = next_sample(call, i, false, false);
        if (next == NEXT_BAD)
            return;
        if (next == NEXT_OTHER)
            shape = sample_shape(call, question, i);
        if (shape)
            put_extents(question, shape, i);
    }
}

enum weft_status weft_infer(struct weft_program *program, const struct weft_argument *inputs,
                            size_t input_count, struct weft_tensor_info *results,
                            struct weft_error **error)
{
    if (!program || !results || (input_count && !inputs))
        return invalid_call(error, "weft_infer needs a program, inputs and room for results, found NULL");
    return call_make(program, infer, &(struct question){inputs, input_count, .results = results}, false, error);
}

enum weft_status weft_infer_samples(struct weft_program *program, const struct weft_argument *inputs,
                                    size_t input_count, size_t result, int64_t *extents,
                                    struct weft_error **error)
{
    if (!program || !extents || (input_count && !inputs))
        return invalid_call(error,
                            "weft_infer_samples needs a program, inputs and room for extents, found NULL");
    if (result >= weft_program_result_count(program))
        return invalid_call(error, "weft_infer_samples asks for a result that the program does not have");
    return call_make(program, infer, &(struct question){inputs, input_count, .result = result, .extents = extents},
                     false, error);
}
