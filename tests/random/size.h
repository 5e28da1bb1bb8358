/* Size expressions in random programs (rule 1.10): an integer of a view may be written as an expression over inputs
 * that every program could have. The model of the program knows nothing of them, since their values are known. */
#ifndef WEFT_RANDOM_SIZE_H
#define WEFT_RANDOM_SIZE_H

#include <stddef.h>
#include <stdint.h>

enum { SIZE_INPUTS = 4 };

/* An input that size expressions are made of; the last is a number (rule 2.7), except in a kernel. */
struct size_input {
    const char *name, *type;
    const void *value;
};
extern const struct size_input size_inputs[SIZE_INPUTS];

/* Writes an integer: as it is, or as a size expression that has its value. `manner` chooses. Returns its length. */
int size_print(char *text, size_t size, int64_t value, unsigned manner);
/* Whether a text uses the input. */
int size_is_used(const char *text, int input);

#endif
