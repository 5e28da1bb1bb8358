/* See trial.h: what lies in memory, and when an output may be an input's buffer. */
#include "tests/random/trial.h"

#include <string.h>

int64_t layout_strides(const struct layout *layout, const struct extents *extents,
                       int64_t strides[FORMULA_RANK], int64_t *first)
{
    int64_t room = 1, low = 0, high = 0;
    for (int i = 0; i < extents->rank; i++) {
        int d = layout->columns ? i : extents->rank - 1 - i;
        int64_t stride = room * (1 + layout->gaps[d]), reach;
        if (layout->still >> d & 1)
            stride = 0;
        else if (extents->at[d] > 0)
            room = stride * extents->at[d];
        strides[d] = layout->backwards >> d & 1 ? -stride : stride;
        reach = extents->at[d] > 0 ? strides[d] * (extents->at[d] - 1) : 0;
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    *first = layout->offset - low;
    return layout->offset + high - low + 1;
}

void sample_settle(struct sample *sample)
{
    int64_t strides[FORMULA_RANK], index[FORMULA_RANK] = {0}, volume = extents_volume(&sample->extents);
    int64_t stride = 1;
    for (int d = sample->extents.rank - 1; d >= 0; d--) {
        strides[d] = sample->layout.still >> d & 1 ? 0 : stride;
        stride *= sample->extents.at[d];
    }
    for (int64_t e = 0; sample->layout.still && e < volume; e++) {
        int64_t from = 0;
        for (int d = 0; d < sample->extents.rank; d++)
            from += index[d] * strides[d];
        sample->values[e] = sample->values[from];
        for (int d = sample->extents.rank - 1; d >= 0; d--) {
            if (++index[d] < sample->extents.at[d])
                break;
            index[d] = 0;
        }
    }
}

/* ---- in place ---- */

/* The nodes that depend on an input. */
static void dependents(const struct formula *formula, int input, bool *depends)
{
    for (int n = 0; n < formula->count; n++) {
        const struct formula_node *node = &formula->nodes[n];
        depends[n] = node->kind == FORMULA_INPUT && node->input == input;
        for (int i = 0; i < node->count; i++)
            depends[n] = depends[n] || depends[node->operands[i]];
    }
}

bool trial_shapes(const struct trial *trial, struct extents (*shapes)[FORMULA_NODES])
{
    struct extents inputs[FORMULA_INPUTS];
    for (int s = 0; s < trial->samples; s++) {
        for (int i = 0; i < trial->formula.input_count; i++)
            inputs[i] = trial_input(trial, i, s)->extents;
        if (!formula_shapes(&trial->formula, inputs, shapes[s]))
            return false;
    }
    return true;
}

/* Whether every result that depends on the input, told ones included, has its shape. */
static bool keeps_shape(const struct formula *formula, const bool *depends,
                        const struct extents *shapes, const struct extents *extents)
{
    bool good = true;
    for (int r = 0; r < formula->result_count; r++)
        good = good && (!depends[formula->results[r]] ||
                        extents_equal(&shapes[formula->results[r]], extents));
    for (int n = 0; n < formula->count; n++)
        if (depends[n] && formula_is_told(formula, &formula->nodes[n]))
            good = good && extents_equal(&shapes[n], extents);
    return good;
}

/* Rule 5.4: what is read of the input is read only at the element being written, that is, by results of
 * its own shape. */
static bool may_be_in_place(const struct trial *trial, struct extents (*shapes)[FORMULA_NODES],
                            int result, int input)
{
    const struct formula *formula = &trial->formula;
    bool depends[FORMULA_NODES], batch = formula->inputs[input].batch, good = true;
    if (batch != formula->nodes[formula->results[result]].batch ||
        type_rows[formula->inputs[input].dtype].size !=
            type_rows[formula_result_dtype(formula, result)].size)
        return false;
    dependents(formula, input, depends);
    for (int n = 0; n < formula->count; n++)
        good = good && (!depends[n] || (formula->nodes[n].batch == batch &&
                                        formula->nodes[n].kind != FORMULA_VIEW &&
                                        formula->nodes[n].kind != FORMULA_REDUCE));
    for (int s = 0; s < (batch ? trial->samples : 1) && good; s++) {
        const struct sample *sample = &trial->inputs[input][s];
        good = !sample->layout.still &&
               extents_equal(&shapes[s][formula->results[result]], &sample->extents) &&
               keeps_shape(formula, depends, shapes[s], &sample->extents);
    }
    return good;
}

/* What is reinterpreted as elements of another size has to be dense. */
static void make_dense(struct trial *trial)
{
    const struct formula *formula = &trial->formula;
    for (int n = 0; n < formula->count; n++) {
        const struct formula_node *node = &formula->nodes[n];
        const struct formula_node *from = &formula->nodes[node->operands[0]];
        if (node->kind == FORMULA_VIEW && from->kind == FORMULA_INPUT &&
            type_rows[from->dtype].size != type_rows[node->dtype].size)
            for (int s = 0; s < FORMULA_SAMPLES; s++)
                trial->inputs[from->input][s].layout = (struct layout){0};
    }
}

bool trial_settle(struct trial *trial)
{
    struct formula *formula = &trial->formula;
    bool taken[FORMULA_INPUTS] = {false};
    struct extents shapes[FORMULA_SAMPLES][FORMULA_NODES];
    if (!formula_settle(formula) || formula->result_count == 0 || !trial_shapes(trial, shapes))
        return false;
    make_dense(trial);
    for (int r = 0; r < formula->result_count; r++) {
        int input = trial->in_place[r];
        if (input >= 0 && (input >= formula->input_count || taken[input] ||
                           !may_be_in_place(trial, shapes, r, input)))
            trial->in_place[r] = -1;
        else if (input >= 0)
            taken[input] = true;
        if (trial->in_place[r] >= 0)
            trial->outputs[r] = trial->inputs[input][0].layout;
    }
    formula_bind(formula);
    return true;
}
