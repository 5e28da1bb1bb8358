/* The rows of grammar/reductions.def: what joins the elements of a value (section 11). */
#ifndef WEFT_REDUCTIONS_H
#define WEFT_REDUCTIONS_H

#include "compiler/lang/ops.h"

enum reduction {
#define REDUCTION(id, ...) REDUCTION_##id,
#include "grammar/reductions.def"
    REDUCTION_COUNT
};

enum reduction_rule { REDUCTION_WIDE };

/* A row of reductions.def. */
struct reduction_row {
    const char *name;
    const char *parameters, *later;        /* separated by spaces */
    enum reduction_rule rule;
    enum op op;
    double absent, nothing;
    const char *doc;
};

extern const struct reduction_row reduction_rows[REDUCTION_COUNT];

/* REDUCTION_COUNT: none. */
enum reduction reduction_find(const char *name);
/* The dtype of the result, of elements of this dtype (rule 11.2). Its compute type is what they are joined in. */
enum weft_dtype reduction_dtype(enum reduction reduction, enum weft_dtype operand);
/* What a rule says of that, in words. */
const char *reduction_rule_doc(enum reduction_rule rule);

#endif
