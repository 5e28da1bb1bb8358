/* The caller's tensors, as far as kernels and their loops are concerned. */
#ifndef WEFT_COMPILER_IR_OPERANDS_H
#define WEFT_COMPILER_IR_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

struct strided {
    int rank;
    const int64_t *extents;
    const int64_t *strides;        /* in elements; NULL: dense and row-major */
    bool by_value;                 /* its one element is passed by value, so no map matters */
    int misalignment;              /* its address modulo 16, where the target computes in chunks */
};

/* By position. Where `results` is NULL they are dense. */
struct operands {
    const struct strided *inputs, *results;
};

#endif
