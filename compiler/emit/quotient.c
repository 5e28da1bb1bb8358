/* Emits divisions by values that repeat along a row (compiler/loop/quotient.h): reciprocals, and a test whether the
 * values that repeat are moderate. It comes before anything is stored, and decides for all threads of a block at
 * once. */
#include "compiler/emit/emit_impl.h"

/* The first element of a value that repeats through a whole tile, as an expression; NULL: it does not. */
static const char *repeated(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    if (!value_repeats(e->kernel, e->kinds, e->params->form, i))
        return NULL;
    if (ins_is_argument(ins))
        return value_name(e, i);
    switch (e->kinds[ins->index]) {
    case ACCESS_VALUE: return arena_printf(e->arena, "*(const f32_m *)&bases[%d]", ins->index);
    case ACCESS_SCALAR: return arena_printf(e->arena, NAME_BUFFER "[0]", ins->index);
    default: return arena_printf(e->arena, NAME_BUFFER "[0][j]", ins->index);
    }
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
    if (!e->quotient[i])
        return;
    buf_printf(&e->checks, "    " NAME_RECIPROCAL "[j] = ", i);
    put_meaning(e, &e->checks, &test, "N(reciprocal)(A)", names);
    buf_puts(&e->checks, ";\n");
}

void emit_checks(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const struct form *form = e->params->form;
    struct grained *of = ARENA_ARRAY(e->arena, struct grained, kernel->ins_count);
    bool *marked = ARENA_ARRAY(e->arena, bool, kernel->ins_count);
    if (!e->params->target->chunks || !find_quotients(kernel, e->kinds, form, e->params->fast, of))
        return;
    for (int i = 0; i < kernel->ins_count; i++)
        marked[i] = e->quotient[i] = of[i].quotient;
    mark_operands(e, of, marked, kernel->ins_count - 1);
    for (int i = 0; i < kernel->ins_count; i++)
        if (e->quotient[i])
            buf_printf(&e->checks, "f32 " NAME_RECIPROCAL "[%d];\n", i, form->period ? form->period : 1);
    buf_printf(&e->checks, "int moderate = 1;\nUNROLLED\nfor (int j = 0; j < %d; j++) {\n",
               form->period ? form->period : 1);
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
