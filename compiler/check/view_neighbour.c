/* The shapes of offset, pad, correlate and convolve (section 10), and along which dimensions they look. */
#include "compiler/check/view_impl.h"

int neighbour_axes(const struct view_args *args, int rank, int last, int *at)
{
    const int count = args->axes.given ? args->axes.count : last;
    for (int i = 0; i < count && i < WEFT_MAX_RANK; i++) {
        const int64_t axis = args->axes.given ? (int64_t)args->axes.items[i].integer : rank - last + i;
        at[i] = (int)(axis < 0 ? axis + rank : axis);
    }
    return count;
}

const struct mode *neighbour_mode(const struct view_args *args, int i)
{
    static const struct mode absent = {.edge = EDGE_VALUE, .number = -1};
    return args->modes.count ? &args->modes.items[args->modes.listed ? i : 0] : &absent;
}

const struct literal *neighbour_number(const struct numbers *numbers, int i)
{
    return &numbers->items[numbers->count == 1 ? 0 : i];
}

/* Finds along which dimensions of x a call looks, the last `last` ones if it names none. *count is -1 where that is
 * not known yet. False, with a diagnostic, where axes or the number of modes are wrong. */
static bool find_axes(struct view_walk *w, int last, const char *what, int *at, int *count)
{
    const struct shape *in = w->viewed->shape;
    const struct modes *modes = &w->args->modes;
    const struct numbers place = {.given = true, .span = modes->span};
    struct view_list axes;
    uint32_t set;
    if (!view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    *count = axes.from->given ? axes.count : last;
    if (*count >= 0 && modes->listed && modes->count != *count)
        return view_wrong(w, DIAG_VIEW_RANK, &place, "there are %d modes for %d dimension%s; write one for each, or "
                          "one for all without [ ]", modes->count, *count, *count == 1 ? "" : "s");
    if (!axes.from->given && *count > in->rank)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "%s is for the last %d dimensions, and %s has %d", what, *count,
                          view_value_text(w), in->rank);
    if (axes.from->given && *count >= 0 && !view_read_axes(w, &axes, in->rank, true, at, &set))
        return false;
    if (*count >= 0)
        neighbour_axes(w->args, in->rank, last, at);
    return true;
}

static void copy_shape(struct view_walk *w)
{
    *w->out = *w->viewed->shape;
}

static bool wrong_count(struct view_walk *w, const struct view_list *numbers, int axes)
{
    return view_wrong(w, DIAG_VIEW_RANK, numbers->from, "%s has %d number%s for %d dimension%s; write one for each, or "
                      "one integer for all", numbers->what, numbers->count, numbers->count == 1 ? "" : "s", axes,
                      axes == 1 ? "" : "s");
}

bool view_offset(struct view_walk *w)
{
    struct view_list offsets;
    int at[WEFT_MAX_RANK], count;
    if (!view_read_whole(w, &w->args->offsets, "offsets", NULL, &offsets))
        return false;
    if (!w->viewed->shape)
        return view_unknown(w);
    if (!find_axes(w, offsets.count, "offsets", at, &count))
        return false;
    copy_shape(w);
    return count < 0 || offsets.count == 1 || offsets.count == count || wrong_count(w, &offsets, count);
}

/* ---- pad ---- */

static const char *width_text(struct view_walk *w, const struct numbers *numbers)
{
    const struct literal *item = &numbers->items[0];
    const int node = numbers->sizes ? numbers->sizes[0] : -1;
    return node < 0 ? view_item_text(w, item)
                    : expression_text(w->arena, w->viewed->program, w->viewed->program->nodes[node].span);
}

static bool check_widths(struct view_walk *w, int count)
{
    const struct numbers *before = &w->args->before, *after = &w->args->after;
    if (before->flat && count != 1) {
        const char *a = width_text(w, before), *b = width_text(w, after);
        return view_wrong(w, DIAG_VIEW_RANK, before, "widths are pairs, one for each of the %d dimensions; for %s "
                          "before and %s after along each, as NumPy reads it, write [[%s, %s], [%s, %s]], for %s on "
                          "both sides of the first and %s of the second [[%s, %s], [%s, %s]]", count, a, b, a, b, a, b,
                          a, b, a, a, b, b);
    }
    return before->single || before->count == count ||
           view_wrong(w, DIAG_VIEW_RANK, before, "widths has %d pair%s for %d dimension%s; write one for each, or one "
                      "integer for all", before->count, before->count == 1 ? "" : "s", count, count == 1 ? "" : "s");
}

/* A width as a number of a slice. */
static int64_t bound_of(const struct literal *width, enum bound bound, struct slice *slice)
{
    const bool open = width->kind == LITERAL_NONE && width->integer != EXTENT_UNKNOWN;
    slice->open |= (unsigned char)(open << bound);
    return open ? EXTENT_VARIABLE - (int64_t)width->integer : (int64_t)width->integer;
}

/* Sets the extent of a dimension, along which widths number i are added. */
static bool pad_extent(struct view_walk *w, int d, int i)
{
    const struct literal *before = neighbour_number(&w->args->before, i);
    const struct literal *after = neighbour_number(&w->args->after, i);
    const int64_t extent = w->viewed->shape->extents[d];
    const bool known = (before->kind != LITERAL_NONE || before->integer != EXTENT_UNKNOWN) &&
                       (after->kind != LITERAL_NONE || after->integer != EXTENT_UNKNOWN);
    struct slice widths = {.open = 0};
    widths.start = bound_of(before, BOUND_START, &widths);
    widths.stop = bound_of(after, BOUND_STOP, &widths);
    const int64_t padded = known ? view_compute(w, EXTENT_PADDED, extent, .slice = widths) : EXTENT_UNKNOWN;
    if (known && extent >= 0 && !widths.open && padded < 0)
        return view_wrong(w, DIAG_VIEW_EXTENT, &w->args->before, "the widths %lld and %lld crop more than the %lld "
                          "elements of %s of %s", (long long)widths.start, (long long)widths.stop,
                          (long long)extent, view_dim_text(w, d), view_value_text(w));
    view_set_extent(w, d, padded, "negative widths crop more elements than there are");
    w->out->rigid &= ~(1u << d);
    return true;
}

/* Rule 10.4: under a mode that is no number, a dimension without elements has no neighbours. */
static bool check_sources(struct view_walk *w, const int *at, int count)
{
    const struct shape *in = w->viewed->shape;
    const bool some = !shape_known(w->out) || shape_volume(w->out) > 0;
    for (int i = 0; i < count && some; i++) {
        const struct mode *mode = neighbour_mode(w->args, i);
        const struct numbers place = {.given = true, .span = mode->span};
        if (mode->edge == EDGE_VALUE)
            continue;
        if (in->extents[at[i]] == 0 && shape_known(w->out))
            return view_wrong(w, DIAG_VIEW_EXTENT, &place, "mode \"%s\" reads elements of %s, and %s has none there; "
                              "write a number, as 0", mode_word(mode->edge), view_dim_text(w, at[i]),
                              view_value_text(w));
        view_holds(w, extent_fact(EXTENT_FEEDS, in->extents[at[i]], .shape = w->out),
                   "a mode reads elements of a dimension that has none");
    }
    return true;
}

bool view_pad(struct view_walk *w)
{
    struct view_list before, after;
    int at[WEFT_MAX_RANK], count;
    if (!view_read_whole(w, &w->args->before, "widths", NULL, &before) ||
        !view_read_whole(w, &w->args->after, "widths", NULL, &after))
        return false;
    if (!w->viewed->shape)
        return view_unknown(w);
    if (!find_axes(w, w->viewed->shape->rank, "widths", at, &count))
        return false;
    if (count < 0) {
        view_unknown_extents(w->out, w->viewed->shape->rank);
        return true;
    }
    if (!check_widths(w, count))
        return false;
    copy_shape(w);
    for (int i = 0; i < count; i++)
        if (!pad_extent(w, at[i], i))
            return false;
    if (shape_volume(w->out) < 0)
        return view_wrong(w, DIAG_VIEW_EXTENT, before.from, "the shape %s has more elements than memory can hold",
                          shape_text(w->arena, w->viewed->program, w->out));
    return check_sources(w, at, count);
}

/* ---- correlate and convolve ---- */

enum { MOST_KERNEL = 4096 };       /* elements of k */

static bool wrong_kernel(struct view_walk *w, const char *text)
{
    return diag_at(w->diags, DIAG_VIEW_RANK, ((struct span[]){w->viewed[1].operand, w->viewed->operand}), 2, text);
}

/* Whether k's extents are numbers, and not too many elements. */
static bool check_kernel(struct view_walk *w)
{
    const struct viewed *k = &w->viewed[1];
    const char *text = arena_printf(w->arena, "%s %s", k->name, shape_text(w->arena, k->program, k->shape));
    if (!shape_known(k->shape))
        return w->viewed->open == NULL ||
               wrong_kernel(w, arena_printf(w->arena, "the extents of the kernel are numbers in its type, as in "
                                            "float32[3, 3], and %s has others", text));
    return shape_volume(k->shape) <= MOST_KERNEL ||
           wrong_kernel(w, arena_printf(w->arena, "a kernel has at most %d elements, and %s has %lld", MOST_KERNEL,
                                        text, (long long)shape_volume(k->shape)));
}

bool view_correlate(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape, *k = w->viewed[1].shape;
    int at[WEFT_MAX_RANK], count;
    if (!in || !k)
        return view_unknown(w);
    if (!check_kernel(w) || !find_axes(w, k->rank, "the kernel", at, &count))
        return false;
    if (count >= 0 && k->rank != count)
        return wrong_kernel(w, arena_printf(w->arena, "the kernel has one dimension for each of the axes, of which "
                                            "there are %d, and %s %s has %d", count, w->viewed[1].name,
                                            shape_text(w->arena, w->viewed->program, k), k->rank));
    copy_shape(w);
    for (int i = 0; i < count && w->args->modes.valid; i++) {
        w->out->extents[at[i]] = view_compute(w, EXTENT_VALID, in->extents[at[i]], k->extents[i]);
        w->out->rigid &= ~(1u << at[i]);
    }
    if (count < 0 && w->args->modes.valid)
        view_unknown_extents(w->out, in->rank);
    return true;
}
