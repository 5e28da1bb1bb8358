/* offset, pad, correlate and convolve of named values (rule 8.12). They keep the order of dimensions. */
#include "compiler/check/names_impl.h"

#include <string.h>

/* A call that looks at neighbours. */
struct looking {
    struct naming *n;
    const struct node *node;
    const int *operands;
    const struct dims *dims;       /* of the first operand */
    const char *name;              /* the function */
};

static struct view_args *args_of(const struct looking *l)
{
    return &l->n->to->views[l->node->view];
}

static bool wrong(const struct looking *l, struct span span, const char *text)
{
    return names_wrong(l->n, DIAG_DIM_ROLE, span, l->operands[0], text);
}

/* ---- axes ---- */

/* Absent axes: the one spatial dimension; of pad with one integer all of them. */
static bool spatial_axes(const struct looking *l)
{
    const struct view_args *args = args_of(l);
    const bool all = args->kind == VIEW_PAD && args->before.single;
    int at[WEFT_MAX_RANK], count = 0;
    for (int d = 0; d < l->dims->rank; d++)
        if (l->dims->items[d].kind == DIM_SPATIAL)
            at[count++] = d;
    if (!all && count != 1)
        return wrong(l, l->node->token,
                     arena_printf(l->n->arena, "%s goes along the one spatial dimension, of which there %s; name "
                                  "dimensions, as in axes=%.40s", l->name, count ? "are several" : "is none",
                                  l->dims->items[count ? at[0] : 0].name));
    names_set_axes(l->n, &args_of(l)->axes, at, count, l->node->token);
    return true;
}

static bool is_correlation(const struct looking *l)
{
    return l->node->kind == NODE_CORRELATE;
}

/* Named weights: the axes are their dimensions, which are all on x. */
static bool weight_axes(const struct looking *l, const struct dims *weights)
{
    struct naming *n = l->n;
    int at[WEFT_MAX_RANK];
    if (args_of(l)->axes.given)
        return wrong(l, args_of(l)->axes.span,
                     arena_printf(n->arena, "%s goes along the dimensions of %s, which has names; leave axes out",
                                  l->name, names_text(n, l->operands[1])));
    for (int d = 0; d < weights->rank; d++) {
        const struct dim *dim = &weights->items[d];
        at[d] = dims_find(l->dims, dim->name);
        if (at[d] < 0 || l->dims->items[at[d]].kind != dim->kind)
            return wrong(l, n->to->nodes[l->operands[1]].span,
                         arena_printf(n->arena, "%s goes along dimension %.40s of kind %s, which %s lacks", l->name,
                                      dim->name, dim_kind_word(dim->kind), names_text(n, l->operands[0])));
    }
    names_set_axes(n, &args_of(l)->axes, at, weights->rank, l->node->token);
    return true;
}

static bool find_axes(const struct looking *l)
{
    struct naming *n = l->n;
    const struct value weights = is_correlation(l) ? names_value(n, l->operands[1]) : (struct value){SORT_SCALAR, NULL};
    const bool array = is_correlation(l) && named_node(n->to, &n->to->nodes[l->operands[1]])->kind == NODE_ARRAY;
    if (weights.sort == SORT_NAMED)
        return weight_axes(l, weights.dims);
    if (weights.sort == SORT_POSITIONAL && !array)
        return wrong(l, n->to->nodes[l->operands[1]].span,
                     arena_printf(n->arena, "weights of a named value are named, or an array literal; name %s, as in "
                                  "named(%s, \"x:s\")", names_text(n, l->operands[1]), names_text(n, l->operands[1])));
    return args_of(l)->axes.given ? names_axes(n, &args_of(l)->axes, l->operands[0], names_value(n, l->operands[0]),
                                               AXES_ANY, "axes")
                                  : spatial_axes(l);
}

/* ---- sizes and labels ---- */

/* Whether number `i` of the widths is 0 in the text. */
static bool is_zero(const struct numbers *widths, int i)
{
    const int at = widths->count == 1 ? 0 : i;
    return at < widths->count && widths->items[at].kind == LITERAL_INTEGER && !widths->items[at].integer;
}

/* Whether the size along axis number `i` stays. */
static bool keeps(const struct looking *l, int i)
{
    const struct view_args *args = args_of(l);
    return args->kind == VIEW_OFFSET || (is_correlation(l) && !args->modes.valid) ||
           (args->kind == VIEW_PAD && is_zero(&args->before, i) && is_zero(&args->after, i));
}

static const struct dims *looked(const struct looking *l)
{
    const struct numbers *axes = &args_of(l)->axes;
    struct dim items[WEFT_MAX_RANK];
    memcpy(items, l->dims->items, (size_t)l->dims->rank * sizeof *items);
    for (int i = 0; i < axes->count; i++) {
        struct dim *dim = &items[(int)axes->items[i].integer];
        if (keeps(l, i))
            continue;
        dim->labels = NULL;
        dim->label_count = 0;
        dim->extent = EXTENT_UNKNOWN;
    }
    return names_dims(l->n, l->dims->rank, items);
}

/* ---- all ---- */

/* Of a value that is not named, or not known to be. */
static struct value of_other(const struct looking *l)
{
    struct naming *n = l->n;
    const struct value value = names_value(n, l->operands[0]);
    if (is_correlation(l) && names_value(n, l->operands[1]).sort == SORT_NAMED)
        names_need(n, l->operands[0], l->node->token,
                   arena_printf(n->arena, "%s has no names, and its weights have; name it, as in named(%s, \"x:s\")",
                                names_text(n, l->operands[0]), names_text(n, l->operands[0])));
    names_axes(n, &args_of(l)->axes, l->operands[0], value, AXES_ANY, "axes");
    return (struct value){value.sort, NULL};
}

int names_neighbours(struct naming *n, const struct node *node, const int *operands)
{
    const struct looking l = {n, node, operands, names_value(n, operands[0]).dims,
                              view_rows[n->to->views[node->view].kind].name};
    struct value value = l.dims ? (struct value){SORT_UNKNOWN, NULL} : of_other(&l);
    if (l.dims && find_axes(&l))
        value = (struct value){SORT_NAMED, looked(&l)};
    return names_copy(n, node, operands, node->operand_count, value);
}
