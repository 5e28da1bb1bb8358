/* Implements fold.h. Integers are exact in 128 bits, and every overflow is noticed. */
#include "compiler/lang/fold.h"

#include "compiler/lang/literal.h"
#include "compiler/lang/rules.h"

#include <math.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static const char too_wide[] = "the integer does not fit 128 bits with its sign";
static const char divides_by_zero[] = "division by zero in a literal expression";

static const char *integer(struct literal *result, wide value)
{
    *result = (struct literal){.kind = LITERAL_INTEGER, .integer = value};
    return NULL;
}

static const char *real(struct literal *result, double value)
{
    *result = (struct literal){.kind = LITERAL_REAL, .real = value};
    return NULL;
}

/* Shifts a positive number until its leading bit is bit 126. Returns the exponent of the power of two taken out. */
static int normalize(unsigned_wide *x)
{
    int exponent = 0;
    for (; *x >> 127; exponent++)
        *x >>= 1; /* happens only for 2**127 itself, whose lowest bit is 0 */
    for (; !(*x >> 126); exponent--)
        *x <<= 1;
    return exponent;
}

/* The quotient of two integers, correctly rounded to a double as in Python's int / int. Long division gives the leading
 * 60 bits; one more bit says whether anything is left. */
static double divide_integers(wide a, wide b)
{
    bool negative = (a < 0) != (b < 0);
    unsigned_wide x = a < 0 ? 0 - (unsigned_wide)a : (unsigned_wide)a;
    unsigned_wide y = b < 0 ? 0 - (unsigned_wide)b : (unsigned_wide)b;
    if (x == 0)
        return negative ? -0.0 : 0.0;
    int exponent = normalize(&x) - normalize(&y);
    unsigned long long bits = 0;
    for (int i = 0; i < 60; i++) {
        bits = bits << 1 | (x >= y);
        x = (x >= y ? x - y : x) << 1;
    }
    double quotient = ldexp((double)(bits << 1 | (x != 0)), exponent - 60);
    return negative ? -quotient : quotient;
}

static const char *truth(struct literal *result, bool value)
{
    *result = (struct literal){.kind = LITERAL_BOOL, .integer = value};
    return NULL;
}

/* ---- integers ---- */

static const char *fold_integer_power(wide base, wide exponent, struct literal *result)
{
    if (exponent < 0)
        return "an integer to a negative power; write the base as a real, as in 2.0 ** -1";
    wide power = 1;
    while (exponent != 0) {
        if (exponent % 2 != 0 && __builtin_mul_overflow(power, base, &power))
            return too_wide;
        exponent /= 2;
        if (exponent != 0 && __builtin_mul_overflow(base, base, &base))
            return too_wide;
    }
    return integer(result, power);
}

static const char *fold_shift(enum op op, wide a, wide count, struct literal *result)
{
    if (count < 0 || count > 127)
        return "a shift of a literal expression is by 0 to 127 bits";
    if (op == OP_SHR)
        return integer(result, a >> count);
    const wide shifted = (wide)((unsigned_wide)a << count);
    return shifted >> count == a ? integer(result, shifted) : too_wide;
}

static const char *fold_integer_division(enum op op, wide a, wide b, struct literal *result)
{
    if (b == 0)
        return divides_by_zero;
    if (op == OP_DIV)
        return real(result, divide_integers(a, b));
    if (b == -1 && (op == OP_MOD || op == OP_FMOD))
        return integer(result, 0);
    wide quotient = 0, remainder = b == -1 ? 0 : a % b;
    if (b != -1)
        quotient = a / b;
    else if (__builtin_sub_overflow((wide)0, a, &quotient))
        return too_wide;
    const bool down = (op == OP_FLOORDIV || op == OP_MOD) && remainder != 0 && (remainder < 0) != (b < 0);
    return integer(result, op == OP_MOD || op == OP_FMOD ? remainder + (down ? b : 0) : quotient - down);
}

static const char *fold_integers(enum op op, wide a, wide b, struct literal *result)
{
    wide value = 0;
    bool overflow = false;
    switch (op) {
    case OP_NEG: overflow = __builtin_sub_overflow((wide)0, a, &value); break;
    case OP_ABS: overflow = a < 0 ? __builtin_sub_overflow((wide)0, a, &value) : (value = a, false); break;
    case OP_ADD: overflow = __builtin_add_overflow(a, b, &value); break;
    case OP_SUB: overflow = __builtin_sub_overflow(a, b, &value); break;
    case OP_MUL: overflow = __builtin_mul_overflow(a, b, &value); break;
    case OP_SIGN: value = (a > 0) - (a < 0); break;
    case OP_MIN: value = b < a ? b : a; break;
    case OP_MAX: value = b > a ? b : a; break;
    case OP_BITNOT: value = ~a; break;
    case OP_BITAND: value = a & b; break;
    case OP_BITOR: value = a | b; break;
    case OP_BITXOR: value = a ^ b; break;
    case OP_SHL: case OP_SHR: return fold_shift(op, a, b, result);
    case OP_POW: return fold_integer_power(a, b, result);
    case OP_DIV: case OP_FLOORDIV: case OP_MOD: case OP_TRUNCDIV: case OP_FMOD:
        return fold_integer_division(op, a, b, result);
    default: value = a; break; /* rows that keep an integer */
    }
    return overflow ? too_wide : integer(result, value);
}

static const char *fold_integer_op(enum op op, const struct literal *const *operands, int count, struct literal *result)
{
    const wide a = operands[0]->integer, b = operands[count > 1]->integer;
    if (op != OP_CLAMP)
        return fold_integers(op, a, b, result);
    const wide high = operands[2]->integer, low = b > a ? b : a;
    return integer(result, high < low ? high : low);
}

/* ---- reals ---- */

static const char *fold_real_power(double a, double b, struct literal *result)
{
    if (a == 0 && b < 0 && isfinite(b))
        return "zero to a negative power in a literal expression";
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return "a negative number to a fractional power is complex";
    double power = pow(a, b);
    return isinf(power) && isfinite(a) && isfinite(b) ? "the power is too large for float64"
                                                      : real(result, power);
}

static const char *fold_reals(enum op op, const struct literal *const *operands, int count, struct literal *result)
{
    union scalar x[3] = {{0}};
    for (int i = 0; i < count && i < 3; i++)
        x[i].f64 = literal_number(operands[i]);
    if ((op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD) && x[1].f64 == 0)
        return divides_by_zero;
    if (op == OP_POW)
        return fold_real_power(x[0].f64, x[1].f64, result);
    const union scalar value = eval_op(op, WEFT_FLOAT64, WEFT_FLOAT64, x[0], x[1], x[2]);
    return rule_rows[op_rows[op].rule].result == RESULT_BOOL ? truth(result, value.b1) : real(result, value.f64);
}

/* ---- any kind ---- */

static bool is_true(const struct literal *literal)
{
    return literal->kind == LITERAL_REAL ? literal->real != 0 : literal->integer != 0;
}

static const char *fold_bools(enum op op, const struct literal *const *operands, int count, struct literal *result)
{
    union scalar x[3] = {{0}};
    for (int i = 0; i < count && i < 3; i++)
        x[i].b1 = is_true(operands[i]);
    if (op == OP_CLAMP) /* min(max(value, lo), hi) */
        return truth(result, (x[0].b1 || x[1].b1) && x[2].b1);
    return truth(result, eval_op(op_alike(op, WEFT_BOOL), WEFT_BOOL, WEFT_BOOL, x[0], x[1], x[2]).b1);
}

static const char *compare_integers(enum op op, wide a, wide b, struct literal *result)
{
    const union scalar order = {.i32 = (a > b) - (a < b)}, zero = {0};
    return truth(result, eval_op(op, WEFT_INT32, WEFT_BOOL, order, zero, zero).b1);
}

struct folding {
    enum op op;
    const struct rule *rule;
};

/* The kind to which the operands are converted. */
static enum literal_kind operand_kind(const struct folding *f, const struct literal *const *operands, int count)
{
    const int first = first_promoted(&op_rows[f->op]);
    enum literal_kind kind = operands[first]->kind;
    for (int i = first + 1; i < count; i++)
        kind = literal_higher(kind, operands[i]->kind);
    const enum operand_rule rule = f->rule->operand;
    if (kind == LITERAL_BOOL && rule == OPERAND_PROMOTED && f->rule->alone != WEFT_BOOL)
        return LITERAL_INTEGER;
    return rule == OPERAND_BOOL                                ? LITERAL_BOOL
           : rule == OPERAND_FLOAT || rule == OPERAND_DIVIDED ? LITERAL_REAL
                                                              : kind;
}

static void become(struct literal *literal, enum literal_kind kind)
{
    if (kind == LITERAL_REAL && literal->kind != LITERAL_REAL)
        literal->real = (double)literal->integer;
    literal->kind = kind;
}

static const char *fold_values(const struct folding *f, const struct literal *const *operands, int count,
                               struct literal *result)
{
    const enum literal_kind kind = operand_kind(f, operands, count);
    const enum op op = f->op;
    if (op_rows[op].rule == RULE_SELECT) {
        *result = *operands[is_true(operands[0]) ? 1 : 2];
        become(result, kind);
        return NULL;
    }
    /* The quotient of integers is rounded once, from their exact values. */
    if (op == OP_DIV && operands[0]->kind != LITERAL_REAL && operands[1]->kind != LITERAL_REAL)
        return fold_integer_division(op, operands[0]->integer, operands[1]->integer, result);
    if (kind == LITERAL_REAL)
        return fold_reals(op, operands, count, result);
    if (kind == LITERAL_BOOL)
        return fold_bools(op, operands, count, result);
    return op_rows[op].rule == RULE_COMPARE
               ? compare_integers(op, operands[0]->integer, operands[1]->integer, result)
               : fold_integer_op(op, operands, count, result);
}

/* From the left, all of one kind. */
static const char *fold_list(const struct folding *f, const struct literal *const *operands, int count,
                             struct literal *result)
{
    const enum literal_kind kind = operand_kind(f, operands, count);
    const char *wrong = NULL;
    struct literal value = *operands[0];
    become(&value, kind);
    for (int i = 1; !wrong && i < count; i++) {
        struct literal next = *operands[i];
        become(&next, kind);
        wrong = fold_values(f, (const struct literal *const[]){&value, &next}, 2, result);
        value = *result;
    }
    return wrong;
}

static const char *fold_op(const struct folding *f, const struct literal *const *operands, int count,
                           struct literal *result)
{
    const enum op_form form = op_rows[f->op].form;
    bool called = form == FORM_CALL || form == FORM_FOLD;
    for (int i = first_promoted(&op_rows[f->op]); i < count; i++)
        called = called || operands[i]->called;
    const char *wrong = (form == FORM_FOLD ? fold_list : fold_values)(f, operands, count, result);
    result->called = called;
    return wrong;
}

/* ---- nodes ---- */

static const struct literal *const *operands_of(const struct program *program, const struct node *node)
{
    const struct literal **operands = ARENA_ARRAY(program->arena, const struct literal *, node->operand_count);
    for (int i = 0; i < node->operand_count; i++)
        operands[i] = &operand_node(program, node, i)->literal;
    return operands;
}

bool node_folds(const struct program *program, const struct node *node)
{
    const struct rule *rule = node_rule(program, node);
    bool literals = true, reals = false, all_bool = true;
    for (int i = 0; i < node->operand_count; i++) {
        const enum literal_kind kind = operand_node(program, node, i)->literal.kind;
        literals = literals && kind != LITERAL_NONE;
        reals = reals || kind == LITERAL_REAL;
        all_bool = all_bool && kind == LITERAL_BOOL;
    }
    return literals && (rule->floats || !reals) && (rule->all_bool || !all_bool);
}

enum literal_kind fold_kind(const struct program *program, const struct node *node)
{
    const struct folding folding = {node->op, node_rule(program, node)};
    return folding.rule->result == RESULT_BOOL
               ? LITERAL_BOOL : operand_kind(&folding, operands_of(program, node), node->operand_count);
}

int fold_taken(const struct program *program, const struct node *node)
{
    if (op_rows[node->op].rule != RULE_SELECT)
        return 0;
    return is_true(&operand_node(program, node, 0)->literal) ? 1 : 2;
}

const char *literal_of_node(const struct program *program, struct node *node)
{
    if (!node_folds(program, node))
        return NULL;
    const struct folding folding = {node->op, node_rule(program, node)};
    const char *wrong = fold_op(&folding, operands_of(program, node), node->operand_count, &node->literal);
    if (wrong)
        node->literal = (struct literal){0};
    return wrong;
}
