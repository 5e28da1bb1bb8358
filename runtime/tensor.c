/* The caller's tensors: read, checked, compared. Data is never touched here. */
#include "runtime/internal.h"

#include <limits.h>
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

/* One more than the dtype of a DLPack code and a size in bytes; 0: none of ours. */
static const unsigned char dlpack_dtypes[8][9] = {
#define TYPE(id, name, short_name, class, bits, fraction, compute, nearest, c, load, store, code)    \
    [code][sizeof(c)] = WEFT_##id + 1,
#include "grammar/types.def"
};

enum weft_status weft_dtype_from_dlpack(DLDataType type, enum weft_dtype *dtype)
{
    int found = type.code < 8 && type.bits <= 64 && type.bits % 8 == 0 && type.lanes == 1
                    ? dlpack_dtypes[type.code][type.bits / 8] : 0;
    if (found)
        *dtype = (enum weft_dtype)(found - 1);
    return found ? WEFT_OK : WEFT_UNSUPPORTED;
}

static bool bad(struct diags *diags, const char *what, const char *name, const char *why)
{
    return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, what, name, why);
}

/* What DLPack says of the memory; NULL, or what is wrong. */
static const char *read_device(const DLTensor *from, struct tensor *tensor)
{
    const DLDeviceType type = from->device.device_type;
    bool gpu = type == kDLCUDA || type == kDLCUDAManaged;
    tensor->pinned = type == kDLCUDAHost;
    tensor->device = gpu ? from->device.device_id + 1 : 0;
    if (gpu && (from->device.device_id < 0 || from->device.device_id == INT_MAX))
        return "its device_id is the number of no GPU";
    return gpu || tensor->pinned || type == kDLCPU
               ? NULL : "it is neither in host memory nor in that of a CUDA device";
}

const char *tensor_place(const struct tensor *tensor, struct diags *diags)
{
    return tensor->device ? arena_printf(diags->arena, "on GPU %d", tensor->device - 1) : "in host memory";
}

/* Strides, size and range of a tensor whose shape and dtype are good; NULL, or what is wrong. */
static const char *measure(const DLTensor *from, struct tensor *tensor)
{
    const int64_t most = INT64_MAX / 16; /* elements: their bytes can be counted, too */
    int64_t dense = 1, low = 0, high = 0, reach;
    bool empty = false;
    tensor->dense = true;
    for (int d = from->ndim - 1; d >= 0; d--) {
        int64_t extent = from->shape[d], stride = from->strides ? from->strides[d] : dense;
        if (extent < 0)
            return "an extent is negative";
        empty = empty || extent == 0;
        tensor->strides[d] = extent <= 1 ? 0 : stride;
        if (extent <= 1)
            continue;              /* its stride is never taken: any is allowed */
        tensor->dense = tensor->dense && stride == dense;
        if (__builtin_mul_overflow(dense, extent, &dense) || dense > most)
            return "it has more elements than memory can hold";
        if (__builtin_mul_overflow(extent - 1, stride, &reach) || reach > most || reach < -most)
            return "its strides reach further than memory does";
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
        if (high - low > most)
            return "its strides reach further than memory does";
    }
    uintptr_t data = (uintptr_t)tensor->data, size = (uintptr_t)type_rows[tensor->dtype].size;
    tensor->first = data + (uintptr_t)low * size;
    tensor->end = empty ? tensor->first : data + ((uintptr_t)high + 1) * size;
    return NULL;
}

bool tensor_read(const DLTensor *from, bool needs_data, const char *what, const char *name,
                 struct tensor *tensor, struct diags *diags)
{
    if (!from)
        return bad(diags, what, name, "its DLTensor is NULL");
    const char *wrong = read_device(from, tensor);
    if (wrong)
        return bad(diags, what, name, wrong);
    if (from->ndim < 0 || from->ndim > WEFT_MAX_RANK)
        return bad(diags, what, name, "its rank is not between 0 and 32");
    if (from->ndim > 0 && !from->shape)
        return bad(diags, what, name, "its shape is NULL");
    if (weft_dtype_from_dlpack(from->dtype, &tensor->dtype) != WEFT_OK)
        return bad(diags, what, name,
                   arena_printf(diags->arena,
                                "its dtype, DLPack's code %d, %d bits, %d lanes, is none of Weft's",
                                from->dtype.code, from->dtype.bits, from->dtype.lanes));
    tensor->rank = from->ndim;
    tensor->shape = from->shape;
    if (!tensor->strides)
        tensor->strides = ARENA_ARRAY(diags->arena, int64_t, tensor->rank);
    tensor->data = from->data ? (char *)from->data + from->byte_offset : NULL;
    wrong = measure(from, tensor);
    if (wrong)
        return bad(diags, what, name, wrong);
    if (needs_data && tensor->first != tensor->end && !tensor->data)
        return bad(diags, what, name, "its data pointer is NULL");
    if (needs_data && !tensor_aligned(tensor, (uintptr_t)tensor->data))
        return bad(diags, what, name,
                   tensor->alignment ? "its data is not aligned to the size of the elements that it is "
                                       "reinterpreted as, or of its own"
                                     : "its data is not aligned to its element size");
    return true;
}

static bool unlike(const struct tensor *tensor, int64_t i, const char *what, const char *name,
                   struct diags *diags)
{
    const DLTensor *from = &tensor->samples[i];
    enum weft_dtype dtype;
    if (from->ndim != tensor->rank)
        return diag_at(diags, DIAG_BATCH_UNLIKE, NULL, 0, what, name, (long long)i,
                       arena_printf(diags->arena, "rank %d", from->ndim),
                       arena_printf(diags->arena, "rank %d", tensor->rank));
    bool ours = weft_dtype_from_dlpack(from->dtype, &dtype) == WEFT_OK;
    return diag_at(diags, DIAG_BATCH_UNLIKE, NULL, 0, what, name, (long long)i,
                   ours ? arena_printf(diags->arena, "dtype %s", type_rows[dtype].name)
                        : "a dtype that is none of Weft's",
                   arena_printf(diags->arena, "dtype %s", type_rows[tensor->dtype].name));
}

void blame_sample(struct diags *diags, struct diag *last, int64_t i)
{
    for (struct diag *record = last ? last->next : diags->first; record; record = record->next)
        record->message = arena_printf(diags->arena, "sample %lld: %s", (long long)i, record->message);
}

enum next tensor_next(struct tensor *tensor, int64_t i, bool needs_data, const char *what,
                      const char *name, struct diags *diags)
{
    if (tensor_step(tensor, i, needs_data))
        return NEXT_SAME;
    const DLTensor *from = &tensor->samples[i], *before = from - 1;
    if (from->ndim != tensor->rank || memcmp(&from->dtype, &before->dtype, sizeof from->dtype) != 0) {
        unlike(tensor, i, what, name, diags);
        return NEXT_BAD;
    }
    struct diag *last = diags->last;
    const struct tensor first = *tensor;
    if (tensor_read(from, needs_data, what, name, tensor, diags)) {
        if (tensor->device == first.device)
            return NEXT_OTHER;
        diag_at(diags, DIAG_BATCH_DEVICE, NULL, 0, what, name, (long long)i, tensor_place(tensor, diags),
                tensor_place(&first, diags));
        return NEXT_BAD;
    }
    blame_sample(diags, last, i);
    return NEXT_BAD;
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

bool tensors_meet(const struct tensor *a, const struct tensor *b)
{
    return !interleaved(a, b);
}
