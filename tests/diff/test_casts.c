/* Rule 4.6, every pair of dtypes on every value at which a conversion may go wrong (edges.h), against the
 * oracle: casts and wraps of loaded and of computed values, of casts, of literals and array literals, and a
 * kernel's result types; on blocks, steps, rows and lines that repeat, 0-D, with fast paths and without.
 * All conversions of one source are results of one program. */
#include "tests/diff/edges.h"
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_JOBS = 96, REPEATS = 3, FEW = 1500, SHOWN = 20, SHARE = 5 };

enum kind { CAST, WRAP, COMPUTED, CHAIN };

/* One result. A chain goes through a dtype between. */
struct job {
    enum kind kind;
    enum weft_dtype through, to;
    union scalar *expected;        /* of every value of the source */
};

struct suite {
    enum weft_dtype from;
    int count, values;             /* jobs; values of the source */
    struct job jobs[MAX_JOBS];
    bool bytes;                    /* value i is the byte i: bool */
    bool finite;                   /* other values are not compared */
    const union scalar *edges;
    char text[8000];
    struct weft_program *program;
};

static int wrong;

/* ---- jobs ---- */

static union scalar value_of(const struct suite *suite, int i)
{
    return suite->bytes ? (union scalar){.b1 = i != 0} : suite->edges[i];
}

static union scalar expected(const struct suite *suite, const struct job *job, union scalar value)
{
    enum weft_dtype from = suite->from;
    if (job->kind == WRAP)
        return oracle_convert(from, job->to, value);
    if (job->kind == CHAIN)
        return oracle_cast(job->through, job->to, oracle_cast(from, job->through, value));
    return oracle_cast(from, job->to, value);
}

static void write_job(char *text, size_t size, const struct job *job)
{
    const char *to = weft_dtype_name(job->to), *through = weft_dtype_name(job->through);
    switch (job->kind) {
    case CAST: snprintf(text, size, job->to % 2 ? "cast(x, %s)" : "%s(x)", to); break;
    case WRAP: snprintf(text, size, "wrap(x, %s)", to); break;
    case COMPUTED: snprintf(text, size, "%s(where(m, x, y))", to); break;
    case CHAIN: snprintf(text, size, "%s(%s(x))", to, through); break;
    }
}

static void add_job(struct suite *suite, struct job job)
{
    char text[100];
    size_t length = strlen(suite->text);
    job.expected = malloc((size_t)suite->values * sizeof *job.expected);
    assert_true(job.expected && suite->count < MAX_JOBS);
    for (int i = 0; i < suite->values; i++)
        job.expected[i] = expected(suite, &job, value_of(suite, i));
    write_job(text, sizeof text, &job);
    snprintf(suite->text + length, sizeof suite->text - length, "%sr%d = %s",
             suite->count ? ", " : "return ", suite->count, text);
    suite->jobs[suite->count++] = job;
}

static void start(struct suite *suite, enum weft_dtype from)
{
    *suite = (struct suite){.from = from, .bytes = from == WEFT_BOOL};
    suite->edges = edges_of(from, &suite->values);
    suite->values = suite->bytes ? 256 : suite->values;
}

static void finish_suite(struct suite *suite)
{
    for (int k = 0; k < suite->count; k++)
        free(suite->jobs[k].expected);
}

/* ---- data ---- */

enum layout { LINE, STEPS, ROWS, LINES, SCALARS };
static const char *const layout_names[] = {"line", "steps", "rows", "lines", "scalars"};

/* A source's value at place i of those a layout takes: all of a line, else about FEW. */
static int taken(const struct suite *suite, enum layout layout)
{
    return layout == LINE || suite->values < FEW ? suite->values : FEW;
}

static int picked(const struct suite *suite, enum layout layout, int i)
{
    int64_t count = taken(suite, layout);
    return (int)((int64_t)i * suite->values / count);
}

/* The shape of an operand with a step of 0 where it repeats; results are dense, but for STEPS. */
static struct tensor shaped(enum weft_dtype dtype, enum layout layout, int64_t n, bool result)
{
    const int64_t room = result ? REPEATS * n : 3 * n;
    struct tensor t = tensor_line(dtype, layout == LINE || layout == SCALARS ? n : room);
    t.shape[0] = n;
    t.strides[0] = layout == STEPS ? 3 : 1;
    if (layout == SCALARS)
        t.rank = 0;
    if (layout == STEPS && result) {
        t.strides[0] = -1;
        t.data += (n - 1) * (int64_t)weft_dtype_size(dtype);
    }
    if (layout == ROWS || layout == LINES) {
        const int inner = layout == ROWS;
        t.rank = 2;
        t.shape[!inner] = n, t.shape[inner] = REPEATS;
        t.strides[!inner] = 1, t.strides[inner] = 0;
    }
    for (int64_t d = t.rank - 1, step = 1; result && t.rank == 2 && d >= 0; d--) {
        t.strides[d] = step;
        step *= t.shape[d];
    }
    return t;
}

static void *place(const struct tensor *t, enum layout layout, int i, int repeat)
{
    if (layout == SCALARS)
        return t->data + i * (int64_t)weft_dtype_size(t->dtype);
    return tensor_at(t, layout == ROWS ? (int64_t[]){i, repeat} : layout == LINES ? (int64_t[]){repeat, i}
                                                                                 : (int64_t[]){i});
}

static void put(const struct suite *suite, enum layout layout, const struct tensor *t, int i)
{
    int value = picked(suite, layout, i);
    if (suite->bytes)
        *(unsigned char *)place(t, layout, i, 0) = (unsigned char)value;
    else
        scalar_store(place(t, layout, i, 0), suite->from, suite->edges[value]);
}

/* ---- runs ---- */

static void complain(const struct suite *suite, const struct job *job, const char *how, int value,
                     union scalar actual)
{
    char text[100], texts[3][64];
    if (wrong++ >= SHOWN)
        return;
    write_job(text, sizeof text, job);
    print_error("%s (%s) of %s %s is %s, not %s\n", text, how, weft_dtype_name(suite->from),
                oracle_print(texts[0], suite->from, value_of(suite, value)),
                oracle_print(texts[1], job->to, actual),
                oracle_print(texts[2], job->to, job->expected[value]));
}

static void check(const struct suite *suite, int k, enum layout layout, const struct tensor *out, int i,
                  int repeat, const char *how)
{
    const struct job *job = &suite->jobs[k];
    const void *at = place(out, layout, i, repeat);
    union scalar actual = scalar_load(at, job->to);
    int value = picked(suite, layout, i);
    if (suite->finite && !isfinite(oracle_cast(suite->from, WEFT_FLOAT64, value_of(suite, value)).f64))
        return;
    bool clean = job->to != WEFT_BOOL || *(const unsigned char *)at <= 1;
    if (!clean || !oracle_same(job->to, actual, job->expected[value]))
        complain(suite, job, how, value, actual);
}

static void run_inputs(const struct suite *suite, const struct tensor *given, const struct tensor *out)
{
    static const char *const known[] = {"x", "y", "m"};
    struct tensor in[3];
    const char *names[3];
    int count = (int)weft_program_input_count(suite->program);
    for (int i = 0; i < count; i++) {
        names[i] = weft_program_input_name(suite->program, (size_t)i);
        for (int k = 0; k < 3; k++)
            if (strcmp(names[i], known[k]) == 0)
                in[i] = given[k];
    }
    run_program(suite->program, in, names, count, out, suite->count, NULL);
}

/* One call, or in SCALARS one for each value. */
static void run_calls(const struct suite *suite, enum layout layout, const struct tensor *in,
                      const struct tensor *out)
{
    struct tensor in_here[3], out_here[MAX_JOBS];
    memcpy(in_here, in, sizeof in_here);
    memcpy(out_here, out, (size_t)suite->count * sizeof *out);
    for (int i = 0; i < (layout == SCALARS ? taken(suite, layout) : 1); i++) {
        for (int k = 0; k < 2; k++)
            in_here[k].data = in[k].data + i * (int64_t)weft_dtype_size(suite->from);
        for (int k = 0; k < suite->count; k++)
            out_here[k].data = out[k].data + i * (int64_t)weft_dtype_size(out[k].dtype);
        run_inputs(suite, in_here, out_here);
    }
}

static void run_layout(const struct suite *suite, enum layout layout, const char *how)
{
    const int n = taken(suite, layout);
    const unsigned char bytes[REPEATS] = {1, 0, 200};
    struct tensor out[MAX_JOBS], in[3] = {shaped(suite->from, layout, n, false),
                                          shaped(suite->from, layout, n, false), tensor_line(WEFT_BOOL, REPEATS)};
    memcpy(in[2].data, bytes, sizeof bytes);
    in[2].rank = layout == ROWS ? 1 : 0;
    for (int i = 0; i < n; i++) {
        put(suite, layout, &in[0], i);
        put(suite, layout, &in[1], i);
    }
    for (int k = 0; k < suite->count; k++)
        out[k] = shaped(suite->jobs[k].to, layout, n, true);
    run_calls(suite, layout, in, out);
    for (int k = 0; k < suite->count; k++) {
        for (int i = 0; i < n; i++)
            for (int repeat = 0; repeat < (layout == ROWS || layout == LINES ? REPEATS : 1); repeat++)
                check(suite, k, layout, &out[k], i, repeat, how);
        tensor_free(&out[k]);
    }
    for (int k = 0; k < 3; k++)
        tensor_free(&in[k]);
}

static void run_suite(struct suite *suite, enum layout layout, const char *without)
{
    char how[200];
    snprintf(how, sizeof how, "%s, without '%s'", layout_names[layout], without);
    run_disable(without);
    suite->program = run_compile(suite->text);
    run_layout(suite, layout, how);
    weft_program_destroy(suite->program);
}

/* ---- conversions of data ---- */

static const struct {
    enum layout layout;
    const char *without;
} ways[] = {{LINE, ""}, {STEPS, ""}, {ROWS, ""}, {LINES, ""}, {SCALARS, ""}, {LINE, "convert"},
            {STEPS, "convert"}, {ROWS, "row, flat"}, {LINE, "convert, special, row, flat, narrow"}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Which of the ways are gone from a dtype; whether any is. */
static bool choose_ways(enum weft_dtype from, bool chosen[WAYS])
{
    bool any = false;
    for (int i = 0; i < WAYS; i++) {
        chosen[i] = sample_chosen(sample_pair(from, i, WAYS));
        any = any || chosen[i];
    }
    return any;
}

static void test_pairs(void **state)
{
    (void)state;
    wrong = 0;
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++) {
        struct suite suite;
        bool chosen[WAYS];
        if (!choose_ways(from, chosen))
            continue;
        start(&suite, from);
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++) {
            add_job(&suite, (struct job){.kind = CAST, .to = to});
            add_job(&suite, (struct job){.kind = COMPUTED, .to = to});
            if (dtype_is_integer(from) && dtype_is_integer(to))
                add_job(&suite, (struct job){.kind = WRAP, .to = to});
        }
        for (int i = 0; i < WAYS; i++)
            if (chosen[i])
                run_suite(&suite, ways[i].layout, ways[i].without);
        finish_suite(&suite);
    }
    assert_int_equal(wrong, 0);
}

/* Through every dtype to some others; which, depends on the source. */
static void run_chains(enum weft_dtype from, bool quick)
{
    struct suite suite;
    start(&suite, from);
    for (int i = 0; i < 4 * WEFT_DTYPE_COUNT; i++) {
        enum weft_dtype through = i / 4, to = (through + 3 * from + i % 4 * 3 + 1) % WEFT_DTYPE_COUNT;
        if (sample_chosen(i + from) && quick == (run_has_levels() && (i + from) % SHARE != 0))
            add_job(&suite, (struct job){.kind = CHAIN, .through = through, .to = to});
    }
    if (suite.count) {
        run_suite(&suite, LINE, "");
        run_suite(&suite, LINE, "convert, narrow");
    }
    finish_suite(&suite);
}

/* Each conversion is held to the oracle by itself, so where there are levels a share of the chains is enough for
 * optimized kernels. */
static void test_chains(void **state)
{
    (void)state;
    wrong = 0;
    for (int quick = 0; quick <= run_has_levels(); quick++) {
        run_quickly(quick);
        for (int from = 0; from < WEFT_DTYPE_COUNT; from++)
            run_chains(from, quick);
    }
    run_quickly(false);
    assert_int_equal(wrong, 0);
}

/* `-> T` of a kernel; what it computes, the others compute too, optimized. */
static void test_result_types(void **state)
{
    (void)state;
    wrong = 0;
    run_quickly(run_has_levels());
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++) {
        struct suite suite;
        if (!sample_chosen(sample_pair(from, 0, 3)))
            continue;
        char types[400] = "", results[400] = "";
        start(&suite, from);
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++) {
            size_t length = strlen(types);
            add_job(&suite, (struct job){.kind = CAST, .to = to});
            snprintf(types + length, sizeof types - length, "%s%s", to ? ", " : "", weft_dtype_name(to));
            length = strlen(results);
            snprintf(results + length, sizeof results - length, "%sr%d = x", to ? ", " : "", to);
        }
        snprintf(suite.text, sizeof suite.text, "kernel k(x: %s) -> %s { return %s }", weft_dtype_name(from),
                 types, results);
        run_suite(&suite, LINE, "");
        finish_suite(&suite);
    }
    run_quickly(false);
    assert_int_equal(wrong, 0);
}

/* Rule 3.5: under math=fast casts are as ever, but of NaN and the infinities. */
static void test_fast_math(void **state)
{
    (void)state;
    wrong = 0;
    run_math(WEFT_MATH_FAST);
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++) {
        struct suite suite;
        if (!sample_chosen(sample_pair(from, 0, 3)))
            continue;
        start(&suite, from);
        suite.finite = dtype_is_float(from);
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++)
            if (!dtype_is_float(from) || !dtype_is_float(to))
                add_job(&suite, (struct job){.kind = to % 2 ? CAST : COMPUTED, .to = to});
        run_suite(&suite, LINE, "");
        finish_suite(&suite);
    }
    run_math(WEFT_MATH_STRICT);
    assert_int_equal(wrong, 0);
}

/* ---- literals ---- */

/* A literal with its full value: INT64, UINT64, FLOAT64 or BOOL. */
struct literal {
    enum weft_dtype dtype;
    union scalar value;
};

struct literals {
    struct literal *all;
    int count;
};

/* About `most` of a dtype's edges. */
static void take_literals(struct literals *list, enum weft_dtype dtype, int most)
{
    int count, taken = 0;
    const union scalar *edges = edges_of(dtype, &count);
    list->all = realloc(list->all, (size_t)(list->count + most) * sizeof *list->all);
    assert_non_null(list->all);
    for (; taken < count && taken < most; taken++)
        list->all[list->count + taken] = (struct literal){
            dtype, edges[count <= most ? taken : (int64_t)taken * count / most]};
    list->count += taken;
}

static void write_literal(char *text, size_t size, struct literal literal)
{
    double real = literal.value.f64;
    if (literal.dtype == WEFT_BOOL)
        snprintf(text, size, "%s", literal.value.b1 ? "true" : "False");
    else if (literal.dtype == WEFT_INT64)
        snprintf(text, size, "%" PRId64, literal.value.i64);
    else if (literal.dtype == WEFT_UINT64)
        snprintf(text, size, "%" PRIu64, literal.value.u64);
    else if (isfinite(real))
        snprintf(text, size, "%a", real);
    else
        snprintf(text, size, "%s%s", signbit(real) ? "-" : "", isnan(real) ? "nan" : "inf");
}

static bool wraps(struct literal literal, int to)
{
    return dtype_is_integer(literal.dtype) && dtype_is_integer(to);
}

static void check_literal(struct literal literal, enum weft_dtype to, bool wrap, union scalar actual)
{
    char text[100], texts[2][64];
    union scalar due = wrap ? oracle_convert(literal.dtype, to, literal.value)
                            : oracle_cast(literal.dtype, to, literal.value);
    if (oracle_same(to, actual, due) || wrong++ >= SHOWN)
        return;
    write_literal(text, sizeof text, literal);
    print_error("%s of the literal %s to %s is %s, not %s\n", wrap ? "wrap" : "cast", text,
                weft_dtype_name(to), oracle_print(texts[0], to, actual), oracle_print(texts[1], to, due));
}

/* Casts and wraps of `text`, which is worth `count` literals, to every dtype. */
static void run_literals(const char *text, const struct literal *literals, int count, int rank)
{
    struct tensor out[2 * WEFT_DTYPE_COUNT];
    size_t length = 0, size = strlen(text) + 100u * 2 * WEFT_DTYPE_COUNT;
    char *program_text = malloc(size);
    int results = 0;
    assert_non_null(program_text);
    length = (size_t)snprintf(program_text, size, "v = %s\nreturn ", text);
    for (int to = 0; to < 2 * WEFT_DTYPE_COUNT; to++) {
        if (to >= WEFT_DTYPE_COUNT && (!wraps(literals[0], to - WEFT_DTYPE_COUNT) || literals[0].dtype == WEFT_UINT64))
            continue;
        out[results] = tensor_line(to % WEFT_DTYPE_COUNT, count);
        out[results].rank = rank;
        length += (size_t)snprintf(program_text + length, size - length, "%sr%d = %s(v, %s)",
                                   results ? ", " : "", results, to < WEFT_DTYPE_COUNT ? "cast" : "wrap",
                                   weft_dtype_name(to % WEFT_DTYPE_COUNT));
        results++;
    }
    struct weft_program *program = run_compile(program_text);
    run_program(program, NULL, NULL, 0, out, results, NULL);
    for (int k = 0; k < results; k++) {
        for (int i = 0; i < count; i++)
            check_literal(literals[i], out[k].dtype, k >= WEFT_DTYPE_COUNT, tensor_get(&out[k], i));
        tensor_free(&out[k]);
    }
    weft_program_destroy(program);
    free(program_text);
}

static struct literals all_literals(int most)
{
    struct literals list = {NULL, 0};
    take_literals(&list, WEFT_BOOL, most);
    take_literals(&list, WEFT_INT64, most);
    take_literals(&list, WEFT_UINT64, most);
    take_literals(&list, WEFT_FLOAT64, most);
    return list;
}

/* Rule 2.4: a cast of a literal converts its full value, once, and is no error. */
static void test_literals(void **state)
{
    (void)state;
    wrong = 0;
    run_disable("");
    struct literals list = all_literals(700);
    for (int i = 0; i < list.count; i++) {
        char text[100];
        if (!sample_chosen(i))
            continue;
        write_literal(text, sizeof text, list.all[i]);
        run_literals(text, &list.all[i], 1, 0);
    }
    free(list.all);
    assert_int_equal(wrong, 0);
}

/* Arrays of literals of one dtype; of integers and reals together. */
static void test_array_literals(void **state)
{
    (void)state;
    wrong = 0;
    run_disable("");
    static const enum weft_dtype kinds[][2] = {{WEFT_BOOL, WEFT_BOOL}, {WEFT_INT64, WEFT_INT64},
                                               {WEFT_UINT64, WEFT_UINT64}, {WEFT_FLOAT64, WEFT_FLOAT64},
                                               {WEFT_FLOAT64, WEFT_INT64}, {WEFT_FLOAT64, WEFT_UINT64}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct literals list = {NULL, 0};
        for (int i = 0; i < (kinds[k][0] == kinds[k][1] ? 1 : 2); i++)
            take_literals(&list, kinds[k][i], FEW);
        size_t size = 40 * (size_t)list.count, length = 0;
        char *text = malloc(size);
        assert_non_null(text);
        for (int i = 0; i < list.count; i++) {
            length += (size_t)snprintf(text + length, size - length, "%s", i ? ", " : "[");
            write_literal(text + length, size - length, list.all[i]);
            length += strlen(text + length);
        }
        snprintf(text + length, size - length, "]");
        run_literals(text, list.all, list.count, 1);
        free(text);
        free(list.all);
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
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_chains), cmocka_unit_test(test_result_types),
        cmocka_unit_test(test_fast_math),
        cmocka_unit_test(test_literals), cmocka_unit_test(test_array_literals)};
    return cmocka_run_group_tests_name("casts", tests, NULL, finish);
}
