/* Writes the C source of kernels ahead of time: texts of templates/, the kernels' functions, tables, and the functions
 * for callers. Only identifiers and numbers of the caller's text get here.
 *
 * For several instruction sets the source includes itself. WEFT_LEVEL is then the instruction set, and only what is
 * compiled for each of them is visible, under names of its own. */
#include "compiler/aot/print_impl.h"

#include "compiler/check/check.h"
#include "compiler/loop/loop.h"
#include "compiler/emit/emit.h"

#include <string.h>

/* ---- loops ---- */

/* The name of a loop's function: it spells the kinds of access, unless they are too many. */
static const char *function_name(struct aot_kernel *k, int p, int c)
{
    const struct aot_loop *loop = &k->loops[p];
    const int accesses = loop->kernel->access_count;
    const char *spelled = arena_printf(k->arena, "%.*s", accesses, (const char *)loop->classes[c].kinds);
    const char *kinds = c == loop->class_count - 1 ? "any"
                        : accesses > 16            ? arena_printf(k->arena, "%d", c)
                                                   : spelled;
    return arena_printf(k->arena, NAME_LOOP, k->program->name, p, kinds);
}

/* Writes the functions of all classes. Their names and scratch sizes go to the classes. */
static void emit_loops(struct aot_kernel *k, struct emit_together *together, struct buf *out)
{
    for (int p = 0; p < k->loop_count; p++) {
        struct aot_loop *loop = &k->loops[p];
        for (int c = 0; c < loop->class_count; c++) {
            struct aot_class *class = &loop->classes[c];
            struct form form;
            const struct emit_params params = {.target = &target_c, .form = &form, .kinds = class->kinds,
                                               .fast = FAST_OF_C & FAST_AHEAD, .shown = SHOWN_FULL};
            block_form(loop->kernel, &form);
            class->function = function_name(k, p, c);
            const char *text = emit_function(together, loop->kernel, &params, &class->function, &class->scratch);
            buf_printf(out, "%s%s", *text ? "\n" : "", text);
        }
    }
}

/* ---- instruction sets ---- */

static const struct level {
    enum weft_level level;
    int number;
    const char *features;          /* the features that are enabled */
} levels[] = {
    {WEFT_X86_64_V2, 2, "sse3,ssse3,sse4.1,sse4.2,popcnt"},
    {WEFT_X86_64_V3, 3, "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi,bmi2,fma,f16c"},
    {WEFT_X86_64_V4, 4, "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi,bmi2,fma,f16c,"
                "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"}};
enum { LEVEL_ROWS = sizeof levels / sizeof *levels };

static int count_levels(const struct aot_params *params)
{
    int count = 1;
    for (int i = 0; i < LEVEL_ROWS; i++)
        count += (params->levels & levels[i].level) != 0;
    return count;
}

/* Defines or undefines a name. Functions become macros with arguments, so that members of structs
 * may have the same names. */
static void put_name(struct buf *out, const char *name, bool function, bool define)
{
    buf_printf(out, "#undef %s\n", name); /* it may be defined already: see aot_put_wrapped */
    if (define)
        buf_printf(out, function ? "#define %s(...) AT_LEVEL(%s)(__VA_ARGS__)\n" : "#define %s AT_LEVEL(%s)\n", name,
                   name);
}

/* Gives a separate name for each instruction set to everything that is compiled for each of them. */
static void put_names(struct buf *out, struct emit_together *together, struct aot_kernel *const *kernels, int count,
                      bool define)
{
    const struct defined_names *names = emit_names(together);
    put_name(out, "weft_fuses", false, define);
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->items[i].name, "part_", 5) != 0) /* it stands for functions, which are noted, too */
            put_name(out, names->items[i].name, names->items[i].function, define);
    for (int i = 0; i < emit_join_count(together); i++) { /* both are there, used or not */
        put_name(out, arena_printf(out->arena, NAME_JOINING, "direct", i + 1), true, define);
        put_name(out, arena_printf(out->arena, NAME_JOINING, "strided", i + 1), true, define);
    }
    for (int i = 0; i < count; i++)
        for (int p = 0; p < kernels[i]->loop_count; p++)
            for (int c = 0; c < kernels[i]->loops[p].class_count; c++)
                put_name(out, kernels[i]->loops[p].classes[c].function, true, define);
}

/* Writes the inclusions of the source by itself, and the macro that lists a loop's functions. */
static void put_inclusions(struct buf *out, const struct aot_params *params, const char *name)
{
    struct buf functions = buf_new(out->arena);
    for (int i = 0; i < LEVEL_ROWS; i++) {
        if (!(params->levels & levels[i].level))
            continue;
        buf_printf(out, "#define WEFT_LEVEL %d\n#define FEATURES \"%s\"\n#include \"%s.c\"\n#undef FEATURES\n"
                   "#undef WEFT_LEVEL\n", levels[i].number, levels[i].features, name);
        buf_printf(&functions, ", weft_v%d_##loop", levels[i].number);
    }
    buf_printf(out, "#define LOOP(loop) {loop%s}\n\n", functions.text);
}

/* ---- the whole source ---- */

struct source_text {
    struct buf *out;
    struct arena *arena;
    const struct aot_params *params;
    struct aot_kernel *const *kernels;
    int count;
    const char *name;
    struct emit_together *together;
};

static void put_section(const struct source_text *s, const char *name)
{
    buf_puts(s->out, aot_shared_section(s->arena, name));
}


/* Writes the loops, and before them the helpers they call. */
static void put_loops(const struct source_text *s, const char *loops)
{
    const bool several = s->params->levels != 0;
    if (several) {
        emit_common(s->together, "heads"); /* whose names are known then */
        put_section(s, "level begins");
        put_names(s->out, s->together, s->kernels, s->count, true);
        buf_puts(s->out, "#endif\n");
    }
    buf_printf(s->out, "#define WEFT_LOOPS %d\n", AOT_SUPPORT_NUMBER); /* what they are made for */
    emit_put_named(s->out, s->together, AOT_SUPPORT ".h");
    emit_put_joins(s->out, s->together, AOT_SUPPORT ".h");
    buf_puts(s->out, emit_common(s->together, "blocks"));
    buf_puts(s->out, loops);
    if (several) {
        put_section(s, "loops end");
        put_section(s, "level ends");
        put_names(s->out, s->together, s->kernels, s->count, false);
        buf_puts(s->out, "#endif\n");
    }
}

/* Writes how this source is compiled. */
static void put_built(const struct source_text *s)
{
    if (s->params->levels)
        put_inclusions(s->out, s->params, s->name);
    buf_printf(s->out, "static const struct built built = {%s, OWN_LEVEL, %d, {0", s->params->openmp ? "true" : "false",
               count_levels(s->params));
    for (int i = 0; i < LEVEL_ROWS; i++)
        if (s->params->levels & levels[i].level)
            buf_printf(s->out, ", %d", levels[i].number);
    buf_puts(s->out, s->params->levels ? "}, LOOP(weft_fuses)};\n" : "}, {weft_fuses}};\n");
}

/* Writes everything except the functions for callers. */
static void put_body(const struct source_text *s, const char *loops)
{
    if (s->params->levels)
        buf_puts(s->out, "#include \"" AOT_SUPPORT ".h\"\n#endif\n");
    put_loops(s, loops);
    if (s->params->levels)
        buf_puts(s->out, "#if !defined WEFT_LEVEL\n");
    put_built(s);
    for (int i = 0; i < s->count; i++)
        aot_put_tables(s->out, s->kernels[i], s->params);
}

/* Adds declarations of what the header defines under names that it puts together, so that they are found there. */
static void put_pasted(struct buf *out, const struct source_text *s)
{
    const struct defined_names *names = emit_names(s->together);
    for (int i = 0; i < names->count; i++)
        buf_printf(out, "int %s(\n", names->items[i].name);
    for (int i = 0; i < s->count; i++)
        for (int p = 0; p < s->kernels[i]->loop_count; p++)
            for (int c = 0; c < s->kernels[i]->loops[p].class_count; c++)
                buf_printf(out, "int %s(\n", s->kernels[i]->loops[p].classes[c].function);
}

void aot_put_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params)
{
    struct buf loops = buf_new(out->arena), body = buf_new(out->arena), header = buf_new(out->arena);
    struct buf includes = buf_new(out->arena);
    struct source_text s = {&body, out->arena, params, kernels, count, name, emit_start(out->arena, &target_c)};
    emit_by_name(s.together);
    for (int i = 0; i < count; i++)
        emit_loops(kernels[i], s.together, &loops);
    put_body(&s, loops.text);
    aot_put_support_header(&header);
    put_pasted(&header, &s);
    buf_printf(&includes, "#include \"%s.h\"\n", name);
    s.out = out;
    buf_printf(out, "/* Made by weft build from %s. See %s.h; what is not defined here is in " AOT_SUPPORT ".h. */\n",
               params->file, name);
    if (params->levels)
        put_section(&s, "first time");
    aot_put_wrapped(out, kernels, count, includes.text, header.text, body.text);
    if (params->levels)
        buf_puts(out, "#endif\n");
}

/* Where a kernel has a name of the body's own, the body's is renamed by a macro. The C library's headers are read
 * before. */
void aot_put_body(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                  const char *header, const char *body)
{
    struct aot_words names, macros;
    aot_find_clashes(kernels, count, arena_printf(out->arena, "%s%s", header, body), &names, &macros);
    buf_puts(out, includes);
    if (names.count && *header)
        buf_puts(out, aot_shared_section(out->arena, "includes"));
    for (int i = 0; i < names.count; i++)
        buf_printf(out, "#define %s " NAME_MOVED "\n", names.items[i], names.items[i]);
    buf_puts(out, body);
    for (int i = 0; i < names.count; i++)
        buf_printf(out, "#undef %s\n", names.items[i]);
    for (int i = 0; i < macros.count; i++)
        buf_printf(out, "#undef %s\n", macros.items[i]);
}

void aot_put_wrapped(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                     const char *header, const char *body)
{
    aot_put_body(out, kernels, count, includes, header, body);
    for (int i = 0; i < count; i++)
        aot_put_entries(out, kernels[i]);
}
