/* Reuse: a costly value of each element that a reduction computes, such as the exponentials of a softmax, is needed
 * again by the kernel of a result. Where rows are short, the kernel that reduces them stores it, and the later one
 * loads it. The two take turns row by row, so what is stored is memory for the rows at hand, in a cache. */
#ifndef WEFT_COMPILER_IR_REUSE_H
#define WEFT_COMPILER_IR_REUSE_H

#include "compiler/ir/kernel_program.h"

/* Looks for values of kernel k, which reduces nothing, that earlier kernels compute. `loads` are the shapes of what it
 * reads. Which kernels take turns is not known here; where they do not, the temporaries are ordinary ones. */
void reuse_values(struct kernel_program *program, int k, const struct shape *const *loads);

#endif
