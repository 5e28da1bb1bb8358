/* See division_forms.h. */
#include "tests/diff/division_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct stream division_stream;

int below(int bound)
{
    return (int)stream_below(&division_stream, (uint64_t)bound);
}

/* ---- the division ---- */

static const enum op ops[] = {OP_FLOORDIV, OP_MOD, OP_TRUNCDIV, OP_FMOD, OP_POW};
enum { OPS = sizeof ops / sizeof *ops };

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

struct division make_division(int n, enum manner manner, enum weft_dtype a, enum weft_dtype b)
{
    enum op op = ops[n % OPS];
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
    r[0] = (struct typed){WEFT_BOOL, {.bits = IS(C) && q}};
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

const struct form forms[FORMS] = {
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
void write_program(struct program *p, const struct form *form)
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
