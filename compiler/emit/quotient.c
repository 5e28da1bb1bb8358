/* Finds divisions by values that repeat along a row, such as the deviation of each channel. A CUDA kernel computes them by
 * way of reciprocals, of which each is computed once. The quotient is rounded correctly if nothing overflows or becomes
 * subnormal on the way (docs/design/gpu.md). That follows from bounds of what is divided, which hold if values that
 * repeat are moderate. A test for these, before anything is stored, decides for all threads of a block at once. */
#include "compiler/emit/emit_impl.h"

enum {
    FRACTION_BITS = 23,            /* of float32 */
    MODERATE = 32,                 /* a moderate value is 0, or its size is from 2 ** -MODERATE to 2 ** MODERATE */
    LEAST = -125 + MODERATE,       /* the bounds of a dividend whose quotients are normal; what is left of it then is, too, a */
    MOST = 126 - MODERATE          /* multiple of 2 ** -149 */
};

/* What is known of a value: it is finite, a multiple of 2 ** grain, and its size is at most 2 ** top. */
struct grained {
    bool known;
    int grain, top;
};

/* The first element of a value that repeats through a whole tile, as an expression; NULL: it does not. Where there are
 * several rows, that is known of arguments alone. */
static const char *repeated(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const struct form *form = e->params->form;
    if (ins->dtype != WEFT_FLOAT32)
        return NULL;
    if (ins_is_argument(ins))
        return value_name(e, i);
    if (ins->kind != INS_LOAD)
        return NULL;
    if (e->kinds[ins->index] == ACCESS_VALUE)
        return arena_printf(e->arena, "*(const f32_m *)&bases[%d]", ins->index);
    if (e->kinds[ins->index] == ACCESS_SCALAR && !form->groups)
        return arena_printf(e->arena, NAME_BUFFER "[0]", ins->index);
    const bool known = form->repeats && form->period && !form->groups;
    return e->kinds[ins->index] == ACCESS_PERIODIC && known ? arena_printf(e->arena, NAME_BUFFER "[0][j]", ins->index) : NULL;
}

/* The bounds of what an instruction computes; of a rounded result, too, as its last bit is no less than those of an exact
 * one, and a power of two is not rounded. */
static struct grained find_grain(struct emitter *e, const struct grained *of, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const bool real = ins->kind == INS_OP && ins->dtype == WEFT_FLOAT32;
    if (repeated(e, i))
        return (struct grained){true, -MODERATE - FRACTION_BITS, MODERATE};
    if (real && ins->op == OP_CONVERT && !dtype_is_float(ins->source))
        return (struct grained){true, 0, type_rows[ins->source].bits};
    if (!real || ins->source != WEFT_FLOAT32 || ins->a[1] < 0 || !of[ins->a[0]].known || !of[ins->a[1]].known)
        return (struct grained){false, 0, 0};
    const struct grained a = of[ins->a[0]], b = of[ins->a[1]];
    switch (ins->op) {
    case OP_ADD:
    case OP_SUB: return (struct grained){true, a.grain < b.grain ? a.grain : b.grain, (a.top > b.top ? a.top : b.top) + 1};
    case OP_MUL: return (struct grained){a.grain + b.grain >= LEAST, a.grain + b.grain, a.top + b.top};
    case OP_DIV: return (struct grained){e->quotient[i], a.grain - MODERATE - FRACTION_BITS, a.top + MODERATE};
    default: return (struct grained){false, 0, 0};
    }
}

static bool is_quotient(struct emitter *e, const struct grained *of, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    return ins->kind == INS_OP && ins->op == OP_DIV && ins->source == WEFT_FLOAT32 && e->schedule.rate[i] == RATE_BLOCK &&
           of[ins->a[0]].known && of[ins->a[0]].grain >= LEAST && of[ins->a[0]].top <= MOST && repeated(e, ins->a[1]);
}

/* Marks the values that the bounds of value `i` rest on. Operands stand before it. */
static void mark_operands(struct emitter *e, const struct grained *of, bool *marked, int i)
{
    for (; i >= 0; i--)
        for (int k = 0; k < 2 && marked[i] && !repeated(e, i) && e->kernel->ins[i].op != OP_CONVERT; k++)
            if (of[e->kernel->ins[i].a[k]].known)
                marked[e->kernel->ins[i].a[k]] = true;
}

/* Whether the value is the divisor of some quotient, for which there is a test of its own. */
static bool divides(const struct emitter *e, int value)
{
    for (int i = value + 1; i < e->kernel->ins_count; i++)
        if (e->quotient[i] && e->kernel->ins[i].a[1] == value)
            return true;
    return false;
}

/* Adds the test of a value that repeats, or that of a divisor, and its reciprocal. */
static void put_check(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *names[3] = {repeated(e, e->quotient[i] ? ins->a[1] : i)};
    const struct ins test = {.kind = INS_OP, .op = OP_DIV, .dtype = WEFT_FLOAT32, .source = WEFT_FLOAT32};
    if (!names[0])
        return;
    buf_puts(&e->checks, "    moderate &= ");
    put_meaning(e, &e->checks, &test, e->quotient[i] ? "N(divisor)(A)" : "N(moderate)(A)", names);
    buf_puts(&e->checks, ";\n");
    if (e->quotient[i])
        buf_printf(&e->checks, "    " NAME_RECIPROCAL "[j] = 1 / %s;\n", i, names[0]);
}

void emit_checks(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const struct form *form = e->params->form;
    struct grained *of = ARENA_ARRAY(e->arena, struct grained, kernel->ins_count);
    bool *marked = ARENA_ARRAY(e->arena, bool, kernel->ins_count), any = false;
    if (!e->params->target->chunks || !(e->params->fast & FAST_RECIPROCAL) || form->block == 1 || kernel->lanes)
        return;
    for (int i = 0; i < kernel->ins_count; i++) {
        e->quotient[i] = is_quotient(e, of, i);
        marked[i] = e->quotient[i];
        of[i] = find_grain(e, of, i);
        any = any || e->quotient[i];
    }
    if (!any)
        return;
    mark_operands(e, of, marked, kernel->ins_count - 1);
    for (int i = 0; i < kernel->ins_count; i++)
        if (e->quotient[i])
            buf_printf(&e->checks, "f32 " NAME_RECIPROCAL "[%d];\n", i, form->period ? form->period : 1);
    buf_printf(&e->checks, "int moderate = 1;\nUNROLLED\nfor (int j = 0; j < %d; j++) {\n", form->period ? form->period : 1);
    for (int i = 0; i < kernel->ins_count; i++)
        if (marked[i] && !(repeated(e, i) && divides(e, i)))
            put_check(e, i);
    buf_puts(&e->checks, "}\nif (BLOCK > 1 && !moderate)\n    return false;\n");
}

void put_quotient(struct emitter *e, int i, const char *const names[3])
{
    const char *at = e->params->form->period ? arena_printf(e->arena, "j %% %d", e->params->form->period) : "0";
    const char *operands[3] = {names[0], names[1], arena_printf(e->arena, NAME_RECIPROCAL "[%s]", i, at)};
    put_meaning(e, &e->body, &e->kernel->ins[i], "N(quotient)(A, B, C)", operands);
}
