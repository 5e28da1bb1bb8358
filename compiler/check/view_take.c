/* The shapes of take (rule 9.3), gather, sample and scatter (rules 12.3 to 12.5). */
#include "compiler/check/view_impl.h"

#include <string.h>

int view_take_axis(const struct view_args *args, int rank)
{
    const int64_t axis = args->axes.given ? (int64_t)args->axes.items[0].integer : 0;
    return (int)(axis < 0 ? axis + rank : axis);
}

void view_taken(const struct shape *value, int axis, const struct shape *positions, struct shape *out)
{
    *out = (struct shape){.rank = value->rank - 1 + positions->rank};
    for (int d = 0; out->rank <= WEFT_MAX_RANK && d < out->rank; d++) {
        const int behind = d - axis - positions->rank;
        const struct shape *own = d < axis || behind >= 0 ? value : positions;
        const int from = d < axis ? d : behind >= 0 ? axis + 1 + behind : d - axis;
        out->extents[d] = own->extents[from];
        out->rigid |= (own->rigid >> from & 1) << d;
    }
}

/* Finds the axis. -1: not known yet. False, with a diagnostic, where it is wrong. */
static bool find_axis(const struct view_walk *w, int *axis)
{
    struct view_list axes;
    uint32_t set;
    *axis = 0;
    if (!w->args->axes.given)
        return true;
    if (!view_read_list(w, &w->args->axes, "axis", &axes))
        return false;
    *axis = -1;
    if (axes.count < 0)
        return true;
    if (axes.count != 1)
        return view_wrong(w, DIAG_AXIS, axes.from, "take reads along one dimension, as in take(x, i, axis=0)");
    return view_read_axes(w, &axes, w->viewed->shape->rank, true, axis, &set);
}

bool view_take(struct view_walk *w)
{
    const struct shape *value = w->viewed[0].shape, *positions = w->viewed[1].shape;
    int axis;
    if (!value)
        return view_unknown(w);
    if (value->rank == 0)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "take reads along a dimension, and %s has none", w->viewed->name);
    if (!find_axis(w, &axis))
        return false;
    if (axis < 0 || !positions)
        return view_unknown(w);
    view_taken(value, axis, positions, w->out);
    if (w->out->rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "the result would have %d dimensions; there are at most %d",
                          w->out->rank, WEFT_MAX_RANK);
    return shape_volume(w->out) >= 0 ||
           view_wrong(w, DIAG_VIEW_EXTENT, NULL, "the shape %s has more elements than memory can hold",
                      shape_text(w->arena, w->viewed->program, w->out));
}

/* ---- gather and sample ---- */

int gather_axes(const struct view_args *args, int rank, int count, int *at)
{
    for (int i = 0; !args->axes.given && i < count && i < WEFT_MAX_RANK; i++)
        at[i] = i;
    return args->axes.given ? neighbour_axes(args, rank, 0, at) : count;
}

const struct mode *gather_mode(const struct view_args *args, int i)
{
    static const struct mode nearest = {.edge = EDGE_CLAMP, .number = -1};
    return args->modes.count ? neighbour_mode(args, i) : args->kind == VIEW_SAMPLE ? &nearest : NULL;
}

static bool wrong_positions(const struct view_walk *w, const char *text)
{
    return diag_at(w->diags, DIAG_VIEW_RANK, ((struct span[]){w->viewed[1].operand, w->viewed->operand}), 2, text);
}

/* Reports a last extent of positions that is not the number of axes; `named`: how many of them axes= names, or -1. */
static bool wrong_axis_count(const struct view_walk *w, const struct shape *value, const struct shape *positions,
                             int named)
{
    const char *text = shape_text(w->arena, w->viewed->program, positions), *name = w->viewed[1].name;
    const char *axes = named >= 0 ? arena_printf(w->arena, "axes names %d", named)
                                  : arena_printf(w->arena, "%s has %d dimension%s", view_value_text(w), value->rank,
                                                 value->rank == 1 ? "" : "s");
    const bool single = named == 1 || (named < 0 && (value->rank == 1 || positions->rank == 1));
    const char *advice =
        !single ? ""
        : named == 1 || value->rank == 1
            ? arena_printf(w->arena, "; if each element is a position, write %s", stretched_text(w->arena, name))
            : arena_printf(w->arena, "; if each element is a position along the first dimension, write %s",
                           stretched_text(w->arena, name));
    return wrong_positions(w, arena_printf(w->arena, "the last dimension of %s %s has a position for each axis, and "
                                           "%s%s", name, text, axes, advice));
}

/* Finds along which dimensions of x positions are; *count is -1 where only a call knows. False, with a diagnostic,
 * where something is wrong. */
static bool find_gathered(const struct view_walk *w, int *at, int *count)
{
    const struct shape *value = w->viewed[0].shape, *positions = w->viewed[1].shape;
    const int64_t extent = positions->extents[positions->rank - 1];
    const struct numbers place = {.given = true, .span = w->args->modes.span};
    struct view_list axes;
    uint32_t set;
    if (!view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    *count = axes.from->given ? axes.count : extent >= 0 ? (int)(extent < WEFT_MAX_RANK + 1 ? extent : -2) : -1;
    if (!axes.from->given && extent < 0 && w->viewed->open)
        return wrong_positions(w, "how many axes there are is a number in the text; name them, as axes=[0, 1], or give "
                                  "the positions' type a number as its last extent");
    if (axes.from->given && axes.count >= 0 && !view_read_axes(w, &axes, value->rank, true, at, &set))
        return false;
    if (*count == -1)
        return true;
    view_holds(w, extent_fact(EXTENT_EQUAL, extent, *count), "the last extent of positions is not the number of axes");
    if ((extent >= 0 && extent != *count) || *count > value->rank || *count < 0)
        return wrong_axis_count(w, value, positions, axes.from->given ? *count : -1);
    gather_axes(w->args, value->rank, *count, at);
    return !w->args->modes.listed || w->args->modes.count == *count ||
           view_wrong(w, DIAG_VIEW_RANK, &place, "there are %d modes for %d axes; write one for each, or one for all "
                      "without [ ]", w->args->modes.count, *count);
}

/* Rule 10.4. */
static bool check_sources(struct view_walk *w, const int *at, int count)
{
    const struct shape *value = w->viewed->shape;
    const bool some = !shape_known(w->out) || shape_volume(w->out) > 0;
    for (int i = 0; i < count && some; i++) {
        const struct mode *mode = gather_mode(w->args, i);
        const struct numbers place = {.given = w->args->modes.given, .span = w->args->modes.span};
        if (!mode || mode->edge == EDGE_VALUE)
            continue;
        if (value->extents[at[i]] == 0 && shape_known(w->out))
            return view_wrong(w, DIAG_VIEW_EXTENT, &place, "mode \"%s\" reads elements of dimension %d, and %s "
                              "has none there; write a number, as mode=0", mode_word(mode->edge), at[i],
                              view_value_text(w));
        view_holds(w, extent_fact(EXTENT_FEEDS, value->extents[at[i]], .shape = w->out),
                   "a mode reads elements of a dimension that has none");
    }
    return true;
}

bool view_gather(struct view_walk *w)
{
    const struct shape *value = w->viewed[0].shape, *positions = w->viewed[1].shape;
    int at[WEFT_MAX_RANK], count;
    uint32_t set = 0;
    if (positions && positions->rank == 0)
        return wrong_positions(w, arena_printf(w->arena, "positions stand along the last dimension of %s, and it has "
                                               "none; write take(%s, %s) along one axis", w->viewed[1].name,
                                               w->viewed->name, w->viewed[1].name));
    if (!value || !positions)
        return view_unknown(w);
    if (!find_gathered(w, at, &count))
        return false;
    if (count < 0)
        return view_unknown(w);
    for (int i = 0; i < count; i++)
        set |= 1u << at[i];
    const int rank = positions->rank - 1 + value->rank - count;
    if (rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "the result would have %d dimensions; there are at most %d", rank,
                          WEFT_MAX_RANK);
    for (int d = 0; d < positions->rank - 1; d++)
        w->out->extents[w->out->rank++] = positions->extents[d];
    for (int d = 0; d < value->rank; d++)
        if (!(set >> d & 1))
            w->out->extents[w->out->rank++] = value->extents[d];
    if (shape_volume(w->out) < 0)
        return view_wrong(w, DIAG_VIEW_EXTENT, NULL, "the shape %s has more elements than memory can hold",
                          shape_text(w->arena, w->viewed->program, w->out));
    return check_sources(w, at, count);
}

bool view_sample(struct view_walk *w)
{
    return view_gather(w);
}

/* ---- scatter ---- */

/* The shape that gather has: positions' dimensions but the last one, then x's that are no axes. -1: it is not known
 * yet, 0: it is wrong. */
static int gathered_shape(const struct view_walk *w, const struct shape *value, const struct shape *positions,
                          struct shape *out)
{
    int at[WEFT_MAX_RANK], count;
    uint32_t set = 0;
    if (!w->args->axes.given && positions->extents[positions->rank - 1] < 0)
        return -1;
    count = w->args->axes.given ? w->args->axes.count : (int)positions->extents[positions->rank - 1];
    gather_axes(w->args, value->rank, count, at);
    for (int i = 0; i < count; i++)
        set |= 1u << at[i];
    *out = (struct shape){.rank = 0};
    if (positions->rank - 1 + value->rank - count > WEFT_MAX_RANK)
        return 0;
    for (int d = 0; d < positions->rank - 1; d++)
        out->extents[out->rank++] = positions->extents[d];
    for (int d = 0; d < value->rank; d++)
        if (!(set >> d & 1))
            out->extents[out->rank++] = value->extents[d];
    return 1;
}

/* v broadcasts to that shape. */
static bool spread(struct view_walk *w)
{
    const struct shape *own = w->viewed[0].shape, *value = w->viewed[1].shape, *positions = w->viewed[2].shape;
    const int known = own && value && positions ? gathered_shape(w, value, positions, w->out) : -1;
    if (known < 0)
        return view_unknown(w);
    bool good = known && own->rank <= w->out->rank;
    for (int d = 0; good && d < own->rank; d++) {
        const int64_t to = w->out->extents[w->out->rank - own->rank + d], from = own->extents[d];
        good = from == 1 || from < 0 || to < 0 || from == to;
        if (good && from != 1 && from != to)
            view_holds(w, extent_fact(EXTENT_EQUAL, from, to), "what is put has another shape than its places");
    }
    return good || view_wrong(w, DIAG_VIEW_RANK, NULL,
                              "what scatter puts broadcasts to the shape that gather would have there%s, and %s does "
                              "not", known && shape_known(w->out)
                                  ? arena_printf(w->arena, ", %s", shape_text(w->arena, w->viewed->program, w->out))
                                  : "", w->viewed->name);
}

bool view_scatter(struct view_walk *w)
{
    const struct shape *value = w->viewed[0].shape, *positions = w->count > 1 ? w->viewed[1].shape : NULL;
    int at[WEFT_MAX_RANK], count;
    switch (w->args->part) {
    case SCATTER_FULL: case SCATTER_SPREAD: return spread(w);
    case SCATTER_LIKE: value = w->viewed[1].shape; break;
    case SCATTER_PLACES:
        if (positions && positions->rank == 0)
            return wrong_positions(w, arena_printf(w->arena, "positions stand along the last dimension of %s, and it "
                                                   "has none; write them as [[0], [2]], one for each element",
                                                   w->viewed[1].name));
        if (!value || !positions)
            return view_unknown(w);
        if (!find_gathered(w, at, &count))
            return false;
        if (count < 0)
            return view_unknown(w);
        w->out->rank = positions->rank - 1;
        memcpy(w->out->extents, positions->extents, (size_t)w->out->rank * sizeof *w->out->extents);
        return true;
    default: break;
    }
    if (!value)
        return view_unknown(w);
    *w->out = *value;
    return true;
}
