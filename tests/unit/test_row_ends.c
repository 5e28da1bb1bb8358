/* What the library does where a kernel's rows end (templates/shared/ends.c), with vectors of each width that this
 * processor has: the block holds the elements and then the last one, and nothing else is read or written. */
#define _GNU_SOURCE
#include "runtime/kernels/calls.c"

const struct weft_join *const joins_16[1], *const joins_32[1], *const joins_64[1]; /* nothing is joined here */

#include "tests/unit/front.h"

enum { ALL = 64, ROOM = 8 * ALL };

static const struct weft_calls *const *widths(int *count)
{
    static const struct weft_calls *found[3];
    *count = 1;
    found[0] = kernel_calls_16();
#if defined LEVELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        found[(*count)++] = kernel_calls_32();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        found[(*count)++] = kernel_calls_64();
#endif
    return found;
}

static void fill(unsigned char *to, int size, unsigned char seed)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(seed + 37 * i + i / 7);
}

static void check_pad(const struct weft_calls *calls, int count, int size)
{
    unsigned char from[ROOM], block[ROOM + 64], before[ROOM + 64];
    unsigned char *const end = from + ROOM - count * size; /* a row that ends with its memory */
    fill(from, ROOM, 3);
    fill(block, ROOM + 64, 101);
    memcpy(before, block, sizeof block);
    assert_ptr_equal(calls->pad(block, end, count, size, ALL), block);
    for (int k = 0; k < ALL; k++)
        assert_memory_equal(block + k * size, end + (k < count ? k : count - 1) * size, (size_t)size);
    assert_memory_equal(block + ALL * size, before + ALL * size, sizeof block - (size_t)(ALL * size));
}

static void check_put(const struct weft_calls *calls, int count, int size)
{
    unsigned char block[ROOM], to[ROOM + 64], before[ROOM + 64];
    fill(block, ROOM, 5);
    fill(to, ROOM + 64, 77);
    memcpy(before, to, sizeof to);
    calls->put(to, block, count, size);
    assert_memory_equal(to, block, (size_t)(count * size));
    assert_memory_equal(to + count * size, before + count * size, sizeof to - (size_t)(count * size));
}

static void test_row_ends(void **state)
{
    int found;
    const struct weft_calls *const *const each = widths(&found);
    (void)state;
    for (int w = 0; w < found; w++)
        for (int size = 1; size <= 8; size *= 2)
            for (int count = 1; count <= ALL; count++) {
                check_pad(each[w], count, size);
                check_put(each[w], count, size);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_row_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
