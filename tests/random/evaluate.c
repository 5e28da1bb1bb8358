/* See evaluate.h. */
#include "tests/random/evaluate.h"

#include "tests/diff/oracle.h"
#include "tests/random/chance.h"
#include "tests/random/gather.h"
#include "tests/random/join.h"
#include "tests/random/neighbour.h"
#include "tests/random/rearrange.h"
#include "tests/random/reduced.h"
#include "tests/random/reduction.h"
#include "tests/random/scatter.h"
#include "tests/random/select.h"
#include "tests/random/series.h"
#include "tests/random/take.h"

#include <math.h>
#include <string.h>

/* Walks a node's elements in row-major order, and for each operand the element that belongs to it. */
struct walk {
    bool in_order;                 /* the operand's elements, whatever the shapes */
    int rank;
    int64_t extents[FORMULA_RANK], index[FORMULA_RANK];
    int64_t strides[FORMULA_OPERANDS][FORMULA_RANK];
    int64_t at[FORMULA_OPERANDS];
    int count;
    const struct formula_view *rearranged; /* or NULL; `in` and `out` are its shapes, `number` is the element's. Of what
                                      is joined, at[1] is the operand. Of what is taken, at[0] may be -1, and at[1]
                                      is the position's element */
    const struct formula_node *node;
    const struct extents *shapes, *in, *out;
    const union scalar *positions; /* of what is taken, and their dtype */
    enum weft_dtype position_dtype;
    int64_t number, volume;
};

static __int128 integer_of(enum weft_dtype dtype, union scalar value);

static void find_taken(struct walk *walk)
{
    const struct extents *positions = &walk->shapes[walk->node->operands[1]];
    walk->at[1] = take_position(walk->rearranged, walk->in, positions, walk->number);
    walk->at[0] = take_source(walk->rearranged, walk->in, positions, walk->number,
                              integer_of(walk->position_dtype, walk->positions[walk->at[1]]));
}

static void find_source(struct walk *walk)
{
    if (is_taken(walk->rearranged)) {
        find_taken(walk);
        return;
    }
    walk->at[0] = is_joined(walk->rearranged) ? join_source(walk->rearranged, walk->node, walk->shapes, walk->out,
                                                            walk->number, &walk->at[1])
                                              : rearrange_source(walk->rearranged, walk->in, walk->out, walk->number);
}

static struct walk walk_start(const struct formula *formula, const struct formula_node *node,
                              const struct evaluation *evaluation)
{
    const struct extents *const shapes = evaluation->shapes, *const shape = &shapes[node - formula->nodes];
    const struct formula_view *view = node->kind == FORMULA_VIEW ? &formula->views[node->view] : NULL;
    struct walk walk = {.in_order = view && (view->kind < VIEWS_SELECT || view->kind == VIEWS_INDEX ||
                                             is_series(view) || is_neighbour(view) || is_gathered(view) ||
                                             is_chance(view) || is_scattered(view)),
                        .rank = shape->rank, .count = node->count};
    if (walk.in_order)
        return walk;
    if (view && (is_rearranged(view) || is_joined(view) || is_taken(view))) {
        walk.rearranged = view;
        walk.positions = is_taken(view) ? evaluation->values[node->operands[1]] : NULL;
        walk.position_dtype = formula->nodes[node->operands[node->count - 1]].dtype;
        walk.node = node;
        walk.shapes = shapes;
        walk.in = &shapes[node->operands[0]];
        walk.out = shape;
        walk.volume = extents_volume(shape);
        if (walk.volume)
            find_source(&walk);
        return walk;
    }
    memcpy(walk.extents, shape->at, sizeof walk.extents);
    if (view) {
        walk.at[0] = select_start(view, &shapes[node->operands[0]], walk.strides[0]);
        return walk;
    }
    for (int i = 0; i < node->count; i++) {
        const struct extents *own = &shapes[node->operands[i]];
        int64_t stride = 1;
        for (int back = 1; back <= own->rank; back++) {
            int64_t extent = own->at[own->rank - back];
            walk.strides[i][shape->rank - back] = extent == 1 ? 0 : stride;
            stride *= extent;
        }
    }
    return walk;
}

static void walk_next(struct walk *walk)
{
    if (walk->rearranged) {
        if (++walk->number < walk->volume)
            find_source(walk);
        return;
    }
    if (walk->in_order) {
        walk->at[0]++;
        return;
    }
    for (int d = walk->rank - 1; d >= 0; d--) {
        for (int i = 0; i < walk->count; i++)
            walk->at[i] += walk->strides[i][d];
        if (++walk->index[d] < walk->extents[d])
            return;
        for (int i = 0; i < walk->count; i++)
            walk->at[i] -= walk->strides[i][d] * walk->extents[d];
        walk->index[d] = 0;
    }
}

/* ---- one element ---- */

static const struct formula_node *operand(const struct trial *trial, const struct formula_node *node,
                                          int i)
{
    return &trial->formula.nodes[node->operands[i]];
}

/* A node's element as a type: literals and array literals from their full value. */
static union scalar value_as(const struct trial *trial, const struct evaluation *evaluation, int index,
                             int64_t element, enum weft_dtype dtype, enum meeting_kind how)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    if (node->number.kind != NUMBER_NONE)
        return number_as(&node->number, dtype, how);
    if (node->kind == FORMULA_ARRAY)
        return number_as(&trial->formula.elements[node->elements + element], dtype, how);
    return eval_convert(node->dtype, dtype, how == CASTS, evaluation->values[index][element]);
}

/* The integer, exactly. */
static __int128 integer_of(enum weft_dtype dtype, union scalar value)
{
    if (dtype == WEFT_UINT64)
        return value.u64;
    if (dtype != WEFT_INT64)
        value = eval_op(OP_CONVERT, dtype, WEFT_INT64, value, value, value);
    return value.i64;
}

/* Signed integers beside uint64, by value. */
static union scalar compare(const struct trial *trial, const struct evaluation *evaluation,
                            const struct formula_node *node, const int64_t *at)
{
    __int128 sides[2];
    for (int i = 0; i < 2; i++) {
        enum weft_dtype dtype = operand(trial, node, i)->dtype;
        sides[i] = integer_of(dtype,
                              value_as(trial, evaluation, node->operands[i], at[i], dtype, MEETS));
    }
    union scalar a = {.i32 = sides[0] < sides[1] ? -1 : sides[0] > sides[1]}, b = {0};
    return eval_op(node->op, WEFT_INT32, WEFT_BOOL, a, b, b);
}

static void operands_of(const struct trial *trial, const struct evaluation *evaluation,
                        const struct formula_node *node, const int64_t *at, union scalar *out)
{
    bool selects = op_rows[node->op].rule == RULE_SELECT;
    for (int i = 0; i < FORMULA_OPERANDS; i++) {
        out[i].bits = 0;
        if (i < node->count)
            out[i] = value_as(trial, evaluation, node->operands[i], at[i],
                              selects && i == 0 ? WEFT_BOOL : node->meeting, MEETS);
    }
}

static union scalar apply(const struct trial *trial, const struct evaluation *evaluation,
                          const struct formula_node *node, const int64_t *at)
{
    union scalar o[FORMULA_OPERANDS], none = {0};
    if (node->by_value)
        return compare(trial, evaluation, node, at);
    operands_of(trial, evaluation, node, at, o);
    if (op_rows[node->op].form != FORM_FOLD)
        return eval_op(node->op, node->meeting, node->dtype, o[0], o[1], o[2]);
    for (int i = 1; i < node->count; i++)
        o[0] = eval_op(node->op, node->meeting, node->dtype, o[0], o[i], none);
    return o[0];
}

/* The bytes that make an element, of one or several of the operand's or a part of one. */
static union scalar reinterpreted(const struct trial *trial, const struct evaluation *evaluation,
                                  const struct formula_node *node, int64_t element)
{
    const struct formula_node *from = operand(trial, node, 0);
    int size = type_rows[from->dtype].size, wanted = type_rows[node->dtype].size;
    char bytes[16];
    int64_t first = element * wanted / size;
    for (int64_t i = 0; i * size < wanted; i++)
        scalar_store(bytes + i * size, from->dtype,
                     value_as(trial, evaluation, node->operands[0], first + i, from->dtype, MEETS));
    return scalar_load(bytes + (size > wanted ? element * wanted % size : 0), node->dtype);
}

static union scalar element_of(const struct trial *trial, const struct evaluation *evaluation,
                               int sample, const struct formula_node *node, int64_t element,
                               const int64_t *at)
{
    int index = (int)(node - trial->formula.nodes);
    switch (node->kind) {
    case FORMULA_INPUT: return trial_input(trial, node->input, sample)->values[element];
    case FORMULA_CAST:
        return value_as(trial, evaluation, node->operands[0], at[0], node->dtype, CASTS);
    case FORMULA_WRAP:
        return value_as(trial, evaluation, node->operands[0], at[0], node->dtype, WRAPS);
    case FORMULA_VIEW:
        if (trial->formula.views[node->view].kind == VIEWS_REINTERPRET)
            return reinterpreted(trial, evaluation, node, element);
        if (trial->formula.views[node->view].kind == VIEWS_INDEX)
            return (union scalar){.i32 = (int32_t)element}; /* all other extents are 1 */
        if (is_series(&trial->formula.views[node->view]))
            return series_value(&trial->formula.views[node->view], &trial->formula.elements[node->elements], element,
                                evaluation->shapes[index].at[0]);
        if (trial->formula.views[node->view].kind == VIEWS_RANDOM)
            return chance_value(&trial->formula.views[node->view], element);
        if (at[0] < 0)
            return (union scalar){0}; /* it is taken from outside */
        return value_as(trial, evaluation,
                        node->operands[is_joined(&trial->formula.views[node->view]) ? at[1] : 0], at[0], node->dtype,
                        MEETS);
    case FORMULA_OP:
        if (node->number.kind == NUMBER_NONE)
            return apply(trial, evaluation, node, at);
        /* fall through */
    case FORMULA_REDUCE: /* not element by element */
    default: return value_as(trial, evaluation, index, element, node->dtype, MEETS);
    }
}

/* ---- what a run told ---- */

/* Within this of the scalar library's value nothing need be looked at closer: both are as near to the
 * exact value as the bounds allow. */
static bool is_next_to(enum weft_dtype dtype, union scalar a, union scalar b)
{
    if (dtype == WEFT_FLOAT32)
        return isfinite(a.f32) && isfinite(b.f32) && a.u32 - b.u32 + 1 <= 2;
    return dtype == WEFT_FLOAT64 && isfinite(a.f64) && isfinite(b.f64) && a.u64 - b.u64 + 1 <= 2;
}

static bool is_nan(enum weft_dtype dtype, union scalar value)
{
    return dtype_is_float(dtype) && isnan(eval_convert(dtype, WEFT_FLOAT64, false, value).f64);
}

/* The bits of one NaN in place of another's. */
static bool shows_nan(const struct trial *trial, const struct formula_node *node, union scalar own,
                      union scalar actual)
{
    enum weft_dtype from = operand(trial, node, 0)->dtype;
    return operand(trial, node, 0)->kind != FORMULA_INPUT &&
           type_rows[from].size == type_rows[node->dtype].size && is_nan(from, own) &&
           is_nan(from, actual);
}

static double bound_of(const struct formula_node *node)
{
    return node->meeting == WEFT_FLOAT64 ? op_rows[node->op].ulp64 : op_rows[node->op].ulp32;
}

/* How far a told value is from the exact one; 0 where it need not be known. */
static double error_of(const struct trial *trial, const struct evaluation *evaluation,
                       const struct formula_node *node, const int64_t *at, union scalar own,
                       union scalar actual)
{
    union scalar o[FORMULA_OPERANDS];
    if (node->kind == FORMULA_VIEW)
        return own.bits == actual.bits || shows_nan(trial, node, own, actual) ? 0 : INFINITY;
    if (oracle_same(node->dtype, own, actual) || is_next_to(node->dtype, own, actual))
        return 0;
    operands_of(trial, evaluation, node, at, o);
    return oracle_error(node->op, node->meeting, node->dtype, o, actual);
}

/* ---- reductions ---- */

/* The rows of a reduction: where each begins among the elements of the operands and of the result, and the steps from
 * there to its elements. */
struct rows {
    int64_t count, length;
    int64_t *first[2], *step[2];   /* of each operand */
};

static struct rows rows_of(const struct trial *trial, struct arena *arena, const struct extents *shapes,
                           const struct formula_node *node)
{
    const struct formula_reduction *reduction = &trial->formula.reductions[node->reduction];
    struct extents space = {0};
    struct rows rows = {0};
    unsigned axes;
    for (int i = 0; i < node->count; i++)
        extents_broadcast(&space, &shapes[node->operands[i]]);
    reduction_axes(reduction, space.rank, &axes);
    for (int i = 0; i < node->count; i++) {
        rows.first[i] = reduction_offsets(arena, &space, ~axes, &shapes[node->operands[i]], &rows.count);
        rows.step[i] = reduction_offsets(arena, &space, axes, &shapes[node->operands[i]], &rows.length);
    }
    return rows;
}

static void evaluate_reduction(const struct trial *trial, struct arena *arena, struct evaluation *evaluation,
                               int index, const union scalar *told, struct deviation *deviation)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct formula_reduction *reduction = &trial->formula.reductions[node->reduction];
    const bool keeps = reduction_keeps_shape(reduction->function);
    const enum weft_dtype as = reduction->function == REDUCTION_VECDOT ? type_rows[node->dtype].compute : node->meeting;
    const struct rows rows = rows_of(trial, arena, evaluation->shapes, node);
    union scalar *values[4]; /* of both operands, and between which told ones lie */
    for (int o = 0; o < 4; o++)
        values[o] = ARENA_ARRAY(arena, union scalar, rows.length + 1);
    const struct reduced_row row = {as, values[0], values[1], rows.length, reduction->ddof};
    for (int64_t r = 0; r < rows.count; r++) {
        for (int64_t i = 0; i < rows.length; i++)
            for (int o = 0; o < node->count; o++)
                values[o][i] = value_as(trial, evaluation, node->operands[o], rows.first[o][r] + rows.step[o][i], as,
                                        MEETS);
        if (!reduction_is_told(reduction->function)) {
            evaluation->values[index][r] = reduced_value(reduction->function, &row, node->dtype);
            continue;
        }
        reduced_bounds(reduction->function, &row, node->dtype, values[2], values[3]);
        for (int64_t i = 0; i < (keeps ? rows.length : 1); i++) {
            const int64_t e = keeps ? rows.first[0][r] + rows.step[0][i] : r;
            evaluation->values[index][e] = told ? told[e] : values[2][i];
            if (told && deviation->node < 0 && !reduced_is_between(node->dtype, told[e], values[2][i], values[3][i]))
                *deviation = (struct deviation){index, e, INFINITY};
        }
    }
}

/* A neighbour of element `element` of the node, as `dtype`; what lies outside has x's type before. */
static union scalar neighbour_value(const struct trial *trial, const struct evaluation *evaluation,
                                    const struct formula_node *node, int64_t element, const int64_t *starts,
                                    enum weft_dtype dtype)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const enum weft_dtype own = operand(trial, node, 0)->dtype;
    int outside;
    const int64_t source = neighbour_source(view, &evaluation->shapes[node->operands[0]],
                                            &evaluation->shapes[node - trial->formula.nodes], element, starts,
                                            &outside);
    if (source >= 0)
        return value_as(trial, evaluation, node->operands[0], source, dtype, MEETS);
    const struct number *number = &view->modes[view->listed ? outside : 0].number;
    return number->kind == NUMBER_NONE ? (union scalar){0}
                                       : eval_convert(own, dtype, false, number_as(number, own, MEETS));
}

/* Whether an element of k is left out of a sum. */
static bool is_nothing(const struct trial *trial, int k, int64_t element)
{
    const struct formula_node *node = &trial->formula.nodes[k];
    const struct number *number = &trial->formula.elements[node->elements + element];
    return node->kind == FORMULA_ARRAY && (number->kind == NUMBER_REAL ? number->real == 0 : number->integer == 0);
}

/* Rule 10.3: terms from the first element of k, or of k turned round, on. */
static union scalar correlated(const struct trial *trial, const struct evaluation *evaluation,
                               const struct formula_node *node, int64_t element)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const struct extents *k = &evaluation->shapes[node->operands[1]];
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const int64_t count = extents_volume(k);
    union scalar sum = {0}, none = {0};
    bool any = false;
    for (int64_t n = 0; n < count; n++) {
        const int64_t at = view->kind == VIEWS_CONVOLVE ? count - 1 - n : n;
        int64_t starts[FORMULA_RANK];
        if (is_nothing(trial, node->operands[1], at))
            continue;
        neighbour_term(view, k, at, starts);
        const union scalar x = neighbour_value(trial, evaluation, node, element, starts, node->dtype);
        const union scalar factor = value_as(trial, evaluation, node->operands[1], at, node->dtype, MEETS);
        const union scalar term = eval_op(OP_MUL, compute, compute, eval_convert(node->dtype, compute, false, factor),
                                          eval_convert(node->dtype, compute, false, x), none);
        sum = any ? eval_op(OP_ADD, compute, compute, sum, term, none) : term;
        any = true;
    }
    return any ? eval_convert(compute, node->dtype, false, sum) : none;
}

static void evaluate_neighbours(const struct trial *trial, struct evaluation *evaluation, int index)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct formula_view *view = &trial->formula.views[node->view];
    const int64_t volume = extents_volume(&evaluation->shapes[index]);
    int64_t starts[FORMULA_RANK];
    neighbour_starts(view, starts);
    for (int64_t e = 0; e < volume; e++)
        evaluation->values[index][e] = is_correlation(view) ? correlated(trial, evaluation, node, e)
                                                            : neighbour_value(trial, evaluation, node, e, starts,
                                                                              node->dtype);
}

/* ---- gather and sample ---- */

/* x's element at these positions, as `dtype`; a number outside has x's type before. */
static union scalar gathered(const struct trial *trial, const struct evaluation *evaluation,
                             const struct formula_node *node, int64_t element, const __int128 *at,
                             enum weft_dtype dtype)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const enum weft_dtype own = operand(trial, node, 0)->dtype;
    int outside;
    const int64_t source = gather_source(view, &evaluation->shapes[node->operands[0]],
                                         &evaluation->shapes[node - trial->formula.nodes], element, at, &outside);
    if (source >= 0)
        return value_as(trial, evaluation, node->operands[0], source, dtype, MEETS);
    const struct number *number = &view->modes[view->listed ? outside : 0].number;
    return !view->has_mode || number->kind == NUMBER_NONE
               ? (union scalar){0} : eval_convert(own, dtype, false, number_as(number, own, MEETS));
}

/* The positions of gather for an element. */
static void read_positions(const struct trial *trial, const struct evaluation *evaluation,
                           const struct formula_node *node, int64_t element, __int128 *at)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const enum weft_dtype dtype = operand(trial, node, 1)->dtype;
    const int64_t first = gather_first(view, &evaluation->shapes[node->operands[0]],
                                       &evaluation->shapes[node - trial->formula.nodes], element);
    for (int i = 0; i < view->count; i++)
        at[i] = integer_of(dtype, value_as(trial, evaluation, node->operands[1], first + i, dtype, MEETS));
}

/* The elements in front of sample's coordinates, and the fractions, in the type in which it computes. */
static void read_coordinates(const struct trial *trial, const struct evaluation *evaluation,
                             const struct formula_node *node, int64_t element, __int128 *at, union scalar *rest)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const int64_t first = gather_first(view, &evaluation->shapes[node->operands[0]],
                                       &evaluation->shapes[node - trial->formula.nodes], element);
    for (int i = 0; i < view->count; i++) {
        const enum formula_word word = view->has_mode ? view->modes[view->listed ? i : 0].word : WORD_EDGE;
        const union scalar given = value_as(trial, evaluation, node->operands[1], first + i, node->dtype, MEETS);
        const double p = eval_convert(node->dtype, WEFT_FLOAT64, false, given).f64;
        const bool far = fabs(p) >= 0x1p62, rounds = word != WORD_NONE && word != WORD_EDGE;
        at[i] = isnan(p) ? 0 : far ? (p > 0 ? (__int128)1 << 62 : -((__int128)1 << 62)) : (__int128)floor(p);
        rest[i] = eval_convert(WEFT_FLOAT64, compute, false,
                               (union scalar){.f64 = isnan(p) || (far && rounds) ? NAN : far ? 0 : p - floor(p)});
    }
}

static union scalar sampled(const struct trial *trial, const struct evaluation *evaluation,
                            const struct formula_node *node, int64_t element)
{
    const struct formula_view *view = &trial->formula.views[node->view];
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    __int128 front[FORMULA_RANK], at[FORMULA_RANK];
    union scalar rest[FORMULA_RANK], values[1 << FORMULA_RANK];
    read_coordinates(trial, evaluation, node, element, front, rest);
    for (int c = 0; c < 1 << view->count; c++) {
        for (int i = 0; i < view->count; i++)
            at[i] = front[i] + (c >> i & 1);
        values[c] = eval_convert(node->dtype, compute, false,
                                 gathered(trial, evaluation, node, element, at, node->dtype));
    }
    for (int i = view->count - 1; i >= 0; i--)
        for (int c = 0; c < 1 << i; c++)
            if (eval_convert(compute, WEFT_FLOAT64, false, rest[i]).f64 != 0)
                values[c] = eval_op(OP_LERP, compute, compute, values[c], values[c | 1 << i], rest[i]);
    return eval_convert(compute, node->dtype, false, values[0]);
}

static void evaluate_gathered(const struct trial *trial, struct evaluation *evaluation, int index)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const int64_t volume = extents_volume(&evaluation->shapes[index]);
    __int128 at[FORMULA_RANK];
    for (int64_t e = 0; e < volume; e++)
        if (trial->formula.views[node->view].kind == VIEWS_SAMPLE) {
            evaluation->values[index][e] = sampled(trial, evaluation, node, e);
        } else {
            read_positions(trial, evaluation, node, e, at);
            evaluation->values[index][e] = gathered(trial, evaluation, node, e, at, node->dtype);
        }
}

/* ---- scatter ---- */

/* The place of x that each element of v is put to, of which there are `count`; -1: none, as it lies outside. */
static int64_t *put_places(const struct trial *trial, struct arena *arena, const struct evaluation *evaluation,
                           const struct formula_node *node, struct extents *full)
{
    const struct formula_view places = scatter_places(&trial->formula.views[node->view]);
    const struct extents *in = &evaluation->shapes[node->operands[0]];
    const enum weft_dtype dtype = operand(trial, node, 1)->dtype;
    gather_extents(&places, in, &evaluation->shapes[node->operands[1]], full);
    const int64_t count = extents_volume(full);
    int64_t *at = ARENA_ARRAY(arena, int64_t, count + 1);
    for (int64_t e = 0; e < count; e++) {
        const int64_t first = gather_first(&places, in, full, e);
        __int128 positions[FORMULA_RANK];
        int outside;
        for (int i = 0; i < places.count; i++)
            positions[i] = integer_of(dtype, value_as(trial, evaluation, node->operands[1], first + i, dtype, MEETS));
        at[e] = gather_source(&places, in, full, e, positions, &outside);
    }
    return at;
}

/* The element of v that goes to element `number` of the shape to which it broadcasts. */
static int64_t spread_element(const struct extents *full, const struct extents *own, int64_t number)
{
    int64_t element = 0, stride = 1;
    for (int back = 1; back <= full->rank; back++) {
        const int64_t digit = number % full->at[full->rank - back];
        number /= full->at[full->rank - back];
        if (back > own->rank)
            continue;
        element += own->at[own->rank - back] == 1 ? 0 : digit * stride;
        stride *= own->at[own->rank - back];
    }
    return element;
}

static void evaluate_scatter(const struct trial *trial, struct arena *arena, struct evaluation *evaluation, int index)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct formula_view *view = &trial->formula.views[node->view];
    struct extents full;
    const int64_t *at = put_places(trial, arena, evaluation, node, &full);
    const int64_t count = extents_volume(&full), volume = extents_volume(&evaluation->shapes[index]);
    union scalar *put = ARENA_ARRAY(arena, union scalar, count + 1);
    /* The first element that goes to a place, and the next one to the same; -1: there is none. */
    int64_t *first = ARENA_ARRAY(arena, int64_t, volume + 1), *next = ARENA_ARRAY(arena, int64_t, count + 1);
    for (int64_t e = 0; e < volume; e++)
        first[e] = -1;
    for (int64_t n = count - 1; n >= 0; n--) {
        if (at[n] < 0)
            continue;
        next[n] = first[at[n]];
        first[at[n]] = n;
    }
    for (int64_t e = 0; e < volume; e++) {
        int64_t found = 0;
        for (int64_t n = first[e]; n >= 0; n = next[n])
            put[found++] = value_as(trial, evaluation, node->operands[2],
                                    spread_element(&full, &evaluation->shapes[node->operands[2]], n), node->dtype,
                                    MEETS);
        const union scalar x = value_as(trial, evaluation, node->operands[0], e, node->dtype, MEETS);
        evaluation->values[index][e] = scatter_value(view, node->dtype, x, put, found);
    }
}

/* The positions of what is not 0; NaN is not. */
static void evaluate_nonzero(const struct trial *trial, struct arena *arena, struct evaluation *evaluation, int index)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct extents *in = &evaluation->shapes[node->operands[0]];
    const int64_t volume = extents_volume(in);
    bool *is_true = ARENA_ARRAY(arena, bool, volume + 1);
    for (int64_t e = 0; e < volume; e++)
        is_true[e] = value_as(trial, evaluation, node->operands[0], e, WEFT_BOOL, CASTS).b1;
    chance_positions(in, is_true, evaluation->shapes[index].at[0], evaluation->values[index]);
}

static void evaluate_node(const struct trial *trial, struct evaluation *evaluation, int sample,
                          int index, const union scalar *told, struct deviation *deviation)
{
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct extents *shape = &evaluation->shapes[index];
    struct walk walk = walk_start(&trial->formula, node, evaluation);
    int64_t volume = extents_volume(shape);
    for (int64_t e = 0; e < volume; e++, walk_next(&walk)) {
        union scalar value = element_of(trial, evaluation, sample, node, e, walk.at);
        evaluation->values[index][e] = value;
        if (!told)
            continue;
        double error = deviation->node < 0
                           ? error_of(trial, evaluation, node, walk.at, value, told[e]) : 0;
        if (error > bound_of(node))
            *deviation = (struct deviation){index, e, error};
        evaluation->values[index][e] = told[e];
    }
}

void evaluate(const struct trial *trial, struct arena *arena, int sample, union scalar *const *told,
              struct evaluation *evaluation, struct deviation *deviation)
{
    const struct formula *formula = &trial->formula;
    struct extents inputs[FORMULA_INPUTS];
    for (int i = 0; i < formula->input_count; i++)
        inputs[i] = trial_input(trial, i, sample)->extents;
    formula_shapes(formula, inputs, evaluation->shapes);
    *deviation = (struct deviation){.node = -1};
    for (int n = 0; n < formula->count; n++) {
        evaluation->values[n] = ARENA_ARRAY(arena, union scalar,
                                            extents_volume(&evaluation->shapes[n]) + 1);
        const union scalar *const own = told && formula_is_told(formula, &formula->nodes[n]) ? told[n] : NULL;
        if (formula->nodes[n].kind == FORMULA_VIEW && is_neighbour(&formula->views[formula->nodes[n].view]))
            evaluate_neighbours(trial, evaluation, n);
        else if (formula->nodes[n].kind == FORMULA_VIEW && is_scattered(&formula->views[formula->nodes[n].view]))
            evaluate_scatter(trial, arena, evaluation, n);
        else if (formula->nodes[n].kind == FORMULA_VIEW && is_gathered(&formula->views[formula->nodes[n].view]))
            evaluate_gathered(trial, evaluation, n);
        else if (formula->nodes[n].kind == FORMULA_VIEW &&
                 formula->views[formula->nodes[n].view].kind == VIEWS_NONZERO)
            evaluate_nonzero(trial, arena, evaluation, n);
        else if (formula->nodes[n].kind == FORMULA_REDUCE)
            evaluate_reduction(trial, arena, evaluation, n, own, deviation);
        else
            evaluate_node(trial, evaluation, sample, n, own, deviation);
    }
}

union scalar evaluate_result(const struct trial *trial, const struct evaluation *evaluation,
                             int result, int64_t element)
{
    const struct formula *formula = &trial->formula;
    return value_as(trial, evaluation, formula->results[result], element,
                    formula_result_dtype(formula, result), formula->kernel ? CASTS : MEETS);
}

/* ---- divisions by zero ---- */

/* What is marked: what results read, whichever arms selections take; what they use, with all that counts under a
 * reduction that is read; what may be used, because a reduction has elements that only a selection leaves out. */
enum marking { READ, USED, PERHAPS, MARKINGS };

struct marks {
    const struct trial *trial;
    struct arena *arena;
    const struct evaluation *evaluation;
    enum marking marking;
    bool *of[MARKINGS][FORMULA_NODES];  /* each element; NULL: of a node that no result leads to */
};

/* Under a reduction every element counts, of rows that are read. */
static void mark_rows(struct marks *marks, int index)
{
    const struct formula_node *node = &marks->trial->formula.nodes[index];
    const struct rows rows = rows_of(marks->trial, marks->arena, marks->evaluation->shapes, node);
    const bool keeps = reduction_keeps_shape(marks->trial->formula.reductions[node->reduction].function);
    for (int64_t r = 0; r < rows.count; r++) {
        bool read = marks->marking == PERHAPS;
        for (int64_t i = 0; i < (keeps ? rows.length : 1); i++)
            read = read || marks->of[READ][index][keeps ? rows.first[0][r] + rows.step[0][i] : r];
        for (int64_t i = 0; read && i < rows.length; i++)
            for (int o = 0; o < node->count; o++)
                marks->of[marks->marking][node->operands[o]][rows.first[o][r] + rows.step[o][i]] = true;
    }
}

/* True where a used element lies outside, without a mode. */
static bool mark_gathered(struct marks *marks, int index)
{
    const struct formula_node *node = &marks->trial->formula.nodes[index];
    const struct formula_view *view = &marks->trial->formula.views[node->view];
    const struct extents *shapes = marks->evaluation->shapes, *in = &shapes[node->operands[0]];
    const bool sample = view->kind == VIEWS_SAMPLE;
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    bool **used = marks->of[marks->marking], outside_any = false;
    __int128 front[FORMULA_RANK], at[FORMULA_RANK];
    union scalar rest[FORMULA_RANK];
    for (int64_t e = 0, volume = extents_volume(&shapes[index]); e < volume; e++) {
        if (!used[index][e])
            continue;
        const int64_t first = gather_first(view, in, &shapes[index], e);
        for (int i = 0; i < view->count; i++)
            used[node->operands[1]][first + i] = true;
        if (sample)
            read_coordinates(marks->trial, marks->evaluation, node, e, front, rest);
        else
            read_positions(marks->trial, marks->evaluation, node, e, front);
        for (int c = 0; c < (sample ? 1 << view->count : 1); c++) {
            int outside;
            bool read = true;      /* behind a coordinate without a fraction nothing is */
            for (int i = 0; i < view->count; i++) {
                at[i] = front[i] + (c >> i & 1);
                read = read && (!(c >> i & 1) || eval_convert(compute, WEFT_FLOAT64, false, rest[i]).f64 != 0);
            }
            if (!read)
                continue;
            const int64_t source = gather_source(view, in, &shapes[index], e, at, &outside);
            if (source >= 0)
                used[node->operands[0]][source] = true;
            outside_any = outside_any || (source < 0 && !sample && !view->has_mode);
        }
    }
    return outside_any;
}

/* All that is put counts, and so do all positions, even of no elements. True where one lies outside. */
static bool mark_scatter(struct marks *marks, int index)
{
    const struct formula_node *node = &marks->trial->formula.nodes[index];
    const struct formula_view *view = &marks->trial->formula.views[node->view];
    const struct extents *shapes = marks->evaluation->shapes;
    const enum weft_dtype dtype = operand(marks->trial, node, 1)->dtype;
    const int64_t count = extents_volume(&shapes[node->operands[1]]);
    bool outside = false;
    for (int64_t first = 0; first < count; first += view->count) {
        __int128 at[FORMULA_RANK];
        for (int i = 0; i < view->count; i++)
            at[i] = integer_of(dtype, value_as(marks->trial, marks->evaluation, node->operands[1], first + i, dtype,
                                               MEETS));
        outside = outside || scatter_misses(view, &shapes[node->operands[0]], at);
    }
    for (int i = 0; i < node->count; i++)
        memset(marks->of[marks->marking][node->operands[i]], 1, (size_t)extents_volume(&shapes[node->operands[i]]));
    return outside;
}

static void mark_neighbours(struct marks *marks, int index)
{
    const struct formula_node *node = &marks->trial->formula.nodes[index];
    const struct formula_view *view = &marks->trial->formula.views[node->view];
    const struct extents *shapes = marks->evaluation->shapes;
    bool **used = marks->of[marks->marking];
    const int64_t volume = extents_volume(&shapes[index]);
    const int64_t terms = node->count > 1 ? extents_volume(&shapes[node->operands[1]]) : 1;
    for (int64_t e = 0; e < volume; e++)
        for (int64_t n = 0; used[index][e] && n < terms; n++) {
            int64_t starts[FORMULA_RANK];
            int outside;
            if (node->count > 1 && is_nothing(marks->trial, node->operands[1], n))
                continue;
            if (node->count > 1)
                neighbour_term(view, &shapes[node->operands[1]], n, starts);
            else
                neighbour_starts(view, starts);
            const int64_t at = neighbour_source(view, &shapes[node->operands[0]], &shapes[index], e, starts, &outside);
            if (at >= 0)
                used[node->operands[0]][at] = true;
        }
}

/* Marks the elements of operands that one node's marked elements use: of a selection the condition and the
 * arm that is taken. True when a used element divides by zero, or is taken from outside. */
static bool mark_operands(struct marks *marks, int index)
{
    const struct trial *trial = marks->trial;
    const struct evaluation *evaluation = marks->evaluation;
    bool **used = marks->of[marks->marking];
    const struct formula_node *node = &trial->formula.nodes[index];
    const struct formula_view *view = node->kind == FORMULA_VIEW ? &trial->formula.views[node->view] : NULL;
    if (view && (view->kind == VIEWS_INDEX || is_series(view) || is_chance(view)))
        return false; /* it reads nothing, or what makes no remark */
    if (node->kind == FORMULA_REDUCE) {
        mark_rows(marks, index);
        return false;
    }
    if (view && is_scattered(view))
        return mark_scatter(marks, index);
    if (view && is_gathered(view))
        return mark_gathered(marks, index);
    if (view && is_neighbour(view)) {
        mark_neighbours(marks, index);
        return false;
    }
    struct walk walk = walk_start(&trial->formula, node, evaluation);
    int64_t volume = extents_volume(&evaluation->shapes[index]);
    bool operation = node->kind == FORMULA_OP && node->number.kind == NUMBER_NONE;
    bool selects = operation && op_rows[node->op].rule == RULE_SELECT && marks->marking != READ, faults = false;
    const bool joins = view && is_joined(view), takes = view && is_taken(view);
    for (int64_t e = 0; e < volume; e++, walk_next(&walk)) {
        if (!used[index][e])
            continue;
        union scalar o[FORMULA_OPERANDS];
        if (operation && (selects || op_fault(node->op, node->meeting)))
            operands_of(trial, evaluation, node, walk.at, o);
        if (takes) {
            used[node->operands[1]][walk.at[1]] = true;
            faults = faults || walk.at[0] < 0;
            if (walk.at[0] >= 0)
                used[node->operands[0]][walk.at[0]] = true;
            continue;
        }
        if (joins) {
            used[node->operands[walk.at[1]]][walk.at[0]] = true;
            continue;
        }
        for (int i = 0; i < node->count; i++)
            if (operand(trial, node, i)->kind != FORMULA_INPUT &&
                (!selects || i == 0 || o[0].b1 == (i == 1)))
                used[node->operands[i]][walk.at[i]] = true;
        faults = faults || (operation && op_fault(node->op, node->meeting) &&
                            eval_fault(node->op, node->meeting, o[0], o[1], o[2]));
    }
    return faults;
}

/* All nodes; those that fault are set in `faults`. */
static void mark(struct marks *marks, enum marking marking, const bool *reached, const int *results, int count,
                 bool *faults)
{
    const struct formula *formula = &marks->trial->formula;
    marks->marking = marking;
    for (int n = 0; n < formula->count; n++)
        marks->of[marking][n] = ARENA_ARRAY(marks->arena, bool, extents_volume(&marks->evaluation->shapes[n]) + 1);
    for (int i = 0; i < count; i++)
        memset(marks->of[marking][results[i]], 1, (size_t)extents_volume(&marks->evaluation->shapes[results[i]]));
    for (int n = formula->count - 1; n >= 0; n--)
        faults[n] = reached[n] && mark_operands(marks, n);
}

/* The nodes that results lead to, but for those of which only an extent is read. */
static void reach(const struct formula *formula, const int *results, int count, bool *reached)
{
    memset(reached, 0, sizeof *reached * FORMULA_NODES);
    for (int i = 0; i < count; i++)
        reached[results[i]] = true;
    for (int n = formula->count - 1; n >= 0; n--) {
        const struct formula_node *node = &formula->nodes[n];
        const struct formula_view *view = node->kind == FORMULA_VIEW ? &formula->views[node->view] : NULL;
        const bool reads = !view || (view->kind != VIEWS_INDEX && !is_series(view) && !is_chance(view));
        for (int i = 0; i < node->count && reached[n] && reads; i++)
            reached[node->operands[i]] = true;
    }
}

static bool can_fault(const struct formula *formula, const struct formula_node *node)
{
    return (node->kind == FORMULA_OP && op_fault(node->op, node->meeting)) ||
           (node->kind == FORMULA_VIEW &&
            (is_taken(&formula->views[node->view]) || is_gathered(&formula->views[node->view]) ||
             is_scattered(&formula->views[node->view])));
}

void evaluate_place(const struct trial *trial, struct arena *arena, const int *results, int count,
                    struct evaluation *evaluation)
{
    const struct formula *formula = &trial->formula;
    struct marks marks = {.trial = trial, .arena = arena, .evaluation = evaluation};
    bool reached[FORMULA_NODES], faults[FORMULA_NODES], divides = false, reduces = false;
    evaluation->place = -1;
    memset(evaluation->perhaps, 0, sizeof evaluation->perhaps);
    for (int n = 0; n < formula->count; n++) {
        divides = divides || can_fault(formula, &formula->nodes[n]);
        reduces = reduces || formula->nodes[n].kind == FORMULA_REDUCE;
    }
    if (!divides)
        return;
    reach(formula, results, count, reached);
    if (reduces) {
        mark(&marks, READ, reached, results, count, faults);
        mark(&marks, PERHAPS, reached, results, count, evaluation->perhaps);
    }
    mark(&marks, USED, reached, results, count, faults);
    for (int n = 0; n < formula->count; n++)
        if (faults[n] && (evaluation->place < 0 || formula->nodes[n].place < evaluation->place))
            evaluation->place = formula->nodes[n].place;
}
