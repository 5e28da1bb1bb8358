/* Kernels in a row over the same points run tile by tile, so that a row is still in a cache when the next kernel reads
 * it; and kernels that need other points of a temporary do not. Whether results are the same is tested elsewhere. */
#include "runtime/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 1024, VALUES = SIDE * SIDE };

/* What a text's plan has. */
struct found {
    int kernels, chain;            /* how many there are, and how many of them the first one's chain has */
    size_t whole, placed, windows; /* bytes of temporaries: as wholes; without windows; of a thread's windows */
};

/* Runs it on rows of so many elements. The result has so many dimensions of x. */
static struct found run_on_rows(const char *text, int columns, int rank)
{
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    float *x = calloc(VALUES, sizeof *x), *out = calloc(VALUES, sizeof *out);
    int64_t shape[] = {VALUES / columns, columns};
    DLTensor in = {.data = x, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor result = in;
    result.data = out, result.ndim = rank;
    const struct weft_argument input = {.tensors = &in}, output = {.tensors = &result};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    const struct weft_context_params libtcc = {.cc = "libtcc", .disable = ""};
    assert_int_equal(weft_context_create(&libtcc, &context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(context, text, NULL, &program, NULL), WEFT_OK);
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    const struct plan *plan = program->typed->plans.latest;
    const struct found found = {plan->kernel_count, plan->kernels[0].chain, plan->shared_bytes, plan->placed_bytes,
                                plan->window_bytes};
    weft_program_destroy(program);
    weft_context_destroy(context);
    free(x), free(out);
    return found;
}

static struct found run_on_square(const char *text)
{
    return run_on_rows(text, SIDE, 2);
}

static void test_chains(void **state)
{
    (void)state;
    struct found found = run_on_square("softmax(x, axis=1)");
    assert_int_equal(found.kernels, 4);
    assert_int_equal(found.chain, 4);
    found = run_on_square("x - mean(x, axis=1, keepdims=true)");
    assert_int_equal(found.kernels, 3);
    assert_int_equal(found.chain, 3);
    found = run_on_square("x - mean(x, axis=1)"); /* each point needs the mean of every row */
    assert_int_equal(found.kernels, 3);
    assert_in_range(found.chain, 0, 1);
    found = run_on_square("x - mean(x)"); /* of one point */
    assert_int_equal(found.kernels, 4);
    assert_in_range(found.chain, 0, 1);
}

/* Kernels that read nothing twice, and leave little for each other, go over all of their tiles one after the other. */
static void test_nothing_kept(void **state)
{
    (void)state;
    struct found found = run_on_rows("sqrt(sum(x, 1))", 1024, 1);
    assert_int_equal(found.kernels, 2);
    assert_in_range(found.chain, 0, 1);
    found = run_on_rows("sqrt(sum(x, 1))", 16, 1); /* 256 KB of sums */
    assert_int_equal(found.kernels, 2);
    assert_int_equal(found.chain, 2);
    found = run_on_rows("sqrt(sum(x, 1)) + sum(x * x, 1)", 1024, 1); /* x is read twice */
    assert_int_equal(found.kernels, 3);
    assert_int_equal(found.chain, 3);
}

/* What is stored for the rows of a chain alone is there a tile at a time. */
static void test_windows(void **state)
{
    (void)state;
    const size_t all = (size_t)SIDE * SIDE * sizeof(float);
    struct found found = run_on_square("softmax(x, axis=1)");
    assert_true(found.whole > all);
    assert_in_range(found.windows, SIDE, all / 16);
    assert_in_range(found.placed, 1, all / 16);
    found = run_on_square("e = exp(x); e / sum(e, axis=1, keepdims=true)"); /* a reduction is not the first */
    assert_int_equal(found.chain, 3);
    assert_in_range(found.windows, SIDE, all / 16);
    found = run_on_square("e = exp(x); e / mean(e, axis=1, keepdims=true)"); /* the count reads no elements */
    assert_int_equal(found.chain, 4);
    assert_in_range(found.windows, SIDE, all / 16);
    found = run_on_square("e = exp(x); e / sum(e)"); /* every row needs all others */
    assert_int_equal(found.windows, 0);
    found = run_on_square("softmax(x, axis=1) * mean(x)"); /* other kernels stand between */
    assert_int_equal(found.windows, 0);
    assert_in_range(found.whole, 1, all / 16);
    found = run_on_square("transpose(softmax(x, axis=1))"); /* the result's kernel goes by columns */
    assert_int_equal(found.windows, 0);
    found = run_on_square("x - mean(x, axis=1, keepdims=true)"); /* what is stored is small */
    assert_int_equal(found.windows, 0);
    assert_int_equal(found.placed, found.whole);
}

/* Passes of neighbours take turns, and what is between them is there a tile at a time, with what lies around it. */
static void test_slices(void **state)
{
    (void)state;
    const size_t all = (size_t)SIDE * SIDE * sizeof(float);
    struct found found = run_on_square("k = [1, 2, 1.5, 3, 2, 1]; correlate(correlate(x, k, axes=0), k, axes=1)");
    assert_int_equal(found.chain, found.kernels);
    assert_in_range(found.windows, SIDE, all / 4);
    assert_int_equal(found.placed, 0);
    found = run_on_square("k = [1, 2, 1.5, 3, 2, 1]; correlate(correlate(x, k, axes=1), k, axes=0)");
    assert_int_equal(found.chain, found.kernels);
    assert_in_range(found.windows, SIDE, all / 4);
    found = run_on_square("k = [1, 2, 1.5, 3, 2, 1]; y = correlate(x, k, axes=1); correlate(y, k, axes=1)[::-1]");
    assert_in_range(found.chain, 0, found.kernels - 1); /* the first rows need the last ones */
    found = run_on_square("k = [1, 2, 1.5, 3, 2, 1]; y = correlate(x, k, axes=1); correlate(y, k, \"wrap\", axes=0)");
    assert_in_range(found.chain, 0, found.kernels - 1); /* so do those that go round */
    found = run_on_square("k = [1, 2, 1.5, 3, 2, 1]; y = transpose(correlate(x, k, axes=1)); correlate(y, k, axes=1)");
    assert_in_range(found.chain, 0, found.kernels - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_nothing_kept),
                                       cmocka_unit_test(test_windows), cmocka_unit_test(test_slices)};
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
