/* Kernels of single operations against the oracle: every row on every pair of dtypes (three
 * operands: the pair beside a third), every function, cast and wrap on every dtype, contiguous,
 * on data full of special values; where the language has an error, that there is one. All rows
 * of one tuple of dtypes are results of one program, so one call of the compiler covers them. */
#include "tests/diff/row_jobs.h"
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LENGTH = 256, SHARE = 6 };

struct suite {
    struct row_jobs jobs;
    struct tensor inputs[3];
};

static int wrong;

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

static void operands_of(const struct suite *suite, const struct row_job *job, int i,
                        struct typed out[3])
{
    for (int k = 0; k < job->arity; k++) {
        const struct tensor *input = &suite->inputs[job->arguments[k]];
        out[k] = (struct typed){input->dtype, tensor_get(input, i)};
    }
}

static union scalar expected(const struct row_job *job, const struct typed *o)
{
    if (job->op != OP_COUNT)
        return typing_value(job->op, &job->typing, o, job->arity);
    return job->wrap ? oracle_convert(o[0].dtype, job->typing.result, o[0].value)
                     : oracle_cast(o[0].dtype, job->typing.result, o[0].value);
}

static bool right(const struct row_job *job, const struct typed *o, union scalar actual)
{
    if (job->op == OP_COUNT)
        return oracle_same(job->typing.result, expected(job, o), actual);
    return typing_error(job->op, &job->typing, o, job->arity, actual) <=
           typing_bound(job->op, &job->typing);
}

static void report(const struct row_job *job, const struct typed *o, int i, union scalar actual)
{
    char text[200];
    print_error("%s with", row_job_text(text, sizeof text, job));
    for (int k = 0; k < job->arity; k++)
        print_error(" %s %s %s,", row_names[job->arguments[k]], weft_dtype_name(o[k].dtype),
                    oracle_print(text, o[k].dtype, o[k].value));
    print_error(" element %d, is %s,", i, oracle_print(text, job->typing.result, actual));
    print_error(" not %s (seed %" PRIu64 ")\n",
                oracle_print(text, job->typing.result, expected(job, o)), values_seed());
}

/* Whether any element divides by zero. */
static bool check_job(const struct suite *suite, const struct row_job *job, const struct tensor *output)
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

static void run_filled(const struct suite *suite, struct weft_program *program)
{
    const struct row_jobs *jobs = &suite->jobs;
    struct tensor outputs[ROW_JOBS];
    bool fault = false;
    for (int i = 0; i < jobs->count; i++)
        outputs[i] = tensor_line(jobs->items[i].typing.result, LENGTH);
    enum weft_status status = run_program(program, suite->inputs, row_names, jobs->input_count, outputs,
                                          jobs->count, NULL);
    for (int i = 0; i < jobs->count; i++) {
        fault = check_job(suite, &jobs->items[i], &outputs[i]) || fault;
        tensor_free(&outputs[i]);
    }
    assert_int_equal(status, fault ? WEFT_DIVIDE_BY_ZERO : WEFT_OK);
}

/* With the first input's special values against the second's, and with all of the first's. */
static void run_suite(struct suite *suite)
{
    static char text[ROW_TEXT];
    const struct row_jobs *jobs = &suite->jobs;
    struct weft_program *program = run_compile(row_jobs_text(text, jobs));
    for (int i = 0; i < jobs->input_count; i++) {
        suite->inputs[i] = tensor_line(jobs->dtypes[i], LENGTH);
        fill(&suite->inputs[i], i == 0, (uint64_t)i + 1);
    }
    if (jobs->input_count > 1)
        run_filled(suite, program);
    fill_line(&suite->inputs[0]);
    run_filled(suite, program);
    weft_program_destroy(program);
    for (int i = 0; i < jobs->input_count; i++)
        tensor_free(&suite->inputs[i]);
}

/* ---- the tests ---- */

/* The kernels are those of test_positions. A share of 2 x 13 leaves no dtype out here, and one of 3 x 13 is
 * int16, uint8, uint64 and float32. */
static void test_one_dtype(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        struct suite suite;
        if (!sample_chosen(2 * WEFT_DTYPE_COUNT * (t + 1)))
            continue;
        row_jobs_of_dtype(t, &suite.jobs);
        run_suite(&suite);
    }
    assert_int_equal(wrong, 0);
}

/* Leaves those that `keep` says, and the inputs that they take. */
static void filter(struct row_jobs *jobs, bool (*keep)(const struct row_jobs *jobs, const struct row_job *job))
{
    int count = 0;
    jobs->input_count = 1;
    for (int i = 0; i < jobs->count; i++)
        if (keep(jobs, &jobs->items[i])) {
            if (jobs->items[i].arity > jobs->input_count)
                jobs->input_count = jobs->items[i].arity;
            jobs->items[count++] = jobs->items[i];
        }
    jobs->count = count;
}

static bool is_conversion(const struct row_jobs *jobs, const struct row_job *job)
{
    (void)jobs;
    return job->op == OP_COUNT;
}

static void test_conversions(void **state)
{
    (void)state;
    wrong = 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        struct suite suite;
        if (!sample_chosen(WEFT_DTYPE_COUNT * (t + 1)))
            continue;
        row_jobs_of_one(t, &suite.jobs);
        filter(&suite.jobs, is_conversion);
        run_suite(&suite);
    }
    assert_int_equal(wrong, 0);
}

/* Where there are levels: what a row makes of two dtypes is what it makes of the one that they are converted
 * to, so it is enough that an optimized kernel meets each row with every sixth pair. */
static bool is_quick(const struct row_jobs *jobs, const struct row_job *job)
{
    return run_has_levels() && (job->op + 5 * jobs->dtypes[0] + 3 * jobs->dtypes[1]) % SHARE != 0;
}

static bool is_full(const struct row_jobs *jobs, const struct row_job *job)
{
    return !is_quick(jobs, job);
}

static void run_pair(enum weft_dtype a, enum weft_dtype b, bool quick)
{
    struct suite suite;
    row_jobs_of_pair(a, b, &suite.jobs);
    filter(&suite.jobs, quick ? is_quick : is_full);
    if (suite.jobs.count)
        run_suite(&suite);
}

static void test_pairs(void **state)
{
    (void)state;
    wrong = 0;
    for (int quick = 0; quick <= run_has_levels(); quick++) {
        run_quickly(quick);
        for (int a = 0; a < WEFT_DTYPE_COUNT; a++)
            for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
                if (sample_chosen(sample_pair(a, b, WEFT_DTYPE_COUNT)))
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
        types[i] = (struct weft_input_type){row_names[i], weft_dtype_name(dtypes[i])};
    typing_text(text, sizeof text, op, row_names, arity);
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
