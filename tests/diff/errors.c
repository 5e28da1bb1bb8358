/* What the rows that are not exact reach on this machine: the largest error of each, in units in the last place, as the
 * table in docs/ops.md.
 *
 *     build/tests/diff/errors [--every N] [--samples N] [NAME ...]
 *
 * Rows of one operand are tried on each float32, or on one in N. Their values are compared with those of the same row
 * in float64, and the worst of each million by the oracle, in MPFR. All else is samples, by the oracle alone; half of
 * them are moderate numbers. NAME: those rows only. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 };

struct worst {
    double error;
    union scalar operands[3];
};

static long every = 1, samples = 200000;

static void name_of(enum op op, char name[32])
{
    const char *spellings = op_rows[op].spellings, *last = strrchr(spellings, ' ');
    bool word = spellings[0] >= 'a' && spellings[0] <= 'z';
    snprintf(name, 32, "%.*s", (int)strcspn(word ? spellings : last + 1, " "), word ? spellings : last + 1);
}

static int arity_of(enum op op)
{
    int count = 1;
    for (const char *at = op_rows[op].parameters; *at; at++)
        count += *at == ' ';
    return count;
}

static void consider(struct worst *worst, enum op op, enum weft_dtype dtype, const union scalar operands[3],
                     union scalar actual)
{
    double error = oracle_error(op, dtype, dtype, operands, actual);
    if (error > worst->error) {
        worst->error = error;
        memcpy(worst->operands, operands, sizeof worst->operands);
    }
}

/* How far a float32 is from a value in float64, about, in units of the last place there. */
static double distance(float value, double exact)
{
    union {
        double value;
        uint64_t bits;
    } unit = {exact};
    if (!(fabs(exact) < 0x1p128) || !isfinite(value))
        return (isnan(exact) ? isnan(value) : value == (float)exact) ? 0 : 1e9;
    unit.bits = (unit.bits & (uint64_t)0x7ff << 52) - ((uint64_t)23 << 52);
    return fabs(value - exact) / (fabs(exact) < 0x1p-126 ? 0x1p-149 : unit.value);
}

/* ---- all of float32 ---- */

/* Of the elements of a chunk the one that is furthest off. */
static void consider_chunk(struct worst *worst, enum op op, const struct tensor outputs[2], const struct tensor *input)
{
    const float *values = (const float *)outputs[0].data;
    const double *exact = (const double *)outputs[1].data;
    double most = -1;
    long at = 0;
    for (long i = 0; i < CHUNK; i++) {
        double off = distance(values[i], exact[i]);
        if (off > most)
            most = off, at = i;
    }
    const union scalar operands[3] = {tensor_get(input, at)};
    consider(worst, op, WEFT_FLOAT32, operands, tensor_get(&outputs[0], at));
}

static struct worst try_all(enum op op, const char *name)
{
    char text[100];
    const char *const names[] = {"x"};
    struct worst worst = {.error = 0};
    struct tensor input = tensor_line(WEFT_FLOAT32, CHUNK);
    struct tensor outputs[] = {tensor_line(WEFT_FLOAT32, CHUNK), tensor_line(WEFT_FLOAT64, CHUNK)};
    snprintf(text, sizeof text, "return a = %s(x), b = %s(float64(x))", name, name);
    struct weft_program *program = run_compile(text);
    for (uint64_t next = 0; next < (uint64_t)1 << 32;) {
        uint32_t *bits = (uint32_t *)input.data;
        for (int i = 0; i < CHUNK; i++, next += (uint64_t)every)
            bits[i] = next < (uint64_t)1 << 32 ? (uint32_t)next : 0;
        run_program(program, &input, names, 1, outputs, 2, NULL);
        consider_chunk(&worst, op, outputs, &input);
    }
    weft_program_destroy(program);
    tensor_free(&input);
    tensor_free(&outputs[0]);
    tensor_free(&outputs[1]);
    return worst;
}

/* ---- samples ---- */

/* Any value, or one between -16 and 16. */
static union scalar sample_value(struct stream *stream, enum weft_dtype dtype, bool moderate)
{
    union scalar value = {0};
    double number = (double)(int64_t)stream_bits(stream) / (double)((uint64_t)1 << 59);
    if (!moderate)
        return stream_value(stream, dtype);
    if (dtype == WEFT_FLOAT32)
        value.f32 = (float)number;
    else
        value.f64 = number;
    return value;
}

static struct worst try_samples(enum op op, const char *name, enum weft_dtype dtype)
{
    char text[100];
    const char *const names[] = {"x", "y"};
    int arity = arity_of(op);
    struct worst worst = {.error = 0};
    struct stream stream = stream_init(op);
    struct tensor inputs[] = {tensor_line(dtype, samples), tensor_line(dtype, samples)};
    struct tensor output = tensor_line(dtype, samples);
    for (long i = 0; i < samples; i++)
        for (int k = 0; k < arity; k++)
            tensor_set(&inputs[k], i, sample_value(&stream, dtype, i % 2));
    snprintf(text, sizeof text, "%s(x%s)", name, arity == 2 ? ", y" : "");
    struct weft_program *program = run_compile(text);
    run_program(program, inputs, names, arity, &output, 1, NULL);
    for (long i = 0; i < samples; i++) {
        const union scalar operands[3] = {tensor_get(&inputs[0], i), tensor_get(&inputs[1], i)};
        consider(&worst, op, dtype, operands, tensor_get(&output, i));
    }
    weft_program_destroy(program);
    tensor_free(&inputs[0]);
    tensor_free(&inputs[1]);
    tensor_free(&output);
    return worst;
}

/* ---- the table ---- */

static void put_worst(struct worst worst, enum weft_dtype dtype, int arity)
{
    printf(" %.2f | ", worst.error);
    for (int k = 0; k < arity; k++)
        printf("%s%.9g", k ? ", " : "",
               dtype == WEFT_FLOAT32 ? (double)worst.operands[k].f32 : worst.operands[k].f64);
    printf(" |");
}

static void put_row(enum op op)
{
    char name[32];
    int arity = arity_of(op);
    name_of(op, name);
    printf("| `%s` |", name);
    put_worst(arity == 1 ? try_all(op, name) : try_samples(op, name, WEFT_FLOAT32), WEFT_FLOAT32, arity);
    put_worst(try_samples(op, name, WEFT_FLOAT64), WEFT_FLOAT64, arity);
    printf("\n");
    fflush(stdout);
}

static bool chosen(enum op op, char **names, int count)
{
    char name[32];
    bool found = count == 0;
    if (op_rows[op].ulp32 == 0 || op_rows[op].form == FORM_INTERNAL)
        return false;
    name_of(op, name);
    for (int i = 0; i < count; i++)
        found = found || strcmp(names[i], name) == 0;
    return found;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2)
        *(strcmp(argv[at], "--every") == 0 ? &every : &samples) = strtol(argv[at + 1], NULL, 10);
    if (every < 1 || samples < 1)
        return 2;
    printf("| row | float32 | at | float64 | at |\n|---|---|---|---|---|\n");
    for (int op = 0; op < OP_COUNT; op++)
        if (chosen((enum op)op, argv + at, argc - at))
            put_row((enum op)op);
    run_finish();
    return 0;
}
