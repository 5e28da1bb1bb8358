/* A value of the command line: a literal of the language, a file, or a .npy on standard input. */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "cli/arguments.h"
#include "cli/tensor.h"

/* What the language reads as one literal expression, true, false or an array literal. */
bool value_is_literal(struct report *report, const char *text);

/* The tensor a literal stands for, of dtype `wanted`, converted as a cast does, or of its own where
 * `wanted` is WEFT_DTYPE_COUNT. */
bool value_evaluate(struct report *report, const char *text, enum weft_dtype wanted,
                    struct tensor *tensor);

/* A path or "-". `value` points into an argument. */
bool value_read(struct report *report, const char *value, struct tensor *tensor);

#endif
