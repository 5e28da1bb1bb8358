/* Samples for tests of batches: tensors of any layout with their own memory, and calls on them. What goes
 * wrong outside the thing under test ends the test. */
#ifndef WEFT_SAMPLES_H
#define WEFT_SAMPLES_H

#include "include/weft/weft.h"

enum { MAX_SAMPLES = 40, SAMPLE_RANK = 5, MAX_OPERANDS = 6 };

/* An input or output: samples of a batch, or one tensor. */
struct operand {
    const char *name;
    bool batch;
    int64_t count;
    enum weft_dtype dtype;
    DLTensor tensors[MAX_SAMPLES];
    int64_t shapes[MAX_SAMPLES][SAMPLE_RANK], strides[MAX_SAMPLES][SAMPLE_RANK];
    char *memory[MAX_SAMPLES];     /* owned; NULL where it is another's */
    size_t size[MAX_SAMPLES];
};

void random_seed(uint32_t seed);
uint32_t random_below(uint32_t bound);

/* Adds a sample of this shape. Dense, or with strides of any kind. Filled by fill. */
void operand_add(struct operand *operand, int rank, const int64_t *shape, bool dense);
/* Adds a sample that is the very buffer of another operand's. */
void operand_share(struct operand *operand, const struct operand *from, int64_t sample);
/* Random elements: small whole numbers, zero among them. */
void operand_fill(struct operand *operand, int64_t sample);
void operand_free(struct operand *operand);

struct weft_argument operand_argument(const struct operand *operand);
/* Of a batch one sample, as a tensor. */
struct weft_argument sample_argument(const struct operand *operand, int64_t sample);
/* Whether a sample's elements are those of another operand's sample, bit for bit. */
bool samples_equal(const struct operand *a, int64_t i, const struct operand *b, int64_t j);
DLTensor host_tensor(void *data, enum weft_dtype dtype, int rank, int64_t *shape);

#endif
