/* Implements losses.h. */
#include "compiler/check/losses.h"

#include "compiler/check/shape.h"
#include "compiler/check/wraps.h"

#include <math.h>
#include <string.h>

/* Whether a node converts its operands to one type, and to which. */
static bool converts(const struct program *program, const struct node *node, enum weft_dtype *dtype)
{
    if (node->literal.kind != LITERAL_NONE)
        return false;
    if (node->kind == NODE_JOIN)
        *dtype = node->dtype;
    else if (node->kind == NODE_OP)
        *dtype = operand_dtype(program, node);
    return node->kind == NODE_JOIN || (node->kind == NODE_OP && op_rows[node->op].rule != RULE_TEST);
}

/* Whether a node has integers that are no literals. */
static bool has_integers(const struct program *program, const struct node *node)
{
    return dtype_is_integer(node->dtype) && node->literal.kind == LITERAL_NONE &&
           named_node(program, node)->kind != NODE_ARRAY;
}

/* Whether the operand takes part in the conversion: where's condition does not. */
static bool takes_part(const struct node *node, int operand)
{
    return node->kind != NODE_OP || operand >= first_promoted(&op_rows[node->op]);
}

/* A mean, std or var begins with a sum in float64; what else is reduced as a float, with a conversion by a rule. */
static bool reduces_to_float32(const struct program *program, const struct node *node)
{
    const bool sum = node->kind == NODE_REDUCE && node->join == JOIN_TOTAL;
    const bool cast = node->kind == NODE_CAST && node->rule != TYPE_GIVEN && node->dtype == WEFT_FLOAT32;
    const struct rules *rules = rules_of(program->source->rules);
    return (sum && type_by_rules(rules, TYPE_FLOAT, operand_node(program, node, 0)->dtype) == WEFT_FLOAT32) || cast;
}

/* Whether a recipe made both, as the count of a mean and what is divided by it. */
static bool is_made(const struct program *program, const struct node *node, const struct node *operand)
{
    const struct span a = node->span, b = named_node(program, operand)->span;
    return a.start == b.start && a.end == b.end;
}

bool rounds_integer(const struct program *program, const struct node *node, int i)
{
    enum weft_dtype dtype;
    const struct node *operand = operand_node(program, node, i);
    if (!has_integers(program, operand) || is_made(program, node, operand))
        return false;
    return (i == 0 && reduces_to_float32(program, node)) ||
           (converts(program, node, &dtype) && dtype == WEFT_FLOAT32 && takes_part(node, i));
}

bool loses_integer(const struct program *program, const struct node *node, int i)
{
    return type_rows[operand_node(program, node, i)->dtype].bits == 64 && rounds_integer(program, node, i);
}

static bool float32_holds(double value)
{
    const union scalar full = {.f64 = value};
    const union scalar rounded = eval_convert(WEFT_FLOAT64, WEFT_FLOAT32, false, full);
    return value != value || eval_convert(WEFT_FLOAT32, WEFT_FLOAT64, false, rounded).f64 == value;
}

bool rounds_literal(const struct program *program, const struct node *node, int i)
{
    enum weft_dtype dtype;
    const struct literal *literal = &operand_node(program, node, i)->literal;
    return literal->kind == LITERAL_REAL && !float32_holds(literal->real) && node->dtype == WEFT_FLOAT32 &&
           converts(program, node, &dtype) && dtype == WEFT_FLOAT32 && takes_part(node, i);
}

/* The operand of a node that was rounded, or -1. */
static int rounded_operand(const struct program *program, const struct node *node)
{
    for (int i = 0; i < node->operand_count; i++)
        if (rounds_literal(program, node, i))
            return i;
    return -1;
}

/* Whether float32 holds all values that an integer can have: i % 1000, clamp(i, 0, 255). */
static bool is_small(struct value_range range)
{
    const int64_t most = 1 << 24;
    return range.known && range.lo >= -most && range.hi <= most;
}

static bool warn_integer(struct program *program, const struct node *node, const struct value_range *ranges)
{
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i);
        const char *text = expression_text(program->arena, program, operand->span);
        if (!loses_integer(program, node, i) || is_small(ranges[operand - program->nodes]))
            continue;
        diag_at(program->diags, DIAG_INTEGER_LOSS, ((struct span[]){node->token, operand->span}), 2, text,
                type_rows[operand->dtype].name, text);
        return true;
    }
    return false;
}

/* The node uses, in float64, what an operation in float32 made of a literal. */
static bool warn_literal(struct program *program, const struct node *node)
{
    enum weft_dtype dtype;
    for (int i = 0; converts(program, node, &dtype) && dtype == WEFT_FLOAT64 && i < node->operand_count; i++) {
        const struct node *made = named_node(program, operand_node(program, node, i));
        const int rounded = takes_part(node, i) ? rounded_operand(program, made) : -1;
        if (rounded < 0)
            continue;
        const struct node *literal = operand_node(program, made, rounded);
        const char *text = expression_text(program->arena, program, literal->span);
        diag_at(program->diags, DIAG_LITERAL_LOSS, ((struct span[]){literal->span, node->token}), 2, text, text);
        return true;
    }
    return false;
}

/* x ^ 2 of integers, which means a power elsewhere. */
static bool warn_power(struct program *program, const struct node *node)
{
    if (node->kind != NODE_OP || node->op != OP_BITXOR || node->own_types || node->literal.kind != LITERAL_NONE)
        return false;
    const struct node *base = operand_node(program, node, 0), *exponent = operand_node(program, node, 1);
    const bool small = exponent->literal.kind == LITERAL_INTEGER && exponent->literal.integer >= 2 &&
                       exponent->literal.integer <= 4;
    return small && base->dtype != WEFT_BOOL && base->literal.kind == LITERAL_NONE &&
           !diag_at(program->diags, DIAG_XOR_POWER, &node->token, 1,
                    expression_text(program->arena, program, base->span),
                    expression_text(program->arena, program, exponent->span));
}

/* Whether a node is min or max of a value and an integer literal: its position. */
static bool compares_literal(const struct program *program, const struct node *node, int64_t *literal)
{
    if (node->kind != NODE_OP || (node->op != OP_MIN && node->op != OP_MAX) || node->operand_count != 2 ||
        node->own_types || node->literal.kind != LITERAL_NONE)
        return false;
    const struct node *value = operand_node(program, node, 0), *axis = operand_node(program, node, 1);
    *literal = (int64_t)axis->literal.integer;
    return value->literal.kind == LITERAL_NONE && axis->literal.kind == LITERAL_INTEGER && !axis->number &&
           *literal >= -1 && *literal <= 1;
}

static bool tell_extreme(struct program *program, const struct node *node, int64_t literal, const char *why)
{
    const char *text = expression_text(program->arena, program, operand_node(program, node, 0)->span);
    const char *axis = arena_printf(program->arena, "%lld", (long long)literal);
    return !diag_at(program->diags, DIAG_NO_EXTREME, &node->token, 1,
                    expression_text(program->arena, program, node->span), axis, why,
                    node->op == OP_MIN ? "min" : "max", text, axis);
}

/* max(img, -1) of unsigned integers, which means along an axis elsewhere. max(a - b, 0) means numbers, which wrap. */
static bool warn_extreme(struct program *program, const struct node *node)
{
    int64_t literal;
    if (!compares_literal(program, node, &literal) || literal > 0)
        return false;
    const struct node *value = operand_node(program, node, 0);
    const bool differs = value->kind == NODE_OP && (value->op == OP_SUB || value->op == OP_NEG);
    return type_rows[value->dtype].class == CLASS_UNSIGNED && !differs &&
           tell_extreme(program, node, literal,
                        arena_printf(program->arena, "%s is %s and never below 0",
                                     expression_text(program->arena, program, value->span),
                                     type_rows[value->dtype].name));
}

/* max(x, 0) - min(x, 0), which is a range along an axis elsewhere. */
static bool warn_range(struct program *program, const struct node *node)
{
    int64_t high, low;
    if (node->kind != NODE_OP || node->op != OP_SUB || node->operand_count != 2)
        return false;
    const struct node *a = named_node(program, operand_node(program, node, 0));
    const struct node *b = named_node(program, operand_node(program, node, 1));
    if (a->op != OP_MAX || b->op != OP_MIN || !compares_literal(program, a, &high) ||
        !compares_literal(program, b, &low) || high != low)
        return false;
    const char *x = expression_text(program->arena, program, operand_node(program, a, 0)->span);
    const char *y = expression_text(program->arena, program, operand_node(program, b, 0)->span);
    return strcmp(x, y) == 0 &&
           tell_extreme(program, b, low, arena_printf(program->arena, "so does %s",
                                                      expression_text(program->arena, program, a->span)));
}

/* A uint64 beside an integer literal becomes int64 (rule 3.1): of hashes and ids half are then below 0. */
static bool warn_unsigned(struct program *program, const struct node *node, const struct value_range *ranges)
{
    enum weft_dtype dtype;
    if (!converts(program, node, &dtype) || dtype != WEFT_INT64 || node->own_types)
        return false;
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i);
        if (operand->dtype != WEFT_UINT64 || operand->literal.kind != LITERAL_NONE || !takes_part(node, i) ||
            compares_by_value(program, node) || ranges[operand - program->nodes].known)
            continue;
        for (int k = 0; k < node->operand_count; k++) {
            const struct node *other = operand_node(program, node, k);
            if (other->literal.kind != LITERAL_INTEGER || other->number || (int64_t)other->literal.integer < 0 ||
                !takes_part(node, k))
                continue;
            return !diag_at(program->diags, DIAG_UNSIGNED_LOSS, ((struct span[]){node->token, operand->span}), 2,
                            expression_text(program->arena, program, operand->span),
                            expression_text(program->arena, program, other->span));
        }
    }
    return false;
}

/* x == nan, which means isnan(x) elsewhere. */
static bool warn_nan(struct program *program, const struct node *node)
{
    if (node->kind != NODE_OP || (node->op != OP_EQ && node->op != OP_NE) || node->literal.kind != LITERAL_NONE)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct node *other = operand_node(program, node, i), *value = operand_node(program, node, 1 - i);
        if (other->literal.kind == LITERAL_REAL && !other->number && isnan(other->literal.real))
            return !diag_at(program->diags, DIAG_NAN_COMPARED, &node->token, 1, node->op == OP_EQ ? "false" : "true",
                            node->op == OP_EQ ? "" : "not ",
                            expression_text(program->arena, program, value->span));
    }
    return false;
}

void warn_habits(struct program *program)
{
    for (int n = 0; n < program->node_count && !warn_power(program, &program->nodes[n]); n++)
        continue;
    for (int n = 0; n < program->node_count && !warn_nan(program, &program->nodes[n]); n++)
        continue;
}

void warn_losses(struct program *program)
{
    const struct value_range *ranges = find_ranges(program->arena, program);
    for (int n = 0; n < program->node_count && !warn_integer(program, &program->nodes[n], ranges); n++)
        continue;
    for (int n = 0; n < program->node_count && !warn_literal(program, &program->nodes[n]); n++)
        continue;
    for (int n = 0; n < program->node_count && !warn_unsigned(program, &program->nodes[n], ranges); n++)
        continue;
    for (int n = 0; n < program->node_count; n++)
        if (warn_extreme(program, &program->nodes[n]) || warn_range(program, &program->nodes[n]))
            break;
    warn_wraps(program);
}
