/* See samples.h. */
#include "tests/batch/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state = 1;

void random_seed(uint32_t seed)
{
    state = seed * 2654435761u + 1;
}

uint32_t random_below(uint32_t bound)
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state % bound;
}

DLTensor host_tensor(void *data, enum weft_dtype dtype, int rank, int64_t *shape)
{
    return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank,
                      .dtype = weft_dtype_to_dlpack(dtype), .shape = shape};
}

/* Gaps, backwards, in another order of dimensions. */
static int64_t choose_strides(int rank, const int64_t *shape, int64_t *strides, int64_t *offset)
{
    int64_t step = 1 + random_below(2), reach = 1;
    bool turned = random_below(3) == 0;
    *offset = 0;
    for (int i = 0; i < rank; i++) {
        int d = turned ? i : rank - 1 - i;
        strides[d] = step;
        step *= shape[d] ? shape[d] : 1;
        step += random_below(3);
        if (random_below(4) == 0 && shape[d]) {
            *offset += strides[d] * (shape[d] - 1);
            strides[d] = -strides[d];
        }
        reach += llabs(strides[d]) * (shape[d] ? shape[d] - 1 : 0);
    }
    return reach;
}

void operand_add(struct operand *operand, int rank, const int64_t *shape, bool dense)
{
    int64_t i = operand->count++, volume = 1, offset = 0;
    size_t each = weft_dtype_size(operand->dtype);
    assert_true(i < MAX_SAMPLES);
    for (int d = 0; d < rank; d++)
        volume *= operand->shapes[i][d] = shape[d];
    int64_t reach = dense ? volume : choose_strides(rank, shape, operand->strides[i], &offset);
    operand->size[i] = (size_t)(reach > 0 ? reach : 1) * each;
    operand->memory[i] = calloc(1, operand->size[i]);
    operand->tensors[i] = host_tensor(operand->memory[i], operand->dtype, rank, operand->shapes[i]);
    operand->tensors[i].byte_offset = (uint64_t)offset * each;
    operand->tensors[i].strides = dense ? NULL : operand->strides[i];
}

void operand_share(struct operand *operand, const struct operand *from, int64_t sample)
{
    operand->tensors[operand->count++] = from->tensors[sample];
}

static void fill(void *at, enum weft_dtype dtype)
{
    int value = (int)random_below(13) - (dtype >= WEFT_UINT8 && dtype <= WEFT_UINT64 ? 0 : 4);
    switch (dtype) {
    case WEFT_FLOAT32: *(float *)at = (float)value * 0.75f; break;
    case WEFT_FLOAT64: *(double *)at = value * 0.3; break;
    case WEFT_BOOL: *(uint8_t *)at = value & 1; break;
    case WEFT_UINT8: *(uint8_t *)at = (uint8_t)random_below(256); break;
    default: {
        int64_t wide = value;
        memcpy(at, &wide, weft_dtype_size(dtype));
    }
    }
}

void operand_fill(struct operand *operand, int64_t sample)
{
    size_t each = weft_dtype_size(operand->dtype);
    for (size_t at = 0; at + each <= operand->size[sample]; at += each)
        fill(operand->memory[sample] + at, operand->dtype);
}

void operand_free(struct operand *operand)
{
    for (int64_t i = 0; i < operand->count; i++)
        free(operand->memory[i]);
    memset(operand, 0, sizeof *operand);
}

struct weft_argument operand_argument(const struct operand *operand)
{
    return (struct weft_argument){operand->name, operand->tensors, operand->count, operand->batch};
}

struct weft_argument sample_argument(const struct operand *operand, int64_t sample)
{
    return (struct weft_argument){operand->name, &operand->tensors[operand->batch ? sample : 0], 1, false};
}

static const char *element(const DLTensor *tensor, int64_t number, size_t each)
{
    int64_t offset = 0, dense = 1;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        int64_t index = number % tensor->shape[d];
        offset += index * (tensor->strides ? tensor->strides[d] : dense);
        dense *= tensor->shape[d];
        number /= tensor->shape[d];
    }
    return (const char *)tensor->data + tensor->byte_offset + offset * (int64_t)each;
}

bool samples_equal(const struct operand *a, int64_t i, const struct operand *b, int64_t j)
{
    const DLTensor *x = &a->tensors[i], *y = &b->tensors[j];
    size_t each = weft_dtype_size(a->dtype);
    int64_t volume = 1;
    if (x->ndim != y->ndim)
        return false;
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] != y->shape[d])
            return false;
        volume *= x->shape[d];
    }
    for (int64_t n = 0; n < volume; n++)
        if (memcmp(element(x, n, each), element(y, n, each), each) != 0)
            return false;
    return true;
}
