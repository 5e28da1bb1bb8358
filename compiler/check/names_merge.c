/* Matching (rules 8.4 to 8.6): the dimensions of operands together, and operands aligned to them. */
#include "compiler/check/names_impl.h"

#include <string.h>

enum { SHOWN_LABELS = 6 };         /* of a dimension in a message */

/* ---- merging ---- */

/* Where merged dimensions come from. */
struct merging {
    struct naming *n;
    const struct side *sides;
    int count;
    struct span place;
    struct dim items[WEFT_MAX_RANK];
    int from[WEFT_MAX_RANK];       /* the side that each is from */
    int rank;
};

static const char *dims_text(struct naming *n, const struct dims *dims)
{
    struct buf text = buf_new(n->arena);
    dims_put(&text, n->to, dims, NULL, SHOWN_LABELS);
    return text.text;
}

static const char *side_text(const struct merging *m, int i)
{
    return expression_text(m->n->arena, m->n->to, m->sides[i].span);
}

static const char *side_dims(const struct merging *m, int i)
{
    return dims_text(m->n, m->sides[i].whole ? m->sides[i].whole : m->sides[i].dims);
}

/* Reports that sides a and b differ in what `text` says. */
static bool differ(const struct merging *m, int a, int b, const char *text)
{
    struct naming *n = m->n;
    const struct span spans[] = {m->place, m->sides[a].span, m->sides[b].span};
    n->good = false;
    return diag_at(n->diags, DIAG_DIM_MATCH, spans, 3, side_text(m, a), side_dims(m, a), side_text(m, b),
                   side_dims(m, b), text);
}

static const char *labels_text(struct naming *n, const struct dim *dim)
{
    struct buf text = buf_new(n->arena);
    dim_put_labels(&text, dim, SHOWN_LABELS);
    return text.text;
}

/* What to write for a side of size 1 along a dimension; "" for dimensions in quotes, which are no value. */
static const char *constant_text(const struct merging *m, int i, const char *dim)
{
    const char *text = side_text(m, i);
    return *text == '"' || *text == '\'' ? "" : arena_printf(m->n->arena, "; %s is constant along %.40s",
                                                            first_along_text(m->n->arena, text, dim), dim);
}

/* Joins a dimension of side `i` with the merged one of its name. Sizes that differ are left to the shape pass, but
 * for those of the text. */
static bool join_dim(struct merging *m, int at, const struct dim *next, int i)
{
    struct dim *dim = &m->items[at];
    struct arena *arena = m->n->arena;
    if (dim->kind != next->kind)
        return differ(m, m->from[at], i,
                      arena_printf(arena, "%.40s is of kind %s in one and %s in the other", dim->name,
                                   dim_kind_word(dim->kind), dim_kind_word(next->kind)));
    if (dim->extent >= 0 && next->extent >= 0 && dim->extent != next->extent)
        return differ(m, m->from[at], i,
                      arena_printf(arena, "sizes %lld and %lld of %.40s differ%s", (long long)dim->extent,
                                   (long long)next->extent, dim->name,
                                   dim->extent == 1    ? constant_text(m, m->from[at], dim->name)
                                   : next->extent == 1 ? constant_text(m, i, dim->name) : ""));
    if (dim->labels && next->labels && dim->label_count != 1 && !dim_labels_equal(dim, next))
        return differ(m, m->from[at], i, arena_printf(arena, "labels %s and %s of %.40s differ",
                                                      labels_text(m->n, dim), labels_text(m->n, next), dim->name));
    dim->label_count = dim->labels ? dim->label_count : next->label_count;
    dim->labels = dim->labels ? dim->labels : next->labels;
    dim->extent = dim->extent >= 0 ? dim->extent : next->extent;
    return true;
}

static bool add_side(struct merging *m, int i)
{
    const struct dims *dims = m->sides[i].dims;
    for (int d = 0; d < dims->rank; d++) {
        const int at = dims_find(&(struct dims){m->rank, m->items}, dims->items[d].name);
        if (at >= 0 && !join_dim(m, at, &dims->items[d], i))
            return false;
        if (at < 0 && m->rank == WEFT_MAX_RANK)
            return names_wrong(m->n, DIAG_DIM_ROLE, m->place, -1,
                               arena_printf(m->n->arena, "the operands together have more than %d dimensions",
                                            WEFT_MAX_RANK));
        if (at >= 0)
            continue;
        m->from[m->rank] = i;
        m->items[m->rank++] = dims->items[d];
    }
    return true;
}

/* Sorts by kind; within a kind the order stays. */
static const struct dims *sorted(struct merging *m)
{
    struct dim items[WEFT_MAX_RANK];
    int count = 0;
    for (int k = 0; k < DIM_KIND_COUNT; k++)
        for (int d = 0; d < m->rank; d++)
            if (m->items[d].kind == (enum dim_kind)k)
                items[count++] = m->items[d];
    for (int i = 0; i < m->count; i++) { /* the order is often an operand's */
        const struct dims *dims = m->sides[i].dims;
        if (dims->rank == count && memcmp(dims->items, items, (size_t)count * sizeof *items) == 0)
            return dims;
    }
    return names_dims(m->n, count, items);
}

const struct dims *names_merge(struct naming *n, const struct side *sides, int count, struct span place)
{
    struct merging m = {.n = n, .sides = sides, .count = count, .place = place};
    for (int i = 0; i < count; i++)
        if (!add_side(&m, i))
            return NULL;
    return sorted(&m);
}

struct side names_side(const struct naming *n, int node)
{
    return (struct side){names_value(n, node).dims, n->to->nodes[node].span, NULL};
}

/* ---- aligning ---- */

const struct item names_all = {.kind = ITEM_SLICE, .slice = {.step = 1}, .sizes = {-1, -1, -1}};

void names_set_axes(struct naming *n, struct numbers *axes, const int *at, int count, struct span span)
{
    struct literal *items = ARENA_ARRAY(n->arena, struct literal, count + 1);
    for (int i = 0; i < count; i++)
        items[i] = (struct literal){.kind = LITERAL_INTEGER, .integer = at[i]};
    *axes = (struct numbers){.given = true, .in_text = true, .input = -1, .count = count, .items = items, .span = span};
}

int names_transpose(struct naming *n, int node, const int *axes, int rank, struct value value)
{
    struct view_args args = {.kind = VIEW_TRANSPOSE};
    int d = 0;
    while (d < rank && axes[d] == d)
        d++;
    if (d == rank && !value.dims)
        return node;
    names_set_axes(n, &args.axes, axes, rank, n->to->nodes[node].span);
    return names_add_view(n, args, node, value);
}

/* Puts an extent of 1 where the node, whose dimensions are in the order of `to`, lacks one. In front that needs
 * nothing. */
static int expand(struct naming *n, int node, const struct dims *own, const struct dims *to)
{
    struct view_args args = {.kind = VIEW_SELECT};
    struct item *items = ARENA_ARRAY(n->arena, struct item, to->rank + 1);
    bool lacks = false;
    for (int d = 0; d < to->rank; d++) {
        const bool has = dims_find(own, to->items[d].name) >= 0;
        if (!has && !args.item_count)
            continue;
        lacks = lacks || !has;
        items[args.item_count] = names_all;
        items[args.item_count].kind = has ? ITEM_SLICE : ITEM_NEW;
        items[args.item_count++].span = n->to->nodes[node].span;
    }
    args.items = items;
    return lacks ? names_add_view(n, args, node, (struct value){SORT_UNKNOWN, NULL}) : node;
}

/* Drops dimensions with extent 1 that were reduced and that `to` lacks. *own becomes the dimensions that are left. */
static int drop(struct naming *n, int node, const struct dims *kept, const struct dims *dims, const struct dims *to,
                const struct dims **own)
{
    struct view_args args = {.kind = VIEW_SELECT, .item_count = kept->rank};
    struct item *items = ARENA_ARRAY(n->arena, struct item, kept->rank);
    struct dim left[WEFT_MAX_RANK];
    int count = 0;
    for (int d = 0; d < kept->rank; d++) {
        const char *name = kept->items[d].name;
        const bool stays = dims_find(dims, name) >= 0 || dims_find(to, name) >= 0;
        items[d] = names_all;
        items[d].kind = stays ? ITEM_SLICE : ITEM_INDEX;
        items[d].slice.has_start = !stays;
        items[d].span = n->to->nodes[node].span;
        if (stays)
            left[count++] = kept->items[d];
    }
    args.items = items;
    *own = names_dims(n, count, left);
    return count == kept->rank ? node : names_add_view(n, args, node, (struct value){SORT_UNKNOWN, NULL});
}

/* Whether both have the same names in the same order. */
static bool same_names(const struct dims *a, const struct dims *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = strcmp(a->items[d].name, b->items[d].name) == 0;
    return same;
}

int names_align(struct naming *n, int node, const struct dims *to)
{
    const struct value value = names_value(n, node);
    int axes[WEFT_MAX_RANK], count = 0;
    if (value.sort != SORT_NAMED)
        return node;
    const struct dims *own = value.dims;
    if (!value.kept && same_names(own, to))
        return node;
    if (value.kept)
        node = drop(n, node, value.kept, value.dims, to, &own);
    for (int d = 0; d < to->rank; d++) {
        const int at = dims_find(own, to->items[d].name);
        if (at >= 0)
            axes[count++] = at;
    }
    node = names_transpose(n, node, axes, count, (struct value){SORT_UNKNOWN, NULL});
    return expand(n, node, own, to);
}

/* ---- operands ---- */

/* The array literal that a node is. NULL: it is none. */
static const struct node *array_of(const struct naming *n, int node)
{
    const struct node *value = named_node(n->to, &n->to->nodes[node]);
    return value->kind == NODE_ARRAY ? value : NULL;
}

/* The input that a node is; NULL: it is none. */
static const struct symbol *input_of(const struct naming *n, int node)
{
    const struct node *value = named_node(n->to, &n->to->nodes[node]);
    return value->kind == NODE_NAME ? &n->to->symbols[value->symbol] : NULL;
}

enum { SEEN_OPERATIONS = 16 };     /* through which a rank is looked for */

/* The rank of a positional node; -1: it is not known. */
static int rank_of(const struct naming *n, int node, int depth)
{
    const struct node *value = named_node(n->to, &n->to->nodes[node]);
    const struct view_args *args = value->kind == NODE_VIEW ? &n->to->views[value->view] : NULL;
    int rank = 0;
    if (value->kind == NODE_NAME)
        return symbol_rank(&n->to->symbols[value->symbol]);
    if (value->kind == NODE_ARRAY || value->kind == NODE_LITERAL)
        return value->kind == NODE_ARRAY ? value->rank : 0;
    if (args)
        return args->kind == VIEW_TRANSPOSE && args->dims ? args->axes.count : args->dims ? args->dims->rank : -1;
    if ((value->kind != NODE_OP && value->kind != NODE_CAST && value->kind != NODE_WRAP) || depth == SEEN_OPERATIONS)
        return -1;
    for (int i = 0; i < value->operand_count && rank >= 0; i++) {
        const int own = rank_of(n, (int)(operand_node(n->to, value, i) - n->to->nodes), depth + 1);
        rank = own < 0 || own > rank ? own : rank;
    }
    return rank;
}

/* The extents of a positional node; NULL: they are not known. */
static const int64_t *extents_of(const struct naming *n, int node)
{
    const struct symbol *input = input_of(n, node);
    const struct node *array = array_of(n, node);
    return array ? &n->to->extents[array->extents] : input && input->type.ranked ? input->type.extents : NULL;
}

/* What is known of the shape of a positional node. */
static const char *shape_of(const struct naming *n, int node)
{
    const struct symbol *input = input_of(n, node);
    return input && input->type.ranked ? shape_text(n->arena, n->to, type_shape(n->arena, &input->type)) : "[..]";
}

const char *names_advice(const struct naming *n, int node)
{
    return named_advice(n->arena, names_text(n, node), rank_of(n, node, 0));
}

/* What to write for it beside others, which together have `dims`. */
static const char *advice_beside(const struct naming *n, int node, const char *what, const char *other,
                                 const struct dims *dims)
{
    return named_beside(n->arena, what, names_text(n, node), rank_of(n, node, 0), extents_of(n, node), other, dims,
                        NULL);
}

/* Reports a positional operand beside a named one. */
static bool mixed(struct naming *n, int named, int other, struct span place)
{
    const char *text = names_text(n, other);
    const struct span spans[] = {place, n->to->nodes[named].span, n->to->nodes[other].span};
    n->good = false;
    return diag_at(n->diags, DIAG_DIM_MATCH, spans, 3, names_text(n, named), dims_text(n, names_value(n, named).dims),
                   text, shape_of(n, other),
                   arena_printf(n->arena, "%s has no names%s", text,
                                advice_beside(n, other, "give it some", names_text(n, named),
                                              names_value(n, named).dims)));
}

/* An array literal lies along the one channel dimension, which is the last one (rule 8.4). */
static bool place_array(struct naming *n, int node, const struct node *array, const struct dims *merged,
                        struct span place)
{
    int channels = 0;
    for (int d = 0; d < merged->rank; d++)
        channels += merged->items[d].kind == DIM_CHANNEL;
    const char *text = names_text(n, node);
    if (array->rank != 1)
        return names_wrong(n, DIAG_DIM_ROLE, n->to->nodes[node].span, -1,
                           arena_printf(n->arena, "an array literal beside named operands has one dimension, and %s "
                                        "has %d%s", text, array->rank,
                                        advice_beside(n, node, "name it", "them", merged)));
    if (channels != 1)
        return names_wrong(n, DIAG_DIM_ROLE, place, node,
                           arena_printf(n->arena, "an array literal beside named operands lies along their one channel "
                                        "dimension, and %s together have %s%s", dims_text(n, merged),
                                        channels ? "several" : "none",
                                        advice_beside(n, node, "name it", "them", merged)));
    const struct dim *channel = &merged->items[merged->rank - 1];
    const int64_t extent = n->to->extents[array->extents];
    return channel->extent < 0 || channel->extent == extent ||
           names_wrong(n, DIAG_DIM_ROLE, place, node,
                       arena_printf(n->arena, "an array literal beside named operands has an element for each of the "
                                    "channel dimension, and %s has %lld for %lld of %.40s in %s", text,
                                    (long long)extent, (long long)channel->extent, channel->name,
                                    dims_text(n, merged)));
}

bool names_place_other(struct naming *n, int node, int named, const struct dims *merged, struct span place)
{
    const struct node *array = array_of(n, node);
    if (!array)
        return mixed(n, named, node, place);
    if (!place_array(n, node, array, merged, place))
        return false;
    struct dim dim = merged->items[merged->rank - 1];
    dim.labels = NULL;
    dim.label_count = 0;
    dim.extent = n->to->extents[array->extents];
    n->values[node] = (struct value){SORT_NAMED, names_dims(n, 1, &dim)};
    return true;
}

/* The operand to which a scalar, a tensor or an array literal beside named ones becomes. */
static bool match_other(struct naming *n, int node, int named, const struct dims *merged, struct span place)
{
    const struct node *array = array_of(n, node);
    if (array)
        return place_array(n, node, array, merged, place);
    return names_value(n, node).sort != SORT_POSITIONAL || mixed(n, named, node, place);
}

static enum sort unnamed_sort(const struct naming *n, const int *nodes, int count)
{
    enum sort sort = SORT_SCALAR;
    for (int i = 0; i < count; i++)
        sort = names_value(n, nodes[i]).sort > sort ? names_value(n, nodes[i]).sort : sort;
    return sort;
}

/* Whether an operand may yet get names, since what it is made of may. */
static bool is_open(const struct naming *n, const int *nodes, int count)
{
    bool open = false;
    for (int i = 0; n->open && !n->last && i < count; i++)
        open = open || names_value(n, nodes[i]).sort == SORT_UNKNOWN;
    return open;
}

/* Whether a value keeps reduced dimensions, and is in this order. */
static bool in_order(const struct naming *n, int node, const struct dims *merged)
{
    const struct value value = names_value(n, node);
    return value.kept && same_names(value.dims, merged);
}

bool names_match(struct naming *n, int *nodes, int count, struct span place, struct value *value)
{
    int named = 0;
    while (named < count && names_value(n, nodes[named]).sort != SORT_NAMED)
        named++;
    *value = (struct value){is_open(n, nodes, count) ? SORT_UNKNOWN : unnamed_sort(n, nodes, count), NULL};
    if (named == count || is_open(n, nodes, count))
        return true;
    struct side *sides = ARENA_ARRAY(n->arena, struct side, count);
    int side_count = 0;
    for (int i = 0; i < count; i++)
        if (names_value(n, nodes[i]).sort == SORT_NAMED)
            sides[side_count++] = names_side(n, nodes[i]);
    const struct dims *merged = names_merge(n, sides, side_count, place);
    for (int i = 0; merged && i < count; i++)
        if (names_value(n, nodes[i]).sort != SORT_NAMED && !match_other(n, nodes[i], named, merged, place))
            merged = NULL;
    *value = (struct value){merged ? SORT_NAMED : SORT_UNKNOWN, merged};
    if (merged && side_count == 1 && !n->apart[n->at] && in_order(n, nodes[named], merged)) {
        value->kept = names_value(n, nodes[named]).kept;
        return true;               /* the others have no dimensions */
    }
    for (int i = 0; merged && i < count; i++)
        nodes[i] = names_align(n, nodes[i], merged);
    return merged;
}
