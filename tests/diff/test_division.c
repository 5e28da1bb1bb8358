/* Rule 4.4, division by zero: operations x operands x programs x shapes x data against a reference that
 * evaluates an element as one would by hand. Values, whether there is a remark, and which operator of the
 * text it names. WEFT_DIVISIONS sets how many programs; a failure prints seed and text. */
#include "tests/diff/run.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { A, B, C, D, OPERANDS, RESULTS = 2, PLACES = 4, RANK = 3 };

static struct stream stream;

static int below(int bound)
{
    return (int)stream_below(&stream, (uint64_t)bound);
}

/* ---- the division ---- */

/* How the division's operands are written. */
enum manner { PLAIN, AS_INT32, BY_LITERAL, OF_LITERAL, MANNERS };

static const enum op ops[] = {OP_FLOORDIV, OP_MOD, OP_TRUNCDIV, OP_FMOD, OP_POW};
enum { OPS = sizeof ops / sizeof *ops };

struct division {
    enum op op;
    enum manner manner;
    int literal;
    enum weft_dtype dtypes[2];     /* of a and b */
    struct typing typing;
    char text[100];
    int place;                     /* of the operator in the text */
};

/* The operands' values as the operation sees them. */
static void operands_of(const struct division *d, const struct typed given[OPERANDS], struct typed out[2])
{
    for (int k = 0; k < 2; k++) {
        out[k] = given[k];
        if (d->manner == AS_INT32)
            out[k] = (struct typed){WEFT_INT32, oracle_cast(given[k].dtype, WEFT_INT32, given[k].value)};
        if (d->manner == (k ? BY_LITERAL : OF_LITERAL))
            out[k] = (struct typed){WEFT_INT32, {.u32 = (uint32_t)d->literal}};
    }
}

static struct division make_division(enum op op, enum manner manner, enum weft_dtype a, enum weft_dtype b)
{
    static const int literals[] = {1, -1, 7, -3, 128, 1000, -2147483647 - 1};
    struct division d = {.op = op, .manner = manner, .dtypes = {a, b}};
    struct typed given[OPERANDS] = {{a, {0}}, {b, {0}}}, seen[2];
    char literal[20];
    d.literal = literals[below(sizeof literals / sizeof *literals)];
    snprintf(literal, sizeof literal, d.literal < 0 ? "(%d)" : "%d", d.literal);
    operands_of(&d, given, seen);
    const enum weft_dtype dtypes[] = {seen[0].dtype, seen[1].dtype};
    assert_true(typing_of(op, dtypes, 2, &d.typing));
    const char *texts[] = {manner == AS_INT32 ? "int32(a)" : manner == OF_LITERAL ? literal : "a",
                           manner == AS_INT32 ? "int32(b)" : manner == BY_LITERAL ? literal : "b"};
    typing_text(d.text, sizeof d.text, op, texts, 2);
    d.place = d.text[0] == '(' ? (int)strlen(texts[0]) + 2 : 0;
    return d;
}

/* ---- programs ---- */

/* One element under evaluation; `used` tells which places of the text were reached. */
struct element {
    const struct division *division;
    struct typed in[OPERANDS];
    bool used[PLACES];
};

static bool truth(struct typed x)
{
    return oracle_convert(x.dtype, WEFT_BOOL, x.value).b1;
}

static struct typed number(int value)
{
    return (struct typed){WEFT_INT32, {.u32 = (uint32_t)value}};
}

static struct typed apply(enum op op, struct typed x, struct typed y)
{
    const struct typed o[] = {x, y};
    struct typing typing;
    assert_true(typing_of(op, (enum weft_dtype[]){x.dtype, y.dtype}, 2, &typing));
    return (struct typed){typing.result, typing_value(op, &typing, o, 2)};
}

/* The division at a place of the text. */
static struct typed divide(struct element *e, int place)
{
    struct typed seen[2];
    const struct division *d = e->division;
    operands_of(d, e->in, seen);
    if (typing_fault(d->op, &d->typing, seen, 2))
        e->used[place] = true;
    return (struct typed){d->typing.result, typing_value(d->op, &d->typing, seen, 2)};
}

/* What the other arm is promoted with: `like` is only asked for its dtype. */
static struct typed beside(struct typed x, enum weft_dtype like)
{
    enum weft_dtype to = oracle_promote(x.dtype, like);
    return (struct typed){to, oracle_convert(x.dtype, to, x.value)};
}

#define QUOTIENT (e->division->typing.result)
#define IS(name) truth(e->in[name])

static void plain(struct element *e, struct typed *r) { r[0] = divide(e, 0); }
static void guarded(struct element *e, struct typed *r)
{
    r[0] = IS(B) ? beside(divide(e, 0), WEFT_INT32) : beside(number(0), QUOTIENT);
}
static void where_c(struct element *e, struct typed *r)
{
    r[0] = IS(C) ? beside(divide(e, 0), WEFT_INT32) : beside(number(7), QUOTIENT);
}
static void unless_d(struct element *e, struct typed *r)
{
    r[0] = IS(D) ? beside(number(7), QUOTIENT) : beside(divide(e, 0), WEFT_INT32);
}
static void through_two(struct element *e, struct typed *r)
{
    enum weft_dtype wide = oracle_promote(QUOTIENT, WEFT_INT32);
    if (IS(C))
        r[0] = IS(D) ? apply(OP_ADD, divide(e, 0), number(1)) : beside(number(2), wide);
    else
        r[0] = beside(number(3), wide);
}
static void cast_outside(struct element *e, struct typed *r)
{
    where_c(e, r);
    r[0] = (struct typed){WEFT_UINT8, oracle_cast(r[0].dtype, WEFT_UINT8, r[0].value)};
}
static void cast_inside(struct element *e, struct typed *r)
{
    struct typed q = IS(C) ? divide(e, 0) : number(0);
    r[0] = (struct typed){WEFT_INT64, oracle_cast(q.dtype, WEFT_INT64, q.value)};
}
static void two_guarded(struct element *e, struct typed *r)
{
    r[0] = IS(C) ? beside(divide(e, 0), WEFT_INT32) : beside(number(0), QUOTIENT);
    r[1] = IS(D) ? beside(divide(e, 1), WEFT_INT32) : beside(number(1), QUOTIENT);
}
static void guarded_and_plain(struct element *e, struct typed *r)
{
    r[0] = IS(B) ? beside(divide(e, 0), WEFT_INT32) : beside(number(0), QUOTIENT);
    r[1] = divide(e, 1);
}
static void in_condition(struct element *e, struct typed *r)
{
    r[0] = truth(apply(OP_GT, divide(e, 0), number(0))) ? number(1) : number(2);
}
static void both_sides(struct element *e, struct typed *r)
{
    bool q = truth(divide(e, 0));
    r[0] = (struct typed){WEFT_BOOL, {.b1 = IS(C) && q}};
}
static void both_arms(struct element *e, struct typed *r) { r[0] = IS(C) ? divide(e, 0) : divide(e, 1); }
static void bound_twice(struct element *e, struct typed *r)
{
    struct typed x = IS(C) ? beside(divide(e, 0), WEFT_INT32) : beside(number(0), QUOTIENT);
    struct typed y = IS(D) ? beside(divide(e, 0), WEFT_INT32) : beside(number(1), QUOTIENT);
    r[0] = apply(OP_ADD, x, y);
}
static void beside_itself(struct element *e, struct typed *r)
{
    struct typed other = IS(C) ? beside(divide(e, 1), WEFT_INT32) : beside(number(5), QUOTIENT);
    r[0] = apply(OP_MIN, IS(D) ? beside(number(4), QUOTIENT) : beside(divide(e, 0), WEFT_INT32), other);
}
static void nested_arms(struct element *e, struct typed *r)
{
    enum weft_dtype wide = oracle_promote(QUOTIENT, WEFT_INT32);
    if (IS(C))
        r[0] = IS(D) ? beside(number(1), wide) : beside(divide(e, 0), wide);
    else
        r[0] = IS(D) ? beside(divide(e, 1), wide) : beside(number(2), wide);
}
static void another_operator(struct element *e, struct typed *r)
{
    struct typed q = divide(e, 0), more = apply(OP_MOD, number(100), e->in[B]);
    if (IS(C) && !IS(B))
        e->used[1] = true;
    r[0] = apply(OP_ADD, q, IS(C) ? more : beside(number(0), more.dtype));
}
static void guard_that_divides(struct element *e, struct typed *r)
{
    bool large = IS(B) && truth(apply(OP_GT, divide(e, 0), number(1)));
    r[0] = large ? beside(divide(e, 1), WEFT_INT32) : beside(number(0), QUOTIENT);
}
static void constant_arms(struct element *e, struct typed *r)
{
    r[0] = apply(OP_ADD, beside(divide(e, 1), WEFT_INT32), IS(A) ? number(1) : number(0));
}

enum { USES_A = 1, USES_B = 2, USES_C = 4, USES_D = 8 };

/* Division in every form of program. @ is the division; ^ stands before an operator that is a place of its own. */
static const struct form {
    const char *text;
    void (*meaning)(struct element *e, struct typed *results);
    unsigned uses[RESULTS];        /* operands besides those of the division */
} forms[] = {
    {"@", plain, {0}},
    {"where(b != 0, @, 0)", guarded, {USES_B}},
    {"where(c, @, 7)", where_c, {USES_C}},
    {"7 if d else @", unless_d, {USES_D}},
    {"q = @; r = q + 1; where(c, where(d, r, 2), 3)", through_two, {USES_C | USES_D}},
    {"uint8(where(c, @, 7))", cast_outside, {USES_C}},
    {"where(c, int64(@), 0)", cast_inside, {USES_C}},
    {"return where(c, @, 0), where(d, @, 1)", two_guarded, {USES_C, USES_D}},
    {"return where(b, @, 0), @", guarded_and_plain, {USES_B, 0}},
    {"where(@ > 0, 1, 2)", in_condition, {0}},
    {"c and @", both_sides, {USES_C}},
    {"where(c, @, @)", both_arms, {USES_C}},
    {"q = @; where(c, q, 0) + where(d, q, 1)", bound_twice, {USES_C | USES_D}},
    {"min(where(d, 4, @), where(c, @, 5))", beside_itself, {USES_C | USES_D}},
    {"where(c, where(d, 1, @), where(d, @, 2))", nested_arms, {USES_C | USES_D}},
    {"@ + where(c, 100 ^% b, 0)", another_operator, {USES_B | USES_C}},
    {"where(b != 0 and true, where(where(b != 0, @ > 1, false), @, 0), 0)", guard_that_divides, {USES_B}},
    {"where(1.0 > 2.0, @, where(true, @, 0)) + where(a, 1, 0)", constant_arms, {USES_A}},
};
enum { FORMS = sizeof forms / sizeof *forms };

struct program {
    const struct form *form;
    struct division division;
    char text[600];
    int places[PLACES], results;
    bool viewed;                   /* the quotient is reshaped, and what it meets has that shape */
    struct weft_program *compiled;
};

/* With a view the quotient, 5 by 67, is seen as 67 by 5. */
static void write_program(struct program *p, const struct form *form)
{
    size_t length = 0;
    int place = 0;
    p->form = form;
    for (const char *at = form->text; *at; at++) {
        if (*at == '@') {
            const char *view = p->viewed ? "reshape(" : "";
            p->places[place++] = (int)(length + strlen(view)) + p->division.place;
            length += (size_t)snprintf(p->text + length, sizeof p->text - length,
                                       p->viewed ? "%s%s, [67, -1])" : "%s%s", view, p->division.text);
        } else if (*at == '^') {
            p->places[place++] = (int)length;
        } else {
            p->text[length++] = *at;
        }
    }
    p->text[length] = 0;
    p->results = strncmp(form->text, "return", 6) == 0 ? 2 : 1;
}

/* ---- shapes ---- */

/* An iteration space; bit d of `along`: the operand varies along dimension d, in order a b c d. `steps`:
 * each operand has a stride of its own. */
static const struct path {
    const char *name;
    int rank;
    int64_t shape[RANK];
    unsigned along[OPERANDS];
    bool steps, in_place;
} paths[] = {
    {"blocks", 1, {128}, {1, 1, 1, 1}, false, false},
    {"a padded tail", 1, {67}, {1, 1, 1, 1}, false, false},
    {"less than a block", 1, {3}, {1, 1, 1, 1}, false, false},
    {"one element", 1, {1}, {1, 1, 1, 1}, false, false},
    {"no element", 1, {0}, {1, 1, 1, 1}, false, false},
    {"in place", 1, {70}, {1, 1, 1, 1}, false, true},
    {"0-D", 0, {0}, {0, 0, 0, 0}, false, false},
    {"strides", 2, {5, 67}, {3, 3, 3, 3}, true, false},
    {"a divisor for each row", 2, {5, 67}, {3, 1, 3, 2}, false, false},
    {"a divisor for each column", 2, {5, 67}, {3, 2, 1, 3}, false, false},
    {"a small inner group", 2, {50, 3}, {3, 2, 3, 2}, false, false},
    {"short groups", 3, {7, 5, 3}, {5, 6, 3, 7}, false, false},
    {"short rows", 2, {9, 6}, {3, 1, 2, 3}, true, false},
    {"a small quotient", 2, {40, 64}, {1, 1, 3, 3}, false, false},
    {"one divisor", 1, {4160}, {1, 0, 1, 1}, false, false},
    {"one dividend", 1, {4160}, {0, 1, 1, 1}, false, false},
    {"one division", 1, {130}, {0, 0, 1, 1}, false, false},
};
enum { PATHS = sizeof paths / sizeof *paths };

static struct tensor operand(const struct path *path, unsigned along, enum weft_dtype dtype, int step)
{
    int64_t shape[RANK + 1], volume = 1;
    for (int d = 0; d < path->rank; d++) {
        shape[d] = along >> d & 1 ? path->shape[d] : 1;
        volume *= shape[d];
    }
    struct tensor t = tensor_new(dtype, path->rank, shape);
    if (!path->steps)
        return t;
    tensor_free(&t);
    t.memory = calloc((size_t)(volume * abs(step)) + 1, weft_dtype_size(dtype));
    assert_non_null(t.memory);
    t.data = t.memory;
    for (int d = 0; d < path->rank; d++) {
        t.strides[d] *= step;
        if (step < 0)
            t.data -= (shape[d] - 1) * t.strides[d] * (int64_t)weft_dtype_size(dtype);
    }
    return t;
}

static bool next(const struct path *path, unsigned along, int64_t *index)
{
    for (int d = path->rank - 1; d >= 0; d--) {
        if ((along >> d & 1) && ++index[d] < path->shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

/* The element of an operand at an index of the space. */
static void *element_at(const struct path *path, const struct tensor *t, const int64_t *index)
{
    int64_t own[RANK + 1];
    for (int d = 0; d < path->rank; d++)
        own[d] = t->shape[d] == 1 ? 0 : index[d];
    return tensor_at(t, own);
}

static bool is_empty(const struct path *path)
{
    return path->rank && path->shape[0] == 0;
}

/* ---- data ---- */

/* What lies in b: no zero; zeros that c hides; one; many, and the smallest integer over -1. */
enum zeros { NONE, HIDDEN, ONE, MANY, ZEROS };

static union scalar any_value(enum weft_dtype dtype, bool zero)
{
    union scalar value = zero ? (union scalar){0} : stream_value(&stream, dtype);
    for (int tries = 0; !zero && value.bits == 0; tries++)
        value = dtype == WEFT_BOOL || tries > 9 ? (union scalar){.u8 = 1} : stream_value(&stream, dtype);
    return value;
}

static union scalar smallest(enum weft_dtype dtype)
{
    return (union scalar){.bits = dtype == WEFT_BOOL ? 1 : (uint64_t)1 << (8 * type_rows[dtype].size - 1)};
}

static union scalar all_bits(enum weft_dtype dtype)
{
    return (union scalar){.bits = dtype == WEFT_BOOL ? 1 : ~(uint64_t)0 >> (64 - 8 * type_rows[dtype].size)};
}

static void fill_one(const struct path *path, struct tensor *in, const int64_t *index, enum zeros zeros)
{
    static const float conditions[] = {0, -0.0f, NAN, 1.5f};
    static const unsigned char bytes[] = {0, 1, 2, 255};
    bool corner = zeros == MANY && below(3) == 0;
    for (int k = 0; k < 2; k++) {
        bool zero = k == B && (zeros == HIDDEN || zeros == MANY) && below(4) == 0;
        enum weft_dtype t = in[k].dtype;
        scalar_store(element_at(path, &in[k], index), t,
                     !corner ? any_value(t, zero) : k ? all_bits(t) : smallest(t));
    }
    *(unsigned char *)element_at(path, &in[C], index) = bytes[below(4)];
    *(float *)element_at(path, &in[D], index) = conditions[below(4)];
}

/* Where b is 0, c is false. */
static void hide(const struct path *path, struct tensor *in)
{
    int64_t index[RANK] = {0};
    do
        if (scalar_load(element_at(path, &in[B], index), in[B].dtype).bits == 0)
            *(unsigned char *)element_at(path, &in[C], index) = 0;
    while (next(path, 7, index));
}

static void fill(const struct path *path, struct tensor *in, enum zeros zeros)
{
    int64_t index[RANK] = {0}, count = 0, chosen = 1;
    if (is_empty(path))
        return;
    do {
        fill_one(path, in, index, zeros);
        count++;
    } while (next(path, 7, index));
    for (chosen = below((int)count); zeros == ONE && chosen > 0; chosen--)
        next(path, 7, index);
    if (zeros == ONE)
        scalar_store(element_at(path, &in[B], index), in[B].dtype, (union scalar){0});
    if (zeros == HIDDEN)
        hide(path, in);
}

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
    program = (struct program){.division = make_division(ops[(n + n / FORMS) % OPS], manner, pairs[pair][0],
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
            run_path(&paths[i]);
        weft_program_destroy(program.compiled);
    }
}

/* So many programs of the next test; libtcc makes kernels in no time. */
static long programs(int times)
{
    const char *compiler = getenv("WEFT_CC");
    bool fast = compiler && strcmp(compiler, "libtcc") == 0;
    return values_setting("WEFT_DIVISIONS", (fast ? 6 : 1) * times * FORMS / 2);
}

static void test_forms(void **state)
{
    (void)state;
    stream = stream_init(44);
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
    stream = stream_init(46);
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
    stream = stream_init(47);
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
    stream = stream_init(45);
    without = "threads: 3";
    run_disable("");
    run_threads(3);
    for (int n = 0; n < 4; n++) {
        program = (struct program){.division = make_division(ops[n], PLAIN, WEFT_INT32, WEFT_INT32)};
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
