/* Views of certain kinds: rows that are not exact, threads, more classes than a program gets kernels of its
 * own for, results in an input's buffer, chains of views, and bytes seen as another type. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct stream stream;

static int64_t below(int64_t bound)
{
    return (int64_t)stream_below(&stream, (uint64_t)bound);
}

/* ---- bits of rows that are not exact ---- */

static const char *const variants[] = {
    "",    "flat",   "special", "hoist, table",
    "row", "narrow", "hoist",   "flat, special, hoist, table, row, narrow, divisor, stream"};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum { DOWN = 30, ALONG = 77, VOLUME = DOWN * ALONG };

/* The same program with and without the view: element n is element n, to the bit. */
static void test_bits(void **state)
{
    (void)state;
    const int64_t column[] = {DOWN, 1}, whole[] = {DOWN, ALONG}, turned[] = {ALONG, DOWN};
    struct tensor in[] = {tensor_new(WEFT_FLOAT32, 2, column), tensor_line(WEFT_FLOAT32, ALONG),
                          tensor_line(WEFT_FLOAT32, DOWN)};
    struct tensor plain = tensor_new(WEFT_FLOAT32, 2, whole),
                  seen = tensor_new(WEFT_FLOAT32, 2, turned);
    static const char *const names[] = {"x", "y", "z"};
    stream = stream_init(3);
    for (int64_t i = 0; i < ALONG; i++) {
        tensor_set(&in[1], i, (union scalar){.f32 = (float)below(1000) / 100});
        tensor_set(&in[0], i % DOWN, (union scalar){.f32 = (float)below(1000) / 100});
        tensor_set(&in[2], i % DOWN, (union scalar){.f32 = (float)below(1000) / 100});
    }
    for (int v = 0; v < VARIANTS; v++) {
        if (!sample_chosen(WEFT_DTYPE_COUNT * v))
            continue;
        run_disable(variants[v]);
        struct weft_program *program = run_compile("exp(sin(x) + y) + exp(x)");
        run_program(program, in, names, 2, &plain, 1, NULL);
        weft_program_destroy(program);
        program = run_compile("reshape(exp(sin(x) + y) + exp(x), [77, 30]) * cos(z)");
        run_program(program, in, names, 3, &seen, 1, NULL);
        weft_program_destroy(program);
        struct weft_program *cosine = run_compile("cos(z)");
        struct tensor cosines = tensor_line(WEFT_FLOAT32, DOWN);
        run_program(cosine, in + 2, names + 2, 1, &cosines, 1, NULL);
        weft_program_destroy(cosine);
        for (int64_t i = 0; i < VOLUME; i++)
            assert_true(tensor_get(&seen, i).f32 ==
                        tensor_get(&plain, i).f32 * tensor_get(&cosines, i % DOWN).f32);
        tensor_free(&cosines);
    }
    tensor_free(&in[0]);
    tensor_free(&in[1]);
    tensor_free(&in[2]);
    tensor_free(&plain);
    tensor_free(&seen);
}

/* ---- threads ---- */

static void test_threads(void **state)
{
    (void)state;
    enum { A = 1800, B = 2500 };
    struct tensor in[] = {tensor_new(WEFT_INT32, 2, (int64_t[]){A, 1}), tensor_line(WEFT_INT32, B),
                          tensor_new(WEFT_INT32, 2, (int64_t[]){B, 1})};
    struct tensor out = tensor_new(WEFT_INT32, 2, (int64_t[]){B, A});
    static const char *const names[] = {"x", "y", "z"};
    int32_t *x = in[0].memory, *y = in[1].memory, *z = in[2].memory;
    for (int i = 0; i < B; i++) {
        x[i % A] = i * 7919;
        y[i] = i * 31 - 5;
        z[i] = i - 900;
    }
    run_disable("");
    for (int most = 1; most <= 3; most++) {
        run_threads(most);
        struct weft_program *program = run_compile("reshape(x * y + x, [2500, 1800]) - z");
        memset(out.memory, 0x55, sizeof(int32_t) * A * B);
        run_program(program, in, names, 3, &out, 1, NULL);
        for (int64_t n = 0; n < (int64_t)A * B; n++) {
            uint32_t u =
                (uint32_t)x[n / B] * (uint32_t)y[n % B] + (uint32_t)x[n / B] - (uint32_t)z[n / A];
            assert_int_equal(((int32_t *)out.memory)[n], (int32_t)u);
        }
        weft_program_destroy(program);
    }
    run_threads(0);
    for (int k = 0; k < 3; k++)
        tensor_free(&in[k]);
    tensor_free(&out);
}

/* ---- many classes ---- */

enum { LAYOUTS = 7, ELEMENTS = 48 };

/* 48 numbers in their order, somewhere in memory. */
static struct tensor in_layout(int layout, int first)
{
    static const struct {
        int rank;
        int64_t shape[3], strides[3];
    } layouts[LAYOUTS] = {{1, {48}, {1}},
                          {1, {48}, {3}},
                          {2, {8, 6}, {9, 1}},
                          {2, {16, 3}, {1, 17}},
                          {2, {6, 8}, {10, 1}},
                          {2, {12, 4}, {-4, 1}},
                          {3, {3, 4, 4}, {30, -6, 1}}};
    struct tensor t = tensor_line(WEFT_INT32, 400);
    t.rank = layouts[layout].rank;
    t.data += 200 * sizeof(int32_t);
    for (int d = 0; d < t.rank; d++) {
        t.shape[d] = layouts[layout].shape[d];
        t.strides[d] = layouts[layout].strides[d];
    }
    for (int64_t i = 0; i < ELEMENTS; i++) {
        int64_t index[TENSOR_RANK] = {0}, rest = i;
        for (int d = t.rank - 1; d >= 0; rest /= t.shape[d--])
            index[d] = rest % t.shape[d];
        *(int32_t *)tensor_at(&t, index) = first + (int32_t)i;
    }
    return t;
}

/* One program on all pairs of layouts: more than it gets kernels of its own for. */
static void test_classes(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "y"};
    struct tensor out = tensor_new(WEFT_INT32, 3, (int64_t[]){2, 6, 4});
    run_disable("");
    struct weft_program *program =
        run_compile("reshape(x, [-1, 6, 4]) * 1000 + reshape(y, [2, -1, 4])");
    for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++) {
        struct tensor in[] = {in_layout(pair % LAYOUTS, 7), in_layout(pair / LAYOUTS, 100)};
        run_program(program, in, names, 2, &out, 1, NULL);
        for (int64_t i = 0; i < ELEMENTS; i++)
            assert_int_equal(tensor_get(&out, i).i32, (7 + i) * 1000 + 100 + i);
        tensor_free(&in[0]);
        tensor_free(&in[1]);
    }
    weft_program_destroy(program);
    tensor_free(&out);
}

/* ---- an output that is an input's buffer ---- */

static void check_in_place(const char *program_text, enum weft_status expected)
{
    static const char *const names[] = {"a", "b"};
    const int64_t shape[] = {4, 6};
    struct tensor in[] = {tensor_new(WEFT_INT32, 2, shape), tensor_line(WEFT_INT32, 24)};
    struct weft_program *program = run_compile(program_text);
    int count = (int)weft_program_input_count(program);
    if (run_try(program, in, names, count, in, 1) != expected)
        fail_msg("%s", program_text);
    weft_program_destroy(program);
    tensor_free(&in[0]);
    tensor_free(&in[1]);
}

static void test_in_place(void **state)
{
    (void)state;
    run_disable("");
    check_in_place("a + reshape(b, [4, 6])", WEFT_OK);
    check_in_place("a + reshape(reshape(a, [6, 4]), [4, 6])", WEFT_OVERLAP_ERROR);
    check_in_place("a + int32(reshape(exp(a), [4, 6]))", WEFT_OVERLAP_ERROR);
    check_in_place("reinterpret(reinterpret(a, float32), int32) + a", WEFT_OK);
    check_in_place("reinterpret(a, uint32) + int32(1)", WEFT_INPUT_ERROR); /* int64 */
    check_in_place("int32(reinterpret(a, int32, shape=[4, 6])) + 1", WEFT_OVERLAP_ERROR);
    check_in_place("int32(reinterpret(a, int16)[:, ::2]) + a", WEFT_OVERLAP_ERROR);
    check_in_place("t = reshape(a, [24])\nreturn r = a + reshape(b, [4, 6])", WEFT_OK);
}

/* ---- too many ways to read one value ---- */

static void test_limit(void **state)
{
    (void)state;
    char program_text[4000];
    int at = sprintf(program_text, "y0 = x + 1\n");
    /* As many shapes over and over: few maps, however long the chain. */
    for (int k = 1; k <= 40; k++)
        at += sprintf(program_text + at, "y%d = reshape(y%d, [%d, %d]) + reshape(y%d, [%d, %d])\n",
                      k, k - 1, k % 2 ? 2 : 3, k % 2 ? 3 : 2, k - 1, k % 2 ? 2 : 3, k % 2 ? 3 : 2);
    struct tensor in = tensor_new(WEFT_INT32, 1, (int64_t[]){6});
    struct tensor out = tensor_new(WEFT_INT32, 2, (int64_t[]){3, 2});
    static const char *const names[] = {"x"};
    for (int64_t i = 0; i < 6; i++)
        tensor_set(&in, i, (union scalar){.i32 = (int32_t)i});
    run_disable("");
    struct weft_program *program = run_compile(program_text);
    run_program(program, &in, names, 1, &out, 1, NULL);
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(tensor_get(&out, i).i32, (int32_t)((uint64_t)(i + 1) << 40));
    weft_program_destroy(program);
    tensor_free(&out);
    /* Each line doubles the ways, and the elements. */
    at = sprintf(program_text, "y0 = reshape(x, [6])\n");
    for (int k = 1, n = 6; k <= 10; k++, n *= 2)
        at += sprintf(program_text + at,
                      "y%d = reshape(reshape(y%d, [%d, 1, 2]) + reshape(y%d, [%d, 2, 1]), [-1])\n",
                      k, k - 1, n / 2, k - 1, n / 2);
    out = tensor_line(WEFT_INT32, 6 * 1024);
    program = run_compile(program_text);
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_LIMIT_ERROR);
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&out);
}

/* ---- reinterpret ---- */

/* Bytes of which no element of the type is NaN, whose bits may change, and a bool is 0 or 1. */
static void fill(void *memory, enum weft_dtype dtype, int64_t count)
{
    size_t size = weft_dtype_size(dtype);
    for (int64_t i = 0; i < count; i++) {
        unsigned char *element = (unsigned char *)memory + (size_t)i * size;
        for (size_t b = 0; b < size; b++)
            element[b] = (unsigned char)(dtype == WEFT_BOOL ? below(2) : below(256));
        element[size - 1] =
            dtype_is_float(dtype) && (element[size - 1] & 0x7c) == 0x7c ? 3 : element[size - 1];
    }
}

/* What stands at byte `offset` of the rows one behind the other. */
static unsigned char byte_of(const struct tensor *in, int64_t row_bytes, int64_t offset)
{
    int64_t size = (int64_t)weft_dtype_size(in->dtype);
    const int64_t index[] = {offset / row_bytes, offset % row_bytes / size};
    return ((unsigned char *)tensor_at(in, index))[offset % size];
}

/* The rows of an input, which may lie apart, as another type. */
static void check_reinterpret(enum weft_dtype from, enum weft_dtype to, int64_t gap, bool inside)
{
    enum { ROWS = 5, ROW = 48 };
    int64_t old = (int64_t)weft_dtype_size(from), size = (int64_t)weft_dtype_size(to);
    struct tensor in = tensor_new(from, 2, (int64_t[]){ROWS, (ROW + gap) / old});
    struct tensor out = tensor_new(to, 3, (int64_t[]){3, ROWS * ROW / size / 3, 1});
    char program_text[200];
    static const char *const names[] = {"x", "y"};
    struct tensor inputs_[] = {in, tensor_line(WEFT_BOOL, 1)};
    fill(in.memory, from, ROWS * (ROW + gap) / old);
    inputs_[0].shape[1] = ROW / old;
    sprintf(program_text,
            inside ? "reshape(reinterpret(where(y, x, x), %s), [3, -1, 1])"
                   : "reinterpret(x, %s, shape=[3, %lld, 1])",
            weft_dtype_name(to), (long long)(ROWS * ROW / size / 3));
    const char *const swapped[] = {"y", "x"};
    struct tensor given[] = {inputs_[inside], inputs_[!inside]};
    run_disable("");
    struct weft_program *program = run_compile(program_text);
    run_program(program, given, inside ? swapped : names, 1 + inside, &out, 1, NULL);
    for (int64_t i = 0; i < ROWS * ROW; i++) {
        unsigned char expected = byte_of(&inputs_[0], ROW, i);
        if (((unsigned char *)out.memory)[i] != (to == WEFT_BOOL ? expected != 0 : expected))
            fail_msg("%s on %s, rows %d bytes apart: byte %d", program_text, weft_dtype_name(from),
                     (int)gap, (int)i);
    }
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&inputs_[1]);
    tensor_free(&out);
}

static void test_reinterpret(void **state)
{
    (void)state;
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++)
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++)
            for (int inside = 0; inside < 2; inside++)
                if ((!inside || weft_dtype_size(from) == weft_dtype_size(to)) &&
                    sample_chosen(2 * sample_pair(from, to, WEFT_DTYPE_COUNT) + inside))
                    check_reinterpret(from, to, (from + to) % 2 * 16, inside);
}

/* Host data for a GPU are copied, and those with gaps packed, so that their elements lie together there. */
static bool is_packed(void)
{
    const char *target = getenv("WEFT_TARGET"), *device = getenv("WEFT_TEST_DEVICE");
    return target && strcmp(target, "cuda") == 0 && (!device || !*device);
}

/* Elements that do not lie together, or not at places for the new type. */
static void test_reinterpret_apart(void **state)
{
    (void)state;
    static const char *const names[] = {"x"};
    const enum weft_status apart = is_packed() ? WEFT_OK : WEFT_INPUT_ERROR;
    struct tensor in = tensor_new(WEFT_UINT8, 2, (int64_t[]){8, 64}),
                  out = tensor_line(WEFT_FLOAT32, 8);
    struct weft_program *program = run_compile("reinterpret(x, float32, shape=[8])");
    in.shape[1] = 4;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_OK);
    in.strides[1] = 2;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), apart);
    in.strides[0] = 1, in.strides[1] = 64;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), apart);
    in.strides[0] = 62, in.strides[1] = 1;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), apart);
    in.strides[0] = 4, in.data += 2;
    assert_int_equal(run_try(program, &in, names, 1, &out, 1), WEFT_INPUT_ERROR);
    weft_program_destroy(program);
    tensor_free(&in);
    tensor_free(&out);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_classes),     cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_reinterpret),
        cmocka_unit_test(test_reinterpret_apart)};
    return cmocka_run_group_tests_name("view_kernels", tests, NULL, finish);
}
