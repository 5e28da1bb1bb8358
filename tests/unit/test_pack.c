/* Packing strided elements and back, in pieces: the same bytes as element by element, and nothing beside them. */
#include "include/weft/weft.h"
#include "runtime/tensor/pack.h"
#include "runtime/tensor/tensor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANK = 4, MOST_EXTENT = 5, ROOM = 10000, ROUNDS = 500 };

static uint32_t below(uint32_t bound)
{
    static uint32_t x = 88172645;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x % bound;
}

struct scene {
    struct tensor tensor;
    int64_t shape[MOST_RANK], strides[MOST_RANK];
    int64_t reach;                 /* elements of the room from its lowest on */
    int64_t start;                 /* where its first element is in the room, in elements */
    int64_t places[ROOM];          /* of its dense elements, from there */
    int64_t count;
};

/* Any order of dimensions, steps forwards and backwards, some stretched. */
static void make(struct scene *scene, enum weft_dtype dtype)
{
    const int rank = (int)below(MOST_RANK + 1);
    *scene = (struct scene){.tensor = {.dtype = dtype, .rank = rank, .shape = scene->shape, .strides = scene->strides},
                            .count = 1, .reach = 1};
    for (int d = 0; d < rank; d++)
        scene->shape[d] = 1 + below(MOST_EXTENT);
    for (int i = 0, d = (int)below(MOST_RANK); i < rank; i++, d++) {
        const int64_t step = scene->reach * (1 + below(2)), extent = scene->shape[d % rank];
        scene->strides[d % rank] = below(5) == 0 ? 0 : below(3) ? step : -step;
        scene->start += scene->strides[d % rank] < 0 ? step * (extent - 1) : 0;
        scene->reach = step * extent;
    }
    assert_in_range(scene->reach, 1, ROOM);
    for (int d = 0; d < rank; d++) {
        const int64_t extent = scene->strides[d] ? scene->shape[d] : 1;
        for (int64_t i = scene->count * extent - 1; i >= 0; i--)
            scene->places[i] = scene->places[i / extent] + i % extent * scene->strides[d];
        scene->count *= extent;
    }
}

static void test_pieces(void **state)
{
    (void)state;
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_FLOAT16, WEFT_FLOAT32, WEFT_INT64};
    static struct scene scene;
    static unsigned char room[ROOM * 8], other[ROOM * 8], dense[ROOM * 8], expected[ROOM * 8];
    for (int round = 0; round < ROUNDS; round++) {
        make(&scene, dtypes[round % 4]);
        const size_t size = weft_dtype_size(scene.tensor.dtype), bytes = size * (size_t)scene.count;
        const size_t whole = size * (size_t)scene.reach;
        char *const first = (char *)room + (size_t)scene.start * size;
        for (size_t i = 0; i < whole; i++)
            room[i] = (unsigned char)below(256), other[i] = 0x5a, expected[i] = 0x5a;
        assert_int_equal(pack_size(&scene.tensor), bytes);
        for (size_t from = 0, piece; from < bytes; from += piece) {
            piece = size * (1 + below(40));
            piece = piece < bytes - from ? piece : bytes - from;
            pack(&scene.tensor, first, from, piece, (char *)dense + from);
        }
        for (int64_t i = 0; i < scene.count; i++)
            assert_memory_equal(dense + (size_t)i * size, first + scene.places[i] * (int64_t)size, size);
        for (size_t from = 0, piece; from < bytes; from += piece) {
            piece = size * (1 + below(40));
            piece = piece < bytes - from ? piece : bytes - from;
            unpack(&scene.tensor, (char *)other + (size_t)scene.start * size, from, piece, (char *)dense + from);
        }
        for (int64_t i = 0; i < scene.count; i++)
            memcpy(expected + (size_t)(scene.start + scene.places[i]) * size, dense + (size_t)i * size, size);
        assert_memory_equal(other, expected, whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
