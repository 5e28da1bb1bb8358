/* Named reductions (rule 8.12). A recipe's nodes have the order of what is reduced, so they need no merging: where its
 * operands are aligned and its axes are found, all of them are right. */
#include "compiler/check/names_impl.h"
#include "compiler/check/reduced.h"

/* The node that stands for operand `i` of a reduction: a recipe may have bound it to a hidden name. */
static int operand_of(const struct naming *n, const struct reduce_args *args, int i)
{
    return n->map[args->operands[i]];
}

/* Absent axes: all but batch. */
static void all_but_batch(struct naming *n, struct reduce_args *args, const struct dims *dims, struct span span)
{
    int at[WEFT_MAX_RANK], count = 0;
    for (int d = 0; d < dims->rank; d++)
        if (dims->items[d].kind != DIM_BATCH)
            at[count++] = d;
    if (count < dims->rank)
        names_set_axes(n, &args->axes, at, count, span);
}

/* Absent axis of softmax and vecdot: the one channel dimension. */
static bool one_channel(struct naming *n, struct reduce_args *args, const struct dims *dims, const struct node *node)
{
    int at = -1, count = 0;
    for (int d = 0; d < dims->rank; d++)
        if (dims->items[d].kind == DIM_CHANNEL)
            at = d, count++;
    if (count != 1)
        return names_wrong(n, DIAG_DIM_ROLE, node->token, operand_of(n, args, 0),
                           arena_printf(n->arena, "%s goes along the one channel dimension, of which there %s; write "
                                        "axis=, as in %s(.., axis=%.40s)", args->name,
                                        count ? "are several" : "is none", args->name, dims->items[0].name));
    names_set_axes(n, &args->axes, &at, 1, node->token);
    return true;
}

/* Aligns the operands of softmax and vecdot, which a recipe has bound to names. */
static bool align_operands(struct naming *n, const struct reduce_args *args, struct span place, struct value *value)
{
    const int count = args->value.count;
    int nodes[2];
    for (int i = 0; i < count; i++)
        nodes[i] = operand_of(n, args, i);
    if (!names_match(n, nodes, count, place, value))
        return false;
    for (int s = 0; s < n->from->symbol_count; s++)
        for (int i = 0; i < count; i++)
            if (n->from->symbols[s].hidden && n->from->symbols[s].node == args->operands[i])
                n->aligned[s] = nodes[i], n->aligned_dims[s] = value->dims;
    return true;
}

static bool find_axes(struct naming *n, struct reduce_args *args, const struct node *node)
{
    const int of = operand_of(n, args, 0);
    struct value value = names_value(n, of);
    if (args->last && !align_operands(n, args, node->token, &value))
        return false;
    if (value.sort == SORT_NAMED && args->keepdims)
        return names_wrong(n, DIAG_DIM_ROLE, node->token, of,
                           arena_printf(n->arena, "%s of a named value needs no keepdims: what lacks a dimension is "
                                        "constant along it; leave keepdims out", args->name));
    if (value.sort != SORT_NAMED || args->axes.given)
        return names_axes(n, &args->axes, of, value, args->last ? AXES_ONE : AXES_ANY, args->last ? "axis" : "axes");
    if (args->last)
        return one_channel(n, args, value.dims, node);
    all_but_batch(n, args, value.dims, node->token);
    return true;
}

/* ---- values ---- */

/* The dimensions that are left. */
static struct value reduced(struct naming *n, const struct node *node, struct value value)
{
    const struct reduce_args *args = &n->to->reductions[node->reduction];
    struct dim items[WEFT_MAX_RANK];
    int count = 0;
    if (value.sort != SORT_NAMED) {
        const bool all = !args->axes.given && !args->last && !node->keepdims;
        return (struct value){all || value.sort == SORT_SCALAR ? SORT_SCALAR
                              : node->keepdims                 ? value.sort
                                                               : SORT_UNKNOWN, NULL};
    }
    const uint32_t set = reduced_set(args, value.dims->rank);
    for (int d = 0; d < value.dims->rank; d++)
        if (!(set >> d & 1))
            items[count++] = value.dims->items[d];
    return node->keepdims || count == value.dims->rank ? value
           : count ? (struct value){SORT_NAMED, names_dims(n, count, items)}
                   : (struct value){SORT_SCALAR, NULL};
}

/* The value of a recipe that keeps reduced dimensions. */
static struct value without_reduced(struct naming *n, const struct node *node, struct value value)
{
    struct node drops = *node;
    drops.keepdims = false;
    struct value rest = reduced(n, &drops, value);
    struct dim items[WEFT_MAX_RANK];
    for (int d = 0; d < value.dims->rank; d++) {
        items[d] = value.dims->items[d];
        if (dims_find(rest.dims, items[d].name) >= 0)
            continue;
        items[d].extent = 1;
        items[d].labels = NULL;
        items[d].label_count = 0;
    }
    rest.kept = names_dims(n, value.dims->rank, items);
    return rest;
}

/* Operands have the same dimensions, or fewer. */
static struct value widest(const struct naming *n, const struct node *node, const int *operands)
{
    const int count = node->kind == NODE_OP ? node->operand_count : 1;
    struct value widest = names_value(n, operands[0]);
    for (int i = 1; i < count; i++) {
        const struct value value = names_value(n, operands[i]);
        if (value.sort > widest.sort ||
            (value.sort == SORT_NAMED && widest.dims && value.dims->rank > widest.dims->rank))
            widest = value;
    }
    return widest;
}

/* The last node of a recipe, which is its value. */
static int end_of(const struct naming *n, int at)
{
    const struct program *from = n->from;
    const int reduction = from->nodes[at].reduction;
    while (at + 1 < from->node_count && from->nodes[at + 1].made && from->nodes[at + 1].reduction == reduction)
        at++;
    return at;
}

/* Whether a named reduction, all of whose uses are operations, shall keep what it reduces with extent 1: where those
 * are operations with what was reduced, nothing needs to be inserted again. */
static bool keeps(const struct naming *n, const struct node *node)
{
    const struct reduce_args *args = &n->to->reductions[node->reduction];
    const struct value value = names_value(n, operand_of(n, args, 0));
    return n->good && value.sort == SORT_NAMED && !args->last && !n->apart[end_of(n, n->at)] && args->axes.given &&
           args->axes.count < value.dims->rank;
}

int names_recipe(struct naming *n, const struct node *node, const int *operands)
{
    struct value value = {SORT_SCALAR, NULL};
    if (!n->seen[node->reduction]) {
        n->seen[node->reduction] = true;
        find_axes(n, &n->to->reductions[node->reduction], node);
    }
    if (node->kind == NODE_NAME)
        return names_name(n, node);
    if (node->kind == NODE_OP || node->kind == NODE_CAST)
        value = widest(n, node, operands);
    struct node copy = *node;
    const bool reduces = node->kind == NODE_REDUCE || node->kind == NODE_SEARCH, kept = keeps(n, node);
    copy.keepdims = node->keepdims || (reduces && kept);
    if (reduces)
        value = reduced(n, &copy, names_value(n, operands[0]));
    if (kept && n->at == end_of(n, n->at))
        value = without_reduced(n, node, value);
    return names_copy(n, &copy, operands, node->operand_count, value);
}
