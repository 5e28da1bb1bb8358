/* Literal expressions: numbers joined by operators, computed as Python computes them (rule 2.3) and
 * rounded once when they meet a type (rule 2.4). */
#ifndef WEFT_LITERAL_H
#define WEFT_LITERAL_H

#include "compiler/lang/eval.h"
#include "compiler/lang/program.h"

/* `op` on literal numbers; `b` is ignored by unary operators. Returns NULL and sets *result, or says
 * what is wrong. Rows that are no operators of literal expressions give LITERAL_NONE. */
const char *literal_fold(enum op op, const struct literal *a, const struct literal *b,
                         struct literal *result);
/* Sets a NODE_OP's value where its operands are literal expressions that have theirs; calls are no part
 * of literal expressions. Returns NULL, or what is wrong. */
const char *literal_of_node(const struct program *program, struct node *node);
static inline bool literal_is_number(const struct literal *literal)
{
    return literal->kind == LITERAL_INTEGER || literal->kind == LITERAL_REAL;
}
/* int32, int64 or uint64, the first that holds it; float32; bool. WEFT_DTYPE_COUNT: none holds it. */
enum weft_dtype literal_dtype(const struct literal *literal);
/* Rounded once to the type it meets. *infinite: a finite value overflowed. */
union scalar literal_meet(const struct literal *literal, enum weft_dtype dtype, bool *infinite);
/* Whether meeting the type keeps an integer's value: reals, bools and floating types always do. */
bool literal_fits(const struct literal *literal, enum weft_dtype dtype);
/* As a cast converts it: halves to even, saturating (rule 4.6). */
union scalar literal_cast(const struct literal *literal, enum weft_dtype dtype);
/* The low bits, for wrap. */
union scalar literal_wrap(const struct literal *literal, enum weft_dtype dtype);
/* As the language writes it, exactly. */
void literal_print(struct buf *buf, const struct literal *literal);

#endif
