/* Random operands for every row of ops.def on every type, kernels by gcc and clang for AVX2 and AVX-512:
 *
 *     build/tests/diff/operands [TYPE ...]
 *
 * Stretches of operands are usual, wide, huge, subnormal or odd ones, with or without others among them. WEFT_OPERANDS
 * says how many there are for each row and type. Exact rows are compared with the reference evaluator, truncdiv and
 * lerp with their plain formulas, inexact ones with the C library in more digits; where that is near the bound, and for
 * one in SAMPLE of all operands, with the oracle, whose error has to be about that by the C library. TYPE: these types
 * only. */
#include "tests/diff/row_jobs.h"
#include "tests/diff/run.h"
#include "tests/diff/screen.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8192, SAMPLE = 509, TOLD = 3 }; /* TOLD: failures of a row by a compiler */

/* ---- how kernels are made ---- */

enum { WAYS = 4 };
static const struct way {
    const char *cc, *flag;
    bool wide;                     /* needs AVX-512 */
} ways[WAYS] = {
#ifdef __x86_64__
    {"gcc", "-march=x86-64-v3", false}, {"gcc", "-march=x86-64-v4", true},
    {"clang", "-march=x86-64-v3", false}, {"clang", "-march=x86-64-v4", true},
#else
    {"gcc", NULL, false}, {"gcc", "-O1", false}, {"clang", NULL, false}, {"clang", "-O1", false},
#endif
};

static bool has_avx512(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return true;
#endif
}

static const char *way_name(const struct way *way)
{
    static char name[100];
    snprintf(name, sizeof name, "%s%s%s", way->cc, way->flag ? " " : "", way->flag ? way->flag : "");
    return name;
}

/* What this machine lacks is said once, and left out. */
static bool can_be_had(const struct way *way)
{
    char command[100];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", way->cc);
    const bool compiler = system(command) == 0, processor = !way->wide || has_avx512();
    if (!compiler || !processor)
        printf("# skipped: %s, as there is no %s\n", way_name(way), compiler ? "AVX-512" : way->cc);
    return compiler && processor;
}

/* A context of its own; NULL where it cannot be had. */
static struct weft_context *context_of(const struct way *way)
{
    const char *const flags[] = {way->flag, NULL};
    const struct weft_context_params params = {.cc = way->cc, .cflags = flags, .tier = WEFT_TIER_NONE, .threads = 1};
    struct weft_context *context = NULL;
    if (can_be_had(way) && weft_context_create(&params, &context, NULL) != WEFT_OK) {
        fprintf(stderr, "%s: no context\n", way_name(way));
        exit(2);
    }
    return context;
}

/* ---- operands ---- */

enum kind { MIXED, USUAL, WIDE, HUGE_ONES, SUBNORMAL, ODD, KINDS };

static union scalar draw_float(struct stream *stream, enum weft_dtype t, enum kind kind)
{
    const int digits = type_rows[t].fraction, bits = type_rows[t].bits;
    const uint64_t all = ((uint64_t)1 << (bits - 1 - digits)) - 1, bias = all / 2;
    const uint64_t random = stream_bits(stream), fraction = random & (((uint64_t)1 << digits) - 1);
    const uint64_t quarter = all / 4, usual = bias - 4 + stream_below(stream, 10);
    const uint64_t exponent = kind == USUAL  ? usual
                              : kind == WIDE ? 1 + stream_below(stream, all - 1)
                              : kind == HUGE_ONES ? all - 1 - stream_below(stream, quarter) : 0;
    return (union scalar){.bits = (random >> 63) << (bits - 1) | exponent << digits | fraction};
}

static union scalar draw_integer(struct stream *stream, enum weft_dtype t, enum kind kind)
{
    const int size = type_rows[t].size;
    const uint64_t random = stream_bits(stream), mask = ~(uint64_t)0 >> (64 - 8 * size);
    const uint64_t top = type_rows[t].class == CLASS_SIGNED ? mask / 2 : mask;
    const uint64_t value = kind == USUAL  ? random % 100
                           : kind == WIDE ? (random & mask) >> stream_below(stream, 8 * (uint64_t)size)
                           : kind == HUGE_ONES ? top - random % 50 : random % 4;
    return (union scalar){.bits = (random >> 63 ? -value : value) & mask};
}

static union scalar draw(struct stream *stream, enum weft_dtype t, enum kind kind)
{
    int count;
    const union scalar *special = values_special(t, &count);
    if (kind == MIXED || t == WEFT_BOOL)
        return stream_value(stream, t);
    if (kind == ODD)
        return special[stream_below(stream, (uint64_t)count)];
    return dtype_is_float(t) ? draw_float(stream, t, kind) : draw_integer(stream, t, kind);
}

/* One kind for a stretch; others among them nowhere, seldom, or often. */
static void fill(struct tensor *tensor, struct stream *stream)
{
    static const uint64_t rare[] = {UINT64_MAX, UINT64_MAX, 97, 2};
    for (int64_t at = 0; at < LENGTH;) {
        const enum kind kind = (enum kind)stream_below(stream, KINDS);
        const uint64_t other = rare[stream_below(stream, sizeof rare / sizeof *rare)];
        const int64_t end = at + 1 + (int64_t)stream_below(stream, 700);
        for (; at < end && at < LENGTH; at++) {
            const bool same = stream_below(stream, other) != 0;
            tensor_set(tensor, at, draw(stream, tensor->dtype, same ? kind : (enum kind)stream_below(stream, KINDS)));
        }
    }
}

/* ---- one type ---- */

struct suite {
    struct row_jobs jobs;
    struct weft_context *contexts[WAYS];
    struct weft_program *programs[WAYS];
    struct tensor inputs[3], outputs[WAYS][ROW_JOBS];
    union scalar values[3][LENGTH];          /* of the inputs */
    struct known *known[ROW_JOBS];           /* KNOWN of each row whose operands have up to 16 bits together */
    int told[WAYS][ROW_JOBS];
};

/* A result that was found right. */
struct known {
    bool is;
    union scalar value;
};

enum { KNOWN_BITS = 16, KNOWN = 1 << KNOWN_BITS };

static long wrong, asked;

/* Converted as the row says. */
static void converted(const struct row_job *job, const struct typed operands[3], union scalar out[3])
{
    for (int k = 0; k < 3; k++) {
        const enum weft_dtype to = job->op == OP_WHERE && k == 0 ? WEFT_BOOL : job->typing.operand;
        out[k] = k >= job->arity              ? (union scalar){0}
                 : to == operands[k].dtype    ? operands[k].value
                                              : eval_convert(operands[k].dtype, to, false, operands[k].value);
    }
}

static union scalar plain_value(const struct row_job *job, const union scalar o[3])
{
    const enum weft_dtype t = job->typing.operand;
    if (job->op == OP_TRUNCDIV && t == WEFT_FLOAT32)
        return (union scalar){.f32 = truncf(o[0].f32 / o[1].f32)};
    if (job->op == OP_TRUNCDIV && t == WEFT_FLOAT64)
        return (union scalar){.f64 = trunc(o[0].f64 / o[1].f64)};
    if (job->op == OP_LERP && t == WEFT_FLOAT32) {
        const volatile float between = o[1].f32 - o[0].f32, part = o[2].f32 * between;
        return (union scalar){.f32 = o[0].f32 + part};
    }
    if (job->op == OP_LERP && t == WEFT_FLOAT64) {
        const volatile double between = o[1].f64 - o[0].f64, part = o[2].f64 * between;
        return (union scalar){.f64 = o[0].f64 + part};
    }
    return eval_op(job->op, t, job->typing.result, o[0], o[1], o[2]);
}

/* By the oracle. Where the screen can tell the error it has to be about the oracle's. */
static bool right_by_oracle(const struct row_job *job, const struct typed operands[3], union scalar actual,
                            double screen)
{
    const double error = typing_error(job->op, &job->typing, operands, job->arity, actual);
    asked++;
    return error <= typing_bound(job->op, &job->typing) && !(fabs(error - screen) > SCREEN_MARGIN);
}

static bool right(const struct row_job *job, const struct typed operands[3], union scalar actual, bool sampled)
{
    union scalar o[3];
    converted(job, operands, o);
    if (typing_exact(job->op, &job->typing)) {
        const bool same = oracle_same(job->typing.result, plain_value(job, o), actual);
        /* The sign that copysign takes from a NaN is free. */
        return (same || job->op == OP_COPYSIGN) &&
               ((same && !sampled) || right_by_oracle(job, operands, actual, NAN));
    }
    const double error = screen_error(job->op, &job->typing, o, actual);
    const double bound = typing_bound(job->op, &job->typing);
    if (!sampled && error <= fmax(bound - SCREEN_MARGIN, 0))
        return true;
    return right_by_oracle(job, operands, actual, error);
}

static void report(const struct row_job *job, const struct way *way, const struct typed operands[3],
                   union scalar actual)
{
    char text[200];
    union scalar o[3];
    converted(job, operands, o);
    wrong++;
    fprintf(stderr, "%s with", row_job_text(text, sizeof text, job));
    for (int k = 0; k < job->arity; k++)
        fprintf(stderr, " %s %s %s,", row_names[job->arguments[k]], weft_dtype_name(operands[k].dtype),
                oracle_print(text, operands[k].dtype, operands[k].value));
    fprintf(stderr, " by %s, is %s,", way_name(way), oracle_print(text, job->typing.result, actual));
    fprintf(stderr, " not %s,", oracle_print(text, job->typing.result,
                                             typing_value(job->op, &job->typing, operands, job->arity)));
    fprintf(stderr, " error %.3f (by the C library %.3f), bound %d; WEFT_SEED=%" PRIu64 "\n",
            typing_error(job->op, &job->typing, operands, job->arity, actual),
            typing_exact(job->op, &job->typing) ? NAN : screen_error(job->op, &job->typing, o, actual),
            typing_bound(job->op, &job->typing), values_seed());
}

static void copy_values(const struct tensor *line, union scalar *out)
{
    for (int64_t i = 0; i < LENGTH; i++)
        out[i] = scalar_load((const char *)line->data + i * type_rows[line->dtype].size, line->dtype);
}

/* One element of one row by one way. */
static void check_element(struct suite *suite, int j, int w, int64_t i, union scalar actual, bool sampled)
{
    const struct row_job *job = &suite->jobs.items[j];
    const enum weft_dtype t = suite->inputs[0].dtype;
    struct typed operands[3];
    size_t key = 0;
    for (int k = 0; k < job->arity; k++) {
        operands[k] = (struct typed){t, suite->values[job->arguments[k]][i]};
        if (suite->known[j]) /* whose types have up to 16 bits */
            key = key << type_rows[t].bits | operands[k].value.bits;
    }
    struct known *known = suite->known[j] ? &suite->known[j][key] : NULL;
    if (known && known->is && known->value.bits == actual.bits && !sampled)
        return;
    const bool fine = right(job, operands, actual, sampled);
    if (known && fine)
        *known = (struct known){true, actual};
    if (!fine && suite->told[w][j]++ < TOLD)
        report(job, &ways[w], operands, actual);
}

/* So many elements of one row, in all ways: most are the same, and looked at once. */
static void check_row(struct suite *suite, int j, int64_t count, int64_t phase)
{
    static union scalar first[LENGTH], other[LENGTH];
    int by = -1;
    for (int w = 0; w < WAYS; w++) {
        const struct tensor *line = &suite->outputs[w][j];
        if (!suite->programs[w] || (by >= 0 && memcmp(line->data, suite->outputs[by][j].data, LENGTH *
                                                      (size_t)type_rows[line->dtype].size) == 0))
            continue;
        copy_values(line, by < 0 ? first : other);
        for (int64_t i = 0; i < count; i++)
            if (by < 0 || first[i].bits != other[i].bits)
                check_element(suite, j, w, i, by < 0 ? first[i] : other[i], (i + j + phase) % SAMPLE == 0);
        by = by < 0 ? w : by;
    }
}

static void run_all(struct suite *suite)
{
    for (int w = 0; w < WAYS; w++) {
        if (!suite->programs[w])
            continue;
        run_swap(suite->contexts[w]);
        run_program(suite->programs[w], suite->inputs, row_names, suite->jobs.input_count, suite->outputs[w],
                    suite->jobs.count, NULL);
        run_swap(NULL);
    }
}

/* WEFT_SHARE counts types, the last one first, with their ways. */
static bool begin(struct suite *suite, enum weft_dtype t)
{
    static char text[ROW_TEXT];
    bool any = false;
    *suite = (struct suite){.told = {{0}}};
    row_jobs_of_dtype(t, &suite->jobs);
    for (int w = 0; w < WAYS; w++) {
        if (!sample_chosen(WAYS * (WEFT_DTYPE_COUNT - 1 - (int)t) + w) || !(suite->contexts[w] = context_of(&ways[w])))
            continue;
        run_swap(suite->contexts[w]);
        suite->programs[w] = run_compile(row_jobs_text(text, &suite->jobs));
        run_swap(NULL);
        for (int j = 0; j < suite->jobs.count; j++)
            suite->outputs[w][j] = tensor_line(suite->jobs.items[j].typing.result, LENGTH);
        any = true;
    }
    for (int k = 0; k < suite->jobs.input_count; k++)
        suite->inputs[k] = tensor_line(t, LENGTH);
    for (int j = 0; j < suite->jobs.count; j++)
        if (suite->jobs.items[j].arity * type_rows[t].bits <= KNOWN_BITS)
            suite->known[j] = calloc(KNOWN, sizeof **suite->known);
    return any;
}

static void end(struct suite *suite)
{
    for (int w = 0; w < WAYS; w++) {
        weft_program_destroy(suite->programs[w]);
        weft_context_destroy(suite->contexts[w]);
        for (int j = 0; j < suite->jobs.count; j++)
            tensor_free(&suite->outputs[w][j]);
    }
    for (int j = 0; j < suite->jobs.count; j++)
        free(suite->known[j]);
    for (int k = 0; k < suite->jobs.input_count; k++)
        tensor_free(&suite->inputs[k]);
}

static void try_type(enum weft_dtype t, long number)
{
    static struct suite suite;
    struct stream stream = stream_init(1000 + (uint64_t)t);
    const long before = wrong, asked_before = asked;
    const bool any = begin(&suite, t);
    for (long done = 0; any && done < number; done += LENGTH) {
        for (int k = 0; k < suite.jobs.input_count; k++) {
            fill(&suite.inputs[k], &stream);
            copy_values(&suite.inputs[k], suite.values[k]);
        }
        run_all(&suite);
        const int64_t phase = (int64_t)stream_below(&stream, SAMPLE);
        for (int j = 0; j < suite.jobs.count; j++)
            check_row(&suite, j, number - done < LENGTH ? number - done : LENGTH, phase);
    }
    if (any)
        printf("# %s: %d rows, %ld operands each, %ld results by the oracle, %ld wrong ones\n", weft_dtype_name(t),
               suite.jobs.count, number, asked - asked_before, wrong - before);
    fflush(stdout);
    end(&suite);
}

static bool chosen(enum weft_dtype t, char **names, int count)
{
    bool found = count == 0;
    for (int i = 0; i < count; i++)
        found = found || strcmp(names[i], weft_dtype_name(t)) == 0;
    return found;
}

int main(int argc, char **argv)
{
    const long number = sample_setting("WEFT_OPERANDS", LENGTH);
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* processes for other types write beside this one */
    printf("# WEFT_SEED=%" PRIu64 "\n", values_seed());
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (chosen((enum weft_dtype)t, argv + 1, argc - 1))
            try_type((enum weft_dtype)t, number);
    return wrong > 0;
}
