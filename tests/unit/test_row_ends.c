/* What the library does for kernels with vectors of each width that this processor has (templates/shared/ends.c): where
 * rows end, the block holds the elements and then the last one, and nothing else is read or written; remainders are
 * those of the C library, sines of large angles within 3 ulp. */
#define _GNU_SOURCE
#include "runtime/kernels/calls.c"

const struct weft_join *const joins_16[1], *const joins_32[1], *const joins_64[1]; /* nothing is joined here */
const struct weft_join *const places_16[1], *const places_32[1], *const places_64[1];

#include "tests/unit/front.h"

#include <math.h>

enum { ALL = 64, ROOM = 8 * ALL };

static const struct weft_calls *const *widths(int *count)
{
    static const struct weft_calls *found[3];
    *count = 1;
    found[0] = kernel_calls_16();
#if defined SEVERAL_WIDTHS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found[(*count)++] = kernel_calls_32();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
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

/* Numbers with few bits and with many, from one end of the type to the other, and what is none. */
static uint64_t draw(uint64_t *seed, int size)
{
    const uint64_t odd[] = {0, 0x7ff0000000000000, 0x7ff8000000000000, 1, 0x000fffffffffffff, 0x0010000000000000,
                            0x7fefffffffffffff, 0x3ff0000000000000};
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    const uint64_t word = *seed >> 32 ^ *seed << 32, kind = *seed >> 58;
    const uint64_t number = kind < 3 ? odd[*seed >> 40 & 7] : kind < 10 ? word & ~0ull << 40 : word;
    return size == 8 ? number : number >> 32;
}

static double floormod(double a, double b)
{
    const double m = fmod(a, b);
    return m == 0 ? copysign(0, b) : (m < 0) != (b < 0) ? m + b : m;
}

static float floormodf(float a, float b)
{
    const float m = fmodf(a, b);
    return m == 0 ? copysignf(0, b) : (m < 0) != (b < 0) ? m + b : m;
}

static void check_fmod(const struct weft_calls *calls, int count, int size, int down, uint64_t *seed)
{
    union numbers {
        unsigned char bytes[ROOM];
        float f32[ALL];
        double f64[ALL];
    } a, b, r, want, unset;
    fill(r.bytes, ROOM, 9);
    a = b = want = unset = r;
    for (int j = 0; j < count; j++) {
        const uint64_t x = draw(seed, size), y = draw(seed, size);
        memcpy(a.bytes + j * size, &x, (size_t)size);
        memcpy(b.bytes + j * size, &y, (size_t)size);
        if (size == 4)
            want.f32[j] = (down ? floormodf : fmodf)(a.f32[j], b.f32[j]);
        else
            want.f64[j] = (down ? floormod : fmod)(a.f64[j], b.f64[j]);
    }
    calls->fmod(&r, &a, &b, count, size, down);
    for (int j = 0; j < count; j++) { /* what it left out */
        const double x = size == 4 ? a.f32[j] : a.f64[j], y = size == 4 ? b.f32[j] : b.f64[j];
        if (fabs(x) < fabs(y) * (size == 4 ? 0x1p22 : 0x1p51) && fabs(y) < INFINITY &&
            memcmp(r.bytes + j * size, unset.bytes + j * size, (size_t)size) == 0)
            memcpy(r.bytes + j * size, want.bytes + j * size, (size_t)size);
    }
    for (int j = 0; j < count; j++) {
        const int nan = size == 4 ? want.f32[j] != want.f32[j] : want.f64[j] != want.f64[j];
        if (nan) {
            assert_true(size == 4 ? r.f32[j] != r.f32[j] : r.f64[j] != r.f64[j]);
            memcpy(want.bytes + j * size, r.bytes + j * size, (size_t)size);
        }
    }
    assert_memory_equal(&r, &want, sizeof r);
}

static void test_remainders(void **state)
{
    int found;
    const struct weft_calls *const *const each = widths(&found);
    uint64_t seed = 17;
    (void)state;
    for (int w = 0; w < found; w++)
        for (int count = 1; count <= ALL; count++)
            for (int turn = 0; turn < 40; turn++) {
                check_fmod(each[w], count, 4, turn % 2, &seed);
                check_fmod(each[w], count, 8, turn % 2, &seed);
            }
}

/* Whether value is sin, cos or tan of x, whose true value is `want`, but for 3 units of the last of `bits` bits. */
static int is_near(double value, long double want, int bits)
{
    int exponent;
    frexpl(want, &exponent);
    return fabsl((long double)value - want) <= 3 * ldexpl(1, exponent - bits);
}

/* Every third angle is ordinary, 0, infinite or NaN, and its result stays. `first` has the results of another width. */
static void check_far_single(void (*function)(void *, const void *, int), double (*library)(double), int count,
                             uint64_t *seed, float *first)
{
    const float usual[] = {0, 1.5f, 0x1p16f, INFINITY, -INFINITY, NAN};
    float a[ALL] = {0}, r[ALL];
    for (int j = 0; j < count; j++) {
        *seed = *seed * 6364136223846793005 + 1442695040888963407;
        const float size = ldexpf(1 + (float)(*seed >> 41) * 0x1p-23f, 17 + (int)(*seed >> 30 & 1023) % 111);
        a[j] = *seed >> 20 & 1 ? -size : size;
        a[j] = *seed % 3 ? a[j] : usual[(*seed >> 8) % 6];
        r[j] = 9;
    }
    function(r, a, count);
    for (int j = 0; j < count; j++) {
        const int far = fabsf(a[j]) > 0x1p16f && fabsf(a[j]) < INFINITY;
        assert_true(far ? is_near(r[j], library(a[j]), 24) : r[j] == 9);
    }
    if (first[0] != 0)
        assert_memory_equal(r, first, (size_t)count * sizeof *r);
    memcpy(first, r, (size_t)count * sizeof *r);
}

static void check_far_double(void (*function)(void *, const void *, int), long double (*library)(long double),
                             int count, uint64_t *seed, double *first)
{
    const double usual[] = {0, 1.5, 0x1.fffp22, INFINITY, -INFINITY, NAN};
    double a[ALL] = {0}, r[ALL];
    for (int j = 0; j < count; j++) {
        *seed = *seed * 6364136223846793005 + 1442695040888963407;
        const double size = ldexp(1 + (double)(*seed >> 12) * 0x1p-52, 23 + (int)(*seed >> 2 & 4095) % 1001);
        a[j] = *seed >> 20 & 1 ? -size : size;
        a[j] = *seed % 3 ? a[j] : usual[(*seed >> 8) % 6];
        r[j] = 9;
    }
    function(r, a, count);
    for (int j = 0; j < count; j++) {
        const int far = fabs(a[j]) >= 0x1p23 && fabs(a[j]) < INFINITY;
        assert_true(far ? is_near(r[j], library(a[j]), 53) : r[j] == 9);
    }
    if (first[0] != 0)
        assert_memory_equal(r, first, (size_t)count * sizeof *r);
    memcpy(first, r, (size_t)count * sizeof *r);
}

/* Whether kernels call these on this processor. */
static int has_fused(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
#else
    return 1;
#endif
}

static void test_far_angles(void **state)
{
    int found;
    const struct weft_calls *const *const each = widths(&found);
    (void)state;
    for (uint64_t number = 1; number <= 2000; number++) {
        float singles[3][ALL] = {{0}};
        double doubles[2][ALL] = {{0}};
        for (int w = 0; w < found && has_fused(); w++) {
            const int count = (int)(number % ALL) + 1;
            uint64_t seed = number * 977;
            check_far_single(each[w]->sinf, sin, count, &seed, singles[0]);
            check_far_single(each[w]->cosf, cos, count, &seed, singles[1]);
            check_far_single(each[w]->tanf, tan, count, &seed, singles[2]);
            check_far_double(each[w]->sin, sinl, count, &seed, doubles[0]);
            check_far_double(each[w]->cos, cosl, count, &seed, doubles[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_row_ends), cmocka_unit_test(test_remainders),
                                       cmocka_unit_test(test_far_angles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
