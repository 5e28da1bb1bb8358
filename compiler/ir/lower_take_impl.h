/* What the files of taking share: lower_take.c finds elements by numbers, lower_gather.c has positions under modes and
 * what lies between elements. */
#ifndef WEFT_COMPILER_IR_LOWER_TAKE_IMPL_H
#define WEFT_COMPILER_IR_LOWER_TAKE_IMPL_H

#include "compiler/ir/lower_impl.h"

/* A taken step. */
struct taking {
    struct lowering *l;
    const struct node *node;       /* a NODE_TAKE, or a selection with a list */
    const struct item *list;       /* of the selection; NULL: it is a NODE_TAKE */
    const struct shape *from, *to; /* of the result, and of what is taken from */
    int axes[WEFT_MAX_RANK], axis_count; /* dimensions of `to` that have positions, a bit for each in `set`; */
    uint32_t set;
    int first, rank;               /* in place of them the result has `rank` dimensions from `first` on */
    int corner;                    /* of sample: a bit for each axis, 1: the element behind the coordinate */
    int parent;                    /* the map of the result */
};

/* ---- lower_take.c ---- */

/* The taken step that is map number `map`. */
struct taking taking_of(struct lowering *l, int map);
/* The map of what varies along `count` dimensions of the result alone, from dimension `first` on, and has these
 * dimensions. -1: there are too many maps. */
int taken_along(const struct taking *t, int first, int count);
/* The map of the taken step of a corner. */
int take_step(struct lowering *l, const struct node *node, int map, int corner);
/* Instructions on int64: an operation, a literal, an extent, `a` where the condition holds and else `b`. */
int taken_op(const struct taking *t, enum op op, int a, int b);
int taken_literal(const struct taking *t, int64_t value);
int taken_extent(const struct taking *t, int64_t extent);
int taken_choice(const struct taking *t, int condition, int a, int b);
/* The map of the positions along axis number a. */
int positions_map(const struct taking *t, int a);
/* Whether the value is the load of the element at `number`, and not what a reduction of one element makes of it: there
 * the number is used outside of the reduction, so in the arm that this stands in. */
bool takes_alone(const struct lowering *l, int value, int number);

/* ---- lower_gather.c ---- */

/* How many elements are taken for one of the result: 1, or of sample those around the coordinates. */
int take_corners(const struct lowering *l, const struct node *node);
/* Whether what lies outside comes from modes, and the value then. */
bool take_has_modes(const struct lowering *l, const struct node *node);
int gathered_value(struct lowering *l, const struct node *node);
/* The position along axis number a under its mode; -1: a number lies there. */
int moded_position(const struct taking *t, int a);

#endif
