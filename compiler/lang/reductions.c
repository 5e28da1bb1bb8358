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

enum weft_dtype reduction_dtype(enum reduction reduction, enum weft_dtype operand)
{
    return reduction_rows[reduction].rule != REDUCTION_WIDE || dtype_is_float(operand) ? operand
           : type_rows[operand].class == CLASS_UNSIGNED                                ? WEFT_UINT64
                                                                                       : WEFT_INT64;
}

const char *reduction_rule_doc(enum reduction_rule rule)
{
    static const char *const docs[] = {
        [REDUCTION_WIDE] = "int64 for bool and signed integers, uint64 for unsigned ones; floats keep theirs"};
    return docs[rule];
}
