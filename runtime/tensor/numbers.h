/* Inputs whose elements views take as numbers. */
#ifndef WEFT_NUMBERS_H
#define WEFT_NUMBERS_H

#include "compiler/check/check.h"

struct tensor;

bool reads_numbers(const struct program *program, int input);
/* Reads them; again for each sample of a batch. False with a diagnostic. */
bool numbers_read(struct tensor *tensor, const char *name, struct diags *diags);
/* Whether the data still hold what was read. */
bool numbers_same(const struct tensor *tensor);
/* For infer_shapes_of. */
const struct contents *numbers_contents(struct arena *arena, const struct program *program,
                                        const struct tensor *inputs);

#endif
