/* Promotion: the type in which operands of two types meet (the table of section 3 of docs/language.md). */
#include "compiler/lang/ops.h"

static enum weft_dtype of_class(enum type_class class, int bits)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (type_rows[t].class == class && type_rows[t].bits == bits)
            return (enum weft_dtype)t;
    return WEFT_INT64;
}

enum weft_dtype promote(enum weft_dtype a, enum weft_dtype b)
{
    const struct type_row *x = &type_rows[a], *y = &type_rows[b];
    if (x->class == y->class && x->bits == y->bits && a != b)
        return of_class(x->class, 2 * x->bits);
    if (x->class == y->class)
        return x->bits >= y->bits ? a : b;
    if (x->class == CLASS_FLOATING || y->class == CLASS_FLOATING)
        return x->class == CLASS_FLOATING ? a : b;
    if (x->class == CLASS_BOOLEAN || y->class == CLASS_BOOLEAN)
        return x->class == CLASS_BOOLEAN ? b : a;
    const struct type_row *s = x->class == CLASS_SIGNED ? x : y, *u = s == x ? y : x;
    if (s->bits > u->bits)
        return s == x ? a : b;
    return of_class(CLASS_SIGNED, u->bits == 64 ? 64 : 2 * u->bits);
}
