/* Reductions on the GPU beside the same program in C, bit by bit: every way in which threads share the elements, all
 * of a result's types, operands of each kind of access, indices of 64 bits, arguments in a table; and the slow path,
 * on which kernels store all values. exp and its like stand under none of them, because their bits are the target's. */
#include "tests/gpu/pair.h"
#include "tests/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 1 << 20 };

struct scene {
    const char *text;
    enum weft_dtype input, result;
    int64_t count, results;        /* elements of a (and b), and of the result */
    bool heavy;                    /* so many kernels without the fast path that one comparison is enough */
};

static const struct scene scenes[] = {
    /* one result: blocks beside each other, further tiles, lanes that a second and a third launch join */
    {"reshape(sum(a), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 17, 1},
    {"reshape(sum(a), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 1025, 1},
    {"reshape(sum(a), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 20000, 1},
    {"reshape(mean((a - b) ** 2), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 300001, 1},
    {"reshape(sum(a * b), [1])", WEFT_FLOAT64, WEFT_FLOAT64, 70000, 1},
    {"reshape(prod(a), [1])", WEFT_FLOAT16, WEFT_FLOAT16, 33000, 1},
    {"reshape(sum(a), [1])", WEFT_UINT8, WEFT_UINT64, 50000, 1},
    {"reshape(argmax(a), [1])", WEFT_INT8, WEFT_INT64, 40000, 1},
    /* rows: several in a block of threads, one, and several blocks for one */
    {"sum(reshape(a, [300, -1]), axes=1)", WEFT_FLOAT32, WEFT_FLOAT32, 300 * 70, 300},
    {"mean(reshape(a, [37, -1]), axes=1)", WEFT_BFLOAT16, WEFT_BFLOAT16, 37 * 1500, 37},
    {"std(reshape(a, [3, -1]), axes=1)", WEFT_FLOAT32, WEFT_FLOAT32, 3 * 40000, 3},
    {"argmin(reshape(a, [5, -1]), axes=1)", WEFT_FLOAT64, WEFT_INT64, 5 * 4100, 5},
    {"any(reshape(a, [50, -1]) > 115, axes=1)", WEFT_INT8, WEFT_BOOL, 50 * 130, 50},
    {"all(reshape(a, [50, -1]) > -127, axes=1)", WEFT_INT8, WEFT_BOOL, 50 * 130, 50},
    {"mean(reshape(a, [9, -1]), axes=1)", WEFT_INT64, WEFT_FLOAT32, 9 * 1100, 9},
    /* columns: fewer than a warp, windows of them, several points, blocks one behind the other */
    {"sum(reshape(a, [-1, 3]), axes=0)", WEFT_FLOAT32, WEFT_FLOAT32, 3 * 5000, 3},
    {"sum(reshape(a, [-1, 17]), axes=0)", WEFT_UINT16, WEFT_UINT64, 17 * 1100, 17},
    {"max(reshape(a, [-1, 70]), axes=0)", WEFT_FLOAT32, WEFT_FLOAT32, 70 * 2100, 70},
    {"reshape(sum(reshape(a, [6, -1, 40]), axes=1), [-1])", WEFT_FLOAT64, WEFT_FLOAT64, 6 * 40 * 100, 240},
    {"sum(reshape(a, [-1, 200]), axes=0)", WEFT_FLOAT32, WEFT_FLOAT32, 200 * 5000, 200, true},
    {"sum(reshape(a, [7, 300, 11]), axes=[0, 2])", WEFT_INT32, WEFT_INT64, 7 * 300 * 11, 300},
    /* narrow elements: several lanes of a thread, where all rows are aligned, and one where they are not */
    {"mean(reshape(a, [-1, 3]), axes=0)", WEFT_UINT8, WEFT_FLOAT32, 3 * 6001, 3},
    {"max(reshape(a, [-1, 5]), axes=0)", WEFT_INT16, WEFT_INT16, 5 * 3003, 5},
    {"mean(reshape(a, [-1, 100]), axes=0)", WEFT_UINT8, WEFT_FLOAT32, 100 * 1300, 100},
    {"sum(reshape(a[2:], [-1, 64]), axes=0)", WEFT_FLOAT16, WEFT_FLOAT16, 64 * 1100 + 2, 64},
    {"sum(reshape(a[1:], [-1, 64]), axes=0)", WEFT_UINT8, WEFT_UINT64, 64 * 1100 + 1, 64},
    {"max(reshape(a, [-1, 70]), axes=0)", WEFT_UINT8, WEFT_UINT8, 70 * 1100, 70},
    {"reshape(sum(reshape(a, [2, -1, 50])[:, :, :48], axes=1), [-1])", WEFT_FLOAT16, WEFT_FLOAT16, 2 * 1100 * 50, 96},
    {"sum(reshape(a[1:], [3, -1]), axes=1)", WEFT_FLOAT16, WEFT_FLOAT16, 3 * 2100 + 1, 3},
    {"sum(reshape(a, [5, -1]), axes=1)", WEFT_BFLOAT16, WEFT_BFLOAT16, 5 * 2001, 5},
    {"sum(reshape(a, [5, -1])[:, :1500], axes=1)", WEFT_FLOAT16, WEFT_FLOAT16, 5 * 2000, 5},
    {"sum(reshape(a, [5, -1])[:, :1500], axes=1)", WEFT_FLOAT16, WEFT_FLOAT16, 5 * 2001, 5},
    {"sum(reshape(a, [6, -1]) * reshape(b[:6], [6, 1]), axes=1)", WEFT_FLOAT16, WEFT_FLOAT16, 6 * 1300, 6},
    {"reshape(mean((a - b) ** 2), [1])", WEFT_UINT8, WEFT_FLOAT32, 100001, 1},
    {"reshape(count_nonzero(a > 3), [1])", WEFT_INT8, WEFT_INT64, 20011, 1},
    /* a thread for each result */
    {"norm(reshape(a, [-1, 3]), axes=1)", WEFT_FLOAT32, WEFT_FLOAT32, 3 * 700, 700},
    {"sum(reshape(a, [-1, 16]), axes=1)", WEFT_INT16, WEFT_INT64, 16 * 300, 300},
    {"reshape(min(reshape(a, [5, 50, 40]), axes=1), [-1])", WEFT_FLOAT32, WEFT_FLOAT32, 5 * 50 * 40, 200},
    /* operands that are no dense rows: stretched, backwards, mapped, outside of their bounds */
    {"sum(reshape(a, [20, 300]) * reshape(b[:300], [1, 300]), axes=1)", WEFT_FLOAT32, WEFT_FLOAT32, 6000, 20},
    {"sum(reshape(a, [300, 20]) - reshape(b[:20], [1, 20]), axes=0)", WEFT_FLOAT32, WEFT_FLOAT32, 6000, 20},
    {"reshape(sum(flip(transpose(reshape(a, [30, 200])))), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 6000, 1},
    {"sum(reshape(transpose(reshape(a, [30, 200])), [60, 100]) + reshape(a, [60, 100]), axes=1)", WEFT_FLOAT32,
     WEFT_FLOAT32, 6000, 60},
    {"reshape(sum(concat(a, b[:1000], axis=0)), [1])", WEFT_FLOAT32, WEFT_FLOAT32, 3000, 1},
};

static void *operands[2];

/* Values of very unlike sizes, so that every other order of a sum shows. */
static void fill(enum weft_dtype dtype, void *to, int64_t count, uint64_t state)
{
    const bool real = dtype >= WEFT_FLOAT16 && dtype <= WEFT_FLOAT64;
    const size_t size = weft_dtype_size(dtype);
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const float value = ((float)(state >> 40 & 4095) - 2000) * (state >> 60 & 1 ? 0.001f : 1);
        const double wide = value * 1.0000001;
        uint32_t bits;
        uint64_t any = state >> 13;
        memcpy(&bits, &value, sizeof bits);
        if (dtype == WEFT_FLOAT64)
            memcpy(&any, &wide, sizeof any);
        else if (dtype == WEFT_FLOAT32)
            any = bits;
        else if (real) /* near 1, as a product asks for */
            any = (dtype == WEFT_FLOAT16 ? 0x3b80 : 0x3f60) + (state >> 40 & 255);
        memcpy((char *)to + (size_t)i * size, &any, size);
    }
}

/* Letter b is an operand's name alone, but for functions' own. */
static int inputs_of(const struct scene *scene)
{
    for (const char *p = scene->text; (p = strchr(p, 'b')); p++)
        if (p > scene->text && strchr(" (", p[-1]) && strchr(" )[,", p[1]))
            return 2;
    return 1;
}

static void check(const struct scene *scene, const struct line *want, const char *disable)
{
    struct line got = *want;
    const struct line in[] = {{scene->input, scene->count, operands[0]}, {scene->input, scene->count, operands[1]}};
    char what[300];
    got.data = malloc((size_t)want->count * 8);
    memset(got.data, 0xa5, (size_t)want->count * 8);
    pair_run(WEFT_TARGET_CUDA, disable, WEFT_MATH_STRICT, scene->text, in, inputs_of(scene), &got);
    snprintf(what, sizeof what, "%s of %lld, without '%s'", scene->text, (long long)scene->count, disable);
    pair_compare(what, want, &got);
    free(got.data);
}

static void every_way(void **unused)
{
    static const char *const disabled[] = {"", "reduce", "index, value", "chunk"}; /* chunks are of narrow elements */
    (void)unused;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        const struct scene *scene = &scenes[s];
        const struct line in[] = {{scene->input, scene->count, operands[0]}, {scene->input, scene->count, operands[1]}};
        struct line want = {scene->result, scene->results, calloc((size_t)scene->results, 8)};
        for (int k = 0; k < 2; k++)
            fill(scene->input, operands[k], scene->count, (uint64_t)s * 2 + (uint64_t)k + 1);
        pair_run(WEFT_TARGET_C, "", WEFT_MATH_STRICT, scene->text, in, inputs_of(scene), &want);
        const size_t ways = scene->heavy ? 1 : weft_dtype_size(scene->input) < 4 ? 4 : 3;
        for (size_t d = 0; d < ways; d++)
            if (sample_chosen((long)(s * 4 + d)))
                check(scene, &want, disabled[d]);
        free(want.data);
    }
}

static int set_up(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        operands[k] = malloc((size_t)MOST * 8);
    return !(operands[0] && operands[1]);
}

static int tear_down(void **state)
{
    (void)state;
    free(operands[0]);
    free(operands[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
