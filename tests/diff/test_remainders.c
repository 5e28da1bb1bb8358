/* Remainders and quotients of whole lines of operands, against the C library's fmod and integers of 128 bits: blocks of
 * ordinary operands, those with others among them, and quotients beside whole numbers, up to 2^60 and beyond.
 * WEFT_REMAINDERS says how many lines of each kind; all pairs of float16 are tried where it is at least 100. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"
#include "tests/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LENGTH = 5000, ROWS = 4, RARE = 97 };

static const char *const texts[ROWS] = {"fmod(a, b)", "a % b", "a // b", "truncdiv(a, b)"};
static const char *const names[] = {"a", "b"};

static uint64_t state_of_random = 1;

static uint64_t draw(void)
{
    uint64_t x = state_of_random += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double between(double low, double high)
{
    return low + (high - low) * (double)(draw() >> 11) * 0x1p-53;
}

/* ---- floats ---- */

/* The operands of an element: any bits; usual ones; products of whole numbers and their neighbours, whose quotients
 * have up to `bits` bits; one in RARE of all is another kind. */
static void draw_pair(int kind, int bits, bool single, double *a, double *b)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0x1p-149, 0x1.8p-1074, 0x1p127, 0x1p1023};
    enum { ODD = sizeof odd / sizeof *odd };
    if (draw() % RARE == 0)
        kind = 3;
    if (kind == 0) {
        *a = between(-100, 100);
        *b = between(-10, 10);
    } else if (kind == 1) {
        *b = between(0.1, 10) * (draw() & 1 ? 1 : -1);
        *b = single ? (float)*b : *b;
        *a = floor(exp2(between(0, bits))) * *b * (draw() & 1 ? 1 : -1);
        *a = single ? (float)*a : *a;
        const uint64_t side = draw() % 3;
        if (side && single)
            *a = nextafterf((float)*a, side == 1 ? INFINITY : -INFINITY);
        else if (side)
            *a = nextafter(*a, side == 1 ? INFINITY : -INFINITY);
    } else if (kind == 2) {
        union { uint64_t bits; double value; } x = {draw()}, y = {draw()};
        union { uint32_t bits; float value; } u = {(uint32_t)draw()}, v = {(uint32_t)draw()};
        *a = single ? (double)u.value : x.value;
        *b = single ? (double)v.value : y.value;
    } else {
        *a = draw() & 1 ? odd[draw() % ODD] : between(-5, 5);
        *b = draw() & 1 ? odd[draw() % ODD] : between(-5, 5);
    }
}

/* As rule 4.4 has it, each operation rounded to the type: T is float or double, S its functions' suffix. */
#define MEANING(T, S)                                                                                     \
    static T meaning_##T(int row, T a, T b)                                                               \
    {                                                                                                     \
        const T m = fmod##S(a, b), shifted = (m < 0) != (b < 0) ? m + b : m;                              \
        T q = (a - m) / b;                                                                                \
        if (row == 0)                                                                                     \
            return m;                                                                                     \
        if (row == 1)                                                                                     \
            return m == 0 ? copysign##S(0, b) : shifted;                                                  \
        if (row == 3)                                                                                     \
            return trunc##S(a / b);                                                                       \
        q = m != 0 && (m < 0) != (b < 0) ? q - 1 : q;                                                     \
        T whole = floor##S(q);                                                                            \
        whole = q - whole > (T)0.5 ? whole + 1 : whole;                                                   \
        return b == 0 ? a / b : q == 0 ? copysign##S(0, a / b) : whole;                                   \
    }
MEANING(float, f)
MEANING(double, )

static bool same_double(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

static void check_floats(struct weft_program *const *programs, enum weft_dtype dtype, int kind, int bits)
{
    const bool single = dtype == WEFT_FLOAT32;
    struct tensor in[2] = {tensor_line(dtype, LENGTH), tensor_line(dtype, LENGTH)}, out = tensor_line(dtype, LENGTH);
    for (int64_t i = 0; i < LENGTH; i++) {
        double a, b;
        draw_pair(kind, bits, single, &a, &b);
        for (int k = 0; k < 2; k++)
            tensor_set(&in[k], i, single ? (union scalar){.f32 = (float)(k ? b : a)}
                                         : (union scalar){.f64 = k ? b : a});
    }
    for (int row = 0; row < ROWS; row++) {
        run_program(programs[row], in, names, 2, &out, 1, NULL);
        for (int64_t i = 0; i < LENGTH; i++) {
            const union scalar a = tensor_get(&in[0], i), b = tensor_get(&in[1], i), is = tensor_get(&out, i);
            const double due = single ? (double)meaning_float(row, a.f32, b.f32) : meaning_double(row, a.f64, b.f64);
            const double found = single ? (double)is.f32 : is.f64;
            if (!same_double(found, due))
                fail_msg("%s of %s: %a and %a give %a, not %a", texts[row], weft_dtype_name(dtype),
                         single ? (double)a.f32 : a.f64, single ? (double)b.f32 : b.f64, found, due);
        }
    }
    tensor_free(&in[0]);
    tensor_free(&in[1]);
    tensor_free(&out);
}

static void compile_rows(struct weft_program **programs)
{
    for (int row = 0; row < ROWS; row++)
        programs[row] = run_compile(texts[row]);
}

static void destroy_rows(struct weft_program **programs)
{
    for (int row = 0; row < ROWS; row++)
        weft_program_destroy(programs[row]);
}

static void test_floats(void **state)
{
    (void)state;
    struct weft_program *programs[ROWS];
    const long lines = sample_setting("WEFT_REMAINDERS", 2);
    compile_rows(programs);
    for (long n = 0; n < lines; n++)
        for (int type = 0; type < 2; type++) {
            const enum weft_dtype dtype = type ? WEFT_FLOAT64 : WEFT_FLOAT32;
            check_floats(programs, dtype, 0, 0);
            check_floats(programs, dtype, 1, type ? 50 : 21);
            check_floats(programs, dtype, 1, 60);
            check_floats(programs, dtype, 2, 0);
        }
    destroy_rows(programs);
}

/* ---- integers ---- */

static __int128 divided(int row, __int128 a, __int128 b)
{
    if (b == 0)
        return 0;
    const __int128 q = a / b, r = a % b, down = r != 0 && (r < 0) != (b < 0);
    return row == 0 ? r : row == 1 ? r + down * b : row == 2 ? q - down : q;
}

static __int128 value_of(union scalar scalar, enum weft_dtype dtype)
{
    switch (dtype) {
    case WEFT_INT8: return scalar.i8;
    case WEFT_INT16: return scalar.i16;
    case WEFT_INT32: return scalar.i32;
    case WEFT_INT64: return scalar.i64;
    case WEFT_UINT8: return scalar.u8;
    case WEFT_UINT16: return scalar.u16;
    case WEFT_UINT32: return scalar.u32;
    default: return scalar.u64;
    }
}

/* Of up to `bits` bits, with both signs; the products of some. */
static union scalar draw_integer(enum weft_dtype dtype, int bits, uint64_t factor)
{
    union scalar scalar = {.u64 = (draw() >> (64 - (1 + draw() % (uint64_t)bits))) * factor};
    const bool negative = dtype < WEFT_UINT8 && draw() & 1;
    const uint64_t value = negative ? 0 - scalar.u64 : scalar.u64, border = draw() % RARE;
    const int size = (int)weft_dtype_size(dtype);
    memset(&scalar, 0, sizeof scalar);
    memcpy(&scalar, border == 0 ? &(uint64_t){UINT64_C(1) << (8 * size - 1)} : border == 1 ? &(uint64_t){0} : &value,
           (size_t)size);
    return scalar;
}

static void check_integers(struct weft_program *const *programs, enum weft_dtype dtype, int bits)
{
    struct tensor in[2] = {tensor_line(dtype, LENGTH), tensor_line(dtype, LENGTH)}, out = tensor_line(dtype, LENGTH);
    for (int64_t i = 0; i < LENGTH; i++) {
        const union scalar b = draw_integer(dtype, bits, 1);
        tensor_set(&in[1], i, b);
        tensor_set(&in[0], i, draw_integer(dtype, bits, i % 3 ? 1 : (uint64_t)value_of(b, dtype)));
    }
    for (int row = 0; row < ROWS; row++) {
        struct weft_error *error = NULL;
        run_program(programs[row], in, names, 2, &out, 1, &error);
        weft_error_destroy(error);
        for (int64_t i = 0; i < LENGTH; i++) {
            const __int128 a = value_of(tensor_get(&in[0], i), dtype), b = value_of(tensor_get(&in[1], i), dtype);
            const uint64_t due = (uint64_t)divided(row, a, b), is = (uint64_t)value_of(tensor_get(&out, i), dtype);
            if ((due ^ is) << (64 - 8 * weft_dtype_size(dtype)))
                fail_msg("%s of %s: %lld and %lld give %lld, not %lld", texts[row], weft_dtype_name(dtype),
                         (long long)a, (long long)b, (long long)is, (long long)due);
        }
    }
    tensor_free(&in[0]);
    tensor_free(&in[1]);
    tensor_free(&out);
}

static void test_integers(void **state)
{
    (void)state;
    static const enum weft_dtype dtypes[] = {WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64,
                                             WEFT_UINT8, WEFT_UINT16, WEFT_UINT32, WEFT_UINT64};
    struct weft_program *programs[ROWS];
    const long lines = sample_setting("WEFT_REMAINDERS", 2);
    compile_rows(programs);
    for (long n = 0; n < lines; n++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int bits = 50; bits <= 64; bits += 7)
                check_integers(programs, dtypes[t], 8 * (int)weft_dtype_size(dtypes[t]) < bits
                                                        ? 8 * (int)weft_dtype_size(dtypes[t]) : bits);
    destroy_rows(programs);
}

/* ---- all pairs of float16 ---- */

static void test_halves(void **state)
{
    (void)state;
    enum { ALL = 1 << 16 };
    struct weft_program *programs[ROWS];
    struct tensor a = tensor_line(WEFT_FLOAT16, ALL), b = tensor_new(WEFT_FLOAT16, 0, NULL),
                  wide = tensor_line(WEFT_FLOAT32, ALL), divisor = tensor_new(WEFT_FLOAT32, 0, NULL),
                  out[2] = {tensor_line(WEFT_FLOAT16, ALL), tensor_line(WEFT_FLOAT16, ALL)};
    const long step = sample_setting("WEFT_REMAINDERS", 2) < 100 ? 8209 : 1;
    struct weft_program *const narrow = run_compile("float16(a)"), *const widen = run_compile("float32(a)");
    compile_rows(programs);
    for (int i = 0; i < ALL; i++)
        ((uint16_t *)a.data)[i] = (uint16_t)i;
    run_program(widen, &a, names, 1, &wide, 1, NULL);
    for (long k = 0; k < ALL; k += step) {
        *(uint16_t *)b.data = (uint16_t)k;
        run_program(widen, &b, names, 1, &divisor, 1, NULL);
        for (int row = 0; row < ROWS; row++) {
            struct tensor due = tensor_line(WEFT_FLOAT32, ALL);
            run_program(programs[row], (struct tensor[]){a, b}, names, 2, &out[0], 1, NULL);
            for (int64_t i = 0; i < ALL; i++)
                tensor_set(&due, i, (union scalar){.f32 = meaning_float(row, tensor_get(&wide, i).f32,
                                                                        tensor_get(&divisor, 0).f32)});
            run_program(narrow, &due, names, 1, &out[1], 1, NULL);
            for (int i = 0; i < ALL; i++) {
                const uint16_t x = ((uint16_t *)out[0].data)[i], y = ((uint16_t *)out[1].data)[i];
                if (x != y && !((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00))
                    fail_msg("%s of float16: %#x and %#lx give %#x, not %#x", texts[row], i, (unsigned long)k, x, y);
            }
            tensor_free(&due);
        }
    }
    destroy_rows(programs);
    weft_program_destroy(narrow);
    weft_program_destroy(widen);
    for (int k = 0; k < 2; k++)
        tensor_free(&out[k]);
    tensor_free(&a);
    tensor_free(&b);
    tensor_free(&wide);
    tensor_free(&divisor);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

/* With an argument only the tests whose names match it run: `test_remainders test_floats`. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floats), cmocka_unit_test(test_integers),
                                       cmocka_unit_test(test_halves)};
    state_of_random = (uint64_t)values_seed();
    return cmocka_run_group_tests_name("remainders", tests, NULL, finish);
}
