/* The caller's tensors: read, checked, compared. Data is never touched here. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

size_t weft_dtype_size(enum weft_dtype dtype)
{
    return (unsigned)dtype < WEFT_DTYPE_COUNT ? (size_t)type_rows[dtype].size : 0;
}

const char *weft_dtype_name(enum weft_dtype dtype)
{
    return (unsigned)dtype < WEFT_DTYPE_COUNT ? type_rows[dtype].name : NULL;
}

DLDataType weft_dtype_to_dlpack(enum weft_dtype dtype)
{
    DLDataType type = {0, 0, 0};
    if ((unsigned)dtype < WEFT_DTYPE_COUNT)
        type = (DLDataType){(uint8_t)type_rows[dtype].dlpack, (uint8_t)(8 * type_rows[dtype].size), 1};
    return type;
}

enum weft_status weft_dtype_from_dlpack(DLDataType type, enum weft_dtype *dtype)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT && type.lanes == 1; t++)
        if (type_rows[t].dlpack == type.code && 8 * type_rows[t].size == type.bits) {
            *dtype = (enum weft_dtype)t;
            return WEFT_OK;
        }
    return WEFT_UNSUPPORTED;
}

static bool bad(struct diags *diags, const char *what, const char *name, const char *why)
{
    return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, what, name, why);
}

bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags)
{
    if (!from)
        return bad(diags, what, name, "its DLTensor is NULL");
    if (from->device.device_type != kDLCPU && from->device.device_type != kDLCUDAHost)
        return bad(diags, what, name, "it is not in host memory");
    if (from->ndim < 0 || from->ndim > WEFT_MAX_RANK)
        return bad(diags, what, name, "its rank is not between 0 and 32");
    if (from->ndim > 0 && !from->shape)
        return bad(diags, what, name, "its shape is NULL");
    if (weft_dtype_from_dlpack(from->dtype, &tensor->dtype) != WEFT_OK)
        return bad(diags, what, name, "its dtype is none of Weft's");
    int64_t dense = 1, span = 0, reach;
    tensor->rank = from->ndim;
    tensor->shape = from->shape;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        int64_t extent = from->shape[d];
        tensor->strides[d] = from->strides ? from->strides[d] : dense;
        if (extent < 0)
            return bad(diags, what, name, "an extent is negative");
        if (extent <= 1)
            tensor->strides[d] = 0; /* never taken: any value is allowed */
        if (tensor->strides[d] == INT64_MIN)
            return bad(diags, what, name, "its strides reach further than memory does");
        if (__builtin_mul_overflow(dense, extent ? extent : 1, &dense) || dense > INT64_MAX / 16)
            return bad(diags, what, name, "it has more elements than memory can hold");
        if (__builtin_mul_overflow(extent ? extent - 1 : 0, llabs(tensor->strides[d]), &reach) ||
            __builtin_add_overflow(span, reach, &span) || span > INT64_MAX / 16)
            return bad(diags, what, name, "its strides reach further than memory does");
    }
    tensor->data = from->data ? (char *)from->data + from->byte_offset : NULL;
    bool empty = false;
    for (int d = 0; d < tensor->rank; d++)
        empty = empty || from->shape[d] == 0;
    if (needs_data && !empty && !tensor->data)
        return bad(diags, what, name, "its data pointer is NULL");
    if (needs_data && (uintptr_t)tensor->data % (uintptr_t)type_rows[tensor->dtype].size != 0)
        return bad(diags, what, name, "its data is not aligned to its element size");
    return true;
}

void tensor_range(const struct tensor *tensor, const char **first, const char **end)
{
    int64_t low = 0, high = 1;
    int size = type_rows[tensor->dtype].size;
    for (int d = 0; d < tensor->rank; d++) {
        int64_t reach = (tensor->shape[d] - 1) * tensor->strides[d];
        if (tensor->shape[d] == 0)
            high = low = 0;
        if (tensor->shape[d] == 0)
            break;
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    *first = (const char *)tensor->data + low * size;
    *end = (const char *)tensor->data + high * size;
}

bool tensor_is_dense(const struct tensor *tensor)
{
    int64_t dense = 1;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        if (tensor->shape[d] > 1 && tensor->strides[d] != dense)
            return false;
        dense *= tensor->shape[d] ? tensor->shape[d] : 1;
    }
    return true;
}

bool tensors_same(const struct tensor *a, const struct tensor *b)
{
    bool same = a->data == b->data && a->rank == b->rank &&
                type_rows[a->dtype].size == type_rows[b->dtype].size;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d] && (a->shape[d] == 1 || a->strides[d] == b->strides[d]);
    return same;
}

/* Sorts dimensions by the size of their stride; an injective layout has each stride at least as large
 * as what the smaller ones span. Layouts that interleave otherwise are taken as overlapping. */
bool tensor_overlaps_itself(const struct tensor *tensor)
{
    int order[WEFT_MAX_RANK], count = 0;
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->shape[d] == 0)
            return false;
        if (tensor->shape[d] == 1)
            continue;
        int64_t stride = llabs(tensor->strides[d]);
        int at = count++;
        for (; at > 0 && llabs(tensor->strides[order[at - 1]]) > stride; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    int64_t span = 1;
    for (int i = 0; i < count; i++) {
        int64_t stride = llabs(tensor->strides[order[i]]);
        if (stride < span)
            return true;
        span = stride * (tensor->shape[order[i]] - 1) + span;
    }
    return false;
}

/* Two tensors of one shape of strides whose offsets differ by less than a whole step never meet: the
 * even and the odd columns of one buffer, say. */
static bool interleaved(const struct tensor *a, const struct tensor *b)
{
    int64_t step = 0, size = type_rows[a->dtype].size;
    const struct tensor *both[2] = {a, b};
    for (int t = 0; t < 2; t++)
        for (int d = 0; d < both[t]->rank; d++) {
            int64_t x = llabs(both[t]->strides[d]) * type_rows[both[t]->dtype].size;
            if (both[t]->shape[d] <= 1)
                continue;
            while (x)  {
                int64_t rest = step % x;
                step = x;
                x = rest;
            }
        }
    int64_t other = type_rows[b->dtype].size;
    if (step == 0)
        return false;
    int64_t offset = ((const char *)b->data - (const char *)a->data) % step;
    offset += offset < 0 ? step : 0;
    return offset >= size && offset + other <= step;
}

bool tensors_overlap(const struct tensor *a, const struct tensor *b)
{
    const char *first_a, *end_a, *first_b, *end_b;
    tensor_range(a, &first_a, &end_a);
    tensor_range(b, &first_b, &end_b);
    if (first_a == end_a || first_b == end_b || end_a <= first_b || end_b <= first_a)
        return false;
    return !interleaved(a, b);
}
