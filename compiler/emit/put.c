/* Writes kernels that put elements to places, one by one: scatter, and what nonzero finds (templates/kernel/put.c). */
#include "compiler/emit/emit_impl.h"

enum {
    TALLY_BYTES = 16 << 10,        /* of a table in which a kernel sums what it puts (emit_tally) */
    TALLY_TABLES = 4
};

/* An int64 that the kernel takes, before there are values. */
static const char *taken_number(const struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    return ins->kind != INS_LOAD              ? value_name((struct emitter *)e, i)
           : e->params->target->chunks ? arena_printf(e->arena, "(i64)bases[%d]", ins->index)
                                       : arena_printf(e->arena, "*(const i64_m *)sample->bases[%d]", ins->index);
}

/* Adds what element e becomes in place k. */
static void put_joined(struct emitter *e, struct buf *out, const char *place, const char *value)
{
    const struct ins *put = &e->kernel->ins[e->kernel->ins_count - 1];
    const char *const names[3] = {place, value, NULL};
    buf_printf(out, "%s = ", place);
    if (put->op == OP_COUNT)
        buf_puts(out, value);
    else
        put_meaning(e, out, put, op_meaning(put->op, put->dtype), names);
    buf_puts(out, ";\n");
}

/* Whether sums go to several tables in turn: they are the same in any order. */
static bool tallies(const struct emitter *e)
{
    const struct ins *put = &e->kernel->ins[e->kernel->ins_count - 1];
    return e->params->fast & FAST_TALLY && !e->params->target->chunks && put->op == OP_ADD &&
           dtype_is_integer(put->dtype);
}

/* Sums of integers in a small part: of places that follow one another each has a table of its own, so that none waits
 * for the one before it. Bytes are places in each table. */
static void emit_tally(struct emitter *e)
{
    const struct ins *put = &e->kernel->ins[e->kernel->ins_count - 1];
    const bool bytes = e->kernel->accesses[0].dtype == WEFT_UINT8;
    struct buf *out = &e->row;
    buf_printf(out, "enum { TALLIED = %d };\n", TALLY_BYTES / type_rows[put->dtype].size);
    buf_printf(out, "%s_m tables[%d][TALLIED];\n", short_name(put->dtype), TALLY_TABLES);
    buf_puts(out, "i64 n0 = 0; /* the first place that is not gone over yet */\n");
    buf_puts(out, "const u64 size = (u64)(to - from);\n");
    buf_puts(out, "/* in tables that take turns */\n");
    buf_printf(out, "if (inner == 1 && size <= TALLIED && count / %d >= (i64)size%s) {\n",
               2 * TALLY_TABLES, bytes ? " && from == 0" : "");
    buf_printf(out, "    for (int t = 0; t < %d; t++)\n        for (u64 k = 0; k < %s; k++)\n"
                    "            tables[t][k] = 0;\n", TALLY_TABLES, bytes ? "256" : "size");
    buf_printf(out, "    for (; n0 + %d <= count; n0 += %d) {\n", TALLY_TABLES, TALLY_TABLES);
    for (int t = 0; t < TALLY_TABLES; t++)
        buf_printf(out, "        const u64 k%d = (u64)((i64)places[n0 + %d] - from);\n", t, t);
    for (int t = 0; t < TALLY_TABLES; t++) {
        buf_puts(out, bytes ? "        " : arena_printf(e->arena, "        if (k%d < size)\n            ", t));
        put_joined(e, out, arena_printf(e->arena, "tables[%d][k%d]", t, t),
                   put->a[2] < 0 ? arena_printf(e->arena, "values[n0 + %d]", t) : "value");
    }
    buf_printf(out, "    }\n    for (int t = 0; t < %d; t++)\n        for (u64 k = 0; k < size%s; k++)\n            ",
               TALLY_TABLES, bytes ? " && k < 256" : "");
    put_joined(e, out, "to_place[from + (i64)k]", "tables[t][k]");
    buf_puts(out, "}\n");
}

void emit_put(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const struct ins *put = &kernel->ins[kernel->ins_count - 1];
    const char *type = short_name(put->dtype), *bases = e->params->target->chunks ? "bases" : "sample->bases";
    const char *place = short_name(kernel->accesses[0].dtype);
    for (int i = 0; i < kernel->ins_count; i++)
        if (ins_is_argument(&kernel->ins[i]))
            emit_literal(e, kernel->ins[i].index, i);
    buf_printf(&e->row, "%s_m *const to_place = (%s_m *)%s[%d];\n", type, type, bases, put->index);
    buf_printf(&e->row, "const %s_m *const places = (const %s_m *)%s[0];\n", place, place, bases);
    buf_printf(&e->row, "const %s_m *const values = (const %s_m *)%s[1];\n", type, type, bases);
    buf_printf(&e->row, "const i64 count = %s, inner = %s;\n", taken_number(e, put->a[0]), taken_number(e, put->a[1]));
    const bool numbers = put->op == OP_NONZERO;
    if (numbers)
        buf_puts(&e->row, "i64 next = 0; /* of what was found so far */\n(void)values;\n");
    else if (put->a[2] >= 0)
        buf_printf(&e->row, "const %s value = values[0];\n", type);
    if (tallies(e))
        emit_tally(e);
    else if (!e->params->target->chunks)
        buf_puts(&e->row, "const i64 n0 = 0;\n");
    emit_marked(&e->operands, e->params->target->prelude, numbers ? "//: found head\n" : "//: places head\n",
                &e->subst.names);
    if (numbers)
        buf_puts(&e->body, "to_place[k] = e;\n");
    else
        put_joined(e, &e->body, "to_place[k]", put->a[2] < 0 ? "values[e]" : "value");
}
