/* offset, pad, correlate and convolve (section 10; lower_impl.h). A neighbour is x under another map, whose step may
 * lie outside x. What is there is a matter of the map, but for numbers: among these and x's values masks choose, which
 * are a true that lies inside bounds. So x may be any expression, and its divisions by zero count where it is used. */
#include "compiler/check/check.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/lower_impl.h"

/* How the neighbours of one call are read. */
struct looking {
    struct lowering *l;
    const struct node *node;
    const struct view_args *args;
    const struct shape *from, *to; /* of the result, and of x */
    int at[WEFT_MAX_RANK], count;  /* the dimensions along which they are */
    struct axis axes[WEFT_MAX_RANK]; /* of x */
};

static void look(struct looking *k, struct lowering *l, const struct node *node, int last)
{
    const int x = operand_index(l, node, 0);
    *k = (struct looking){.l = l, .node = node, .args = &l->views[node->view], .from = l->shapes[node_number(l, node)],
                          .to = l->shapes[x]};
    k->count = neighbour_axes(k->args, k->to->rank, last, k->at);
    for (int d = 0; d < k->to->rank; d++)
        k->axes[d] = (struct axis){d, {.step = 1}, EDGE_CLAMP};
    for (int i = 0; i < k->count; i++)
        k->axes[k->at[i]].edge = neighbour_mode(k->args, i)->edge;
}

/* Sets where the elements along axis number i begin; `value` may be an open extent. */
static void begin_at(struct looking *k, int i, const struct literal *value, bool before)
{
    struct slice *slice = &k->axes[k->at[i]].slice;
    const bool open = value->kind == LITERAL_NONE;
    const int64_t number = (int64_t)value->integer;
    slice->has_start = true;
    slice->open = open;
    if (open)
        slice->start = EXTENT_VARIABLE - (before ? extent_by(k->l->open, EXTENT_NEGATED, number) : number);
    else
        slice->start = before ? -number : number;
}

static struct looking look_at_view(struct lowering *l, const struct node *node)
{
    struct looking k;
    const struct view_args *args = &l->views[node->view];
    const bool pads = args->kind == VIEW_PAD;
    const int rank = l->shapes[operand_index(l, node, 0)]->rank;
    look(&k, l, node, pads ? rank : args->offsets.count);
    for (int i = 0; i < k.count; i++)
        begin_at(&k, i, neighbour_number(pads ? &args->before : &args->offsets, i), pads);
    return k;
}

/* ---- maps ---- */

/* Whether elements only go round. */
static bool goes_round(const struct looking *k)
{
    bool round = shapes_equal(k->from, k->to);
    for (int i = 0; i < k->count; i++)
        round = round && k->axes[k->at[i]].edge == EDGE_WRAP && k->axes[k->at[i]].slice.start != INT64_MIN;
    return round;
}

static int round_map(const struct looking *k, int map)
{
    struct shift shifts[WEFT_MAX_RANK];
    for (int d = 0; d < k->to->rank; d++) {
        const struct slice *slice = &k->axes[d].slice;
        const int64_t extent = k->to->extents[d];
        shifts[d] = (struct shift){slice->open ? slice->start : -(extent > 0 ? slice->start % extent : slice->start),
                                   slice->open};
    }
    return map_wrapped(k->l->kernel, map, k->to, shifts);
}

/* The map of x where the neighbours of a use under this map are. -1: there are too many maps. */
static int map_of(const struct looking *k, int map)
{
    return goes_round(k) ? round_map(k, map) : map_edges(k->l->kernel, map, k->from, k->to, k->axes);
}

int neighbour_map(struct lowering *l, const struct node *node, int map)
{
    const struct looking k = look_at_view(l, node);
    return map_of(&k, map);
}

/* ---- numbers outside ---- */

/* The operand that is read outside along axis number i; 0: false or 0; -1: no number is. */
static int number_outside(const struct looking *k, int i)
{
    const struct mode *mode = neighbour_mode(k->args, i);
    return mode->edge != EDGE_VALUE ? -1 : mode->number < 0 ? 0 : mode->number;
}

/* Whether neighbours along axis number i may lie outside. */
static bool may_leave(const struct looking *k, int i)
{
    const int d = k->at[i];
    const struct slice *slice = &k->axes[d].slice;
    const int64_t from = k->from->extents[d], to = k->to->extents[d];
    const bool same = slice->start == 0 && from == to;
    const bool part = from >= 0 && to >= 0 && slice->start >= 0 && slice->start <= to - from;
    return slice->open || (!same && !part);
}

/* Loads whether the neighbours of l->map lie inside along the axes of `set`. */
static int load_inside(const struct looking *k, uint32_t set)
{
    static const unsigned char yes = 1;
    struct lowering *l = k->l;
    struct shape *from = arena_copy(l->arena, k->from, sizeof *from), *to = ARENA_NEW(l->arena, struct shape);
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, k->count + 1);
    const int above = l->map;
    for (int d = 0; d < from->rank; d++)
        if (!(set >> d & 1))
            from->extents[d] = 1;
    for (int d = 0; d < from->rank; d++)
        if (set >> d & 1) {
            axes[to->rank] = k->axes[d];
            to->extents[to->rank++] = k->to->extents[d];
        }
    l->map = map_bounded(l->kernel, above, from, to, axes, 0);
    const struct shape *scalar = ARENA_NEW(l->arena, struct shape);
    const int constant = ins_add_constant(l, node_number(l, k->node), scalar, WEFT_BOOL, &yes, 1);
    const int inside = ins_add_load_under(l, TENSOR_CONSTANT, constant, WEFT_BOOL, l->map, k->node->token);
    l->map = above;
    return inside;
}

/* `value` where the neighbours of l->map lie inside, and numbers elsewhere: along several axes that of the last. They
 * are of x's type, and `value` is of `dtype`. */
static int choose(const struct looking *k, int value, enum weft_dtype dtype)
{
    struct lowering *l = k->l;
    const struct node *x = operand_node(l->program, k->node, 0);
    for (int i = 0; i < k->count; i++) {
        const int number = number_outside(k, i);
        uint32_t set = may_leave(k, i) ? 1u << k->at[i] : 0;
        for (; number >= 0 && i + 1 < k->count && number_outside(k, i + 1) == number; i++)
            set |= may_leave(k, i + 1) ? 1u << k->at[i + 1] : 0;
        if (number < 0 || !set)
            continue;
        int outside = number ? lower_value_as(l, operand_index(l, k->node, number), x->dtype, MEET)
                             : ins_add_literal(l, (union scalar){0}, x->dtype, k->node->token);
        outside = ins_convert(l, outside, dtype, false, k->node->token);
        value = ins_add_op(l, OP_WHERE, dtype, dtype, (int[]){load_inside(k, set), value, outside}, k->node->token);
        ARENA_PUSH(l->arena, l->modes, l->mode_count, value);
    }
    return value;
}

int neighbour_value(struct lowering *l, const struct node *node, int value)
{
    const struct looking k = look_at_view(l, node);
    return choose(&k, value, node->dtype);
}

/* ---- correlate and convolve ---- */

/* One term: an element of k, and where x is read. */
struct term {
    int64_t element;               /* its row-major number in k */
    int map;
};

/* The elements of k in the order in which they are joined. */
struct terms {
    struct looking k;
    const struct node *array;      /* k, where it is an array literal; else NULL */
    const struct shape *shape;
    int64_t count;
    int border;                    /* the temporary with x and what lies around it; -1: there is none */
};

/* Whether all that the terms read lies inside. */
static bool lies_inside(const struct terms *terms)
{
    return terms->border >= 0 || terms->k.args->modes.valid;
}

static struct terms terms_of(struct lowering *l, const struct node *node)
{
    struct terms terms;
    const int k = operand_index(l, node, 1);
    const struct node *value = named_node(l->program, &l->program->nodes[k]);
    look(&terms.k, l, node, l->shapes[k]->rank);
    terms.border = l->reduced ? l->reduced[node_number(l, node)].border : -1;
    if (terms.border >= 0)
        terms.k.to = l->temporaries[terms.border].shape;
    terms.array = value->kind == NODE_ARRAY ? value : NULL;
    terms.shape = l->shapes[k];
    terms.count = shape_volume(terms.shape);
    return terms;
}

/* The literal that is an element of k; NULL: k is an input. */
static const struct node *element_of(const struct terms *terms, int64_t element)
{
    struct lowering *l = terms->k.l;
    return terms->array ? &l->values[operand_index(l, terms->array, (int)element)] : NULL;
}

/* Whether the term is left out: its element is 0 before any run. */
static bool is_nothing(const struct terms *terms, int64_t element)
{
    const struct node *literal = element_of(terms, element);
    return literal && !literal->number && literal_number(&literal->literal) == 0;
}

/* The element of k with which term `number` multiplies: convolve goes through k from its end. */
static int64_t element_at(const struct terms *terms, int64_t number)
{
    return terms->k.args->kind == VIEW_CONVOLVE ? terms->count - 1 - number : number;
}

/* Sets where term `number` reads x; returns the map. */
static int term_map(struct terms *terms, int64_t number, int map)
{
    struct looking *k = &terms->k;
    struct axis *axes;
    for (int i = k->count - 1; i >= 0; i--) {
        const int64_t extent = terms->shape->extents[i], digit = number % extent;
        const int64_t middle = lies_inside(terms) ? 0 : extent / 2;
        begin_at(k, i, &(struct literal){.kind = LITERAL_INTEGER, .integer = digit - middle}, false);
        number /= extent;
    }
    if (!lies_inside(terms))
        return map_of(k, map);
    axes = arena_copy(k->l->arena, k->axes, sizeof k->axes);
    for (int i = 0; i < k->count; i++) {
        struct slice *slice = &axes[k->at[i]].slice;
        const int64_t extent = k->from->extents[k->at[i]];
        slice->has_stop = extent >= 0;
        slice->stop = extent >= 0 ? slice->start + extent : 0;
        axes[k->at[i]].edge = EDGE_VALUE;
    }
    for (int d = 0; d < k->to->rank; d++)
        axes[d].edge = EDGE_VALUE;
    return map_select(k->l->kernel, map, k->from, k->to, axes);
}

/* The map of one element of k, an input, for a value under `map`. */
static int element_map(const struct terms *terms, int64_t element, int map)
{
    struct lowering *l = terms->k.l;
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, terms->shape->rank + 1);
    for (int d = terms->shape->rank - 1; d >= 0; d--) {
        axes[d] = (struct axis){-1, {.start = element % terms->shape->extents[d], .step = 1, .has_start = true},
                                EDGE_VALUE};
        element /= terms->shape->extents[d];
    }
    return map_select(l->kernel, map, ARENA_NEW(l->arena, struct shape), terms->shape, axes);
}

/* Whether sums along the last dimensions are stored. */
static bool has_sums(const struct lowering *l, const struct node *node)
{
    return l->reduced && l->reduced[node_number(l, node)].sums >= 0;
}

/* Whether terms are gone over in a loop. */
static bool is_looped(const struct lowering *l, const struct node *node)
{
    return l->reduced && l->reduced[node_number(l, node)].looped;
}

bool correlate_uses(struct lowering *l, const struct node *node, int map)
{
    struct terms terms = terms_of(l, node);
    bool good = true;
    if (has_sums(l, node) || is_looped(l, node))
        return true;
    l->kernel->granted_maps += l->kernel->granted_maps < MAX_MAPS ? (int)(2 * terms.count) : 0;
    for (int64_t n = 0; good && n < terms.count; n++) {
        const int64_t element = element_at(&terms, n);
        if (is_nothing(&terms, element))
            continue;
        good = (terms.border >= 0 || lower_add_use(l, operand_index(l, node, 0), term_map(&terms, n, map))) &&
               (terms.array || lower_add_use(l, operand_index(l, node, 1), element_map(&terms, element, map)));
    }
    return good;
}

/* Multiplies with an element of k; *sign is -1 where it is to be subtracted instead. */
static int multiply(const struct terms *terms, int64_t element, int value, int *sign)
{
    struct lowering *l = terms->k.l;
    const struct node *node = terms->k.node, *literal = element_of(terms, element);
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    const double number = literal && !literal->number ? literal_number(&literal->literal) : 0;
    *sign = number == -1 ? -1 : 1;
    if (number == 1 || number == -1)
        return value;
    const int above = l->map;
    l->map = literal ? above : element_map(terms, element, above);
    const int factor = lower_value_as(l, literal ? operand_index(l, terms->array, (int)element)
                                                 : operand_index(l, node, 1), node->dtype, MEET);
    l->map = above;
    return ins_add_op(l, OP_MUL, compute, compute,
                      (int[]){ins_convert(l, factor, compute, false, node->token), value, -1}, node->token);
}

/* Adds a term to those before it, which are -1 where there are none. */
static int add_term(const struct terms *terms, int sum, int term, int sign)
{
    const struct node *node = terms->k.node;
    const enum weft_dtype compute = type_rows[node->dtype].compute;
    if (sum < 0)
        return sign > 0 ? term : ins_add_op(terms->k.l, OP_NEG, compute, compute, (int[]){term, -1, -1}, node->token);
    return ins_add_op(terms->k.l, sign > 0 ? OP_ADD : OP_SUB, compute, compute, (int[]){sum, term, -1}, node->token);
}

/* x under l->map. */
static int term_value(const struct terms *terms)
{
    struct lowering *l = terms->k.l;
    const struct node *node = terms->k.node;
    if (terms->border < 0)
        return lower_value_as(l, operand_index(l, node, 0), node->dtype, MEET);
    const enum weft_dtype dtype = l->temporaries[terms->border].dtype;
    const int load = ins_add_load_under(l, TENSOR_TEMPORARY, terms->border, dtype, l->map, node->token);
    return ins_convert(l, load, node->dtype, false, node->token);
}

/* x where term `number` reads it, in the type in which terms are joined. */
static int read_term(struct terms *terms, int64_t number)
{
    struct lowering *l = terms->k.l;
    const struct node *node = terms->k.node;
    const int map = l->map;
    l->map = term_map(terms, number, map);
    int value = term_value(terms);
    l->map = map;
    if (!lies_inside(terms))
        value = choose(&terms->k, value, node->dtype);
    return ins_convert(l, value, type_rows[node->dtype].compute, false, node->token);
}

/* The sign of term b where it is added to term a before both are multiplied; 0: it is not. Integers wrap, so the order
 * of their sums does not matter. */
static int shared_sign(const struct terms *terms, int64_t a, int64_t b)
{
    const struct node *x = element_of(terms, element_at(terms, a)), *y = element_of(terms, element_at(terms, b));
    if (!dtype_is_integer(terms->k.node->dtype) || !x || x->number || y->number ||
        x->literal.kind != LITERAL_INTEGER || y->literal.kind != LITERAL_INTEGER)
        return 0;
    const double first = literal_number(&x->literal), second = literal_number(&y->literal);
    const uint64_t most = UINT64_C(1) << 31;
    if (first >= (double)most || first <= -(double)most)
        return 0;
    return first == second ? 1 : first == -second ? -1 : 0;
}

int correlate_value(struct lowering *l, const struct node *node)
{
    struct terms terms = terms_of(l, node);
    int sum = -1;
    if (has_sums(l, node))
        return outer_sums(l, node);
    if (is_looped(l, node))
        return weigh_neighbours(l, node);
    bool *added = ARENA_ARRAY(l->arena, bool, terms.count + 1);
    for (int64_t n = 0; n < terms.count; n++) {
        const int64_t element = element_at(&terms, n);
        int sign;
        if (added[n] || is_nothing(&terms, element))
            continue;
        int value = read_term(&terms, n);
        for (int64_t m = n + 1; m < terms.count; m++) {
            sign = shared_sign(&terms, n, m);
            if (sign)
                value = add_term(&terms, value, read_term(&terms, m), sign);
            added[m] = added[m] || sign;
        }
        value = multiply(&terms, element, value, &sign);
        sum = add_term(&terms, sum, value, sign);
    }
    return sum < 0 ? ins_add_literal(l, (union scalar){0}, node->dtype, node->token)
                   : ins_convert(l, sum, node->dtype, false, node->token);
}

/* ---- an operand with what lies around it ---- */

static struct looking look_around(struct lowering *l, const struct node *node, const struct shape *space)
{
    struct looking k;
    const struct shape *extents = l->shapes[operand_index(l, node, 1)];
    look(&k, l, node, extents->rank);
    k.from = space;
    for (int i = 0; i < k.count; i++) {
        const int64_t before = k.args->modes.valid ? 0 : extents->extents[i] / 2;
        begin_at(&k, i, &(struct literal){.kind = LITERAL_INTEGER, .integer = before}, true);
    }
    return k;
}

int border_map(struct lowering *l, const struct node *node, const struct shape *space)
{
    const struct looking k = look_around(l, node, space);
    return map_of(&k, 0);
}

int border_value(struct lowering *l, const struct node *node, const struct shape *space, enum weft_dtype dtype)
{
    const struct looking k = look_around(l, node, space);
    const enum weft_dtype own = operand_node(l->program, node, 0)->dtype;
    const bool looped = is_looped(l, node);
    int value = lower_value_as(l, operand_index(l, node, 0), looped ? node->dtype : own, MEET);
    l->map = 0;
    value = k.args->modes.valid ? value : choose(&k, value, looped ? node->dtype : own);
    return ins_convert(l, value, dtype, false, node->token);
}
