/* Promotion: the type in which operands of two types meet (the table of section 3 of docs/language.md, and rule
 * 14.2). */
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

/* The float that NumPy takes for an integer beside a narrower one. */
static enum weft_dtype holding(enum weft_dtype integer, enum weft_dtype beside)
{
    const int bits = type_rows[integer].bits;
    return bits <= 8 ? beside : bits == 16 ? WEFT_FLOAT32 : WEFT_FLOAT64;
}

enum weft_dtype promote_numpy(enum weft_dtype a, enum weft_dtype b)
{
    const bool real = dtype_is_float(a), other = dtype_is_float(b);
    if (real != other && a != WEFT_BOOL && b != WEFT_BOOL)
        return promote(real ? a : b, holding(real ? b : a, real ? a : b));
    if (dtype_is_integer(a) && dtype_is_integer(b) && type_rows[a].class != type_rows[b].class &&
        (a == WEFT_UINT64 || b == WEFT_UINT64))
        return WEFT_FLOAT64;
    return promote(a, b);
}
