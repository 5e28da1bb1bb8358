/* The nodes of a random program. Each step takes a row or a conversion and operands for it among what there
 * is, rather what nothing uses yet; what turns out wrong is taken back. */
#include "tests/random/generator.h"
#include "tests/random/chance.h"
#include "tests/random/gather.h"
#include "tests/random/join.h"
#include "tests/random/neighbour.h"
#include "tests/random/reduction.h"
#include "tests/random/scatter.h"
#include "tests/random/series.h"
#include "tests/random/take.h"
#include "tests/random/view.h"

#include <math.h>

/* ---- numbers ---- */

static struct number any_integer(struct generator *g)
{
    static const int64_t list[] = {127, 128, 255, 256, 32767, 65535, 65536, INT32_MAX,
                                   (int64_t)INT32_MAX + 1, UINT32_MAX, INT64_MAX, INT64_MIN + 1};
    struct number number = {.kind = NUMBER_INTEGER, .integer = detail_below(g, 12)};
    if (detail_chance(g, 6))
        number.integer = list[detail_below(g, sizeof list / sizeof *list)];
    if (detail_chance(g, 40))
        number.integer = (__int128)1 << 63;
    if (detail_chance(g, 6))
        number.integer = -number.integer;
    return number;
}

static struct number any_real(struct generator *g)
{
    static const double list[] = {0.1, 0.5, 1.5, 2.0, 2.5, 3.0, 1e-3, 1e10, 255.5, 1e-40, 1e300,
                                  0.3333333333333333, 3.141592653589793, 65504.0, 1e5, 0.0};
    struct number number = {.kind = NUMBER_REAL};
    number.real = list[detail_below(g, sizeof list / sizeof *list)];
    if (detail_chance(g, 3))
        number.real = stream_value(&g->detail, WEFT_FLOAT64).f64;
    if (detail_chance(g, 5))
        number.real = -number.real;
    if (isnan(number.real))
        number.real = NAN;
    return number;
}

/* One of an array literal's, whose extents are details. */
static struct number any_scalar(struct generator *g)
{
    return detail_chance(g, 12) ? (struct number){.kind = NUMBER_BOOL, .integer = detail_below(g, 2)}
           : detail_chance(g, 3) ? any_real(g) : any_integer(g);
}

static struct number any_number(struct generator *g)
{
    if (chance(g, 12))
        return (struct number){.kind = NUMBER_BOOL, .integer = detail_below(g, 2)};
    return chance(g, 3) ? any_real(g) : any_integer(g);
}

/* ---- nodes ---- */

int add_node(struct generator *g, struct formula_node node)
{
    struct formula *formula = &g->trial->formula;
    node.manner = (unsigned)stream_bits(&g->stream);
    formula->nodes[formula->count] = node;
    g->uses[formula->count] = 0;
    return formula->count++;
}

/* Whether what a node joins, its operands broadcast together, is no more than the slow evaluator gets through. */
static bool joins_little(const struct generator *g, int sample, const struct formula_node *node)
{
    struct extents shape = {0};
    for (int i = 0; i < node->count && node->kind == FORMULA_REDUCE; i++)
        extents_broadcast(&shape, &g->shapes[sample][node->operands[i]]);
    return extents_volume(&shape) <= 16 * g->most;
}

bool settle(struct generator *g, int index)
{
    struct formula *formula = &g->trial->formula;
    bool good = formula_settle_node(formula, index);
    for (int s = 0; s < g->trial->samples && good; s++) {
        struct extents inputs[FORMULA_INPUTS];
        for (int i = 0; i < formula->input_count; i++)
            inputs[i] = trial_input(g->trial, i, s)->extents;
        good = formula_shape(formula, index, inputs, g->shapes[s]) &&
               extents_volume(&g->shapes[s][index]) <= g->most && joins_little(g, s, &formula->nodes[index]);
    }
    return good;
}

/* Whether the node broadcasts with others, in all samples. */
static bool goes_with(const struct generator *g, int node, const int *others, int count)
{
    for (int s = 0; s < g->trial->samples; s++) {
        struct extents shape = g->shapes[s][node];
        for (int i = 0; i < count; i++)
            if (!extents_broadcast(&shape, &g->shapes[s][others[i]]))
                return false;
    }
    return true;
}

static int literal_node(struct generator *g)
{
    int node = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = any_number(g)});
    settle(g, node);
    return node;
}

/* Beside an integer that needs uint64 none is negative: rule 2.6. */
static void agree(struct number *elements, int64_t count)
{
    bool large = false;
    for (int64_t i = 0; i < count; i++)
        large = large || number_dtype(&elements[i]) == WEFT_UINT64;
    for (int64_t i = 0; large && i < count; i++)
        if (elements[i].integer < 0)
            elements[i].integer = -1 - elements[i].integer;
}

/* An array literal: it needs extents that are alike in all samples, and few elements. */
static int array_node(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_ARRAY, .elements = formula->element_count};
    unsigned stretched;
    const struct extents *envelopes[FORMULA_SAMPLES];
    for (int s = 0; s < g->trial->samples; s++)
        envelopes[s] = &g->envelopes[s];
    any_part(g, envelopes[0]->rank, &node.extents.rank, &stretched);
    stretched |= unlike(g, envelopes, node.extents.rank);
    node.extents = part_of(envelopes[0], node.extents.rank, stretched);
    for (int d = 0; d < node.extents.rank; d++)
        if (node.extents.at[d] > 8 || node.extents.at[d] < 1)
            node.extents.at[d] = 1;
    int64_t volume = extents_volume(&node.extents);
    if (node.extents.rank == 0 || volume > 24 || formula->element_count + volume > g->room.elements)
        return literal_node(g);
    int kind = below(g, 4);
    for (int i = 0; i < volume; i++)
        formula->elements[formula->element_count++] =
            kind == 0 ? any_scalar(g) : kind == 1 ? any_real(g) : any_integer(g);
    agree(&formula->elements[node.elements], volume);
    int index = add_node(g, node);
    settle(g, index);
    return index;
}

static int unused_node(struct generator *g)
{
    int count = g->trial->formula.count, at = below(g, count);
    for (int i = 0; i < count; i++) {
        int node = (at + count - i) % count;
        if (g->uses[node] == 0 &&
            (g->trial->formula.nodes[node].kind != FORMULA_INPUT || chance(g, 3)))
            return node;
    }
    return at;
}

/* The first operand is seldom a literal: programs would be of literals alone. */
static int any_operand(struct generator *g, bool first)
{
    struct formula *formula = &g->trial->formula;
    int kind = below(g, 20);
    bool constant = kind < (first ? 1 : 5) && formula->count + 8 < g->room.nodes;
    if (constant && (!first || chance(g, 3)))
        return kind == 0 ? array_node(g) : literal_node(g);
    if (kind < 6 - 4 * first)
        return g->inputs[below(g, formula->input_count)];
    return kind < 19 ? unused_node(g) : below(g, formula->count);
}

static enum op any_row(struct generator *g)
{
    for (;;) {
        enum op op = (enum op)below(g, OP_COUNT);
        bool costly = op_rows[op].ulp32 > 0 && op_rows[op].form == FORM_CALL;
        if (op_rows[op].form != FORM_INTERNAL && (!costly || chance(g, 3)))
            return op;
    }
}

static int operand_count(struct generator *g, enum op op)
{
    return op_rows[op].form == FORM_FOLD ? 2 + (chance(g, 5) ? 1 + below(g, 2) : 0) : op_arity(op);
}

/* Powers with small exponents are products. */
static int exponent_node(struct generator *g)
{
    struct number number = {.kind = NUMBER_INTEGER, .integer = below(g, 6)};
    if (chance(g, 4))
        number = (struct number){.kind = NUMBER_REAL, .real = below(g, 12) / 2.0};
    int node = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = number});
    settle(g, node);
    return node;
}

/* One that goes with those before it; seldom one of them. */
static int fitting_operand(struct generator *g, const int *before, int count)
{
    int node = any_operand(g, count == 0);
    for (int i = 0; i < 8 && count > 0; i++) {
        bool again = node == before[0] && !chance(g, 5);
        if (!again && goes_with(g, node, before, count))
            break;
        node = any_operand(g, false);
    }
    return node;
}

static struct formula_node any_operation(struct generator *g, enum op op)
{
    struct formula_node node = {.kind = FORMULA_OP, .op = op, .count = operand_count(g, op)};
    size_t length;
    int spellings = 0;
    while (word_at(op_rows[op].spellings, spellings, &length))
        spellings++;
    node.spelling = chance(g, 3) ? below(g, spellings) : 0;
    for (int i = 0; i < node.count; i++)
        node.operands[i] = fitting_operand(g, node.operands, i);
    if ((op == OP_POW || op == OP_FPOW) && chance(g, 2))
        node.operands[1] = exponent_node(g);
    return node;
}

static struct formula_node any_conversion(struct generator *g)
{
    struct formula_node node = {.kind = chance(g, 4) ? FORMULA_WRAP : FORMULA_CAST, .count = 1};
    node.operands[0] = any_operand(g, true);
    node.dtype = any_dtype(g);
    return node;
}

/* What is wrong is taken back, with its new leaves. */
static bool try_node(struct generator *g, struct formula_node node, int before)
{
    struct formula *formula = &g->trial->formula;
    int elements = formula->element_count, index = add_node(g, node);
    if (settle(g, index)) {
        for (int i = 0; i < node.count; i++)
            g->uses[node.operands[i]]++;
        return true;
    }
    formula->count = before;
    formula->element_count = elements;
    return false;
}

/* A row that may divide by zero, or any. */
static enum op dividing_row(struct generator *g)
{
    for (;;) {
        enum op op = any_row(g);
        if (op_fault(op, WEFT_INT32))
            return op;
    }
}

/* The node as an arm of a selection; its new number, or the old one when that is an error. */
static int enclose(struct generator *g, int arm)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count;
    struct formula_node node = any_operation(g, OP_WHERE);
    node.operands[1 + below(g, 2)] = arm;
    return try_node(g, node, before) ? formula->count - 1 : arm;
}

/* What rule 4.4 is about: a quotient in arms of selections, nested ones too, and perhaps elsewhere. */
static bool grow_division(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count;
    if (!try_node(g, any_operation(g, dividing_row(g)), before))
        return false;
    int node = formula->count - 1;
    for (int i = below(g, 4); i > 0 && formula->count + 12 < g->room.nodes; i--)
        node = enclose(g, node);
    if (chance(g, 4))
        g->uses[before] = 0;
    return true;
}

/* The same operation once more: what is equal is computed once, and where it stands must not count. */
static bool grow_copy(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int at = below(g, formula->count), before = formula->count;
    return formula->nodes[at].count > 0 && try_node(g, formula->nodes[at], before);
}

/* A view; and where it makes a new shape, often an input that goes with it. */
static bool grow_view(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    const struct extents *shapes[FORMULA_SAMPLES];
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 1, .view = formula->view_count};
    int before = formula->count;
    if (formula->view_count == g->room.views)
        return false;
    node.operands[0] = any_operand(g, true);
    for (int s = 0; s < g->trial->samples; s++)
        shapes[s] = &g->shapes[s][node.operands[0]];
    formula->views[formula->view_count++] = view_any(&g->detail, shapes, g->trial->samples);
    node.dtype = any_dtype(g);
    if (!try_node(g, node, before)) {
        formula->view_count--;
        return false;
    }
    for (int s = 0; s < g->trial->samples; s++)
        shapes[s] = &g->shapes[s][formula->count - 1];
    if (formula->input_count < g->room.inputs && chance(g, 2))
        add_input(g, shapes);
    return true;
}

/* concat or stack of a value with others that go with it, or with itself. */
static bool grow_join(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 2 + chance(g, 3), .view = formula->view_count};
    const int before = formula->count;
    if (formula->view_count == g->room.views)
        return false;
    node.operands[0] = any_operand(g, true);
    if (!join_any(&g->detail, &formula->views[formula->view_count], g->shapes[0][node.operands[0]].rank))
        return false;
    formula->view_count++;
    for (int attempt = 0; attempt < 12; attempt++) {
        for (int i = 1; i < node.count; i++)
            node.operands[i] = attempt < 11 ? below(g, formula->count) : node.operands[0];
        const int count = formula->count;
        if (try_node(g, node, count))
            return true;
    }
    formula->view_count--;
    formula->count = before;
    return false;
}

/* Integers made of a value: remainders that mostly lie inside `extent`. -1: they cannot be made. */
static int positions_of(struct generator *g, int value, int64_t extent)
{
    static const enum weft_dtype dtypes[] = {WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64, WEFT_UINT8, WEFT_UINT64};
    struct formula *formula = &g->trial->formula;
    const struct number divisor = {.kind = NUMBER_INTEGER, .integer = extent + below(g, 2) + (extent == 0)};
    struct formula_node cast = {.kind = FORMULA_CAST, .count = 1, .dtype = dtypes[below(g, 6)]};
    struct formula_node rest = {.kind = FORMULA_OP, .op = chance(g, 3) ? OP_FMOD : OP_MOD, .count = 2};
    cast.operands[0] = value;
    if (!try_node(g, cast, formula->count))
        return -1;
    if (chance(g, 8))
        return formula->count - 1; /* mostly outside */
    rest.operands[0] = formula->count - 1;
    rest.operands[1] = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = divisor});
    settle(g, rest.operands[1]);
    return try_node(g, rest, formula->count) ? formula->count - 1 : -1;
}

/* take of a value at positions that are computed. */
static bool grow_take(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 2, .view = formula->view_count};
    const int before = formula->count;
    if (formula->view_count == g->room.views || formula->count + 12 > g->room.nodes)
        return false;
    node.operands[0] = any_operand(g, true);
    const struct extents *from = &g->shapes[0][node.operands[0]];
    struct formula_view *view = &formula->views[formula->view_count];
    if (!take_any(&g->detail, view, from->rank))
        return false;
    formula->view_count++;
    const int axis = view->sources[0] < 0 ? view->sources[0] + from->rank : view->sources[0];
    node.operands[1] = positions_of(g, any_operand(g, false), from->at[axis]);
    if (node.operands[1] >= 0 && try_node(g, node, formula->count))
        return true;
    formula->view_count--;
    formula->count = before;
    return false;
}

/* Whether an operation divides by an integer of the text other than 0. */
static bool divides_by_number(const struct formula *formula, const struct formula_node *node)
{
    const struct number *divisor = node->count > 1 ? &formula->nodes[node->operands[1]].number : NULL;
    return divisor && divisor->kind == NUMBER_INTEGER && divisor->integer != 0;
}

/* Whether a value may make a remark. */
static bool may_remark(const struct formula *formula, int index)
{
    const struct formula_node *node = &formula->nodes[index];
    const struct formula_view *view = node->kind == FORMULA_VIEW ? &formula->views[node->view] : NULL;
    bool may = (node->kind == FORMULA_OP && op_fault(node->op, node->meeting) && !divides_by_number(formula, node)) ||
               (view && (is_taken(view) || is_gathered(view) || is_scattered(view)));
    for (int i = 0; !may && i < node->count; i++)
        may = may_remark(formula, node->operands[i]);
    return may;
}

/* Weights: a small array literal, or one so large that a loop goes over it. -1: there is no room for it. */
static int weights_node(struct generator *g, int rank, bool many)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_ARRAY, .elements = formula->element_count, .extents = {.rank = rank}};
    for (int d = 0; d < rank; d++)
        node.extents.at[d] = many ? rank == 1 ? 36 + detail_below(g, 60) : 7 + detail_below(g, 4)
                                  : 1 + detail_below(g, rank > 2 ? 2 : 4);
    const int64_t volume = extents_volume(&node.extents);
    const int kind = below(g, 4);
    if (formula->element_count + volume > g->room.elements)
        return -1;
    for (int i = 0; i < volume; i++) {
        struct number *number = &formula->elements[formula->element_count++];
        *number = (struct number){.kind = NUMBER_INTEGER, .integer = detail_below(g, 5) - (kind ? 1 : 0)};
        if (kind == 2 && detail_chance(g, 2))
            *number = any_real(g);
    }
    const int index = add_node(g, node);
    return settle(g, index) ? index : -1;
}

/* An input whose extents a text tells as numbers, and which is no batch. -1: none was found. */
static int weights_input(struct generator *g)
{
    const struct formula *formula = &g->trial->formula;
    for (int i = 0; i < formula->input_count; i++) {
        const struct formula_input *input = &formula->inputs[i];
        const struct extents *own = &g->shapes[0][g->inputs[i]];
        const bool told = input->declared == DECLARE_EXTENTS ||
                          (!formula->kernel && (input->declared == DECLARE_NOT || input->declared == DECLARE_DTYPE));
        if (told && !input->batch && own->rank && extents_volume(own) <= 20)
            return g->inputs[i];
    }
    return -1;
}

/* Neighbours of a value, or their sum with weights. */
static bool grow_neighbours(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    const struct extents *shapes[FORMULA_SAMPLES];
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 1 + chance(g, 2), .view = formula->view_count};
    const int before = formula->count, elements = formula->element_count;
    if (formula->view_count == g->room.views)
        return false;
    node.operands[0] = any_operand(g, true);
    for (int s = 0; s < g->trial->samples; s++)
        shapes[s] = &g->shapes[s][node.operands[0]];
    const int rank = shapes[0]->rank;
    if (node.count > 1 && (rank == 0 || formula->count + 2 > g->room.nodes))
        node.count = 1;
    if (node.count > 1) {
        const int axes = 1 + below(g, rank);
        /* what may make a remark is computed for each term, in as many ways as a kernel may have at most */
        const bool many = axes < 3 && chance(g, 8) && !may_remark(formula, node.operands[0]);
        node.operands[1] = chance(g, 4) ? weights_input(g) : weights_node(g, axes, many);
    }
    if (node.count > 1 && node.operands[1] < 0) {
        formula->count = before;
        formula->element_count = elements;
        return false;
    }
    neighbour_any(&g->detail, &formula->views[formula->view_count], shapes, g->trial->samples,
                  formula->nodes[node.operands[0]].dtype,
                  node.count > 1 ? g->shapes[0][node.operands[1]].rank : 0);
    formula->view_count++;
    if (try_node(g, node, formula->count))
        return true;
    formula->view_count--;
    formula->count = before;
    formula->element_count = elements;
    return false;
}

/* Coordinates: floats made of any value, mostly a little around `extent`. -1: they cannot be made. */
static int coordinates_node(struct generator *g, int value, int64_t extent)
{
    static const enum weft_dtype dtypes[] = {WEFT_FLOAT32, WEFT_FLOAT32, WEFT_FLOAT64, WEFT_FLOAT16};
    struct formula *formula = &g->trial->formula;
    const struct number divisor = {.kind = NUMBER_REAL, .real = (double)extent + 1.75};
    struct formula_node cast = {.kind = FORMULA_CAST, .count = 1, .dtype = dtypes[below(g, 4)]};
    struct formula_node rest = {.kind = FORMULA_OP, .op = OP_FMOD, .count = 2};
    cast.operands[0] = value;
    if (!try_node(g, cast, formula->count))
        return -1;
    if (chance(g, 8))
        return formula->count - 1;
    rest.operands[0] = formula->count - 1;
    rest.operands[1] = add_node(g, (struct formula_node){.kind = FORMULA_LITERAL, .number = divisor});
    settle(g, rest.operands[1]);
    return try_node(g, rest, formula->count) ? formula->count - 1 : -1;
}

/* Positions of one value along the axes of a view, one beside the other. -1: they cannot be made. */
static int gather_positions(struct generator *g, const struct formula_view *view, const struct extents *from)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node all = {.kind = FORMULA_VIEW, .count = view->count, .view = formula->view_count};
    const int value = any_operand(g, false);
    for (int i = 0; i < view->count; i++) {
        const int source = view->has_sources ? view->sources[i] : i, axis = source < 0 ? source + from->rank : source;
        all.operands[i] = view->kind == VIEWS_SAMPLE ? coordinates_node(g, value, from->at[axis])
                                                     : positions_of(g, value, from->at[axis]);
        if (all.operands[i] < 0)
            return -1;
    }
    struct formula_view *stack = &formula->views[formula->view_count++];
    *stack = (struct formula_view){.kind = view->count > 1 ? VIEWS_STACK : VIEWS_EXPAND, .has_sources = true,
                                   .count = 1};
    stack->sources[0] = view->count > 1 ? -1 : g->shapes[0][all.operands[0]].rank;
    return try_node(g, all, formula->count) ? formula->count - 1 : -1;
}

static bool grow_gather(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 2};
    const int before = formula->count, views = formula->view_count;
    struct formula_view view;
    if (formula->view_count + 2 > g->room.views || formula->count + 20 > g->room.nodes)
        return false;
    node.operands[0] = any_operand(g, true);
    const struct extents *from = &g->shapes[0][node.operands[0]];
    if (from->rank > 0) {
        gather_any(&g->detail, &view, from->rank, formula->nodes[node.operands[0]].dtype);
        node.operands[1] = view.count <= FORMULA_OPERANDS ? gather_positions(g, &view, from) : -1;
        node.view = formula->view_count;
        if (node.operands[1] >= 0) {
            formula->views[formula->view_count++] = view;
            if (try_node(g, node, formula->count))
                return true;
        }
    }
    formula->view_count = views;
    formula->count = before;
    return false;
}

/* What is put at positions, the gathered elements' node being `gathered`: a literal, a value that broadcasts to their
 * shape, converted, or those elements themselves. -1: it cannot be made. */
static int put_node(struct generator *g, int gathered, enum weft_dtype dtype)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node cast = {.kind = FORMULA_CAST, .count = 1, .dtype = dtype};
    if (chance(g, 6))
        return literal_node(g);
    for (int attempt = 0; attempt < 4; attempt++) {
        const int value = any_operand(g, false);
        bool fits = formula->nodes[value].number.kind == NUMBER_NONE && !may_remark(formula, value);
        for (int s = 0; fits && s < g->trial->samples; s++) {
            struct extents shape = g->shapes[s][gathered];
            fits = extents_broadcast(&shape, &g->shapes[s][value]) && extents_equal(&shape, &g->shapes[s][gathered]);
        }
        cast.operands[0] = value;
        if (fits && promote(formula->nodes[value].dtype, dtype) == dtype)
            return value;
        if (fits && try_node(g, cast, formula->count))
            return formula->count - 1;
    }
    return gathered;
}

/* Elements put into a value, at positions that are computed. */
static bool grow_scatter(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 3}, gather = {.kind = FORMULA_VIEW, .count = 2};
    const int before = formula->count, views = formula->view_count, elements = formula->element_count;
    struct formula_view view;
    if (formula->view_count + 3 > g->room.views || formula->count + 24 > g->room.nodes)
        return false;
    node.operands[0] = any_operand(g, true);
    const struct extents *from = &g->shapes[0][node.operands[0]];
    if (from->rank > 0 && !may_remark(formula, node.operands[0])) {
        scatter_any(&g->detail, &view, from->rank, formula->nodes[node.operands[0]].dtype);
        const struct formula_view places = scatter_places(&view);
        node.operands[1] = view.count <= FORMULA_OPERANDS ? gather_positions(g, &places, from) : -1;
        gather.operands[0] = node.operands[0];
        gather.operands[1] = node.operands[1];
        gather.view = formula->view_count;
        if (node.operands[1] >= 0) {
            formula->views[formula->view_count++] = places;
            if (!may_remark(formula, node.operands[1]) && try_node(g, gather, formula->count)) {
                node.operands[2] = put_node(g, formula->count - 1, formula->nodes[node.operands[0]].dtype);
                node.view = formula->view_count;
                formula->views[formula->view_count++] = view;
                if (node.operands[2] >= 0 && try_node(g, node, formula->count))
                    return true;
            }
        }
    }
    formula->view_count = views;
    formula->count = before;
    formula->element_count = elements;
    return false;
}

/* A value of some dimensions, if it is easily found. */
static int any_reduced(struct generator *g)
{
    int node = any_operand(g, !chance(g, 12));
    for (int i = 0; i < 3 && g->shapes[0][node].rank == 0; i++)
        node = any_operand(g, true);
    return node;
}

bool grow_reduction(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    const int before = formula->count, elements = formula->element_count;
    if (formula->reduction_count == g->room.reductions)
        return false;
    for (int attempt = 0; attempt < 8; attempt++) {
        struct formula_node node = {.kind = FORMULA_REDUCE, .reduction = formula->reduction_count};
        node.operands[0] = any_reduced(g);
        const int rank = g->shapes[0][node.operands[0]].rank;
        struct formula_reduction *reduction = &formula->reductions[formula->reduction_count++];
        *reduction = reduction_any(&g->stream, rank);
        node.letters = chance(g, 8) ? rank : 0;
        node.count = reduction_operands(reduction->function);
        for (int i = 1; i < node.count; i++)
            node.operands[i] = chance(g, 3) ? node.operands[0] : fitting_operand(g, node.operands, i);
        if (node.count > 1)
            node.letters = 0;
        if (try_node(g, node, formula->count))
            return true;
        formula->reduction_count--;
        formula->count = before;
        formula->element_count = elements;
    }
    return false;
}

/* arange or linspace, mostly as long as a dimension of a value. */
static bool grow_series(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    const int before = formula->count, value = any_operand(g, true), elements = formula->element_count;
    const int rank = g->shapes[0][value].rank;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = rank > 0 && chance(g, 2), .view = formula->view_count,
                                .elements = elements};
    if (formula->view_count == g->room.views || elements + 2 > g->room.elements)
        return false;
    node.operands[0] = value;
    formula->views[formula->view_count++] =
        series_any(&g->detail, rank, rank ? g->shapes[0][value].at[rank - 1] : 3, node.count > 0);
    for (int i = 0; i < 2; i++)
        formula->elements[formula->element_count++] = series_end(&g->detail);
    if (try_node(g, node, formula->count))
        return true;
    formula->view_count--;
    formula->count = before;
    formula->element_count = elements;
    return false;
}

/* Random numbers, where there is no batch: a sample by itself has other ones. Positions of what is not 0. */
static bool grow_chance(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    struct formula_node node = {.kind = FORMULA_VIEW, .count = 1, .view = formula->view_count};
    if (formula->view_count == g->room.views)
        return false;
    node.operands[0] = any_operand(g, true);
    const struct formula_view view = chance_any(&g->detail, g->shapes[0][node.operands[0]].rank);
    if (view.kind == VIEWS_RANDOM ? g->trial->samples > 1 : may_remark(formula, node.operands[0]))
        return false;
    formula->views[formula->view_count++] = view;
    if (try_node(g, node, formula->count))
        return true;
    formula->view_count--;
    return false;
}

void grow(struct generator *g)
{
    struct formula *formula = &g->trial->formula;
    int before = formula->count, elements = formula->element_count;
    if (g->limits->reductions && chance(g, g->reducing ? 4 : 60) && grow_reduction(g))
        return;
    if (g->limits->views && chance(g, g->viewing ? 15 : 100))
        grow_series(g);
    before = formula->count;
    elements = formula->element_count;
    if (g->limits->views && chance(g, g->viewing ? 5 : 60) && grow_view(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (g->limits->views && chance(g, g->viewing ? 15 : 150) && grow_join(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (g->limits->views && chance(g, g->viewing ? 12 : 120) && grow_take(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (g->limits->views && chance(g, g->viewing ? 6 : 60) && grow_neighbours(g))
        return;
    if (g->limits->views && chance(g, g->viewing ? 10 : 100) && grow_gather(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (g->limits->views && chance(g, g->viewing ? 15 : 120) && grow_chance(g))
        return;
    if (g->limits->views && chance(g, g->viewing ? 12 : 100) && grow_scatter(g))
        return;
    formula->count = before;
    formula->element_count = elements;
    if (chance(g, 7) && try_node(g, any_conversion(g), before))
        return;
    if ((chance(g, 16) && grow_division(g)) || (chance(g, 16) && grow_copy(g)))
        return;
    formula->count = before;
    formula->element_count = elements;
    for (;;) {
        enum op op = any_row(g);
        for (int attempt = 0; attempt < 8; attempt++) {
            formula->count = before;
            formula->element_count = elements;
            if (try_node(g, any_operation(g, op), before))
                return;
        }
    }
}
