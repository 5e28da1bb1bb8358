/* Rule 3.4: an element's bits do not depend on its position. Every row on every dtype: random
 * values in runs of every length from 1 to 200 that start anywhere in a tensor (so at any
 * alignment) against one long run; and one value at all positions. The runs themselves are
 * compared with the oracle by test_rows. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LONG = 264, LONGEST = 200, MAX_JOBS = 96 };

static const char *const names[] = {"a", "b", "c"};

struct suite {
    enum op ops[MAX_JOBS];
    struct typing typings[MAX_JOBS];
    int count;
    struct weft_program *program;
    struct tensor inputs[3], base[MAX_JOBS], outputs[MAX_JOBS];
};

/* Every row on this dtype. */
static void make_suite(struct suite *suite, enum weft_dtype t)
{
    static char text[20000];
    const enum weft_dtype dtypes[] = {t, t, t};
    size_t length = (size_t)snprintf(text, sizeof text, "return ");
    for (int op = 0; op < OP_COUNT; op++) {
        char job[200];
        int i = suite->count;
        if (op_rows[op].form == FORM_INTERNAL ||
            !typing_of(op, dtypes, op_arity(op), &suite->typings[i]))
            continue;
        suite->ops[suite->count++] = op;
        length += (size_t)snprintf(text + length, sizeof text - length, "%sr%d = %s", i ? ", " : "",
                                   i, typing_text(job, sizeof job, op, names, op_arity(op)));
    }
    suite->program = run_compile(text);
    for (int i = 0; i < suite->count; i++) {
        suite->base[i] = tensor_line(suite->typings[i].result, LONG);
        suite->outputs[i] = tensor_line(suite->typings[i].result, LONG);
    }
    for (int k = 0; k < 3; k++)
        suite->inputs[k] = tensor_line(t, LONG);
}

static void free_suite(struct suite *suite)
{
    weft_program_destroy(suite->program);
    for (int i = 0; i < suite->count; i++) {
        tensor_free(&suite->base[i]);
        tensor_free(&suite->outputs[i]);
    }
    for (int k = 0; k < 3; k++)
        tensor_free(&suite->inputs[k]);
}

/* Elements offset .. offset + length of the inputs into the first elements of `to`. */
static void run_part(struct suite *suite, int64_t offset, int64_t length, struct tensor *to)
{
    struct tensor inputs[3], outputs[MAX_JOBS];
    for (int k = 0; k < 3; k++) {
        inputs[k] = suite->inputs[k];
        inputs[k].shape[0] = length;
        inputs[k].data += offset * (int64_t)weft_dtype_size(inputs[k].dtype);
    }
    for (int i = 0; i < suite->count; i++) {
        outputs[i] = to[i];
        outputs[i].shape[0] = length;
    }
    run_program(suite->program, inputs, names, 3, outputs, suite->count, NULL);
}

/* Whether the first elements of the outputs are those of the long run from `offset` on; with step 0
 * they are all the long run's first. */
static void compare(const struct suite *suite, int64_t offset, int64_t length, int64_t step)
{
    for (int i = 0; i < suite->count; i++)
        for (int64_t j = 0; j < length; j++) {
            enum weft_dtype result = suite->typings[i].result;
            union scalar here = tensor_get(&suite->outputs[i], j);
            union scalar there = tensor_get(&suite->base[i], offset + j * step);
            char texts[2][64];
            if (!oracle_same(result, here, there))
                fail_msg("%s on %s: element %" PRId64 " of %" PRId64 " from %" PRId64
                         " is %s, elsewhere %s (seed %" PRIu64 ")",
                         op_rows[suite->ops[i]].id, type_rows[suite->inputs[0].dtype].name, j,
                         length, offset, oracle_print(texts[0], result, here),
                         oracle_print(texts[1], result, there), values_seed());
        }
}

/* Runs of every length, anywhere. */
static void slide(struct suite *suite, struct stream *stream)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < LONG; i++)
            tensor_set(&suite->inputs[k], i, stream_value(stream, suite->inputs[k].dtype));
    run_part(suite, 0, LONG, suite->base);
    for (int64_t length = 1; length <= LONGEST; length++) {
        int64_t offset = (int64_t)stream_below(stream, (uint64_t)(LONG - length + 1));
        run_part(suite, offset, length, suite->outputs);
        compare(suite, offset, length, 1);
    }
}

/* One value at all positions, against that value alone. */
static void repeat(struct suite *suite, struct stream *stream)
{
    for (int k = 0; k < 3; k++) {
        union scalar value = stream_value(stream, suite->inputs[k].dtype);
        for (int i = 0; i < LONG; i++)
            tensor_set(&suite->inputs[k], i, value);
    }
    run_part(suite, 0, 1, suite->base);
    for (int64_t length = 1; length <= LONGEST; length += length < 66 ? 1 : 19) {
        run_part(suite, 0, length, suite->outputs);
        compare(suite, 0, length, 0);
    }
}

static void test_positions(void **state)
{
    (void)state;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        struct suite suite = {.count = 0};
        struct stream stream = stream_init((uint64_t)t + 77);
        if (!sample_chosen(t + 1))
            continue;
        make_suite(&suite, t);
        slide(&suite, &stream);
        for (int i = 0; i < 4; i++)
            repeat(&suite, &stream);
        free_suite(&suite);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions)};
    return cmocka_run_group_tests_name("positions", tests, NULL, finish);
}
