/* Implements axes.h. Letters become positions once, when the types are known; from then on all axes are numbers. */
#include "compiler/check/axes.h"

#include "compiler/check/view_impl.h"

#include <string.h>

/* ---- letters ---- */

/* An argument whose letters are looked up. */
struct lookup {
    const struct program *program;
    struct numbers *axes;
    const struct product *value;   /* the value that has the layout */
    const char *layout;            /* NULL: not known */
};

static const char *name_of(const struct lookup *l)
{
    return product_text(l->program->arena, l->program, l->value);
}

static bool wrong(const struct lookup *l, const char *text)
{
    return diag_at(l->program->diags, DIAG_AXIS, ((struct span[]){l->axes->span, product_span(l->value)}), 2, text);
}

static bool no_layout(const struct lookup *l)
{
    return wrong(l, arena_printf(l->program->arena,
                                 "\"%s\" names dimensions by their letters, and %s %s; write their numbers, "
                                 "or give it a layout, as in reshape(%s, layout=\"HWC\")", l->axes->letters, name_of(l),
                                 l->layout ? "has no layout" : "has a layout that only the call knows",
                                 expression_text(l->program->arena, l->program, l->value->factors[0])));
}

/* The position of a letter. -1, with a diagnostic, where the layout does not have it, or has it twice. */
static int find_letter(const struct lookup *l, int i)
{
    const char *letters = l->axes->letters, *found = strchr(l->layout, letters[i]), *text = NULL;
    if (!found)
        text = arena_printf(l->program->arena, "letter %c of \"%s\" is none of layout %s, which %s has%s", letters[i],
                            letters, l->layout, name_of(l),
                            letters[i] == 'N' || letters[i] == 'B'
                                ? "; samples of a batch are apart, and have no letter" : "");
    else if (strchr(letters, letters[i]) != letters + i)
        text = arena_printf(l->program->arena, "letter %c stands twice in \"%s\"", letters[i], letters);
    else if (strchr(found + 1, letters[i]))
        text = arena_printf(l->program->arena, "letter %c stands twice in layout %s, which %s has; write the "
                            "dimension's number", letters[i], l->layout, name_of(l));
    return text ? (wrong(l, text), -1) : (int)(found - l->layout);
}

/* The letters of the layout that are left out; "" if none. */
static const char *left_out(const struct lookup *l)
{
    struct buf text = buf_new(l->program->arena);
    for (const char *letter = l->layout; *letter; letter++)
        if (!strchr(l->axes->letters, *letter))
            buf_putc(&text, *letter);
    return text.text ? text.text : "";
}

bool axes_resolve(const struct program *program, const struct product *value, struct numbers *axes, bool all,
                  const char *layout)
{
    const struct lookup l = {program, axes, value, layout};
    const int count = (int)strlen(axes->letters);
    struct literal *items = ARENA_ARRAY(program->arena, struct literal, count + 1);
    axes->rank = -1;
    if (!layout || (!*layout && count))
        return no_layout(&l);
    for (int i = 0; i < count; i++) {
        const int at = find_letter(&l, i);
        if (at < 0)
            return false;
        items[i] = (struct literal){.kind = LITERAL_INTEGER, .integer = at};
    }
    const char *left = all ? left_out(&l) : "";
    if (*left)
        return wrong(&l, arena_printf(program->arena,
                                      "transpose names each letter of layout %s once, and \"%s\" leaves out %s",
                                      layout, axes->letters, left));
    axes->items = items;
    axes->count = count;
    axes->rank = (int)strlen(layout);
    return true;
}

bool axes_open(const struct numbers *axes)
{
    return axes->letters && !axes->items;
}

/* ---- numbers ---- */

/* "2 dimensions, 0 to 1 (from the end -1 to -2)" */
static const char *range_text(struct arena *arena, int rank, bool from_end)
{
    const char *end = from_end ? arena_printf(arena, " (from the end -1 to -%d)", rank) : "";
    return rank ? arena_printf(arena, "%d dimension%s, 0 to %d%s", rank, rank == 1 ? "" : "s", rank - 1, end)
                : "no dimensions";
}

static bool out_of_range(const struct view_walk *w, const struct view_list *axes, int i, int64_t axis, const char *has)
{
    const struct diag *before = w->diags->last;
    view_wrong(w, DIAG_AXIS, axes->from, "%s is %lld, and %s", view_item_name(w, axes, i), (long long)axis, has);
    if (w->diags->last != before)
        w->diags->last->apart = "; samples of a batch are apart, and no axis goes across them";
    return false;
}

bool view_read_axes(const struct view_walk *w, const struct view_list *axes, int rank, bool from_end, int *at,
                    uint32_t *set)
{
    const bool result = !w->viewed->shape || w->viewed->shape->rank != rank;
    *set = 0;
    if (axes->from->letters && axes->from->rank != rank)
        return view_wrong(w, DIAG_AXIS, axes->from,
                          "\"%s\" names dimensions by their letters, and %s has no layout; write their numbers",
                          axes->from->letters, view_value_text(w));
    for (int i = 0; i < axes->count; i++) {
        int64_t axis;
        if (!view_whole(w, axes, i, &axis))
            return false;
        if (axis < 0 && !from_end)
            return view_wrong(w, DIAG_AXIS, axes->from, "%s is %lld; a position in the result counts from 0",
                              view_item_name(w, axes, i), (long long)axis);
        const int64_t d = axis < 0 ? axis + rank : axis;
        if (d < 0 || d >= rank)
            return out_of_range(w, axes, i, axis, arena_printf(w->arena, "%s has %s",
                                                               result ? "the result" : view_value_text(w),
                                                               range_text(w->arena, rank, from_end)));
        if (*set >> d & 1)
            return view_wrong(w, DIAG_AXIS, axes->from, "%s is %lld, a dimension that %s names already",
                              view_item_name(w, axes, i), (long long)axis, axes->what);
        *set |= 1u << d;
        if (at)
            at[i] = (int)d;
    }
    return true;
}

bool axes_find(struct arena *arena, struct diags *diags, const struct viewed *value, const struct numbers *axes,
               const char *what, uint32_t *set)
{
    const struct view_walk w = {.arena = arena, .diags = diags, .viewed = value};
    struct view_list list;
    return view_read_list(&w, axes, what, &list) && view_read_axes(&w, &list, value->shape->rank, true, NULL, set);
}

bool axes_set(const struct numbers *axes, const struct contents *contents, int rank, uint32_t *set)
{
    const struct contents *read = axes->input >= 0 && contents ? &contents[axes->input] : NULL;
    const struct literal *items = read ? read->items : axes->items;
    const int count = read ? read->count : axes->count;
    *set = 0;
    for (int i = 0; i < count; i++) {
        const __int128 d = items[i].integer < 0 ? items[i].integer + rank : items[i].integer;
        if (d < 0 || d >= rank)
            return false;
        *set |= 1u << d;
    }
    return items || (axes->input < 0 && count == 0);
}
