/* concat, stack and broadcast_to of named values (rule 8.12). Operands get all dimensions, at their full sizes. */
#include "compiler/check/names_impl.h"

#include <string.h>

/* ---- stretching ---- */

/* Where sizes of dimensions come from: the operands, bound to names where they are used more than once. */
struct sources {
    struct naming *n;
    int *nodes, *symbols;          /* [count]; a symbol is -1 where its node is used once */
    const struct dims **dims;      /* [count] */
    int count;
};

static int source_of(const struct sources *s, const char *name)
{
    int i = 0;
    while (i < s->count && (!s->dims[i] || dims_find(s->dims[i], name) < 0))
        i++;
    return i < s->count ? i : -1;
}

/* A use of operand `i`. */
static int use(struct sources *s, int i)
{
    if (s->symbols[i] < 0)
        s->symbols[i] = names_share(s->n, s->nodes[i]);
    return names_use(s->n, s->symbols[i]);
}

/* The size expression extent(operand, d). */
static int extent(struct sources *s, int i, const char *name)
{
    struct naming *n = s->n;
    const int d = dims_find(s->dims[i], name), node = use(s, i);
    struct view_args args = {.kind = VIEW_EXTENT, .dtype = WEFT_INT64};
    names_set_axes(n, &args.axes, &d, 1, n->to->nodes[node].span);
    return names_add_view(n, args, node, (struct value){SORT_SCALAR, NULL});
}

/* Adds the extent of a dimension to the shape of broadcast_to: a number, or a size expression of the operand that has
 * it, `own` if it does. */
static void add_extent(struct sources *s, struct numbers *shape, const struct dim *dim, int own)
{
    struct literal *items = (struct literal *)shape->items;
    int *sizes = (int *)shape->sizes;
    const bool has = own >= 0 && s->dims[own] && dims_find(s->dims[own], dim->name) >= 0;
    const int from = has ? own : source_of(s, dim->name);
    sizes[shape->count] = dim->extent >= 0 ? -1 : extent(s, from, dim->name);
    items[shape->count] = dim->extent >= 0 ? (struct literal){.kind = LITERAL_INTEGER, .integer = dim->extent}
                                           : (struct literal){.kind = LITERAL_NONE, .integer = EXTENT_UNKNOWN};
    s->n->to->size_count += dim->extent < 0;
    shape->count++;
}

static bool has_all(const struct dims *own, const struct dims *to)
{
    return own && own->rank == to->rank;
}

/* Operand `i` under all dimensions `to`, by broadcast_to where it lacks one, or `always`. */
static int stretch(struct sources *s, int i, const struct dims *to, struct span place, bool always)
{
    struct naming *n = s->n;
    struct view_args args = {.kind = VIEW_BROADCAST_TO};
    const int room = WEFT_MAX_RANK;
    if (has_all(s->dims[i], to) && !always)
        return names_align(n, s->symbols[i] < 0 ? s->nodes[i] : use(s, i), to);
    args.shape = (struct numbers){.given = true, .input = -1, .span = place,
                                  .items = ARENA_ARRAY(n->arena, struct literal, room),
                                  .sizes = ARENA_ARRAY(n->arena, int, room)};
    for (int d = 0; d < to->rank; d++)
        add_extent(s, &args.shape, &to->items[d], i);
    const int node = names_align(n, s->symbols[i] < 0 ? s->nodes[i] : use(s, i), to);
    return names_add_view(n, args, node, (struct value){SORT_UNKNOWN, NULL});
}

/* ---- operands ---- */

/* The same dimensions, that of this name without what may differ between values that are joined. */
static const struct dims *bare(struct naming *n, const struct dims *dims, const char *name)
{
    struct dim items[WEFT_MAX_RANK];
    const int at = dims_find(dims, name);
    if (at < 0)
        return dims;
    memcpy(items, dims->items, (size_t)dims->rank * sizeof *items);
    items[at].labels = NULL;
    items[at].label_count = 0;
    items[at].extent = EXTENT_UNKNOWN;
    return names_dims(n, dims->rank, items);
}

/* The first operand that has names; there is one. */
static int first_named(const struct naming *n, const int *operands)
{
    int i = 0;
    while (names_value(n, operands[i]).sort != SORT_NAMED)
        i++;
    return operands[i];
}

/* The dimensions of all operands that have names. Sizes along the one along which values are joined may differ. */
static const struct dims *named_operands(struct naming *n, const struct node *node, const int *operands)
{
    struct side *sides = ARENA_ARRAY(n->arena, struct side, node->operand_count);
    const struct view_args *args = &n->to->views[node->view];
    const int first = first_named(n, operands);
    const struct dims *own = names_value(n, first).dims;
    struct numbers axes = args->axes;
    const char *joined = NULL;
    int count = 0;
    if (args->kind == VIEW_CONCAT && axes.given) {
        if (!names_axes(n, &axes, first, names_value(n, first), AXES_ONE, "axis"))
            return NULL;
        joined = own->items[(int)axes.items[0].integer].name;
    }
    for (int i = 0; i < node->operand_count; i++) {
        const struct dims *dims = names_value(n, operands[i]).dims;
        if (dims)
            sides[count++] = (struct side){joined ? bare(n, dims, joined) : dims, n->to->nodes[operands[i]].span,
                                          dims};
    }
    return names_merge(n, sides, count, node->token);
}

/* Names array literals along the one channel dimension of the others, and refuses positional operands. */
static bool read_operands(struct naming *n, const struct node *node, int *operands, struct sources *s)
{
    const int count = node->operand_count;
    const struct dims *dims = NULL;
    *s = (struct sources){n, operands, ARENA_ARRAY(n->arena, int, count),
                          ARENA_ARRAY(n->arena, const struct dims *, count), count};
    for (int i = 0; i < count; i++) {
        s->symbols[i] = -1;
        if (names_value(n, operands[i]).sort == SORT_POSITIONAL) {
            dims = dims ? dims : named_operands(n, node, operands);
            if (!dims || !names_place_other(n, operands[i], first_named(n, operands), dims, node->token))
                return false;
        }
        s->dims[i] = names_value(n, operands[i]).dims;
    }
    return true;
}

static const struct dims *merge_operands(struct sources *s, const char *name, const struct side *text,
                                         struct span place)
{
    struct side *sides = ARENA_ARRAY(s->n->arena, struct side, s->count + 1);
    int count = 0;
    if (text)
        sides[count++] = *text;
    for (int i = 0; i < s->count; i++)
        if (s->dims[i])
            sides[count++] = (struct side){bare(s->n, s->dims[i], name), s->n->to->nodes[s->nodes[i]].span,
                                          s->dims[i]};
    return names_merge(s->n, sides, count, place);
}

/* ---- concat ---- */

/* Sizes are added; labels joined if all values have some and all differ. */
static struct dim joined_dim(struct sources *s, const struct dim *dim)
{
    struct dim joined = *dim;
    struct map seen = {.arena = s->n->arena};
    const char **labels = NULL;
    bool good = true;
    joined.extent = 0;
    for (int i = 0; i < s->count; i++) {
        const struct dim *own = &s->dims[i]->items[dims_find(s->dims[i], dim->name)];
        joined.extent = own->extent < 0 || joined.extent < 0 ? EXTENT_UNKNOWN : joined.extent + own->extent;
        good = good && own->labels;
        for (int k = 0; good && k < own->label_count; k++) {
            good = map_find(&seen, own->labels[k], strlen(own->labels[k])) < 0;
            map_put(&seen, own->labels[k], strlen(own->labels[k]), 1);
            ARENA_PUSH(s->n->arena, labels, joined.label_count, own->labels[k]);
        }
    }
    joined.labels = good ? labels : NULL;
    joined.label_count = good ? joined.label_count : 0;
    return joined;
}

/* Binds all operands to names where sizes of some are read for others. */
static void share_operands(struct sources *s, const struct dims *inner)
{
    bool lacks = false, open = false;
    for (int i = 0; i < s->count; i++)
        lacks = lacks || !has_all(s->dims[i], inner);
    for (int d = 0; d < inner->rank; d++)
        open = open || inner->items[d].extent < 0;
    for (int i = 0; lacks && open && i < s->count; i++)
        s->symbols[i] = names_share(s->n, s->nodes[i]);
}

/* Sizes of the joined dimension are each operand's own. */
static int add_join(struct sources *s, const struct node *node, const struct dims *inner, int axis, struct value value)
{
    struct naming *n = s->n;
    struct view_args *args = &n->to->views[node->view];
    int *nodes = ARENA_ARRAY(n->arena, int, s->count);
    const struct numbers given = args->axes;
    share_operands(s, inner);
    for (int i = 0; i < s->count; i++)
        nodes[i] = stretch(s, i, inner, node->token, false);
    args = &n->to->views[node->view];
    names_set_axes(n, &args->axes, &axis, 1, given.given ? given.span : node->token);
    args->dims = NULL;
    return names_copy(n, node, nodes, s->count, value);
}

static int concat(struct sources *s, const struct node *node)
{
    struct naming *n = s->n;
    struct numbers *axes = &n->to->views[node->view].axes;
    struct dim items[WEFT_MAX_RANK];
    if (!axes->given)
        return names_wrong(n, DIAG_DIM_ROLE, node->token, -1,
                           "concat of named values names the dimension along which they are joined, as in axis=x"), -1;
    for (int i = 0; i < s->count; i++) {
        struct numbers own = *axes;
        if (!names_need(n, s->nodes[i], node->token, "concat joins values that all have the dimension") ||
            !names_axes(n, &own, s->nodes[i], names_value(n, s->nodes[i]), AXES_ONE, "axis"))
            return -1;
        items[0] = s->dims[i]->items[(int)own.items[0].integer];
    }
    const char *name = items[0].name;
    const struct dims *merged = merge_operands(s, name, NULL, node->token);
    if (!merged)
        return -1;
    const int axis = dims_find(merged, name);
    memcpy(items, merged->items, (size_t)merged->rank * sizeof *items);
    items[axis] = joined_dim(s, &merged->items[axis]);
    return add_join(s, node, merged, axis, (struct value){SORT_NAMED, names_dims(n, merged->rank, items)});
}

/* ---- stack ---- */

/* The new dimension. NULL, with a diagnostic, where the text has another thing. */
static const struct dim *new_dim(const struct sources *s, const struct node *node)
{
    struct naming *n = s->n;
    const struct view_args *args = &n->to->views[node->view];
    const struct dim *dim = args->dims && args->dims->rank == 1 ? args->dims->items : NULL;
    const char *text = NULL;
    if (!dim)
        text = "stack of named values adds one named dimension, as in axis=\"z:s\" or axis=\"vector:c=(u,v)\"";
    else if (dim->extent >= 0 && dim->extent != s->count)
        text = arena_printf(n->arena, "dimension %.40s has size %lld here, and %d values are stacked", dim->name,
                            (long long)dim->extent, s->count);
    else if (source_of(s, dim->name) >= 0)
        text = arena_printf(n->arena, "%s has a dimension %.40s already; stack adds a new one",
                            names_text(n, s->nodes[source_of(s, dim->name)]), dim->name);
    return text ? names_wrong(n, DIAG_DIM_ROLE, args->dims ? args->dims_span : node->token, -1, text), NULL : dim;
}

static int stack(struct sources *s, const struct node *node)
{
    struct naming *n = s->n;
    const struct dim *own = new_dim(s, node);
    if (!own)
        return -1;
    struct dim dim = *own, items[WEFT_MAX_RANK];
    int count = 0;
    dim.extent = s->count;
    const struct side text = {names_dims(n, 1, &dim), n->to->views[node->view].dims_span, NULL};
    const struct dims *merged = merge_operands(s, dim.name, &text, node->token);
    if (!merged)
        return -1;
    const int axis = dims_find(merged, dim.name);
    for (int d = 0; d < merged->rank; d++)
        if (d != axis)
            items[count++] = merged->items[d];
    return add_join(s, node, names_dims(n, count, items), axis, (struct value){SORT_NAMED, merged});
}

/* Whether the values are joined by names. */
static bool by_names(const struct naming *n, const struct node *node, const int *operands)
{
    const struct view_args *args = &n->to->views[node->view];
    bool named = args->dims || (args->axes.given && (args->axes.names || args->axes.letters));
    for (int i = 0; i < node->operand_count; i++)
        named = named || names_value(n, operands[i]).sort == SORT_NAMED;
    return named;
}

/* Whether no value can turn out to be named. */
static bool unnamed(const struct naming *n, const struct node *node, const int *operands)
{
    bool known = true;
    for (int i = 0; i < node->operand_count; i++)
        known = known && (n->last || names_value(n, operands[i]).sort != SORT_UNKNOWN);
    return known;
}

/* Axes of values without names. */
static bool positional(struct naming *n, const struct node *node, const int *operands)
{
    struct view_args *args = &n->to->views[node->view];
    if (args->dims && !unnamed(n, node, operands))
        return n->open = true;
    if (args->dims)
        return names_wrong(n, DIAG_AXIS, args->dims_span, operands[0],
                           arena_printf(n->arena, "stack adds a dimension with a name to named values, and %s has "
                                        "none; write its number", names_text(n, operands[0])));
    int i = 0;                     /* an operand that may have names, if there is one */
    while (i + 1 < node->operand_count && names_value(n, operands[i]).sort != SORT_UNKNOWN)
        i++;
    i = names_value(n, operands[i]).sort == SORT_UNKNOWN ? i : 0;
    return names_axes(n, &args->axes, operands[i], names_value(n, operands[i]), AXES_ANY, "axis");
}

int names_join(struct naming *n, const struct node *node, int *operands)
{
    struct sources s;
    enum sort sort = SORT_SCALAR;
    bool scalars = true;
    for (int i = 0; i < node->operand_count; i++) {
        sort = names_value(n, operands[i]).sort > sort ? names_value(n, operands[i]).sort : sort;
        scalars = scalars && names_value(n, operands[i]).sort == SORT_SCALAR;
    }
    const bool named = by_names(n, node, operands) &&
                       (sort == SORT_NAMED || (scalars && n->to->views[node->view].dims));
    if (!named) {
        const bool known = unnamed(n, node, operands);
        return positional(n, node, operands),
               names_copy(n, node, operands, node->operand_count,
                          (struct value){known ? SORT_POSITIONAL : SORT_UNKNOWN, NULL});
    }
    int made = -1;
    if (read_operands(n, node, operands, &s))
        made = n->to->views[node->view].kind == VIEW_CONCAT ? concat(&s, node) : stack(&s, node);
    return made >= 0 ? made
                     : names_copy(n, node, operands, node->operand_count, (struct value){SORT_UNKNOWN, NULL});
}

/* ---- broadcast_to ---- */

int names_broadcast(struct naming *n, const struct node *node, int operand)
{
    const struct view_args args = n->to->views[node->view];
    int symbol = names_share(n, operand);
    const struct dims *dims = names_value(n, operand).dims;
    struct sources s = {n, &operand, &symbol, &dims, 1};
    struct side sides[] = {names_side(n, operand), {args.dims, args.dims_span, NULL}};
    for (int d = 0; d < args.dims->rank; d++)
        if (args.dims->items[d].extent < 0)
            return names_wrong(n, DIAG_DIM_ROLE, args.dims_span, -1,
                               arena_printf(n->arena, "broadcast_to needs the size of %.40s, as in \"%.40s:%c=4\"",
                                            args.dims->items[d].name, args.dims->items[d].name,
                                            *dim_kind_word(args.dims->items[d].kind))), -1;
    const int skip = !sides[0].dims;
    const struct dims *merged = names_merge(n, sides + skip, 2 - skip, node->token);
    if (!merged)
        return -1;
    const int made = stretch(&s, 0, merged, node->token, true);
    n->to->views[n->to->nodes[made].view].dims = merged; /* for messages */
    n->to->views[n->to->nodes[made].view].dims_span = args.dims_span;
    n->to->nodes[made].made = false;
    n->values[made] = merged->rank ? (struct value){SORT_NAMED, merged} : (struct value){SORT_SCALAR, NULL};
    return made;
}
