/* Values of literal expressions (fold.h), which are rounded once when they meet a type (rule 2.4). */
#ifndef WEFT_COMPILER_LANG_LITERAL_H
#define WEFT_COMPILER_LANG_LITERAL_H

#include "compiler/lang/eval.h"
#include "compiler/lang/program.h"

static inline bool literal_is_number(const struct literal *literal)
{
    return literal->kind == LITERAL_INTEGER || literal->kind == LITERAL_REAL;
}
/* Its value as a double; of a bool 0 or 1. */
static inline double literal_number(const struct literal *literal)
{
    return literal->kind == LITERAL_REAL ? literal->real : (double)literal->integer;
}
/* bool before integer before real. */
enum literal_kind literal_higher(enum literal_kind a, enum literal_kind b);
/* The value, rounded once to the type that the literal meets. *infinite: a finite value overflowed that
 * was not computed with a call. */
union scalar literal_meet(const struct literal *literal, enum weft_dtype dtype, bool *infinite);
/* Whether an integer literal keeps its value in the type. True for other literals, and for bool and floating types. */
bool literal_fits(const struct literal *literal, enum weft_dtype dtype);
/* How a literal becomes a type: as it meets it, by a cast, or by wrap. */
enum meeting { MEET, CAST, WRAP };
union scalar literal_become(const struct literal *literal, enum weft_dtype dtype, enum meeting how);
/* The value as a cast converts it: halves to even, saturating (rule 4.6). */
union scalar literal_cast(const struct literal *literal, enum weft_dtype dtype);
/* The low bits of an integer literal, for wrap. */
union scalar literal_wrap(const struct literal *literal, enum weft_dtype dtype);
/* Prints the value exactly, as the language writes it. */
void literal_print(struct buf *buf, const struct literal *literal);

#endif
