/* Reductions as kernels whose iteration spaces are all parallel: the order of rule 11.4 spelled out, element by
 * element, with loads under bounded maps for what is absent. A slow path that needs nothing of targets; faster ones
 * have to give the same bits.
 *
 * Of element i of the operand, counted row-major, lane i mod 16 of block i div 1024 is made: 64 rows of 16 lanes a
 * block. Rows are joined in order, then blocks in pairs, then lanes j and j + 8, j + 4, j + 2, j + 1. */
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H

#include "compiler/ir/kernel.h"

enum {
    REDUCE_LANES = 16,
    REDUCE_BLOCK = 1024,           /* elements that are joined in lanes, one after the other */
    REDUCE_STEP = 16               /* rows of a block, or blocks, that one kernel joins */
};

/* What joins elements that a temporary holds. */
struct reduce {
    struct arena *arena;
    const struct program *program;
    enum reduction reduction;
    enum weft_dtype dtype;         /* of the elements and of what they are joined to */
    struct span span;              /* of the reduction in the text */
};

/* Rows of lanes that a kernel joins: REDUCE_STEP of them. */
struct reduce_rows {
    int from, to;                  /* temporaries: that they are read from, that the kernel stores */
    int before;                    /* a temporary of the kernel's space that they are joined to; -1: none */
    const struct shape *own;       /* of `from`: [elements], or [blocks, lanes] */
    const struct shape *space;     /* the kernel's: [groups, lanes] */
    const struct shape *rows;      /* [groups, rows of each, lanes] */
    const struct shape *padded;    /* the same in the dimensions of `own` */
    int first;                     /* row of each group */
    bool pairs;                    /* joined in pairs, else in order */
};
struct kernel *reduce_rows(const struct reduce *r, const struct reduce_rows *rows);

/* The lanes of one block, [1, lanes], become one value, of type `to_dtype` in temporary `to`. `elements` [n]: where
 * there may be none of temporary `first`, a float's zero has the sign of an empty sum; NULL: there are some. */
struct kernel *reduce_lanes(const struct reduce *r, int from, const struct shape *own, int to,
                            enum weft_dtype to_dtype, int first, const struct shape *elements);
/* What no elements give. */
struct kernel *reduce_nothing(const struct reduce *r, int to, enum weft_dtype to_dtype);

#endif
