/* See formula.h. */
#include "tests/random/formula.h"

#include "tests/random/chance.h"
#include "tests/random/gather.h"
#include "tests/random/join.h"
#include "tests/random/neighbour.h"
#include "tests/random/number.h"
#include "tests/random/reduction.h"
#include "tests/random/scatter.h"
#include "tests/random/series.h"
#include "tests/random/take.h"
#include "tests/random/view.h"

#include <string.h>

/* ---- rows ---- */

bool formula_is_sign(const struct formula_node *node)
{
    size_t length;
    const char *word = word_at(op_rows[node->op].spellings, node->spelling, &length);
    return !(*word >= 'a' && *word <= 'z');
}

bool formula_shows_bits(const struct formula *formula, const struct formula_node *node)
{
    return node->kind == FORMULA_VIEW && formula->views[node->view].kind == VIEWS_REINTERPRET &&
           dtype_is_float(formula->nodes[node->operands[0]].dtype) &&
           formula->nodes[node->operands[0]].dtype != node->dtype;
}

bool formula_is_told(const struct formula *formula, const struct formula_node *node)
{
    if (formula_shows_bits(formula, node))
        return true;
    if (node->kind == FORMULA_REDUCE)
        return reduction_is_told(formula->reductions[node->reduction].function);
    return node->kind == FORMULA_OP && node->number.kind == NUMBER_NONE &&
           dtype_is_float(node->meeting) &&
           (op_rows[node->op].ulp32 > 0 || node->op == OP_COPYSIGN);
}

/* ---- typing ---- */

static const struct formula_node *operand(const struct formula *formula,
                                          const struct formula_node *node, int i)
{
    return &formula->nodes[node->operands[i]];
}

static bool is_numeric(const struct number *number)
{
    return number->kind == NUMBER_INTEGER || number->kind == NUMBER_REAL;
}

/* A row on literal expressions is one, too. */
static bool folds(const struct formula *formula, const struct formula_node *node)
{
    bool all = true;
    for (int i = 0; i < node->count; i++)
        all = all && operand(formula, node, i)->number.kind != NUMBER_NONE;
    return all;
}

static bool settle_folded(const struct formula *formula, struct formula_node *node)
{
    const struct number *numbers[FORMULA_OPERANDS];
    for (int i = 0; i < node->count; i++)
        numbers[i] = &operand(formula, node, i)->number;
    const bool good = number_fold(node->op, numbers, node->count, &node->number);
    node->dtype = good ? number_dtype(&node->number) : WEFT_DTYPE_COUNT;
    return node->dtype != WEFT_DTYPE_COUNT;
}

/* Every element of an array literal, or the literal itself, may meet the type. */
static bool constant_meets(const struct formula *formula, const struct formula_node *node,
                           enum weft_dtype dtype)
{
    bool good = number_meets(&node->number, dtype);
    int64_t count = node->kind == FORMULA_ARRAY ? extents_volume(&node->extents) : 0;
    for (int i = 0; i < count; i++)
        good = good && number_meets(&formula->elements[node->elements + i], dtype);
    return good;
}

static bool settle_rule(const struct formula *formula, const struct formula_node *node,
                        const struct rule *rule)
{
    bool all_bool = true, floats = false;
    for (int i = 0; i < node->count; i++) {
        enum weft_dtype dtype = operand(formula, node, i)->dtype;
        all_bool = all_bool && dtype == WEFT_BOOL;
        floats = floats || dtype_is_float(dtype);
    }
    return (rule->floats || !floats) && (rule->all_bool || !all_bool);
}

static enum weft_dtype meeting(const struct formula *formula, const struct formula_node *node,
                               const struct rule *rule, int first)
{
    enum weft_dtype dtype = operand(formula, node, first)->dtype;
    for (int i = first + 1; i < node->count; i++)
        dtype = promote(dtype, operand(formula, node, i)->dtype);
    if (rule->operand == OPERAND_BOOL)
        return WEFT_BOOL;
    const bool real = rule->operand == OPERAND_FLOAT || rule->operand == OPERAND_DIVIDED;
    return real && !dtype_is_float(dtype) ? WEFT_FLOAT32 : dtype;
}

static bool settle_op(struct formula *formula, struct formula_node *node)
{
    const struct op_row *row = &op_rows[node->op];
    const struct rule *rule = &rule_rows[row->rule];
    int first = row->rule == RULE_SELECT;
    if (!settle_rule(formula, node, rule))
        return false;
    if (folds(formula, node))
        return settle_folded(formula, node);
    node->meeting = meeting(formula, node, rule, first);
    node->dtype = rule->result == RESULT_BOOL ? WEFT_BOOL : node->meeting;
    node->by_value = row->rule == RULE_COMPARE && node->meeting == WEFT_INT64 &&
                     (operand(formula, node, 0)->dtype == WEFT_UINT64 ||
                      operand(formula, node, 1)->dtype == WEFT_UINT64);
    for (int i = first; i < node->count; i++) {
        const struct formula_node *from = operand(formula, node, i);
        bool own = node->by_value && from->dtype == WEFT_UINT64;
        if (!constant_meets(formula, from, own ? WEFT_UINT64 : node->meeting))
            return false;
    }
    const struct number *divisor = &operand(formula, node, node->count - 1)->number;
    return !op_fault(node->op, node->meeting) || !is_numeric(divisor) || divisor->integer != 0;
}

/* Integers alone have the smallest type that holds all of them. */
static bool settle_array(struct formula *formula, struct formula_node *node)
{
    int64_t count = extents_volume(&node->extents);
    bool integers = true, negative = false, large = false;
    for (int i = 0; i < count; i++) {
        const struct number *number = &formula->elements[node->elements + i];
        enum weft_dtype dtype = number_dtype(number);
        if (dtype == WEFT_DTYPE_COUNT)
            return false;
        integers = integers && number->kind == NUMBER_INTEGER;
        negative = negative || number->integer < 0;
        large = large || dtype == WEFT_UINT64;
        node->dtype = i ? promote(node->dtype, dtype) : dtype;
    }
    if (integers && large)
        node->dtype = WEFT_UINT64;
    return !(integers && large && negative);
}

static bool settle_view(const struct formula *formula, struct formula_node *node)
{
    if (is_series(&formula->views[node->view])) {
        node->dtype = formula->views[node->view].kind == VIEWS_ARANGE ? WEFT_INT32 : WEFT_FLOAT32;
        return node->count == 0 || constant_meets(formula, operand(formula, node, 0), operand(formula, node, 0)->dtype);
    }
    const struct formula_node *from = operand(formula, node, 0);
    if (is_joined(&formula->views[node->view])) {
        bool good = true;
        node->dtype = from->dtype;
        for (int i = 1; i < node->count; i++)
            node->dtype = promote(node->dtype, operand(formula, node, i)->dtype);
        for (int i = 0; i < node->count; i++)
            good = good && constant_meets(formula, operand(formula, node, i), node->dtype);
        return good;
    }
    if (is_scattered(&formula->views[node->view])) {
        const struct formula_node *v = operand(formula, node, 2);
        node->dtype = from->dtype;
        return dtype_is_integer(operand(formula, node, 1)->dtype) && from->number.kind == NUMBER_NONE &&
               constant_meets(formula, from, from->dtype) &&
               scatter_takes(&formula->views[node->view], v, from->dtype) && constant_meets(formula, v, from->dtype);
    }
    if (is_gathered(&formula->views[node->view])) {
        const struct formula_node *positions = operand(formula, node, 1);
        const bool sample = formula->views[node->view].kind == VIEWS_SAMPLE;
        node->dtype = sample ? promote(positions->dtype, from->dtype) : from->dtype;
        return (sample ? dtype_is_float(positions->dtype) : dtype_is_integer(positions->dtype)) &&
               constant_meets(formula, from, node->dtype) &&
               neighbour_numbers_fit(&formula->views[node->view], from->dtype);
    }
    if (is_neighbour(&formula->views[node->view])) {
        node->dtype = from->dtype;
        if (is_correlation(&formula->views[node->view])) {
            const struct formula_node *k = operand(formula, node, 1);
            node->dtype = promote(from->dtype, k->dtype);
            return node->dtype != WEFT_BOOL && (k->kind == FORMULA_ARRAY || k->kind == FORMULA_INPUT) &&
                   constant_meets(formula, from, node->dtype) && constant_meets(formula, k, node->dtype) &&
                   neighbour_numbers_fit(&formula->views[node->view], from->dtype);
        }
        return constant_meets(formula, from, from->dtype) &&
               neighbour_numbers_fit(&formula->views[node->view], from->dtype);
    }
    if (formula->views[node->view].kind == VIEWS_TAKE) {
        const struct formula_node *positions = operand(formula, node, 1);
        node->dtype = from->dtype;
        return dtype_is_integer(positions->dtype) && constant_meets(formula, from, from->dtype) &&
               constant_meets(formula, positions, positions->dtype);
    }
    if (is_chance(&formula->views[node->view])) {
        node->dtype = chance_dtype(&formula->views[node->view]);
        return constant_meets(formula, from, from->dtype);
    }
    if (formula->views[node->view].kind == VIEWS_INDEX) {
        node->dtype = WEFT_INT32;
        return true;
    }
    if (formula->views[node->view].kind != VIEWS_REINTERPRET)
        node->dtype = from->dtype;
    else if (from->kind != FORMULA_INPUT && type_rows[from->dtype].size != type_rows[node->dtype].size)
        return false;
    return constant_meets(formula, from, from->dtype);
}

/* vecdot's operands are converted to the type of its sum. */
static bool settle_reduction(const struct formula *formula, struct formula_node *node)
{
    const enum reduction function = formula->reductions[node->reduction].function;
    enum weft_dtype from = operand(formula, node, 0)->dtype;
    for (int i = 1; i < node->count; i++)
        from = promote(from, operand(formula, node, i)->dtype);
    node->meeting = from;
    node->dtype = reduction_dtype(function, from);
    bool good = reduction_takes(function, from);
    for (int i = 0; i < node->count; i++)
        good = good && constant_meets(formula, operand(formula, node, i), from);
    return good;
}

static bool settle_kind(struct formula *formula, struct formula_node *node)
{
    switch (node->kind) {
    case FORMULA_INPUT: node->dtype = formula->inputs[node->input].dtype; return true;
    case FORMULA_LITERAL: node->dtype = number_dtype(&node->number); return true;
    case FORMULA_ARRAY: return settle_array(formula, node);
    case FORMULA_OP: return settle_op(formula, node);
    case FORMULA_CAST: return true;
    case FORMULA_VIEW: return settle_view(formula, node);
    case FORMULA_REDUCE: return settle_reduction(formula, node);
    case FORMULA_WRAP:
        return dtype_is_integer(node->dtype) && dtype_is_integer(operand(formula, node, 0)->dtype);
    }
    return false;
}

bool formula_settle_node(struct formula *formula, int index)
{
    struct formula_node *node = &formula->nodes[index];
    node->batch = node->kind == FORMULA_INPUT && formula->inputs[node->input].batch;
    for (int i = 0; i < node->count; i++)
        node->batch = node->batch || operand(formula, node, i)->batch;
    if (node->kind != FORMULA_LITERAL)
        node->number = (struct number){0};
    node->meeting = WEFT_BOOL;
    node->by_value = false;
    return settle_kind(formula, node);
}

enum weft_dtype formula_result_dtype(const struct formula *formula, int result)
{
    return formula->kernel ? formula->casts[result]
                           : formula->nodes[formula->results[result]].dtype;
}

bool formula_settle(struct formula *formula)
{
    bool good = true;
    for (int i = 0; i < formula->count && good; i++)
        good = formula_settle_node(formula, i);
    for (int i = 0; i < formula->result_count && good && !formula->kernel; i++) {
        const struct formula_node *node = &formula->nodes[formula->results[i]];
        good = constant_meets(formula, node, node->dtype);
    }
    return good;
}

/* ---- the tree ---- */

void formula_prune(struct formula *formula, int kept[FORMULA_INPUTS])
{
    bool needed[FORMULA_NODES] = {false};
    int moved[FORMULA_NODES], count = 0, inputs = 0;
    for (int i = 0; i < formula->result_count; i++)
        needed[formula->results[i]] = true;
    for (int i = 0; i < FORMULA_INPUTS; i++)
        kept[i] = -1;
    for (int n = formula->count - 1; n >= 0; n--) {
        const struct formula_node *node = &formula->nodes[n];
        for (int i = 0; needed[n] && i < node->count; i++)
            needed[node->operands[i]] = true;
        if (needed[n] && node->kind == FORMULA_INPUT)
            kept[node->input] = 0;
    }
    for (int i = 0; i < formula->input_count; i++)
        if (kept[i] == 0) {
            formula->inputs[inputs] = formula->inputs[i];
            kept[i] = inputs++;
        }
    formula->input_count = inputs;
    for (int n = 0; n < formula->count; n++) {
        if (!needed[n])
            continue;
        struct formula_node *node = &formula->nodes[count];
        *node = formula->nodes[n];
        for (int i = 0; i < node->count; i++)
            node->operands[i] = moved[node->operands[i]];
        if (node->kind == FORMULA_INPUT)
            node->input = kept[node->input];
        moved[n] = count++;
    }
    formula->count = count;
    for (int i = 0; i < formula->result_count; i++)
        formula->results[i] = moved[formula->results[i]];
}

void formula_bind(struct formula *formula)
{
    int uses[FORMULA_NODES] = {0};
    for (int n = 0; n < formula->count; n++)
        for (int i = 0; i < formula->nodes[n].count; i++)
            uses[formula->nodes[n].operands[i]]++;
    for (int i = 0; i < formula->result_count; i++)
        uses[formula->results[i]]++;
    for (int n = 0; n < formula->count; n++) {
        struct formula_node *node = &formula->nodes[n];
        bool leaf = node->kind == FORMULA_INPUT || node->kind == FORMULA_LITERAL;
        node->bound = formula_is_told(formula, node) || (!leaf && uses[n] > 1) || node->manner % 8 == 0;
        node->bound = node->bound && node->kind != FORMULA_INPUT;
    }
}

/* ---- shapes ---- */

bool extents_broadcast(struct extents *into, const struct extents *more)
{
    struct extents out = {into->rank > more->rank ? into->rank : more->rank, {0}};
    for (int back = 1; back <= out.rank; back++) {
        int64_t a = back <= into->rank ? into->at[into->rank - back] : 1;
        int64_t b = back <= more->rank ? more->at[more->rank - back] : 1;
        if (a != b && a != 1 && b != 1)
            return false;
        out.at[out.rank - back] = a == 1 ? b : a;
    }
    *into = out;
    return true;
}

int64_t extents_volume(const struct extents *extents)
{
    int64_t volume = 1;
    for (int d = 0; d < extents->rank; d++)
        volume *= extents->at[d];
    return volume;
}

bool extents_equal(const struct extents *a, const struct extents *b)
{
    bool equal = a->rank == b->rank;
    for (int d = 0; d < a->rank && equal; d++)
        equal = a->at[d] == b->at[d];
    return equal;
}

bool formula_shape(const struct formula *formula, int n, const struct extents *inputs,
                   struct extents *shapes)
{
    const struct formula_node *node = &formula->nodes[n];
    shapes[n] = (struct extents){0};
    if (node->kind == FORMULA_INPUT)
        shapes[n] = inputs[node->input];
    if (node->kind == FORMULA_ARRAY)
        shapes[n] = node->extents;
    if (node->kind == FORMULA_VIEW && is_series(&formula->views[node->view]))
        return series_extents(&formula->views[node->view], node->count ? &shapes[node->operands[0]] : NULL, &shapes[n]);
    if (node->kind == FORMULA_VIEW && is_joined(&formula->views[node->view]))
        return join_extents_of(&formula->views[node->view], node, shapes, &shapes[n]);
    if (node->kind == FORMULA_VIEW && is_taken(&formula->views[node->view]))
        return take_extents(&formula->views[node->view], &shapes[node->operands[0]], &shapes[node->operands[1]],
                            &shapes[n]);
    if (node->kind == FORMULA_VIEW && is_scattered(&formula->views[node->view])) {
        const struct formula_view places = scatter_places(&formula->views[node->view]);
        struct extents full, spread;
        shapes[n] = shapes[node->operands[0]];
        if (!gather_extents(&places, &shapes[node->operands[0]], &shapes[node->operands[1]], &full))
            return false;
        spread = full;
        return extents_broadcast(&spread, &shapes[node->operands[2]]) && extents_equal(&spread, &full);
    }
    if (node->kind == FORMULA_VIEW && is_gathered(&formula->views[node->view]))
        return gather_extents(&formula->views[node->view], &shapes[node->operands[0]], &shapes[node->operands[1]],
                              &shapes[n]);
    if (node->kind == FORMULA_VIEW && is_chance(&formula->views[node->view]))
        return chance_extents(&formula->views[node->view], &shapes[node->operands[0]], &shapes[n]);
    if (node->kind == FORMULA_VIEW && is_neighbour(&formula->views[node->view]))
        return neighbour_extents(&formula->views[node->view], &shapes[node->operands[0]],
                                 node->count > 1 ? &shapes[node->operands[1]] : NULL, &shapes[n]);
    if (node->kind == FORMULA_VIEW)
        return view_extents(&formula->views[node->view],
                            type_rows[formula->nodes[node->operands[0]].dtype].size,
                            type_rows[node->dtype].size, &shapes[node->operands[0]], &shapes[n]);
    for (int i = 0; i < node->count; i++)
        if (!extents_broadcast(&shapes[n], &shapes[node->operands[i]]))
            return false;
    return node->kind != FORMULA_REDUCE ||
           reduction_extents(&formula->reductions[node->reduction], &shapes[n], &shapes[n]);
}

bool formula_shapes(const struct formula *formula, const struct extents *inputs,
                    struct extents *shapes)
{
    bool good = true;
    for (int n = 0; n < formula->count && good; n++)
        good = formula_shape(formula, n, inputs, shapes);
    return good;
}
