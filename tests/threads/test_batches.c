/* Batches of unlike shapes run by several threads at once on one program, more of them than plans are
 * kept: plans are found, made, pinned and dropped side by side. */
#include "tests/sample.h"
#include "tests/threads/job.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CALLERS = 4, SAMPLES = 700, KINDS = 61 };

/* Each sample has a shape of its own, and its second result that shape turned, as numbers say. Two callers
 * each have the same shapes. */
struct caller {
    pthread_t thread;
    struct weft_program *program;
    int number;
    bool good;
    int64_t shapes[SAMPLES][2], turned[SAMPLES][2], two;
    int32_t *memory[3], k;
    DLTensor tensors[4][SAMPLES], plain;
};

static DLTensor host(void *data, uint8_t bits, int rank, int64_t *shape)
{
    return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = {kDLInt, bits, 1},
                      .shape = shape};
}

static void lay_out(struct caller *caller, int turn)
{
    int64_t at = 0;
    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t n = i + (caller->number % 2 * 5 + turn) * (SAMPLES / 2);
        int64_t rows = 1 + n % KINDS, columns = 1 + n / KINDS % KINDS;
        caller->shapes[i][0] = caller->turned[i][1] = rows;
        caller->shapes[i][1] = caller->turned[i][0] = columns;
        for (int t = 0; t < 3; t++)
            caller->tensors[t][i] = host(caller->memory[t] + at, 32, 2,
                                         t < 2 ? caller->shapes[i] : caller->turned[i]);
        caller->tensors[3][i] = host(caller->turned[i], 64, 1, &caller->two);
        at += rows * columns;
    }
    for (int64_t i = 0; i < at; i++)
        caller->memory[0][i] = (int32_t)i + caller->number;
}

static bool is_right(const struct caller *caller)
{
    for (int i = 0; i < SAMPLES; i++)
        for (int64_t n = 0; n < caller->shapes[i][0] * caller->shapes[i][1]; n++) {
            int32_t x = ((const int32_t *)caller->tensors[0][i].data)[n];
            if (((const int32_t *)caller->tensors[1][i].data)[n] != 3 * x + caller->k ||
                ((const int32_t *)caller->tensors[2][i].data)[n] != x + 1)
                return false;
        }
    return true;
}

/* As a batch, and then a few of its samples alone. */
static bool run_all(struct caller *caller, bool prepare)
{
    const struct weft_argument in[] = {{"x", caller->tensors[0], SAMPLES, true},
                                       {"k", &caller->plain, 1, false},
                                       {"s", caller->tensors[3], SAMPLES, true}};
    const struct weft_argument out[] = {{"a", caller->tensors[1], SAMPLES, true},
                                        {"b", caller->tensors[2], SAMPLES, true}};
    const struct weft_run_params params = {in, 3, out, 2, NULL};
    size_t kernels = 0;
    if (prepare && weft_prepare(caller->program, &params, NULL, &kernels, NULL) != WEFT_OK)
        return false;
    bool good = weft_run(caller->program, &params, NULL) == WEFT_OK && is_right(caller);
    for (int i = 0; i < SAMPLES && good; i += 29) {
        const struct weft_argument from[] = {{"x", &caller->tensors[0][i], 1, false}, in[1],
                                             {"s", &caller->tensors[3][i], 1, false}};
        const struct weft_argument to[] = {{"a", &caller->tensors[1][i], 1, false},
                                           {"b", &caller->tensors[2][i], 1, false}};
        const struct weft_run_params one = {from, 3, to, 2, NULL};
        good = weft_run(caller->program, &one, NULL) == WEFT_OK;
    }
    return good && is_right(caller);
}

static void *call(void *data)
{
    struct caller *caller = data;
    caller->good = true;
    for (long turn = 0, turns = sample_setting("WEFT_TURNS", 6); turn < turns && caller->good; turn++) {
        lay_out(caller, (int)turn);
        caller->good = run_all(caller, turn % 2);
    }
    return NULL;
}

static void test_batches_at_once(void **state)
{
    static struct caller callers[CALLERS];
    struct weft_context *context = job_context(2, true);
    struct weft_program *program = NULL;
    (void)state;
    assert_int_equal(weft_compile(context, "return a = x * 3 + k, b = reshape(x, s) + 1", NULL, &program,
                                  NULL), WEFT_OK);
    for (int i = 0; i < CALLERS; i++) {
        struct caller *caller = &callers[i];
        *caller = (struct caller){.program = program, .number = i, .two = 2, .k = i};
        caller->plain = host(&caller->k, 32, 0, NULL);
        for (int t = 0; t < 3; t++)
            assert_non_null(caller->memory[t] = calloc((size_t)SAMPLES * KINDS * KINDS, sizeof(int32_t)));
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        for (int t = 0; t < 3; t++)
            free(callers[i].memory[t]);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_true(callers[i].good);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
