/* The reductions (section 11): the rows of grammar/reductions.def as data. */
#ifndef WEFT_COMPILER_LANG_REDUCTIONS_H
#define WEFT_COMPILER_LANG_REDUCTIONS_H

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

/* The reduction of this name; REDUCTION_COUNT if there is none. */
enum reduction reduction_find(const char *name);
/* The dtype of the result for elements of this dtype (rule 11.2). Elements are joined in its compute type. */
enum weft_dtype reduction_dtype(enum reduction reduction, enum weft_dtype operand);
/* The rule in words. */
const char *reduction_rule_doc(enum reduction_rule rule);

#endif
