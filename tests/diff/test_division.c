/* Rule 4.4, division by zero: operations x operands x programs x shapes x data against a reference that
 * evaluates an element as one would by hand. Values, whether there is a remark, and which operator of the
 * text it names. WEFT_DIVISIONS sets how many programs; a failure prints seed and text. */
#include "tests/diff/division_data.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- a run ---- */

static struct program program;
static const char *without;

static void fail_at(const struct path *path, enum zeros zeros, const char *what, long is, long due)
{
    print_error("%s\nwith a %s, b %s, %s, data %d, without '%s', seed %" PRIu64 "\n%s is %ld, not %ld\n",
                program.text, weft_dtype_name(program.division.dtypes[0]),
                weft_dtype_name(program.division.dtypes[1]), path->name, zeros, without, values_seed(), what,
                is, due);
    fail();
}

static void evaluate(const struct path *path, const struct tensor *in, const int64_t *index,
                     struct element *e, struct typed *results)
{
    *e = (struct element){.division = &program.division};
    for (int k = 0; k < OPERANDS; k++)
        e->in[k] = (struct typed){in[k].dtype, scalar_load(element_at(path, &in[k], index), in[k].dtype)};
    program.form->meaning(e, results);
}

/* Along which dimensions the division varies. */
static unsigned quotient_along(const struct path *path)
{
    enum manner manner = program.division.manner;
    return (manner == OF_LITERAL ? 0 : path->along[A]) | (manner == BY_LITERAL ? 0 : path->along[B]);
}

static unsigned result_along(const struct path *path, int result)
{
    unsigned uses = program.form->uses[result], along = quotient_along(path);
    for (int k = 0; k < OPERANDS; k++)
        along |= uses >> k & 1 ? path->along[k] : 0;
    return along;
}

/* The place a run's remark must have, -1: none. Compares the results, when there are any. */
static int check(const struct path *path, enum zeros zeros, const struct tensor *in, const struct tensor *out)
{
    int first = INT_MAX;
    int64_t index[RANK] = {0};
    do {
        struct element e;
        struct typed results[RESULTS];
        evaluate(path, in, index, &e, results);
        for (int i = 0; i < PLACES; i++)
            if (e.used[i] && program.places[i] < first)
                first = program.places[i];
        for (int k = 0; out && k < program.results; k++) {
            union scalar is = scalar_load(element_at(path, &out[k], index), out[k].dtype);
            if (is.bits != results[k].value.bits)
                fail_at(path, zeros, "an element", (long)is.i64, (long)results[k].value.i64);
        }
    } while (next(path, 7, index));
    return first == INT_MAX ? -1 : first;
}

static void result_types(enum weft_dtype dtypes[RESULTS])
{
    struct element e = {.division = &program.division};
    struct typed results[RESULTS];
    const enum weft_dtype given[] = {program.division.dtypes[0], program.division.dtypes[1], WEFT_BOOL,
                                     WEFT_FLOAT32};
    for (int k = 0; k < OPERANDS; k++)
        e.in[k].dtype = given[k];
    program.form->meaning(&e, results);
    for (int k = 0; k < program.results; k++)
        dtypes[k] = results[k].dtype;
}

/* A dense matrix, as it looks behind the view. */
static struct tensor turned(const struct tensor *t)
{
    struct tensor out = *t;
    if (program.viewed) {
        out.shape[0] = t->shape[1], out.shape[1] = t->shape[0];
        out.strides[0] = t->shape[0];
    }
    return out;
}

/* The inputs that the program has, in its order; how many. */
static int arguments(const struct tensor *in, struct tensor *used, const char **used_names)
{
    int count = (int)weft_program_input_count(program.compiled);
    for (int i = 0; i < count; i++) {
        used_names[i] = weft_program_input_name(program.compiled, (size_t)i);
        int k = used_names[i][0] - 'a';
        used[i] = k >= C ? turned(&in[k]) : in[k];
    }
    return count;
}

static int place_of(enum weft_status status, struct weft_error *remark)
{
    int place = remark ? (int)remark->spans[0].start : -1;
    assert_int_equal(status, remark ? WEFT_DIVIDE_BY_ZERO : WEFT_OK);
    weft_error_destroy(remark);
    return place;
}

/* Runs into `out`; where the remark points, -1: none. */
static int run(const struct tensor *in, const struct tensor *out)
{
    struct tensor used[OPERANDS], results[RESULTS];
    const char *used_names[OPERANDS];
    struct weft_error *remark = NULL;
    int count = arguments(in, used, used_names);
    for (int k = 0; k < program.results; k++)
        results[k] = turned(&out[k]);
    enum weft_status status = run_program(program.compiled, used, used_names, count, results, program.results,
                                          &remark);
    return place_of(status, remark);
}

static void run_data(const struct path *path, enum zeros zeros, struct tensor *in, struct tensor *out)
{
    fill(path, in, zeros);
    struct tensor kept = in[A];
    size_t bytes = (size_t)path->shape[0] * weft_dtype_size(in[A].dtype);
    int due = is_empty(path) ? -1 : check(path, zeros, in, NULL);
    if (path->in_place) {
        kept = tensor_line(in[A].dtype, path->shape[0]);
        memcpy(kept.data, in[A].data, bytes);
        out[0] = in[A];
    }
    int place = run(in, out);
    if (place != due)
        fail_at(path, zeros, "the remark's place", place, due);
    if (path->in_place)
        in[A] = kept;
    if (!is_empty(path))
        check(path, zeros, in, out);
    if (path->in_place) {
        in[A] = out[0];
        tensor_free(&kept);
    }
}

static void run_path(const struct path *path)
{
    static const int steps[] = {2, -1, 3, 1};
    const enum weft_dtype dtypes[] = {program.division.dtypes[0], program.division.dtypes[1], WEFT_BOOL,
                                      WEFT_FLOAT32};
    enum weft_dtype types[RESULTS] = {WEFT_BOOL};
    struct tensor in[OPERANDS], out[RESULTS];
    result_types(types);
    if (path->in_place && (program.results > 1 || types[0] != dtypes[0] || program.division.manner == OF_LITERAL))
        return;
    for (int k = 0; k < OPERANDS; k++)
        in[k] = operand(path, path->along[k], dtypes[k], steps[k]);
    for (int k = 0; k < program.results; k++)
        out[k] = operand(path, result_along(path, k), types[k], -1);
    struct tensor own = out[0];
    for (int zeros = 0; zeros < ZEROS; zeros++)
        run_data(path, zeros, in, out);
    out[0] = own;
    for (int k = 0; k < OPERANDS; k++)
        tensor_free(&in[k]);
    for (int k = 0; k < program.results; k++)
        tensor_free(&out[k]);
}

/* ---- the tests ---- */

static const enum weft_dtype pairs[][2] = {
    {WEFT_INT8, WEFT_INT8}, {WEFT_INT16, WEFT_INT16}, {WEFT_INT32, WEFT_INT32}, {WEFT_INT64, WEFT_INT64},
    {WEFT_UINT8, WEFT_UINT8}, {WEFT_UINT16, WEFT_UINT16}, {WEFT_UINT32, WEFT_UINT32},
    {WEFT_UINT64, WEFT_UINT64}, {WEFT_UINT8, WEFT_INT8}, {WEFT_INT8, WEFT_UINT8}, {WEFT_UINT8, WEFT_INT64},
    {WEFT_UINT32, WEFT_INT32}, {WEFT_INT64, WEFT_UINT64}, {WEFT_UINT64, WEFT_INT16}, {WEFT_BOOL, WEFT_INT16},
    {WEFT_INT16, WEFT_BOOL}, {WEFT_UINT8, WEFT_UINT8}, {WEFT_UINT8, WEFT_UINT8}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const char *const disabled[] = {"hoist, table, special, row, flat, convert, divisor, narrow", "special",
                                       "flat", "row", "table", "hoist", "narrow", "divisor"};
enum { DISABLED = sizeof disabled / sizeof *disabled };

static void choose_program(int n)
{
    enum manner manner = below(MANNERS);
    int pair = below(PAIRS);
    program = (struct program){.division = make_division(n + n / FORMS, manner, pairs[pair][0],
                                                         pairs[pair][1])};
}

/* A form with some division, on every path, with all fast paths and without some. */
static void run_form(int n)
{
    choose_program(n);
    write_program(&program, &forms[n % FORMS]);
    for (int turn = 0; turn < 2; turn++) {
        without = turn ? disabled[n / 3 % DISABLED] : "";
        run_disable(without);
        program.compiled = run_compile(program.text);
        for (int i = 0; i < PATHS; i++)
            if (sample_chosen(n + turn + i))
                run_path(&paths[i]);
        weft_program_destroy(program.compiled);
    }
}

/* So many programs of the next test; libtcc makes kernels in no time. */
static long programs(int times)
{
    const char *compiler = getenv("WEFT_CC");
    bool fast = compiler && strcmp(compiler, "libtcc") == 0;
    return sample_setting("WEFT_DIVISIONS", (fast ? 6 : 1) * times * FORMS / 2);
}

static void test_forms(void **state)
{
    (void)state;
    division_stream = stream_init(44);
    for (long n = 0; n < programs(2); n++)
        run_form((int)n);
}

/* The quotient behind a reshape, where c, d and the results have that shape; its element is used where the one
 * that was moved there is. */
static void test_views(void **state)
{
    (void)state;
    static const struct path viewed[] = {
        {"reshaped", 2, {5, 67}, {3, 3, 3, 3}, false, false},
        {"reshaped, a divisor for each row", 2, {5, 67}, {3, 1, 3, 3}, false, false},
        {"reshaped, a dividend for each column", 2, {5, 67}, {2, 3, 3, 3}, false, false}};
    division_stream = stream_init(46);
    for (long n = 0; n < programs(1); n++) {
        const struct form *form = &forms[n % FORMS];
        choose_program((int)n);
        program.viewed = true;
        write_program(&program, form);
        without = n % 2 ? disabled[n / 2 % DISABLED] : "";
        run_disable(without);
        if ((form->uses[0] | form->uses[1]) & (USES_A | USES_B))
            continue;
        program.compiled = run_compile(program.text);
        for (int i = 0; i < 3; i++)
            if (result_along(&viewed[i], 0) == 3 && (program.results < 2 || result_along(&viewed[i], 1) == 3) &&
                quotient_along(&viewed[i]) == 3)
                run_path(&viewed[i]);
        weft_program_destroy(program.compiled);
    }
}

/* ---- batches ---- */

enum { SAMPLES = 5 };

/* The first paths as samples: whole blocks, a tail, a few elements, one, none. Zeros in one of them. */
static void run_samples(enum zeros zeros, int chosen, struct tensor (*in)[OPERANDS], struct tensor (*out)[RESULTS])
{
    struct tensor given[SAMPLES * OPERANDS], results[SAMPLES * RESULTS];
    const char *used_names[OPERANDS];
    struct weft_error *remark = NULL;
    int due = -1, count = 0;
    for (int s = 0; s < SAMPLES; s++) {
        fill(&paths[s], in[s], s == chosen ? zeros : NONE);
        int place = is_empty(&paths[s]) ? -1 : check(&paths[s], zeros, in[s], NULL);
        due = place >= 0 && (due < 0 || place < due) ? place : due;
        count = arguments(in[s], given + s * count, used_names);
        memcpy(results + s * program.results, out[s], (size_t)program.results * sizeof **out);
    }
    enum weft_status status = run_batches(program.compiled, given, used_names, count, results, program.results,
                                          SAMPLES, &remark);
    int place = place_of(status, remark);
    if (place != due)
        fail_at(&paths[chosen], zeros, "a batch's remark", place, due);
    for (int s = 0; s < SAMPLES; s++)
        if (!is_empty(&paths[s]))
            check(&paths[s], zeros, in[s], out[s]);
}

static void run_batch(void)
{
    struct tensor in[SAMPLES][OPERANDS], out[SAMPLES][RESULTS];
    const enum weft_dtype dtypes[] = {program.division.dtypes[0], program.division.dtypes[1], WEFT_BOOL,
                                      WEFT_FLOAT32};
    enum weft_dtype types[RESULTS] = {WEFT_BOOL};
    result_types(types);
    for (int s = 0; s < SAMPLES; s++) {
        for (int k = 0; k < OPERANDS; k++)
            in[s][k] = operand(&paths[s], 1, dtypes[k], 1);
        for (int k = 0; k < program.results; k++)
            out[s][k] = operand(&paths[s], 1, types[k], 1);
    }
    for (int zeros = 0; zeros < ZEROS; zeros++)
        for (int chosen = 0; chosen < SAMPLES - 1; chosen++)
            run_samples(zeros, chosen, in, out);
    for (int s = 0; s < SAMPLES; s++) {
        for (int k = 0; k < OPERANDS; k++)
            tensor_free(&in[s][k]);
        for (int k = 0; k < program.results; k++)
            tensor_free(&out[s][k]);
    }
}

static void test_batches(void **state)
{
    (void)state;
    division_stream = stream_init(47);
    for (long n = 0; n < programs(1); n++) {
        choose_program((int)n);
        write_program(&program, &forms[n % FORMS]);
        without = n % 2 ? disabled[n / 2 % DISABLED] : "";
        run_disable(without);
        program.compiled = run_compile(program.text);
        run_batch();
        weft_program_destroy(program.compiled);
    }
}

/* One zero in millions, found by whichever thread meets it. */
static void test_threads(void **state)
{
    (void)state;
    const struct path large = {"many tiles", 1, {3 << 18}, {1, 1, 1, 1}, false, false};
    division_stream = stream_init(45);
    without = "threads: 3";
    run_disable("");
    run_threads(3);
    for (int n = 0; n < 4; n++) {
        if (!sample_chosen(4 * (n + 1)))
            continue;
        program = (struct program){.division = make_division(n, PLAIN, WEFT_INT32, WEFT_INT32)};
        write_program(&program, &forms[n == 3 ? 1 : n]);
        program.compiled = run_compile(program.text);
        run_path(&large);
        weft_program_destroy(program.compiled);
    }
    run_threads(0);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_views),
                                       cmocka_unit_test(test_batches), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("division", tests, NULL, finish);
}
