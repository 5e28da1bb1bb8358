/* Reads, checks and compares the caller's tensors; see tensor.h. Their data are never touched here. */
#include "runtime/tensor/tensor.h"

#include <limits.h>
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
    return (unsigned)dtype < WEFT_DTYPE_COUNT
               ? (DLDataType){(uint8_t)type_rows[dtype].dlpack, (uint8_t)(8 * type_rows[dtype].size), 1}
               : (DLDataType){0, 0, 0};
}

/* One more than the dtype of a DLPack code and a size in bytes; 0: Weft has no such dtype. */
static const unsigned char dlpack_dtypes[8][9] = {
#define TYPE(id, name, short_name, class, bits, fraction, compute, nearest, c, load, store, code)    \
    [code][sizeof(c)] = WEFT_##id + 1,
#include "grammar/types.def"
};

enum weft_status weft_dtype_from_dlpack(DLDataType type, enum weft_dtype *dtype)
{
    const bool fits = type.code < sizeof dlpack_dtypes / sizeof *dlpack_dtypes && type.bits <= 64;
    int found = fits && type.bits % 8 == 0 && type.lanes == 1 ? dlpack_dtypes[type.code][type.bits / 8] : 0;
    if (found)
        *dtype = (enum weft_dtype)(found - 1);
    return found ? WEFT_OK : WEFT_UNSUPPORTED;
}

static bool bad(struct diags *diags, const char *what, const char *name, const char *why)
{
    return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, what, name, why);
}

/* Reads where DLPack says that the memory lies. Returns NULL, or what is wrong. */
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

struct shape tensor_shape(const struct tensor *tensor)
{
    struct shape shape = {.rank = tensor->rank};
    for (int d = 0; d < tensor->rank; d++)
        shape.extents[d] = tensor->shape[d];
    return shape;
}

const char *tensor_device_text(const struct tensor *tensor, struct diags *diags)
{
    return tensor->device ? arena_printf(diags->arena, "on GPU %d", tensor->device - 1) : "in host memory";
}

#define SHARED static
#define OVERFLOWS(a, b, product) __builtin_mul_overflow(a, b, product)
#include "templates/shared/tensor.c"

/* Computes strides, density and byte range of a tensor whose rank and dtype are good. Returns NULL, or
 * what is wrong. */
static const char *measure(const DLTensor *from, struct tensor *tensor)
{
    struct reach reach;
    const char *wrong = tensor_reach(from->ndim, from->shape, from->strides, tensor->strides, &reach);
    const uintptr_t size = (uintptr_t)type_rows[tensor->dtype].size;
    uintptr_t data;
    tensor->data = NULL;
    tensor->dense = reach.dense;
    tensor->first = reach.empty ? 0 : (uintptr_t)reach.low * size;
    tensor->end = reach.empty ? 0 : ((uintptr_t)reach.high + 1) * size;
    if (!wrong && !tensor_address(from, tensor, &data))
        wrong = "its data reach beyond the end of memory";
    if (wrong)
        return wrong;
    tensor->data = (void *)data;
    tensor->first += data;
    tensor->end += data;
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
    wrong = measure(from, tensor);
    if (wrong)
        return bad(diags, what, name, wrong);
    if (needs_data && tensor->first != tensor->end && !tensor->data)
        return bad(diags, what, name, "its data pointer is NULL");
    return !needs_data || tensor_aligned(tensor, (uintptr_t)tensor->data) ||
           bad(diags, what, name,
               tensor->alignment ? "its data is not aligned to the size of the elements that it is "
                                   "reinterpreted as, or of its own"
                                 : "its data is not aligned to its element size");
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
        record->message = arena_printf(diags->arena, "sample %lld: %s%s", (long long)i, record->message,
                                       record->apart ? record->apart : "");
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
    if (!tensor_read(from, needs_data, what, name, tensor, diags))
        blame_sample(diags, last, i);
    else if (tensor->device == first.device)
        return NEXT_OTHER;
    else
        diag_at(diags, DIAG_BATCH_DEVICE, NULL, 0, what, name, (long long)i, tensor_device_text(tensor, diags),
                tensor_device_text(&first, diags));
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

bool tensor_overlaps_itself(const struct tensor *tensor)
{
    return lies_on_itself(tensor->rank, tensor->shape, tensor->strides);
}

bool tensors_meet(const struct tensor *a, const struct tensor *b)
{
    const int64_t size = type_rows[a->dtype].size, other = type_rows[b->dtype].size;
    const int64_t step = common_step(a->rank, a->shape, a->strides, size, 0);
    return !never_meet((const char *)b->data - (const char *)a->data,
                       common_step(b->rank, b->shape, b->strides, other, step), size, other);
}
