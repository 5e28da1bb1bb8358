/* Verifies between passes what checking and lowering promise, in builds with assertions. Both functions return NULL, or
 * a text that says what is broken. */
#ifndef WEFT_COMPILER_IR_VERIFY_H
#define WEFT_COMPILER_IR_VERIFY_H

#include "compiler/ir/kernel.h"

const char *verify_program(const struct program *program);
const char *verify_kernel(const struct kernel *kernel);

#endif
