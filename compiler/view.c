/* See view.h. An argument's numbers may be known, or only how many they are, or nothing; what may be
 * right at the call is never refused. */
#include "compiler/view.h"

#include "compiler/literal.h"

#include <math.h>
#include <string.h>

const struct view_row view_rows[VIEW_FORM_COUNT] = {
#define VIEW(id, name, parameters, kinds, required, signature, doc)                                \
    [VIEW_##id] = {#name, parameters, kinds, required, signature, doc},
#include "grammar/views.def"
};

enum view_form view_find(const char *name)
{
    int form = 0;
    while (form < VIEW_FORM_COUNT && strcmp(view_rows[form].name, name) != 0)
        form++;
    return (enum view_form)form;
}

const char *view_conflict(const struct view_args *args, struct span places[2], int *count)
{
    bool shape = args->shape.given, factors = args->rel_shape.given, sources = args->src_dims.given;
    if (args->form != VIEW_RESHAPE)
        return NULL;
    if (!shape && !factors && !sources && !args->has_layout)
        return "reshape needs a shape, rel_shape, src_dims or layout, as in reshape(x, [2, 3])";
    if (!shape || (!factors && !sources))
        return NULL;
    places[0] = factors ? args->rel_shape.span : args->src_dims.span;
    places[1] = args->shape.span;
    *count = 2;
    return factors ? "reshape takes shape or rel_shape, not both: shape holds extents, rel_shape factors "
                     "of the input's"
                   : "src_dims goes with rel_shape or stands alone; the extents of shape are taken from "
                     "no dimension";
}

struct walk {
    struct arena *arena;
    struct diags *diags;
    const struct viewed *viewed;
    const struct view_args *args;
    struct shape *out;
    int rest;                      /* the dimension that takes what is left; -1: none */
};

/* The numbers of one argument. */
struct list {
    const struct numbers *from;
    const char *what;              /* the argument's name */
    const char *input;             /* the name of the input that holds them, or NULL */
    int count;                     /* -1: not known */
    const struct literal *items;   /* NULL: not known */
};

/* ---- reporting ---- */

/* Where a rule is broken: the argument, and the value. */
struct places {
    struct span spans[2];
    int count;
};

static struct places places_of(const struct walk *w, const struct numbers *numbers)
{
    bool argument = numbers && numbers->given;
    return (struct places){{argument ? numbers->span : w->viewed->place, w->viewed->operand},
                           w->viewed->program ? 2 : 0};
}

/* Messages of DIAG_VIEW_EXTENT, _AXIS and _RANK. */
#define wrong(w, id, numbers, ...)                                                                 \
    diag_at((w)->diags, id, places_of(w, numbers).spans, places_of(w, numbers).count,              \
            arena_printf((w)->arena, __VA_ARGS__))

static const char *form_name(const struct walk *w)
{
    return view_rows[w->args->form].name;
}

/* The value with its shape, as "x [2, 3]". */
static const char *value_text(const struct walk *w)
{
    const struct shape *shape = w->viewed->shape;
    return arena_printf(w->arena, "%s %s", w->viewed->name,
                        shape ? shape_text(w->arena, w->viewed->program, shape) : "");
}

/* As "shape[1]", or "s[1]" of an input. */
static const char *item_name(const struct walk *w, const struct list *list, int i)
{
    return arena_printf(w->arena, "%s[%d]", list->input ? list->input : list->what, i);
}

static const char *item_text(const struct walk *w, const struct literal *item)
{
    struct buf text;
    buf_init(&text, w->arena);
    literal_print(&text, item);
    return text.text;
}

/* ---- numbers ---- */

/* How many numbers an input holds, by its shape: a 1-D tensor, or one number without dimensions. */
static bool count_input(const struct walk *w, struct list *list)
{
    const struct program *program = w->viewed->program;
    int input = list->from->input;
    const struct shape *shape = w->viewed->inputs ? w->viewed->inputs[input] : NULL;
    list->input = program->symbols[program->inputs[input]].name;
    list->count = -1;
    list->items = w->viewed->contents ? w->viewed->contents[input].items : NULL;
    if (!shape)
        return true;
    if (shape->rank > 1)
        return wrong(w, DIAG_VIEW_RANK, list->from,
                     "%s is read from input '%s', which has %d dimensions, shape %s; a 1-D tensor is "
                     "wanted", list->what, list->input, shape->rank,
                     shape_text(w->arena, program, shape));
    int64_t count = shape->rank ? shape->extents[0] : 1;
    if (count > WEFT_MAX_RANK)
        return wrong(w, DIAG_VIEW_RANK, list->from, "%s is read from input '%s', which holds %lld numbers; "
                     "there are at most %d dimensions", list->what, list->input, (long long)count,
                     WEFT_MAX_RANK);
    list->count = count < 0 ? -1 : (int)count;
    return true;
}

static bool read_list(const struct walk *w, const struct numbers *numbers, const char *what,
                      struct list *list)
{
    *list = (struct list){.from = numbers, .what = what, .count = -1};
    if (!numbers->given)
        return true;
    if (numbers->input >= 0)
        return count_input(w, list);
    list->count = numbers->count;
    list->items = numbers->count ? numbers->items : ARENA_NEW(w->arena, struct literal);
    return true;
}

static bool whole(const struct walk *w, const struct list *list, int i, int64_t *value)
{
    const struct literal *item = &list->items[i];
    const char *hint = strcmp(list->what, "shape") == 0 ? "; factors of the input's extents are rel_shape"
                                                        : "";
    if (item->kind != LITERAL_INTEGER)
        return wrong(w, DIAG_VIEW_EXTENT, list->from, "%s is %s, and %s holds whole numbers%s",
                     item_name(w, list, i), item_text(w, item), list->what, hint);
    if (item->integer > INT64_MAX || item->integer < INT64_MIN)
        return wrong(w, DIAG_VIEW_EXTENT, list->from, "%s is %s, which does not fit int64",
                     item_name(w, list, i), item_text(w, item));
    *value = (int64_t)item->integer;
    return true;
}

static bool factor(const struct walk *w, const struct list *list, int i, double *value)
{
    const struct literal *item = &list->items[i];
    *value = item->kind == LITERAL_REAL ? item->real : (double)item->integer;
    return isfinite(*value) || wrong(w, DIAG_VIEW_EXTENT, list->from,
                                     "%s is %s; a factor of an extent is finite",
                                     item_name(w, list, i), item_text(w, item));
}

/* ---- volumes ---- */

/* The product of the extents but for dimension `skip`; -1: not known; -2: too many. */
static int64_t product(const struct shape *shape, int skip)
{
    struct shape rest = {0};
    for (int d = 0; shape && d < shape->rank; d++) {
        if (d == skip)
            continue;
        if (shape->extents[d] < 0)
            return -1;
        rest.extents[rest.rank++] = shape->extents[d];
    }
    int64_t volume = shape_volume(&rest);
    return !shape ? -1 : volume < 0 ? -2 : volume;
}

/* Bytes of an element where they count, else 1. */
static int64_t size_of(const struct walk *w, enum weft_dtype dtype)
{
    return w->args->form == VIEW_REINTERPRET ? type_rows[dtype].size : 1;
}

static const char *amount(const struct walk *w, int64_t volume, int64_t size)
{
    const char *unit = w->args->form == VIEW_REINTERPRET ? "byte" : "element";
    return arena_printf(w->arena, "%lld %s%s", (long long)(volume * size), unit,
                        volume * size == 1 ? "" : "s");
}

static bool wrong_volume(const struct walk *w, const struct numbers *from, int64_t in, int64_t out,
                         const char *hint)
{
    struct places places = places_of(w, from);
    bool bytes = w->args->form == VIEW_REINTERPRET;
    const char *shape = shape_text(w->arena, w->viewed->program, w->out);
    const char *value = shape_text(w->arena, w->viewed->program, w->viewed->shape);
    const char *to = type_rows[w->args->dtype].name;
    if (bytes) {
        value = arena_printf(w->arena, "%s of %s", value, type_rows[w->viewed->dtype].name);
        shape = arena_printf(w->arena, "%s of %s", shape, to);
    }
    return diag_at(w->diags, DIAG_VIEW_VOLUME, places.spans, places.count, form_name(w),
                   w->viewed->name, value, shape,
                   amount(w, in, bytes ? type_rows[w->viewed->dtype].size : 1),
                   amount(w, out, size_of(w, w->args->dtype)), hint);
}

/* Compares the volumes, and sets the dimension that takes what is left. */
static bool fit(struct walk *w, const struct numbers *from)
{
    bool known = w->args->form != VIEW_REINTERPRET || w->viewed->dtype != WEFT_DTYPE_COUNT;
    int64_t in = known ? product(w->viewed->shape, -1) : -1, out = product(w->out, w->rest);
    int64_t from_size = known ? size_of(w, w->viewed->dtype) : 1, to_size = size_of(w, w->args->dtype);
    if (out == -2)
        return wrong(w, DIAG_VIEW_EXTENT, from, "the shape %s has more elements than memory can hold",
                     shape_text(w->arena, w->viewed->program, w->out));
    if (w->rest >= 0 && out == 0)
        return wrong(w, DIAG_VIEW_EXTENT, from,
                     "a negative extent takes what is left, and beside an extent of 0 any would do; "
                     "write the number itself");
    if (in < 0 || out < 0)
        return true;
    if (w->rest < 0)
        return in * from_size == out * to_size ||
               wrong_volume(w, from, in, out,
                            w->args->form == VIEW_RESHAPE ? "; one negative number takes what is left" : "");
    if (in * from_size % (out * to_size))
        return wrong_volume(w, from, in, out, ", which does not divide them");
    w->out->extents[w->rest] = in * from_size / (out * to_size);
    return true;
}

static bool set_rest(struct walk *w, const struct list *list, int d)
{
    int before = w->rest;
    w->rest = d;
    return before < 0 || wrong(w, DIAG_VIEW_EXTENT, list->from,
                               "%s and %s are both negative; one of them takes what is left",
                               item_name(w, list, before), item_name(w, list, d));
}

static void unknown_extents(struct shape *shape, int rank)
{
    shape->rank = rank;
    for (int d = 0; d < rank; d++)
        shape->extents[d] = EXTENT_UNKNOWN;
}

/* ---- reshape ---- */

/* The extents are given; false: wrong, or nothing is known (then w->out is NULL). */
static bool by_shape(struct walk *w)
{
    struct list list;
    if (!read_list(w, &w->args->shape, "shape", &list))
        return false;
    if (list.count < 0) {
        w->out = NULL;
        return true;
    }
    unknown_extents(w->out, list.count);
    for (int d = 0; list.items && d < list.count; d++) {
        int64_t extent;
        if (!whole(w, &list, d, &extent) || (extent < 0 && !set_rest(w, &list, d)))
            return false;
        w->out->extents[d] = extent < 0 ? EXTENT_UNKNOWN : extent;
    }
    return fit(w, list.from);
}

/* The extent that result dimension d is made from, and whether it never stretches. */
static bool source(struct walk *w, const struct list *dims, int d, int64_t *extent, uint32_t *rigid)
{
    const struct shape *in = w->viewed->shape;
    int64_t from = d;
    *extent = EXTENT_UNKNOWN;
    *rigid = 0;
    if (dims->from->given && !dims->items)
        return true;
    if (dims->items && !whole(w, dims, d, &from))
        return false;
    if (dims->items && from == -1) {
        *extent = 1;
        return true;
    }
    if (from < 0)
        return wrong(w, DIAG_VIEW_AXIS, dims->from, "%s is %lld; src_dims counts from 0, and -1 inserts an "
                     "extent of 1", item_name(w, dims, d), (long long)from);
    if (!in)
        return true;
    if (from >= in->rank)
        return !dims->items || wrong(w, DIAG_VIEW_AXIS, dims->from, "%s is %lld, and %s has %d dimension%s",
                                     item_name(w, dims, d), (long long)from, value_text(w), in->rank,
                                     in->rank == 1 ? "" : "s");
    *extent = in->extents[from];
    *rigid = in->rigid >> from & 1;
    return true;
}

/* One extent from a factor and its source. */
static bool relative(struct walk *w, const struct list *factors, int d, int64_t from)
{
    double value = 0;
    if (!factors->items || !factor(w, factors, d, &value))
        return !factors->items;
    if (value < 0)
        return set_rest(w, factors, d);
    if (from < 0)
        return true;
    double extent = round(value * (double)from);
    if (extent >= 0x1p63)
        return wrong(w, DIAG_VIEW_EXTENT, factors->from, "%s makes an extent of %s, which does not fit int64",
                     item_name(w, factors, d),
                     item_text(w, &(struct literal){.kind = LITERAL_REAL, .real = extent}));
    w->out->extents[d] = (int64_t)extent;
    return true;
}

/* How many factors there may be where no src_dims says what they apply to. */
static bool check_factors(const struct walk *w, const struct list *factors)
{
    const struct shape *in = w->viewed->shape;
    if (!in || factors->count <= in->rank)
        return true;
    const struct literal *last = factors->items ? &factors->items[factors->count - 1] : NULL;
    bool negative = last && (last->kind == LITERAL_REAL ? last->real < 0 : last->integer < 0);
    if (factors->count == in->rank + 1 && (!last || negative))
        return true;
    return wrong(w, DIAG_VIEW_RANK, factors->from,
                 "rel_shape has %d factors, and %s has %d dimension%s; one more may stand last if it is "
                 "negative, and src_dims inserts others", factors->count, value_text(w), in->rank,
                 in->rank == 1 ? "" : "s");
}

static bool by_factors(struct walk *w)
{
    struct list factors, dims;
    if (!read_list(w, &w->args->rel_shape, "rel_shape", &factors) ||
        !read_list(w, &w->args->src_dims, "src_dims", &dims))
        return false;
    const bool relate = factors.from->given, pick = dims.from->given;
    if (relate && pick && factors.count >= 0 && dims.count >= 0 && factors.count != dims.count)
        return wrong(w, DIAG_VIEW_RANK, dims.from, "rel_shape has %d number%s and src_dims %d; each factor "
                     "has one source", factors.count, factors.count == 1 ? "" : "s", dims.count);
    int count = relate && factors.count >= 0 ? factors.count : pick ? dims.count : -1;
    if (count < 0) {
        w->out = NULL;
        return true;
    }
    if (relate && !pick && !check_factors(w, &factors))
        return false;
    unknown_extents(w->out, count);
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

/* ---- squeeze, expand_dims ---- */

/* The dimensions that axes name among `rank`, a bit each. */
static bool axis_set(struct walk *w, const struct list *axes, int rank, bool from_end, uint32_t *set)
{
    *set = 0;
    for (int i = 0; i < axes->count; i++) {
        int64_t axis;
        if (!whole(w, axes, i, &axis))
            return false;
        if (axis < 0 && !from_end)
            return wrong(w, DIAG_VIEW_AXIS, axes->from, "%s is %lld; a position in the result counts from 0",
                         item_name(w, axes, i), (long long)axis);
        int64_t d = axis < 0 ? axis + rank : axis;
        if (d < 0 || d >= rank)
            return wrong(w, DIAG_VIEW_AXIS, axes->from, "%s is %lld, and %s has %d dimension%s",
                         item_name(w, axes, i), (long long)axis, from_end ? value_text(w) : "the result",
                         rank, rank == 1 ? "" : "s");
        if (*set >> d & 1)
            return wrong(w, DIAG_VIEW_AXIS, axes->from, "%s is %lld, a dimension that axes names already",
                         item_name(w, axes, i), (long long)axis);
        *set |= 1u << d;
    }
    return true;
}

bool view_axes(const struct view_args *args, const struct contents *contents, int rank, uint32_t *set)
{
    const struct numbers *axes = &args->axes;
    const struct contents *read = axes->input >= 0 && contents ? &contents[axes->input] : NULL;
    const struct literal *items = read ? read->items : axes->items;
    int count = read ? read->count : axes->count;
    *set = 0;
    for (int i = 0; i < count; i++)
        *set |= 1u << (items[i].integer < 0 ? items[i].integer + rank : items[i].integer);
    return items || (axes->input < 0 && count == 0);
}

static bool squeeze_known(struct walk *w, const struct list *axes)
{
    const struct shape *in = w->viewed->shape;
    uint32_t set;
    if (!axis_set(w, axes, in->rank, true, &set))
        return false;
    w->out->rank = 0;
    for (int d = 0; d < in->rank; d++) {
        bool drop = set >> d & 1;
        if (drop && in->extents[d] >= 0 && in->extents[d] != 1)
            return wrong(w, DIAG_VIEW_AXIS, axes->from, "dimension %d of %s has extent %lld; squeeze drops "
                         "extents of 1", d, value_text(w), (long long)in->extents[d]);
        if (drop)
            continue;
        w->out->rigid |= (in->rigid >> d & 1) << w->out->rank;
        w->out->extents[w->out->rank++] = in->extents[d];
    }
    return true;
}

static bool squeeze(struct walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct list axes;
    if (!read_list(w, &w->args->axes, "axes", &axes))
        return false;
    if (!in || axes.count < 0) {
        w->out = NULL;
        return true;
    }
    if (axes.count > in->rank)
        return wrong(w, DIAG_VIEW_AXIS, axes.from, "axes names %d dimensions, and %s has %d", axes.count,
                     value_text(w), in->rank);
    unknown_extents(w->out, in->rank - axes.count);
    return !axes.items || squeeze_known(w, &axes);
}

static bool expand_dims(struct walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct list axes;
    uint32_t set = 0;
    if (!read_list(w, &w->args->axes, "axes", &axes))
        return false;
    int rank = in ? in->rank + axes.count : WEFT_MAX_RANK;
    if (in && axes.count >= 0 && rank > WEFT_MAX_RANK)
        return wrong(w, DIAG_VIEW_RANK, axes.from, "the result would have %d dimensions; there are at most %d",
                     rank, WEFT_MAX_RANK);
    if (axes.items && axes.count >= 0 && !axis_set(w, &axes, rank, false, &set))
        return false;
    if (!in || axes.count < 0) {
        w->out = NULL;
        return true;
    }
    unknown_extents(w->out, rank);
    for (int d = 0, from = 0; axes.items && d < rank; d++) {
        bool inserted = set >> d & 1;
        w->out->extents[d] = inserted ? 1 : in->extents[from];
        w->out->rigid |= inserted ? 0 : (in->rigid >> from & 1) << d;
        from += !inserted;
    }
    return true;
}

/* ---- reinterpret ---- */

/* Without a shape the innermost extent changes. */
static bool innermost(struct walk *w)
{
    const struct shape *in = w->viewed->shape;
    if (!in) {
        w->out = NULL;
        return true;
    }
    memcpy(w->out, in, sizeof *in);
    bool known = w->viewed->dtype != WEFT_DTYPE_COUNT;
    if (known && type_rows[w->viewed->dtype].size == type_rows[w->args->dtype].size)
        return true;
    if (in->rank == 0)
        return !known || wrong(w, DIAG_VIEW_RANK, NULL, "%s has no dimension that could change its extent; "
                               "give the shape, as in reinterpret(x, %s, shape=[-1])", w->viewed->name,
                               type_rows[w->args->dtype].name);
    int64_t *last = &w->out->extents[in->rank - 1], size = type_rows[w->args->dtype].size;
    w->out->rigid &= ~(1u << (in->rank - 1));
    if (!known || *last < 0) {
        *last = EXTENT_UNKNOWN;
        return true;
    }
    int64_t bytes = *last * type_rows[w->viewed->dtype].size;
    if (bytes % size)
        return wrong(w, DIAG_VIEW_EXTENT, NULL, "the innermost extent of %s is %lld bytes long, no multiple "
                     "of the %lld of %s", value_text(w), (long long)bytes, (long long)size,
                     type_rows[w->args->dtype].name);
    *last = bytes / size;
    return true;
}

/* ---- all of them ---- */

static bool check_layout(const struct walk *w)
{
    size_t length = w->args->has_layout ? strlen(w->args->layout) : 0;
    struct numbers place = {.given = true, .span = w->args->layout_span};
    if (!w->out || length == 0 || length == (size_t)w->out->rank)
        return true;
    return wrong(w, DIAG_VIEW_RANK, &place, "layout \"%s\" has %zu letter%s, and the result %s has %d "
                 "dimension%s", w->args->layout, length, length == 1 ? "" : "s",
                 shape_text(w->arena, w->viewed->program, w->out), w->out->rank,
                 w->out->rank == 1 ? "" : "s");
}

static bool reshape(struct walk *w)
{
    if (w->args->shape.given)
        return by_shape(w);
    if (w->args->rel_shape.given || w->args->src_dims.given)
        return by_factors(w);
    if (w->viewed->shape)
        memcpy(w->out, w->viewed->shape, sizeof *w->out);
    else
        w->out = NULL;
    return true;
}

const struct shape *view_shape(struct arena *arena, struct diags *diags, const struct viewed *viewed,
                               const struct view_args *args, bool *good)
{
    static bool (*const forms[VIEW_FORM_COUNT])(struct walk *) = {
        [VIEW_RESHAPE] = reshape, [VIEW_SQUEEZE] = squeeze, [VIEW_EXPAND_DIMS] = expand_dims};
    struct walk walk = {.arena = arena, .diags = diags, .viewed = viewed, .args = args,
                        .out = ARENA_NEW(arena, struct shape), .rest = -1};
    bool fine = args->form != VIEW_REINTERPRET ? forms[args->form](&walk)
                : args->shape.given            ? by_shape(&walk)
                                               : innermost(&walk);
    if (fine && check_layout(&walk))
        return walk.out;
    *good = false;
    return NULL;
}
