/* The tables of operations, typing rules and element types (grammar/) as data. Everything that holds for one operation
 * or type is read from here; other files name one only where they have to. */
#ifndef WEFT_COMPILER_LANG_OPS_H
#define WEFT_COMPILER_LANG_OPS_H

#include "compiler/base/base.h"
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

enum operand_rule { OPERAND_PROMOTED, OPERAND_FLOAT, OPERAND_DIVIDED, OPERAND_BOOL, OPERAND_NATURAL };
enum result_rule { RESULT_OPERAND, RESULT_BOOL };

struct rule {
    const char *name;
    enum operand_rule operand;
    enum result_rule result;
    bool all_bool, floats;
    enum weft_dtype alone;         /* to which operands are converted that all are bool */
    const char *doc;
};

/* A row of ops.def. Texts are static. A missing meaning reads "NONE" (see op_meaning). */
struct op_row {
    const char *id;
    const char *spellings;         /* separated by spaces */
    enum op_form form;
    int precedence;
    const char *parameters;        /* separated by spaces */
    enum rule_id rule;
    const char *integer, *floating, *boolean, *fault;
    int ulp32, ulp64;              /* largest error; 0: exact */
    bool closed;                   /* see ops.def */
    int weight, float_weight;      /* see op_weight */
    const char *doc;
};

/* Rows BOUNDED and INTERVAL of ops.def. */
struct bounded_row {
    bool found;
    enum op number, nonzero;
};
struct interval_row {
    bool found;
    enum op lower, upper;
};

struct type_row {
    const char *name, *short_name;
    enum type_class class;
    int bits;                      /* of the value; 1 for bool */
    int fraction;                  /* stored bits of a floating type's fraction */
    enum weft_dtype compute;       /* the type in which operations on it are computed */
    enum op nearest;               /* rounds a value of `compute` in place to one of this type; OP_COUNT
                                      where they are the same type */
    int size;                      /* bytes in memory */
    const char *storage, *load, *store;
    int dlpack;
};

extern const struct op_row op_rows[OP_COUNT];
extern const struct rule rule_rows[RULE_COUNT];
extern const struct type_row type_rows[WEFT_DTYPE_COUNT];

static inline bool dtype_is_float(enum weft_dtype t) { return type_rows[t].class == CLASS_FLOATING; }
/* Whether operations on the type are computed in another one and then rounded to it. */
static inline bool dtype_is_half(enum weft_dtype t) { return type_rows[t].compute != t; }
static inline bool dtype_is_integer(enum weft_dtype t)
{
    return type_rows[t].class == CLASS_SIGNED || type_rows[t].class == CLASS_UNSIGNED;
}

/* A row ON_BITS of ops.def; NULL if there is none. */
const char *op_on_bits(enum op op);
/* The row's meaning for operands of this dtype. NULL where typing lets none through. */
const char *op_meaning(enum op op, enum weft_dtype operand);
/* The prelude's helper that converts a block between certain types (see CONVERSION in ops.def).
 * NULL where there is none. */
const char *op_block(enum op op);
/* The condition on operands of this dtype under which the row makes a remark: it divides by zero, or POSITION finds no
 * position. NULL if it never does. */
const char *op_fault(enum op op, enum weft_dtype operand);
/* Whether the row's meaning for floats is made of the remainder of its operands. */
static inline bool op_remains(enum op op)
{
    return op == OP_MOD || op == OP_FMOD || op == OP_FLOORDIV;
}
/* Whether that is a division by zero. */
static inline bool op_divides(enum op op, enum weft_dtype operand)
{
    return op != OP_POSITION && op_fault(op, operand);
}
/* What serves for floats in place of a row where operands are literals; NULL if nothing does. */
const struct bounded_row *op_bounded(enum op op);
const struct interval_row *op_interval(enum op op);
/* About how many vector instructions the row takes, on vectors of 32-bit elements. The row must have a meaning
 * for operands of this dtype. */
int op_weight(enum op op, enum weft_dtype operand);
/* The number of parameters. */
int op_arity(enum op op);
/* The row's id in small letters. */
const char *op_name(struct arena *arena, enum op op);

/* The dtype to which both are converted, by the table of section 3, or by NumPy's (rule 14.2). */
enum weft_dtype promote(enum weft_dtype a, enum weft_dtype b);
enum weft_dtype promote_numpy(enum weft_dtype a, enum weft_dtype b);
/* The row that means the same on operands of this dtype: `op` itself where it has a meaning. */
enum op op_alike(enum op op, enum weft_dtype operand);
/* The row that computes `op` on operands of this dtype, where that is a 16-bit float and its own values matter. */
enum op op_neighbour(enum op op, enum weft_dtype operand);

/* Looks up the spelling of an operator, a word or symbols. `prefix` chooses between the two meanings of + and -.
 * OP_COUNT if there is none. */
enum op op_find_operator(const char *name, size_t length, bool prefix);
/* The dtype with this name, long or short. WEFT_DTYPE_COUNT if there is none. */
enum weft_dtype dtype_find(const char *name, size_t length);
/* Word number `index` of a list separated by spaces: returns its start and sets *length. NULL past the end. */
const char *word_at(const char *words, int index, size_t *length);
/* A copy of a word that is there. */
const char *word_text(struct arena *arena, const char *words, int index);
/* The number of a word in such a list; -1 if it is not there. And the number of words. */
int word_index(const char *words, const char *word, size_t length);
int word_count(const char *words);

/* The first operand that takes part in promotion. The condition of where does not. */
static inline int first_promoted(const struct op_row *row)
{
    return row->rule == RULE_SELECT;
}

#endif
