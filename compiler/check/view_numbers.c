/* Reads the numbers of a view's arguments, and words the messages about them. */
#include "compiler/check/view_impl.h"

#include "compiler/lang/lang.h"

#include <math.h>
#include <string.h>

enum { SHOWN_LABELS = 6 };         /* of a dimension in a message */

struct view_places view_places_of(const struct view_walk *w, const struct numbers *numbers)
{
    bool argument = numbers && numbers->given;
    return (struct view_places){{argument ? numbers->span : w->viewed->place, w->viewed->operand},
                                w->viewed->program ? 2 : 0};
}

static const struct dims *own_dims(const struct view_walk *w)
{
    const struct viewed *value = w->viewed;
    return value->shape && value->dims && value->dims->rank == value->shape->rank ? value->dims : NULL;
}

const char *view_value_text(const struct view_walk *w)
{
    const struct shape *shape = w->viewed->shape;
    struct buf text = buf_new(w->arena);
    buf_printf(&text, "%s ", w->viewed->name);
    if (own_dims(w))
        dims_put(&text, w->viewed->program, own_dims(w), shape->extents, SHOWN_LABELS);
    else
        buf_puts(&text, shape ? shape_text(w->arena, w->viewed->program, shape) : "");
    return text.text;
}

const char *view_dim_text(const struct view_walk *w, int d)
{
    return own_dims(w) ? arena_printf(w->arena, "dimension %.40s", own_dims(w)->items[d].name)
                       : arena_printf(w->arena, "dimension %d", d);
}

const char *view_item_name(const struct view_walk *w, const struct view_list *list, int i)
{
    return arena_printf(w->arena, "%s[%d]", list->input ? list->input : list->what, i);
}

const char *view_item_text(const struct view_walk *w, const struct literal *item)
{
    struct buf text = buf_new(w->arena);
    literal_print(&text, item);
    return text.text;
}

/* ---- numbers ---- */

/* Counts the numbers of an input by its shape: a 1-D tensor, or one number without dimensions. */
static bool count_input(const struct view_walk *w, struct view_list *list)
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
        return view_wrong(
            w, DIAG_VIEW_RANK, list->from,
            "%s is read from input '%s', which has %d dimensions, shape %s; a 1-D tensor is "
            "wanted",
            list->what, list->input, shape->rank, shape_text(w->arena, program, shape));
    int64_t count = shape->rank ? shape->extents[0] : 1;
    if (count > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_VIEW_RANK, list->from,
                          "%s is read from input '%s', which holds %lld numbers; "
                          "there are at most %d dimensions",
                          list->what, list->input, (long long)count, WEFT_MAX_RANK);
    list->count = count < 0 ? -1 : (int)count;
    return true;
}

bool view_read_list(const struct view_walk *w, const struct numbers *numbers, const char *what,
                    struct view_list *list)
{
    *list = (struct view_list){.from = numbers, .what = what, .count = -1};
    if (!numbers->given)
        return true;
    if (numbers->input >= 0)
        return count_input(w, list);
    if (numbers->letters && !numbers->items)
        return numbers->rank >= 0; /* not checked yet, or reported before */
    list->count = numbers->count;
    list->items = numbers->count ? numbers->items : ARENA_NEW(w->arena, struct literal);
    return true;
}

bool view_whole(const struct view_walk *w, const struct view_list *list, int i, int64_t *value)
{
    const struct literal *item = &list->items[i];
    const char *hint =
        strcmp(list->what, "shape") == 0 ? "; factors of the input's extents are rel_shape" : "";
    if (item->kind != LITERAL_INTEGER)
        return view_wrong(w, DIAG_VIEW_EXTENT, list->from, "%s is %s, and %s holds whole numbers%s",
                          view_item_name(w, list, i), view_item_text(w, item), list->what, hint);
    if (item->integer > INT64_MAX || item->integer < INT64_MIN)
        return view_wrong(w, DIAG_VIEW_EXTENT, list->from, "%s is %s, which does not fit int64",
                          view_item_name(w, list, i), view_item_text(w, item));
    *value = (int64_t)item->integer;
    return true;
}

bool view_factor(const struct view_walk *w, const struct view_list *list, int i, double *value)
{
    const struct literal *item = &list->items[i];
    *value = literal_number(item);
    return isfinite(*value) ||
           view_wrong(w, DIAG_VIEW_EXTENT, list->from, "%s is %s; a factor of an extent is finite",
                      view_item_name(w, list, i), view_item_text(w, item));
}

void view_set_extent(struct view_walk *w, int d, int64_t extent, const char *note)
{
    w->out->extents[d] = extent;
    view_holds(w, extent_fact(EXTENT_EXISTS, extent), "%s", note);
}

bool view_unknown(struct view_walk *w)
{
    w->out = NULL;
    return true;
}

void view_unknown_extents(struct shape *shape, int rank)
{
    shape->rank = rank;
    for (int d = 0; d < rank; d++)
        shape->extents[d] = EXTENT_UNKNOWN;
}
