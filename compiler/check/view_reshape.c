/* Computes the shapes of reshape and reinterpret (section 7). */
#include "compiler/check/view_impl.h"

#include <math.h>
#include <string.h>

static const char *view_name(const struct view_walk *w)
{
    return view_rows[w->args->kind].name;
}

/* ---- volumes ---- */

/* The size of an element in bytes if the view counts bytes, else 1; 0: not known. */
static int64_t size_of(const struct view_walk *w, enum weft_dtype dtype)
{
    return w->args->kind != VIEW_REINTERPRET ? 1 : dtype == WEFT_DTYPE_COUNT ? 0 : type_rows[dtype].size;
}

/* The elements, or the bytes, of a shape as an extent. */
static int64_t amount_of(const struct view_walk *w, const struct shape *shape, enum weft_dtype dtype)
{
    const int64_t size = size_of(w, dtype);
    if (!shape || !size)
        return EXTENT_UNKNOWN;
    const int64_t volume = view_compute(w, EXTENT_VOLUME, .shape = shape);
    return size == 1 ? volume : view_compute(w, EXTENT_PRODUCT, volume, size);
}

static const char *amount(const struct view_walk *w, int64_t volume, int64_t size)
{
    const char *unit = w->args->kind == VIEW_REINTERPRET ? "byte" : "element";
    return arena_printf(w->arena, "%lld %s%s", (long long)(volume * size), unit,
                        volume * size == 1 ? "" : "s");
}

/* Reports that so many elements do not fit those of the result. */
static bool wrong_volume(const struct view_walk *w, const struct numbers *from, int64_t out, const char *hint)
{
    struct view_places places = view_places_of(w, from);
    bool bytes = w->args->kind == VIEW_REINTERPRET;
    const char *shape = shape_text(w->arena, w->viewed->program, w->out);
    const char *value = shape_text(w->arena, w->viewed->program, w->viewed->shape);
    if (bytes) {
        value = arena_printf(w->arena, "%s of %s", value, type_rows[w->viewed->dtype].name);
        shape = arena_printf(w->arena, "%s of %s", shape, type_rows[w->args->dtype].name);
    }
    return diag_at(w->diags, DIAG_VIEW_VOLUME, places.spans, places.count, view_name(w),
                   w->viewed->name, value, shape,
                   amount(w, shape_volume(w->viewed->shape), bytes ? type_rows[w->viewed->dtype].size : 1),
                   amount(w, out, size_of(w, w->args->dtype)), hint);
}

/* Reports a shape that is too large, even if another extent is 0. */
static bool too_large(const struct view_walk *w, const struct numbers *from)
{
    return view_wrong(w, DIAG_VIEW_EXTENT, from,
                      "the shape %s has more elements than memory can hold",
                      shape_text(w->arena, w->viewed->program, w->out));
}

/* Advice for volumes that differ. */
static const char *volume_hint(const struct view_walk *w)
{
    bool rest = w->args->shape.given || w->args->rel_shape.given;
    return w->args->kind != VIEW_RESHAPE ? ""
           : rest                        ? "; one negative number takes what is left"
                                         : "; rel_shape beside src_dims scales extents";
}

/* The shape of the result with an extent of 1 in dimension d. */
static const struct shape *others_of(const struct view_walk *w, int d)
{
    struct shape *others = arena_copy(w->arena, w->out, sizeof *others);
    others->extents[d] = 1;
    return others;
}

/* Sets the extent that takes what is left; of `have` elements or bytes the others take `each` for each of its own. */
static bool set_left(struct view_walk *w, const struct numbers *from, int64_t have, int64_t each,
                     const struct shape *others)
{
    if (each == 0)
        return view_wrong(
            w, DIAG_VIEW_EXTENT, from,
            "a negative extent takes what is left, and beside an extent of 0 any would do; "
            "write the number itself");
    if (have >= 0 && each > 0 && have % each)
        return wrong_volume(w, from, shape_volume(others), ", which does not divide them");
    view_set_extent(w, w->rest, view_compute(w, EXTENT_QUOTIENT, have, each),
                    "the elements of a view do not fill the extents that are given");
    return !shape_known(w->out) || shape_volume(w->out) >= 0 || too_large(w, from);
}

/* Compares the volumes, and sets the extent that takes what is left. */
static bool fit(struct view_walk *w, const struct numbers *from)
{
    const struct shape *in = w->viewed->shape, *others = w->rest < 0 ? w->out : others_of(w, w->rest);
    if (shape_known(others) && shape_volume(others) < 0)
        return too_large(w, from);
    if (in && w->rest < 0 && !shape_known(in) && shapes_equal(in, w->out) &&
        size_of(w, w->viewed->dtype) == size_of(w, w->args->dtype))
        return true;
    const int64_t have = amount_of(w, in, w->viewed->dtype), each = amount_of(w, others, w->args->dtype);
    if (w->rest >= 0)
        return set_left(w, from, have, each, others);
    return view_holds(w, extent_fact(EXTENT_EQUAL, have, each),
                      "a view has another number of elements than what is viewed") ||
           wrong_volume(w, from, shape_volume(w->out), volume_hint(w));
}

static bool set_rest(struct view_walk *w, const struct view_list *list, int d)
{
    int before = w->rest;
    w->rest = d;
    return before < 0 || view_wrong(w, DIAG_VIEW_EXTENT, list->from,
                                    "%s and %s are both negative; one of them takes what is left",
                                    view_item_name(w, list, before), view_item_name(w, list, d));
}

/* ---- reshape ---- */

/* Extents that are open size expressions. A call finds out which of them is negative, and takes what is left. */
static void fill_open(struct view_walk *w, const struct view_list *list)
{
    int count = w->rest >= 0;
    for (int d = 0; d < list->count; d++)
        count += list->items[d].kind == LITERAL_NONE;
    if (count > 1)
        view_holds(w, extent_fact(EXTENT_FEW_NEGATIVE, .b = w->rest < 0, .shape = w->out),
                   "several extents of a view are negative");
    for (int d = 0; w->rest < 0 && d < list->count; d++)
        if (list->items[d].kind == LITERAL_NONE) {
            const int64_t left = view_compute(w, EXTENT_QUOTIENT, amount_of(w, w->viewed->shape, w->viewed->dtype),
                                              amount_of(w, others_of(w, d), w->args->dtype));
            view_set_extent(w, d, view_compute(w, EXTENT_FILLED, w->out->extents[d], left),
                            "the elements of a view do not fill the extents that are given");
        }
}

/* reshape with extents. Returns false when they are wrong. When nothing is known, w->out becomes NULL. */
static bool by_shape(struct view_walk *w)
{
    struct view_list list;
    if (!view_read_list(w, &w->args->shape, "shape", &list))
        return false;
    if (list.count < 0)
        return view_unknown(w);
    view_unknown_extents(w->out, list.count);
    for (int d = 0; list.items && d < list.count; d++) {
        int64_t extent = (int64_t)list.items[d].integer;
        const bool open = list.items[d].kind == LITERAL_NONE; /* a size expression, not known yet */
        if (!open && (!view_whole(w, &list, d, &extent) || (extent < 0 && !set_rest(w, &list, d))))
            return false;
        w->out->extents[d] = extent < 0 && !open ? EXTENT_UNKNOWN : extent;
    }
    if (w->viewed->open && list.from->sizes)
        fill_open(w, &list);
    return fit(w, list.from);
}

/* The extent of the operand from which dimension d of the result is made, and whether it is rigid. */
static bool source(struct view_walk *w, const struct view_list *dims, int d, int64_t *extent,
                   uint32_t *rigid)
{
    const struct shape *in = w->viewed->shape;
    int64_t from = d;
    *extent = EXTENT_UNKNOWN;
    *rigid = 0;
    if (dims->from->given && !dims->items)
        return true;
    if (dims->items && !view_whole(w, dims, d, &from))
        return false;
    if (dims->items && from == -1) {
        *extent = 1;
        return true;
    }
    if (from < 0)
        return view_wrong(w, DIAG_AXIS, dims->from,
                          "%s is %lld; src_dims counts from 0, and -1 inserts an "
                          "extent of 1",
                          view_item_name(w, dims, d), (long long)from);
    if (!in)
        return true;
    if (from >= in->rank)
        return !dims->items ||
               view_wrong(w, DIAG_AXIS, dims->from, "%s is %lld, and %s has %d dimension%s",
                          view_item_name(w, dims, d), (long long)from, view_value_text(w), in->rank,
                          in->rank == 1 ? "" : "s");
    *extent = in->extents[from];
    *rigid = in->rigid >> from & 1;
    return true;
}

/* Computes one extent of the result from a factor and the extent it applies to. */
static bool relative(struct view_walk *w, const struct view_list *factors, int d, int64_t from)
{
    double value = 0;
    if (!factors->items || !view_factor(w, factors, d, &value))
        return !factors->items;
    if (value < 0)
        return set_rest(w, factors, d);
    double extent = round(value * (double)from);
    if (extent >= 0x1p63)
        return view_wrong(
            w, DIAG_VIEW_EXTENT, factors->from,
            "%s makes an extent of %s, which does not fit int64", view_item_name(w, factors, d),
            view_item_text(w, &(struct literal){.kind = LITERAL_REAL, .real = extent}));
    view_set_extent(w, d, view_compute(w, EXTENT_SCALED, from, .factor = value), "an extent of a view is too large");
    return true;
}

/* Checks the number of factors where no src_dims says what they apply to. */
static bool check_factors(const struct view_walk *w, const struct view_list *factors)
{
    const struct shape *in = w->viewed->shape;
    if (!in || factors->count <= in->rank)
        return true;
    const struct literal *last = factors->items ? &factors->items[factors->count - 1] : NULL;
    bool negative = last && literal_number(last) < 0;
    if (factors->count == in->rank + 1 && (!last || negative))
        return true;
    return view_wrong(
        w, DIAG_VIEW_RANK, factors->from,
        "rel_shape has %d factor%s, and %s has %d dimension%s; one more may stand last if it is "
        "negative, and src_dims inserts others",
        factors->count, factors->count == 1 ? "" : "s", view_value_text(w), in->rank,
        in->rank == 1 ? "" : "s");
}

static bool by_factors(struct view_walk *w)
{
    struct view_list factors, dims;
    if (!view_read_list(w, &w->args->rel_shape, "rel_shape", &factors) ||
        !view_read_list(w, &w->args->src_dims, "src_dims", &dims))
        return false;
    const bool relate = factors.from->given, pick = dims.from->given;
    if (relate && pick && factors.count >= 0 && dims.count >= 0 && factors.count != dims.count)
        return view_wrong(w, DIAG_VIEW_RANK, dims.from,
                          "rel_shape has %d number%s and src_dims %d; each factor "
                          "has one source",
                          factors.count, factors.count == 1 ? "" : "s", dims.count);
    int count = relate && factors.count >= 0 ? factors.count : pick ? dims.count : -1;
    if (count < 0)
        return view_unknown(w);
    if (relate && !pick && !check_factors(w, &factors))
        return false;
    view_unknown_extents(w->out, count);
    for (int d = 0; d < count; d++) {
        int64_t extent;
        uint32_t rigid;
        if (!source(w, &dims, d, &extent, &rigid))
            return false;
        if (!relate)
            w->out->extents[d] = extent, w->out->rigid |= rigid << d;
        else if (!relative(w, &factors, d, extent))
            return false;
    }
    return fit(w, relate ? factors.from : dims.from);
}

bool view_reshape(struct view_walk *w)
{
    if (w->args->shape.given)
        return by_shape(w);
    if (w->args->rel_shape.given || w->args->src_dims.given)
        return by_factors(w);
    if (!w->viewed->shape)
        return view_unknown(w);
    memcpy(w->out, w->viewed->shape, sizeof *w->out);
    return true;
}

/* ---- reinterpret ---- */

/* reinterpret without a shape changes the innermost extent. */
static bool innermost(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    if (!in)
        return view_unknown(w);
    memcpy(w->out, in, sizeof *in);
    bool known = w->viewed->dtype != WEFT_DTYPE_COUNT;
    if (known && type_rows[w->viewed->dtype].size == type_rows[w->args->dtype].size)
        return true;
    if (in->rank == 0)
        return !known || view_wrong(w, DIAG_VIEW_RANK, NULL,
                                    "%s has no dimension that could change its extent; "
                                    "give the shape, as in reinterpret(x, %s, shape=[-1])",
                                    w->viewed->name, type_rows[w->args->dtype].name);
    int64_t *last = &w->out->extents[in->rank - 1], size = type_rows[w->args->dtype].size;
    w->out->rigid &= ~(1u << (in->rank - 1));
    if (!known) {
        *last = EXTENT_UNKNOWN;
        return true;
    }
    const int64_t bytes = view_compute(w, EXTENT_PRODUCT, *last, type_rows[w->viewed->dtype].size);
    if (bytes == INT64_MAX)
        return too_large(w, NULL);
    if (bytes >= 0 && bytes % size)
        return view_wrong(w, DIAG_VIEW_EXTENT, NULL,
                          "the innermost extent of %s is %lld bytes long, no multiple "
                          "of the %lld of %s",
                          view_value_text(w), (long long)bytes, (long long)size,
                          type_rows[w->args->dtype].name);
    view_set_extent(w, in->rank - 1, view_compute(w, EXTENT_QUOTIENT, bytes, size),
                    "the innermost extent is no whole number of the elements that it is reinterpreted as");
    return !shape_known(w->out) || shape_volume(w->out) >= 0 || too_large(w, NULL);
}

bool view_reinterpret(struct view_walk *w)
{
    return w->args->shape.given ? by_shape(w) : innermost(w);
}
