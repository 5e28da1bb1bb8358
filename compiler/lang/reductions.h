/* The reductions (section 11): the rows of grammar/reductions.def as data. */
#ifndef WEFT_COMPILER_LANG_REDUCTIONS_H
#define WEFT_COMPILER_LANG_REDUCTIONS_H

#include "compiler/lang/ops.h"

enum reduction {
#define REDUCTION(id, ...) REDUCTION_##id,
#include "grammar/reductions.def"
    REDUCTION_COUNT
};

/* How elements are joined. */
enum join {
#define JOIN(id, ...) JOIN_##id,
#include "grammar/reductions.def"
    JOIN_COUNT
};

/* Types that follow from the type of an operand. */
enum type_rule {
    TYPE_GIVEN,                    /* does not follow from it */
    TYPE_KEEP,
    TYPE_BOOL,
    TYPE_WIDE,                     /* int64 or uint64 for bool and integers */
    TYPE_TOTAL,                    /* in which a mean begins: float64 for integers; floats compute as ever */
    TYPE_FLOAT,                    /* float32 for bool and integers */
    TYPE_REAL,                     /* float64 for float64, else float32 */
    TYPE_VARIANCE,                 /* float64 for float64 and integers of 32 and 64 bits, else float32 */
    TYPE_DOT,                      /* of the factors in vecdot */
    TYPE_ARG                       /* uint8 for bool */
};

/* A row JOIN of reductions.def. */
struct join_row {
    const char *name;
    enum op op;
    enum type_rule rule;
    bool ordered;                  /* for floats */
    double absent, nothing;
    bool fails;                    /* there is no result without elements */
};

/* A row REDUCTION of reductions.def. */
struct reduction_row {
    const char *name, *parameters, *kinds;
    int required;
    const char *signature, *recipe, *type, *doc;
};

extern const struct join_row join_rows[JOIN_COUNT];
extern const struct reduction_row reduction_rows[REDUCTION_COUNT];

/* The reduction of this name; REDUCTION_COUNT if there is none. */
enum reduction reduction_find(const char *name);
/* The join of bool that LEAST or GREATEST is. */
enum join join_row_alike(enum join join);
/* The row's name in small letters. */
const char *join_name(struct arena *arena, enum join join);
/* The type that follows from an operand's. */
enum weft_dtype type_by_rule(enum type_rule rule, enum weft_dtype operand);
/* The type in which elements of this type are joined. */
enum weft_dtype join_dtype(enum join join, enum weft_dtype operand);
/* Whether the bits of what is joined in this type depend on the order. */
bool join_is_ordered(enum join join, enum weft_dtype dtype);
/* Whether elements are added. */
bool join_is_sum(enum join join);
/* What stands for a missing element, as a value of the type in which elements are joined. */
union scalar join_absent(enum join join, enum weft_dtype dtype);
/* The result without elements. */
union scalar join_nothing(enum join join, enum weft_dtype dtype);

#endif
