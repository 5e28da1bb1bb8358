/* Reductions as kernels whose iteration spaces are all parallel: the order of rule 11.4 spelled out, element by
 * element, with loads under bounded maps for what is absent. A slow path that needs nothing of targets; faster ones
 * have to give the same bits.
 *
 * Element i of the reduced dimensions, counted row-major, goes to lane i mod 16 of block i div 1024: 64 rows of 16
 * lanes a block. Rows are joined in order, then blocks in pairs, then lanes j and j + 8, j + 4, j + 2, j + 1. */
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H

#include "compiler/ir/kernel_program.h"

/* Kernel number k, the last one so far, all of whose dimensions are reduced, keeps its values in a temporary
 * instead, and kernels behind it join them. */
void reduce(struct kernel_program *program, int k);

#endif
