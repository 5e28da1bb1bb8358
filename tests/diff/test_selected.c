/* Selections, rearrangements and joins on the fast paths for them against the slow one, on the same data: the same
 * bytes and the same remarks, and nothing written outside a result. Extents of 0 and 1, rows that no block fills,
 * enough elements for kernels of parts; operands that lie backwards, apart, transposed and at odd addresses. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is off; the first is the slow path. */
static const char *const variants[] = {"split, transpose, interleave, special, flat, expand", "", "split",
                                       "transpose", "interleave", "transpose, interleave, flat", "split, stream",
                                       "near, chain"};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Extents of inputs x, y and z; H and W are those of the size at hand. */
enum { H = -1, W = -2 };

static const struct {
    const char *text;
    struct { int rank; int64_t shape[4]; } in[3];
} programs[] = {
    {"transpose(x)", {{2, {H, W}}}},
    {"transpose(x) * y - z", {{2, {H, W}}, {2, {W, H}}, {1, {H}}}},
    {"transpose(x) + transpose(uint8(y))", {{2, {H, W}}, {2, {H, W}}}},
    {"transpose(x, [0, 2, 1])", {{3, {3, H, W}}}},
    {"transpose(x, [2, 0, 1])", {{3, {H, W, 3}}}},
    {"transpose(x, [1, 2, 0]) + y", {{3, {3, H, W}}, {1, {3}}}},
    {"transpose(x, [1, 2, 0])", {{3, {2, H, W}}}},
    {"transpose(x, [1, 2, 0])", {{3, {4, H, W}}}},
    {"transpose(x, [2, 0, 1]) * float32(1.5)", {{3, {H, W, 4}}}},
    {"transpose(x, [2, 1, 0])", {{3, {3, W, 17}}}},
    {"transpose(x, [2, 1, 0]) * y - z", {{3, {2, W, 18}}, {1, {2}}, {2, {W, 2}}}},
    {"transpose(x, [1, 0, 2])", {{3, {W, 19, 3}}}},
    {"transpose(x, [1, 0, 2]) + y", {{3, {W, 5, 4}}, {3, {5, 1, 1}}}},
    {"x[:, ::-1]", {{3, {H, W, 3}}}},
    {"x[:, ::-1] + y", {{3, {H, W, 2}}, {2, {W, 2}}}},
    {"x[::-1, ::-1]", {{3, {H, W, 4}}}},
    {"x[..., :3]", {{3, {H, W, 4}}}},
    {"x[..., ::-1]", {{3, {H, W, 3}}}},
    {"x[..., [2, 0, 1]]", {{3, {H, W, 3}}}},
    {"x[::-1, ..., [0, 0, -1, 1]] - y", {{3, {H, W, 3}}, {2, {W, 4}}}},
    {"concat(x, x, axis=-1)", {{3, {H, W, 2}}}},
    {"x[::-1, ::-1, ::-1] + y", {{3, {H, W, 4}}, {3, {H, W, 4}}}},
    {"x[:, ::-1] - y[::-1]", {{2, {H, W}}, {2, {H, W}}}},
    {"x[..., 2] + x[..., 0] * y - x[..., 1]", {{3, {H, W, 3}}, {2, {H, W}}}},
    {"x[..., 1] - x[..., 0]", {{3, {H, W, 2}}}},
    {"x[..., 1] - x[..., 2]", {{3, {H, W, 3}}}},
    {"min(x[..., 0], x[..., 3], x[..., 1], x[..., 2]) + y[:, ::2, 0] * y[:, 1::2, 0]",
     {{3, {H, 2, 4}}, {3, {H, 4, 1}}}},
    {"x[:, ::-1, 2] * y[..., 0] - x[:, ::-1, 0] * y[..., 1] + x[:, ::-1, 1]", {{3, {H, W, 3}}, {3, {H, W, 2}}}},
    {"x[1:] - x[:-1]", {{2, {H, W}}}},
    {"correlate(x, [[1, 2, 0, 1], [0, 3, 0, 0], [1, 0, 0, 2]], \"wrap\") + offset(y, -2, \"edge\", axes=0)",
     {{2, {H, W}}, {1, {W}}}},
    {"x[:, 5:] * x[:, :-5] - x[:, 3:-2]", {{2, {H, 80}}}},
    {"concat(x, y)", {{2, {H, W}}, {2, {3, W}}}},
    {"concat(x, y, z, axis=1)", {{2, {H, W}}, {2, {H, 1}}, {2, {H, W}}}},
    {"concat(x, y, axis=-1)", {{3, {H, W, 3}}, {3, {H, W, 1}}}},
    {"concat(transpose(x), y) * z", {{2, {W, H}}, {2, {2, W}}, {1, {W}}}},
    {"concat(x, y)[::-1, 1:]", {{2, {H, W}}, {2, {H, W}}}},
    {"concat(x // y, y, axis=1)", {{2, {H, W}}, {2, {H, W}}}},
    {"concat(where(y > 0, x // z, y), y % z)", {{2, {H, W}}, {2, {H, W}}, {2, {H, W}}}},
    {"return p = concat(x, y) + 1, q = concat(y, x)", {{2, {H, W}}, {2, {H, W}}}},
    {"concat(exp(float32(x)), float32(y)) + exp(float32(z))", {{2, {H, W}}, {2, {H, W}}, {1, {W}}}},
    {"stack(x, y, z)", {{2, {H, W}}, {2, {H, W}}, {2, {H, W}}}},
    {"stack(x, y, z, axis=1)", {{2, {H, W}}, {2, {H, W}}, {2, {H, W}}}},
    {"stack(x, y, z, axis=-1)", {{2, {H, W}}, {2, {H, W}}, {2, {H, W}}}},
    {"roll(x, 5)", {{2, {H, W}}}},
    {"roll(x, [-3, 40], [0, 1]) - y", {{2, {H, W}}, {2, {H, W}}}},
    {"roll(x, [1, 1, 1, 1], [0, 1, 2, 3])", {{4, {H, 2, W, 3}}}},
    {"roll(y, 2) + x", {{2, {H, W}}, {1, {W}}}},
    {"roll(x[:, ::-1], 7) + roll(concat(y, y), 3)[::2]", {{2, {H, W}}, {1, {W}}}},
    {"reshape(roll(x, 1, 0), [-1])", {{2, {H, W}}}},
    {"concat(take(x, int32(y)), z)", {{2, {H, W}}, {1, {3}}, {2, {2, W}}}},
    {"take(roll(concat(x, y), 2), int32(z))", {{2, {H, W}}, {2, {H, W}}, {1, {H}}}},
    {"tile(x, [2, 3])", {{2, {H, W}}}},
    {"repeat(x, 2, 1)", {{3, {H, W, 3}}}},
    {"repeat(repeat(x, 2, 0), 2, 1)", {{3, {H, W, 3}}}},
    {"repeat(x[:, ::-1], 2, 2) - y", {{3, {H, W, 2}}, {2, {W, 4}}}},
    {"x[..., [1, 0, 1]] * y + stack(z, z[:, ::-1], z, axis=-1)", {{3, {H, W, 3}}, {1, {3}}, {2, {H, W}}}},
    {"concat(x, y, axis=-1)[::-1, :, ::-1]", {{3, {H, W, 3}}, {3, {H, W, 1}}}},
    {"float32(x[..., 0]) * 0.299 + float32(x[..., 2]) * 0.114 + float32(x[..., 1]) * 0.587", {{3, {H, W, 3}}}},
    {"float32(x[..., 1]) / (0.5 + float32(x[..., 0])) - float32(x[..., 1])", {{3, {H, W, 2}}}},
    {"uint8(float32(x[..., 2]) * 0.5 + float32(x[..., 3]) - float32(x[..., 0]) * 0.25 + float32(x[..., 1]))",
     {{3, {H, W, 4}}}},
    {"float32(x[..., 0]) * 0.5 + float32(x[..., 1] // 2) + float32(x[..., 2])", {{3, {H, W, 3}}}},
    {"float32(x[..., 0]) * float32(y[..., 1]) + float32(x[..., 1]) * float32(y[..., 0])",
     {{3, {H, W, 2}}, {3, {H, W, 2}}}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const int64_t sizes[][2] = {{0, 5}, {1, 1}, {1, 300}, {9, 2}, {130, 150}, {67, 259}, {3, 17000}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_INT64,
                                         WEFT_INT8, WEFT_FLOAT16, WEFT_INT32, WEFT_FLOAT64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

enum { LAYOUTS = 4, MARGIN = 3, OPERANDS = 3, RESULTS = 2 };

static struct stream stream;

static int64_t extent_of(int64_t extent, const int64_t *size)
{
    return extent == H ? size[0] : extent == W ? size[1] : extent;
}

/* A tensor inside memory of its own, which begins at an odd element of it. Layout 0: dense; 1: dimensions in memory in
 * the opposite order; 2: with gaps; 3: backwards. */
static struct tensor place(enum weft_dtype dtype, int rank, const int64_t *shape, int layout, int64_t *elements)
{
    int64_t count = 1;
    struct tensor tensor = {.dtype = dtype, .rank = rank};
    for (int k = 0; k < rank; k++) {
        const int d = layout == 1 ? k : rank - 1 - k;
        tensor.shape[d] = shape[d];
        tensor.strides[d] = count;
        count *= shape[d] + (layout == 2);
    }
    *elements = count + 2 * MARGIN;
    const struct tensor memory = tensor_line(dtype, *elements);
    tensor.memory = memory.memory;
    tensor.data = memory.data + MARGIN * weft_dtype_size(dtype);
    for (int d = 0; d < rank && layout == 3; d++) {
        if (shape[d] > 0)
            tensor.data += (shape[d] - 1) * tensor.strides[d] * (int64_t)weft_dtype_size(dtype);
        tensor.strides[d] = -tensor.strides[d];
    }
    return tensor;
}

/* Small whole numbers, zero among them. */
static struct tensor make_input(int program, int i, enum weft_dtype dtype, const int64_t *size, int layout)
{
    int64_t shape[4], elements;
    for (int d = 0; d < programs[program].in[i].rank; d++)
        shape[d] = extent_of(programs[program].in[i].shape[d], size);
    struct tensor tensor = place(dtype, programs[program].in[i].rank, shape, layout, &elements);
    for (int64_t n = 0; n < elements; n++) {
        const union scalar value = {.i64 = (int64_t)stream_below(&stream, 100) - (dtype == WEFT_UINT8 ? 0 : 30)};
        scalar_store((char *)tensor.memory + n * (int64_t)weft_dtype_size(dtype), dtype,
                     eval_convert(WEFT_INT64, dtype, false, value));
    }
    return tensor;
}

static void infer(struct weft_program *program, struct tensor *in, const char *const *names, int count,
                  struct weft_tensor_info *infos)
{
    DLTensor tensors[OPERANDS];
    struct weft_argument arguments[OPERANDS];
    for (int i = 0; i < count; i++) {
        tensors[i] = (DLTensor){.data = in[i].data, .device = {kDLCPU, 0}, .ndim = in[i].rank,
                                .dtype = weft_dtype_to_dlpack(in[i].dtype), .shape = in[i].shape,
                                .strides = in[i].strides};
        arguments[i] = (struct weft_argument){.name = names[i], .tensors = &tensors[i]};
    }
    assert_int_equal(weft_infer(program, arguments, (size_t)count, infos, NULL), WEFT_OK);
}

/* The memory around and of the results of one run, and its status and remark. */
struct outcome {
    struct tensor out[RESULTS];
    int64_t bytes[RESULTS];
    enum weft_status status;
    char remark[600];
};

static void run_variant(int program, struct tensor *in, int count, int layout, const char *variant,
                        struct outcome *outcome)
{
    static const char *const names[] = {"x", "y", "z"};
    struct weft_tensor_info infos[RESULTS];
    struct weft_error *remark = NULL;
    run_disable(variant);
    struct weft_program *compiled = run_compile(programs[program].text);
    const int results = (int)weft_program_result_count(compiled);
    infer(compiled, in, names, count, infos);
    memset(outcome, 0, sizeof *outcome);
    for (int r = 0; r < results; r++) {
        outcome->out[r] = place(infos[r].dtype, infos[r].rank, infos[r].shape, layout, &outcome->bytes[r]);
        outcome->bytes[r] *= (int64_t)weft_dtype_size(infos[r].dtype);
        memset(outcome->out[r].memory, 0x55, (size_t)outcome->bytes[r]);
    }
    outcome->status = run_program(compiled, in, names, count, outcome->out, results, &remark);
    if (remark)
        weft_error_render(remark, outcome->remark, sizeof outcome->remark);
    weft_error_destroy(remark);
    weft_program_destroy(compiled);
}

static void check(int program, enum weft_dtype dtype, const int64_t *size, int layout, int to_layout)
{
    struct tensor in[OPERANDS];
    struct outcome expected, actual;
    int count = 0;
    for (; count < OPERANDS && programs[program].in[count].rank; count++)
        in[count] = make_input(program, count, dtype, size, layout);
    run_variant(program, in, count, to_layout, variants[0], &expected);
    for (int v = 1; v < VARIANTS; v++) {
        run_variant(program, in, count, to_layout, variants[v], &actual);
        for (int r = 0; r < RESULTS; r++) {
            if (expected.bytes[r] != actual.bytes[r] || expected.status != actual.status ||
                strcmp(expected.remark, actual.remark) != 0 ||
                (expected.bytes[r] &&
                 memcmp(expected.out[r].memory, actual.out[r].memory, (size_t)expected.bytes[r]) != 0))
                fail_msg("%s on %s, %d x %d, layouts %d and %d, without '%s': result %d differs",
                         programs[program].text, weft_dtype_name(dtype), (int)size[0], (int)size[1], layout,
                         to_layout, variants[v], r);
            tensor_free(&actual.out[r]);
        }
    }
    for (int r = 0; r < RESULTS; r++)
        tensor_free(&expected.out[r]);
    for (int i = 0; i < count; i++)
        tensor_free(&in[i]);
}

static void test_paths(void **state)
{
    (void)state;
    long number = 0;
    stream = stream_init(11);
    for (int program = 0; program < PROGRAMS; program++)
        for (int size = 0; size < SIZES; size++, number++)
            for (int layout = 0; layout < LAYOUTS; layout++)
                if (sample_chosen(number * LAYOUTS + layout))
                    check(program, dtypes[(number + layout) % DTYPES], sizes[size], layout, number % 5 ? 0 : 2);
}

/* ---- batches ---- */

/* Sample `i` of a batch: sizes in turns dense and not, or one that is dense behind one with gaps, and the other way
 * round. */
struct in_turn {
    int size, layout;
};
static const struct in_turn unlike[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 0}, {5, 1}, {6, 2}};
static const struct in_turn alike[] = {{4, 2}, {4, 0}, {4, 2}, {5, 3}, {5, 2}, {5, 0}};
enum { SAMPLES = 7 };

/* Samples at once, as the same samples one by one on the slow path. */
static void check_batch(int program, enum weft_dtype dtype, const struct in_turn *turns, int samples)
{
    static const char *const names[] = {"x", "y", "z"};
    static struct tensor in[SAMPLES * OPERANDS], out[SAMPLES * RESULTS];
    static struct outcome expected[SAMPLES];
    int count = 0, results = 0;
    while (count < OPERANDS && programs[program].in[count].rank)
        count++;
    for (int s = 0; s < samples; s++) {
        for (int i = 0; i < count; i++)
            in[s * count + i] = make_input(program, i, dtype, sizes[turns[s].size], turns[s].layout);
        run_variant(program, &in[s * count], count, 0, variants[0], &expected[s]);
        results = expected[s].bytes[1] ? 2 : 1;
    }
    for (int s = 0; s < samples; s++)
        for (int r = 0; r < results; r++) {
            int64_t elements;
            const struct tensor *one = &expected[s].out[r];
            out[s * results + r] = place(one->dtype, one->rank, one->shape, 0, &elements);
            memset(out[s * results + r].memory, 0x55, (size_t)expected[s].bytes[r]);
        }
    run_disable("");
    struct weft_error *remark = NULL;
    struct weft_program *compiled = run_compile(programs[program].text);
    run_batches(compiled, in, names, count, out, results, samples, &remark);
    weft_error_destroy(remark);
    weft_program_destroy(compiled);
    for (int s = 0; s < samples; s++) {
        for (int r = 0; r < results; r++) {
            if (memcmp(expected[s].out[r].memory, out[s * results + r].memory, (size_t)expected[s].bytes[r]) != 0)
                fail_msg("%s on %s, as sample %d of a batch of %d: result %d differs", programs[program].text,
                         weft_dtype_name(dtype), s, samples, r);
            tensor_free(&expected[s].out[r]);
            tensor_free(&out[s * results + r]);
        }
        for (int i = 0; i < count; i++)
            tensor_free(&in[s * count + i]);
    }
}

static void test_batches(void **state)
{
    (void)state;
    const char *layer = getenv("WEFT_LAYER");
    const bool again = layer && strcmp(layer, "again") == 0;
    stream = stream_init(12);
    for (int program = 0; program < PROGRAMS; program++)
        /* the second is interleaved */
        if (sample_chosen(program * 7) || (!again && strcmp(programs[program].text, "x[:, ::-1]") == 0)) {
            check_batch(program, dtypes[program % DTYPES], unlike, (int)(sizeof unlike / sizeof *unlike));
            run_threads(1); /* which goes over all samples in their order */
            check_batch(program, dtypes[program % DTYPES], alike, (int)(sizeof alike / sizeof *alike));
            run_threads(0);
        }
}

/* ---- positions ---- */

/* Many positions are a sum; what it is of depends on how many there are. */
static void test_positions(void **state)
{
    (void)state;
    static const int64_t counts[] = {4096, 4097, 5000, 8191, 65537, 1000003, (1 << 20) + 4096, 1 << 24, (1 << 24) + 1};
    static const char *const off[] = {"", "split", "special, split"};
    char text[200];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int v = 0; v < 3; v++) {
            const int64_t n = counts[i];
            if (!sample_chosen((long)i * 3 + v) && n > 100000)
                continue;
            struct tensor out[] = {tensor_line(WEFT_INT32, n), tensor_line(WEFT_INT64, n), tensor_line(WEFT_INT32, n)};
            snprintf(text, sizeof text,
                     "return arange(%lld), index(arange(%lld)[::-1], 0, dtype=int64) - 7, roll(arange(%lld), 3)",
                     (long long)n, (long long)n, (long long)n);
            run_disable(off[v]);
            struct weft_program *program = run_compile(text);
            run_program(program, NULL, NULL, 0, out, 3, NULL);
            for (int64_t k = 0; k < n; k++)
                if (((int32_t *)out[0].memory)[k] != k || ((int64_t *)out[1].memory)[k] != k - 7 ||
                    ((int32_t *)out[2].memory)[k] != (k + n - 3) % n)
                    fail_msg("%s without '%s' at %lld", text, off[v], (long long)k);
            weft_program_destroy(program);
            for (int r = 0; r < 3; r++)
                tensor_free(&out[r]);
        }
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths), cmocka_unit_test(test_batches),
                                       cmocka_unit_test(test_positions)};
    return cmocka_run_group_tests(tests, NULL, finish);
}
