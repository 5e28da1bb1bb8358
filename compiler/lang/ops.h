/* The tables of the grammar folder as data. Everything that is true of one operation or one type is read
 * from here; no other file names one without need. */
#ifndef WEFT_OPS_H
#define WEFT_OPS_H

#include "include/weft/weft.h"

enum op {
#define OP(id, ...) OP_##id,
#include "grammar/ops.def"
    OP_COUNT
};

enum op_form { FORM_INFIX, FORM_RIGHT, FORM_CHAINLESS, FORM_PREFIX, FORM_TERNARY, FORM_CALL,
               FORM_FOLD, FORM_INTERNAL };

enum type_class { CLASS_BOOLEAN, CLASS_SIGNED, CLASS_UNSIGNED, CLASS_FLOATING };

enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "grammar/rules.def"
    RULE_COUNT
};

enum operand_rule { OPERAND_PROMOTED, OPERAND_FLOAT, OPERAND_BOOL, OPERAND_NATURAL };
enum result_rule { RESULT_OPERAND, RESULT_BOOL };

struct rule {
    const char *name;
    enum operand_rule operand;
    enum result_rule result;
    bool all_bool, floats;
    const char *doc;
};

/* A row of ops.def. Texts are static; a meaning there is none of reads "NONE" (see op_meaning). */
struct op_row {
    const char *id;
    const char *spellings;         /* separated by spaces */
    enum op_form form;
    int precedence;
    const char *parameters;        /* separated by spaces */
    enum rule_id rule;
    const char *integer, *floating, *boolean, *fault;
    int ulp32, ulp64;              /* 0: exact */
    bool closed;                   /* see ops.def */
    int weight, float_weight;      /* see op_weight */
    const char *doc;
};

struct type_row {
    const char *name, *short_name;
    enum type_class class;
    int bits;                      /* of the value; 1 for bool */
    int fraction;                  /* stored bits of a floating type's fraction */
    enum weft_dtype compute;       /* what operations on it happen in */
    enum op nearest;               /* rounds that to values of the type, in place; OP_COUNT: the same type */
    int size;                      /* bytes in memory */
    const char *storage, *load, *store;
    int dlpack;
};

extern const struct op_row op_rows[OP_COUNT];
extern const struct rule rule_rows[RULE_COUNT];
extern const struct type_row type_rows[WEFT_DTYPE_COUNT];

static inline bool dtype_is_float(enum weft_dtype t) { return type_rows[t].class == CLASS_FLOATING; }
/* Whether operations on the type happen in another one, and are rounded to it. */
static inline bool dtype_is_half(enum weft_dtype t) { return type_rows[t].compute != t; }
static inline bool dtype_is_integer(enum weft_dtype t)
{
    return type_rows[t].class == CLASS_SIGNED || type_rows[t].class == CLASS_UNSIGNED;
}

/* The row's meaning for operands of this dtype; NULL where typing lets none through. */
const char *op_meaning(enum op op, enum weft_dtype operand);
/* The prelude's helper that converts a block, of some types; NULL where there is none. */
const char *op_block(enum op op);
/* The condition on operands of this dtype under which the row divides by zero; NULL if it never does. */
const char *op_fault(enum op op, enum weft_dtype operand);
/* About how many instructions on vectors of 32-bit elements the row takes on operands that it has a meaning for. */
int op_weight(enum op op, enum weft_dtype operand);
/* The number of parameters. */
int op_arity(enum op op);

/* The dtype both convert to, by the table of section 3. */
enum weft_dtype promote(enum weft_dtype a, enum weft_dtype b);

/* Looks a spelling up: functions only before "(", words and symbols as operators. OP_COUNT: none.
 * `prefix` chooses between the two meanings of + and -. */
enum op op_find_function(const char *name, size_t length);
enum op op_find_operator(const char *name, size_t length, bool prefix);
/* The dtype of either spelling; WEFT_DTYPE_COUNT: none. */
enum weft_dtype dtype_find(const char *name, size_t length);
/* Word number `index` of a list separated by spaces: its start, its length in *length; NULL past
 * the end. */
const char *word_at(const char *words, int index, size_t *length);

/* The first operand that takes part in promotion: where's condition does not. */
static inline int first_promoted(const struct op_row *row)
{
    return row->rule == RULE_SELECT;
}

#endif
