/* Implements reductions.h: the tables as arrays, and the typing rules. */
#include "compiler/lang/reductions.h"

#include "compiler/lang/eval.h"

#include <math.h>
#include <string.h>

#define NONE NAN
enum { ANY_ORDER, ORDERED };
const struct join_row join_rows[JOIN_COUNT] = {
#define JOIN(id, op, rule, order, absent, nothing)                                                                 \
    [JOIN_##id] = {#id, OP_##op, TYPE_##rule, order, absent, nothing, (nothing) != (nothing)},
#include "grammar/reductions.def"
};

const struct reduction_row reduction_rows[REDUCTION_COUNT] = {
#define REDUCTION(id, name, ...) [REDUCTION_##id] = {#name, __VA_ARGS__},
#include "grammar/reductions.def"
};

enum reduction reduction_find(const char *name)
{
    int reduction = 0;
    while (reduction < REDUCTION_COUNT && strcmp(reduction_rows[reduction].name, name) != 0)
        reduction++;
    return (enum reduction)reduction;
}

const char *join_name(struct arena *arena, enum join join)
{
    char *name = arena_printf(arena, "%s", join_rows[join].name);
    for (char *c = name; *c; c++)
        *c = small_letter(*c);
    return name;
}

enum join join_row_alike(enum join join)
{
    return join == JOIN_GREATEST ? JOIN_ANY : JOIN_ALL;
}

static enum weft_dtype wide(enum weft_dtype dtype)
{
    return dtype_is_float(dtype)                        ? dtype
           : type_rows[dtype].class == CLASS_UNSIGNED ? WEFT_UINT64
                                                        : WEFT_INT64;
}

enum weft_dtype type_by_rule(enum type_rule rule, enum weft_dtype operand)
{
    const bool real = dtype_is_float(operand), large = type_rows[operand].bits >= 32;
    switch (rule) {
    case TYPE_BOOL: return WEFT_BOOL;
    case TYPE_WIDE: return wide(operand);
    case TYPE_TOTAL: return real ? type_rows[operand].compute : WEFT_FLOAT64;
    case TYPE_FLOAT: return real ? operand : WEFT_FLOAT32;
    case TYPE_REAL: return operand == WEFT_FLOAT64 ? operand : WEFT_FLOAT32;
    case TYPE_VARIANCE: return operand == WEFT_FLOAT64 || (!real && large) ? WEFT_FLOAT64 : WEFT_FLOAT32;
    case TYPE_DOT: return type_rows[wide(operand)].compute;
    case TYPE_ARG: return operand == WEFT_BOOL ? WEFT_UINT8 : operand;
    default: return operand;
    }
}

enum weft_dtype join_dtype(enum join join, enum weft_dtype operand)
{
    const enum type_rule rule = join_rows[join].rule;
    return type_rows[rule == TYPE_TOTAL ? wide(operand) : type_by_rule(rule, operand)].compute;
}

bool join_is_ordered(enum join join, enum weft_dtype dtype)
{
    return dtype_is_float(dtype) && join_rows[join].ordered;
}

bool join_is_sum(enum join join)
{
    return join_rows[join].op == OP_ADD;
}

union scalar join_absent(enum join join, enum weft_dtype dtype)
{
    return eval_convert(WEFT_FLOAT64, dtype, true, (union scalar){.f64 = join_rows[join].absent});
}

union scalar join_nothing(enum join join, enum weft_dtype dtype)
{
    return eval_convert(WEFT_FLOAT64, dtype, true, (union scalar){.f64 = join_rows[join].nothing});
}
