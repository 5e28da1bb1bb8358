/* Makes kernels of a reduction, whose iteration spaces are all parallel. They spell out the order of rule 11.4 with
 * loads under bounded maps for elements that are absent. This is a slow path that asks nothing of targets. Faster ones
 * have to give the same bits.
 *
 * Element i of the reduced dimensions, counted row-major, goes to lane i mod 16 of block i div 1024. So a block has 64
 * rows of 16 lanes. Rows are joined in order, then blocks in pairs, then lanes j and j + 8, j + 4, j + 2, j + 1. */
#ifndef WEFT_COMPILER_IR_REDUCE_H
#define WEFT_COMPILER_IR_REDUCE_H

#include "compiler/ir/kernel_program.h"

/* Lowers the reduction of kernel k, the last one so far, all of whose dimensions are reduced. The kernel now stores its
 * values in a temporary, and the kernels added behind it join them. */
void reduce(struct kernel_program *program, int k);

#endif
