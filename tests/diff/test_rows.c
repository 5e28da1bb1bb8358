/* Kernels of single operations against the oracle: every row on every pair of dtypes (three
 * operands: the pair beside a third), every function, cast and wrap on every dtype, contiguous,
 * on data full of special values; where the language has an error, that there is one. All rows
 * of one tuple of dtypes are results of one program, so one call of the compiler covers them. */
#include "tests/diff/run.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LENGTH = 256, MAX_JOBS = 96, SHARE = 6 };

/* One result of a program. `op` is OP_COUNT for a cast or a wrap to typing.result. */
struct job {
    enum op op;
    int arity, arguments[3];       /* which inputs */
    bool wrap;
    struct typing typing;
};

struct suite {
    struct job jobs[MAX_JOBS];
    int count;
    struct tensor inputs[3];
};

static const char *const names[] = {"a", "b", "c"};
static int wrong;

static bool add_job(struct suite *suite, struct job job)
{
    enum weft_dtype dtypes[3];
    for (int i = 0; i < job.arity; i++)
        dtypes[i] = suite->inputs[job.arguments[i]].dtype;
    if (job.op != OP_COUNT && !typing_of(job.op, dtypes, job.arity, &job.typing))
        return false;
    assert_true(suite->count < MAX_JOBS);
    suite->jobs[suite->count++] = job;
    return true;
}

static const char *job_text(char *buffer, size_t size, const struct job *job)
{
    const char *operands[3];
    for (int i = 0; i < job->arity; i++)
        operands[i] = names[job->arguments[i]];
    if (job->op != OP_COUNT)
        return typing_text(buffer, size, job->op, operands, job->arity);
    if (job->wrap)
        snprintf(buffer, size, "wrap(%s, %s)", operands[0], weft_dtype_name(job->typing.result));
    else
        snprintf(buffer, size, "%s(%s)", weft_dtype_name(job->typing.result), operands[0]);
    return buffer;
}

static const char *suite_text(char *text, size_t size, const struct suite *suite)
{
    size_t length = (size_t)snprintf(text, size, "return ");
    for (int i = 0; i < suite->count; i++) {
        char job[200];
        length += (size_t)snprintf(text + length, size - length, "%sr%d = %s", i ? ", " : "", i,
                                   job_text(job, sizeof job, &suite->jobs[i]));
    }
    return text;
}

/* ---- data ---- */

/* The first elements are a square of special values, `inner` of them along this input. */
static void fill(struct tensor *tensor, bool outer, uint64_t salt)
{
    int all;
    const union scalar *special = values_special(tensor->dtype, &all);
    struct stream stream = stream_init(salt);
    for (int i = 0; i < LENGTH; i++) {
        int k = outer ? i / VALUES_FEW : i % VALUES_FEW;
        bool square = i < VALUES_FEW * VALUES_FEW;
        tensor_set(tensor, i, square ? special[k % all] : stream_value(&stream, tensor->dtype));
    }
}

/* One input: all special values, then random ones. */
static void fill_line(struct tensor *tensor)
{
    int all;
    const union scalar *special = values_special(tensor->dtype, &all);
    struct stream stream = stream_init(tensor->dtype);
    for (int i = 0; i < LENGTH; i++)
        tensor_set(tensor, i, i < all ? special[i] : stream_value(&stream, tensor->dtype));
}

/* ---- checking ---- */

static void operands_of(const struct suite *suite, const struct job *job, int i,
                        struct typed out[3])
{
    for (int k = 0; k < job->arity; k++) {
        const struct tensor *input = &suite->inputs[job->arguments[k]];
        out[k] = (struct typed){input->dtype, tensor_get(input, i)};
    }
}

static union scalar expected(const struct job *job, const struct typed *o)
{
    if (job->op != OP_COUNT)
        return typing_value(job->op, &job->typing, o, job->arity);
    return job->wrap ? oracle_convert(o[0].dtype, job->typing.result, o[0].value)
                     : oracle_cast(o[0].dtype, job->typing.result, o[0].value);
}

static bool right(const struct job *job, const struct typed *o, union scalar actual)
{
    if (job->op == OP_COUNT)
        return oracle_same(job->typing.result, expected(job, o), actual);
    return typing_error(job->op, &job->typing, o, job->arity, actual) <=
           typing_bound(job->op, &job->typing);
}

static void report(const struct job *job, const struct typed *o, int i, union scalar actual)
{
    char text[200];
    print_error("%s with", job_text(text, sizeof text, job));
    for (int k = 0; k < job->arity; k++)
        print_error(" %s %s %s,", names[job->arguments[k]], weft_dtype_name(o[k].dtype),
                    oracle_print(text, o[k].dtype, o[k].value));
    print_error(" element %d, is %s,", i, oracle_print(text, job->typing.result, actual));
    print_error(" not %s (seed %" PRIu64 ")\n",
                oracle_print(text, job->typing.result, expected(job, o)), values_seed());
}

/* Whether any element divides by zero. */
static bool check_job(const struct suite *suite, const struct job *job, const struct tensor *output)
{
    int complaints = 0;
    bool fault = false;
    for (int i = 0; i < LENGTH; i++) {
        struct typed o[3];
        union scalar actual = tensor_get(output, i);
        operands_of(suite, job, i, o);
        if (!right(job, o, actual) && wrong++ < 200 && complaints++ < 2)
            report(job, o, i, actual);
        fault =
            fault || (job->op != OP_COUNT && typing_fault(job->op, &job->typing, o, job->arity));
    }
    return fault;
}

/* Where no job has three operands the program has no third input. */
static int inputs_used(const struct suite *suite)
{
    int used = 1;
    for (int i = 0; i < suite->count; i++)
        used = suite->jobs[i].arity > used ? suite->jobs[i].arity : used;
    return used;
}

static void run_filled(const struct suite *suite, struct weft_program *program)
{
    struct tensor outputs[MAX_JOBS];
    bool fault = false;
    for (int i = 0; i < suite->count; i++)
        outputs[i] = tensor_line(suite->jobs[i].typing.result, LENGTH);
    enum weft_status status = run_program(program, suite->inputs, names, inputs_used(suite), outputs,
                                          suite->count, NULL);
    for (int i = 0; i < suite->count; i++) {
        fault = check_job(suite, &suite->jobs[i], &outputs[i]) || fault;
        tensor_free(&outputs[i]);
    }
    assert_int_equal(status, fault ? WEFT_DIVIDE_BY_ZERO : WEFT_OK);
}

static struct weft_program *compile_suite(const struct suite *suite)
{
    static char text[20000];
    return run_compile(suite_text(text, sizeof text, suite));
}

static void run_suite(struct suite *suite, int input_count)
{
    struct weft_program *program = compile_suite(suite);
    run_filled(suite, program);
    weft_program_destroy(program);
    for (int i = 0; i < input_count; i++)
        tensor_free(&suite->inputs[i]);
}

/* ---- the tests ---- */

static void fill_square(struct suite *suite)
{
    fill(&suite->inputs[0], true, 1);
    fill(&suite->inputs[1], false, 2);
    fill(&suite->inputs[2], false, 3);
}

/* All rows with operands of one dtype; the kernels are those of test_positions. */
static void test_one_dtype(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        struct suite suite = {.inputs = {tensor_line(t, LENGTH), tensor_line(t, LENGTH),
                                         tensor_line(t, LENGTH)}};
        for (int op = 0; op < OP_COUNT; op++)
            if (op_rows[op].form != FORM_INTERNAL)
                add_job(&suite, (struct job){op, op_arity(op), {0, 1, 2}, false, {0}});
        struct weft_program *program = compile_suite(&suite);
        fill_square(&suite);
        run_filled(&suite, program);
        fill_line(&suite.inputs[0]);
        run_filled(&suite, program);
        weft_program_destroy(program);
        for (int k = 0; k < 3; k++)
            tensor_free(&suite.inputs[k]);
    }
    assert_int_equal(wrong, 0);
}

static void test_conversions(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        struct suite suite = {.inputs = {tensor_line(t, LENGTH)}};
        fill_line(&suite.inputs[0]);
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++) {
            struct job job = {.op = OP_COUNT, .arity = 1, .typing.result = to};
            add_job(&suite, job);
            job.wrap = dtype_is_integer(t) && dtype_is_integer(to);
            if (job.wrap)
                add_job(&suite, job);
        }
        run_suite(&suite, 1);
    }
    assert_int_equal(wrong, 0);
}

/* Where there are levels: what a row makes of two dtypes is what it makes of the one that they are converted
 * to, so it is enough that an optimized kernel meets each row with every sixth pair. */
static bool is_quick(int op, enum weft_dtype a, enum weft_dtype b)
{
    return run_has_levels() && (op + 5 * a + 3 * b) % SHARE != 0;
}

/* The rows of a pair that are, or are not, quick. */
static void run_pair(enum weft_dtype a, enum weft_dtype b, bool quick)
{
    enum weft_dtype c = (3 * a + 5 * b) % WEFT_DTYPE_COUNT;
    struct suite suite = {.inputs = {tensor_line(a, LENGTH), tensor_line(b, LENGTH),
                                     tensor_line(c, LENGTH)}};
    fill_square(&suite);
    for (int op = 0; op < OP_COUNT; op++) {
        struct job job = {op, op_arity(op), {0, 1, 2}, false, {0}}, rotated = job;
        if (job.arity < 2 + (a == b) || op_rows[op].form == FORM_INTERNAL || is_quick(op, a, b) != quick)
            continue;
        add_job(&suite, job);
        rotated.arguments[0] = 2, rotated.arguments[1] = 0, rotated.arguments[2] = 1;
        if (job.arity == 3)
            add_job(&suite, rotated);
    }
    if (suite.count)
        run_suite(&suite, 3);
}

static void test_pairs(void **state)
{
    (void)state;
    wrong = 0;
    for (int quick = 0; quick <= run_has_levels(); quick++) {
        run_quickly(quick);
        for (int a = 0; a < WEFT_DTYPE_COUNT; a++)
            for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
                run_pair(a, b, quick);
    }
    run_quickly(false);
    assert_int_equal(wrong, 0);
}

/* Compiling alone tells whether a row accepts the types. */
static void check_acceptance(enum op op, const enum weft_dtype *dtypes, int arity)
{
    char text[200];
    struct typing typing;
    struct weft_input_type types[3];
    for (int i = 0; i < arity; i++)
        types[i] = (struct weft_input_type){names[i], weft_dtype_name(dtypes[i])};
    typing_text(text, sizeof text, op, names, arity);
    enum weft_status status = run_status(text, types, (size_t)arity);
    enum weft_status due = typing_of(op, dtypes, arity, &typing) ? WEFT_OK : WEFT_TYPE_ERROR;
    if (status != due && wrong++ < 40)
        print_error("%s: status %d, not %d, with %s, %s\n", text, status, due, types[0].type,
                    arity > 1 ? types[1].type : "nothing");
}

static void test_acceptance(void **state)
{
    (void)state;
    wrong = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (int i = 0; i < WEFT_DTYPE_COUNT * WEFT_DTYPE_COUNT; i++) {
            enum weft_dtype a = i / WEFT_DTYPE_COUNT, b = i % WEFT_DTYPE_COUNT;
            const enum weft_dtype dtypes[] = {a, b, a};
            if (op_rows[op].form != FORM_INTERNAL && (b == 0 || op_arity(op) > 1))
                check_acceptance(op, dtypes, op_arity(op));
        }
    assert_int_equal(wrong, 0);
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
        cmocka_unit_test(test_acceptance),
        cmocka_unit_test(test_one_dtype),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, finish);
}
