/* Axes by name (rule 8.11), for reductions, views, joins and all else that takes axes. */
#include "compiler/check/names_impl.h"

#include <string.h>

/* An argument whose names are looked up. */
struct lookup {
    struct naming *n;
    struct numbers *axes;
    int of;                        /* the node that has the dimensions */
    const struct dims *dims;
    enum names_axes how;
    const char *what;              /* the argument */
    int at[WEFT_MAX_RANK], count;
};

static bool wrong(const struct lookup *l, enum diag_id id, struct span span, const char *text)
{
    return names_wrong(l->n, id, span, l->of, text);
}

static const char *dims_text(const struct lookup *l)
{
    struct buf text = buf_new(l->n->arena);
    dims_put(&text, l->n->to, l->dims, NULL, 2);
    return text.text;
}

static bool add(struct lookup *l, int d, struct span span)
{
    for (int i = 0; i < l->count; i++)
        if (l->at[i] == d)
            return wrong(l, DIAG_DIM_NAME, span, arena_printf(l->n->arena, "dimension %.40s stands twice among %s",
                                                              l->dims->items[d].name, l->what));
    l->at[l->count++] = d;
    return true;
}

static bool unknown(const struct lookup *l, const char *name, struct span span)
{
    const char *names[WEFT_MAX_RANK + DIM_KIND_COUNT];
    for (int d = 0; d < l->dims->rank; d++)
        names[d] = l->dims->items[d].name;
    for (int k = 0; k < DIM_KIND_COUNT; k++)
        names[l->dims->rank + k] = dim_kind_word((enum dim_kind)k);
    const char *near = diag_nearest(name, names, (size_t)l->dims->rank + DIM_KIND_COUNT);
    return wrong(l, DIAG_DIM_NAME, span,
                 arena_printf(l->n->arena, "%s %s has no dimension '%.40s'%s%s%s", names_text(l->n, l->of),
                              dims_text(l), name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""));
}

/* Adds the dimension of this name, or all of a kind. */
static bool find(struct lookup *l, const char *name, struct span span)
{
    const int d = dims_find(l->dims, name);
    const enum dim_kind kind = dim_kind_of_word(name);
    if (d >= 0 || kind == DIM_KIND_COUNT)
        return d >= 0 ? add(l, d, span) : unknown(l, name, span);
    for (int k = 0; k < l->dims->rank; k++)
        if (l->dims->items[k].kind == kind && !add(l, k, span))
            return false;
    return true;
}

/* Names in quotes, between commas. */
static bool find_quoted(struct lookup *l)
{
    const char *text = l->axes->letters;
    while (*text) {
        const size_t length = strcspn(text, ",");
        size_t first = 0, end = length;
        while (first < end && text[first] == ' ')
            first++;
        while (end > first && text[end - 1] == ' ')
            end--;
        if (!find(l, arena_string(l->n->arena, text + first, end - first), l->axes->span))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

/* The names in place of the positions that stand there: "; write y". Shorter than that where some is none. */
static const char *positions_hint(const struct lookup *l)
{
    struct buf names = buf_new(l->n->arena);
    const int rank = l->dims->rank, count = l->axes->count;
    for (int i = 0; i < count; i++) {
        const struct literal *item = &l->axes->items[i];
        const int64_t at = (int64_t)item->integer + (item->integer < 0 ? rank : 0);
        if (item->kind != LITERAL_INTEGER || at < 0 || at >= rank)
            return "";
        buf_printf(&names, "%s%.40s", i ? ", " : "", l->dims->items[at].name);
    }
    return count ? arena_printf(l->n->arena, count > 1 ? "; write [%s]" : "; write %s", names.text) : "";
}

/* Items that are no names: on a named value integers mean nothing. */
static bool find_all(struct lookup *l)
{
    for (int i = 0; i < l->axes->count; i++) {
        const struct axis_name *name = l->axes->names ? &l->axes->names[i] : NULL;
        if (!name || !name->text)
            return wrong(l, DIAG_DIM_NAME, l->axes->span,
                         arena_printf(l->n->arena, "%s of a named value %s of its dimensions, and %s has %s%s",
                                      strcmp(l->what, "d") == 0 ? "the argument" : l->what,
                                      l->how == AXES_ONE ? "is the name of one" : "are names",
                                      names_text(l->n, l->of), dims_text(l), positions_hint(l)));
        if (!find(l, name->text, name->span))
            return false;
    }
    return true;
}

static bool find_named(struct lookup *l)
{
    if (!(l->axes->letters ? find_quoted(l) : find_all(l)))
        return false;
    if (l->how == AXES_ONE && l->count != 1)
        return wrong(l, DIAG_DIM_ROLE, l->axes->span,
                     arena_printf(l->n->arena, "%s is one dimension, and these are %d of %s", l->what, l->count,
                                  dims_text(l)));
    names_set_axes(l->n, l->axes, l->at, l->count, l->axes->span);
    return true;
}

/* ---- of what has no names ---- */

enum { MOST_MADE_UP = 4 };         /* names of dimensions */

/* Names that a positional value may have, among them those that axes say: "y, x". */
static const char *likely_names(struct naming *n, const struct numbers *axes, int rank)
{
    static const char *const usual[] = {"x", "y", "z", "w"};
    const char *names[WEFT_MAX_RANK];
    struct buf text = buf_new(n->arena);
    int count = 0, made = 0;
    for (int i = 0; i < axes->count && count < rank; i++)
        if (axes->names[i].text && dim_kind_of_word(axes->names[i].text) == DIM_KIND_COUNT)
            names[count++] = axes->names[i].text;
    while (count < rank && made < MOST_MADE_UP) { /* before those that are said */
        bool said = false;
        for (int i = 0; i < count; i++)
            said = said || strcmp(names[i], usual[made]) == 0;
        if (!said) {
            memmove(names + 1, names, (size_t)count++ * sizeof *names);
            names[0] = usual[made];
        }
        made++;
    }
    for (int i = 0; i < count; i++)
        buf_printf(&text, "%s%.40s%s", i ? ", " : "", names[i], strlen(names[i]) > 1 ? ":s" : "");
    return text.text;
}

/* How a value gets names: by its type, if it is an input, or in the text. */
static const char *naming_advice(struct naming *n, const struct numbers *axes, int of)
{
    const struct node *value = named_node(n->to, &n->to->nodes[of]);
    const char *text = names_text(n, of);
    const bool input = value->kind == NODE_NAME;
    const int rank = input ? symbol_rank(&n->to->symbols[value->symbol]) : -1;
    const char *names = likely_names(n, axes, rank > 0 ? rank : axes->count);
    if (rank > MOST_MADE_UP || !*names)
        return "";
    return input ? arena_printf(n->arena, "; to name them write named(%s, \"%s\"), or give a type besides: "
                                "'%s:(%s)=..' in the command, types={\"%s\": \"(%s)\"} in Python", text, names, text,
                                names, text, names)
                 : arena_printf(n->arena, "; to name them write named(%s, \"%s\")", text, names);
}

/* Reports a name among the axes of a positional value. */
static bool positional(struct naming *n, const struct numbers *axes, int of, const char *what, int i)
{
    const struct axis_name *name = &axes->names[i];
    const bool several = strcmp(what, "axes") == 0;
    const int symbol = program_symbol(n->from, name->text);
    const char *role = symbol < 0                                              ? "names no dimension"
                       : n->from->symbols[symbol].kind == SYMBOL_INPUT         ? "is an input"
                                                                               : "is no literal integer";
    return names_wrong(n, DIAG_VIEW_ARGUMENT, name->span, of,
                       arena_printf(n->arena, "%s %s in the text, as %s, and '%.40s' %s; %s has no names of dimensions"
                                    "%s", what, several ? "stand" : "stands",
                                    several ? "0, [0, 1] or \"HW\"" : "0 or \"W\"",
                                    name->text, role, names_text(n, of), naming_advice(n, axes, of)));
}

/* Axes of a value without names: numbers, names bound to numbers, letters of a layout. */
static bool find_numbers(struct naming *n, struct numbers *axes, int of, const char *what)
{
    for (int i = 0; axes->names && i < axes->count; i++)
        if (axes->names[i].text && axes->items[i].kind != LITERAL_INTEGER)
            return positional(n, axes, of, what, i);
    if (axes->letters && !layout_is_good(axes->letters))
        return names_wrong(n, DIAG_VIEW_ARGUMENT, axes->span, -1,
                           "axes in quotes are letters of the layout, as \"HW\"; numbers stand without quotes, as "
                           "[0, 1]");
    axes->names = NULL;
    return true;
}

bool names_axes(struct naming *n, struct numbers *axes, int of, struct value value, enum names_axes how,
                const char *what)
{
    struct lookup l = {.n = n, .axes = axes, .of = of, .dims = value.dims, .how = how, .what = what};
    if (!axes->given || n->to->nodes[of].kind == NODE_POISON)
        return true;
    if (value.sort == SORT_NAMED)
        return find_named(&l);
    if (value.sort == SORT_UNKNOWN && !n->last && (axes->names || axes->letters)) {
        for (int i = 0; axes->names && i < axes->count; i++)
            n->open = n->open || (axes->names[i].text && axes->items[i].kind != LITERAL_INTEGER);
        n->open = n->open || (axes->letters && !layout_is_good(axes->letters));
        return true;
    }
    return find_numbers(n, axes, of, what);
}
