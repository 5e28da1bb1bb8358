/* take of named values (rule 8.12). */
#include "compiler/check/names_impl.h"

/* x's dimensions but d, with i's in its place: the order in which take has them. */
static const struct dims *taken_dims(struct naming *n, const struct dims *x, const struct dims *i, int d)
{
    struct dim items[2 * WEFT_MAX_RANK];
    int count = 0;
    for (int k = 0; k < d; k++)
        items[count++] = x->items[k];
    for (int k = 0; i && k < i->rank; k++)
        items[count++] = i->items[k];
    for (int k = d + 1; x && k < x->rank; k++)
        items[count++] = x->items[k];
    return names_dims(n, count, items);
}

static const struct dims *without(struct naming *n, const struct dims *x, int d)
{
    return taken_dims(n, x, NULL, d);
}

/* The dimensions of the positions: named ones; of a list that of x without labels. NULL: none. */
static bool position_dims(struct naming *n, int x, int i, int d, struct span place, const struct dims **dims)
{
    const struct value value = names_value(n, i);
    const struct node *array = named_node(n->to, &n->to->nodes[i]);
    struct dim along = names_value(n, x).dims->items[d];
    *dims = value.dims;
    if (array->kind == NODE_ARRAY && array->rank == 1) {
        along.labels = NULL;
        along.label_count = 0;
        along.extent = n->to->extents[array->extents];
        *dims = names_dims(n, 1, &along);
        return true;
    }
    return value.sort == SORT_SCALAR || value.sort == SORT_UNKNOWN || value.sort == SORT_NAMED ||
           names_wrong(n, DIAG_DIM_ROLE, place, i,
                       arena_printf(n->arena, "positions in a named value are named, of rank 0 or a list in the text; "
                                    "name %s, as in named(%s, \"k:i\")", names_text(n, i), names_text(n, i)));
}

/* Whether both have a dimension. */
static bool share(const struct dims *a, const struct dims *b)
{
    bool both = false;
    for (int k = 0; b && k < b->rank; k++)
        both = both || dims_find(a, b->items[k].name) >= 0;
    return both;
}

/* The node, whose dimensions are those of `own`, in the order of `to`. */
static int in_order(struct naming *n, int node, const struct dims *own, const struct dims *to)
{
    n->values[node] = (struct value){SORT_NAMED, own};
    const int ordered = names_align(n, node, to);
    n->values[ordered] = to->rank ? (struct value){SORT_NAMED, to} : (struct value){SORT_SCALAR, NULL};
    return ordered;
}

static int add_take(struct naming *n, const struct node *like, int x, int i, int axis)
{
    struct view_args args = {.kind = VIEW_TAKE};
    struct node node = *like;
    names_set_axes(n, &args.axes, &axis, 1, like->token);
    ARENA_PUSH(n->arena, n->to->views, n->to->view_count, args);
    node.kind = NODE_TAKE;
    n->to->position_count++;
    node.view = n->to->view_count - 1;
    return names_add(n, node, (int[]){x, i}, 2, (struct value){SORT_UNKNOWN, NULL});
}

/* ---- positions that share dimensions with what they are taken from ---- */

/* The read of x at positions i, each for its own place in the dimensions that both have. */
struct taking {
    struct naming *n;
    const struct node *like;
    int x, i, d;                   /* x and i are symbols */
    const struct dims *own, *along; /* of x and i */
};

/* An operation on named values, in the place of the first one. -1, with a diagnostic, where they do not match. */
static int add_op(const struct taking *t, enum op op, int a, int b, int c)
{
    struct value value;
    struct naming *n = t->n;
    int nodes[] = {a, b, c};
    const int count = c < 0 ? 2 : 3;
    if (a < 0 || b < 0)
        return -1;
    const struct span span = n->to->nodes[a].span;
    if (!names_match(n, nodes, count, t->like->token, &value))
        return -1;
    return names_add(n, (struct node){.kind = NODE_OP, .op = op, .made = true, .span = span,
                                      .token = t->like->token}, nodes, count, value);
}

static int add_literal(const struct taking *t, int64_t number)
{
    return names_add(t->n, (struct node){.kind = NODE_LITERAL, .op = OP_COUNT, .made = true, .span = t->like->span,
                                         .token = t->like->token,
                                         .literal = {.kind = LITERAL_INTEGER, .integer = number}}, NULL, 0,
                     (struct value){SORT_SCALAR, NULL});
}

/* Positions as int64. */
static int position(const struct taking *t)
{
    struct naming *n = t->n;
    const int i = names_use(n, t->i);
    return names_add(n, (struct node){.kind = NODE_CAST, .op = OP_COUNT, .dtype = WEFT_INT64, .made = true,
                                      .span = n->to->nodes[i].span, .token = t->like->token}, &i, 1, names_value(n, i));
}

static int extent(const struct taking *t, int d)
{
    struct view_args args = {.kind = VIEW_EXTENT, .dtype = WEFT_INT64};
    const int x = names_use(t->n, t->x);
    names_set_axes(t->n, &args.axes, &d, 1, t->like->token);
    return names_add_view(t->n, args, x, (struct value){SORT_SCALAR, NULL});
}

/* The number of the element among those of the dimensions that both have, and d: a sum of positions along each. */
static int element(const struct taking *t, int inside)
{
    int number = -1;
    struct node like = *t->like;
    like.span = t->n->to->symbols[t->x].span;
    for (int k = 0; k < t->own->rank; k++) {
        if (k == t->d || dims_find(t->along, t->own->items[k].name) < 0)
            continue;
        const int at = names_index(t->n, &like, names_use(t->n, t->x), k, WEFT_INT64);
        number = number < 0 ? at : add_op(t, OP_ADD, add_op(t, OP_MUL, number, extent(t, k), -1), at, -1);
    }
    return add_op(t, OP_ADD, add_op(t, OP_MUL, number, extent(t, t->d), -1), inside, -1);
}

/* The numbers of the elements; what is outside stays so. */
static int elements(const struct taking *t)
{
    struct naming *n = t->n;
    const int raw = names_share(n, position(t));
    const int negative = add_op(t, OP_LT, names_use(n, raw), add_literal(t, 0), -1);
    const int turned = add_op(t, OP_ADD, names_use(n, raw), extent(t, t->d), -1);
    const int own = add_op(t, OP_WHERE, negative, turned, names_use(n, raw));
    if (own < 0)
        return -1;
    const int at = names_share(n, own);
    const int inside = add_op(t, OP_AND, add_op(t, OP_GE, names_use(n, at), add_literal(t, 0), -1),
                              add_op(t, OP_LT, names_use(n, at), extent(t, t->d), -1), -1);
    return add_op(t, OP_WHERE, inside, element(t, names_use(n, at)), add_literal(t, INT64_MAX));
}

/* x with the dimensions that both have, and d, as its last one. */
static int flattened(const struct taking *t, const struct dims **others)
{
    struct naming *n = t->n;
    struct view_args args = {.kind = VIEW_RESHAPE};
    struct dim items[WEFT_MAX_RANK];
    int axes[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK], count = 0, size = -1;
    for (int k = 0; k < t->own->rank; k++)
        if (k != t->d && dims_find(t->along, t->own->items[k].name) < 0) {
            sizes[count] = extent(t, k);
            items[count] = t->own->items[k];
            axes[count++] = k;
        }
    const int rest = count;
    for (int k = 0; k < t->own->rank; k++)
        if (k != t->d && dims_find(t->along, t->own->items[k].name) >= 0) {
            size = size < 0 ? extent(t, k) : add_op(t, OP_MUL, size, extent(t, k), -1);
            axes[count++] = k;
        }
    axes[count++] = t->d;
    sizes[rest] = add_op(t, OP_MUL, size, extent(t, t->d), -1);
    *others = names_dims(n, rest, items);
    const int x = names_transpose(n, names_use(n, t->x), axes, count, (struct value){SORT_UNKNOWN, NULL});
    struct literal *none = ARENA_ARRAY(n->arena, struct literal, rest + 1);
    for (int k = 0; k <= rest; k++)
        none[k].integer = EXTENT_UNKNOWN;
    int *kept = ARENA_ARRAY(n->arena, int, WEFT_MAX_RANK);
    for (int k = 0; k < WEFT_MAX_RANK; k++)
        kept[k] = k <= rest ? sizes[k] : -1;
    args.shape = (struct numbers){.given = true, .input = -1, .count = rest + 1, .items = none, .sizes = kept,
                                  .span = t->like->token};
    n->to->size_count += rest + 1;
    return names_add_view(n, args, x, (struct value){SORT_UNKNOWN, NULL});
}

static int take_matched(struct naming *n, const struct node *like, int x, int i, int d, const struct dims *merged)
{
    const struct dims *others, *own = names_value(n, x).dims, *along = names_value(n, i).dims;
    const struct taking t = {n, like, names_share(n, x), names_share(n, i), d, own, along};
    const int from = flattened(&t, &others), at = elements(&t);
    if (at < 0)
        return -1;
    const struct dims *dims = taken_dims(n, others, along, others->rank);
    const int positions = names_align(n, at, along);
    return in_order(n, add_take(n, like, from, positions, others->rank), dims, merged);
}

int names_take(struct naming *n, const struct node *like, int x, int i, int d)
{
    const struct dims *own = names_value(n, x).dims, *rest = without(n, own, d), *along;
    if (!position_dims(n, x, i, d, like->token, &along))
        return -1;
    const struct side sides[] = {{rest, n->to->nodes[x].span, own}, {along, n->to->nodes[i].span, NULL}};
    const struct dims *merged = names_merge(n, sides, along ? 2 : 1, like->token);
    if (!merged)
        return -1;
    if (share(rest, along))
        return take_matched(n, like, x, i, d, merged);
    return in_order(n, add_take(n, like, x, i, d), taken_dims(n, own, along, d), merged);
}
