/* Implements emit.h: puts the text of a kernel together from the skeleton and the sections that
 * load_store.c and body.c write. */
#include "compiler/emit/emit_impl.h"

#include "compiler/emit/templates.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_STACK = 64 << 10,          /* bytes of blocks on the stack; more are in memory that the caller lends */
    DECLARED = 110                 /* letters of a line that declares them */
};

const struct target target_c = {
    .name = "c", .skeleton = weft_template_kernel, .reduce = weft_template_reduce, .prelude = weft_template_prelude_c,
    .numbered = weft_template_numbered_c, .shuffles = weft_template_shuffle_c, .transpose = weft_template_transpose_c,
    .weigh = weft_template_weigh_c,
    .math = weft_template_math_c,
    .short_rows = weft_template_short_rows, .shorts = weft_template_short_c,
    .put = weft_template_put_c,
    .joins = weft_template_join_c, .join_functions = weft_template_joins, .search = weft_template_search_c,
    .accesses = weft_template_access_c,
    .args = weft_template_args,
    .function = "static inline",
    .block = "", .boolean = "_Bool", .fast = FAST_OF_C, .declares = true, .launch = LAUNCH_C};
const struct target target_cuda = {
    .name = "cuda", .skeleton = weft_template_kernel_cuda, .reduce = weft_template_reduce_cuda,
    .put = weft_template_put_cuda,
    .prelude = weft_template_prelude_cuda, .chain = weft_template_chain_cuda,
    .accesses = weft_template_access_cuda, .args = weft_template_args_cuda, .function = "DEVICE",
    .block = ", BLOCK",
    .boolean = "bool", .chunks = true, .device = true, .lines = "/weft/kernel.cu", .launch = LAUNCH_CUDA,
    .fast = FAST_OF_CUDA};
const struct target target_plain = {
    .name = "plain", .skeleton = weft_template_plain, .prelude = weft_template_prelude_c, .function = "static inline",
    .math = weft_template_math_c, .math_head = weft_template_plain,
    .boolean = "_Bool", .declares = true, .launch = LAUNCH_C};

const char *short_name(enum weft_dtype dtype)
{
    return type_rows[dtype].short_name;
}

const char *generated_value(struct arena *arena, const struct kernel *kernel, int i)
{
    const struct ins *ins = &kernel->ins[i];
    if (ins->kind == INS_LOAD)
        return arena_printf(arena, NAME_LOAD, ins->index);
    return ins_is_argument(ins)   ? arena_printf(arena, NAME_LITERAL, ins->index)
                                    : arena_printf(arena, NAME_VALUE, i);
}

const char *value_name(struct emitter *e, int i)
{
    const struct ins *ins = &e->kernel->ins[i];
    if (ins->kind == INS_LITERAL && e->kernel->literal_count > MAX_NAMED_LITERALS && e->baked)
        return arena_printf(e->arena, "(%s)", literal_code(e, ins->index));
    return ins_is_argument(ins) && e->kernel->literal_count > MAX_NAMED_LITERALS
               ? arena_printf(e->arena, "*(const %s_m *)&literals[%d]", short_name(ins->dtype), ins->index)
               : generated_value(e->arena, e->kernel, i);
}

const char *access_name(struct arena *arena, const struct kernel *kernel, int access)
{
    const struct access *a = &kernel->accesses[access];
    const struct program *program = kernel->program;
    switch (a->kind) {
    case TENSOR_INPUT: return program->symbols[program->inputs[a->index]].name;
    case TENSOR_CONSTANT: return "array literal";
    case TENSOR_RESULT: return program->results[a->index].name;
    case TENSOR_TEMPORARY: return arena_printf(arena, "temporary %d", a->index);
    case TENSOR_TABLE: return arena_printf(arena, "table %d", a->index);
    case TENSOR_BYTES: return "0 to 255";
    case TENSOR_SAMPLE: return "the number of the sample";
    case TENSOR_NUMBER: return "a number of the call";
    }
    return "";
}

struct tokens row_tokens(const struct ins *ins, const char *const names[3])
{
    enum weft_dtype t = op_rows[ins->op].rule == RULE_CONVERT ? ins->dtype : ins->source;
    struct tokens tokens = {dtype_is_half(t) ? "half" : dtype_is_float(t) ? "floating" : "integer", t, ins->source,
                            op_rows[ins->op].rule == RULE_CONVERT, false, {names[0], names[1], names[2]}};
    return tokens;
}

void put_meaning(struct emitter *e, struct buf *out, const struct ins *ins, const char *meaning,
                        const char *const names[3])
{
    struct tokens tokens = row_tokens(ins, names);
    subst_text(&e->subst, out, meaning, strlen(meaning), &tokens);
}

void put_helper(struct emitter *e, const char *name, enum weft_dtype dtype)
{
    struct tokens tokens = {"move", dtype, dtype, false, true, {NULL, NULL, NULL}};
    subst_helper(&e->subst, name, &tokens, false);
}

/* Adds a declaration, to that of the line before if it is of the same type and there is room. */
static void declare(struct buf *out, const char *type, const char *declared)
{
    static const char end[] = "; //~\n";
    const size_t size = sizeof end - 1;
    const char *line = out->text + out->length;
    if (out->length > size && strcmp(line - size, end) == 0) {
        for (line -= size; line > out->text && line[-1] != '\n'; line--)
            ;
        if (strncmp(line, type, strlen(type)) == 0 && strlen(line) + strlen(declared) < DECLARED) {
            out->length -= size;
            buf_printf(out, ", %s", declared);
            return;
        }
    }
    buf_printf(out, "%s%s", type, declared);
}

void declare_block(struct emitter *e, struct buf *out, enum weft_dtype dtype, const char *name, int more)
{
    const char *type = short_name(dtype);
    if (e->params->target->chunks) {
        buf_printf(out, "ALIGNED %s_m %s[CHUNK];\n", type, name);
        return;
    }
    if (!e->heap) {
        const char *own = arena_printf(e->arena, more ? "%s[BLOCK + %d]; //~\n" : "%s[BLOCK]; //~\n", name, more);
        declare(out, arena_printf(e->arena, "ALIGNED %s_m ", type), own);
        return;
    }
    buf_printf(out, "%s_m *const %s = (%s_m *)(args->scratch + %zu); //~\n", type, name, type, e->scratch);
    e->scratch += (size_t)(BLOCK + more) * (size_t)type_rows[dtype].size;
}

/* ---- lines of the program ---- */

/* put_lines replaces 0 by the number of the text's next line. */
static const char own_line[] = "#line 0\n";

/* Between two statements of the program, the directive for the text's own lines is dropped. */
void emit_line(struct emitter *e, struct buf *out, const struct ins *ins)
{
    const size_t own = sizeof own_line - 1;
    if (!e->params->target->lines)
        return;
    if (out->length >= own && memcmp(out->text + out->length - own, own_line, own) == 0)
        out->length -= own;
    buf_printf(out, "#line %d \"/weft/program\"\n", line_of(&e->lines, ins->span.start) + 1);
}

void emit_mark(struct buf *out, size_t start, const struct ins *ins)
{
    const size_t length = out->length, own = sizeof own_line - 1;
    if (length >= own && memcmp(out->text + length - own, own_line, own) == 0)
        out->length -= own;        /* what follows may be another statement's */
    buf_mark(out, start, ins->span.start, ins->span.end);
    out->length = length;
}

void emit_own_line(struct emitter *e, struct buf *out)
{
    if (e->params->target->lines)
        buf_puts(out, own_line);
}

/* ---- the whole text ---- */

static void find_called(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3 && e->evaluation.call[i]; k++)
            if (kernel->ins[i].a[k] >= 0 && kernel->ins[i].kind != INS_WEIGH)
                e->called[kernel->ins[i].a[k]] = true;
}

/* Whether there are so many copies of heavy rows, counting unrolled loops over chunks, that functions are better. */
static bool many_heavy(const struct emitter *e)
{
    const struct form *form = e->params->form;
    int copies = form->singles + (form->block > 1 ? form->block * form->unroll : 0), rows = 0;
    for (int i = 0; i < e->kernel->ins_count; i++) {
        const struct ins *ins = &e->kernel->ins[i];
        rows += ins->kind == INS_OP && op_weight(ins->op, ins->source) >= HEAVY;
    }
    return e->params->target->chunks && rows * copies * (1 + form->reduces) > MAX_HEAVY;
}

/* An upper bound of what declare_block and the slots will take. */
static size_t block_bytes(const struct emitter *e)
{
    const size_t block = BLOCK * sizeof(uint64_t);
    size_t bytes = (size_t)e->evaluation.slot_count * block;
    for (int k = 0; k < e->kernel->access_count; k++)
        bytes += block + (size_t)buffer_room(e, k) * (size_t)type_rows[e->kernel->accesses[k].dtype].size;
    bytes += slide_bytes(e);
    for (int i = 0; i < e->kernel->ins_count; i++)
        bytes += e->called[i] || e->evaluation.rate[i] != RATE_BLOCK ? block : 0;
    return bytes;
}

/* Whether the ends of rows that are long enough are read as whole blocks: the last one begins before what is left, and
 * of its results only that is stored. */
static bool reads_whole(const struct emitter *e)
{
    bool whole = !e->params->target->chunks && !e->kernel->lanes && !e->kernel->fault_count && e->copied < 0;
    for (int a = 0; whole && a < e->kernel->access_count; a++)
        whole = e->kinds[a] == ACCESS_UNIT || e->kinds[a] == ACCESS_NEAR ||
                (a < e->kernel->load_count && access_is(e->kinds[a], STAYS));
    return whole;
}

/* Whether such a kernel computes so little that a row's head, which is computed as a block, costs less than stores
 * across cache lines. */
static bool is_light(const struct emitter *e)
{
    return e->whole && kernel_weight(e->kernel) < LIGHT;
}

/* Whether a loop of their own computes the ends of rows, in vectors of which masks say what is loaded and stored: where
 * little is computed, a block more and its way through memory took as long as the row. */
static bool masks_ends(const struct emitter *e)
{
    bool masked = e->light && !e->evaluation.slot_count && kernel_masks_ends(e->kernel);
    for (int i = 0; masked && i < e->kernel->ins_count; i++)
        masked = !e->evaluation.call[i] && !e->called[i];
    return masked;
}

/* Whether a turn of the loop computes all whole blocks of a row: what a turn does besides takes as long as a vector or
 * two. Where the ends of rows have a loop of their own, rows of 33 to 255 elements took 1.2 to 1.6 times as long. */
static bool computes_runs(const struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    bool runs = !e->params->target->chunks && !kernel->lanes && !e->slide.rows && !e->masked && e->copied < 0;
    for (int a = 0; runs && a < kernel->access_count; a++)
        runs = e->kinds[a] == ACCESS_UNIT ||
               (a < kernel->load_count && (e->kinds[a] == ACCESS_NEAR || e->kinds[a] == ACCESS_PERIODIC ||
                                           e->kinds[a] == ACCESS_EXPANDED || e->kinds[a] == ACCESS_COLUMN ||
                                           access_is(e->kinds[a], STAYS)));
    for (int i = 0; runs && i < kernel->ins_count; i++)
        runs = kernel->ins[i].kind != INS_WEIGH;
    return runs;
}

/* Whether a block of the result stays in registers until it is stored: where loads gather vectors, and little is
 * computed, a block that goes to memory and from there past the caches takes as long as what is computed. */
static bool holds_result(const struct emitter *e)
{
    const int loads = e->kernel->load_count;
    bool held = !e->params->target->chunks && !e->kernel->lanes && !e->evaluation.slot_count && e->copied < 0 &&
                e->kernel->access_count == loads + 1 && e->kinds[loads] == ACCESS_UNIT &&
                kernel_weight(e->kernel) < LIGHT &&
                (any_access_is(e->kinds, loads, GATHERED) || memchr(e->kinds, ACCESS_COLUMN, (size_t)loads));
    for (int i = 0; held && i < e->kernel->ins_count; i++)
        held = !e->evaluation.call[i] && !e->called[i];
    return held;
}

/* How much a turn of the loop along a row computes: a block, or all whole blocks; a row's first one may be short. For
 * blocks that is asked in the loop: where it was known before, rows of 33 to 63 elements took 1.15 of the time. */
static void put_turn(struct emitter *e)
{
    const char *fewer = e->masked ? "a loop like the one below, over m" : "computed as a block, m are stored";
    e->row_head = true;
    if (e->runs) {
        buf_puts(&e->turn, "const i64 head = band.head[row & 63]; /* elements of a short first block */ //~\n"
                           "for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1;"
                           " i += m, m = blocks_of(column1 - i)) {");
        buf_printf(&e->turn, " /* m < BLOCK: %s */\n", fewer);
    } else {
        buf_printf(&e->turn, "i64 head = %s; /* elements of a short first block */ //~\n",
                   e->headed.length ? "band.head[row & 63]" : "0");
        buf_puts(&e->turn, "for (i64 i = column0, m; i < column1; i += m) {\n");
        buf_printf(&e->turn, "    m = block_of(&head, column1 - i); /* fewer than BLOCK: %s */\n", fewer);
    }
}

/* What a turn computes: a block, or one after the other. */
static void put_turns(struct emitter *e)
{
    if (!e->runs) {
        buf_puts(&e->turns, "$body\n");
        buf_puts(&e->results, e->step.text);
        return;
    }
    buf_puts(&e->turns, "for (i64 k = 0; k < m; k += BLOCK");
    for (const char *line = e->along.text, *next; (next = strchr(line, '\n')); line = next + 1)
        buf_printf(&e->turns, ", %.*s", (int)(next - line), line);
    buf_puts(&e->turns, ") {\n    $body\n    $step\n}\n");
}

/* Before the loads of a block. */
static void begin_ends(struct emitter *e)
{
    if (!e->whole)
        return;
    buf_puts(&e->row, "const int long_row = column1 - column0 >= BLOCK; //~\n"
                      "const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */ //~\n");
    buf_puts(&e->operands, "const i64 back = RARE(i > last) ? i - last : 0; //~\n");
    buf_puts(&e->operands, "i -= back; //~\n");
}
/* In vectors a remark is as wide as what it looks at, so that nothing is packed for it. A kernel need not make all that
 * its program may. */
static const char *fault_type(const struct emitter *e, int fault)
{
    const struct ins *ins = e->kernel->ins, *const end = ins + e->kernel->ins_count;
    while (ins < end && (ins->kind != INS_FAULT || ins->index != fault))
        ins++;
    return ins == end || e->params->target->chunks ? "unsigned char" : short_name(ins->source);
}

static void emit_parts(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    if (kernel_puts(kernel)) {
        emit_put(e);
        return;
    }
    find_called(e);
    find_joined(e);
    find_copied(e);
    e->whole = !e->slide.rows && reads_whole(e);
    e->light = is_light(e);
    e->laned = kernel->lanes && kernel->lanes->laned && !e->params->target->chunks && !e->baked;
    e->masked = masks_ends(e) || e->laned;
    e->whole = e->whole && !e->masked;
    e->held = holds_result(e);
    e->runs = computes_runs(e);
    emit_checks(e);
    e->calls_rows = many_heavy(e);
    e->heap = !e->params->target->chunks && block_bytes(e) > MAX_STACK;
    if (kernel->literal_count > MAX_NAMED_LITERALS)
        buf_puts(&e->literals, "const unsigned long long *const literals = args->literals;\n");
    emit_rows(e);
    begin_ends(e);
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        e->seen[i] = -1;
        if (ins->kind == INS_LOAD && same_value(e, i) != i && !e->called[i] &&
            e->params->near[ins->index].first != ins->index)
            continue;
        if (ins->kind == INS_LOAD)
            emit_access(e, ins->index, false, e->called[i]);
        else if (is_absent(e, i))
            continue;
        else if (ins_is_argument(ins))
            emit_literal(e, ins->index, i);
        else if (ins->kind == INS_STORE)
            emit_access(e, ins->index, true, false);
        else if (e->evaluation.rate[i] != RATE_BLOCK)
            emit_single(e, i);
    }
    put_turn(e);
    if (e->whole)
        buf_puts(&e->results, "i += back; //~\n");
    if (!copies_runs(e)) {
        emit_slots(e);
        emit_kept(e);
        emit_body(e);
    }
    put_turns(e);
    for (int i = 0; i < kernel->fault_count; i++) {
        buf_printf(&e->faults, "%s " NAME_FAULT " = 0;\n", fault_type(e, i), i);
        buf_printf(&e->remarks, "if (" NAME_FAULT ")\n    args->faults[%d] = 1;\n", i, i);
    }
}

void emit_marked(struct buf *out, const char *text, const char *mark, struct defined_names *names)
{
    const char *start = text ? strstr(text, mark) : NULL, *end = start ? strstr(start, "\n//: ") : NULL;
    if (!start)
        return;
    start += strlen(mark);
    subst_own(out, start, end ? (size_t)(end + 1 - start) : strlen(start), names);
}

static void put_head(struct emitter *e, struct buf *out, const char *text, const char *mark)
{
    emit_marked(out, text, mark, &e->subst.names);
}

static void put_types(struct emitter *e, struct buf *out)
{
    if (e->slide.rows)
        put_head(e, out, e->params->target->accesses, "//: tuned sliding\n");
    put_head(e, out, e->params->target->prelude, "//: move head\n");
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        const struct type_row *row = &type_rows[t];
        const char *value = t == WEFT_BOOL ? e->params->target->boolean : dtype_is_half(t) ? "int" : row->storage;
        buf_printf(out, "typedef %s %s;\n", value, row->short_name);
        buf_printf(out, "typedef %s %s_m MAY_ALIAS;\n", row->storage, row->short_name);
    }
}

/* Adds how threads join, as constants. */
static void put_joining(struct emitter *e, struct buf *out)
{
    const struct lanes *lanes = e->kernel->lanes;
    const struct thread_joins *how = &lanes->threads;
    const struct { const char *name; int value; } constants[] = {
        {"LANE_COUNT", LANE_COUNT}, {"SERIAL", how->serial}, {"PARTIAL", lanes->partial},
        {"BETWEEN", how->serial ? 1 : LANE_COUNT}, {"NODE", how->node}, {"LEVELS", how->levels},
        {"BESIDE", how->beside}, {"LINE", lanes->tiles.width == 1}, {"ALONG_POINTS", ALONG_POINTS},
        {"ALONG_ELEMENTS", ALONG_ELEMENTS}, {"ORDERED", join_is_ordered(lanes->join, lanes->tree)}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        buf_printf(out, "#define %s %d\n", constants[i].name, constants[i].value);
}

/* Adds the form as constants, on which parts of the target's texts depend. */
static void put_form(struct emitter *e, struct buf *out)
{
    const struct form *form = e->params->form;
    if (!e->params->target->chunks) {
        buf_printf(out, "enum { BLOCK = %d, ACCESSES = %d };\n", e->laned ? LANE_COUNT : form->block, form->accesses);
        for (int kind = 0; kind < 128; kind++)
            if (access_rows[kind].constant && memchr(e->kinds, kind, (size_t)e->kernel->load_count))
                buf_printf(out, "enum { %s = %d };\n", access_rows[kind].name, access_rows[kind].constant);
        return;
    }
    struct form_field fields[FORM_FIELD_COUNT];
    form_fields(form, fields);
    for (int i = 0; i < FORM_FIELD_COUNT; i++)
        if (fields[i].constant)
            buf_printf(out, "#define %s %d\n", fields[i].constant, fields[i].value);
    buf_printf(out, "#define TILE %d\n#define ARGS_BYTES %zu\n", form->block * form->unroll * form->threads,
               form_args_words(form) * sizeof(uint64_t));
    if (form->reduces)
        put_joining(e, out);
}

void put_library(struct emitter *e, struct buf *out)
{
    for (int i = 0; e->params->target->declares && i < e->subst.prototype_count; i++) {
        const struct prototype *p = &e->subst.prototypes[i];
        const char *type = short_name(p->dtype), *vectors = e->params->vector_functions;
        const bool vector = vectors && word_index(vectors, p->name, strlen(p->name)) >= 0;
        buf_printf(out, "%s%s %s(%s", vector ? "VECTOR " : "", type, p->name, type);
        for (int k = 1; k < p->arguments; k++)
            buf_printf(out, ", %s", type);
        buf_puts(out, ");\n");
    }
}

static const char library_comment[] = "/* of the C library, which is called */\n";

bool emit_calls_library(const char *text)
{
    return strstr(text, library_comment) != NULL;
}

static void put_declared(struct emitter *e, struct buf *out)
{
    bool called = false;
    for (int i = 0; e->params->target->declares && i < e->subst.prototype_count; i++)
        called = called || e->subst.prototypes[i].called;
    buf_puts(out, called ? library_comment : "");
    put_library(e, out);
}

static void put_comment(struct emitter *e, struct buf *out)
{
    if (e->params->shown)
        return;
    if (joined_in_place(e) >= 0) { /* no names, so that all such kernels are one */
        buf_puts(out, "/* joins what lies in memory */\n");
        return;
    }
    buf_puts(out, "/*");
    for (int a = e->kernel->load_count; a < e->kernel->access_count; a++)
        buf_printf(out, "%s %s %s", a > e->kernel->load_count ? "," : "",
                   type_rows[e->kernel->accesses[a].dtype].name, access_name(e->arena, e->kernel, a));
    buf_puts(out, " */\n");
}

/* Before a macro that another part of a chain has defined, too. */
static void put_undef(struct emitter *e, struct buf *out, const char *line)
{
    static const char define[] = "#define ";
    const size_t skip = sizeof define - 1;
    if (!e->params->form || !e->params->form->chained || strncmp(line, define, skip) != 0)
        return;
    buf_printf(out, "#undef %.*s\n", (int)strcspn(line + skip, " (\n"), line + skip);
    e->own_lines++;
}

struct buf *emit_section(struct emitter *e, const char *name, size_t length)
{
    const struct { const char *name; struct buf *text; } sections[] = {
#define ENTRY(name) {#name, &e->name},
        SECTIONS(ENTRY)
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (text_is(name, length, sections[i].name))
            return sections[i].text;
    return NULL;
}

/* Adds the head of the kernel's function, which has a name of its own where several kernels share a text. */
static void put_entry(struct emitter *e, struct buf *out)
{
    buf_printf(out, "%svoid %s(const struct weft_args *args, i64 begin, i64 end)\n", e->name ? "static " : "",
               e->name ? e->name : NAME_ENTRY);
}

static void put_band_room(struct emitter *e, struct buf *out)
{
    const int loads = e->kernel->load_count;
    if (e->headed.length)
        buf_printf(out, "BAND_ROOM(%.*s, %d, %d) //~\n", (int)strcspn(e->headed.text, "\n"), e->headed.text, e->light,
                   any_access_is(e->kinds, loads, STAYS));
    else
        buf_puts(out, "BAND_ROOM(0, 0, 0, 0) //~\n");
}

static void put_args(struct emitter *e, struct buf *out)
{
    subst_own(out, e->params->target->args, strlen(e->params->target->args), e->own);
}

/* What is the same for the helpers and loops of all kernels in C. */
static void put_heads(struct emitter *e, struct buf *out)
{
    const struct target *target = e->params->target;
    put_head(e, out, target->prelude, "//: rows head\n");
    put_head(e, out, target->prelude, "//: vector head\n");
    put_head(e, out, target->shuffles, "//: vector shuffles\n");
    subst_math_head(&e->subst, out, true);
    put_head(e, out, target->join_functions, "//: loops head\n");
}

static void put_helpers(struct emitter *e, struct buf *out)
{
    const struct form *form = e->params->form;
    if (e->row_head || e->vectors)
        put_head(e, out, e->params->target->prelude, "//: rows head\n");
    if (e->vectors)
        put_head(e, out, e->params->target->prelude, "//: vector head\n");
    if (e->shuffles)
        put_head(e, out, e->params->target->shuffles, "//: vector shuffles\n");
    if (form && (form->bounds || form->hints))
        put_head(e, out, e->params->target->prelude, "//: hinted head\n");
    buf_add(out, e->subst.helpers.text, e->subst.helpers.length);
}

static void put_numbers(struct emitter *e, struct buf *out)
{
    put_head(e, out, e->params->target->prelude, "//: numbers head\n");
}

static void put_samples(struct emitter *e, struct buf *out)
{
    put_head(e, out, e->params->target->prelude, "//: samples head\n");
}

/* What joins in C say of their loops and vectors. */
static void put_loops(struct emitter *e, struct buf *out)
{
    put_head(e, out, e->params->target->join_functions, "//: loops head\n");
}

/* The sections of a skeleton that are made as a whole. */
static const struct {
    const char *name;
    void (*put)(struct emitter *e, struct buf *out);
} whole_sections[] = {
    {"comment", put_comment}, {"types", put_types}, {"sizes", put_form}, {"args", put_args},
    {"library", put_declared}, {"helpers", put_helpers}, {"entry", put_entry}, {"numbers", put_numbers},
    {"samples", put_samples}, {"band_room", put_band_room}, {"loops", put_loops}, {"heads", put_heads},
};

static const char *section_text(struct emitter *e, const char *name, size_t length)
{
    const struct buf *section = emit_section(e, name, length);
    if (section)
        return section->text;
    struct buf text = buf_new(e->arena);
    for (size_t i = 0; i < sizeof whole_sections / sizeof *whole_sections; i++)
        if (text_is(name, length, whole_sections[i].name))
            whole_sections[i].put(e, &text);
    emit_walk_part(e, &text, name, length);
    return text.text;
}

/* Whether the line begins or ends a region that is not the program's own. */
static bool is_region(const char *line, size_t length, bool *hidden)
{
    const bool begins = text_is(line, length, "//~{"), ends = text_is(line, length, "//~}");
    *hidden = begins || (*hidden && !ends);
    return begins || ends;
}

/* Adds every line of `text`, indented; in place of a line $name, the section of this name. */
static void put_lines(struct emitter *e, struct buf *out, const char *text, const struct text_marks *marks,
                      const char *indent)
{
    const bool all = e->params->shown != SHOWN_OWN;
    struct condition condition = {false, 0, 0};
    bool kept, hidden = false;
    const char *begin = text;
    for (size_t line; *text; text += line + (text[line] == '\n')) {
        const size_t own = strspn(text, " ");
        line = strcspn(text, "\n");
        if (is_region(text, line, &hidden))
            continue;
        if (!all && (hidden || is_left_out(e, &condition, text, line) ||
                     (text[own] == '$' && is_common(e, text + own + 1, line - own - 1))))
            continue;
        if (text[own] == '$') {
            const struct buf *section = emit_section(e, text + own + 1, line - own - 1);
            put_lines(e, out, section_text(e, text + own + 1, line - own - 1), section ? section->marks : NULL,
                      arena_printf(e->arena, "%s%.*s", indent, (int)own, text));
            continue;
        }
        const size_t length = shown_length(text, line, &kept);
        if (!all && !kept)
            continue;
        put_undef(e, out, text);
        e->own_lines++;
        const size_t start = out->length;
        const struct text_mark *mark = mark_at(marks, (size_t)(text - begin) + own);
        if (*text != '#' && line)
            buf_puts(out, indent);
        if (strncmp(text, own_line, sizeof own_line - 1) == 0)
            buf_printf(out, "#line %d \"%s\"", e->own_lines + 1, e->params->target->lines);
        else if (e->shown_names)
            put_shown(e, out, text, length);
        else
            buf_add(out, text, length);
        buf_putc(out, '\n');
        if (mark)
            buf_mark(out, start, mark->from, mark->to);
    }
}

/* The text has marks of its own if somebody asks. */
static struct buf fill_skeleton(struct emitter *e, const char *skeleton)
{
    struct buf out = buf_new(e->arena), own = buf_new(e->arena);
    out.marks = e->params->marks ? ARENA_NEW(e->arena, struct text_marks) : NULL;
    subst_own(&own, skeleton, strlen(skeleton), e->own);
    put_lines(e, &out, own.text, NULL, "");
    return out;
}

/* The text for people, under its head. */
static struct buf show(struct emitter *e, const char *skeleton)
{
    const struct emit_params *params = e->params;
    struct emit_params all = *params, own = *params;
    all.shown = SHOWN_FULL;
    own.shown = SHOWN_OWN;
    e->params = &all;
    const struct buf full = fill_skeleton(e, skeleton);
    e->params = &own;
    const struct buf body = fill_skeleton(e, skeleton);
    e->params = params;
    struct buf out = buf_new(e->arena);
    out.marks = params->marks ? ARENA_NEW(e->arena, struct text_marks) : NULL;
    put_shown_head(e, &out, body.text, full.text);
    if (e->part_names && params->shown == SHOWN_FULL)
        buf_puts(&out, e->part_names);
    buf_append(&out, params->shown == SHOWN_OWN ? &body : &full);
    return out;
}

/* Finds what slides. Loads that do (struct near) have no other text. */
static void slide(struct emitter *e)
{
    const struct near *near = e->params->near;
    const bool slides = find_slide(e->arena, e->kernel, near, &e->evaluation, &e->slide);
    for (int a = 0; near && !slides && a < e->kernel->load_count; a++)
        assert(!near[a].rows);
    e->brought = ARENA_ARRAY(e->arena, unsigned, e->kernel->ins_count + 1);
    if (slides)
        order_slide(e->arena, e->kernel, near, &e->slide, &e->evaluation);
}

static void start(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
#define INIT(name) \
    e->name = buf_new(e->arena); \
    e->name.marks = e->params->marks ? ARENA_NEW(e->arena, struct text_marks) : NULL;
    SECTIONS(INIT)
#undef INIT
    e->called = ARENA_ARRAY(e->arena, bool, kernel->ins_count);
    e->quotient = ARENA_ARRAY(e->arena, bool, kernel->ins_count);
    e->seen = ARENA_ARRAY(e->arena, int, kernel->ins_count);
    if (e->params->target->lines || e->params->shown)
        e->lines = find_lines(e->arena, kernel->program->source);
    make_evaluation(e->arena, kernel, e->kinds, e->params->fast, !e->params->target->chunks, &e->evaluation);
    if (!e->params->target->chunks)
        slide(e);
    subst_init(&e->subst, e->arena, e->params->target);
    e->own = &e->subst.names;
    if (e->params->shown)
        find_shown_names(e);
    if (e->params->form->hints)
        e->subst.first = "hinted";
}

/* The skeleton of a kernel that reduces nothing. */
static const char *plain_skeleton(const struct target *target, const struct kernel *kernel)
{
    return kernel_puts(kernel) ? target->put : target->skeleton;
}

/* The skeleton without the comment that describes the file. In a chain the entry is another. */
static const char *skeleton_of(struct emitter *e)
{
    const struct target *target = e->params->target;
    const bool reduces = e->kernel->lanes;
    const char *skeleton = strstr(!reduces                     ? plain_skeleton(target, e->kernel)
                                  : e->kernel->lanes->beside ? target->short_rows
                                                             : target->reduce, "$comment");
    if (!e->params->form->chained)
        return skeleton;
    struct buf own = buf_new(e->arena);
    buf_add(&own, skeleton, (size_t)(strstr(skeleton, "$samples\n") - skeleton));
    put_head(e, &own, target->chain, reduces ? "//: chain reduced\n" : "//: chain elements\n");
    return own.text;
}

static void start_whole(struct emitter *e, struct arena *arena, const struct kernel *kernel,
                        const struct emit_params *params)
{
    *e = (struct emitter){.arena = arena, .kernel = kernel, .params = params, .kinds = params->kinds};
    start(e);
    emit_parts(e);
    if (kernel->lanes)
        emit_joins(e);
}

char *emit(struct arena *arena, const struct kernel *kernel, const struct emit_params *params,
           size_t *scratch)
{
    struct emitter e;
    start_whole(&e, arena, kernel, params);
    *scratch = e.scratch;
    const struct buf out = params->shown ? show(&e, skeleton_of(&e)) : fill_skeleton(&e, skeleton_of(&e));
    if (out.marks)
        *params->marks = *out.marks;
    return out.text;
}

/* The text is filled in twice, since its names stand before it. */
struct buf emit_part(struct arena *arena, const struct kernel *kernel, const struct emit_params *params, int part,
                     int count, int *lines)
{
    struct emitter e;
    struct buf out = buf_new(arena), names = buf_new(arena);
    out.marks = params->marks ? ARENA_NEW(arena, struct text_marks) : NULL;
    start_whole(&e, arena, kernel, params);
    e.part = part + 1;
    e.parts_together = count;
    fill_skeleton(&e, skeleton_of(&e));
    for (int i = 0; i < e.own->count; i++)
        buf_printf(params->shown ? &names : &out, "#undef %s\n#define %s " NAME_CHAINED "\n", e.own->items[i].name,
                   e.own->items[i].name, part, e.own->items[i].name);
    e.part_names = names.text;
    e.own_lines = *lines + 2 * e.own->count;
    const struct buf text = params->shown ? show(&e, skeleton_of(&e)) : fill_skeleton(&e, skeleton_of(&e));
    buf_append(&out, &text);
    *lines = e.own_lines;
    return out;
}

/* ---- several kernels in one text ---- */

struct emit_together {
    struct emit_params params;
    struct emitter e;              /* what is shared: subst, blocks, vectors */
    const char **joins;            /* for functions that join, by their numbers from 1: the macros of what they are
                                      made with; NULL: a search's */
    int join_count, joining;       /* joining: those of the last loop */
    struct defined_names joined;       /* what each of them defines */
};

struct emit_together *emit_start(struct arena *arena, const struct target *target)
{
    struct emit_together *together = ARENA_NEW(arena, struct emit_together);
    together->params.target = target;
    together->e = (struct emitter){.arena = arena, .params = &together->params};
    subst_init(&together->e.subst, arena, target);
    together->e.blocks = buf_new(arena);
    return together;
}

void emit_by_name(struct emit_together *together)
{
    together->e.subst.by_name = together->e.subst.has_math = true;
}

void emit_put_named(struct buf *out, const struct emit_together *together, const char *file)
{
    subst_put_named(out, &together->e.subst, file);
}

void emit_put_joins(struct buf *out, const struct emit_together *together, const char *file)
{
    for (int i = 0; i < together->join_count; i++)
        buf_printf(out, "#undef JOINING\n#define JOINING %d\n%s#include \"%s\"\n", i + 1,
                   together->joins[i] ? together->joins[i] : "", file);
}

int emit_join_count(const struct emit_together *together)
{
    return together->join_count;
}

/* The number of the functions that join so: those of another kernel, if it joins alike. NULL: it has its own. */
static int number_joins(struct emit_together *together, const char *macros)
{
    for (int i = 0; macros && i < together->join_count; i++)
        if (together->joins[i] && strcmp(together->joins[i], macros) == 0)
            return i + 1;
    ARENA_PUSH(together->e.arena, together->joins, together->join_count, macros);
    return together->join_count;
}

/* The function of a kernel with reduced dimensions. What it joins with stands in the support file, and what does no
 * more than join does so, too: *function becomes its name. */
static char *reduced_function(struct emit_together *together, struct emitter *e, const char **function,
                              size_t *scratch)
{
    struct buf macros = buf_new(e->arena), out = buf_new(e->arena);
    const bool joins = !e->kernel->lanes->finds;
    if (joins)
        put_join_macros(e, &macros);
    const int number = number_joins(together, joins ? macros.text : NULL);
    const char *loop = joins ? joining_loop(e) : NULL;
    e->own = &together->joined;
    emit_joins(e);
    together->e.subst = e->subst;
    *scratch = e->scratch;
    if (loop) {
        *function = arena_printf(e->arena, NAME_JOINING, loop, number);
        return out.text;
    }
    if (number != together->joining)
        buf_printf(&out, "#undef JOINING\n#define JOINING %d\n", number);
    together->joining = number;
    const struct buf text = fill_skeleton(e, strstr(e->params->target->reduce, "$joins\n"));
    buf_append(&out, &text);
    return out.text;
}

char *emit_function(struct emit_together *together, const struct kernel *kernel,
                    const struct emit_params *params, const char **function, size_t *scratch)
{
    struct emitter *shared = &together->e;
    struct emitter e = {.arena = shared->arena, .kernel = kernel, .params = params, .kinds = params->kinds,
                        .baked = true};
    start(&e);
    e.subst = shared->subst;
    e.blocks = shared->blocks;
    if (!kernel->lanes || kernel->lanes->finds)
        buf_printf(&e.literals, "enum { ACCESSES = %d };\n", kernel->access_count);
    emit_parts(&e);
    shared->subst = e.subst;
    shared->blocks = e.blocks;
    shared->row_head = shared->row_head || e.row_head;
    shared->vectors = shared->vectors || e.vectors;
    shared->shuffles = shared->shuffles || e.shuffles;
    e.name = *function;
    if (!kernel->lanes) {
        *scratch = e.scratch;
        return fill_skeleton(&e, strstr(plain_skeleton(params->target, kernel), "$entry\n")).text;
    }
    return reduced_function(together, &e, function, scratch);
}

const char *emit_common(struct emit_together *together, const char *section)
{
    return section_text(&together->e, section, strlen(section));
}

void emit_begin(struct emit_together *together, const struct kernel *kernel, const struct emit_params *params,
                struct emitter *e)
{
    *e = (struct emitter){.arena = together->e.arena, .kernel = kernel, .params = params, .kinds = params->kinds,
                          .baked = true};
    start(e);
    e->subst = together->e.subst;
}

void emit_finish(struct emit_together *together, const struct emitter *e)
{
    together->e.subst = e->subst;
}

const char *emit_plain_value(struct emit_together *together, enum weft_dtype dtype, union scalar value)
{
    return value_code(&together->e, dtype, value);
}

const struct defined_names *emit_names(struct emit_together *together)
{
    return &together->e.subst.names;
}
