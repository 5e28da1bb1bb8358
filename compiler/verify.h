/* The verifier between passes: what lowering and geometry promise, tested in builds with assertions.
 * Returns NULL, or what is broken. */
#ifndef WEFT_VERIFY_H
#define WEFT_VERIFY_H

#include "compiler/geometry.h"

const char *verify_program(const struct program *program);
const char *verify_kernel(const struct kernel *kernel);
const char *verify_geometry(const struct kernel *kernel, const struct geometry *geometry);

#endif
