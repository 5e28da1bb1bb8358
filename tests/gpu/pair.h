/* The same program in C and on the GPU: two contexts, arrays of one dimension in host memory. */
#ifndef WEFT_TEST_PAIR_H
#define WEFT_TEST_PAIR_H

#include "include/weft/weft.h"

enum { PAIR_INPUTS = 3 };

/* An array, the caller's. */
struct line {
    enum weft_dtype dtype;
    int64_t count;
    void *data;
};

/* Runs the text on inputs a, b and c into `out`, in a context of its own for the target with these fast
 * paths disabled ("": none); on the GPU as mirror.h has it. An error ends the test with its message. */
void pair_run(enum weft_target target, const char *disable, enum weft_math math, const char *text,
              const struct line *inputs, int input_count, const struct line *out);
/* The status of the same alone; *message, when not NULL, takes what was told, at most `size` bytes. */
enum weft_status pair_try(enum weft_target target, const char *text, const struct line *inputs,
                          int input_count, const struct line *out, char *message, size_t size);
/* Whether two elements are the same value: the same bits, or NaN and NaN. */
int pair_same(enum weft_dtype dtype, const void *a, const void *b);
/* Fails the test with the text and the place unless all elements are the same. */
void pair_compare(const char *text, const struct line *a, const struct line *b);

#endif
