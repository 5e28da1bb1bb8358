/* Selections along a named dimension (rules 8.8, 8.9): they become selections by position. */
#include "compiler/check/names_impl.h"

#include <string.h>

/* A selection that is made. */
struct selecting {
    struct naming *n;
    const struct node *node;
    const struct view_args *args;
    int operand, d;
    const struct dims *dims;       /* of the operand */
};

static bool wrong(const struct selecting *s, enum diag_id id, struct span span, const char *text)
{
    return names_wrong(s->n, id, span, s->operand, text);
}

/* ---- labels ---- */

/* The position of a label. -1, with a diagnostic, where there is none. */
static int64_t find_label(const struct selecting *s, const struct item *item, const char *label)
{
    const struct dim *dim = &s->dims->items[s->d];
    const int at = dim_find_label(dim, label);
    const char *near = diag_nearest(label, dim->labels, (size_t)dim->label_count);
    struct buf labels = buf_new(s->n->arena);
    if (at >= 0)
        return at;
    if (dim->labels)
        dim_put_labels(&labels, dim, 12);
    wrong(s, DIAG_DIM_NAME, item->span,
          dim->labels ? arena_printf(s->n->arena, "dimension %.40s of %s has no label '%.40s'; it has %s%s%s%s",
                                     dim->name, names_text(s->n, s->operand), label, labels.text,
                                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "")
                      : arena_printf(s->n->arena, "dimension %.40s of %s has no labels; its elements have positions, "
                                     "as in .%.40s[0]", dim->name, names_text(s->n, s->operand), dim->name));
    return -1;
}

/* Labels become positions. */
static bool resolve_labels(const struct selecting *s, struct item *item)
{
    int64_t *positions = ARENA_ARRAY(s->n->arena, int64_t, item->count);
    for (int i = 0; i < item->count; i++)
        if ((positions[i] = find_label(s, item, item->labels[i])) < 0)
            return false;
    if (item->drops) {
        item->kind = ITEM_INDEX;
        item->slice = (struct slice){.start = positions[0], .has_start = true};
    } else {
        item->kind = ITEM_LIST;
        item->positions = positions;
    }
    return true;
}

/* The dimension with the labels of the elements at these positions; without any where one is taken twice. */
void names_relabel(struct naming *n, struct dim *dim, const int64_t *positions, int count)
{
    const char **labels = ARENA_ARRAY(n->arena, const char *, count + 1);
    bool *taken = ARENA_ARRAY(n->arena, bool, dim->label_count + 1);
    bool good = count > 0;
    for (int i = 0; good && i < count; i++) {
        const int64_t at = positions[i] < 0 ? positions[i] + dim->label_count : positions[i];
        good = at >= 0 && at < dim->label_count && !taken[at];
        if (good)
            taken[at] = true, labels[i] = dim->labels[at];
    }
    dim->labels = good ? labels : NULL;
    dim->label_count = good ? count : 0;
}

/* What is left of the dimension. False, with a diagnostic, where a call would decide which labels are left. */
static bool select_dim(const struct selecting *s, const struct item *item, struct dim *dim)
{
    int64_t first = 0, count = item->count;
    if (item->kind == ITEM_SLICE && item->open && dim->labels)
        return wrong(s, DIAG_DIM_ROLE, item->span,
                     arena_printf(s->n->arena, "dimension %.40s has labels, so which of its elements are taken stands "
                                  "in the text; bounds that a call decides are for dimensions without labels",
                                  dim->name));
    if (item->kind == ITEM_SLICE && (item->open || dim->extent < 0)) {
        dim->extent = item_keeps_extent(item) ? dim->extent : EXTENT_UNKNOWN;
        return true;
    }
    if (item->kind == ITEM_SLICE)
        slice_resolve(&item->slice, dim->extent, &first, &count);
    if (dim->labels) {
        int64_t *positions = ARENA_ARRAY(s->n->arena, int64_t, count + 1);
        for (int64_t i = 0; i < count; i++)
            positions[i] = item->kind == ITEM_LIST ? item->positions[i] : first + i * item->slice.step;
        names_relabel(s->n, dim, positions, (int)count);
    }
    dim->extent = count;
    return true;
}

/* ---- nodes ---- */

/* The dimensions that are left. */
static bool selected_value(const struct selecting *s, const struct item *item, struct value *value)
{
    struct dim items[WEFT_MAX_RANK];
    int count = 0;
    for (int d = 0; d < s->dims->rank; d++) {
        items[count] = s->dims->items[d];
        if (d == s->d && item->kind != ITEM_INDEX && !select_dim(s, item, &items[count]))
            return false;
        count += d != s->d || item->kind != ITEM_INDEX;
    }
    *value = count ? (struct value){SORT_NAMED, names_dims(s->n, count, items)} : (struct value){SORT_SCALAR, NULL};
    return true;
}

/* A selection by position: all of the dimensions before this one. */
static int by_position(const struct selecting *s, const struct item *item)
{
    struct naming *n = s->n;
    struct value value;
    if (!selected_value(s, item, &value))
        return -1;
    struct item *items = ARENA_ARRAY(n->arena, struct item, s->d + 1);
    for (int d = 0; d < s->d; d++) {
        items[d] = names_all;
        items[d].span = item->span;
    }
    items[s->d] = *item;
    struct view_args *args = &n->to->views[s->node->view];
    args->items = items;
    args->item_count = s->d + 1;
    args->dim = NULL;
    return names_copy(n, s->node, &s->operand, 1, value);
}

/* The tensor that is the only number of an item; -1: it is no tensor. */
static int tensor_of(const struct naming *n, const struct item *item)
{
    const bool index = item->kind == ITEM_INDEX && item->sizes[BOUND_START] >= 0;
    return index && names_value(n, item->sizes[BOUND_START]).sort >= SORT_POSITIONAL ? item->sizes[BOUND_START] : -1;
}

static bool find_dim(struct selecting *s)
{
    const char *dim = s->args->dim, *names[WEFT_MAX_RANK];
    struct naming *n = s->n;
    struct buf dims = buf_new(n->arena);
    s->d = dims_find(s->dims, dim);
    if (s->d >= 0)
        return true;
    for (int d = 0; d < s->dims->rank; d++)
        names[d] = s->dims->items[d].name;
    const char *near = diag_nearest(dim, names, (size_t)s->dims->rank);
    dims_put(&dims, n->to, s->dims, NULL, 4);
    return wrong(s, DIAG_DIM_NAME, s->args->dim_span,
                 arena_printf(n->arena, "%s %s has no dimension '%.40s'%s%s%s", names_text(n, s->operand), dims.text,
                              dim, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""));
}

/* -1, with a diagnostic, where it is wrong. */
static int select_named(struct selecting *s, const int *operands)
{
    struct item item = s->args->items[0];
    if (!find_dim(s))
        return -1;
    if (item.kind == ITEM_TAKE)
        return names_take(s->n, s->node, s->operand, operands[1], s->d);
    if (tensor_of(s->n, &item) >= 0) {
        s->n->to->views[s->node->view].item_count = 0; /* it is no size expression */
        return names_take(s->n, s->node, s->operand, tensor_of(s->n, &item), s->d);
    }
    return item.kind != ITEM_LABELS || resolve_labels(s, &item) ? by_position(s, &item) : -1;
}

int names_select(struct naming *n, const struct node *node, const int *operands)
{
    const struct view_args *args = arena_copy(n->arena, &n->to->views[node->view], sizeof *args);
    struct selecting s = {.n = n, .node = node, .args = args, .operand = operands[0],
                          .dims = names_value(n, operands[0]).dims};
    const char *text = names_text(n, operands[0]);
    const char *advice = args->dim_habit
                             ? arena_printf(n->arena, "%s has no named dimension '%.40s'; %s", text, args->dim,
                                            args->dim_habit)
                             : arena_printf(n->arena, "%s has no named dimensions; select by position, as in %s[0], or "
                                            "name them in its type, as in float32(%.40s:s)", text, text, args->dim);
    const bool named = names_need(n, operands[0], args->dim_span, advice);
    const int made = named ? select_named(&s, operands) : -1;
    return made >= 0 ? made : names_copy(n, node, operands, 1, (struct value){SORT_UNKNOWN, NULL});
}
