/* sum against the order of rule 11.4 written down a second time: element i goes to lane i mod 16 of block i div
 * 1024, lanes add in order, blocks join in pairs, then lanes 8, 4, 2 and 1 apart. Every bit, for all types, around
 * the sizes where a lane, a row, a block and a level of pairs begin; on operands of any layout; on any number of
 * threads. */
#include "compiler/lang/ops.h"
#include "tests/diff/run.h"
#include "tests/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 16, BLOCK_ELEMENTS = 1024, MOST = 17500 };

static const int sizes[] = {0, 1, 2, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 2048, 3000, 16384, 16385, MOST};

/* ---- the order, for floats ---- */

static double add(enum weft_dtype compute, double a, double b)
{
    return compute == WEFT_FLOAT64 ? a + b : (double)((float)a + (float)b);
}

/* What is absent is left out. */
static void join(enum weft_dtype compute, double *a, bool *have_a, double b, bool have_b)
{
    if (have_b)
        *a = *have_a ? add(compute, *a, b) : b;
    *have_a = *have_a || have_b;
}

static double float_sum(enum weft_dtype compute, const double *x, int count)
{
    static double lanes[MOST / BLOCK_ELEMENTS + 1][LANES];
    static bool have[MOST / BLOCK_ELEMENTS + 1][LANES];
    int blocks = (count + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    memset(have, 0, sizeof have);
    for (int i = 0; i < count; i++)
        join(compute, &lanes[i / BLOCK_ELEMENTS][i % LANES], &have[i / BLOCK_ELEMENTS][i % LANES], x[i], true);
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        for (int b = 0; b < blocks; b += 2)
            for (int j = 0; j < LANES; j++) {
                lanes[b / 2][j] = lanes[b][j];
                have[b / 2][j] = have[b][j];
                if (b + 1 < blocks)
                    join(compute, &lanes[b / 2][j], &have[b / 2][j], lanes[b + 1][j], have[b + 1][j]);
            }
    for (int apart = LANES / 2; apart; apart /= 2)
        for (int j = 0; j < apart; j++)
            join(compute, &lanes[0][j], &have[0][j], lanes[0][j + apart], have[0][j + apart]);
    return count ? lanes[0][0] : 0;
}

/* ---- operands ---- */

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 29;
}

/* Elements of very unlike sizes, so that every other order shows. */
static union scalar element(enum weft_dtype dtype, uint64_t *state)
{
    const uint64_t bits = next(state);
    if (!dtype_is_float(dtype))
        return eval_convert(WEFT_UINT64, dtype, false,
                            (union scalar){.u64 = dtype == WEFT_BOOL ? bits % 2 : bits * 8191});
    const union scalar value = {.f64 = ((double)(bits % 4096) - 2048) * (bits >> 12 & 1 ? 0.001 : 1.0)};
    return eval_convert(WEFT_FLOAT64, dtype, false, value);
}

/* How the elements lie: in a row, backwards, every third, by columns. */
enum layout { DENSE, BACKWARDS, APART, COLUMNS, LAYOUTS };

static struct tensor operand(enum weft_dtype dtype, int count, enum layout layout)
{
    struct tensor x = tensor_line(dtype, layout == APART ? (int64_t)count * 3 + 1 : count + 1);
    x.shape[0] = count;
    if (layout == BACKWARDS && count) {
        x.data += (ptrdiff_t)(count - 1) * type_rows[dtype].size;
        x.strides[0] = -1;
    }
    if (layout == APART)
        x.strides[0] = 3;
    if (layout == COLUMNS) {
        const int rows = count % 5 ? 1 : 5;
        x.rank = 2;
        x.shape[0] = rows;
        x.shape[1] = count / rows;
        x.strides[0] = 1;
        x.strides[1] = rows;
    }
    return x;
}

/* Element i in row-major order. */
static void *at(const struct tensor *x, int i)
{
    const int64_t index[] = {x->rank == 2 ? i / x->shape[1] : i, x->rank == 2 ? i % x->shape[1] : 0};
    return tensor_at(x, index);
}

static struct tensor sum_of(const char *text, const struct tensor *x, enum weft_dtype dtype)
{
    static const char *const names[] = {"x"};
    struct tensor out = tensor_new(dtype, 0, NULL);
    struct weft_program *program = run_compile(text);
    run_program(program, x, names, 1, &out, 1, NULL);
    weft_program_destroy(program);
    return out;
}

/* ---- what it has to be ---- */

static void fill(const struct tensor *x, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++)
        scalar_store(at(x, i), x->dtype, element(x->dtype, &seed));
}

static enum weft_dtype sum_dtype(enum weft_dtype dtype)
{
    if (dtype_is_float(dtype))
        return dtype;
    return type_rows[dtype].class == CLASS_UNSIGNED ? WEFT_UINT64 : WEFT_INT64;
}

static union scalar expected_sum(const struct tensor *x, int count)
{
    static double values[MOST];
    const enum weft_dtype compute = x->dtype == WEFT_FLOAT64 ? WEFT_FLOAT64 : WEFT_FLOAT32;
    uint64_t whole = 0;
    for (int i = 0; i < count; i++) {
        const union scalar value = scalar_load(at(x, i), x->dtype);
        if (dtype_is_float(x->dtype))
            values[i] = eval_convert(x->dtype, WEFT_FLOAT64, false, value).f64;
        else
            whole += eval_convert(x->dtype, sum_dtype(x->dtype), false, value).u64;
    }
    if (!dtype_is_float(x->dtype))
        return (union scalar){.u64 = whole};
    return eval_convert(WEFT_FLOAT64, x->dtype, false, (union scalar){.f64 = float_sum(compute, values, count)});
}

static void check(enum weft_dtype dtype, int count, enum layout layout)
{
    struct tensor x = operand(dtype, count, layout);
    fill(&x, count, (uint64_t)count + dtype);
    struct tensor sum = sum_of("sum(x)", &x, sum_dtype(dtype));
    const union scalar expected = expected_sum(&x, count), found = tensor_get(&sum, 0);
    if (found.bits != expected.bits)
        fail_msg("sum of %d %s, layout %d: %llx, not %llx", count, type_rows[dtype].name, layout,
                 (unsigned long long)found.bits, (unsigned long long)expected.bits);
    tensor_free(&x);
    tensor_free(&sum);
}

/* ---- tests ---- */

static void test_sizes(void **state)
{
    (void)state;
    run_disable("");
    for (int t = 0, number = 0; t < WEFT_DTYPE_COUNT; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (sample_chosen(number++))
                check((enum weft_dtype)t, sizes[s], DENSE);
}

static void test_layouts(void **state)
{
    (void)state;
    run_disable("");
    for (int layout = BACKWARDS; layout < LAYOUTS; layout++)
        for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
            if (sample_chosen(t + layout))
                check((enum weft_dtype)t, t % 2 ? 1025 : 3000, (enum layout)layout);
}

static void test_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
        run_disable("");
        run_threads(threads);
        check(WEFT_FLOAT32, MOST, DENSE);
        check(WEFT_FLOAT64, MOST, APART);
    }
    run_threads(0);
}

/* Kernels of a chain, which threads are at different ones of, need unlike amounts of memory of their own. */
static void test_chained_threads(void **state)
{
    enum { POINTS = 512, ELEMENTS = 700, INNER = 6 };
    static const char *const names[] = {"x"};
    const int64_t shape[] = {POINTS, ELEMENTS, INNER};
    (void)state;
    run_disable("");
    if (!run_in_c())
        skip(); /* a GPU's threads have no such memory */
    struct tensor x = tensor_new(WEFT_FLOAT32, 3, shape), out[2];
    for (int64_t i = 0; i < (int64_t)POINTS * ELEMENTS * INNER; i++)
        ((float *)x.memory)[i] = (float)(i * 7919 % 1021) - 500;
    for (int several = 0; several < 2; several++) {
        out[several] = tensor_new(WEFT_FLOAT32, 3, shape);
        run_disable("");
        run_threads(several ? 8 : 1);
        struct weft_program *program = run_compile("x - mean(x, axis=1, keepdims=true) + "
                                                   "float32(sum(float64(x), axis=1, keepdims=true)) * 0.5");
        for (int i = 0; i < (several ? sample_number("20/10/20/50") : 1); i++) {
            run_program(program, &x, names, 1, &out[several], 1, NULL);
            assert_memory_equal(out[several].memory, out[0].memory, (size_t)POINTS * ELEMENTS * INNER * sizeof(float));
        }
        weft_program_destroy(program);
    }
    run_threads(0);
    tensor_free(&x);
    tensor_free(&out[0]);
    tensor_free(&out[1]);
}

/* Without each fast path that its kernels might take. */
static void test_slow_paths(void **state)
{
    static const char *const words[] = {"flat", "expand", "row", "convert", "narrow", "hoist",
                                        "special", "joins", "chunk", "index"};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        run_disable(words[w]);
        check(WEFT_FLOAT32, 3000, DENSE);
        check(WEFT_BFLOAT16, 1025, DENSE);
        check(WEFT_UINT8, 1025, BACKWARDS);
    }
}

/* The library's functions against those that a kernel has of its own, of all types and joins, of rows and of columns,
 * of what is computed and of what lies in memory. */
static void test_library_joins(void **state)
{
    static const int64_t shapes[][2] = {{3, 2500}, {1100, 3}, {70, 67}, {1030, 40}, {40, 16}};
    static const char *const names[] = {"x"}, *const numbers[] = {
        "return sum(x, axis=1), sum(x, axis=0), min(x, axis=1), min(x, axis=0), max(x, axis=1), max(x, axis=0)",
        "y = x + x; return sum(y, axis=1), sum(y, axis=0), min(y, axis=1), min(y, axis=0), max(y, axis=1), "
        "max(y, axis=0)"},
        *const bools[] = {
        "return sum(x, axis=1), sum(x, axis=0), any(x, axis=1), any(x, axis=0), all(x, axis=1), all(x, axis=0)",
        "y = not x; return sum(y, axis=1), sum(y, axis=0), any(y, axis=1), any(y, axis=0), all(y, axis=1), "
        "all(y, axis=0)"};
    enum { RESULTS = 6 };
    (void)state;
    for (int t = 0, number = 0; t < WEFT_DTYPE_COUNT; t++)
        for (size_t k = 0; k < 2 * sizeof shapes / sizeof *shapes; k++) {
            if (!sample_chosen(number++))
                continue;
            struct tensor x = tensor_new((enum weft_dtype)t, 2, shapes[k / 2]), out[2][RESULTS];
            uint64_t seed = (uint64_t)t + k;
            for (int64_t i = 0; i < x.shape[0] * x.shape[1]; i++)
                tensor_set(&x, i, element(x.dtype, &seed));
            for (int own = 0; own < 2; own++) {
                run_disable(own ? "joins" : "");
                struct weft_program *program = run_compile((t == WEFT_BOOL ? bools : numbers)[k % 2]);
                for (int r = 0; r < RESULTS; r++)
                    out[own][r] = tensor_new(r < 2 ? sum_dtype(x.dtype) : x.dtype, 1, &x.shape[r % 2]);
                run_program(program, &x, names, 1, out[own], RESULTS, NULL);
                weft_program_destroy(program);
            }
            for (int r = 0; r < RESULTS; r++) {
                for (int64_t i = 0; i < out[0][r].shape[0]; i++)
                    assert_int_equal(tensor_get(&out[0][r], i).bits, tensor_get(&out[1][r], i).bits);
                tensor_free(&out[0][r]);
                tensor_free(&out[1][r]);
            }
            tensor_free(&x);
        }
}

/* Rows whose lanes are joined as they are computed, against those that are computed first: of an operand in memory that
 * ends with it and another, of a row of numbers for all, and of one number for each. */
static void test_joined_as_computed(void **state)
{
    static const int64_t lengths[] = {48, 49, 63, 64, 65, 100, 129, 511};
    static const int64_t counts[] = {16, 17, 70};
    static const char *const texts[] = {"sum(x * x, axis=-1)", "sum(x * y, axis=-1)", "sum(abs(x - v), axis=-1)",
                                        "sum((x - k) * (x - k), axis=-1)", "sum(x * v + k, axis=-1)",
                                        "prod(x * k, axis=-1)", "norm(x, -1)", "sum(max(x, y) * v, axis=-1)"};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, COUNTS = 3, TEXTS = sizeof texts / sizeof *texts };
    (void)state;
    for (int number = 0; number < 2 * LENGTHS * COUNTS * TEXTS; number++) {
        if (!sample_chosen(number))
            continue;
        const char *const text = texts[number / 2 % TEXTS], *names[4];
        const int64_t count = counts[number / (2 * TEXTS) % COUNTS], length = lengths[number / (2 * COUNTS * TEXTS)];
        const int64_t shapes[4][2] = {{count, length}, {count, length}, {1, length}, {count, 1}};
        const enum weft_dtype dtype = number % 2 ? WEFT_FLOAT64 : WEFT_FLOAT32;
        struct tensor in[4], out[2];
        uint64_t seed = (uint64_t)number;
        int inputs = 0;
        for (int k = 0; k < 4; k++) {
            static const char *const all[] = {"x", "y", "v", "k"};
            if (k && !strchr(text, *all[k]))
                continue;
            in[inputs] = tensor_new(dtype, 2, shapes[k]);
            for (int64_t i = 0; i < shapes[k][0] * shapes[k][1]; i++)
                tensor_set(&in[inputs], i, element(dtype, &seed));
            names[inputs++] = all[k];
        }
        for (int first = 0; first < 2; first++) {
            run_disable(first ? "joins" : "");
            struct weft_program *program = run_compile(text);
            out[first] = tensor_new(dtype, 1, &count);
            run_program(program, in, names, inputs, &out[first], 1, NULL);
            weft_program_destroy(program);
        }
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(tensor_get(&out[0], i).bits, tensor_get(&out[1], i).bits);
        for (int k = 0; k < inputs; k++)
            tensor_free(&in[k]);
        tensor_free(&out[0]);
        tensor_free(&out[1]);
    }
}

/* Some rows, of several blocks among them, dense ones and ones cut out of wider rows: sums in the order of the rule,
 * extremes of all elements. */
static void check_rows(enum weft_dtype dtype, int64_t length, int64_t count, int64_t apart)
{
    static const char *const texts[] = {"sum(x, axis=-1)", "max(x, axis=-1)", "min(x, axis=-1)"};
    static const char *const names[] = {"x"};
    const int64_t shape[] = {count, length + apart};
    struct tensor x = tensor_new(dtype, 2, shape);
    uint64_t seed = (uint64_t)(length * 16 + count);
    for (int64_t i = 0; i < count * (length + apart); i++)
        tensor_set(&x, i, element(dtype, &seed));
    x.shape[1] = length;
    for (int n = 0; n < 3; n++) {
        struct weft_program *program = run_compile(texts[n]);
        struct tensor out = tensor_new(n ? dtype : sum_dtype(dtype), 1, &count);
        run_program(program, &x, names, 1, &out, 1, NULL);
        weft_program_destroy(program);
        for (int64_t r = 0; r < count; r++) {
            struct tensor row = x;
            row.rank = 1;
            row.data = tensor_at(&x, (int64_t[]){r, 0});
            row.shape[0] = length;
            row.strides[0] = 1;
            union scalar due = n ? scalar_load(row.data, dtype) : expected_sum(&row, (int)length);
            for (int64_t i = 1; n && i < length; i++)
                due = eval_op(n == 1 ? OP_MAX : OP_MIN, dtype, dtype, due, scalar_load(at(&row, (int)i), dtype),
                              (union scalar){0});
            if (tensor_get(&out, r).bits != due.bits)
                fail_msg("%s of %s, row %d of %d, %d elements: %llx, not %llx", texts[n], type_rows[dtype].name, (int)r,
                         (int)count, (int)length, (unsigned long long)tensor_get(&out, r).bits,
                         (unsigned long long)due.bits);
        }
        tensor_free(&out);
    }
    tensor_free(&x);
}

static void test_rows(void **state)
{
    static const int64_t lengths[] = {3, 17, 65, 512, 513, 700, 769, 1023, 1024, 1025, 1039, 1500, 2047, 2048,
                                      2049, 4096, 4100, 5000, 9217, 16385};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, COUNTS = 21 };
    (void)state;
    for (int number = 0; number < WEFT_DTYPE_COUNT * LENGTHS * COUNTS; number++) {
        const enum weft_dtype dtype = (enum weft_dtype)(number / (LENGTHS * COUNTS));
        if (dtype == WEFT_BOOL || !sample_chosen(number))
            continue;
        run_disable(number % 3 ? "" : "joins");
        check_rows(dtype, lengths[number / COUNTS % LENGTHS], 1 + number % COUNTS, number % 5 ? 0 : 7);
    }
}

/* -0 is the sum of nothing but -0; without elements it is 0. */
static void test_zeros(void **state)
{
    (void)state;
    run_disable("");
    for (int count = 0; count < 40; count += 13)
        for (int positive = -1; positive < count; positive += 12) {
            struct tensor x = tensor_line(WEFT_FLOAT32, count);
            for (int i = 0; i < count; i++)
                ((float *)x.memory)[i] = i == positive ? 0.0f : -0.0f;
            struct tensor sum = sum_of("sum(x)", &x, WEFT_FLOAT32);
            assert_true(*(float *)sum.memory == 0);
            assert_int_equal(!!signbit(*(float *)sum.memory), count && positive < 0);
            tensor_free(&x);
            tensor_free(&sum);
        }
}

/* Under other operations and over them, twice, and of a selection of itself. */
static void test_inside(void **state)
{
    (void)state;
    run_disable("");
    struct tensor x = tensor_line(WEFT_INT32, 1500), sum;
    int64_t all = 0, every = 0, squares = 0;
    for (int i = 0; i < 1500; i++) {
        const int64_t value = i * 37 % 101;
        ((int32_t *)x.memory)[i] = (int32_t)value;
        all += value;
        every += i % 3 == 2 ? value : 0;
        squares += value * value;
    }
    sum = sum_of("s = sum(x); sum(x * x) + 3 * s + sum(x[2::3]) - sum(reshape(x[::-1], [30, 50])) + sum(s)", &x,
                 WEFT_INT64);
    assert_int_equal(*(int64_t *)sum.memory, squares + 3 * all + every - all + all);
    tensor_free(&x);
    tensor_free(&sum);
}

/* Extremes of what only got a wider type: elements are joined as they are, with values for those that are not there. */
static void test_wider(void **state)
{
    static const enum weft_dtype narrow[] = {WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_UINT8};
    static const int counts[] = {1, 17, 65, 300, 1030};
    (void)state;
    run_disable("");
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k += (size_t)sample_number("3/3/1/1"))
        for (int c = 0; c < 5; c++)
            for (int low = narrow[k] == WEFT_UINT8 ? 0 : -50; low <= 50; low += 50) {
                struct tensor x = tensor_line(narrow[k], counts[c]);
                for (int i = 0; i < counts[c]; i++)
                    tensor_set(&x, i, (union scalar){.i64 = low + (counts[c] - i) % 7});
                const int count = counts[c] < 7 ? counts[c] : 7, least = count == 7 ? 0 : 1;
                struct tensor found[] = {sum_of("min(wrap(x, dtype=int64))", &x, WEFT_INT64),
                                         sum_of("max(wrap(x, dtype=int64))", &x, WEFT_INT64),
                                         sum_of("argmin(wrap(x, dtype=int64))", &x, WEFT_INT64)};
                assert_int_equal(*(int64_t *)found[0].memory, low + least);
                assert_int_equal(*(int64_t *)found[1].memory, low + (count == 7 ? 6 : 1));
                assert_int_equal(*(int64_t *)found[2].memory, count == 7 ? counts[c] % 7 : 0);
                for (int i = 0; i < 3; i++)
                    tensor_free(&found[i]);
                tensor_free(&x);
            }
}

/* The same where a type of another sign gives them another order. */
static void test_signs(void **state)
{
    enum { COUNT = 70 };
    (void)state;
    run_disable("");
    struct tensor x = tensor_line(WEFT_INT16, COUNT), y = tensor_line(WEFT_UINT64, COUNT);
    for (int i = 0; i < COUNT; i++) {
        tensor_set(&x, i, (union scalar){.i64 = i - 2});
        tensor_set(&y, i, (union scalar){.u64 = (uint64_t)(int64_t)(i - 2)});
    }
    struct tensor found[] = {sum_of("max(wrap(x, dtype=uint32))", &x, WEFT_UINT32),
                             sum_of("min(wrap(x, dtype=uint32))", &x, WEFT_UINT32),
                             sum_of("max(wrap(x, dtype=int64))", &y, WEFT_INT64),
                             sum_of("min(wrap(x, dtype=int64))", &y, WEFT_INT64)};
    assert_true(*(uint32_t *)found[0].memory == UINT32_MAX && *(uint32_t *)found[1].memory == 0);
    assert_true(*(int64_t *)found[2].memory == COUNT - 3 && *(int64_t *)found[3].memory == -2);
    for (int i = 0; i < 4; i++)
        tensor_free(&found[i]);
    tensor_free(&x);
    tensor_free(&y);
}

/* Each sample of a batch by itself, of unlike sizes. */
static void test_batches(void **state)
{
    static const char *const names[] = {"x"};
    enum { SAMPLES = 5 };
    const int counts[SAMPLES] = {3, 0, 1500, 17, 1500};
    struct tensor in[SAMPLES], out[SAMPLES];
    (void)state;
    run_disable("");
    for (int i = 0; i < SAMPLES; i++) {
        in[i] = operand(WEFT_FLOAT32, counts[i], DENSE);
        fill(&in[i], counts[i], (uint64_t)i);
        out[i] = tensor_new(WEFT_FLOAT32, 0, NULL);
    }
    struct weft_program *program = run_compile("sum(x)");
    run_batches(program, in, names, 1, out, 1, SAMPLES, NULL);
    weft_program_destroy(program);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(tensor_get(&out[i], 0).bits, expected_sum(&in[i], counts[i]).bits);
        tensor_free(&in[i]);
        tensor_free(&out[i]);
    }
}

static int tear_down(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_layouts), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_chained_threads),
        cmocka_unit_test(test_slow_paths), cmocka_unit_test(test_library_joins),
        cmocka_unit_test(test_joined_as_computed), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_zeros), cmocka_unit_test(test_inside),
        cmocka_unit_test(test_wider), cmocka_unit_test(test_signs), cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests_name("reductions", tests, NULL, tear_down);
}
