/* Outputs of 16 MB and more, and of 8 MB where they are transposed, are written past the caches: with that and without
 * every byte is the same, the ones between and around rows included. Rows of an odd pitch begin at every place in a
 * line of the cache that an element can have, and end in a part of a block. */
#include "tests/diff/run.h"
#include "tests/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STREAMED = 16 << 20, FETCHED = 7 << 20, LINE = 64, ALIGNED_ROW = 4096, UNTOUCHED = 0xa5, MOST = 4 };

/* ---- outputs at chosen places ---- */

struct placed {
    struct tensor tensor;
    size_t bytes;                  /* of the memory, which starts on a line */
};

/* `from` elements behind a line, with `gap` elements between the outermost rows. */
static struct placed place(enum weft_dtype dtype, int rank, const int64_t *shape, int64_t gap, int64_t from)
{
    struct placed p = {.tensor = {.dtype = dtype, .rank = rank}};
    int64_t size = (int64_t)weft_dtype_size(dtype), volume = 1;
    for (int d = rank - 1; d >= 0; d--) {
        p.tensor.shape[d] = shape[d];
        p.tensor.strides[d] = volume + (d == 0 && rank > 1 ? gap : 0);
        volume = shape[d] * p.tensor.strides[d];
    }
    p.bytes = ((size_t)((volume + from) * size) / LINE + 3) * LINE;
    p.tensor.memory = aligned_alloc(LINE, p.bytes);
    assert_non_null(p.tensor.memory);
    p.tensor.data = (char *)p.tensor.memory + LINE + from * size;
    memset(p.tensor.memory, UNTOUCHED, p.bytes);
    return p;
}

static struct tensor small_integers(enum weft_dtype dtype, int rank, const int64_t *shape)
{
    struct tensor x = tensor_new(dtype, rank, shape);
    int64_t volume = 1;
    for (int d = 0; d < rank; d++)
        volume *= shape[d];
    for (int64_t i = 0; i < volume; i++)
        if (dtype == WEFT_UINT8)
            ((uint8_t *)x.memory)[i] = (uint8_t)(i * 7 + i / 251);
        else
            ((float *)x.memory)[i] = (float)(i * 7 % 1009) * 0.5f;
    return x;
}

static struct tensor small_numbers(enum weft_dtype dtype, int rank, const int64_t *shape)
{
    struct tensor x = tensor_new(dtype, rank, shape);
    int64_t volume = 1;
    for (int d = 0; d < rank; d++)
        volume *= shape[d];
    for (int64_t i = 0; i < volume; i++) {
        const int64_t number = (i * 7 + i / 251) % 101;
        if (dtype == WEFT_UINT8)
            ((uint8_t *)x.memory)[i] = (uint8_t)number;
        else if (dtype == WEFT_INT16)
            ((int16_t *)x.memory)[i] = (int16_t)number;
        else if (dtype == WEFT_FLOAT32)
            ((float *)x.memory)[i] = (float)number;
        else
            ((double *)x.memory)[i] = (double)number;
    }
    return x;
}

/* ---- with and without ---- */

struct input {
    const char *name;
    struct tensor tensor;
};

static void run_once(const char *text, const struct input *inputs, int input_count,
                     const struct placed *outputs, int output_count, const char *without, int threads)
{
    struct tensor in[MOST], out[MOST];
    const char *names[MOST];
    for (int i = 0; i < input_count; i++)
        in[i] = inputs[i].tensor, names[i] = inputs[i].name;
    for (int i = 0; i < output_count; i++) {
        memset(outputs[i].tensor.memory, UNTOUCHED, outputs[i].bytes);
        out[i] = outputs[i].tensor;
    }
    run_disable(without);
    run_threads(threads);
    struct weft_program *program = run_compile(text);
    run_program(program, in, names, input_count, out, output_count, NULL);
    weft_program_destroy(program);
}

/* Against a run without these fast paths. Leaves what was written in `outputs`. */
static void check_without(const char *without, const char *text, const struct input *inputs, int input_count,
                          const struct placed *outputs, int output_count)
{
    char *expected[MOST];
    run_once(text, inputs, input_count, outputs, output_count, without, 1);
    for (int i = 0; i < output_count; i++) {
        expected[i] = malloc(outputs[i].bytes);
        assert_non_null(expected[i]);
        memcpy(expected[i], outputs[i].tensor.memory, outputs[i].bytes);
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        run_once(text, inputs, input_count, outputs, output_count, "", threads);
        for (int i = 0; i < output_count; i++)
            if (memcmp(outputs[i].tensor.memory, expected[i], outputs[i].bytes) != 0)
                fail_msg("%s: result %d at %p differs on %d threads", text, i,
                         (void *)outputs[i].tensor.data, threads);
    }
    for (int i = 0; i < output_count; i++)
        free(expected[i]);
}

static void check(const char *text, const struct input *inputs, int input_count,
                  const struct placed *outputs, int output_count)
{
    check_without("stream", text, inputs, input_count, outputs, output_count);
}

/* ---- types, around the threshold, against a loop in C ---- */

/* The bits of a small number, which float16 and bfloat16 have. */
static uint16_t upper_bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return (uint16_t)(word >> 16);
}

static uint16_t half_bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return value == 0 ? 0 : (uint16_t)((word - ((uint32_t)112 << 23)) >> 13);
}

/* The result of each program for the value X of a uint8. */
#define PROGRAMS(PROGRAM)                                                                           \
    PROGRAM(BOOL, uint8_t, "x > 100", X > 100)                                                      \
    PROGRAM(UINT8, uint8_t, "uint8(x // 2 + 3)", X / 2 + 3)                                         \
    PROGRAM(INT8, int8_t, "int8(x // 2)", X / 2)                                                    \
    PROGRAM(INT16, int16_t, "int16(x * 3 - 300)", X * 3 - 300)                                      \
    PROGRAM(FLOAT16, uint16_t, "float16(x) * 4", half_bits((float)X * 4))                           \
    PROGRAM(BFLOAT16, uint16_t, "bfloat16(x) / 2", upper_bits((float)X / 2))                        \
    PROGRAM(FLOAT32, float, "x * 1.5", X * 1.5)                                                     \
    PROGRAM(UINT32, uint32_t, "uint32(x * 70000)", X * 70000)                                       \
    PROGRAM(INT64, int64_t, "int64(x) * 5000000000", X * 5000000000)                                \
    PROGRAM(FLOAT64, double, "float64(x) / 4", X / 4.0)

#define PROGRAM(id, type, text, value)                                                              \
    static bool right_##id(const void *row, const uint8_t *x, int64_t columns)                      \
    {                                                                                               \
        bool right = true;                                                                          \
        for (int64_t i = 0; i < columns; i++) {                                                     \
            const int64_t X = x[i];                                                                 \
            right = right && ((const type *)row)[i] == (type)(value);                               \
        }                                                                                           \
        return right;                                                                               \
    }
PROGRAMS(PROGRAM)
#undef PROGRAM

static const struct {
    const char *text;
    enum weft_dtype dtype;
    bool (*right)(const void *row, const uint8_t *x, int64_t columns);
} programs[] = {
#define PROGRAM(id, type, text, value) {text, WEFT_##id, right_##id},
    PROGRAMS(PROGRAM)
#undef PROGRAM
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

/* `rows` of `columns`, with `gap` elements between them, `from` elements behind a line. */
static void check_rows(int n, int64_t rows, int64_t columns, int64_t gap, int64_t from, const char *without)
{
    const int64_t shape[] = {rows, columns};
    const struct input x = {"x", small_integers(WEFT_UINT8, 2, shape)};
    struct placed out = place(programs[n].dtype, 2, shape, gap, from);
    check_without(without, programs[n].text, &x, 1, &out, 1);
    for (int64_t i = 0; i < shape[0]; i++)
        if (!programs[n].right(tensor_at(&out.tensor, (int64_t[]){i, 0}),
                               tensor_at(&x.tensor, (int64_t[]){i, 0}), columns))
            fail_msg("%s: row %d is wrong", programs[n].text, (int)i);
    tensor_free((struct tensor *)&x.tensor);
    tensor_free(&out.tensor);
}

/* The fewest rows that are streamed; `fewer` rows less. */
static void check_program(int n, int64_t columns, int64_t gap, int fewer)
{
    int64_t row = columns * (int64_t)weft_dtype_size(programs[n].dtype);
    check_rows(n, (STREAMED + row - 1) / row - fewer, columns, gap, 0, "stream");
}

/* In caches, too, long rows have a head up to the next line, whole blocks behind it, and an end. */
static void test_heads(void **state)
{
    (void)state;
    for (int n = 0, number = 0; n < PROGRAM_COUNT; n++) {
        const int64_t size = (int64_t)weft_dtype_size(programs[n].dtype), columns = ALIGNED_ROW / size;
        const int64_t more[] = {-1, 0, 1, 62, 64, 65, 2 * columns + 17};
        for (int k = 0; k < 7; k++)
            for (int64_t from = 0; from < LINE / size; from += from < 2 ? 1 : LINE / size / 4)
                if (sample_chosen(number++))
                    check_rows(n, 3, columns + more[k], 5, from, "special");
    }
}

static void test_types(void **state)
{
    (void)state;
    for (int n = 0; n < PROGRAM_COUNT; n++)
        for (int fewer = 0; fewer < 2; fewer++)
            if (sample_chosen(sample_pair(n, fewer, 2)))
                check_program(n, 4099, 6, fewer);
}

/* Rows that end before the first whole block begins, and just behind one. */
static void test_short_rows(void **state)
{
    static const int64_t columns[] = {65, 127, 129};
    (void)state;
    for (int i = 0; i < 3; i++) {
        if (sample_chosen(i))
            check_program(1, columns[i], 36, 0);
        if (sample_chosen(i + 1))
            check_program(4, columns[i], 36, 0);
    }
}

/* Tiles inside a row begin where the row's beginning says. */
static void test_alignments(void **state)
{
    static const int tested[] = {1, 3, 4, 6}; /* one of each size */
    (void)state;
    for (int t = 0; t < 4; t++) {
        const int n = tested[t];
        const int64_t size = (int64_t)weft_dtype_size(programs[n].dtype), length = STREAMED / size + 77;
        const struct input x = {"x", small_integers(WEFT_UINT8, 1, &length)};
        for (int64_t from = 1; from < LINE / size; from = 2 * from + 1) {
            if (!sample_chosen(t + from / 2))
                continue;
            struct placed out = place(programs[n].dtype, 1, &length, 0, from);
            check(programs[n].text, &x, 1, &out, 1);
            assert_true(programs[n].right(out.tensor.data, (const uint8_t *)x.tensor.data, length));
            tensor_free(&out.tensor);
        }
        tensor_free((struct tensor *)&x.tensor);
    }
}

/* ---- several results ---- */

static void test_results(void **state)
{
    const int64_t shape[] = {541, 4099}; /* 8 bytes an element, all results together */
    const struct input x = {"x", small_integers(WEFT_UINT8, 2, shape)};
    (void)state;
    for (int64_t from = 0; from < 3; from++) {
        if (!sample_chosen(from + 1))
            continue;
        struct placed out[] = {place(WEFT_UINT8, 2, shape, 2, from), place(WEFT_FLOAT32, 2, shape, 0, 3 * from),
                               place(WEFT_INT16, 2, shape, 4, 5 * from), place(WEFT_BOOL, 2, shape, 6, 7 * from)};
        check("return a = uint8(x // 2), b = x * 1.5, c = int16(x * 3 - 300), d = x > 100", &x, 1, out, 4);
        for (int i = 0; i < 4; i++)
            tensor_free(&out[i].tensor);
    }
    tensor_free((struct tensor *)&x.tensor);
}

/* ---- other ways along a row ---- */

static void check_broadcast(int rank, const int64_t *shape, const int64_t *y_shape)
{
    const struct input in[] = {{"x", small_integers(WEFT_UINT8, rank, shape)},
                               {"y", small_integers(WEFT_FLOAT32, rank, y_shape)}};
    struct placed out = place(WEFT_FLOAT32, rank, shape, 0, 1);
    check("x * y + 1", in, 2, &out, 1);
    for (int64_t i = 0; i < shape[0]; i += 97) {
        const float *row = tensor_at(&out.tensor, (int64_t[]){i, 0, 0});
        const uint8_t *x = tensor_at(&in[0].tensor, (int64_t[]){i, 0, 0});
        for (int64_t j = 0; j < out.tensor.strides[0]; j++) {
            int64_t inner = rank == 3 ? j / shape[2] % y_shape[1] * y_shape[2] + j % shape[2] % y_shape[2] : j;
            assert_true(row[j] == (float)x[j] * ((const float *)in[1].tensor.data)[inner] + 1);
        }
    }
    tensor_free((struct tensor *)&in[0].tensor);
    tensor_free((struct tensor *)&in[1].tensor);
    tensor_free(&out.tensor);
}

/* A short row again and again, several short groups as one row, a row that is the same for all. */
static void test_broadcast(void **state)
{
    (void)state;
    if (sample_chosen(1))
        check_broadcast(2, (int64_t[]){1398103, 3}, (int64_t[]){1, 3});
    if (sample_chosen(2))
        check_broadcast(3, (int64_t[]){99865, 6, 7}, (int64_t[]){1, 6, 1});
    if (sample_chosen(3))
        check_broadcast(2, (int64_t[]){1024, 4097}, (int64_t[]){1, 4097});
}

/* ---- what is only copied ---- */

/* Blocks go past the caches from where they are: in memory, interleaved, joined; lists that name an element twice. */
static void test_copied(void **state)
{
    static const struct { const char *text; int channels; } cases[] = {
        {"x[..., [2, 0, 1]]", 3}, {"x[..., [0, 0, 2]]", 3}, {"x[..., [0, 0, 2, 1]]", 4}, {"x[:, ::-1]", 3},
        {"stack(x[..., 1], x[..., 0], x[:, ::-1, 2], axis=-1)", 3}, {"roll(x, 1, 0)", 3}};
    const int64_t shape[] = {2003, 2801, 3};
    const struct input x = {"x", small_integers(WEFT_UINT8, 3, shape)};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += (size_t)sample_number("1/3/1/1")) {
        struct placed out = place(WEFT_UINT8, 3, (int64_t[]){2003, 2801, cases[i].channels}, 0, 1);
        check(cases[i].text, &x, 1, &out, 1);
        tensor_free(&out.tensor);
    }
    tensor_free((struct tensor *)&x.tensor);
}

/* ---- what is transposed ---- */

static struct tensor any_bytes(enum weft_dtype dtype, int rank, const int64_t *shape)
{
    struct tensor x = tensor_new(dtype, rank, shape);
    int64_t bytes = (int64_t)weft_dtype_size(dtype);
    for (int d = 0; d < rank; d++)
        bytes *= shape[d];
    for (int64_t i = 0; i < bytes; i++)
        ((uint8_t *)x.memory)[i] = (uint8_t)(i * 7 + i / 251);
    return x;
}

/* A result that begins `from` elements behind a line, with `gap` elements between its rows. */
static void check_transposed(enum weft_dtype dtype, int64_t rows, int64_t columns, int64_t from, int64_t gap)
{
    const int64_t size = (int64_t)weft_dtype_size(dtype);
    const int64_t shape[] = {rows, columns}, other[] = {columns, rows};
    const struct input x = {"x", any_bytes(dtype, 2, other)};
    struct placed out = place(dtype, 2, shape, gap, from);
    check("transpose(x)", &x, 1, &out, 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            if (memcmp(tensor_at(&out.tensor, (int64_t[]){i, j}), tensor_at(&x.tensor, (int64_t[]){j, i}),
                       (size_t)size) != 0)
                fail_msg("transpose of %s, %d columns, place %d: element %d, %d is wrong", weft_dtype_name(dtype),
                         (int)columns, (int)from, (int)i, (int)j);
    tensor_free((struct tensor *)&x.tensor);
    tensor_free(&out.tensor);
}

/* Groups of pixels whose batch lies inside; rows that begin with lines, and anywhere. */
static void test_crossed(void **state)
{
    static const struct { const char *text; enum weft_dtype dtype; int64_t x[3], out[3]; } cases[] = {
        {"transpose(x, [2, 1, 0])", WEFT_FLOAT32, {3, 175104, 8}, {8, 175104, 3}},
        {"transpose(x, [1, 0, 2])", WEFT_FLOAT32, {175104, 8, 3}, {8, 175104, 3}},
        {"transpose(x, [1, 0, 2])", WEFT_UINT8, {233017, 18, 4}, {18, 233017, 4}},
        {"transpose(x, [2, 1, 0]) + 1.5", WEFT_FLOAT32, {2, 262237, 8}, {8, 262237, 2}}};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const int c = i / 2;
        const struct input x = {"x", small_integers(cases[c].dtype, 3, cases[c].x)};
        struct placed out = place(cases[c].dtype, 3, cases[c].out, 0, i % 2);
        if (sample_chosen(i))
            check(cases[c].text, &x, 1, &out, 1);
        tensor_free((struct tensor *)&x.tensor);
        tensor_free(&out.tensor);
    }
}

/* Patterns of rows, of which some are kept: of as many rows as there are, and more; of too many elements. */
static void test_patterns(void **state)
{
    static const struct { const char *text; int64_t x[3], m[3], out[3]; } cases[] = {
        {"transpose(x, [2, 1, 0]) - m", {3, 1777, 8}, {8, 1, 3}, {8, 1777, 3}},
        {"transpose(x, [1, 0, 2]) - m", {1001, 18, 4}, {18, 1, 4}, {18, 1001, 4}},
        {"x - m", {40, 333, 3}, {40, 1, 3}, {40, 333, 3}},
        {"x - m", {35, 100, 8}, {35, 1, 8}, {35, 100, 8}},
        {"x - m", {20, 100, 9}, {20, 1, 9}, {20, 100, 9}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct input in[] = {{"x", small_integers(WEFT_FLOAT32, 3, cases[i].x)},
                                   {"m", any_bytes(WEFT_UINT8, 3, cases[i].m)}};
        struct placed out = place(WEFT_FLOAT32, 3, cases[i].out, 0, 0);
        check_without("special", cases[i].text, in, 2, &out, 1);
        tensor_free((struct tensor *)&in[0].tensor);
        tensor_free((struct tensor *)&in[1].tensor);
        tensor_free(&out.tensor);
    }
}

/* Blocks that stay in registers until they are stored, of which loads gather vectors, in caches and past them: rows of
 * a few elements, of an odd number of groups and of whole blocks, which begin at a line or behind it. */
static void test_held(void **state)
{
    static const struct { const char *text; int64_t x[3], m[3], out[3]; } cases[] = {
        {"transpose(x, [2, 1, 0]) + m", {3, 0, 8}, {8, 1, 3}, {8, 0, 3}},     /* elements of groups across */
        {"transpose(x, [2, 1, 0]) + m", {4, 0, 17}, {17, 1, 4}, {17, 0, 4}},
        {"transpose(x, [1, 0, 2]) + m", {0, 16, 2}, {16, 1, 2}, {16, 0, 2}},  /* groups across */
        {"transpose(x, [1, 0, 2]) + m", {0, 9, 3}, {9, 1, 3}, {9, 0, 3}},
        {"transpose(x, [0, 2, 1]) + m", {5, 3, 0}, {5, 1, 3}, {5, 0, 3}},     /* planes */
        {"transpose(x, [1, 2, 0]) + m", {3, 7, 0}, {7, 1, 3}, {7, 0, 3}},
        {"transpose(x, [2, 0, 1]) + m", {0, 1, 16}, {16, 1, 1}, {16, 0, 1}}}; /* single elements across */
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT64};
    static const int64_t extents[] = {1, 5, 67, 97, 193, 256, 384};
    (void)state;
    int number = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; t < 4; t++)
            for (int e = 0; e <= 7; e++) {
                int64_t volume = 1, shapes[3][3];
                for (int d = 0; d < 3; d++)
                    volume *= cases[i].out[d] ? cases[i].out[d] : 1;
                const int64_t extent = e < 7 ? extents[e] : (9 << 20) / volume / (int64_t)weft_dtype_size(dtypes[t]);
                for (int d = 0; d < 3; d++) {
                    shapes[0][d] = cases[i].x[d] ? cases[i].x[d] : extent;
                    shapes[1][d] = cases[i].m[d];
                    shapes[2][d] = cases[i].out[d] ? cases[i].out[d] : extent;
                }
                if (!sample_chosen(number++))
                    continue;
                const struct input in[] = {{"x", small_numbers(dtypes[t], 3, shapes[0])},
                                           {"m", small_numbers(dtypes[t], 3, shapes[1])}};
                for (int64_t from = 0; from < 2; from++) {
                    struct placed out = place(dtypes[t], 3, shapes[2], from, from);
                    check_without("special", cases[i].text, in, 2, &out, 1);
                    tensor_free(&out.tensor);
                }
                tensor_free((struct tensor *)&in[0].tensor);
                tensor_free((struct tensor *)&in[1].tensor);
            }
}

/* Short rows of pixels with others between them, pixel by pixel and plane by plane, beside what repeats in them. */
static void test_runs(void **state)
{
    static const struct { const char *text; int64_t x[4], m[4], out[4]; } cases[] = {
        {"transpose(x, [1, 0, 2, 3]) - m", {17, 8, 13, 3}, {8, 1, 1, 3}, {8, 17, 13, 3}},
        {"transpose(x, [1, 0, 2, 3]) - m", {61, 4, 20, 3}, {4, 1, 1, 3}, {4, 61, 20, 3}},
        {"transpose(x, [1, 0, 2, 3]) - m", {9, 70, 2, 5}, {70, 1, 2, 1}, {70, 9, 2, 5}},
        {"transpose(x, [1, 0, 3, 2]) - m", {9, 5, 3, 33}, {5, 1, 1, 3}, {5, 9, 33, 3}},
        {"transpose(x, [3, 0, 2, 1]) - m", {9, 3, 41, 7}, {7, 1, 1, 3}, {7, 9, 41, 3}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct input in[] = {{"x", small_integers(WEFT_FLOAT32, 4, cases[i].x)},
                                   {"m", any_bytes(WEFT_UINT8, 4, cases[i].m)}};
        struct placed out = place(WEFT_FLOAT32, 4, cases[i].out, 0, 0);
        check_without("special", cases[i].text, in, 2, &out, 1);
        tensor_free((struct tensor *)&in[0].tensor);
        tensor_free((struct tensor *)&in[1].tensor);
        tensor_free(&out.tensor);
    }
}

/* Whole lines, which begin anywhere; rows that begin at different places of theirs; rows of little more than a line,
 * and of one column more than a tile. */
static void test_transposed(void **state)
{
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT64};
    static const struct { int64_t columns, from, gap; } cases[] = {
        {1024, 0, 0}, {1280, 1, 0}, {1344, 7, 0}, {833, 0, 0}, {831, 3, 1}, {70, 5, 58}, {257, 1, 63}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 7; i++)
            if (sample_chosen(sample_pair(t, i, 7)))
                check_transposed(dtypes[t], STREAMED / 2 / (int64_t)weft_dtype_size(dtypes[t]) / cases[i].columns + 1,
                                 cases[i].columns, cases[i].from, cases[i].gap);
}

/* Less than is streamed, of which lines are fetched before they are written. */
static void test_fetched(void **state)
{
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT64};
    static const struct { int64_t columns, from, gap; } cases[] = {{1000, 0, 0}, {1023, 3, 1}, {70, 5, 58}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 3; i++)
            if (sample_chosen(sample_pair(t, i, 3)))
                check_transposed(dtypes[t], FETCHED / (int64_t)weft_dtype_size(dtypes[t]) / cases[i].columns,
                                 cases[i].columns, cases[i].from, cases[i].gap);
}

/* Columns of what is read are a power of two apart; rows that are streamed, and rows that begin anywhere. */
static void test_crowded(void **state)
{
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT64};
    static const struct { int64_t columns, from, gap; } cases[] = {{2112, 0, 0}, {2112, 1, 0}, {2100, 3, 1}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 3; i++)
            if (sample_chosen(sample_pair(t, i, 3)))
                check_transposed(dtypes[t], 8192 / (int64_t)weft_dtype_size(dtypes[t]), cases[i].columns, cases[i].from,
                                 cases[i].gap);
}

/* ---- what is interleaved ---- */

/* A result of groups of `channels`, which is the least that is streamed, from as many planes; it begins `from` elements
 * behind a line, and its rows are `gap` elements apart. */
static void check_interleaved(enum weft_dtype dtype, int64_t channels, int64_t columns, int64_t from, int64_t gap)
{
    const int64_t size = (int64_t)weft_dtype_size(dtype), rows = STREAMED / size / columns / channels + 1;
    const int64_t shape[] = {rows, columns, channels};
    const struct input x = {"x", any_bytes(dtype, 3, (int64_t[]){channels, rows, columns})};
    struct placed out = place(dtype, 3, shape, gap, from);
    check("transpose(x, [1, 2, 0])", &x, 1, &out, 1);
    for (int64_t i = 0; i < rows * columns * channels; i++) {
        const int64_t c = i % channels, column = i / channels % columns, row = i / channels / columns;
        if (memcmp(tensor_at(&out.tensor, (int64_t[]){row, column, c}),
                   tensor_at(&x.tensor, (int64_t[]){c, row, column}), (size_t)size) != 0)
            fail_msg("%d planes of %s, %d columns, place %d: element %d of row %d is wrong", (int)channels,
                     weft_dtype_name(dtype), (int)columns, (int)from, (int)column, (int)row);
    }
    tensor_free((struct tensor *)&x.tensor);
    tensor_free(&out.tensor);
}

/* One row, which begins anywhere, also where no group begins with a line; rows that begin at different places of
 * theirs, shorter and longer than a tile. */
static void test_interleaved(void **state)
{
    static const enum weft_dtype dtypes[] = {WEFT_UINT8, WEFT_INT16, WEFT_FLOAT32, WEFT_FLOAT64};
    static const struct { int64_t channels, columns, from, gap; } cases[] = {
        {3, 1024, 0, 0}, {3, 1001, 1, 0}, {3, 1000, 5, 0}, {2, 1000, 1, 0}, {4, 1000, 4, 0}, {4, 999, 2, 0},
        {3, 91, 2, 1}, {2, 130, 0, 6}, {3, 6007, 1, 2}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 9; i++)
            if (sample_chosen(sample_pair(t, i, 9)))
                check_interleaved(dtypes[t], cases[i].channels, cases[i].columns, cases[i].from, cases[i].gap);
}

/* ---- in place ---- */

static void test_in_place(void **state)
{
    const int64_t length = STREAMED / 4 + 77;
    struct tensor x = small_integers(WEFT_FLOAT32, 1, &length);
    struct placed out = place(WEFT_FLOAT32, 1, &length, 0, 0);
    struct placed self = place(WEFT_FLOAT32, 1, &length, 0, 3);
    static const char *const names[] = {"x"};
    (void)state;
    check("x * 2 + 1", &(const struct input){"x", x}, 1, &out, 1);
    for (int threads = 1; threads <= 3; threads += 2) {
        memcpy(self.tensor.data, x.data, (size_t)length * sizeof(float));
        run_disable("");
        run_threads(threads);
        struct weft_program *program = run_compile("x * 2 + 1");
        run_program(program, &self.tensor, names, 1, &self.tensor, 1, NULL);
        weft_program_destroy(program);
        assert_memory_equal(self.tensor.data, out.tensor.data, (size_t)length * sizeof(float));
    }
    tensor_free(&x);
    tensor_free(&out.tensor);
    tensor_free(&self.tensor);
}

static int finish(void **state)
{
    (void)state;
    run_threads(0);
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types), cmocka_unit_test(test_heads),
        cmocka_unit_test(test_short_rows), cmocka_unit_test(test_alignments),
        cmocka_unit_test(test_results), cmocka_unit_test(test_broadcast), cmocka_unit_test(test_copied),
        cmocka_unit_test(test_crossed), cmocka_unit_test(test_patterns), cmocka_unit_test(test_held),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_transposed), cmocka_unit_test(test_fetched), cmocka_unit_test(test_crowded),
        cmocka_unit_test(test_interleaved), cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests_name("stream", tests, NULL, finish);
}
