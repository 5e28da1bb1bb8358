/* Views (section 7) and selections (rule 9.1): the shape that each one gives. The same rules serve views in a text and
 * the library's calls on a tensor. */
#ifndef WEFT_COMPILER_CHECK_VIEW_H
#define WEFT_COMPILER_CHECK_VIEW_H

#include "compiler/check/shape.h"

/* The value that is viewed, and what messages about the view need. */
struct viewed {
    const struct program *program; /* the program whose text spans refer to; NULL: a call of the library */
    const char *name;              /* the value, for messages */
    struct span place, operand;    /* the view and the value in the text */
    const struct dims *dims;       /* the names of the value's dimensions, as it is written; NULL: it has none */
    const struct dims *joined;     /* those of concat's and stack's result, in whose order values are; or NULL */
    const struct shape *shape;     /* of the value; NULL: not known */
    const struct shape *const *inputs;   /* shapes of the program's inputs, for arguments that are inputs */
    const struct contents *contents;     /* as for infer_shapes */
    const struct size *sizes;      /* of the program's nodes up to here; NULL: there are no size expressions */
    const struct open_extents *open;     /* as for infer_shapes */
    enum weft_dtype dtype;         /* of the value, for VIEW_REINTERPRET; WEFT_DTYPE_COUNT when not known */
};

/* Returns the shape of a view of `count` values, several for concat, stack and take. Extents that are not known yet are
 * EXTENT_UNKNOWN. Returns NULL when nothing is known. Also returns NULL, with a diagnostic and *good = false, when a
 * rule is broken. */
const struct shape *view_shape(struct arena *arena, struct diags *diags, const struct viewed *viewed, int count,
                               const struct view_args *args, bool *good);
/* The arguments with the values of size expressions, as far as they are known, in place of their nodes; `args` itself
 * where there are none. NULL, with a diagnostic, where one has no value. */
const struct view_args *view_resolve(struct arena *arena, struct diags *diags, const struct viewed *viewed,
                                     const struct view_args *args);

/* What a view does with one dimension of its operand. */
struct view_axis {
    int result;                    /* the dimension of the result that it becomes; -1: an index dropped it */
    const struct item *item;       /* its index or slice; NULL: all of the dimension */
    int shift;                     /* roll: the number of its shift; -1: it has none */
};
/* Whether the view takes each dimension for itself: selections, transpose, flip, roll, broadcast_to. */
bool view_is_by_axes(enum view_kind kind);
/* Fills `axes` for each dimension of an operand of `rank` of such a view. Returns the rank of the result, whose other
 * dimensions are new; -1 where the view does not suit the rank, or is another one. */
int view_axes(const struct view_args *args, int rank, struct view_axis *axes);
/* Whether the positions in a list have equal steps. Sets the first of them and the step. `extent` is that of the
 * dimension; where it is open, a negative position beside others that are not is none. */
bool view_list_is_slice(const struct item *item, int64_t extent, int64_t *first, int64_t *step);
/* The extent that an `extent` of a value of this shape is. Returns false where there is no such dimension. */
bool view_extent_of(const struct view_args *args, const struct shape *shape, int64_t *extent);
/* Whether a slice (NULL: all of a dimension) keeps the extent, whatever that is. */
bool item_keeps_extent(const struct item *item);

/* The dimension along which values of this rank are joined. */
int view_join_axis(const struct view_args *args, int rank);
/* Adds a dimension of this extent to a shape. */
void view_join_insert(struct shape *shape, int axis, int64_t extent);

/* The dimension along which take reads a value of this rank. */
int view_take_axis(const struct view_args *args, int rank);
/* The dimensions of a value of this rank along which gather and sample read, where none is named the first `count`
 * ones. Returns how many there are. */
int gather_axes(const struct view_args *args, int rank, int count, int *at);
/* What lies outside along axis number i, without a mode that of sample; NULL: gather has none. */
const struct mode *gather_mode(const struct view_args *args, int i);
/* The shape of a value of which the positions' dimensions replace one. Its rank may be too great for it; then that is
 * all that is filled in. */
void view_taken(const struct shape *value, int axis, const struct shape *positions, struct shape *out);
/* The list of a selection that is no slice; NULL: it has none. It becomes dimension `axis` of the result, whose shape
 * is `out`; `all` is the same with all of the dimension of `in` that the list is for. */
const struct item *view_list_taken(const struct view_args *args, const struct shape *in, const struct shape *out,
                                   struct shape *all, int *axis);

/* ---- neighbours (section 10); the arguments are right ---- */

/* Whether the view is offset or pad. */
static inline bool view_is_neighbour(enum view_kind kind)
{
    return kind == VIEW_OFFSET || kind == VIEW_PAD;
}

/* Fills in the dimensions of a value of this rank along which they are, where none is named the last `last` ones.
 * Returns how many there are. */
int neighbour_axes(const struct view_args *args, int rank, int last, int *at);
/* What lies outside along axis number i. */
const struct mode *neighbour_mode(const struct view_args *args, int i);
/* Its offset or width. */
const struct literal *neighbour_number(const struct numbers *numbers, int i);

/* ---- rearranging (rule 9.2); the arguments are right, and `rank` is the operand's ---- */

/* The shapes by way of which tile and repeat read an operand of shape `in`. In `spread` a dimension that is repeated is
 * two, how often and its extent, in the order in which the elements stand in the result; `once` is the same with 1 for
 * how often. */
void view_spread(const struct view_args *args, const struct shape *in, struct shape *spread, struct shape *once);
/* How often each of the `rank` dimensions of the result of tile or repeat has the operand's elements, as an extent. */
void view_times(const struct view_args *args, int operand_rank, int rank, int64_t *times);

#endif
