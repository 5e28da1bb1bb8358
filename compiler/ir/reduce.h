/* Makes kernels of a reduction, whose iteration spaces are all parallel. They spell out the order of rule 11.4 with
 * loads under bounded maps for elements that are absent. This is a slow path that asks nothing of targets. Faster ones
 * have to give the same bits.
 *
 * Element i of the reduced dimensions, counted row-major, goes to lane i mod 16 of block i div 1024. So a block has 64
 * rows of 16 lanes. Rows are joined in order, then blocks in pairs, then lanes j and j + 8, j + 4, j + 2, j + 1. */
#ifndef WEFT_COMPILER_IR_REDUCE_H
#define WEFT_COMPILER_IR_REDUCE_H

#include "compiler/ir/kernel_program.h"

/* Who joins what a kernel computes. */
enum joiner {
    JOIN_KERNELS,                  /* kernels behind it, from a temporary in which it stores its values */
    JOIN_TILES,                    /* the kernel itself, tile by tile (struct lanes); further kernels where several
                                      tiles have elements of the same result */
    JOIN_THREADS                   /* the same for a GPU: the threads of a block */
};

/* Lowers the reduction of kernel k, the last one so far. */
void reduce(struct kernel_program *program, int k, enum joiner joiner);

/* reduce_results.c: where results would only be copies of what kernels join, these kernels store them: `dense` ones, or
 * of one element. To be called once all kernels are there. */
void store_results(struct kernel_program *program, bool dense);

/* templates/shared/lanes.c, which sources made ahead of time carry, too. `block`: BLOCK_ELEMENTS; or LANE_COUNT to join
 * what tiles left. */
struct lane_tiles deal_lanes(int64_t points, int64_t elements, int64_t inner, bool ordered, int64_t block);
int64_t lanes_left(int64_t points, int64_t elements, int64_t inner, bool ordered);
/* For a GPU's blocks of `threads` threads, each of which has up to `deepest` nodes. */
struct lane_tiles deal_block(int64_t points, int64_t elements, int64_t inner, int threads, bool partial,
                             int64_t deepest);
int64_t threads_left(int64_t points, int64_t elements, int64_t inner, int threads);

/* reduce_equal.c: whether two kernels whose values are to be joined compute the same ones, and these are joined in the
 * same way. b comes later. */
bool reductions_equal(const struct program_kernel *a, const struct program_kernel *b);

/* reduce_beside.c: moves kernels that cut what they reduce into the same tiles behind each other. */
void sort_reductions(struct kernel_program *program);
/* Whether both cut it into the same tiles, several of a point. */
bool lanes_match(const struct lanes *a, const struct lanes *b);
/* Whether a kernel stores this temporary; whether it loads one that another kernel stores. */
bool kernel_stores(const struct kernel *kernel, int temporary);
bool kernel_loads_from(const struct kernel *kernel, const struct kernel *from);

/* For JOIN_THREADS: whether so few elements are reduced that a thread joins them all. Then every parallel dimension is
 * to be inner. `inner`: the number of elements in the innermost dimensions that are parallel. */
bool results_are_inner(int64_t elements, int64_t inner);

/* Adds a kernel that makes float64 of exact sums of 64-bit integers, rounded once, from the sums of their high and low
 * 32 bits. All three are temporaries. */
void add_total(struct kernel_program *program, int high, int low, int to, struct span span);

#endif
