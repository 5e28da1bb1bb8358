/* Kernels in a row over the same points run tile by tile, so that a row is still in a cache when the next kernel reads
 * it; and kernels that need other points of a temporary do not. Whether results are the same is tested elsewhere. */
#include "runtime/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 1024 };

/* Runs it on a square; how many kernels there are, and how many of them the first one's chain has. */
static int chain_of(const char *text, int *kernels)
{
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    float *x = calloc((size_t)SIDE * SIDE, sizeof *x), *out = calloc((size_t)SIDE * SIDE, sizeof *out);
    int64_t shape[] = {SIDE, SIDE};
    DLTensor in = {.data = x, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor result = in;
    result.data = out;
    const struct weft_argument input = {.tensors = &in}, output = {.tensors = &result};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    const struct weft_context_params libtcc = {.cc = "libtcc", .disable = ""};
    assert_int_equal(weft_context_create(&libtcc, &context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(context, text, NULL, &program, NULL), WEFT_OK);
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    const struct plan *plan = program->typed->plans.latest;
    const int chain = plan->kernels[0].chain;
    *kernels = plan->kernel_count;
    weft_program_destroy(program);
    weft_context_destroy(context);
    free(x), free(out);
    return chain;
}

static void test_chains(void **state)
{
    (void)state;
    int kernels = 0, chain = chain_of("softmax(x, axis=1)", &kernels);
    assert_int_equal(kernels, 3);
    assert_int_equal(chain, kernels);
    chain = chain_of("x - mean(x, axis=1, keepdims=true)", &kernels);
    assert_int_equal(kernels, 3);
    assert_int_equal(chain, kernels);
    chain = chain_of("x - mean(x, axis=1)", &kernels); /* each point needs the mean of every row */
    assert_int_equal(kernels, 3);
    assert_int_equal(chain, 2); /* the last one waits */
    chain = chain_of("x - mean(x)", &kernels); /* of one point */
    assert_int_equal(kernels, 4);
    assert_in_range(chain, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
