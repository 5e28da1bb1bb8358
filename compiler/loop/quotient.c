/* Implements quotient.h. */
#include "compiler/loop/quotient.h"

enum {
    FRACTION_BITS = 23,            /* of float32 */
    MODERATE = 32,                 /* a moderate value is 0, or its size is from 2 ** -MODERATE to 2 ** MODERATE */
    LEAST = -125 + MODERATE,       /* the bounds of a dividend whose quotients are normal; what is left of it then */
    MOST = 126 - MODERATE          /* is, too, a multiple of 2 ** -149 */
};

bool value_repeats(const struct kernel *kernel, const unsigned char *kinds, const struct form *form, int i)
{
    const struct ins *ins = &kernel->ins[i];
    if (ins->dtype != WEFT_FLOAT32 || ins_is_argument(ins))
        return ins->dtype == WEFT_FLOAT32;
    if (ins->kind != INS_LOAD)
        return false;
    switch (kinds[ins->index]) {
    case ACCESS_VALUE: return true;
    case ACCESS_SCALAR: return !form->groups;
    case ACCESS_PERIODIC: return form->repeats && form->period && !form->groups;
    default: return false;
    }
}

static bool varies(const struct kernel *kernel, const unsigned char *kinds, const struct grained *of, int i)
{
    const struct ins *ins = &kernel->ins[i];
    bool any = ins->kind == INS_LOAD && !access_is(kinds[ins->index], STAYS);
    for (int k = 0; k < 3 && ins->kind == INS_OP; k++)
        any = any || (ins->a[k] >= 0 && of[ins->a[k]].varies);
    return any;
}

/* The bounds of what an instruction computes; of a rounded result, too, as its last bit is no less than those of an
 * exact one, and a power of two is not rounded. `own` says already whether it varies and is a quotient. */
static struct grained find_grain(const struct ins *ins, const struct grained *of, struct grained own)
{
    const bool real = ins->kind == INS_OP && ins->dtype == WEFT_FLOAT32;
    const bool pair = real && ins->source == WEFT_FLOAT32 && ins->a[1] >= 0;
    if (real && ins->op == OP_CONVERT && !dtype_is_float(ins->source))
        return (struct grained){true, own.varies, false, 0, type_rows[ins->source].bits};
    if (!pair || !of[ins->a[0]].known || !of[ins->a[1]].known)
        return own;
    const struct grained a = of[ins->a[0]], b = of[ins->a[1]];
    switch (ins->op) {
    case OP_ADD:
    case OP_SUB:
        own.known = true;
        own.grain = a.grain < b.grain ? a.grain : b.grain;
        own.top = (a.top > b.top ? a.top : b.top) + 1;
        return own;
    case OP_MUL:
        own.known = a.grain + b.grain >= LEAST;
        own.grain = a.grain + b.grain;
        own.top = a.top + b.top;
        return own;
    case OP_DIV:
        own.known = own.quotient;
        own.grain = a.grain - MODERATE - FRACTION_BITS;
        own.top = a.top + MODERATE;
        return own;
    default: return own;
    }
}

int find_quotients(const struct kernel *kernel, const unsigned char *kinds, const struct form *form, unsigned fast,
                   struct grained *of)
{
    int count = 0;
    if (!(fast & FAST_RECIPROCAL) || form->block == 1 || kernel->lanes)
        return 0;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        struct grained own = {.varies = varies(kernel, kinds, of, i)};
        if (value_repeats(kernel, kinds, form, i)) {
            of[i] = (struct grained){true, own.varies, false, -MODERATE - FRACTION_BITS, MODERATE};
            continue;
        }
        if (ins->kind == INS_OP && ins->op == OP_DIV && ins->source == WEFT_FLOAT32) {
            const struct grained *a = &of[ins->a[0]];
            own.quotient = own.varies && a->known && a->grain >= LEAST && a->top <= MOST &&
                           value_repeats(kernel, kinds, form, ins->a[1]);
            count += own.quotient;
        }
        of[i] = find_grain(ins, of, own);
    }
    return count;
}
