/* Makes kernels of a reduction, whose iteration spaces are all parallel. They spell out the order of rule 11.4 with
 * loads under bounded maps for elements that are absent. This is a slow path that asks nothing of targets. Faster ones
 * have to give the same bits.
 *
 * Element i of the reduced dimensions, counted row-major, goes to lane i mod 16 of block i div 1024. So a block has 64
 * rows of 16 lanes. Rows are joined in order, then blocks in pairs, then lanes j and j + 8, j + 4, j + 2, j + 1. */
#ifndef WEFT_COMPILER_IR_REDUCE_H
#define WEFT_COMPILER_IR_REDUCE_H

#include "compiler/ir/kernel_program.h"

/* Lowers the reduction of kernel k, the last one so far. If `fuse`, the kernel joins its values itself (struct lanes).
 * Else it stores them in a temporary, and kernels added behind it join them. */
void reduce(struct kernel_program *program, int k, bool fuse);

/* Adds a kernel that makes float64 of exact sums of 64-bit integers, rounded once, from the sums of their high and low
 * 32 bits. All three are temporaries. */
void add_total(struct kernel_program *program, int high, int low, int to, struct span span);
/* Adds kernels that store the row-major positions of all elements of a shape. Returns the temporary. */
int add_positions(struct kernel_program *program, const struct shape *shape, struct span span);
/* The same for the number of elements, an int64 without dimensions. */
int add_count(struct kernel_program *program, const struct shape *shape, struct span span);

#endif
