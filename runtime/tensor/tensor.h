/* The caller's tensors: read, checked, compared and packed. */
#ifndef WEFT_RUNTIME_TENSOR_TENSOR_H
#define WEFT_RUNTIME_TENSOR_TENSOR_H

#include "runtime/tensor/numbers.h"
#include "runtime/tensor/pack.h"

#include <string.h>

/* A tensor as the caller described it. Strides are resolved and count elements; they are 0 where the
 * extent is 0 or 1. For a batch it describes one sample at a time. */
struct tensor {
    enum weft_dtype dtype;
    int rank;                      /* NO_SHAPE for a batch without samples, of which only the declared
                                    * type is known */
    const int64_t *shape;
    int64_t *strides;
    void *data;
    uintptr_t first, end;          /* the bytes it touches, [first, end); equal when it has no element */
    bool dense;                    /* row-major without gaps */
    int device;                    /* 0: host memory; else one more than the GPU's number */
    bool pinned;                   /* page-locked host memory */
    unsigned char alignment;       /* in bytes, where more than the element's own is needed; else 0 */
    size_t given;                  /* one more than the index of the argument that gives it; 0: none yet */
    const DLTensor *samples;       /* the caller's tensors: the samples of a batch, or one */
    bool batch;
    bool slab;                     /* its samples are slabs of one large tensor, whose shape is the
                                    * declared one */
    bool number;                   /* the input's type is number */
    int64_t *numbers;              /* [number_count] the elements, where views take them as numbers; */
    int number_count;              /* int64, or the bits of a uint64 or a double; else NULL */
};

enum { NO_SHAPE = -1 };

/* Reads a DLTensor into a tensor, without touching its data. The tensor must be zeroed, or have held one
 * of the same rank. It lives no longer than diags->arena and refers to the caller's shape. `what`
 * ("input") and `name` are used in messages. False with a diagnostic. */
bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags);
/* Its shape; without dimensions if that is NO_SHAPE. */
struct shape tensor_shape(const struct tensor *tensor);
/* "on GPU 0", "in host memory"; lives no longer than diags->arena. */
const char *tensor_device_text(const struct tensor *tensor, struct diags *diags);
/* Adds "sample i: " to all diagnostics after `last` (NULL: to all). */
void blame_sample(struct diags *diags, struct diag *last, int64_t i);

/* Whether both lists are NULL, or neither is and their numbers are equal. */
static inline bool same_numbers(const int64_t *a, const int64_t *b, int count)
{
    if (!a != !b)
        return false;
    for (int i = 0; a != b && i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Whether the address is aligned as the tensor's elements must be. */
static inline bool tensor_aligned(const struct tensor *tensor, uintptr_t data)
{
    return !(data & (uintptr_t)(type_rows[tensor->dtype].size - 1)) &&
           (!tensor->alignment || data % tensor->alignment == 0);
}

/* The bits of an address on which alignment depends: that of elements, and on a GPU tensor_misalignment. Sizes and
 * alignments are powers of two. */
static inline unsigned char tensor_mask(const struct tensor *tensor)
{
    const int size = type_rows[tensor->dtype].size, most = size > tensor->alignment ? size : tensor->alignment;
    return (unsigned char)((most - 1) | (tensor->device ? 15 : 0));
}

/* The address modulo 16 of a tensor on a GPU, whose kernels load and store 16 bytes at once; 0 in host memory. */
static inline int tensor_misalignment(const struct tensor *tensor, uintptr_t data)
{
    return tensor->device ? (int)(data % 16) : 0;
}

/* Reads where the first element of a tensor lies that looks like this one; 0: there are no data. False if any element
 * lies beyond the end of memory. */
static inline bool tensor_address(const DLTensor *from, const struct tensor *tensor, uintptr_t *data)
{
    const uintptr_t below = (uintptr_t)tensor->data - tensor->first, above = tensor->end - (uintptr_t)tensor->data;
    *data = 0;
    return !from->data || (!__builtin_add_overflow((uintptr_t)from->data, from->byte_offset, data) && *data >= below &&
                           *data <= UINTPTR_MAX - above);
}

/* Moves from sample i - 1 of a batch on to sample `i`. False, and the tensor unchanged, if the samples
 * differ in more than their address or in its alignment on a GPU, or the address is NULL or not aligned. */
static inline bool tensor_step(struct tensor *tensor, int64_t i, bool needs_data)
{
    const DLTensor *from = &tensor->samples[i], *before = from - 1;
    uintptr_t data;
    if (!tensor_address(from, tensor, &data) || from->ndim != tensor->rank ||
        memcmp(&from->dtype, &before->dtype, sizeof from->dtype) != 0 ||
        from->device.device_type != before->device.device_type ||
        from->device.device_id != before->device.device_id ||
        !same_numbers(from->shape, before->shape, tensor->rank) ||
        !same_numbers(from->strides, before->strides, tensor->rank) ||
        tensor_misalignment(tensor, data) != tensor_misalignment(tensor, (uintptr_t)tensor->data) ||
        (needs_data && (!data || !tensor_aligned(tensor, data))))
        return false;
    const uintptr_t by = data - (uintptr_t)tensor->data;
    tensor->data = (void *)data;
    tensor->first += by;
    tensor->end += by;
    return true;
}

/* What tensor_next found. */
enum next {
    NEXT_SAME,                     /* only the address differs from the sample before */
    NEXT_OTHER,                    /* shape, strides or numbers differ: another plan may be needed */
    NEXT_BAD                       /* reported */
};
/* Moves on to sample `i` in any case, and reports one that no batch may have, such as another dtype or
 * device. */
enum next tensor_next(struct tensor *tensor, int64_t i, bool needs_data, const char *what,
                      const char *name, struct diags *diags);
/* Whether both have the same address, shape and strides, and elements of the same size. */
bool tensors_same(const struct tensor *a, const struct tensor *b);
/* For tensors_overlap only, on tensors whose byte ranges overlap: whether their elements may, too. */
bool tensors_meet(const struct tensor *a, const struct tensor *b);
/* Whether an element of one may share bytes with one of the other. Interleaved layouts, such as the even
 * and the odd columns of a buffer, are told apart by the greatest common divisor of their strides. What
 * that cannot prove counts as overlapping. */
static inline bool tensors_overlap(const struct tensor *a, const struct tensor *b)
{
    return a->first != a->end && b->first != b->end && a->first < b->end && b->first < a->end &&
           tensors_meet(a, b);
}
/* Whether two elements of the tensor may share bytes; true where this cannot be excluded. */
bool tensor_overlaps_itself(const struct tensor *tensor);

#endif
