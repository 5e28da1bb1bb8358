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

/* ---- sizes of arrays ---- */

static int most(int a, int b)
{
    return a > b ? a : b;
}

struct sizes {
    int rank, operands, extents, accesses, groups, maps, open_maps, mapped, levels, pieces, faults;
    bool bounded;
};

static void measure_loop(struct sizes *sizes, const struct aot_loop *loop)
{
    const struct kernel *kernel = loop->kernel;
    int mapped = 0, open = 0;
    sizes->rank = most(sizes->rank, loop->shape->rank);
    sizes->accesses = most(sizes->accesses, kernel->access_count);
    sizes->maps = most(sizes->maps, kernel->map_count);
    sizes->faults = most(sizes->faults, kernel->fault_count);
    for (int m = 1; m < kernel->map_count; m++)
        sizes->rank = most(sizes->rank, most(kernel->maps[m].from->rank, kernel->maps[m].to->rank));
    for (int m = 1; m < kernel->map_count; m++)
        open += aot_is_open(&kernel->maps[m]);
    sizes->open_maps = most(sizes->open_maps, open);
    for (int a = 0; a < kernel->load_count; a++) {
        const enum access_kind kind = loop->classes[loop->class_count - 1].kinds[a];
        mapped += access_is(kind, NUMBERED);
        sizes->bounded = sizes->bounded || kind == ACCESS_BOUNDED;
        sizes->levels = most(sizes->levels, map_levels(kernel->maps, kernel->accesses[a].map));
        sizes->pieces = most(sizes->pieces, map_pieces(kernel->maps, kernel->accesses[a].map));
    }
    sizes->mapped = most(sizes->mapped, mapped);
}

static struct sizes measure(struct aot_kernel *const *kernels, int count)
{
    struct sizes sizes = {.rank = 1, .maps = 1, .levels = 1};
    for (int i = 0; i < count; i++) {
        const struct aot_kernel *k = kernels[i];
        sizes.operands = most(sizes.operands, k->program->input_count + k->program->result_count);
        sizes.extents = most(sizes.extents, k->extent_count);
        for (int f = 0; f < k->form_count; f++)
            sizes.rank = most(sizes.rank, k->forms[f]->rank);
        for (int n = 0; n < k->program->node_count; n++)
            sizes.rank = most(sizes.rank, k->shapes[n]->rank);
        for (int p = 0; p < k->loop_count; p++)
            measure_loop(&sizes, &k->loops[p]);
    }
    sizes.groups = sizes.mapped ? MAX_GROUPS : sizes.rank;
    sizes.pieces += sizes.rank + 1; /* reinterpreted inputs have pieces of their own */
    sizes.pieces = sizes.pieces < MAX_PIECES ? sizes.pieces : MAX_PIECES;
    return sizes;
}

static bool any_gathers(struct aot_kernel *const *kernels, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        for (int p = 0; p < kernels[i]->loop_count; p++)
            any = any || aot_gathers(&kernels[i]->loops[p]);
    return any;
}

void aot_put_sizes(struct buf *out, struct aot_kernel *const *kernels, int count, int levels)
{
    const struct sizes s = measure(kernels, count);
    const int level = s.bounded ? 3 + 5 * s.pieces : 2 + 2 * s.pieces;
    const struct { const char *name; int value; const char *what; } rows[] = {
        {"MAX_RANK", s.rank, "dimensions"},
        {"OPERANDS", s.operands, "parameters and results"},
        {"EXTENTS", s.extents + 1, "that are found out when a call begins"},
        {"ACCESSES", s.accesses, "loads and stores of a loop"},
        {"LOOP_GROUPS", s.groups, "of a loop's dimensions"},
        {"MAX_PIECES", s.pieces, "that elements lie in"},
        {"MAPS", s.maps, "orders of elements, in a loop with views"},
        {"OPEN_MAPS", s.open_maps, "of these with numbers that a call decides"},
        {"MAPPED", s.mapped, "accesses that may go by an element's number"},
        {"MAP_LEVELS", s.levels, "that a number is taken apart in"},
        {"MAP_NUMBERS", s.mapped ? 1 + (s.levels + 1) * level : 0, "to say so"},
        {"FAULTS", s.faults, "divisions by zero and positions outside that a loop tells"},
        {"TRANSPOSED", TRANSPOSED_ROOM, "bytes of a tile that is transposed, and of what is behind its rows"},
        {"INTERLEAVED", INTERLEAVED_BYTES, "of pixels that are gathered at once, about"},
        {"DEINTERLEAVED", DEINTERLEAVED_COLUMNS, "of columns of pixels that are taken apart at once"},
        {"GATHERS", any_gathers(kernels, count), "1: some loads gather vectors"},
        {"LEVELS", levels, "instruction sets"}};
    buf_puts(out, "\n/* The most of each, of any kernel here. */\nenum {\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(out, "    %s = %d, /* %s */\n", rows[i].name, rows[i].value, rows[i].what);
    buf_puts(out, "};\n");
}

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
            buf_putc(out, '\n');
            buf_puts(out, emit_function(together, loop->kernel, &params, class->function, &class->scratch));
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
    const struct defined_names *names = emit_names(together, false);
    static const char *const ends[] = {"pad_block", "put_block", "fmod_block", "kernel_calls"};
    put_name(out, "weft_fuses", true, define);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        put_name(out, ends[i], false, define);
    for (int i = 0; i < names->count; i++)
        put_name(out, names->items[i].name, names->items[i].function, define);
    for (int i = 0; i < count; i++)
        for (int p = 0; p < kernels[i]->loop_count; p++)
            for (int c = 0; c < kernels[i]->loops[p].class_count; c++)
                put_name(out, kernels[i]->loops[p].classes[c].function, true, define);
}

/* Writes the inclusions of the source by itself, the table of instruction sets, and the macro that
 * lists a loop's functions. */
static void put_inclusions(struct buf *out, const struct aot_params *params, const char *name)
{
    struct buf numbers = buf_new(out->arena), functions = buf_new(out->arena);
    for (int i = 0; i < LEVEL_ROWS; i++) {
        if (!(params->levels & levels[i].level))
            continue;
        buf_printf(out, "#define WEFT_LEVEL %d\n#define FEATURES \"%s\"\n#include \"%s.c\"\n#undef FEATURES\n"
                   "#undef WEFT_LEVEL\n", levels[i].number, levels[i].features, name);
        buf_printf(&numbers, ", %d", levels[i].number);
        buf_printf(&functions, ", weft_v%d_##loop", levels[i].number);
    }
    buf_printf(out, "#define LOOP(loop) {loop%s}\nstatic const int levels[LEVELS] = {0%s};\n", functions.text,
               numbers.text);
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

/* Declares library functions. Those that kernels call have no side effects. */
static void put_library(const struct source_text *s)
{
    for (const char *line = emit_common(s->together, "library"); *line; line += strcspn(line, "\n") + 1)
        buf_printf(s->out, "%.*s PURE;\n", (int)strcspn(line, ";"), line);
}

/* Writes what is there once for all instruction sets, before the loops. */
static void put_support(const struct source_text *s)
{
    static const struct aot_section elements[] = {
        {weft_template_slice_h, NULL}, {weft_template_slice, NULL}, {weft_template_walk_h, NULL},
        {weft_template_tuning_c, "processor"},
        {access_kinds_section, NULL}, {weft_template_grouping_h, NULL}, {weft_template_walk, NULL},
        {weft_template_grouping, NULL}, {weft_template_gather, NULL}, {weft_template_lanes_h, NULL},
        {weft_template_lanes, "lanes"}, {weft_template_tensor, NULL}, {weft_template_traffic, NULL},
        {weft_template_bands, NULL}};
    put_section(s, "shared");
    buf_puts(s->out, emit_common(s->together, "types"));
    buf_puts(s->out, emit_common(s->together, "args"));
    aot_put_sizes(s->out, s->kernels, s->count, count_levels(s->params));
    put_section(s, "shape");
    aot_put_sections(s->out, elements, sizeof elements / sizeof *elements);
    put_library(s);
}

/* Whether loops have reduced dimensions. */
static bool any_joins(const struct source_text *s)
{
    for (int i = 0; i < s->count; i++)
        for (int p = 0; p < s->kernels[i]->loop_count; p++)
            if (s->kernels[i]->loops[p].kernel->lanes)
                return true;
    return false;
}

/* Gives each loop with reduced dimensions names of its own, which have its number, or takes them back. */
static void put_joined(const struct source_text *s, bool define)
{
    const struct defined_names *names = emit_names(s->together, true);
    for (int i = 0; i < names->count; i++) {
        buf_printf(s->out, "#undef %s\n", names->items[i].name);
        if (define)
            buf_printf(s->out, "#define %s OF_JOINS(%s)\n", names->items[i].name, names->items[i].name);
    }
}

/* Writes the loops, and before them the helpers they call. */
static void put_loops(const struct source_text *s, const char *loops)
{
    static const struct aot_section ends[] = {{weft_template_ends, NULL}};
    const bool several = s->params->levels != 0;
    const char *helpers = emit_common(s->together, "helpers"); /* whose names are known then */
    if (several) {
        put_section(s, "level begins");
        put_names(s->out, s->together, s->kernels, s->count, true);
        buf_puts(s->out, "#endif\n");
    }
    put_section(s, "loops begin");
    aot_put_sections(s->out, ends, 1);
    buf_puts(s->out, helpers);
    buf_puts(s->out, "#undef ROLLED\n#define ROLLED\n"); /* gcc warns where it is of no use */
    buf_puts(s->out, emit_common(s->together, "blocks"));
    if (any_joins(s)) {
        put_section(s, "joins begin");
        buf_puts(s->out, emit_common(s->together, "loops"));
    }
    put_joined(s, true);
    buf_puts(s->out, loops);
    put_joined(s, false);
    if (any_joins(s))
        put_section(s, "joins end");
    put_section(s, "loops end");
    if (several) {
        put_section(s, "level ends");
        put_names(s->out, s->together, s->kernels, s->count, false);
        buf_puts(s->out, "#endif\n");
    }
}

static void put_calls(const struct source_text *s)
{
    static const struct aot_section parts[] = {
        {NULL, "tables"}, {NULL, "classes"}, {NULL, "loops"}, {NULL, "tensors"}, {NULL, "check"}, {NULL, "samples"},
        {NULL, "plan"}, {NULL, "loop plan"}, {NULL, "views"}, {NULL, "loop class"}, {NULL, "joins"},
        {NULL, "join tiles"}, {NULL, "keep lanes"}, {NULL, "join nothing"}, {NULL, "keep"}, {NULL, "loop gathers"},
        {NULL, "loop kinds"}, {NULL, "environment"}, {NULL, "run"}};
    static const struct aot_section calls[] = {{NULL, "check call"}, {NULL, "run call"}, {NULL, "infer"}};
    if (s->params->levels) {
        put_section(s, "levels");
        put_inclusions(s->out, s->params, s->name);
        put_section(s, "best level");
    } else {
        put_section(s, "one level");
    }
    aot_put_sections(s->out, parts, sizeof parts / sizeof *parts);
    put_section(s, s->params->openmp ? "threads" : "no threads");
    put_section(s, "call");
    aot_put_sections(s->out, calls, sizeof calls / sizeof *calls);
}

/* Writes everything except the functions for callers. */
static void put_body(const struct source_text *s, const char *loops)
{
    put_support(s);
    if (s->params->levels)
        buf_puts(s->out, "#endif\n");
    put_section(s, "guard");
    put_loops(s, loops);
    if (s->params->levels)
        buf_puts(s->out, "#if !defined WEFT_LEVEL\n");
    put_calls(s);
    for (int i = 0; i < s->count; i++)
        aot_put_tables(s->out, s->kernels[i], s->params);
}

static void put_includes(const struct source_text *s)
{
    buf_printf(s->out, "#include \"%s.h\"\n\n", s->name);
    put_section(s, "includes");
    if (s->params->openmp)
        put_section(s, "includes threads");
    if (s->params->levels)
        put_section(s, "includes levels");
}

void aot_put_source(struct buf *out, struct aot_kernel *const *kernels, int count, const char *name,
                    const struct aot_params *params)
{
    struct buf loops = buf_new(out->arena), body = buf_new(out->arena), includes = buf_new(out->arena);
    struct source_text s = {&body, out->arena, params, kernels, count, name, emit_start(out->arena, &target_c)};
    for (int i = 0; i < count; i++)
        emit_loops(kernels[i], s.together, &loops);
    put_body(&s, loops.text);
    s.out = &includes;
    put_includes(&s);
    s.out = out;
    buf_printf(out, "/* Made by weft build from %s. See %s.h. */\n", params->file, name);
    put_section(&s, "language");
    if (params->levels)
        put_section(&s, "first time");
    aot_put_wrapped(out, kernels, count, includes.text, body.text);
    if (params->levels)
        buf_puts(out, "#endif\n");
    put_section(&s, "guard end");
    put_section(&s, "language end");
}

/* Where a kernel has a name of the body's own, the body's is renamed by a macro. */
void aot_put_wrapped(struct buf *out, struct aot_kernel *const *kernels, int count, const char *includes,
                     const char *body)
{
    struct aot_words names, macros;
    aot_find_clashes(kernels, count, body, &names, &macros);
    buf_puts(out, includes);
    for (int i = 0; i < names.count; i++)
        buf_printf(out, "#define %s " NAME_MOVED "\n", names.items[i], names.items[i]);
    buf_puts(out, body);
    for (int i = 0; i < names.count; i++)
        buf_printf(out, "#undef %s\n", names.items[i]);
    for (int i = 0; i < macros.count; i++)
        buf_printf(out, "#undef %s\n", macros.items[i]);
    for (int i = 0; i < count; i++)
        aot_put_entries(out, kernels[i]);
}
