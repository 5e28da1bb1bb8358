/* Views (section 7, and selections, rule 9.1): the shape each one gives. The rules are the same in a
 * text and in the library's calls on a tensor. */
#ifndef WEFT_VIEW_H
#define WEFT_VIEW_H

#include "compiler/check/shape.h"

/* What is viewed, and where: for the rules and their messages. */
struct viewed {
    const struct program *program; /* whose text spans are in; NULL: a call of the library */
    const char *name;              /* of the value, for messages */
    struct span place, operand;    /* of the view, of the value */
    const struct shape *shape;     /* NULL: not known */
    const struct shape *const *inputs;   /* of `program`, for arguments that are inputs */
    const struct contents *contents;     /* as for infer_shapes_of */
    enum weft_dtype dtype;         /* VIEW_REINTERPRET: WEFT_DTYPE_COUNT when it is not known */
};

/* The shape of a view; extents that are not known yet are EXTENT_UNKNOWN. NULL where nothing is known,
 * and, with *good = false and a diagnostic, when a rule is broken. */
const struct shape *view_shape(struct arena *arena, struct diags *diags,
                               const struct viewed *viewed, const struct view_args *args,
                               bool *good);
/* The dimensions, a bit each, that the axes of a good squeeze name among `rank`; false where they are not
 * known. */
bool view_axes(const struct view_args *args, const struct contents *contents, int rank,
               uint32_t *set);

/* What a selection does with a dimension of its operand. */
struct select_axis {
    int result;                    /* the dimension of the result that follows it; -1: none, an index dropped it */
    const struct item *item;       /* its index or slice; NULL: all of it */
};
/* For each dimension of an operand of `rank`; returns the result's rank, whose other dimensions are new extents
 * of 1. -1: there are more items than dimensions. */
int view_select_axes(const struct view_args *args, int rank, struct select_axis *axes);
/* Whether the dimension keeps its extent, whatever that is. */
bool item_keeps_extent(const struct item *item);

#endif
