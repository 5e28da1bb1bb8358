/* Implements rules.h. */
#include "compiler/lang/rules.h"

#include "compiler/lang/literal.h"

#include <string.h>

/* A row of NUMPY replaces that of RULE. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct rule numpy_rows[RULE_COUNT] = {
#define RULE(id, operand, result, all_bool, floats, doc)                                                           \
    [RULE_##id] = {#id, OPERAND_##operand, RESULT_##result, all_bool, floats, WEFT_BOOL, doc},
#define NUMPY(id, operand, result, all_bool, floats, alone, doc)                                                   \
    [RULE_##id] = {#id, OPERAND_##operand, RESULT_##result, all_bool, floats, WEFT_##alone, doc},
#include "grammar/rules.def"
};
#pragma GCC diagnostic pop

static const enum weft_dtype dali_functions[WEFT_DTYPE_COUNT] = {
#define TYPE(id, name, short, class, ...) [WEFT_##id] = CLASS_##class == CLASS_FLOATING ? WEFT_##id : WEFT_FLOAT32,
#define FUNCTION(...)
#include "grammar/types.def"
};

static const enum weft_dtype numpy_functions[WEFT_DTYPE_COUNT] = {
#define TYPE(...)
#define FUNCTION(id, numpy) [WEFT_##id] = WEFT_##numpy,
#include "grammar/types.def"
};

static const struct rules all[] = {
    [WEFT_RULES_DALI] = {"dali", rule_rows, promote, false, false, WEFT_INT32, WEFT_FLOAT32, dali_functions,
                         WEFT_FLOAT32, WEFT_INT32, WEFT_FLOAT32, false, true},
    [WEFT_RULES_NUMPY] = {"numpy", numpy_rows, promote_numpy, true, true, WEFT_INT64, WEFT_FLOAT64, numpy_functions,
                          WEFT_FLOAT64, WEFT_INT64, WEFT_FLOAT64, true, false}};

const struct rules *rules_of(enum weft_rules rules)
{
    return &all[rules];
}

const struct rules *node_rules(const struct program *program, const struct node *node)
{
    return &all[node->own_types ? WEFT_RULES_DALI : program->source->rules];
}

const struct rule *node_rule(const struct program *program, const struct node *node)
{
    return &node_rules(program, node)->rows[op_rows[node->op].rule];
}

bool rules_find(const char *name, size_t length, enum weft_rules *rules)
{
    size_t i = 0;
    while (i < sizeof all / sizeof *all && !text_is(name, length, all[i].name))
        i++;
    *rules = (enum weft_rules)i;
    return i < sizeof all / sizeof *all;
}

/* ---- promotion ---- */

/* An extent is as an integer of the text. */
static enum literal_kind kind_of(const struct program *program, const struct node *node)
{
    node = named_node(program, node);
    const bool extent = node->kind == NODE_VIEW && program->views[node->view].kind == VIEW_EXTENT;
    return extent ? LITERAL_INTEGER : node->literal.kind;
}

void types_meet(struct meeting_types *types, const struct program *program, const struct node *operand)
{
    const struct rules *rules = types->rules;
    const enum literal_kind kind = rules->weak ? kind_of(program, operand) : LITERAL_NONE;
    const enum weft_dtype function = rules->functions[operand->dtype];
    if (kind != LITERAL_NONE) {
        types->weak = literal_higher(types->weak, kind);
        return;
    }
    types->strong = types->any ? rules->promote(types->strong, operand->dtype) : operand->dtype;
    types->function = types->any ? rules->promote(types->function, function) : function;
    types->any = true;
}

/* What a literal of the kind makes of a type that it meets. */
static enum weft_dtype with_weak(const struct rules *rules, enum weft_dtype strong, enum literal_kind kind)
{
    if (kind == LITERAL_REAL)
        return dtype_is_float(strong) ? strong : rules->real;
    return kind == LITERAL_INTEGER && strong == WEFT_BOOL ? rules->integer : strong;
}

enum weft_dtype types_promoted(const struct meeting_types *types)
{
    return with_weak(types->rules, types->any ? types->strong : WEFT_BOOL, types->weak);
}

enum weft_dtype promoted_operands(const struct program *program, const struct node *node, int first)
{
    struct meeting_types types = {.rules = node_rules(program, node)};
    for (int i = first; i < node->operand_count; i++)
        types_meet(&types, program, operand_node(program, node, i));
    return types_promoted(&types);
}

/* Integers are compared by value: in a type of both, or as compares_by_value says. */
static bool compared_integers(const struct program *program, const struct node *node, enum weft_dtype *dtype)
{
    const struct rules *first = rules_of(WEFT_RULES_DALI);
    bool integers = op_rows[node->op].rule == RULE_COMPARE;
    for (int i = 0; integers && i < node->operand_count; i++) {
        const struct node *operand = operand_node(program, node, i);
        const bool literal = operand->literal.kind == LITERAL_INTEGER;
        const enum weft_dtype own = literal ? literal_dtype(&operand->literal, first) : operand->dtype;
        integers = own < WEFT_DTYPE_COUNT && !dtype_is_float(own);
        *dtype = !integers ? *dtype : i ? first->promote(*dtype, own) : own;
    }
    return integers;
}

enum weft_dtype operand_dtype(const struct program *program, const struct node *node)
{
    const struct rule *rule = node_rule(program, node);
    struct meeting_types types = {.rules = node_rules(program, node)};
    enum weft_dtype compared = WEFT_BOOL;
    if (rule->operand == OPERAND_BOOL)
        return WEFT_BOOL;
    if (types.rules->weak && compared_integers(program, node, &compared))
        return compared;
    for (int i = first_promoted(&op_rows[node->op]); i < node->operand_count; i++)
        types_meet(&types, program, operand_node(program, node, i));
    const enum weft_dtype promoted = types_promoted(&types);
    switch (rule->operand) {
    case OPERAND_FLOAT:
        return types.rules->each && types.any && promoted == types.strong ? types.function
                                                                          : types.rules->functions[promoted];
    case OPERAND_DIVIDED:
        return dtype_is_float(promoted) ? promoted : types.rules->quotient;
    default:
        return promoted == WEFT_BOOL ? rule->alone : promoted;
    }
}

bool compares_by_value(const struct program *program, const struct node *node)
{
    return op_rows[node->op].rule == RULE_COMPARE && operand_dtype(program, node) == WEFT_INT64 &&
           (operand_node(program, node, 0)->dtype == WEFT_UINT64 ||
            operand_node(program, node, 1)->dtype == WEFT_UINT64);
}

/* ---- types that follow from others ---- */

enum weft_dtype node_literal_dtype(const struct program *program, const struct node *node)
{
    return literal_dtype(&node->literal, node_rules(program, node));
}

enum weft_dtype literal_dtype(const struct literal *literal, const struct rules *rules)
{
    const __int128 value = literal->integer;
    if (literal->kind != LITERAL_INTEGER)
        return literal->kind == LITERAL_BOOL ? WEFT_BOOL : rules->real;
    if (literal_fits(literal, rules->integer))
        return rules->integer;
    return value >= INT64_MIN && value <= INT64_MAX              ? WEFT_INT64
           : value >= 0 && value <= (__int128)UINT64_MAX ? WEFT_UINT64
                                                           : WEFT_DTYPE_COUNT;
}

enum weft_dtype type_by_rules(const struct rules *rules, enum type_rule rule, enum weft_dtype operand)
{
    const bool real = dtype_is_float(operand);
    const bool by_quotient = rule == TYPE_FLOAT || rule == TYPE_REAL || rule == TYPE_VARIANCE;
    return by_quotient && !real && rules->quotient == WEFT_FLOAT64 ? WEFT_FLOAT64 : type_by_rule(rule, operand);
}
