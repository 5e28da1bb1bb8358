/* Sums in two passes (section 10): an array literal of integers that is an outer product is summed along its last
 * dimensions first, for each element, and then along the first ones. Integers wrap, so the order of their sums does not
 * matter; floats are rounded one by one in the order of rule 10.3, and never take part. Both passes read temporaries:
 * the operand with what lies around it, and the first sums, in the smallest type that certainly holds them. */
#include "compiler/check/check.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/lower_impl.h"

/* ---- factors ---- */

/* The integer that is term number `number`; false: it is none before any run, or a large one. */
static bool term_integer(const struct lower_params *p, const struct node *node, const struct node *array,
                         int64_t number, int64_t *value)
{
    const int64_t most = INT64_C(1) << 31;
    const struct node *values = p->values ? p->values : p->program->nodes;
    const bool backwards = p->program->views[node->view].kind == VIEW_CONVOLVE;
    const int element = (int)(backwards ? array->operand_count - 1 - number : number);
    const struct node *term = &values[p->program->operands[array->operands + element]];
    if (term->number || term->literal.kind != LITERAL_INTEGER)
        return false;
    const double about = literal_number(&term->literal);
    *value = (int64_t)term->literal.integer;
    return about >= -(double)most && about <= (double)most && (double)*value == about;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int count_terms(const int64_t *factors, int64_t count)
{
    int terms = 0;
    for (int64_t i = 0; i < count; i++)
        terms += factors[i] != 0;
    return terms;
}

/* Fills in the factors of a matrix that has one row and its multiples; false: it is none. */
static bool divide_terms(const int64_t *terms, int64_t rows, int64_t columns, int64_t *outer, int64_t *inner)
{
    int64_t pivot = 0, divisor = 0;
    while (pivot < rows * columns && !terms[pivot])
        pivot++;
    if (pivot == rows * columns)
        return false;
    const int64_t *row = terms + pivot / columns * columns;
    for (int64_t j = 0; j < columns; j++)
        divisor = greatest_divisor(row[j], divisor);
    for (int64_t j = 0; j < columns; j++)
        inner[j] = row[j] / divisor;
    for (int64_t i = 0; i < rows; i++) {
        outer[i] = terms[i * columns + pivot % columns] / inner[pivot % columns];
        for (int64_t j = 0; j < columns; j++)
            if (outer[i] * inner[j] != terms[i * columns + j])
                return false;
    }
    return true;
}

/* What the sums of the first pass may be. */
static struct value_range range_of_sums(enum weft_dtype dtype, const int64_t *inner, int64_t count)
{
    const struct value_range x = dtype == WEFT_BOOL ? range_between(0, 1) : range_of_dtype(dtype);
    int64_t lo = 0, hi = 0;
    if (!x.known || type_rows[dtype].bits > 16)
        return range_unknown;
    for (int64_t j = 0; j < count; j++) {
        const int64_t a = inner[j] * x.lo, b = inner[j] * x.hi;
        lo += a < b ? a : b;
        hi += a < b ? b : a;
    }
    return range_between(lo, hi);
}

/* The smallest type that holds the sums; or the result's, in which they wrap as there. */
static enum weft_dtype sums_dtype(struct value_range range, enum weft_dtype dtype)
{
    static const enum weft_dtype small[] = {WEFT_INT16, WEFT_UINT16, WEFT_INT32};
    for (size_t i = 0; range.known && i < sizeof small / sizeof *small; i++)
        if (range_fits(range, small[i]) && type_rows[small[i]].size < type_rows[dtype].size)
            return small[i];
    return dtype;
}

const struct factors *find_factors(struct arena *arena, const struct lower_params *p, const struct node *node)
{
    const int *operands = &p->program->operands[node->operands];
    const struct node *array = named_node(p->program, &p->program->nodes[operands[1]]);
    const struct shape *shape = p->shapes[operands[1]];
    const int64_t volume = shape_volume(shape);
    struct factors *found = NULL;
    int64_t rows = 1;
    if (array->kind != NODE_ARRAY || shape->rank < 2 || !dtype_is_integer(node->dtype))
        return NULL;
    int64_t *terms = ARENA_ARRAY(arena, int64_t, volume + 1);
    for (int64_t n = 0; n < volume; n++)
        if (!term_integer(p, node, array, n, &terms[n]))
            return NULL;
    for (int split = 1; split < shape->rank; split++) {
        rows *= shape->extents[split - 1];
        const int64_t columns = volume / rows;
        struct factors own = {.split = split, .outer = ARENA_ARRAY(arena, int64_t, rows),
                              .inner = ARENA_ARRAY(arena, int64_t, columns)};
        if (rows == 1 || columns == 1 || !divide_terms(terms, rows, columns, own.outer, own.inner))
            continue;
        own.terms = count_terms(own.outer, rows) + count_terms(own.inner, columns);
        own.range = range_of_sums(p->program->nodes[operands[0]].dtype, own.inner, columns);
        own.dtype = sums_dtype(own.range, node->dtype);
        if (!found || own.terms < found->terms)
            found = arena_copy(arena, &own, sizeof own);
    }
    return found;
}

/* ---- sums ---- */

/* The sum of a temporary's neighbours along axes number `first` to `last` - 1 of the correlate, of which it has all.
 * `space`: that of l->map. */
static int sum_along(struct lowering *l, const struct node *node, int temporary, const struct shape *space, int first,
                     int last, const int64_t *factors)
{
    const struct shape *k = l->shapes[operand_index(l, node, 1)], *to = l->temporaries[temporary].shape;
    const int above = l->map;
    int at[WEFT_MAX_RANK], sum = -1;
    int64_t count = 1;
    neighbour_axes(&l->views[node->view], to->rank, k->rank, at);
    for (int i = first; i < last; i++)
        count *= k->extents[i];
    for (int64_t n = 0; n < count; n++) {
        struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank + 1);
        int64_t number = n;
        if (!factors[n])
            continue;
        for (int d = 0; d < to->rank; d++)
            axes[d] = (struct axis){d, {.step = 1}, EDGE_VALUE};
        for (int i = last - 1; i >= first; number /= k->extents[i--]) {
            const int64_t start = number % k->extents[i];
            axes[at[i]].slice = (struct slice){start, start + space->extents[at[i]], 1, true, true};
        }
        l->map = map_select(l->kernel, above, space, to, axes);
        int term = ins_add_load_under(l, TENSOR_TEMPORARY, temporary, l->temporaries[temporary].dtype, l->map,
                                      node->token);
        l->map = above;
        term = ins_convert(l, term, node->dtype, false, node->token);
        const struct literal factor = {.kind = LITERAL_INTEGER, .integer = factors[n]};
        if (factors[n] != 1)
            term = ins_add_op(l, OP_MUL, node->dtype, node->dtype,
                              (int[]){ins_add_literal(l, literal_wrap(&factor, node->dtype), node->dtype, node->token),
                                      term, -1}, node->token);
        sum = sum < 0 ? term : ins_add_op(l, OP_ADD, node->dtype, node->dtype, (int[]){sum, term, -1}, node->token);
    }
    return sum;
}

int inner_sums(struct lowering *l, const struct node *node, const struct shape *space)
{
    const struct reduced *own = &l->reduced[node_number(l, node)];
    const struct factors *factors = own->factors;
    const int sum = sum_along(l, node, own->border, space, factors->split,
                              l->shapes[operand_index(l, node, 1)]->rank, factors->inner);
    return ins_convert(l, sum, factors->dtype, false, node->token);
}

int outer_sums(struct lowering *l, const struct node *node)
{
    const struct reduced *own = &l->reduced[node_number(l, node)];
    return sum_along(l, node, own->sums, l->shapes[node_number(l, node)], 0, own->factors->split, own->factors->outer);
}
