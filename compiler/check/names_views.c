/* Views and positions of named values (rule 8.12). */
#include "compiler/check/names_impl.h"

#include <string.h>

enum { LONGEST_CALL = 100 };       /* that is written again */

/* A view that is rewritten. */
struct viewing {
    struct naming *n;
    const struct node *node;
    int operand;
    struct value value;            /* of the operand */
    const char *name;              /* the function */
};

static struct view_args *args_of(const struct viewing *v)
{
    return &v->n->to->views[v->node->view];
}

static bool wrong(const struct viewing *v, struct span span, const char *text)
{
    return names_wrong(v->n, DIAG_DIM_ROLE, span, v->operand, text);
}

static const char *dims_text(const struct viewing *v)
{
    struct buf text = buf_new(v->n->arena);
    dims_put(&text, v->n->to, v->value.dims, NULL, 4);
    return text.text;
}

static int copy(const struct viewing *v, const struct dims *dims)
{
    const struct value value = dims ? (struct value){dims->rank ? SORT_NAMED : SORT_SCALAR, dims->rank ? dims : NULL}
                                    : (struct value){SORT_UNKNOWN, NULL};
    return names_copy(v->n, v->node, &v->operand, 1, value);
}

/* "[y, x]" */
static const char *list_of(const struct viewing *v)
{
    struct buf text = buf_new(v->n->arena);
    for (int d = 0; d < v->value.dims->rank; d++)
        buf_printf(&text, "%s%s", d ? ", " : "[", v->value.dims->items[d].name);
    buf_putc(&text, ']');
    return text.text;
}

/* Axes that are all names once, or absent. */
static bool read_axes(const struct viewing *v, enum names_axes how)
{
    const bool d = args_of(v)->kind == VIEW_EXTENT || args_of(v)->kind == VIEW_INDEX;
    return names_axes(v->n, &args_of(v)->axes, v->operand, v->value, how,
                      how == AXES_ANY ? "axes" : d ? "d" : "axis");
}

static bool all_once(const struct viewing *v)
{
    const struct numbers *axes = &args_of(v)->axes;
    return read_axes(v, AXES_ANY) &&
           (axes->count == v->value.dims->rank ||
            wrong(v, axes->span, arena_printf(v->n->arena, "%s names each dimension once, and %s has %s", v->name,
                                              names_text(v->n, v->operand), dims_text(v))));
}

static int at(const struct numbers *axes, int i)
{
    return (int)axes->items[i].integer;
}

/* ---- in another order ---- */

/* The operand's dimensions in the order of the axes, or reversed. */
static const struct dims *permuted(const struct viewing *v)
{
    const struct numbers *axes = &args_of(v)->axes;
    const int rank = v->value.dims->rank;
    struct dim items[WEFT_MAX_RANK];
    for (int d = 0; d < rank; d++)
        items[d] = v->value.dims->items[axes->given ? at(axes, d) : rank - 1 - d];
    return names_dims(v->n, rank, items);
}

static int transpose(const struct viewing *v)
{
    return !args_of(v)->axes.given || all_once(v) ? copy(v, permuted(v)) : -1;
}

/* Without names: a transpose, or the same in its own order. */
static int unnamed(const struct viewing *v)
{
    if (!all_once(v))
        return -1;
    struct view_args *args = args_of(v);
    bool same = true;
    for (int d = 0; d < v->value.dims->rank; d++)
        same = same && at(&args->axes, d) == d;
    args->kind = same ? VIEW_NAMED : VIEW_TRANSPOSE;
    args->dims = v->value.dims;
    args->dims_span = v->node->token;
    return names_copy(v->n, v->node, &v->operand, 1, (struct value){SORT_POSITIONAL, NULL});
}

/* ---- the same dimensions ---- */

/* The labels of a dimension that is reversed or rolled by a number of the text. */
static bool move_labels(const struct viewing *v, struct dim *dim, const struct literal *shift)
{
    const int64_t count = dim->label_count;
    int64_t *from = ARENA_ARRAY(v->n->arena, int64_t, count + 1);
    if (!dim->labels)
        return true;
    if (shift && shift->kind != LITERAL_INTEGER)
        return wrong(v, args_of(v)->shifts.span,
                     arena_printf(v->n->arena, "dimension %.40s has labels, so the shift stands in the text",
                                  dim->name));
    const int64_t by = shift ? (int64_t)(shift->integer % count) : 0;
    for (int64_t i = 0; i < count; i++)
        from[i] = shift ? ((i - by) % count + count) % count : count - 1 - i;
    names_relabel(v->n, dim, from, (int)count);
    return true;
}

/* flip and roll. */
static int turn(const struct viewing *v)
{
    struct view_args *args = args_of(v);
    struct dim items[WEFT_MAX_RANK];
    const bool flips = args->kind == VIEW_FLIP;
    int all[WEFT_MAX_RANK], count = 0;
    for (int d = 0; d < v->value.dims->rank; d++)
        if (v->value.dims->items[d].kind != DIM_BATCH)
            all[count++] = d;
    if (!args->axes.given && !flips)
        return wrong(v, v->node->token, "roll of a named value names its dimensions, as in roll(u, 1, x)"), -1;
    if (!args->axes.given)
        names_set_axes(v->n, &args->axes, all, count, v->node->token);
    else if (!read_axes(v, AXES_ANY))
        return -1;
    memcpy(items, v->value.dims->items, (size_t)v->value.dims->rank * sizeof *items);
    for (int i = 0; i < args->axes.count; i++) {
        const int s = args->shifts.count == 1 ? 0 : i;
        const struct literal *shift = flips || s >= args->shifts.count ? NULL : &args->shifts.items[s];
        if ((flips || shift) && !move_labels(v, &items[at(&args->axes, i)], shift))
            return -1;
    }
    return copy(v, names_dims(v->n, v->value.dims->rank, items));
}

static int repeat(const struct viewing *v)
{
    if (!read_axes(v, AXES_ONE))
        return -1;
    const struct view_args *args = args_of(v);
    const struct literal *times = args->counts.count == 1 ? &args->counts.items[0] : NULL;
    const bool once = times && times->kind == LITERAL_INTEGER && times->integer == 1;
    struct dim items[WEFT_MAX_RANK];
    memcpy(items, v->value.dims->items, (size_t)v->value.dims->rank * sizeof *items);
    struct dim *dim = &items[at(&args->axes, 0)];
    if (!once) {
        dim->labels = NULL;
        dim->label_count = 0;
        dim->extent = EXTENT_UNKNOWN;
    }
    return copy(v, names_dims(v->n, v->value.dims->rank, items));
}

/* ---- names ---- */

/* The operand may have names or not; they are replaced. */
static int named(const struct viewing *v)
{
    return copy(v, args_of(v)->dims);
}

static const struct dims *renamed(const struct viewing *v)
{
    const struct view_args *args = args_of(v);
    struct dim items[WEFT_MAX_RANK];
    const int rank = v->value.dims->rank;
    memcpy(items, v->value.dims->items, (size_t)rank * sizeof *items);
    for (int i = 0; i < args->axes.count; i++) {
        struct dim *dim = &items[at(&args->axes, i)];
        const struct dim *next = &args->dims->items[i];
        const enum dim_kind word = dim_kind_of_word(next->name);
        dim->name = next->name;
        dim->kind = next->kind < DIM_KIND_COUNT ? next->kind : dim->kind;
        if (word != DIM_KIND_COUNT && word != dim->kind)
            return wrong(v, args->dims_span,
                         arena_printf(v->n->arena, "'%s' is the word for dimensions of a kind, and this one is of kind "
                                      "%s; give it another name", dim->name, dim_kind_word(dim->kind))), NULL;
        dim->labels = next->labels ? next->labels : dim->labels;
        dim->label_count = next->labels ? next->label_count : dim->label_count;
        dim->extent = next->labels ? next->extent : dim->extent;
    }
    return names_dims(v->n, rank, items);
}

static bool names_differ_all(const struct viewing *v, const struct dims *dims)
{
    for (int d = 1; d < dims->rank; d++)
        if (dims_find(dims, dims->items[d].name) != d)
            return names_wrong(v->n, DIAG_DIM_NAME, args_of(v)->dims_span, v->operand,
                               arena_printf(v->n->arena, "then two dimensions would be called '%.40s'",
                                            dims->items[d].name));
    return true;
}

static int rename_dims(const struct viewing *v)
{
    struct view_args *args = args_of(v);
    if (!read_axes(v, AXES_ANY))
        return -1;
    if (args->axes.count != args->dims->rank)
        return wrong(v, args->dims_span, arena_printf(v->n->arena, "rename has %d new name%s for %d dimension%s",
                                                      args->dims->rank, args->dims->rank == 1 ? "" : "s",
                                                      args->axes.count, args->axes.count == 1 ? "" : "s")), -1;
    const struct dims *dims = renamed(v);
    if (!dims || !names_differ_all(v, dims))
        return -1;
    args->kind = VIEW_NAMED;
    args->dims = dims;
    return copy(v, dims);
}

/* ---- positions ---- */

int names_index(struct naming *n, const struct node *like, int x, int d, enum weft_dtype dtype)
{
    const struct dims *dims = names_value(n, x).dims;
    struct view_args args = {.kind = VIEW_INDEX, .dtype = dtype}, alone = {.kind = VIEW_SELECT};
    struct node node = *like;
    const struct dims *own = names_dims(n, 1, &dims->items[d]);
    names_set_axes(n, &args.axes, &d, 1, like->token);
    ARENA_PUSH(n->arena, n->to->views, n->to->view_count, args);
    node.kind = NODE_POSITION;
    n->to->position_count++;
    node.view = n->to->view_count - 1;
    node.made = dims->rank > 1;
    const int index = names_add(n, node, &x, 1, dims->rank > 1 ? (struct value){SORT_UNKNOWN, NULL}
                                                               : (struct value){SORT_NAMED, own});
    if (dims->rank == 1)
        return index;
    struct item *items = ARENA_ARRAY(n->arena, struct item, dims->rank);
    for (int k = 0; k < dims->rank; k++) {
        items[k] = names_all;
        items[k].kind = k == d ? ITEM_SLICE : ITEM_INDEX;
        items[k].slice.has_start = k != d;
        items[k].span = like->token;
    }
    alone.items = items;
    alone.item_count = dims->rank;
    const int made = names_add_view(n, alone, index, (struct value){SORT_NAMED, own});
    n->to->nodes[made].made = false;
    n->to->nodes[made].span = like->span;
    return made;
}

static int positions(const struct viewing *v)
{
    if (!read_axes(v, AXES_ONE))
        return -1;
    if (v->value.sort != SORT_NAMED)
        return names_copy(v->n, v->node, &v->operand, 1, (struct value){v->value.sort, NULL});
    return names_index(v->n, v->node, v->operand, at(&args_of(v)->axes, 0), args_of(v)->dtype);
}

/* random: elements are counted in x's order, without names, and values have x's again. */
static int chance(const struct viewing *v, const int *operands)
{
    const struct view_args *args = args_of(v);
    struct value value = v->value;
    if (args->chance == CHANCE_VALUES && value.sort != SORT_SCALAR)
        value = names_of_symbol(v->n, args->like);
    else if (value.sort == SORT_NAMED)
        value = (struct value){SORT_POSITIONAL, NULL};
    if (args->chance == CHANCE_SAMPLE)
        value = (struct value){SORT_SCALAR, NULL};
    return names_copy(v->n, v->node, operands, v->node->operand_count, value);
}

static int extent(const struct viewing *v)
{
    struct numbers *axes = &args_of(v)->axes;
    if (v->value.sort != SORT_NAMED && axes->letters)
        return !v->n->last && v->value.sort == SORT_UNKNOWN
                   ? (v->n->open = true, -1)
                   : (wrong(v, axes->span, "extent takes one dimension, a literal integer, as in extent(x, 0) or "
                                           "extent(x, -1)"), -1);
    return read_axes(v, AXES_ONE) ? copy(v, &(const struct dims){0}) : -1;
}

/* ---- all views ---- */

/* The call with its operand without names: "reshape(unnamed(u, [x]), [4])". */
static const char *unnamed_call(const struct viewing *v, const char *unnamed)
{
    const struct span call = v->node->span, own = v->n->to->nodes[v->operand].span;
    const char *text = v->n->from->source->text;
    if (own.start < call.start || own.end > call.end || call.end - call.start > LONGEST_CALL)
        return arena_printf(v->n->arena, "%s of %s", v->name, unnamed);
    return arena_printf(v->n->arena, "%.*s%s%.*s", (int)(own.start - call.start), text + call.start, unnamed,
                        (int)(call.end - own.end), text + own.end);
}

/* The dimension that squeeze's axis means: by its number, or a name, which was taken for an input. -1: none. */
static int squeezed(const struct viewing *v)
{
    const struct numbers *axes = &args_of(v)->axes;
    const struct program *from = v->n->from;
    const int rank = v->value.dims->rank;
    if (axes->input >= 0)
        return dims_find(v->value.dims, from->symbols[from->inputs[axes->input]].name);
    if (axes->count != 1 || axes->items[0].kind != LITERAL_INTEGER)
        return -1;
    const int64_t number = (int64_t)axes->items[0].integer, d = number < 0 ? number + rank : number;
    return d >= 0 && d < rank ? (int)d : -1;
}

/* What squeeze and expand_dims are on named values; "" for others. */
static const char *by_names(const struct viewing *v)
{
    const char *text = names_text(v->n, v->operand);
    const int d = args_of(v)->kind == VIEW_SQUEEZE ? squeezed(v) : -1;
    if (d >= 0)
        return arena_printf(v->n->arena, "a dimension goes by %s; by position ",
                            first_along_text(v->n->arena, text, v->value.dims->items[d].name));
    return args_of(v)->kind == VIEW_EXPAND_DIMS
               ? arena_printf(v->n->arena, "a dimension is added by broadcast_to(%s, \"%s:s=1\"); by position ", text,
                              dims_find(v->value.dims, "z") < 0 ? "z" : "k") : "";
}

/* Views that go by positions alone. */
static int by_position(const struct viewing *v)
{
    const struct view_args *args = args_of(v);
    const char *text = names_text(v->n, v->operand), *list = list_of(v);
    const bool selects = args->kind == VIEW_SELECT || v->n->from->source->text[v->node->token.start] == '[';
    const char *advice = selects
                             ? arena_printf(v->n->arena, "%s has named dimensions; select along one of them, as in "
                                            "%s.%.40s[0], or by position from unnamed(%s, %s)", text, text,
                                            v->value.dims->items[0].name, text, list)
                             : arena_printf(v->n->arena, "%s goes by positions; %swrite %s%s", v->name, by_names(v),
                                            unnamed_call(v, arena_printf(v->n->arena, "unnamed(%s, %s)", text, list)),
                                            args->kind == VIEW_RESHAPE || args->kind == VIEW_REINTERPRET
                                                ? "; named gives what comes of it names again" : "");
    return wrong(v, selects ? v->node->token : v->node->span, advice), -1;
}

void names_by_position(struct naming *n, const struct node *node, int operand)
{
    by_position(&(struct viewing){n, node, operand, names_value(n, operand), "[]"});
}

static int view_of_named(const struct viewing *v)
{
    const struct view_args *args = args_of(v);
    switch (args->kind) {
    case VIEW_TRANSPOSE: return transpose(v);
    case VIEW_FLIP: case VIEW_ROLL: return turn(v);
    case VIEW_REPEAT: return repeat(v);
    case VIEW_UNNAMED: return unnamed(v);
    case VIEW_RENAME: return rename_dims(v);
    case VIEW_BROADCAST_TO:
        return args->dims ? names_broadcast(v->n, v->node, v->operand)
                          : (wrong(v, args->shape.span, "broadcast_to of a named value has dimensions in quotes, as in "
                                                        "broadcast_to(u, \"x:s=4\")"), -1);
    default: return by_position(v);
    }
}

/* A view of a value that is not named, or not known to be. */
static int view_of_other(const struct viewing *v)
{
    const struct view_args *args = args_of(v);
    const char *text = names_text(v->n, v->operand);
    if (args->kind == VIEW_BROADCAST_TO && args->dims && v->value.sort == SORT_SCALAR)
        return names_broadcast(v->n, v->node, v->operand);
    if (args->kind == VIEW_UNNAMED && !args->axes.count && v->value.sort == SORT_SCALAR) {
        args_of(v)->kind = VIEW_TRANSPOSE; /* of no dimensions */
        return names_copy(v->n, v->node, &v->operand, 1, v->value);
    }
    if (args->kind == VIEW_UNNAMED || args->kind == VIEW_RENAME || (args->kind == VIEW_BROADCAST_TO && args->dims))
        return names_need(v->n, v->operand, v->node->token,
                          arena_printf(v->n->arena, "%s is of named values, and %s has no names; give it some, as in "
                                       "%s", v->name, text, names_advice(v->n, v->operand))), -1;
    if (!read_axes(v, AXES_ANY))
        return -1;
    const bool keeps = view_is_by_axes(args->kind) && args->kind != VIEW_SELECT;
    return names_copy(v->n, v->node, &v->operand, 1, (struct value){keeps ? v->value.sort : SORT_UNKNOWN, NULL});
}

/* gather and sample, which go by positions alone. */
static int gather(const struct viewing *v, const int *operands)
{
    for (int i = 0; i < 2; i++)
        if (names_value(v->n, operands[i]).sort == SORT_NAMED)
            return by_position(&(struct viewing){v->n, v->node, operands[i], names_value(v->n, operands[i]), v->name});
    if (!read_axes(v, AXES_ANY))
        return -1;
    return names_copy(v->n, v->node, operands, v->node->operand_count, (struct value){SORT_UNKNOWN, NULL});
}

/* take by axis=. */
static int take(struct naming *n, const struct node *node, const int *operands)
{
    struct view_args *args = &n->to->views[node->view];
    const struct value value = names_value(n, operands[0]);
    if (value.sort == SORT_NAMED && n->from->source->text[node->token.start] == '[')
        return names_by_position(n, node, operands[0]), -1;
    if (value.sort == SORT_NAMED && !args->axes.given)
        return names_wrong(n, DIAG_DIM_ROLE, node->token, operands[0],
                           "take of a named value names the dimension along which it reads, as in take(u, i, axis=x)"),
               -1;
    if (!names_axes(n, &args->axes, operands[0], value, AXES_ONE, "axis"))
        return -1;
    if (value.sort == SORT_NAMED)
        return names_take(n, node, operands[0], operands[1], at(&args->axes, 0));
    if (names_value(n, operands[1]).sort == SORT_NAMED)
        return names_wrong(n, DIAG_DIM_ROLE, node->token, operands[0],
                           arena_printf(n->arena, "%s has no names, and its positions have; name it, as in named(%s, "
                                        "\"x:s\")", names_text(n, operands[0]), names_text(n, operands[0]))), -1;
    return names_copy(n, node, operands, 2, (struct value){SORT_UNKNOWN, NULL});
}

static int view(const struct viewing *v, const int *operands)
{
    switch (args_of(v)->kind) {
    case VIEW_INDEX: return positions(v);
    case VIEW_RANDOM: case VIEW_RANDOM_NORMAL: return chance(v, operands);
    case VIEW_EXTENT: return extent(v);
    case VIEW_NAMED: return named(v);
    case VIEW_OFFSET: case VIEW_PAD: return names_neighbours(v->n, v->node, operands);
    case VIEW_SELECT:
        if (args_of(v)->dim)
            return names_select(v->n, v->node, operands);
        break;
    default: break;
    }
    return v->value.sort == SORT_NAMED ? view_of_named(v) : view_of_other(v);
}

int names_view(struct naming *n, const struct node *node, int *operands)
{
    const struct viewing v = {n, node, node->operand_count ? operands[0] : -1,
                              node->operand_count ? names_value(n, operands[0]) : (struct value){SORT_SCALAR, NULL},
                              view_rows[n->to->views[node->view].kind].name};
    int made = -1;
    if (node->kind == NODE_JOIN)
        return names_join(n, node, operands);
    if (args_of(&v)->part || node->kind == NODE_SCATTER) {
        const enum scatter_part part = args_of(&v)->part;
        const int checked = part == SCATTER_PLACES ? 2 : part == SCATTER_FULL || part == NONZERO_EXTENTS;
        for (int i = 0; i < checked; i++)
            if (names_value(n, operands[i]).sort == SORT_NAMED) {
                const int shown = (int)(shown_node(n->to, &n->to->nodes[operands[i]]) - n->to->nodes);
                return by_position(&(struct viewing){n, node, shown, names_value(n, operands[i]), v.name});
            }
        return names_copy(n, node, operands, node->operand_count, (struct value){SORT_UNKNOWN, NULL});
    }
    const enum view_kind kind = args_of(&v)->kind;
    if (node->kind == NODE_POSITION && (kind == VIEW_ARANGE || kind == VIEW_LINSPACE || kind == VIEW_NONZERO))
        return names_copy(n, node, operands, node->operand_count, (struct value){SORT_POSITIONAL, NULL});
    made = node->kind != NODE_TAKE                         ? view(&v, operands)
           : n->to->views[node->view].kind == VIEW_TAKE ? take(n, node, operands)
                                                        : gather(&v, operands);
    return made >= 0 ? made : names_copy(n, node, operands, node->operand_count, (struct value){SORT_UNKNOWN, NULL});
}
