/* Loads and stores of a kernel: pointers to blocks, and the buffers behind them. */
#include "compiler/emitter.h"

#include <string.h>

/* Strides of an access along the inner loop, as the skeleton names them. */
static const char *steps(struct emitter *e, int k)
{
    bool nested = e->kinds[k] == ACCESS_NESTED;
    const char *both = "s->strides[%d * stride + groups], s->strides[%d * stride + groups + 1], "
                       "s->period, i";
    return arena_printf(e->arena, nested ? both : "s->strides[%d * stride + groups]", k, k);
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
    put_helper(e, "fill", dtype);
    declare_block(e, &e->buffers, dtype, 'x', k, 0);
    buf_printf(&e->row, "fill_%s(x%d, a%d);\n", type, k, k);
}

int pattern_length(enum access_kind kind)
{
    return kind == ACCESS_PERIODIC ? MAX_PERIOD : kind == ACCESS_EXPANDED ? MAX_EXPANDED : 0;
}

void emit_load(struct emitter *e, int k, int ins)
{
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const char *type = short_name(dtype), *name = access_name(e, k);
    enum access_kind kind = e->kinds[k];
    if (kind == ACCESS_SCALAR) {
        emit_scalar_load(e, k, ins);
        return;
    }
    put_helper(e, kind == ACCESS_UNIT ? "pad" : kind == ACCESS_STRIDED ? "gather"
              : kind == ACCESS_NESTED ? "nested" : kind == ACCESS_EXPANDED ? "expand"
              : kind == ACCESS_MAPPED ? "mapped" : "repeat", dtype);
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
    } else if (kind == ACCESS_MAPPED) {
        buf_printf(&e->operands, "const %s_m *const x%d = mapped_%s(w%d, sample->bases[%d], s->maps[%d], "
                   "p[%d] - sample->bases[%d], i, m); /* %s */\n", type, k, type, k, k, k, k, k, name);
    } else {
        buf_printf(&e->operands, "const %s_m *const x%d = nested_%s(w%d, p[%d], %s, m); /* %s */\n",
                   type, k, type, k, k, steps(e, k), name);
    }
}

/* A block goes to its place directly, or by way of a buffer: where the row ends, or past the caches. */
static void emit_unit_store(struct emitter *e, int k, const char *type, const char *name)
{
    if (!e->streams)
        buf_printf(&e->row, "head = first_block(args, p[%d] + column0 * sizeof(%s_m), sizeof(%s_m));\n", k,
                   type, type);
    e->streams = true;
    buf_printf(&e->operands, "%s_m *const o%d = (%s_m *)p[%d] + i; /* %s */\n", type, k, type, k, name);
    buf_printf(&e->operands, "const int n%d = m == BLOCK && streams(args, o%d);\n", k, k);
    buf_printf(&e->operands, "%s_m *const y%d = m < BLOCK || n%d ? w%d : o%d;\n", type, k, k, k, k);
    buf_printf(&e->results, "if (m < BLOCK)\n    put_%s(o%d, w%d, m);\n", type, k, k);
    buf_printf(&e->results, "else if (n%d)\n    stream(o%d, w%d, BLOCK * sizeof *w%d);\n", k, k, k, k);
}

void emit_store(struct emitter *e, int k)
{
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const char *type = short_name(dtype), *name = access_name(e, k);
    enum access_kind kind = e->kinds[k];
    put_helper(e, kind == ACCESS_UNIT       ? "put"
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
