/* Prints tokens and trees (dump.h). Trees are walked with an explicit stack, and indentation has a limit, so
 * that a chain of 100,000 additions prints in linear time and size. */
#include "compiler/dump/dump.h"

#include "compiler/lang/lang.h"
#include "compiler/check/check.h"
#include "compiler/parse/parse.h"

#include <string.h>

enum { SHOWN = 60, INDENT_MAX = 24 };

/* ---- places ---- */

/* line:first-last, or line:column-line:column */
static const char *place_text(struct arena *arena, const struct lines *lines, struct span span)
{
    uint32_t last = span.end > span.start ? span.end - 1 : span.start;
    int line = line_of(lines, span.start), last_line = line_of(lines, last);
    unsigned first = span.start - lines->starts[line] + 1;
    unsigned end = last - lines->starts[last_line] + 1;
    if (last_line != line)
        return arena_printf(arena, "%d:%u-%d:%u", line + 1, first, last_line + 1, end);
    return end == first ? arena_printf(arena, "%d:%u", line + 1, first)
                        : arena_printf(arena, "%d:%u-%u", line + 1, first, end);
}

/* Prints the text of a span on one line, shortened, with control characters as `?`. */
static void put_text(struct buf *buf, const struct source *source, struct span span)
{
    uint32_t shown = span.end - span.start > SHOWN ? SHOWN : span.end - span.start;
    for (uint32_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)source->text[span.start + i];
        bool blank = c == '\n' || c == '\t' || c == '\r';
        buf_putc(buf, blank ? ' ' : c < 0x20 || c >= 0x7f ? '?' : (char)c);
    }
    buf_puts(buf, shown < span.end - span.start ? "..." : "");
}

/* ---- tokens ---- */

static void put_token(struct buf *buf, const struct source *source, const struct lines *lines,
                      const struct token *token)
{
    static const char *const kinds[TOKEN_COUNT] = {
#define TOKEN(id, text) [TOKEN_##id] = #id,
#include "grammar/tokens.def"
    };
    bool shown = token->kind != TOKEN_END && token->kind != TOKEN_NEWLINE;
    buf_printf(buf, shown ? "%-10s %-9s " : "%-10s %s",
               place_text(buf->arena, lines, token->span), kinds[token->kind]);
    if (shown)
        put_text(buf, source, token->span);
    if (token->kind == TOKEN_NUMBER) {
        buf_puts(buf, token->literal.kind == LITERAL_INTEGER ? "  integer " : "  real ");
        literal_print(buf, &token->literal);
    }
    buf_putc(buf, '\n');
}

bool dump_tokens(struct buf *buf, const struct source *source, struct diags *diags)
{
    struct lexer lexer;
    if (source->length > MAX_SOURCE)
        return diag(diags, DIAG_TOO_LONG, ((struct span){0, 0}), source->length, (int)MAX_SOURCE);
    lex_init(&lexer, buf->arena, source);
    const struct lines lines = find_lines(buf->arena, source);
    for (;;) {
        struct token token = lex_next(&lexer);
        if (token.kind == TOKEN_BAD)
            return parse_report_bad(diags, source, &token);
        put_token(buf, source, &lines, &token);
        if (token.kind == TOKEN_END)
            return true;
    }
}

/* ---- types ---- */

void dump_type(struct buf *buf, const struct program *program, const struct type *type)
{
    const struct shape *shape = type_shape(buf->arena, type);
    if (type->number) {
        buf_puts(buf, "number");
        return;
    }
    if (type->dims) {
        buf_puts(buf, named_type_text(buf->arena, program, type->dtype, type->dims, type->extents));
        return;
    }
    buf_printf(buf, "%s%s", type_rows[type->dtype].name, shape ? shape_text(buf->arena, program, shape) : "");
    if (type->has_layout)
        buf_printf(buf, "@%s", type->layout);
}

/* ---- ast ---- */

struct printer {
    struct buf *buf;
    const struct program *program;
    struct lines lines;
    struct visit { int node, depth; } *stack; /* room for the root and all operands of a program: no node is the
                                      operand of two */
};

static void put_array(struct buf *buf, const struct program *program, const struct node *node)
{
    buf_puts(buf, "array [");
    for (int i = 0; i < node->rank; i++)
        buf_printf(buf, i ? ", %lld" : "%lld", (long long)program->extents[node->extents + i]);
    buf_putc(buf, ']');
}

/* Prints the row's name in small letters, followed by its spelling if that differs. */
static void put_row(struct buf *buf, enum op op)
{
    const char *spelling = word_text(buf->arena, op_rows[op].spellings, 0);
    if (!is_letter(*spelling))
        buf_printf(buf, "%s ", op_name(buf->arena, op));
    buf_puts(buf, spelling);
}

/* A size expression as it is written. */
static void put_size(struct buf *buf, const struct program *program, int node)
{
    const struct span span = program->nodes[node].span;
    buf_puts(buf, arena_excerpt(buf->arena, program->source->text + span.start, (int)(span.end - span.start), 40));
}

static void put_numbers(struct buf *buf, const struct program *program, const char *name,
                        const struct numbers *numbers)
{
    if (!numbers->given)
        return;
    buf_printf(buf, " %s=", name);
    if (numbers->letters) {
        buf_printf(buf, "\"%s\"", numbers->letters);
        return;
    }
    if (numbers->input >= 0) {
        buf_puts(buf, program->symbols[program->inputs[numbers->input]].name);
        return;
    }
    buf_putc(buf, '[');
    for (int i = 0; i < numbers->count; i++) {
        buf_puts(buf, i ? ", " : "");
        if (numbers->sizes && numbers->sizes[i] >= 0)
            put_size(buf, program, numbers->sizes[i]);
        else
            literal_print(buf, &numbers->items[i]);
    }
    buf_putc(buf, ']');
}

void dump_slice(struct buf *buf, const struct slice *slice, bool index)
{
    if (index || slice->has_start)
        buf_printf(buf, "%lld", (long long)slice->start);
    if (index)
        return;
    buf_putc(buf, ':');
    if (slice->has_stop)
        buf_printf(buf, "%lld", (long long)slice->stop);
    if (slice->step != 1)
        buf_printf(buf, ":%lld", (long long)slice->step);
}

static void put_positions(struct buf *buf, const struct item *item)
{
    for (int i = 0; i < item->count; i++)
        buf_printf(buf, i ? ", %lld" : "[%lld", (long long)item->positions[i]);
    buf_putc(buf, ']');
}

static void put_item(struct buf *buf, const struct program *program, const struct item *item)
{
    const struct span span = item->span;
    if (item->kind == ITEM_ELLIPSIS || item->kind == ITEM_NEW)
        buf_puts(buf, item->kind == ITEM_NEW ? "None" : "...");
    else if (item->kind == ITEM_LIST)
        put_positions(buf, item);
    else if (item->open)
        buf_puts(buf, arena_excerpt(buf->arena, program->source->text + span.start, (int)(span.end - span.start), 60));
    else
        dump_slice(buf, &item->slice, item->kind == ITEM_INDEX);
}

static void put_selection(struct buf *buf, const struct program *program, const struct view_args *args)
{
    for (int i = 0; i < args->item_count; i++) {
        buf_puts(buf, i ? ", " : "select [");
        put_item(buf, program, &args->items[i]);
    }
    buf_putc(buf, ']');
}

static void put_modes(struct buf *buf, const struct modes *modes)
{
    for (int i = 0; i < modes->count; i++) {
        const struct mode *mode = &modes->items[i];
        buf_puts(buf, i ? ", " : " mode=");
        buf_puts(buf, modes->valid ? "valid" : mode->number >= 0 ? "number" : mode_word(mode->edge));
    }
}

static void put_view(struct buf *buf, const struct program *program, const struct view_args *args)
{
    if (args->kind == VIEW_SELECT) {
        put_selection(buf, program, args);
        return;
    }
    if (args->kind == VIEW_SCATTER || args->part) {
        static const char *const parts[] = {
            [SCATTER_WHOLE] = "scatter", [SCATTER_TOTAL] = "sums of scatter", [SCATTER_PLACES] = "places of scatter",
            [SCATTER_FULL] = "values of scatter", [SCATTER_SPREAD] = "values of scatter",
            [SCATTER_LIKE] = "values of scatter", [SCATTER_FRONT] = "scatter's axes first",
            [SCATTER_BACK] = "scatter's axes back", [NONZERO_NUMBERS] = "numbers of what is not 0",
            [NONZERO_EXTENTS] = "extents", [NONZERO_STRIDES] = "strides"};
        buf_puts(buf, parts[args->part]);
        if (!args->part && args->kind == VIEW_SCATTER)
            buf_printf(buf, " %s", put_mode_word(args->put));
        put_numbers(buf, program, "axes", &args->axes);
        return;
    }
    if (args->chance) {
        buf_puts(buf, args->chance == CHANCE_SAMPLE ? "number of the sample" : "numbers of the elements");
        return;
    }
    buf_puts(buf, view_rows[args->kind].name);
    if (args->kind == VIEW_REINTERPRET || args->kind == VIEW_EXTENT)
        buf_printf(buf, " as %s", type_rows[args->dtype].name);
    put_numbers(buf, program, "shape", &args->shape);
    put_numbers(buf, program, "rel_shape", &args->rel_shape);
    put_numbers(buf, program, "src_dims", &args->src_dims);
    put_numbers(buf, program, args->kind == VIEW_TILE ? "counts" : "n", &args->counts);
    put_numbers(buf, program, "shifts", &args->shifts);
    put_numbers(buf, program, "offsets", &args->offsets);
    put_numbers(buf, program, "before", &args->before);
    put_numbers(buf, program, "after", &args->after);
    put_modes(buf, &args->modes);
    const bool one = args->kind == VIEW_REPEAT || view_rows[args->kind].node == NODE_TAKE ||
                     view_rows[args->kind].node == NODE_JOIN;
    put_numbers(buf, program, args->kind == VIEW_INDEX ? "d" : one ? "axis" : "axes", &args->axes);
    if (args->has_layout)
        buf_printf(buf, " layout=\"%s\"", args->layout);
}

static void put_reduction(struct buf *buf, const struct program *program, const struct node *node)
{
    buf_puts(buf, join_name(buf->arena, node->join));
    put_numbers(buf, program, "axes", &program->reductions[node->reduction].axes);
    if (node->keepdims)
        buf_puts(buf, " keepdims");
}

static void put_head(struct buf *buf, const struct program *program, const struct node *node)
{
    const struct symbol *symbol =
        node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    switch (node->kind) {
    case NODE_POISON: buf_puts(buf, "error"); break;
    case NODE_LITERAL:
        buf_puts(buf, "literal ");
        literal_print(buf, &node->literal);
        break;
    case NODE_NAME:
        buf_printf(buf, "%s %s", symbol->kind == SYMBOL_INPUT ? "input" : "binding", symbol->name);
        break;
    case NODE_OP: put_row(buf, node->op); break;
    case NODE_CAST:
        buf_printf(buf, node->rule ? "cast to a type that follows" : "cast to %s", type_rows[node->dtype].name);
        break;
    case NODE_WRAP: buf_printf(buf, "wrap to %s", type_rows[node->dtype].name); break;
    case NODE_VIEW: case NODE_CORRELATE: case NODE_JOIN: case NODE_TAKE: case NODE_POSITION: case NODE_SCATTER:
        put_view(buf, program, &program->views[node->view]);
        break;
    case NODE_REDUCE: put_reduction(buf, program, node); break;
    case NODE_COUNT: buf_puts(buf, "number of reduced elements"); break;
    case NODE_SEARCH: buf_puts(buf, "position of the first that is equal, or NaN"); break;
    case NODE_ARRAY: put_array(buf, program, node); break;
    }
}

static void put_node(struct printer *printer, const struct node *node, int depth)
{
    struct buf *buf = printer->buf;
    size_t start = buf->length;
    int indent = depth < INDENT_MAX ? depth : INDENT_MAX;
    buf_printf(buf, "%*s", indent * 2, "");
    if (depth > indent)
        buf_printf(buf, "(depth %d) ", depth);
    put_head(buf, printer->program, node);
    size_t width = buf->length - start;
    buf_printf(buf, "%*s%-9s ", width < 38 ? (int)(40 - width) : 2, "",
               place_text(buf->arena, &printer->lines, node->span));
    put_text(buf, printer->program->source, node->span);
    buf_putc(buf, '\n');
}

static void put_tree(struct printer *printer, int root)
{
    int count = 0;
    printer->stack[count++] = (struct visit){root, 1};
    while (count) {
        struct visit visit = printer->stack[--count];
        const struct node *node = &printer->program->nodes[visit.node];
        put_node(printer, node, visit.depth);
        for (int i = node->operand_count - 1; i >= 0; i--)
            printer->stack[count++] = (struct visit){printer->program->operands[node->operands + i], visit.depth + 1};
    }
}

static void put_inputs(struct printer *printer)
{
    const struct program *program = printer->program;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        buf_printf(printer->buf, "%s %s", symbol->parameter ? "parameter" : "input", symbol->name);
        if (symbol->declared) {
            buf_puts(printer->buf, ": ");
            dump_type(printer->buf, program, &symbol->type);
        }
        buf_putc(printer->buf, '\n');
    }
}

/* The binding that a result repeats, which has the tree; -1 if there is none. */
static int bound_as(const struct program *program, const struct result *result)
{
    for (int i = 0; i < program->symbol_count; i++)
        if (program->symbols[i].kind == SYMBOL_BINDING && program->symbols[i].node == result->node)
            return i;
    return -1;
}

static void put_results(struct printer *printer)
{
    const struct program *program = printer->program;
    for (int i = 0; i < program->result_count; i++) {
        const struct result *result = &program->results[i];
        buf_printf(printer->buf, "result %s", result->name ? result->name : "?");
        if (result->has_dtype)
            buf_printf(printer->buf, ": %s", type_rows[result->dtype].name);
        int binding = bound_as(program, result);
        if (binding >= 0)
            buf_printf(printer->buf, " = binding %s", program->symbols[binding].name);
        buf_putc(printer->buf, '\n');
        if (binding < 0)
            put_tree(printer, result->node);
    }
}

void dump_ast(struct buf *buf, const struct program *program)
{
    struct printer printer = {.buf = buf, .program = program, .lines = find_lines(buf->arena, program->source),
                              .stack = ARENA_ARRAY(buf->arena, struct visit, program->operand_count + 1)};
    if (program->name)
        buf_printf(buf, "kernel %s\n", program->name);
    put_inputs(&printer);
    for (int i = 0; i < program->symbol_count; i++)
        if (program->symbols[i].kind == SYMBOL_BINDING) {
            buf_printf(buf, "binding %s\n", program->symbols[i].name);
            put_tree(&printer, program->symbols[i].node);
        }
    put_results(&printer);
}
