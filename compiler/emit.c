/* See emit.h. Names in a kernel: a0 loads, c0 literals, t0 values, f0 remarks; x0 and y0 point at the
 * block that access 0 reads or writes, w0 is the buffer behind them, v0 a value kept between loops.
 * The user's bytes never get here: names in comments are printed from the tree, and they are
 * identifiers. */
#include "compiler/emit.h"

#include "compiler/schedule.h"
#include "compiler/subst.h"
#include "compiler/templates.h"

#include <string.h>

/* More literals than this are read where they are used: a C compiler would keep each in a register
 * around all loops. */
enum { MAX_NAMED_LITERALS = 64, MAX_STACK = 64 << 10 };

struct emitter {
    struct arena *arena;
    const struct kernel *kernel;
    const struct emit_params *params;
    const unsigned char *kinds;
    struct schedule schedule;
    struct subst subst;
    struct buf blocks, literals, faults, buffers, tile, row, operands, body, results, remarks, end;
    bool streams;                  /* some output is dense along rows: it may go past the caches */
    bool vectors;                  /* a helper wants the vector types of the prelude */
    bool heap;                     /* blocks live in the scratch that the caller lends */
    size_t scratch;
    bool *called;                  /* [ins] loads and literals that a block call reads */
    int *seen;                     /* [ins] last level that has this value by name */
};

const struct target target_c = {"c", weft_template_kernel, weft_template_prelude_c, "static inline"};

static const char *short_name(enum weft_dtype dtype)
{
    return type_rows[dtype].short_name;
}

static const char *kind_name(const struct ins *ins)
{
    return ins->kind == INS_LOAD ? "a" : ins->kind == INS_LITERAL ? "c" : "t";
}

static const char *value_name(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    int number = ins->kind == INS_LOAD || ins->kind == INS_LITERAL ? ins->index : i;
    if (ins->kind == INS_LITERAL && e->kernel->literal_count > MAX_NAMED_LITERALS)
        return arena_printf(e->arena, "*(const %s_m *)&args->literals[%d]", short_name(ins->dtype),
                            number);
    return arena_printf(e->arena, "%s%d", kind_name(ins), number);
}

/* The name of what an access reads or writes, for a comment. */
static const char *access_name(const struct emitter *e, int access)
{
    const struct access *a = &e->kernel->accesses[access];
    const struct program *program = e->kernel->program;
    switch (a->kind) {
    case TENSOR_INPUT: return program->symbols[program->inputs[a->index]].name;
    case TENSOR_CONSTANT: return "array literal";
    case TENSOR_RESULT: return program->results[a->index].name;
    case TENSOR_TEMPORARY: return arena_printf(e->arena, "temporary %d", a->index);
    case TENSOR_TABLE: return arena_printf(e->arena, "table %d", a->index);
    case TENSOR_BYTES: return "0 to 255";
    }
    return "";
}

static struct tokens row_tokens(const struct ins *ins, const char *const names[3])
{
    enum weft_dtype t = op_rows[ins->op].rule == RULE_CONVERT ? ins->dtype : ins->source;
    const char *section = dtype_is_float(t) ? "floating" : "integer";
    struct tokens tokens = {section, t, ins->source, op_rows[ins->op].rule == RULE_CONVERT, false,
                            {names[0], names[1], names[2]}};
    return tokens;
}

static void put_meaning(struct emitter *e, struct buf *out, const struct ins *ins, const char *meaning,
                        const char *const names[3])
{
    struct tokens tokens = row_tokens(ins, names);
    subst_text(&e->subst, out, meaning, strlen(meaning), &tokens);
}

static void helper(struct emitter *e, const char *name, enum weft_dtype dtype)
{
    struct tokens tokens = {"move", dtype, dtype, false, true, {NULL, NULL, NULL}};
    subst_helper(&e->subst, name, &tokens);
}

/* A place for the elements of a block (and `more`): on the stack, or in the scratch. */
static void declare_block(struct emitter *e, struct buf *out, enum weft_dtype dtype, char letter,
                          int number, int more)
{
    const char *type = short_name(dtype);
    if (!e->heap) {
        buf_printf(out, more ? "%s_m %c%d[BLOCK + %d];\n" : "%s_m %c%d[BLOCK];\n", type, letter, number,
                   more);
        return;
    }
    buf_printf(out, "%s_m *const %c%d = (%s_m *)(args->scratch + %zu);\n", type, letter, number, type,
               e->scratch);
    e->scratch += (size_t)(BLOCK + more) * (size_t)type_rows[dtype].size;
}

/* ---- accesses ---- */

/* Strides of an access along the inner loop, as the skeleton names them. */
static const char *steps(struct emitter *e, int k)
{
    bool nested = e->kinds[k] == ACCESS_NESTED;
    return arena_printf(e->arena, nested ? "s->strides[%d * stride + groups], s->strides[%d * stride + groups + 1], s->period, i"
                                         : "s->strides[%d * stride + groups]", k, k);
}

static void emit_scalar_load(struct emitter *e, int k, int ins)
{
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const char *type = short_name(dtype);
    char *from = arena_printf(e->arena, "*(const %s_m *)p[%d]", type, k);
    struct tokens tokens = {"", dtype, dtype, false, false, {from, NULL, NULL}};
    buf_printf(&e->row, "const %s a%d = ", type, k);
    subst_text(&e->subst, &e->row, type_rows[dtype].load, strlen(type_rows[dtype].load), &tokens);
    buf_printf(&e->row, "; /* %s */\n", access_name(e, k));
    if (!e->called[ins])
        return;
    helper(e, "fill", dtype);
    declare_block(e, &e->buffers, dtype, 'x', k, 0);
    buf_printf(&e->row, "fill_%s(x%d, a%d);\n", type, k, k);
}

/* Elements that the buffer of a load holds besides a block. */
static int pattern_length(enum access_kind kind)
{
    return kind == ACCESS_PERIODIC ? MAX_PERIOD : kind == ACCESS_EXPANDED ? MAX_EXPANDED : 0;
}

static void emit_load(struct emitter *e, int k, int ins)
{
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const char *type = short_name(dtype), *name = access_name(e, k);
    enum access_kind kind = e->kinds[k];
    if (kind == ACCESS_SCALAR) {
        emit_scalar_load(e, k, ins);
        return;
    }
    helper(e, kind == ACCESS_UNIT ? "pad" : kind == ACCESS_STRIDED ? "gather"
              : kind == ACCESS_NESTED ? "nested" : kind == ACCESS_EXPANDED ? "expand" : "repeat", dtype);
    declare_block(e, &e->buffers, dtype, 'w', k, pattern_length(kind));
    if (kind == ACCESS_EXPANDED) {
        buf_printf(&e->tile, "const char *from%d = 0; /* where the row in w%d begins */\n", k, k);
        buf_printf(&e->row, "if (p[%d] != from%d)\n    expand_%s(w%d, from%d = p[%d], s->offsets[%d], "
                   "s->distinct[%d], column1); /* %s */\n", k, k, type, k, k, k, k, k, name);
        buf_printf(&e->operands, "const %s_m *const x%d = w%d + i;\n", type, k, k);
    } else if (kind == ACCESS_PERIODIC) {
        buf_printf(&e->row, "repeat_%s(w%d, p[%d], %s, s->period); /* %s */\n", type, k, k,
                   steps(e, k), name);
        buf_printf(&e->operands, "const %s_m *const x%d = w%d + phase;\n", type, k, k);
    } else if (kind == ACCESS_UNIT) {
        buf_printf(&e->operands, "const %s_m *x%d = (const %s_m *)p[%d] + i; /* %s */\n", type, k,
                   type, k, name);
        buf_printf(&e->operands, "if (m < BLOCK)\n    x%d = pad_%s(w%d, x%d, m);\n", k, type, k, k);
        buf_printf(&e->operands, "fetch(x%d, args->ahead, sizeof *x%d);\n", k, k);
        e->vectors = true;
    } else if (kind == ACCESS_STRIDED) {
        buf_printf(&e->operands, "const %s_m *const x%d = gather_%s(w%d, p[%d] + i * %s, %s, m); /* %s */\n",
                   type, k, type, k, k, steps(e, k), steps(e, k), name);
    } else {
        buf_printf(&e->operands, "const %s_m *const x%d = nested_%s(w%d, p[%d], %s, m); /* %s */\n",
                   type, k, type, k, k, steps(e, k), name);
    }
}

/* A block goes to its place directly, or by way of a buffer: where the row ends, or past the caches. */
static void emit_unit_store(struct emitter *e, int k, const char *type, const char *name)
{
    if (!e->streams)
        buf_printf(&e->row, "head = first_block(args, p[%d] + column0 * sizeof(%s), sizeof(%s));\n", k,
                   type, type);
    e->streams = true;
    buf_printf(&e->operands, "%s_m *const o%d = (%s_m *)p[%d] + i; /* %s */\n", type, k, type, k, name);
    buf_printf(&e->operands, "const int n%d = m == BLOCK && streams(args, o%d);\n", k, k);
    buf_printf(&e->operands, "%s_m *const y%d = m < BLOCK || n%d ? w%d : o%d;\n", type, k, k, k, k);
    buf_printf(&e->results, "if (m < BLOCK)\n    put_%s(o%d, w%d, m);\n", type, k, k);
    buf_printf(&e->results, "else if (n%d)\n    stream(o%d, w%d, BLOCK * sizeof *w%d);\n", k, k, k, k);
}

static void emit_store(struct emitter *e, int k)
{
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const char *type = short_name(dtype), *name = access_name(e, k);
    enum access_kind kind = e->kinds[k];
    helper(e, kind == ACCESS_UNIT       ? "put"
              : kind == ACCESS_NESTED   ? "spread"
              : kind == ACCESS_EXPANDED ? "place"
                                        : "scatter", dtype);
    declare_block(e, &e->buffers, dtype, 'w', k, 0);
    if (kind == ACCESS_UNIT) {
        emit_unit_store(e, k, type, name);
        return;
    }
    buf_printf(&e->operands, "%s_m *const y%d = w%d; /* %s */\n", type, k, k, name);
    if (kind == ACCESS_EXPANDED)
        buf_printf(&e->results, "place_%s(p[%d], s->offsets[%d] + i, w%d, m);\n", type, k, k, k);
    else if (kind == ACCESS_NESTED)
        buf_printf(&e->results, "spread_%s(p[%d], %s, w%d, m);\n", type, k, steps(e, k), k);
    else
        buf_printf(&e->results, "scatter_%s(p[%d] + i * %s, %s, w%d, m);\n", type, k, steps(e, k),
                   steps(e, k), k);
}

/* ---- literals, remarks, values kept ---- */

static const char *literal_text(struct emitter *e, int index)
{
    struct buf text;
    buf_init(&text, e->arena);
    scalar_print(&text, e->kernel->literal_dtypes[index], e->kernel->literals[index]);
    return text.text;
}

static void emit_literal(struct emitter *e, int k, int ins)
{
    enum weft_dtype dtype = e->kernel->literal_dtypes[k];
    const char *type = short_name(dtype);
    if (e->kernel->literal_count <= MAX_NAMED_LITERALS)
        buf_printf(&e->literals, "const %s c%d = *(const %s_m *)&args->literals[%d]; /* %s */\n",
                   type, k, type, k, literal_text(e, k));
    if (!e->called[ins])
        return;
    helper(e, "fill", dtype);
    declare_block(e, &e->literals, dtype, 'z', k, 0);
    buf_printf(&e->literals, "fill_%s(z%d, %s);\n", type, k, value_name(e, ins));
}

static void emit_slots(struct emitter *e)
{
    const struct schedule *s = &e->schedule;
    if (s->slot_count && !e->heap)
        buf_printf(&e->buffers, "u64 slots[%d][BLOCK]; /* values kept between loops */\n",
                   s->slot_count);
    if (s->slot_count && e->heap) {
        buf_printf(&e->buffers, "u64 (*const slots)[BLOCK] = (u64 (*)[BLOCK])(args->scratch + %zu);\n",
                   e->scratch);
        e->scratch += (size_t)s->slot_count * BLOCK * sizeof(uint64_t);
    }
    for (int n = 0; n < s->order_count; n++) {
        int i = s->order[n];
        if (s->slot[i] >= 0)
            buf_printf(&e->buffers, "%s_m *const v%d = (%s_m *)slots[%d];\n",
                       short_name(e->kernel->ins[i].dtype), i, short_name(e->kernel->ins[i].dtype),
                       s->slot[i]);
    }
}

/* ---- the body ---- */

/* Makes the value known by name inside the loop of this level. */
static void bring(struct emitter *e, int i, int level)
{
    const struct ins *ins = &e->kernel->ins[i];
    bool plain = e->schedule.rate[i] != RATE_BLOCK ||
                 (ins->kind == INS_LOAD && e->kinds[ins->index] == ACCESS_SCALAR);
    if (plain || e->seen[i] == level)
        return;
    e->seen[i] = level;
    buf_printf(&e->body, "    const %s %s = ", short_name(ins->dtype), value_name(e, i));
    if (ins->kind == INS_LOAD) {
        char *from = arena_printf(e->arena, "x%d[j]", ins->index);
        struct tokens tokens = {"", ins->dtype, ins->dtype, false, false, {from, NULL, NULL}};
        const char *load = type_rows[ins->dtype].load;
        subst_text(&e->subst, &e->body, load, strlen(load), &tokens);
    } else {
        buf_printf(&e->body, "v%d[j]", i);
    }
    buf_puts(&e->body, ";\n");
}

static void emit_value(struct emitter *e, int i, int level, const char *const names[3])
{
    const struct ins *ins = &e->kernel->ins[i];
    e->seen[i] = level;
    buf_printf(&e->body, "    const %s t%d = ", short_name(ins->dtype), i);
    put_meaning(e, &e->body, ins, op_meaning(ins->op, ins->source), names);
    buf_puts(&e->body, ";\n");
    if (e->schedule.slot[i] >= 0)
        buf_printf(&e->body, "    v%d[j] = t%d;\n", i, i);
}

static void emit_ins(struct emitter *e, int i, int level)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *names[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= 0) {
            bring(e, ins->a[k], level);
            names[k] = value_name(e, ins->a[k]);
        }
    if (ins->kind == INS_OP) {
        emit_value(e, i, level, names);
    } else if (ins->kind == INS_STORE) {
        struct tokens tokens = {"", ins->dtype, ins->dtype, false, false, {names[0], NULL, NULL}};
        const char *store = type_rows[ins->dtype].store;
        buf_printf(&e->body, "    y%d[j] = ", ins->index);
        subst_text(&e->subst, &e->body, store, strlen(store), &tokens);
        buf_puts(&e->body, ";\n");
    } else {
        buf_printf(&e->body, "    f%d |= (", ins->index);
        put_meaning(e, &e->body, ins, op_fault(ins->op, ins->source), names);
        buf_printf(&e->body, ") & (j < m)%s%s;\n", names[2] ? " & " : "", names[2] ? names[2] : "");
    }
}

/* The name of a row in generated code: its first spelling, or its id where that is a symbol. */
static const char *row_name(struct emitter *e, enum op op)
{
    char *name = arena_string(e->arena, op_rows[op].id, strlen(op_rows[op].id));
    for (char *c = name; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return name;
}

/* The function that computes a row that is not exact on a whole block. */
static const char *block_function(struct emitter *e, const struct ins *ins)
{
    static const char *const elements[3] = {"a[j]", "b[j]", "c[j]"};
    const char *type = short_name(ins->source);
    const char *name = arena_printf(e->arena, "block_%s_%s", row_name(e, ins->op), type);
    int arity = op_arity(ins->op);
    for (int i = 0; i < e->subst.name_count; i++)
        if (strcmp(e->subst.names[i], name) == 0)
            return name;
    ARENA_PUSH(e->arena, e->subst.names, e->subst.name_count, name);
    buf_printf(&e->blocks, "SEPARATE static void %s(%s_m *r", name, type);
    for (int k = 0; k < arity; k++)
        buf_printf(&e->blocks, ", const %s_m *%c", type, 'a' + k);
    buf_puts(&e->blocks, ")\n{\n    INDEPENDENT\n    for (int j = 0; j < BLOCK; j++)\n        r[j] = ");
    put_meaning(e, &e->blocks, ins, op_meaning(ins->op, ins->source), elements);
    buf_puts(&e->blocks, ";\n}\n");
    return name;
}

/* The function that converts a whole block. */
static const char *conversion_function(struct emitter *e, const struct ins *ins)
{
    const char *name = ins->op == OP_CONVERT ? "widen" : "narrow";
    struct tokens tokens = {"", ins->dtype, ins->source, true, false, {NULL, NULL, NULL}};
    e->vectors = true;
    subst_helper(&e->subst, name, &tokens);
    return arena_printf(e->arena, "%s_%s_%s", name, short_name(ins->source), short_name(ins->dtype));
}

static void emit_block_call(struct emitter *e, struct buf *out, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *type = short_name(ins->dtype);
    if (ins->kind == INS_LOOKUP) {
        helper(e, "lookup", ins->dtype);
        buf_printf(out, "lookup_%s(v%d, (const %s_m *)s->bases[%d] /* %s */", type, i, type,
                   ins->index, access_name(e, ins->index));
    } else {
        buf_printf(out, "%s(v%d", is_block_call(ins) ? block_function(e, ins) : conversion_function(e, ins), i);
    }
    for (int k = 0; k < 3; k++) {
        if (ins->a[k] < 0)
            continue;
        const struct ins *a = &e->kernel->ins[ins->a[k]];
        if (a->kind == INS_LOAD || a->kind == INS_LITERAL)
            buf_printf(out, ", %c%d", a->kind == INS_LOAD ? 'x' : 'z', a->index);
        else
            buf_printf(out, ", v%d", ins->a[k]);
    }
    buf_puts(out, ");\n");
}

/* A value computed outside the blocks, once or once for each row: by the same block function where it
 * is not exact. */
static void emit_single(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    const char *type = short_name(ins->dtype), *names[3] = {NULL, NULL, NULL};
    struct buf *out = e->schedule.rate[i] == RATE_ONCE ? &e->literals : &e->row;
    struct buf *blocks = e->schedule.rate[i] == RATE_ONCE ? &e->literals : &e->buffers;
    if (is_block_call(ins)) {
        declare_block(e, blocks, ins->dtype, 'v', i, 0);
        emit_block_call(e, out, i);
        buf_printf(out, "const %s t%d = v%d[0];\n", type, i, i);
        return;
    }
    for (int k = 0; k < 3; k++)
        names[k] = ins->a[k] >= 0 ? value_name(e, ins->a[k]) : NULL;
    buf_printf(out, "const %s t%d = ", type, i);
    put_meaning(e, out, ins, op_meaning(ins->op, ins->source), names);
    buf_puts(out, ";\n");
    if (!e->called[i])
        return;
    helper(e, "fill", ins->dtype);
    declare_block(e, blocks, ins->dtype, 'v', i, 0);
    buf_printf(out, "fill_%s(v%d, t%d);\n", type, i, i);
}

/* Reads all that the loop's stores write: an output may be the buffer of an input. */
static void bring_stored(struct emitter *e, int first, int end, int level)
{
    for (int n = first; n < end; n++) {
        const struct ins *ins = &e->kernel->ins[e->schedule.order[n]];
        if (ins->kind == INS_STORE)
            bring(e, ins->a[0], level);
    }
}

static void emit_level(struct emitter *e, int first, int end, int level)
{
    const struct kernel *kernel = e->kernel;
    bool open = false, stores = false;
    for (int n = first; n < end; n++) {
        int i = e->schedule.order[n];
        if (e->schedule.call[i])
            continue;
        if (!open)
            buf_puts(&e->body, "INDEPENDENT\nfor (int j = 0; j < BLOCK; j++) {\n");
        open = true;
        if (kernel->ins[i].kind == INS_STORE && !stores)
            bring_stored(e, n, end, level);
        stores = stores || kernel->ins[i].kind == INS_STORE;
        emit_ins(e, i, level);
    }
    if (open)
        buf_puts(&e->body, "}\n");
    for (int n = first; n < end; n++)
        if (e->schedule.call[e->schedule.order[n]])
            emit_block_call(e, &e->body, e->schedule.order[n]);
}

static void emit_body(struct emitter *e)
{
    const struct schedule *s = &e->schedule;
    for (int first = 0, end; first < s->order_count; first = end) {
        int level = s->level[s->order[first]];
        for (end = first; end < s->order_count && s->level[s->order[end]] == level; end++)
            ;
        emit_level(e, first, end, level);
    }
}

/* ---- the whole text ---- */

static void find_called(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3 && e->schedule.call[i]; k++)
            if (kernel->ins[i].a[k] >= 0)
                e->called[kernel->ins[i].a[k]] = true;
}

/* At most what declare_block and the slots will take. */
static size_t block_bytes(const struct emitter *e)
{
    const size_t block = BLOCK * sizeof(uint64_t);
    size_t bytes = (size_t)e->schedule.slot_count * block;
    for (int k = 0; k < e->kernel->access_count; k++)
        bytes += block + (k < e->kernel->load_count ? (size_t)pattern_length(e->kinds[k]) * sizeof(uint64_t) : 0);
    for (int i = 0; i < e->kernel->ins_count; i++)
        bytes += e->called[i] || e->schedule.rate[i] != RATE_BLOCK ? block : 0;
    return bytes;
}

/* Where in its period a block of a flat class begins. */
static void emit_phase(struct emitter *e)
{
    if (!memchr(e->kinds, ACCESS_PERIODIC, (size_t)e->kernel->load_count))
        return;
    buf_puts(&e->row, "const i64 advance = BLOCK % s->period;\ni64 phase = column0 % s->period;\n");
    buf_puts(&e->results, "phase += m == BLOCK ? advance : m % s->period;\n"
                          "if (phase >= s->period)\n    phase -= s->period;\n");
}

static void emit_parts(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    find_called(e);
    e->heap = block_bytes(e) > MAX_STACK;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        e->seen[i] = -1;
        if (ins->kind == INS_LOAD)
            emit_load(e, ins->index, i);
        else if (ins->kind == INS_LITERAL)
            emit_literal(e, ins->index, i);
        else if (ins->kind == INS_STORE)
            emit_store(e, ins->index);
        else if (e->schedule.rate[i] != RATE_BLOCK)
            emit_single(e, i);
    }
    emit_phase(e);
    emit_slots(e);
    emit_body(e);
    if (e->streams)
        buf_puts(&e->end, "if (args->stream)\n    fence();\n");
    for (int i = 0; i < kernel->fault_count; i++) {
        buf_printf(&e->faults, "unsigned char f%d = 0;\n", i);
        buf_printf(&e->remarks, "if (f%d)\n    args->faults[%d] = 1;\n", i, i);
    }
}

static void put_head(struct emitter *e, struct buf *out, const char *mark)
{
    const char *head = strstr(e->params->target->prelude, mark) + strlen(mark);
    buf_add(out, head, (size_t)(strstr(head, "\n//: ") + 1 - head));
}

static void put_types(struct emitter *e, struct buf *out)
{
    put_head(e, out, "//: move head\n");
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        const struct type_row *row = &type_rows[t];
        buf_printf(out, "typedef %s %s;\n", t == WEFT_BOOL ? "_Bool" : row->storage, row->short_name);
        buf_printf(out, "typedef %s %s_m MAY_ALIAS;\n", row->storage, row->short_name);
    }
    buf_printf(out, "enum { BLOCK = %d, ACCESSES = %d };\n", BLOCK, e->kernel->access_count);
}

static bool has_word(const char *words, const char *word)
{
    size_t length;
    const char *found;
    for (int i = 0; words && (found = word_at(words, i, &length)); i++)
        if (strlen(word) == length && memcmp(found, word, length) == 0)
            return true;
    return false;
}

static void put_prototypes(struct emitter *e, struct buf *out)
{
    for (int i = 0; i < e->subst.prototype_count; i++) {
        const struct prototype *p = &e->subst.prototypes[i];
        const char *type = short_name(p->dtype);
        buf_printf(out, "%s%s %s(%s", has_word(e->params->vector_functions, p->name) ? "VECTOR " : "", type,
                   p->name, type);
        for (int k = 1; k < p->arguments; k++)
            buf_printf(out, ", %s", type);
        buf_puts(out, ");\n");
    }
}

static void put_comment(struct emitter *e, struct buf *out)
{
    buf_puts(out, "/*");
    for (int a = e->kernel->load_count; a < e->kernel->access_count; a++)
        buf_printf(out, "%s %s %s", a > e->kernel->load_count ? "," : "",
                   type_rows[e->kernel->accesses[a].dtype].name, access_name(e, a));
    buf_puts(out, " */\n");
}

/* Adds every line of `text` behind `indent`. */
static void put_indented(struct buf *out, const char *text, const char *indent, size_t length)
{
    while (*text) {
        size_t line = strcspn(text, "\n");
        if (*text != '#' && line)
            buf_add(out, indent, length);
        buf_add(out, text, line);
        buf_putc(out, '\n');
        text += line + (text[line] == '\n');
    }
}

static const char *section_text(struct emitter *e, const char *name, size_t length)
{
    const struct { const char *name; const struct buf *text; } sections[] = {
        {"blocks", &e->blocks}, {"literals", &e->literals}, {"faults", &e->faults},
        {"buffers", &e->buffers}, {"tile", &e->tile}, {"row", &e->row}, {"operands", &e->operands}, {"body", &e->body},
        {"results", &e->results}, {"remarks", &e->remarks}, {"end", &e->end}};
    struct buf text;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strlen(sections[i].name) == length && memcmp(sections[i].name, name, length) == 0)
            return sections[i].text->text;
    buf_init(&text, e->arena);
    switch (*name) {
    case 'c': put_comment(e, &text); break;
    case 't': put_types(e, &text); break;
    case 'a': buf_puts(&text, weft_template_args); break;
    case 'p': put_prototypes(e, &text); break;
    case 'h':
        if (e->vectors || e->streams)
            put_head(e, &text, "//: vector head\n");
        buf_add(&text, e->subst.helpers.text, e->subst.helpers.length);
        break;
    }
    return text.text;
}

static char *fill_skeleton(struct emitter *e, const char *skeleton)
{
    struct buf out;
    buf_init(&out, e->arena);
    skeleton = strchr(skeleton, '\n') + 1; /* its first line speaks to the reader of the file */
    while (*skeleton) {
        size_t line = strcspn(skeleton, "\n"), indent = strspn(skeleton, " ");
        if (skeleton[indent] == '$')
            put_indented(&out, section_text(e, skeleton + indent + 1, line - indent - 1), skeleton,
                         indent);
        else
            buf_add(&out, skeleton, line + 1);
        skeleton += line + (skeleton[line] == '\n');
    }
    return out.text;
}

char *emit(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
           size_t *scratch)
{
    struct emitter e = {.arena = arena, .kernel = kernel, .params = params, .kinds = params->kinds};
    struct buf *bufs[] = {&e.blocks, &e.literals, &e.faults, &e.buffers, &e.tile, &e.row, &e.operands, &e.body,
                          &e.results, &e.remarks, &e.end};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_init(bufs[i], arena);
    e.called = ARENA_ARRAY(arena, bool, kernel->ins_count);
    e.seen = ARENA_ARRAY(arena, int, kernel->ins_count);
    make_schedule(arena, kernel, params->kinds, params->fast, &e.schedule);
    subst_init(&e.subst, arena, params->target);
    emit_parts(&e);
    *scratch = e.scratch;
    return fill_skeleton(&e, params->target->skeleton);
}
