/* Writes weft_support.h and weft_support.c: what kernels in C share, the same bytes whoever asks. The texts are those
 * that the library includes for runs (templates/shared), and those of templates/aot. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <string.h>

/* The sizes of arrays that are the same for all kernels. */
static void put_sizes(struct buf *out)
{
    const struct { const char *name; int value; const char *what; } rows[] = {
        {"MAX_RANK", WEFT_MAX_RANK, "dimensions"},
        {"MAX_PIECES", MAX_PIECES, "that elements lie in"},
        {"TRANSPOSED", TRANSPOSED_ROOM, "bytes of a tile that is transposed, and of what is behind its rows"},
        {"INTERLEAVED", INTERLEAVED_BYTES, "of pixels that are gathered at once, about"},
        {"DEINTERLEAVED", DEINTERLEAVED_COLUMNS, "of columns of pixels that are taken apart at once"}};
    buf_puts(out, "\nenum {\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(out, "    %s = %d, /* %s */\n", rows[i].name, rows[i].value, rows[i].what);
    buf_puts(out, "};\n");
}

static const char notice[] =
    "/* Made by weft build, the same for all kernels of this version of weft%s */\n";

void aot_put_support_header(struct buf *out)
{
    static const struct aot_section elements[] = {
        {NULL, "shape"}, {weft_template_slice_h, NULL}, {weft_template_slice, NULL}, {weft_template_walk_h, NULL},
        {weft_template_tuning_c, "processor"}, {access_kinds_section, NULL}, {weft_template_grouping_h, NULL},
        {NULL, "tables"}, {NULL, "classes"}, {NULL, "loops"}, {NULL, "tensors"},
        {weft_template_lanes_h, NULL}, {weft_template_lanes, "lanes"}, {NULL, "own level"},
        {weft_template_aot_support, "entries"}};
    struct emit_together *together = emit_start(out->arena, &target_c);
    buf_printf(out, notice, ": what they call, and the tables\n * that describe them.");
    buf_printf(out, "#ifndef WEFT_SUPPORT\n#define WEFT_SUPPORT %d\n"
               "#if defined __cplusplus /* a missing file ends it, #error would not */\n"
               "#include \"this source is C: compile it as C, and include its header from C++\"\n#endif\n",
               AOT_SUPPORT_NUMBER);
    for (const char *const *name = (const char *const[]){"weft_run", "weft_run_one", "weft_infer", NULL}; *name; name++)
        buf_printf(out, "#define %s %s_v%d\n", *name, *name, AOT_SUPPORT_NUMBER);
    buf_puts(out, aot_shared_section(out->arena, "includes"));
    buf_puts(out, "\n");
    buf_puts(out, aot_section(out->arena, weft_template_aot_h, "types"));
    buf_puts(out, aot_section(out->arena, weft_template_aot_h, "array"));
    buf_puts(out, "\n");
    buf_puts(out, aot_shared_section(out->arena, "guard"));
    buf_puts(out, "\n");
    buf_puts(out, aot_shared_section(out->arena, "shared"));
    buf_puts(out, emit_common(together, "types"));
    emit_named_types(out);
    emit_named_library(out);
    buf_puts(out, emit_common(together, "args"));
    put_sizes(out);
    aot_put_sections(out, elements, sizeof elements / sizeof *elements);
    buf_puts(out, "#endif\n\n/* What loops call, for the instruction set at hand. */\n#if defined WEFT_LOOPS\n"
             "#if WEFT_LOOPS != WEFT_SUPPORT\n#error \"" AOT_SUPPORT ".h is another version's: make this file and "
             AOT_SUPPORT " anew, by one weft\"\n#endif\n#undef WEFT_LOOPS\n");
    buf_puts(out, aot_shared_section(out->arena, "loops undefined"));
    buf_puts(out, aot_shared_section(out->arena, "loops begin"));
    buf_puts(out, aot_shared_section(out->arena, "joins begin"));
    buf_puts(out, aot_shared_section(out->arena, "rolled"));
    buf_puts(out, emit_common(together, "heads"));
    buf_puts(out, "#undef ROLLED\n#define ROLLED\n"); /* gcc warns where it is of no use */
    buf_puts(out, "#endif\n\n/* Helpers of loops: those that are named, for the types WEFT_T and, where they convert, "
             "WEFT_S. */\n#if defined WEFT_T\n#undef ROLLED\n#define ROLLED WEFT_ROLLED\n");
    emit_named_helpers(out);
    buf_puts(out, "#undef ROLLED\n#define ROLLED\n#endif\n\n#if defined JOINING\n");
    emit_named_joins(out, aot_section(out->arena, weft_template_aot_support, "join types"),
                     aot_section(out->arena, weft_template_aot_support, "join loops"));
    buf_puts(out, "#endif\n");
}

/* Adds a text of the library. In place of a line that includes another such text stands that text. */
static void put_including(struct buf *out, const char *text, const char *included)
{
    static const char include[] = "#include \"templates/";
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, include, sizeof include - 1) == 0)
            aot_put_sections(out, &(struct aot_section){included, NULL}, 1);
        else
            buf_add(out, line, strcspn(line, "\n") + 1);
}

void aot_put_support_source(struct buf *out)
{
    static const struct aot_section first[] = {
        {weft_template_aot_support, "weak"}, {weft_template_walk, NULL}, {weft_template_grouping, NULL},
        {weft_template_gather, NULL},
        {weft_template_tensor, NULL}, {weft_template_traffic, NULL}, {weft_template_bands, NULL},
        {weft_template_levels, "levels"}, {weft_template_angles, NULL}};
    static const struct aot_section second[] = {
        {NULL, "levels"}, {NULL, "reading"}, {NULL, "room"}, {NULL, "meet"}, {NULL, "check"}, {NULL, "samples"},
        {NULL, "plan"}, {NULL, "loop plan"}, {NULL, "views"}, {NULL, "loop class"}, {NULL, "joins"},
        {NULL, "join tiles"}, {NULL, "keep lanes"}, {NULL, "join nothing"}, {NULL, "keep"}, {NULL, "loop gathers"},
        {NULL, "loop kinds"}, {NULL, "environment"}, {NULL, "run"}, {NULL, "threads"}, {NULL, "call"},
        {NULL, "check call"}, {NULL, "run call"}, {NULL, "infer"}};
    buf_printf(out, notice, ". See weft_support.h.");
    buf_puts(out, aot_shared_section(out->arena, "language"));
    buf_puts(out, "#include \"weft_support.h\"\n");
    buf_puts(out, aot_shared_section(out->arena, "includes threads"));
    buf_puts(out, aot_shared_section(out->arena, "includes levels"));
    aot_put_sections(out, first, sizeof first / sizeof *first);
    put_including(out, aot_section(out->arena, weft_template_calls, "calls"), weft_template_ends);
    aot_put_sections(out, second, sizeof second / sizeof *second);
    buf_puts(out, aot_shared_section(out->arena, "language end"));
}
