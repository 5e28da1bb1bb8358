/* See division_data.h. */
#include "tests/diff/division_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- shapes ---- */

const struct path paths[PATHS] = {
    {"blocks", 1, {128}, {1, 1, 1, 1}, false, false},
    {"a padded tail", 1, {67}, {1, 1, 1, 1}, false, false},
    {"less than a block", 1, {3}, {1, 1, 1, 1}, false, false},
    {"one element", 1, {1}, {1, 1, 1, 1}, false, false},
    {"no element", 1, {0}, {1, 1, 1, 1}, false, false},
    {"in place", 1, {70}, {1, 1, 1, 1}, false, true},
    {"0-D", 0, {0}, {0, 0, 0, 0}, false, false},
    {"strides", 2, {5, 67}, {3, 3, 3, 3}, true, false},
    {"a divisor for each row", 2, {5, 67}, {3, 1, 3, 2}, false, false},
    {"a divisor for each column", 2, {5, 67}, {3, 2, 1, 3}, false, false},
    {"a small inner group", 2, {50, 3}, {3, 2, 3, 2}, false, false},
    {"short groups", 3, {7, 5, 3}, {5, 6, 3, 7}, false, false},
    {"short rows", 2, {9, 6}, {3, 1, 2, 3}, true, false},
    {"a small quotient", 2, {40, 64}, {1, 1, 3, 3}, false, false},
    {"one divisor", 1, {4160}, {1, 0, 1, 1}, false, false},
    {"one dividend", 1, {4160}, {0, 1, 1, 1}, false, false},
    {"one division", 1, {130}, {0, 0, 1, 1}, false, false},
};

struct tensor operand(const struct path *path, unsigned along, enum weft_dtype dtype, int step)
{
    int64_t shape[RANK + 1], volume = 1;
    for (int d = 0; d < path->rank; d++) {
        shape[d] = along >> d & 1 ? path->shape[d] : 1;
        volume *= shape[d];
    }
    struct tensor t = tensor_new(dtype, path->rank, shape);
    if (!path->steps)
        return t;
    tensor_free(&t);
    t.memory = calloc((size_t)(volume * abs(step)) + 1, weft_dtype_size(dtype));
    assert_non_null(t.memory);
    t.data = t.memory;
    for (int d = 0; d < path->rank; d++) {
        t.strides[d] *= step;
        if (step < 0)
            t.data -= (shape[d] - 1) * t.strides[d] * (int64_t)weft_dtype_size(dtype);
    }
    return t;
}

bool next(const struct path *path, unsigned along, int64_t *index)
{
    for (int d = path->rank - 1; d >= 0; d--) {
        if ((along >> d & 1) && ++index[d] < path->shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

void *element_at(const struct path *path, const struct tensor *t, const int64_t *index)
{
    int64_t own[RANK + 1];
    for (int d = 0; d < path->rank; d++)
        own[d] = t->shape[d] == 1 ? 0 : index[d];
    return tensor_at(t, own);
}

bool is_empty(const struct path *path)
{
    return path->rank && path->shape[0] == 0;
}

/* ---- data ---- */

static union scalar any_value(enum weft_dtype dtype, bool zero)
{
    union scalar value = zero ? (union scalar){0} : stream_value(&division_stream, dtype);
    for (int tries = 0; !zero && value.bits == 0; tries++)
        value = dtype == WEFT_BOOL || tries > 9 ? (union scalar){.u8 = 1} : stream_value(&division_stream, dtype);
    return value;
}

static union scalar smallest(enum weft_dtype dtype)
{
    return (union scalar){.bits = dtype == WEFT_BOOL ? 1 : (uint64_t)1 << (8 * type_rows[dtype].size - 1)};
}

static union scalar all_bits(enum weft_dtype dtype)
{
    return (union scalar){.bits = dtype == WEFT_BOOL ? 1 : ~(uint64_t)0 >> (64 - 8 * type_rows[dtype].size)};
}

static void fill_one(const struct path *path, struct tensor *in, const int64_t *index, enum zeros zeros)
{
    static const float conditions[] = {0, -0.0f, NAN, 1.5f};
    static const unsigned char bytes[] = {0, 1, 2, 255};
    bool corner = zeros == MANY && below(3) == 0;
    for (int k = 0; k < 2; k++) {
        bool zero = k == B && (zeros == HIDDEN || zeros == MANY) && below(4) == 0;
        enum weft_dtype t = in[k].dtype;
        scalar_store(element_at(path, &in[k], index), t,
                     !corner ? any_value(t, zero) : k ? all_bits(t) : smallest(t));
    }
    *(unsigned char *)element_at(path, &in[C], index) = bytes[below(4)];
    *(float *)element_at(path, &in[D], index) = conditions[below(4)];
}

/* Where b is 0, c is false. */
static void hide(const struct path *path, struct tensor *in)
{
    int64_t index[RANK] = {0};
    do
        if (scalar_load(element_at(path, &in[B], index), in[B].dtype).bits == 0)
            *(unsigned char *)element_at(path, &in[C], index) = 0;
    while (next(path, 7, index));
}

void fill(const struct path *path, struct tensor *in, enum zeros zeros)
{
    int64_t index[RANK] = {0}, count = 0, chosen = 1;
    if (is_empty(path))
        return;
    do {
        fill_one(path, in, index, zeros);
        count++;
    } while (next(path, 7, index));
    for (chosen = below((int)count); zeros == ONE && chosen > 0; chosen--)
        next(path, 7, index);
    if (zeros == ONE)
        scalar_store(element_at(path, &in[B], index), in[B].dtype, (union scalar){0});
    if (zeros == HIDDEN)
        hide(path, in);
}
