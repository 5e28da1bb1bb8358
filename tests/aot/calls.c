/* Calls every entry of kernels that were compiled ahead of time (tests/aot/sample.weft) as a host would, right and
 * wrong ways. Results are compared with plain C, bit for bit; what is wrong must be told, and must have written
 * nothing. Prints what fails, ends with the number of failures. */
#include "sample.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_LIBRARY
#include <weft/weft.h>
_Static_assert((int)WEFT_KERNEL_DIVIDE_BY_ZERO == (int)WEFT_DIVIDE_BY_ZERO, "statuses are the library's");
_Static_assert((int)WEFT_KERNEL_INVALID_ARGUMENT == (int)WEFT_INVALID_ARGUMENT, "statuses are the library's");
_Static_assert((int)WEFT_KERNEL_OUT_OF_MEMORY == (int)WEFT_OUT_OF_MEMORY, "statuses are the library's");
_Static_assert((int)WEFT_KERNEL_SHAPE_ERROR == (int)WEFT_SHAPE_ERROR, "statuses are the library's");
_Static_assert((int)WEFT_KERNEL_INPUT_ERROR == (int)WEFT_INPUT_ERROR, "statuses are the library's");
_Static_assert((int)WEFT_KERNEL_OVERLAP_ERROR == (int)WEFT_OVERLAP_ERROR, "statuses are the library's");
#endif

static int failures;

#define CHECK(condition)                                                                         \
    ((condition) ? (void)0 : (void)(failures++, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition)))

static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A small generator, the same everywhere. */
static uint32_t state = 1;
static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void *filled(size_t size)
{
    unsigned char *memory = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        memory[i] = (unsigned char)next();
    return memory;
}

static bool told(const struct weft_note *note, int status, const char *operand)
{
    const bool same = note->operand && operand ? strcmp(note->operand, operand) == 0 : note->operand == operand;
    return note->status == status && same && note->text;
}

/* ---- dense ---- */

static float normalized(uint8_t x, float mean, float gain)
{
    const float difference = (float)x - mean;
    return difference * gain;
}

static void test_dense(void)
{
    const float mean[3] = {123.675f, 116.28f, 103.53f};
    for (int a = 0; a < SIZES; a++)
        for (int b = 0; b < SIZES - 1; b++) {
            const int64_t h = sizes[b], w = sizes[a], count = h * w * 3;
            uint8_t *img = filled((size_t)count);
            float *out = malloc((size_t)count * sizeof *out + 1);
            CHECK(normalize(img, mean, 0.017f, h, w, out) == WEFT_KERNEL_OK);
            bool same = true;
            for (int64_t i = 0; i < count; i++)
                same = same && out[i] == normalized(img[i], mean[i % 3], 0.017f);
            CHECK(same);
            free(img);
            free(out);
        }
}

static void test_division(void)
{
    for (int k = 0; k < SIZES; k++) {
        const int64_t n = sizes[k];
        int32_t *a = filled((size_t)n * 4), *b = filled((size_t)n * 4);
        int32_t *quotient = malloc((size_t)n * 4 + 1), *rest = malloc((size_t)n * 4 + 1);
        for (int64_t i = 0; i < n; i++)
            b[i] = (int32_t)(next() % 9) - 4;
        bool zero = false, same = true;
        for (int64_t i = 0; i < n; i++)
            zero = zero || b[i] == 0;
        CHECK(divide(a, b, n, quotient, rest) == (zero ? WEFT_KERNEL_DIVIDE_BY_ZERO : WEFT_KERNEL_OK));
        for (int64_t i = 0; i < n; i++) {
            const int64_t x = a[i], y = b[i], m = y ? x % y : 0;
            const bool down = m != 0 && (m < 0) != (y < 0);
            same = same && quotient[i] == (int32_t)(y ? x / y - down : 0) && rest[i] == (int32_t)(m + (down ? y : 0));
        }
        CHECK(same);
        if (zero) {
            CHECK(told(divide_note(), WEFT_KERNEL_DIVIDE_BY_ZERO, NULL));
            CHECK(divide_note()->line == 8 && divide_note()->column == 25);
        }
        free(a), free(b), free(quotient), free(rest);
    }
}

static void test_views(void)
{
    const int32_t add[4] = {10, 20, 30, 40};
    for (int k = 0; k < SIZES; k++) {
        const int64_t n = sizes[k], count = 4 * n;
        int16_t *x = filled((size_t)count * 2);
        int32_t *out = malloc((size_t)count * 4 + 1);
        bool same = true;
        CHECK(turn(x, n, out) == WEFT_KERNEL_OK);
        for (int64_t i = 0; i < count; i++)
            same = same && out[i] == x[i] + add[i / n];
        CHECK(same);
        free(x), free(out);
    }
}

/* Counts that are extents. */
static void test_counts(void)
{
    enum { N = 5, M = 3 };
    const int16_t x[N] = {7, 1, -4, 9, 300};
    const uint8_t k[M] = {0};
    int16_t out[N * M] = {0}, rows[N * M] = {0};
    CHECK(again(x, k, N, M, out, rows) == WEFT_KERNEL_OK);
    for (int i = 0; i < N * M; i++)
        CHECK(out[i] == x[i / M] && rows[i] == x[i % N]);
}

/* Rolls by what only the call knows, on both sides of the extent. */
static void test_shifts(void)
{
    enum { N = 5 };
    const int16_t x[N] = {7, 1, -4, 9, 300};
    for (int by = -7; by <= 7; by++) {
        int16_t out[N] = {0};
        CHECK(shifted(x, by, N, out) == WEFT_KERNEL_OK);
        for (int i = 0; i < N; i++)
            CHECK(out[i] == x[(i - by + 4 * N) % N] + x[(i - 1 + by + 4 * N) % N]);
    }
}

static void test_bytes(void)
{
    float values[3] = {1.5f, -2, 0}, out[3];
    CHECK(rebuild((const uint8_t *)values, 3, out) == WEFT_KERNEL_OK && memcmp(values, out, sizeof out) == 0);
    CHECK(rebuild((const uint8_t *)values + 1, 2, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(told(rebuild_note(), WEFT_KERNEL_INPUT_ERROR, "x"));
    const int64_t shape[2] = {3, 4}, spread[2] = {4, -1}, results[1] = {3};
    static const float room[5];
    CHECK(rebuild_strided((const uint8_t *)(room + 1), shape, spread, out, results, NULL) == WEFT_KERNEL_INPUT_ERROR);
}

/* What is computed once: a value for each row and column, a table of 256. */
static void test_hoisted(void)
{
    enum { ROWS = 300, COLUMNS = 200 };
    double *row = malloc(COLUMNS * sizeof *row), column[ROWS], *out = malloc(ROWS * COLUMNS * sizeof *out);
    for (int j = 0; j < COLUMNS; j++)
        row[j] = j / 100.0;
    for (int i = 0; i < ROWS; i++)
        column[i] = -i / 100.0;
    CHECK(outer(row, column, COLUMNS, ROWS, out) == WEFT_KERNEL_OK);
    bool near = true;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        near = near && fabs(out[i] / (exp(row[i % COLUMNS]) + exp(column[i / COLUMNS])) - 1) < 1e-14;
    CHECK(near);
    free(row), free(out);
    uint8_t img[ROWS], adjusted[ROWS];
    for (int i = 0; i < ROWS; i++)
        img[i] = (uint8_t)i;
    CHECK(adjust(img, 2, 1, ROWS, adjusted) == WEFT_KERNEL_OK);
    near = true;
    for (int i = 0; i < ROWS; i++)
        near = near && abs(adjusted[i] - (int)(img[i] * img[i] / 255.0 + 0.5)) <= 1;
    CHECK(near);
}

static void test_types(void)
{
    const float x[4] = {1, -2, 65520, 0x1p-24f};
    uint16_t low[4], whole[4];
    bool sign[4];
    CHECK(narrow(x, 4, low, whole, sign) == WEFT_KERNEL_OK);
    CHECK(low[0] == 0x3c00 && low[1] == 0xc000 && low[2] == 0x7c00 && low[3] == 1);
    CHECK(whole[0] == 0x3f80 && whole[1] == 0xc000 && whole[2] == 0x4780 && whole[3] == 0x3380);
    CHECK(!sign[0] && sign[1] && !sign[2] && !sign[3]);
}

/* ---- strides and shapes ---- */

static void test_strided(void)
{
    /* A picture inside a larger one, upside down, with its channels apart. */
    enum { H = 5, W = 70 };
    static uint8_t planes[3][H][W + 9];
    const float mean[2] = {1, -1};
    float out[H][W][3];
    for (size_t i = 0; i < sizeof planes; i++)
        (&planes[0][0][0])[i] = (uint8_t)next();
    const int64_t shape[3] = {H, W, 3}, strides[3] = {-(W + 9), 1, H * (W + 9)}, one[1] = {3}, turned[1] = {-1};
    const float means[3] = {mean[1], mean[0], mean[1]};
    CHECK(normalize_strided(&planes[0][H - 1][0], shape, strides, means + 2, one, turned, 2, &out[0][0][0], shape,
                            NULL) == WEFT_KERNEL_OK);
    bool same = true;
    for (int i = 0; i < H * W * 3; i++)
        same = same &&
               (&out[0][0][0])[i] == normalized(planes[i % 3][H - 1 - i / 3 / W][i / 3 % W], means[2 - i % 3], 2);
    CHECK(same);
    /* A result that is strided itself. */
    const int64_t apart[3] = {W * 3 + 2, 3, 1};
    float *wide = calloc(H * (W * 3 + 2), sizeof *wide);
    CHECK(normalize_strided(&planes[0][H - 1][0], shape, strides, means + 2, one, turned, 2, wide, shape, apart) == 0);
    for (int i = 0; i < H; i++) {
        CHECK(memcmp(wide + i * (W * 3 + 2), out[i], sizeof out[i]) == 0);
        CHECK(wide[i * (W * 3 + 2) + W * 3] == 0);
    }
    free(wide);
}

static void test_shapes(void)
{
    int64_t out[3] = {0};
    CHECK(normalize_shape((int64_t[]){4, 5, 3}, (int64_t[]){3}, out) == 0 && out[0] == 4 && out[1] == 5 && out[2] == 3);
    CHECK(normalize_shape((int64_t[]){4, 5, 4}, (int64_t[]){3}, out) == WEFT_KERNEL_SHAPE_ERROR);
    CHECK(normalize_note()->line == 3);
    CHECK(normalize_shape((int64_t[]){-4, 5, 3}, (int64_t[]){3}, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize_shape(NULL, (int64_t[]){3}, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(told(normalize_note(), WEFT_KERNEL_INPUT_ERROR, "img"));
    CHECK(divide_shape((int64_t[]){4}, (int64_t[]){5}, out, out) == WEFT_KERNEL_SHAPE_ERROR);
    CHECK(divide_shape((int64_t[]){1}, (int64_t[]){5}, out, out) == WEFT_KERNEL_SHAPE_ERROR); /* n never stretches */
    CHECK(outer_shape((int64_t[]){7}, (int64_t[]){1, 1}, out) == 0 && out[0] == 1 && out[1] == 7);
    CHECK(turn_shape((int64_t[]){6, 4}, out) == 0 && out[0] == 4 && out[1] == 6);
    CHECK(outer_shape((int64_t[]){7}, (int64_t[]){1, 1}, NULL) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(told(outer_note(), WEFT_KERNEL_INPUT_ERROR, "out"));
    CHECK(outer_shape((int64_t[]){INT64_C(1) << 30}, (int64_t[]){INT64_C(1) << 30, 1}, out) == WEFT_KERNEL_SHAPE_ERROR);
}

static void test_refused(void)
{
    uint8_t img[6] = {0};
    const float mean[3] = {0};
    float out[7] = {0}, before[7] = {0};
    const int64_t shape[3] = {1, 2, 3}, other[3] = {2, 1, 3}, one[1] = {3}, huge[3] = {1, INT64_MAX / 2, 3};
    CHECK(normalize(NULL, mean, 1, 1, 2, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(told(normalize_note(), WEFT_KERNEL_INPUT_ERROR, "img"));
    CHECK(normalize(img, mean, 1, 1, 2, NULL) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(told(normalize_note(), WEFT_KERNEL_INPUT_ERROR, "out"));
    CHECK(normalize(NULL, mean, 1, 0, 2, NULL) == WEFT_KERNEL_OK);
    CHECK(normalize(img, mean, 1, -1, 2, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize(img, (const float *)((const char *)mean + 1), 1, 1, 2, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize(img, mean, 1, INT64_MAX / 4, 2, out) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize_strided(img, shape, NULL, mean, one, NULL, 1, out, other, NULL) == WEFT_KERNEL_SHAPE_ERROR);
    CHECK(told(normalize_note(), WEFT_KERNEL_SHAPE_ERROR, "out"));
    CHECK(normalize_strided(img, huge, NULL, mean, one, NULL, 1, out, NULL, NULL) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize_strided(img, shape, huge, mean, one, NULL, 1, out, shape, NULL) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(memcmp(out, before, sizeof out) == 0);
}

/* Nothing is computed for a result without elements, neither memory wanted: here of 2^58 values. */
static void test_nothing(void)
{
    const double row[1] = {1};
    double out[2];
    const int64_t many[1] = {INT64_C(1) << 58}, two[1] = {2}, still[1] = {0}, none[2] = {0, 1}, one[2] = {1, 1};
    CHECK(outer_strided(row, many, still, NULL, none, NULL, NULL, NULL, NULL) == WEFT_KERNEL_OK);
    const struct weft_array rows[2] = {{(void *)(uintptr_t)row, two, still}, {(void *)(uintptr_t)row, many, still}};
    const struct weft_array columns[2] = {{(void *)(uintptr_t)row, one, NULL}, {NULL, none, NULL}};
    const struct weft_array outs[2] = {{out, NULL, NULL}, {NULL, NULL, NULL}};
    CHECK(outer_batch(2, rows, 1, columns, 1, outs) == WEFT_KERNEL_OK && out[0] == out[1] &&
          fabs(out[1] - 2 * exp(1)) < 1e-14);
}

/* ---- overlap ---- */

static void test_overlap(void)
{
    int32_t a[65], b[65], *same, rest[65], before[65];
    const int64_t n[1] = {65}, less[1] = {40}, still[1] = {0};
    for (int i = 0; i < 65; i++)
        a[i] = i * 7 - 100, b[i] = 1 + i % 5;
    memcpy(before, a, sizeof a);
    same = a; /* the very buffer */
    CHECK(divide(a, b, 65, same, rest) == WEFT_KERNEL_OK);
    CHECK(a[3] == -20 && rest[3] == 1); /* -79 by 4 */
    memcpy(a, before, sizeof a);
    CHECK(divide(a, b, 40, a + 1, rest) == WEFT_KERNEL_OVERLAP_ERROR && memcmp(a, before, sizeof a) == 0);
    CHECK(told(divide_note(), WEFT_KERNEL_OVERLAP_ERROR, "quotient"));
    CHECK(divide(a, b, 40, rest, rest) == WEFT_KERNEL_OVERLAP_ERROR);
    CHECK(told(divide_note(), WEFT_KERNEL_OVERLAP_ERROR, "rest"));
    CHECK(divide_strided(a, n, NULL, b, n, NULL, rest, n, still, same, n, NULL) == WEFT_KERNEL_OVERLAP_ERROR);
    /* Even and odd elements of one buffer. */
    int32_t both[80];
    const int64_t two[1] = {2};
    CHECK(divide_strided(a, less, NULL, b, less, NULL, both, less, two, both + 1, less, two) == WEFT_KERNEL_OK);
    CHECK(both[6] == -20 && both[7] == 1);
    /* Bits seen as another type of the same size stay in their places. */
    float signs[70];
    for (int i = 0; i < 70; i++)
        signs[i] = (float)(i % 2 ? i : -i);
    CHECK(magnitude(signs, 70, signs) == WEFT_KERNEL_OK && signs[3] == 6 && signs[4] == 0);
    /* Read under a view: not even the very buffer. */
    int32_t x[8] = {0};
    CHECK(turn((const int16_t *)x, 2, x) == WEFT_KERNEL_OVERLAP_ERROR);
    /* The second loop still reads b; the first has read a, which u reads too, in the same loop. */
    float p[4] = {1, 2, 3, 4}, q[4] = {5, 6, 7, 8}, r[4], s[4];
    CHECK(apart(p, q, 4, 4, p, r, s) == WEFT_KERNEL_OK && p[1] == 4 && r[1] == 7 && s[1] == 1);
    CHECK(apart(p, q, 4, 4, q, r, s) == WEFT_KERNEL_OVERLAP_ERROR);
    CHECK(apart(p, q, 4, 4, r, p, s) == WEFT_KERNEL_OK);
}

/* ---- batches ---- */

enum { MANY = 300 };

static void test_batch(void)
{
    static int64_t shapes[MANY][3];
    static struct weft_array img[MANY], out[MANY];
    float mean[3] = {1, 2, 3}, gain[MANY];
    const int64_t three[1] = {3};
    const struct weft_array means = {mean, three, NULL};
    struct weft_array gains[MANY];
    for (int i = 0; i < MANY; i++) {
        const int64_t h = sizes[i % 5], w = 1 + i % 70;
        shapes[i][0] = h, shapes[i][1] = w, shapes[i][2] = 3;
        gain[i] = (float)i;
        img[i] = (struct weft_array){filled((size_t)(h * w * 3)), shapes[i], NULL};
        out[i] = (struct weft_array){malloc((size_t)(h * w * 3) * sizeof(float) + 1), i % 2 ? shapes[i] : NULL, NULL};
        gains[i] = (struct weft_array){&gain[i], NULL, NULL};
    }
    CHECK(normalize_batch(MANY, img, 1, &means, 0, gains, 1, out) == WEFT_KERNEL_OK);
    for (int i = 0; i < MANY; i++) {
        const uint8_t *from = img[i].data;
        const float *to = out[i].data;
        bool same = true;
        for (int64_t k = 0; k < shapes[i][0] * shapes[i][1] * 3; k++)
            same = same && to[k] == normalized(from[k], mean[k % 3], gain[i]);
        CHECK(same);
    }
    CHECK(normalize_batch(0, img, 1, &means, 0, gains, 1, out) == WEFT_KERNEL_OK);
    CHECK(normalize_batch(0, NULL, 1, NULL, 0, NULL, 1, NULL) == WEFT_KERNEL_OK);
    CHECK(normalize_batch(-1, img, 1, &means, 0, gains, 1, out) == WEFT_KERNEL_INVALID_ARGUMENT);
    CHECK(normalize_batch(2, img, 1, NULL, 0, gains, 1, out) == WEFT_KERNEL_INVALID_ARGUMENT);
    CHECK(told(normalize_note(), WEFT_KERNEL_INVALID_ARGUMENT, "mean"));
    /* The last sample is wrong: nothing was written. */
    float *const first = out[1].data, was = first[0] = 77;
    shapes[MANY - 1][2] = 4;
    CHECK(normalize_batch(MANY, img, 1, &means, 0, gains, 1, out) == WEFT_KERNEL_SHAPE_ERROR && first[0] == was);
    shapes[MANY - 1][2] = 3;
    /* One sample's result is that of another. */
    void *const own = out[7].data;
    out[7].data = out[12].data;
    out[7].shape = shapes[12], img[7].shape = shapes[12];
    CHECK(normalize_batch(13, img, 1, &means, 0, gains, 1, out) != WEFT_KERNEL_OK && first[0] == was);
    out[7].data = own;
    for (int i = 0; i < MANY; i++)
        free(img[i].data), free(out[i].data);
}

static void test_batch_in_place(void)
{
    enum { N = 100, SAMPLES = 70 };
    static int32_t a[SAMPLES][N], b[N], rest[SAMPLES][N];
    const int64_t n[1] = {N};
    struct weft_array as[SAMPLES], rests[SAMPLES], one = {b, n, NULL};
    for (int i = 0; i < SAMPLES; i++) {
        as[i] = (struct weft_array){a[SAMPLES - 1 - i], n, NULL}; /* descending */
        rests[i] = (struct weft_array){rest[i], n, NULL};
        for (int k = 0; k < N; k++)
            a[i][k] = i * k;
    }
    for (int k = 0; k < N; k++)
        b[k] = k == 5 ? 0 : 3;
    CHECK(divide_batch(SAMPLES, as, 1, &one, 0, as, rests) == WEFT_KERNEL_DIVIDE_BY_ZERO);
    bool same = true;
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < N; k++)
            same = same && a[i][k] == (k == 5 ? 0 : i * k / 3) && rest[SAMPLES - 1 - i][k] == (k == 5 ? 0 : i * k % 3);
    CHECK(same);
    /* A result of one sample is what the next one reads. */
    CHECK(divide_batch(SAMPLES - 1, as, 1, &one, 0, as + 1, rests) == WEFT_KERNEL_OVERLAP_ERROR);
    CHECK(told(divide_note(), WEFT_KERNEL_OVERLAP_ERROR, divide_note()->operand));
    /* What all samples share is written by one of them. */
    CHECK(divide_batch(2, as, 1, rests, 0, as + 2, rests) == WEFT_KERNEL_OVERLAP_ERROR);
}

/* ---- the host's floating-point environment ---- */

static void test_environment(void)
{
    const float x[4] = {1, -2, 65520, 0x1p-24f};
    uint16_t low[4], whole[4];
    bool sign[4];
    const int before = fegetround();
    fesetround(FE_UPWARD);
    CHECK(narrow((const float[]){1.0009765f, 0, 0, 0}, 4, low, whole, sign) == WEFT_KERNEL_OK);
    CHECK(whole[0] == 0x3f80 && fegetround() == FE_UPWARD);
    fesetround(before);
#if defined __SSE__
    const unsigned control = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(control | 0x8040); /* subnormals are 0 */
    float tiny[1] = {0x1p-130f}, doubled[1], same[1], less[1];
    const int status = apart(tiny, tiny, 1, 1, doubled, same, less);
    const unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(control);
    CHECK(status == WEFT_KERNEL_OK && doubled[0] == 0x1p-129f && (after & 0x8040) == 0x8040);
#endif
    CHECK(narrow(x, 4, low, whole, sign) == WEFT_KERNEL_OK && low[3] == 1);
}

/* Large enough for threads, where there are any. */
static void test_large(void)
{
    enum { N = 6000000 };
    float *a = malloc(N * sizeof *a), *s = malloc(N * sizeof *s), *t = malloc(N * sizeof *t);
    float *u = malloc(N * sizeof *u);
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
    CHECK(apart(a, a, N, N - 1, s, t, u) == WEFT_KERNEL_OK);
    bool same = true;
    for (int i = 0; i < N; i++)
        same = same && s[i] == a[i] * 2 && u[i] == a[i] - 1 && (i == N - 1 || t[i] == a[i] + 1);
    CHECK(same);
    int32_t *x = (int32_t *)a, *y = (int32_t *)s, *q = (int32_t *)t, *r = (int32_t *)u;
    for (int i = 0; i < N; i++)
        x[i] = i, y[i] = i == N - 3 ? 0 : 7;
    CHECK(divide(x, y, N, q, r) == WEFT_KERNEL_DIVIDE_BY_ZERO);
    same = true;
    for (int i = 0; i < N; i++)
        same = same && q[i] == (i == N - 3 ? 0 : i / 7);
    CHECK(same);
    free(a), free(s), free(t), free(u);
}

/* ---- threads ---- */

#if defined _OPENMP
extern int omp_get_max_threads(void);

/* How many this process has. */
static int count_threads(void)
{
    char line[200];
    int count = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Threads: %d", &count) < 1)
        continue;
    if (file)
        fclose(file);
    return count;
}

/* Small calls start none, and large ones no more than they may. */
static void test_threads(bool large)
{
    const int count = count_threads(), most = large ? omp_get_max_threads() : 1;
    CHECK(count <= most);
}
#else
static void test_threads(bool large)
{
    (void)large;
}
#endif

int main(void)
{
    test_dense();
    test_threads(false);
    test_division();
    test_views();
    test_counts();
    test_shifts();
    test_bytes();
    test_hoisted();
    test_types();
    test_strided();
    test_shapes();
    test_refused();
    test_nothing();
    test_overlap();
    test_batch();
    test_batch_in_place();
    test_environment();
    test_large();
    test_threads(true);
    printf("%d failures\n", failures);
    return failures != 0;
}
