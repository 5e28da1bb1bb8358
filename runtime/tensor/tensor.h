/* The caller's tensors: read, checked, compared, and packed. */
#ifndef WEFT_TENSOR_H
#define WEFT_TENSOR_H

#include "runtime/tensor/numbers.h"
#include "runtime/tensor/pack.h"

#include <string.h>

/* A tensor as the caller described it: strides resolved, in elements, 0 where an extent is 0 or 1. Of a
 * batch it is one sample after the other. */
struct tensor {
    enum weft_dtype dtype;
    int rank;                      /* NO_SHAPE: of a batch without samples, whose type says what is known */
    const int64_t *shape;
    int64_t *strides;
    void *data;
    uintptr_t first, end;          /* the bytes it touches, [first, end); equal when it has no element */
    bool dense;                    /* row-major without gaps */
    int device;                    /* 0: host memory; else one more than the GPU's number */
    bool pinned;                   /* host memory that a GPU can copy from by itself */
    unsigned char alignment;       /* bytes, where it is more than an element's; else 0 */
    size_t given;                  /* one more than the number of the argument for it; 0: none */
    const DLTensor *samples;       /* of a batch */
    bool batch;
    bool slab;                     /* a part of one that is as it was declared */
    int64_t *numbers;              /* [number_count] its elements where views take them as numbers: as */
    int number_count;              /* int64, the bits of a uint64 or of a double; else NULL */
};

enum { NO_SHAPE = -1 };

/* Reads the caller's DLTensor into a tensor that is zeroed, or held one of the same rank, and lives no
 * longer than diags->arena; `what` ("input") and `name` go into messages. */
bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags);
/* "on GPU 0", "in host memory"; lives no longer than diags->arena. */
const char *tensor_place(const struct tensor *tensor, struct diags *diags);
/* The diagnostics after `last` (NULL: all) are about this sample. */
void blame_sample(struct diags *diags, struct diag *last, int64_t i);

static inline bool same_numbers(const int64_t *a, const int64_t *b, int count)
{
    if (!a != !b)
        return false;
    for (int i = 0; a != b && i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Whether an element of the tensor may lie there. */
static inline bool tensor_aligned(const struct tensor *tensor, uintptr_t data)
{
    return !(data & (uintptr_t)(type_rows[tensor->dtype].size - 1)) &&
           (!tensor->alignment || data % tensor->alignment == 0);
}

/* Goes on to sample `i` of a batch, from sample i - 1, if it is like that one and nothing is wrong. */
static inline bool tensor_step(struct tensor *tensor, int64_t i, bool needs_data)
{
    const DLTensor *from = &tensor->samples[i], *before = from - 1;
    uintptr_t data = from->data ? (uintptr_t)from->data + from->byte_offset : 0;
    uintptr_t by = data - (uintptr_t)tensor->data;
    if (from->ndim != tensor->rank || memcmp(&from->dtype, &before->dtype, sizeof from->dtype) != 0 ||
        from->device.device_type != before->device.device_type ||
        from->device.device_id != before->device.device_id ||
        !same_numbers(from->shape, before->shape, tensor->rank) ||
        !same_numbers(from->strides, before->strides, tensor->rank) ||
        (needs_data && (!data || !tensor_aligned(tensor, data))))
        return false;
    tensor->data = (void *)data;
    tensor->first += by;
    tensor->end += by;
    return true;
}

/* What tensor_next found. */
enum next {
    NEXT_SAME,                     /* shape and strides are those of the sample before */
    NEXT_OTHER,
    NEXT_BAD                       /* reported */
};
/* Goes on to sample `i` in any case. */
enum next tensor_next(struct tensor *tensor, int64_t i, bool needs_data, const char *what,
                      const char *name, struct diags *diags);
bool tensors_same(const struct tensor *a, const struct tensor *b);
/* For tensors_overlap: of two whose ranges overlap, whether their elements may. */
bool tensors_meet(const struct tensor *a, const struct tensor *b);
/* Whether an element of one shares bytes with one of the other. Interleaved layouts whose offsets
 * never meet are told apart; what that cannot prove counts as overlapping. */
static inline bool tensors_overlap(const struct tensor *a, const struct tensor *b)
{
    return a->first != a->end && b->first != b->end && a->first < b->end && b->first < a->end &&
           tensors_meet(a, b);
}
bool tensor_overlaps_itself(const struct tensor *tensor);

#endif
