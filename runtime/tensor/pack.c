/* Packing and unpacking of strided elements, run by run along the innermost dimension; see pack.h. */
#include "runtime/tensor/tensor.h"

#include <string.h>

/* A position in the dimensions that have a stride, outermost first. */
struct odometer {
    int rank;
    int64_t extents[WEFT_MAX_RANK], strides[WEFT_MAX_RANK]; /* strides in bytes */
    int64_t at[WEFT_MAX_RANK];
    int64_t offset;                /* bytes from the first element */
};

static bool is_walked(const struct tensor *tensor, int d)
{
    return tensor->shape[d] == 0 || tensor->strides[d] != 0;
}

size_t pack_size(const struct tensor *tensor)
{
    size_t size = (size_t)type_rows[tensor->dtype].size;
    for (int d = 0; d < tensor->rank; d++)
        size *= is_walked(tensor, d) ? (size_t)tensor->shape[d] : 1;
    return size;
}

void pack_strides(const struct tensor *tensor, int64_t *strides)
{
    int64_t dense = 1;
    for (int d = tensor->rank - 1; d >= 0; d--) {
        strides[d] = tensor->strides[d] ? dense : 0;
        dense *= is_walked(tensor, d) ? tensor->shape[d] : 1;
    }
}

/* Sets the odometer to element number `index`. It gets at least one dimension. */
static void stand(struct odometer *o, const struct tensor *tensor, int64_t index)
{
    o->rank = 0;
    o->offset = 0;
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->strides[d]) {
            o->extents[o->rank] = tensor->shape[d];
            o->strides[o->rank++] = tensor->strides[d] * type_rows[tensor->dtype].size;
        }
    if (!o->rank) {
        o->extents[0] = o->rank = 1;
        o->strides[0] = 0;
    }
    for (int d = o->rank - 1; d >= 0; d--) {
        o->at[d] = index % o->extents[d];
        index /= o->extents[d];
        o->offset += o->at[d] * o->strides[d];
    }
}

/* Advances by `count` elements, at most to the end of the innermost dimension. */
static void step(struct odometer *o, int64_t count)
{
    int d = o->rank - 1;
    o->at[d] += count;
    o->offset += count * o->strides[d];
    for (; d > 0 && o->at[d] == o->extents[d]; d--) {
        o->offset += o->strides[d - 1] - o->extents[d] * o->strides[d];
        o->at[d] = 0;
        o->at[d - 1]++;
    }
}

/* Copies elements of one size, each a stride of bytes after the one before. */
#define MOVE(type)                                                                                 \
    for (int64_t i = 0; i < count; i++)                                                            \
        memcpy(to + i * to_stride, from + i * from_stride, sizeof(type));                          \
    break

static void move(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count, int size)
{
    if (to_stride == size && from_stride == size) {
        memcpy(to, from, (size_t)(count * size));
        return;
    }
    switch (size) {
    case 1: MOVE(uint8_t);
    case 2: MOVE(uint16_t);
    case 4: MOVE(uint32_t);
    default: MOVE(uint64_t);
    }
}

#undef MOVE

static int64_t run_length(const struct odometer *o, int64_t left)
{
    int64_t run = o->extents[o->rank - 1] - o->at[o->rank - 1];
    return run < left ? run : left;
}

/* Copies bytes [from, from + bytes) of the dense elements between the tensor and `dense`. */
static void copy(const struct tensor *tensor, char *data, size_t from, size_t bytes, char *dense, bool packs)
{
    struct odometer o;
    int size = type_rows[tensor->dtype].size;
    stand(&o, tensor, (int64_t)from / size);
    for (int64_t left = (int64_t)bytes / size, run; left > 0; left -= run) {
        const int64_t stride = o.strides[o.rank - 1];
        run = run_length(&o, left);
        if (packs)
            move(dense, size, data + o.offset, stride, run, size);
        else
            move(data + o.offset, stride, dense, size, run, size);
        dense += run * size;
        step(&o, run);
    }
}

void pack(const struct tensor *tensor, const char *data, size_t from, size_t bytes, char *to)
{
    copy(tensor, (char *)(uintptr_t)data, from, bytes, to, true);
}

void unpack(const struct tensor *tensor, char *data, size_t to, size_t bytes, const char *from)
{
    copy(tensor, data, to, bytes, (char *)(uintptr_t)from, false);
}
