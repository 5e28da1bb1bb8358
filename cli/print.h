/* Results as text: `name: type = value`, values as the language writes them, so that what is
 * printed whole reads back as the same bits. Long tensors are shortened to their edges.
 *
 * Invariant: the number of values printed is bounded, whatever the shape. */
#ifndef WEFT_CLI_PRINT_H
#define WEFT_CLI_PRINT_H

#include "cli/tensor.h"

/* A dense row-major tensor. Small memory comes from the arena. */
void print_tensor(FILE *file, struct arena *arena, const char *name, const struct tensor *tensor);

#endif
