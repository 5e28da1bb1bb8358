/* Implements reductions.h: the table as an array, and its typing rules. */
#include "compiler/lang/reductions.h"

#include <string.h>

const struct reduction_row reduction_rows[REDUCTION_COUNT] = {
#define REDUCTION(id, name, parameters, later, rule, op, absent, nothing, doc)                                    \
    [REDUCTION_##id] = {#name, parameters, later, REDUCTION_##rule, OP_##op, absent, nothing, doc},
#include "grammar/reductions.def"
};

enum reduction reduction_find(const char *name)
{
    int reduction = 0;
    while (reduction < REDUCTION_COUNT && strcmp(reduction_rows[reduction].name, name) != 0)
        reduction++;
    return (enum reduction)reduction;
}

static enum weft_dtype wide(enum weft_dtype dtype)
{
    if (dtype_is_float(dtype))
        return dtype;
    return type_rows[dtype].class == CLASS_UNSIGNED ? WEFT_UINT64 : WEFT_INT64;
}

enum weft_dtype reduction_dtype(enum reduction reduction, enum weft_dtype operand)
{
    switch (reduction_rows[reduction].rule) {
    case REDUCTION_WIDE: return wide(operand);
    }
    return operand;
}

const char *reduction_rule_doc(enum reduction_rule rule)
{
    switch (rule) {
    case REDUCTION_WIDE: return "int64 for bool and signed integers, uint64 for unsigned ones; floats keep theirs";
    }
    return "";
}
