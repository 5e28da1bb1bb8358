/* Kernels that slide (compiler/loop/slide.h): what a turn of the loop computes for later rows is kept in memory, for
 * each column, until they go on with it. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

int same_value(const struct emitter *e, int i)
{
    return e->slide.rows ? e->slide.same[i] : i;
}

int rows_before(const struct emitter *e, int i, int operand)
{
    return e->slide.rows && e->evaluation.rate[operand] == RATE_BLOCK ? e->slide.stage[i] - e->slide.stage[operand] : 0;
}

static void put_section(struct emitter *e, struct buf *out, const char *section)
{
    size_t length;
    const char *text = subst_find(e->params->target->accesses, section, e->slide.rows ? "sliding" : "steady", &length);
    if (text)
        buf_add(out, text, length);
}

/* The row that a family's loads have in common begins where one of them, its first, would find it. */
static void put_family(struct emitter *e, int first)
{
    const struct near *own = &e->params->near[first];
    const int before = e->slide.rows;
    buf_printf(&e->buffers, "const char *" NAME_NEXT " = 0; //~\ni64 " NAME_PACE " = 0; //~\n", first, first);
    buf_printf(&e->band, "goes_on &= start[%d] == " NAME_NEXT " && step[%d] == " NAME_PACE "; //~\n", first, first,
               first, first);
    buf_printf(&e->band, NAME_NEXT " = start[%d] + rows * step[%d], " NAME_PACE " = step[%d]; //~\n", first, first,
               first, first, first);
    if (own->rows == before && own->row == before)
        buf_printf(&e->rows, "    p[%d] = start[%d] + row * step[%d];", first, first, first);
    else if (own->rows == before)
        buf_printf(&e->rows, "    p[%d] = start[%d] + (row + %d) * step[%d];", first, first, before - own->row, first);
    else
        buf_printf(&e->rows, "    p[%d] = start[%d] + ((row > -%d ? row + %d : 0) - %d) * step[%d];", first, first,
                   own->rows, own->rows, own->row, first);
    buf_printf(&e->rows, " /* of %s the last row that this one reads */\n",
               access_name(e->arena, e->kernel, first));
}

/* The columns for which there is room. */
static int kept_columns(const struct emitter *e)
{
    return SLIDE_BYTES / e->slide.bytes / BLOCK * BLOCK;
}

void emit_rows(struct emitter *e)
{
    put_section(e, &e->bands, "bands");
    put_section(e, &e->rows, "rows");
    if (!e->slide.rows)
        return;
    put_section(e, &e->band, "follows");
    for (int a = 0; a < e->kernel->load_count; a++)
        if (e->params->near[a].rows)
            put_family(e, a);
    if (subst_is_new(&e->subst, "next_columns"))
        put_section(e, &e->blocks, "columns");
    buf_printf(&e->buffers, "enum { ROWS_BEFORE = %d, KEPT_COLUMNS = %d };\n", e->slide.rows, kept_columns(e));
    put_section(e, &e->buffers, "buffers");
}

/* The bytes that a value's columns take. They differ by a fourth of a page from one value to the next: a processor
 * takes a load from a page's byte for one that waits for a store to the same byte of another page. */
static size_t kept_bytes(const struct emitter *e, int i)
{
    const size_t page = 4096, size = (size_t)type_rows[e->kernel->ins[i].dtype].size,
                 bytes = (size_t)(kept_columns(e) + BLOCK) * size;
    return bytes + (page + page / 4 - bytes % page) % page;
}

size_t slide_bytes(const struct emitter *e)
{
    size_t bytes = 0;
    for (int i = 0; e->slide.rows && i < e->kernel->ins_count; i++)
        bytes += (size_t)e->slide.kept[i] * (kept_bytes(e, i) + BLOCK * sizeof(uint64_t));
    return bytes;
}

void emit_kept(struct emitter *e)
{
    size_t at = 0;
    if (e->slide.rows)
        put_section(e, &e->operands, "short");
    for (int i = 0; e->slide.rows && i < e->kernel->ins_count; i++)
        for (int n = 1; n <= e->slide.kept[i]; n++, at += kept_bytes(e, i)) {
            const enum weft_dtype dtype = e->kernel->ins[i].dtype;
            const char *type = short_name(dtype), *spare = arena_printf(e->arena, NAME_SPARE, i, n);
            declare_block(e, &e->buffers, dtype, spare, 0);
            buf_printf(&e->band, "%s_m *const " NAME_BEGUN " = (%s_m *)(begun + %zu); //~\n", type, i, n, type, at);
            buf_printf(&e->operands, "%s_m *const " NAME_BEFORE " = " NAME_BEGUN " + i - column0;\n", type, i, n, i, n);
            buf_printf(&e->operands, "%s_m *const " NAME_AFTER " = short_head ? %s : " NAME_BEFORE ";\n", type, i, n,
                       spare, i, n);
            buf_puts(&e->results, "if (RARE(short_head)) //~\n");
            buf_printf(&e->results, "    args->calls->put(" NAME_BEFORE ", %s, m, sizeof *%s); //~\n", i, n, spare,
                       spare);
        }
    if (!at)
        return;
    buf_printf(&e->buffers, "enum { KEPT_BYTES = %zu, KEPT_PLACE = %zu }; //~\n", at, e->scratch);
    put_section(e, &e->buffers, e->heap ? "lent" : "stack");
    e->scratch += e->heap ? at : 0;
}

const char *bring_earlier(struct emitter *e, int i, int rows)
{
    const char *name = arena_printf(e->arena, NAME_EARLIER, i, rows);
    if (e->brought[i] & 1u << rows)
        return name;
    e->brought[i] |= 1u << rows;
    buf_printf(&e->body, "    const %s %s = " NAME_BEFORE "[j];\n", short_name(e->kernel->ins[i].dtype), name, i, rows);
    return name;
}

void put_for_later(struct emitter *e)
{
    for (int i = 0; e->slide.rows && i < e->kernel->ins_count; i++) {
        for (int n = 1; n < e->slide.kept[i]; n++)
            bring_earlier(e, i, n);
        if (e->slide.kept[i])
            bring(e, i, 0);
    }
    for (int i = 0; e->slide.rows && i < e->kernel->ins_count; i++)
        for (int n = e->slide.kept[i]; n > 0; n--)
            if (n > 1)
                buf_printf(&e->body, "    " NAME_AFTER "[j] = " NAME_EARLIER ";\n", i, n, i, n - 1);
            else
                buf_printf(&e->body, "    " NAME_AFTER "[j] = %s;\n", i, n, value_name(e, i));
}
