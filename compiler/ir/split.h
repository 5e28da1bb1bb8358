/* Splitting: where joins (concat, stack) choose among their values by position, where roll goes round, and where
 * neighbours lie outside, other loads matter on each side. A kernel over so many elements that it pays becomes several,
 * each over a box of its iteration space. There masks are constants, positions pass no end, and only the loads that
 * matter are left, mostly with plain strides. Bits and remarks do not change: each element is computed by the same
 * instructions. */
#ifndef WEFT_COMPILER_IR_SPLIT_H
#define WEFT_COMPILER_IR_SPLIT_H

#include "compiler/ir/kernel_program.h"

/* Adds the kernel to the program, or in its place those that it is split into. It stores results, and its extents are
 * numbers. */
void split_kernel(struct kernel_program *program, const struct program_kernel *whole);

/* The weight of a load over this space, in vector instructions on a block, whose elements are found by number. */
int64_t found_weight(const struct shape *space);

#endif
