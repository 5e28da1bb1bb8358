/* Expressions of C on doubles, for what the host of a source ahead of time computes (emit.h). Helpers have names of
 * their own there, by macros, since kernels have some of the same. */
#include "compiler/emit/emit_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

struct emit_host {
    struct arena *arena;
    struct target target;          /* of its texts the helpers of operations alone */
    struct subst subst;
    bool used;
};

struct emit_host *emit_host_start(struct arena *arena)
{
    struct emit_host *host = ARENA_NEW(arena, struct emit_host);
    host->arena = arena;
    host->target = (struct target){.name = "host", .prelude = "", .function = "static inline"};
    subst_init(&host->subst, arena, &host->target);
    return host;
}

const char *emit_host_value(struct emit_host *host, enum op op, const char *const operands[3])
{
    const enum weft_dtype dtype = rule_rows[op_rows[op].rule].operand == OPERAND_BOOL ? WEFT_BOOL : WEFT_FLOAT64;
    const char *meaning = op_meaning(op, dtype);
    struct tokens tokens = {.section = "floating", .t = dtype, .s = dtype};
    struct buf text = buf_new(host->arena);
    for (int i = 0; i < 3; i++)
        tokens.a[i] = operands[i] && dtype == WEFT_BOOL ? arena_printf(host->arena, "(%s != 0)", operands[i])
                                                        : operands[i];
    if (!meaning)
        return NULL;
    host->used = true;
    subst_text(&host->subst, &text, meaning, strlen(meaning), &tokens);
    return text.text;
}

static void put_declarations(struct buf *out, const struct subst *subst)
{
    for (int i = 0; i < subst->prototype_count; i++) {
        buf_printf(out, "double %s(", subst->prototypes[i].name);
        for (int a = 0; a < subst->prototypes[i].arguments; a++)
            buf_puts(out, a ? ", double" : "double");
        buf_puts(out, ");\n");
    }
}

static void put_macros(struct buf *out, const struct emit_host *host, const char *name, bool define)
{
    const struct defined_names *names = &host->subst.names;
    for (int i = 0; i < names->count; i++) {
        buf_printf(out, "#undef %s\n", names->items[i].name);
        if (define)
            buf_printf(out, "#define %s " NAME_HOST "\n", names->items[i].name, name, names->items[i].name);
    }
    buf_puts(out, define ? "#define f64 double\n" : "#undef f64\n");
}

void emit_host_begin(struct buf *out, const struct emit_host *host, const char *name)
{
    if (!host->used)
        return;
    put_declarations(out, &host->subst);
    put_macros(out, host, name, true);
    buf_puts(out, host->subst.helpers.text);
}

void emit_host_end(struct buf *out, const struct emit_host *host, const char *name)
{
    if (host->used)
        put_macros(out, host, name, false);
}
