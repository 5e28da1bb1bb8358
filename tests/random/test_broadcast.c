/* All ways to broadcast three operands of up to four dimensions: each has any number of them, and along
 * each the full extent or 1. The expected elements come from index arithmetic alone. Programs are made
 * anew, so that every pattern has the kernel of its class, and one program takes them all, which ends up
 * with the general kernel. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { RANK = 4, PATTERNS = 31, MOST = 4096 };

static const char text[] = "a + b * 1009 - c * 100003";

/* Pattern number p: ranks 0 to 4, then a bit for each dimension that has the full extent. */
struct pattern {
    int rank;
    unsigned full;
};

static struct pattern pattern_of(int p)
{
    struct pattern pattern = {0, 0};
    while (p >= 1 << pattern.rank) {
        p -= 1 << pattern.rank;
        pattern.rank++;
    }
    pattern.full = (unsigned)p;
    return pattern;
}

/* A tensor whose elements are their positions, under an own number for each operand. */
static struct tensor operand(int p, const int64_t *extents, int32_t first)
{
    static int32_t memory[3][MOST];
    static int next;
    struct pattern pattern = pattern_of(p);
    struct tensor tensor = {.dtype = WEFT_INT32, .rank = pattern.rank};
    int64_t count = 1;
    for (int d = pattern.rank - 1; d >= 0; d--) {
        tensor.shape[d] = pattern.full >> d & 1 ? extents[RANK - pattern.rank + d] : 1;
        tensor.strides[d] = count;
        count *= tensor.shape[d];
    }
    next = (next + 1) % 3;
    for (int64_t i = 0; i < count; i++)
        memory[next][i] = first + (int32_t)i;
    tensor.data = (char *)memory[next];
    return tensor;
}

/* The element of an operand at an index of the result, counted in the result's four dimensions. */
static int32_t element(const struct tensor *tensor, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < tensor->rank; d++)
        at += tensor->shape[d] == 1 ? 0 : index[RANK - tensor->rank + d] * tensor->strides[d];
    return ((const int32_t *)tensor->data)[at];
}

static int64_t result_extent(const struct tensor *operands, int back)
{
    int64_t extent = 1;
    for (int i = 0; i < 3; i++)
        if (back <= operands[i].rank && operands[i].shape[operands[i].rank - back] != 1)
            extent = operands[i].shape[operands[i].rank - back];
    return extent;
}

static void check(const struct tensor *operands, const struct tensor *out, const char *what)
{
    int64_t shape[RANK], i[RANK], at = 0;
    for (int d = 0; d < RANK; d++)
        shape[d] = result_extent(operands, RANK - d);
    for (i[0] = 0; i[0] < shape[0]; i[0]++)
        for (i[1] = 0; i[1] < shape[1]; i[1]++)
            for (i[2] = 0; i[2] < shape[2]; i[2]++)
                for (i[3] = 0; i[3] < shape[3]; i[3]++, at++) {
                    int32_t expected = element(&operands[0], i) + element(&operands[1], i) * 1009 -
                                       element(&operands[2], i) * 100003;
                    int32_t actual = ((const int32_t *)out->data)[at];
                    if (actual != expected)
                        fail_msg("%s: element %lld is %d, not %d", what, (long long)at, actual,
                                 expected);
                }
}

static void run_patterns(struct weft_program *program, const int *p, const int64_t *extents)
{
    static int32_t memory[MOST];
    static const char *const names[] = {"a", "b", "c"};
    struct tensor operands[3], out = {.dtype = WEFT_INT32, .data = (char *)memory};
    char what[100];
    int64_t count = 1;
    for (int i = 0; i < 3; i++) {
        operands[i] = operand(p[i], extents, 100 * i);
        out.rank = operands[i].rank > out.rank ? operands[i].rank : out.rank;
    }
    for (int d = out.rank - 1; d >= 0; d--) {
        out.shape[d] = result_extent(operands, out.rank - d);
        out.strides[d] = count;
        count *= out.shape[d];
    }
    memset(memory, 0x55, sizeof *memory * (size_t)(count + 1));
    run_program(program, operands, names, 3, &out, 1, NULL);
    snprintf(what, sizeof what, "patterns %d %d %d of (%lld, %lld, %lld, %lld)", p[0], p[1], p[2],
             (long long)extents[0], (long long)extents[1], (long long)extents[2],
             (long long)extents[3]);
    check(operands, &out, what);
    assert_int_equal(memory[count], 0x55555555);
}

static void run_all(const int64_t *extents, bool anew)
{
    struct weft_program *program = run_compile(text);
    int p[3];
    for (p[0] = 0; p[0] < PATTERNS; p[0]++)
        for (p[1] = 0; p[1] < PATTERNS; p[1]++)
            for (p[2] = 0; p[2] < PATTERNS; p[2]++) {
                if (!sample_chosen((p[0] * PATTERNS + p[1]) * PATTERNS + p[2]))
                    continue;
                if (anew) {
                    weft_program_destroy(program);
                    program = run_compile(text);
                }
                run_patterns(program, p, extents);
            }
    weft_program_destroy(program);
}

static void test_small(void **state)
{
    (void)state;
    run_all((int64_t[]){2, 3, 4, 5}, true);
}

static void test_short_rows(void **state)
{
    (void)state;
    run_all((int64_t[]){3, 5, 7, 2}, true);
}

static void test_blocks(void **state)
{
    (void)state;
    run_all((int64_t[]){2, 3, 2, 65}, true);
}

static void test_general(void **state)
{
    (void)state;
    run_all((int64_t[]){2, 3, 4, 5}, false);
    run_all((int64_t[]){2, 2, 3, 64}, false);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_short_rows),
                                       cmocka_unit_test(test_blocks), cmocka_unit_test(test_general)};
    return cmocka_run_group_tests_name("broadcast", tests, NULL, finish);
}
