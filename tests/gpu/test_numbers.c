/* Numbers on the GPU beside the same program in C: every float16, subnormals (nothing is flushed to zero, in
 * strict or in fast math), and how far math=fast may be off. */
#include "tests/gpu/gpu.h"
#include "tests/gpu/pair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { HALVES = 1 << 16, MANY = 1 << 18 };

/* The text in C, in C without the machine's conversions, and on the GPU with and without fast paths: all bits
 * must be the same. */
static void check_exact(const char *text, const struct line *inputs, int count, enum weft_dtype result)
{
    static const char *const disabled[] = {"", "convert"};
    struct line want = {result, inputs[0].count, calloc((size_t)inputs[0].count, 8)}, got = want;
    got.data = calloc((size_t)want.count, 8);
    pair_run(WEFT_TARGET_C, "convert", WEFT_MATH_STRICT, text, inputs, count, &want);
    pair_run(WEFT_TARGET_C, "", WEFT_MATH_STRICT, text, inputs, count, &got);
    pair_compare(text, &want, &got);
    for (int i = 0; i < 2; i++) {
        memset(got.data, 0xa5, (size_t)want.count * weft_dtype_size(result));
        pair_run(WEFT_TARGET_CUDA, disabled[i], WEFT_MATH_STRICT, text, inputs, count, &got);
        pair_compare(text, &want, &got);
    }
    free(want.data), free(got.data);
}

/* ---- 16-bit floats ---- */

static void every_half(void **unused)
{
    (void)unused;
    static uint16_t a[HALVES], b[HALVES];
    for (uint32_t i = 0; i < HALVES; i++)
        a[i] = (uint16_t)i, b[i] = (uint16_t)(i * 40503u >> 3);
    for (int kind = 0; kind < 2; kind++) {
        enum weft_dtype dtype = kind ? WEFT_BFLOAT16 : WEFT_FLOAT16;
        const struct line in[] = {{dtype, HALVES, a}, {dtype, HALVES, b}};
        check_exact("float32(a)", in, 1, WEFT_FLOAT32);
        check_exact("float64(a)", in, 1, WEFT_FLOAT64);
        check_exact("a * b + a", in, 2, dtype);
        check_exact("a / b", in, 2, dtype);
        check_exact("sqrt(abs(a))", in, 1, dtype);
        check_exact("int16(a)", in, 1, WEFT_INT16);
        check_exact("uint8(a)", in, 1, WEFT_UINT8);
    }
}

/* Float32 of every exponent and both signs, and what lies at the borders between two float16. */
static void fill_floats(float *to, int64_t count)
{
    uint32_t state = 2463534242u;
    for (int64_t i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        uint32_t bits = state;
        if (i % 2) { /* near float16's: the cut-off bits are half, or one beside it */
            uint32_t exponent = 100 + (state >> 8) % 45;
            bits = (state & 0x80000000u) | exponent << 23 | (state & 0x7fe000u) | (0x1000u + state % 3 - 1);
        }
        memcpy(&to[i], &bits, sizeof bits);
    }
}

static void rounded_to_half(void **unused)
{
    (void)unused;
    float *a = calloc(MANY, sizeof *a);
    double *wide = calloc(MANY, sizeof *wide);
    fill_floats(a, MANY);
    for (int64_t i = 0; i < MANY; i++)
        wide[i] = (double)a[i] * (1 + (double)(i % 5) * 0x1p-40);
    const struct line in = {WEFT_FLOAT32, MANY, a}, from = {WEFT_FLOAT64, MANY, wide};
    check_exact("float16(a)", &in, 1, WEFT_FLOAT16);
    check_exact("bfloat16(a)", &in, 1, WEFT_BFLOAT16);
    check_exact("float16(a)", &from, 1, WEFT_FLOAT16);
    check_exact("bfloat16(a)", &from, 1, WEFT_BFLOAT16);
    free(a), free(wide);
}

/* ---- subnormals ---- */

enum { SMALL = 4096 };

static void fill_small(float *a, double *b)
{
    for (uint32_t i = 0; i < SMALL; i++) {
        uint32_t bits = (i * 2654435761u & 0x807fffffu) | (i % 3 == 0 ? 1u << 23 : 0);
        uint64_t wide = (i * 0x9e3779b97f4a7c15u & 0x800fffffffffffffu) | (i % 3 == 0 ? 1ull << 52 : 0);
        memcpy(&a[i], &bits, sizeof bits), memcpy(&b[i], &wide, sizeof wide);
    }
}

static void subnormals(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a + a", "a * 0.75", "a / 3", "-a", "abs(a)", "a - a * 0.5",
                                        "sqrt(abs(a))", "min(a, 1)", "a * 0x1p100", "floor(a)"};
    static float a[SMALL];
    static double b[SMALL];
    fill_small(a, b);
    const struct line single = {WEFT_FLOAT32, SMALL, a}, wide = {WEFT_FLOAT64, SMALL, b};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_exact(texts[i], &single, 1, WEFT_FLOAT32);
        check_exact(texts[i], &wide, 1, WEFT_FLOAT64);
    }
}

/* Units in the last place of `want` in float32, of which a subnormal has as many as any. */
static double off_by(float got, double want)
{
    int exponent;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

/* Under math=fast as well: a result that is subnormal is near the right one, and not zero. */
static void nothing_is_flushed(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a * 0.5 + a", "a * 0.75", "a / 3", "a + a"};
    static float a[SMALL], want[SMALL], got[SMALL];
    static double b[SMALL];
    fill_small(a, b);
    const struct line in = {WEFT_FLOAT32, SMALL, a}, c = {WEFT_FLOAT32, SMALL, want}, gpu = {WEFT_FLOAT32, SMALL, got};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        pair_run(WEFT_TARGET_C, "", WEFT_MATH_STRICT, texts[t], &in, 1, &c);
        pair_run(WEFT_TARGET_CUDA, "", WEFT_MATH_FAST, texts[t], &in, 1, &gpu);
        for (int i = 0; i < SMALL; i++)
            if (off_by(got[i], want[i]) > 16)
                fail_msg("%s: element %d, of %a, is %a, not %a", texts[t], i, a[i], got[i], want[i]);
    }
}

/* ---- math=fast ---- */

/* One row each; `low` and `high` of a, and whether the operand is b as well. What is right is the same in
 * float64 in C, far more exact than 16 units in the last place of float32. */
static const struct {
    const char *text, *wide;
    float low, high;
} rows[] = {
    {"a / b", "float64(a) / float64(b)", -1000, 1000},
    {"sqrt(a)", "sqrt(float64(a))", 0, 1e6f},
    {"exp(a)", "exp(float64(a))", -80, 80},
    {"exp2(a)", "exp2(float64(a))", -120, 120},
    {"log(a)", "log(float64(a))", 1e-6f, 1e6f},
    {"log2(a)", "log2(float64(a))", 1e-6f, 1e6f},
    {"log10(a)", "log10(float64(a))", 1e-6f, 1e6f},
    {"sin(a)", "sin(float64(a))", -100, 100},
    {"cos(a)", "cos(float64(a))", -100, 100},
    {"tanh(a)", "tanh(float64(a))", -5, 5},
    {"cbrt(a)", "cbrt(float64(a))", -1000, 1000},
    {"a ** b", "float64(a) ** float64(b)", 0.01f, 9},
};

static void fast_bounds(void **unused)
{
    (void)unused;
    enum { COUNT = 1 << 14 };
    static float a[COUNT], b[COUNT], got[COUNT];
    static double want[COUNT];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (int i = 0; i < COUNT; i++) {
            a[i] = rows[r].low + (rows[r].high - rows[r].low) * (float)i / COUNT;
            b[i] = 0.3f + (float)(i * 37 % 101) * 0.11f;
        }
        const struct line in[] = {{WEFT_FLOAT32, COUNT, a}, {WEFT_FLOAT32, COUNT, b}};
        const struct line gpu = {WEFT_FLOAT32, COUNT, got}, right = {WEFT_FLOAT64, COUNT, want};
        int count = strchr(rows[r].text, 'b') && rows[r].text[0] == 'a' ? 2 : 1;
        pair_run(WEFT_TARGET_C, "", WEFT_MATH_STRICT, rows[r].wide, in, count, &right);
        pair_run(WEFT_TARGET_CUDA, "", WEFT_MATH_FAST, rows[r].text, in, count, &gpu);
        for (int i = 0; i < COUNT; i++)
            if (isfinite(want[i]) && fabs(want[i]) < 3e38 && !(off_by(got[i], want[i]) <= 16))
                fail_msg("%s: at %a (and %a) it is %a, not %a", rows[r].text, a[i], b[i], got[i], want[i]);
    }
}

/* Integers and casts are as ever under math=fast. */
static void fast_integers(void **unused)
{
    (void)unused;
    enum { COUNT = 4096 };
    static int32_t a[COUNT], b[COUNT], want[COUNT], got[COUNT];
    for (int i = 0; i < COUNT; i++)
        a[i] = (int32_t)((uint32_t)i * 2654435761u), b[i] = i % 17 - 8;
    const struct line in[] = {{WEFT_INT32, COUNT, a}, {WEFT_INT32, COUNT, b}};
    const struct line c = {WEFT_INT32, COUNT, want}, gpu = {WEFT_INT32, COUNT, got};
    static const char *const texts[] = {"a * b + a // b", "a % b - (a >> 3)", "int32(int8(a) + uint8(b))"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        pair_run(WEFT_TARGET_C, "", WEFT_MATH_STRICT, texts[t], in, 2, &c);
        pair_run(WEFT_TARGET_CUDA, "", WEFT_MATH_FAST, texts[t], in, 2, &gpu);
        pair_compare(texts[t], &c, &gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half), cmocka_unit_test(rounded_to_half), cmocka_unit_test(subnormals),
        cmocka_unit_test(nothing_is_flushed), cmocka_unit_test(fast_bounds), cmocka_unit_test(fast_integers)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu numbers", tests, NULL, NULL);
}
