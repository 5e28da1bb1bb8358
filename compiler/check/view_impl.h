/* What the files compiler/check/view*.c share: the state while the shape of one view is worked out. */
#ifndef WEFT_COMPILER_CHECK_VIEW_IMPL_H
#define WEFT_COMPILER_CHECK_VIEW_IMPL_H

#include "compiler/check/view.h"

struct view_walk {
    struct arena *arena;
    struct diags *diags;
    const struct viewed *viewed;   /* [count] */
    int count;
    const struct view_args *args;
    struct shape *out;
    int rest;                      /* the dimension whose extent is what is left; -1: none */
};

/* The numbers of one argument. */
struct view_list {
    const struct numbers *from;
    const char *what;              /* the argument's name */
    const char *input;             /* the name of the input that holds the numbers, or NULL */
    int count;                     /* -1: not known */
    const struct literal *items;   /* NULL: not known */
};

/* The places to report when a rule is broken: the argument and the value. */
struct view_places {
    struct span spans[2];
    int count;
};

/* ---- view_numbers.c ---- */

/* The places for a message about an argument, or about the view where `numbers` is NULL or was not given. */
struct view_places view_places_of(const struct view_walk *w, const struct numbers *numbers);
/* Reports DIAG_VIEW_EXTENT, _AXIS or _RANK, or one of selections, and returns false. */
#define view_wrong(w, id, numbers, ...) \
    diag_at((w)->diags, id, view_places_of(w, numbers).spans, view_places_of(w, numbers).count, \
            arena_printf((w)->arena, __VA_ARGS__))

/* The value with its shape, as "x [2, 3]" or "x (y:s=2, x:s=3)". */
const char *view_value_text(const struct view_walk *w);
/* Dimension d of it, as "dimension 0" or "dimension x". */
const char *view_dim_text(const struct view_walk *w, int d);
/* The name of number `i`: "shape[1]", or "s[1]" if it comes from an input s. */
const char *view_item_name(const struct view_walk *w, const struct view_list *list, int i);
/* The number itself. */
const char *view_item_text(const struct view_walk *w, const struct literal *item);
/* Reads what is known of an argument's numbers. This and the next two return false, with a
 * diagnostic, when something is wrong. */
bool view_read_list(const struct view_walk *w, const struct numbers *numbers, const char *what,
                    struct view_list *list);
/* Number `i`, which must be an integer that fits int64. */
bool view_whole(const struct view_walk *w, const struct view_list *list, int i, int64_t *value);
/* Number `i` as a factor of an extent, which must be finite. */
bool view_factor(const struct view_walk *w, const struct view_list *list, int i, double *value);
/* Computes an extent, as extent_by does. */
#define view_compute(w, ...) extent_by((w)->viewed->open, __VA_ARGS__)
/* Whether a fact about extents may be true: extent_require at the place of the view. The note comes last. */
#define view_holds(w, fact, ...) extent_require((w)->viewed->open, fact, (w)->viewed->place, __VA_ARGS__)
/* Sets an extent of the result. A call ends with this note where it turns out that there is none. */
void view_set_extent(struct view_walk *w, int d, int64_t extent, const char *note);
/* Says that nothing is known of the shape. Returns true. */
bool view_unknown(struct view_walk *w);
/* Makes a shape of this rank with all extents unknown. */
void view_unknown_extents(struct shape *shape, int rank);

/* These compute the shape w->out, NULL where it is not known. They return false, with a diagnostic, where a rule is
 * broken. */
#define VIEW(id, name, parameters, kinds, required, node, shape, ...) bool view_##shape(struct view_walk *w);
#include "grammar/views.def"

/* ---- axes.c ---- */

/* Reads which of `rank` dimensions the axes name, each once, negative ones from the end if `from_end` (rule 9.5): a bit
 * for each in *set, and where `at` is not NULL, their positions as they are written. False, with a diagnostic, where
 * one is wrong. */
bool view_read_axes(const struct view_walk *w, const struct view_list *axes, int rank, bool from_end, int *at,
                    uint32_t *set);

/* ---- view_rearrange.c ---- */

/* Reads integers, none of which is negative unless `least` is NULL; it says what the least one is. False, with a
 * diagnostic, where one is wrong. */
bool view_read_whole(const struct view_walk *w, const struct numbers *numbers, const char *what, const char *least,
                     struct view_list *list);

/* ---- view_select.c ---- */

/* view_axes for a selection. */
int view_selected_axes(const struct view_args *args, int rank, struct view_axis *axes);
bool view_extent(struct view_walk *w);

#endif
