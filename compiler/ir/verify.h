/* Verifies between passes what checking and lowering promise, in builds with assertions. All functions return NULL, or
 * a text that says what is broken. */
#ifndef WEFT_COMPILER_IR_VERIFY_H
#define WEFT_COMPILER_IR_VERIFY_H

#include "compiler/ir/kernel_program.h"

const char *verify_program(const struct program *program);
const char *verify_kernel(const struct kernel *kernel);
/* All kernels, and that each temporary is stored, or reduced, before it is read. */
const char *verify_kernels(const struct kernel_program *program);

#endif
