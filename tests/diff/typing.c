/* See typing.h. Which types an operation accepts follows from the classes its oracle row speaks
 * of. */
#include "tests/diff/typing.h"

#include <stdio.h>
#include <string.h>

static bool is_comparison(enum op op)
{
    return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE;
}

static bool is_test(enum op op)
{
    return op == OP_ISNAN || op == OP_ISINF || op == OP_ISFINITE || op == OP_SIGNBIT;
}

static bool is_logic(enum op op)
{
    return op == OP_OR || op == OP_AND || op == OP_NOT;
}

bool typing_of(enum op op, const enum weft_dtype *dtypes, int count, struct typing *typing)
{
    int first = op == OP_WHERE;
    enum weft_dtype p = dtypes[first];
    bool all_bool = true;
    for (int i = first; i < count; i++)
        p = oracle_promote(p, dtypes[i]);
    for (int i = 0; i < count; i++)
        all_bool = all_bool && dtypes[i] == WEFT_BOOL;
    if (is_logic(op))
        p = WEFT_BOOL;
    else if (!oracle_has(op, p) && !oracle_is_float(p) && oracle_has(op, WEFT_FLOAT32) &&
             !oracle_has(op, WEFT_INT32) && (!all_bool || is_test(op)))
        p = WEFT_FLOAT32;
    typing->operand = p;
    typing->by_value = is_comparison(op) && !oracle_is_float(p);
    typing->result = is_logic(op) || is_comparison(op) || is_test(op) ? WEFT_BOOL : p;
    return oracle_has(op, p);
}

static void convert(enum op op, const struct typing *typing, const struct typed *operands,
                    int count, union scalar out[3])
{
    for (int i = 0; i < 3; i++) {
        enum weft_dtype to = op == OP_WHERE && i == 0 ? WEFT_BOOL : typing->operand;
        out[i].bits = 0;
        if (i < count)
            out[i] = oracle_convert(operands[i].dtype, to, operands[i].value);
    }
}

union scalar typing_value(enum op op, const struct typing *typing, const struct typed *operands,
                          int count)
{
    union scalar o[3];
    if (typing->by_value)
        return oracle_compare(op, operands[0].dtype, operands[0].value, operands[1].dtype,
                              operands[1].value);
    convert(op, typing, operands, count, o);
    return oracle_value(op, typing->operand, typing->result, o);
}

double typing_error(enum op op, const struct typing *typing, const struct typed *operands,
                    int count, union scalar actual)
{
    union scalar o[3];
    if (typing->by_value)
        return typing_value(op, typing, operands, count).bits == actual.bits ? 0 : 1e9;
    convert(op, typing, operands, count, o);
    return oracle_error(op, typing->operand, typing->result, o, actual);
}

int typing_bound(enum op op, const struct typing *typing)
{
    if (!oracle_is_float(typing->operand) || type_rows[typing->operand].size < 4)
        return 0; /* a short type's error counts in float32: oracle_error gives 0 within the bound */
    return typing->operand == WEFT_FLOAT64 ? op_rows[op].ulp64 : op_rows[op].ulp32;
}

bool typing_exact(enum op op, const struct typing *typing)
{
    const struct op_row *row = &op_rows[op];
    return !oracle_is_float(typing->operand) || (typing->operand == WEFT_FLOAT64 ? row->ulp64 : row->ulp32) == 0;
}

bool typing_fault(enum op op, const struct typing *typing, const struct typed *operands, int count)
{
    union scalar o[3];
    convert(op, typing, operands, count, o);
    return oracle_fault(op, typing->operand, o);
}

const char *typing_text(char *buffer, size_t size, enum op op, const char *const *operands,
                        int count)
{
    size_t length;
    const char *word = word_at(op_rows[op].spellings, 0, &length);
    enum op_form form = op_rows[op].form;
    if (form == FORM_PREFIX)
        snprintf(buffer, size, "(%.*s %s)", (int)length, word, operands[0]);
    else if (form == FORM_INFIX || form == FORM_RIGHT || form == FORM_CHAINLESS)
        snprintf(buffer, size, "(%s %.*s %s)", operands[0], (int)length, word, operands[1]);
    else {
        int at = snprintf(buffer, size, "%.*s(", (int)length, word);
        for (int i = 0; i < count; i++)
            at += snprintf(buffer + at, size - (size_t)at, "%s%s", i ? ", " : "", operands[i]);
        snprintf(buffer + at, size - (size_t)at, ")");
    }
    return buffer;
}
