/* Results as text: `name: type = value`, values as the language writes them, so that what is
 * printed whole reads back as the same bits. Long tensors are shortened to their edges.
 *
 * Invariant: the number of values printed as text is bounded, whatever the shape or the number of samples. */
#ifndef WEFT_CLI_PRINT_H
#define WEFT_CLI_PRINT_H

#include "cli/values/value.h"

/* A dense row-major tensor. Small memory comes from the pool. */
void print_tensor(FILE *file, struct pool *pool, const char *name, const struct tensor *tensor);
/* A result, or a batch: what it is, then the samples at its ends under their keys:
 *     out: float32, 2 samples
 *     a: float32[2] = [1.0, 2.0]
 *     b: float32[1] = [0.5] */
void print_result(struct report *report, FILE *file, const char *name, const struct value *value,
                  enum weft_dtype dtype);

/* The same as an object of JSON, whole: name, dtype, type, shape and value, in which "nan", "inf" and "-inf" are texts;
 * of a batch a list of samples with keys. Without a newline at its end. */
void print_result_json(FILE *file, struct pool *pool, const char *name, const struct value *value,
                       enum weft_dtype dtype);

#endif
