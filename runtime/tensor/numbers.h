/* Inputs whose elements views take as numbers (rule 7.1), such as the extents of reshape(x, s). */
#ifndef WEFT_RUNTIME_TENSOR_NUMBERS_H
#define WEFT_RUNTIME_TENSOR_NUMBERS_H

#include "compiler/check/check.h"

struct tensor;

/* Whether a view of the program takes the elements of this input as numbers, or it is a number itself. */
bool reads_numbers(const struct program *program, int input);
/* The same for a tensor of this rank: of one with dimensions a size expression reads nothing. */
bool reads_of_rank(const struct program *program, int input, int rank);
/* Reads the elements into tensor->numbers, from diags->arena. Called again for each sample of a
 * batch; all samples must hold equally many. tensor->number is set. False with a diagnostic. */
bool numbers_read(struct tensor *tensor, const char *name, struct diags *diags);
/* Whether the data still hold the numbers that were read. */
bool numbers_same(const struct tensor *tensor);
/* The numbers of all inputs as infer_shapes takes them, in the arena; NULL if the program
 * reads none. */
const struct contents *numbers_contents(struct arena *arena, const struct program *program,
                                        const struct tensor *inputs);

/* The value of an input of type number that was read. In a kernel (`real`) it is a real. */
struct literal number_value(const struct tensor *tensor, bool real);

#endif
