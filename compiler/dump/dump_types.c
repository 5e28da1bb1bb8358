/* Prints the types that check found (dump.h). */
#include "compiler/check/check.h"
#include "compiler/dump/dump.h"
#include "compiler/lang/lang.h"

#include <string.h>

enum { COLUMN = 44 };

static void put_padded(struct buf *buf, const char *text, size_t length, int width)
{
    bool cut = length > (size_t)width - 2;
    size_t shown = cut ? (size_t)width - 5 : length;
    for (size_t i = 0; i < shown; i++)
        buf_putc(buf, (unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e ? ' ' : text[i]);
    buf_puts(buf, cut ? "..." : "");
    for (size_t i = shown + 3 * cut; i < (size_t)width; i++)
        buf_putc(buf, ' ');
}

/* ---- nodes that the compiler made ---- */

enum { MOST_MADE = 200 };          /* characters, more than a column shows */

static void put_made(struct buf *buf, const struct program *program, const struct node *node, int precedence);

static const char *written(struct arena *arena, const struct program *program, const struct node *node)
{
    return arena_printf(arena, "%.*s", (int)(node->span.end - node->span.start),
                        program->source->text + node->span.start);
}

static void put_operand(struct buf *buf, const struct program *program, const struct node *node, int i, int precedence)
{
    put_made(buf, program, operand_node(program, node, i), precedence);
}

static void put_made_op(struct buf *buf, const struct program *program, const struct node *node, int precedence)
{
    const struct op_row *row = &op_rows[node->op];
    const char *spelling = word_text(buf->arena, row->spellings, 0);
    const bool infix = row->form == FORM_INFIX || row->form == FORM_RIGHT || row->form == FORM_CHAINLESS;
    const bool wrapped = infix && row->precedence < precedence;
    if (wrapped)
        buf_putc(buf, '(');
    if (infix) {
        put_operand(buf, program, node, 0, row->precedence);
        buf_printf(buf, " %s ", spelling);
        put_operand(buf, program, node, 1, row->precedence + 1);
    } else {
        buf_printf(buf, "%s(", spelling);
        for (int i = 0; i < node->operand_count; i++) {
            buf_puts(buf, i ? ", " : "");
            put_operand(buf, program, node, i, 0);
        }
        buf_putc(buf, ')');
    }
    if (wrapped)
        buf_putc(buf, ')');
}

/* A call of one operand. */
static void put_call(struct buf *buf, const struct program *program, const struct node *node, const char *name)
{
    buf_printf(buf, "%s(", name);
    put_operand(buf, program, node, 0, 0);
    buf_putc(buf, ')');
}

static const char *joining(const struct node *node, struct arena *arena)
{
    switch (node->join) {
    case JOIN_TOTAL: return "sum";
    case JOIN_LEAST: return "min";
    case JOIN_GREATEST: return "max";
    default: return join_name(arena, node->join);
    }
}

/* The text of a node; of one that a recipe or a composition made, what it computes of the texts that are there. */
static void put_made(struct buf *buf, const struct program *program, const struct node *node, int precedence)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    const struct node *operand = node->operand_count ? operand_node(program, node, 0) : NULL;
    if (buf->length > MOST_MADE)
        return;
    if (symbol && symbol->hidden) {
        put_made(buf, program, &program->nodes[symbol->node], precedence);
    } else if (!node->own_types) {
        const bool wrapped = precedence > 0 && node->kind == NODE_OP && op_rows[node->op].precedence > 0 &&
                             op_rows[node->op].precedence < precedence;
        buf_printf(buf, wrapped ? "(%s)" : "%s", written(buf->arena, program, node));
    } else if (node->kind == NODE_LITERAL) {
        literal_print(buf, &node->literal);
    } else if (node->kind == NODE_OP) {
        put_made_op(buf, program, node, precedence);
    } else if (node->kind == NODE_CAST && operand->dtype == node->dtype) {
        put_made(buf, program, operand, precedence);
    } else if (node->kind == NODE_CAST || node->kind == NODE_WRAP) {
        put_call(buf, program, node, type_rows[node->dtype].name);
    } else if (node->kind == NODE_REDUCE) {
        put_call(buf, program, node, joining(node, buf->arena));
    } else if (node->kind == NODE_COUNT) {
        buf_putc(buf, 'n');
    } else {
        buf_puts(buf, written(buf->arena, program, node));
    }
}

/* The text of a node's line. */
static const char *line_text(struct arena *arena, const struct program *program, const struct node *node)
{
    struct buf buf = buf_new(arena);
    const bool hidden = node->kind == NODE_NAME && program->symbols[node->symbol].hidden;
    if (hidden || node->own_types)
        put_made(&buf, program, node, 0);
    else
        return written(arena, program, node);
    return buf.text;
}

/* ---- types ---- */

/* Whether a node meets a type with its full value, not with that of its own dtype. */
static bool is_whole(const struct program *program, const struct node *node)
{
    return node->literal.kind != LITERAL_NONE || named_node(program, node)->kind == NODE_ARRAY;
}

/* What rule 2.8 warns of. */
static void put_losses(struct buf *buf, const struct program *program, const struct node *node)
{
    for (int i = 0; i < node->operand_count; i++)
        if (loses_integer(program, node, i))
            buf_printf(buf, ", operand %d loses digits beyond 24 bits", i + 1);
        else if (rounds_literal(program, node, i))
            buf_printf(buf, ", operand %d is rounded to float32", i + 1);
}

static void put_op_types(struct buf *buf, const struct program *program, const struct node *node)
{
    enum weft_dtype operand = operand_dtype(program, node);
    const struct op_row *row = &op_rows[node->op];
    const char *spelling = word_text(buf->arena, row->spellings, 0);
    if (compares_by_value(program, node)) {
        buf_printf(buf, "%s by value, int64 with uint64", spelling);
        return;
    }
    buf_printf(buf, "%s in %s", spelling, type_rows[operand].name);
    for (int i = row->rule == RULE_SELECT; i < node->operand_count; i++) {
        const struct node *from = operand_node(program, node, i);
        if (from->dtype != operand && !is_whole(program, from))
            buf_printf(buf, ", operand %d from %s", i + 1, type_rows[from->dtype].name);
    }
}

static void put_cast_types(struct buf *buf, const struct program *program, const struct node *node)
{
    const struct node *from = operand_node(program, node, 0);
    buf_printf(buf, "%s from %s", node->kind == NODE_CAST ? "cast" : "wrap",
               is_whole(program, from) ? "its full value" : type_rows[from->dtype].name);
}

static void put_reduce_types(struct buf *buf, const struct program *program, const struct node *node)
{
    enum weft_dtype from = operand_node(program, node, 0)->dtype, compute = join_dtype(node->join, from);
    buf_printf(buf, "%s in %s", join_name(buf->arena, node->join), type_rows[compute].name);
    if (from != compute)
        buf_printf(buf, ", operand 1 from %s", type_rows[from].name);
}

/* A literal integer too large for any type has none; only what it becomes must fit. */
static const char *dtype_text(const struct program *program, const struct node *node)
{
    bool none = node->literal.kind != LITERAL_NONE && node_literal_dtype(program, node) == WEFT_DTYPE_COUNT;
    return none ? "-" : type_rows[node->dtype].name;
}

/* The names of a node's dimensions. */
static void put_names(struct buf *buf, const struct program *program, const struct node *node)
{
    const struct dims *dims = program->dims ? program->dims[node - program->nodes] : NULL;
    if (!dims)
        return;
    buf_putc(buf, ' ');
    dims_put(buf, program, dims, NULL, 4);
}

void dump_node_rule(struct buf *buf, const struct program *program, const struct node *node)
{
    switch (node->kind) {
    case NODE_NAME:
        buf_printf(buf, "%s%s", program->symbols[node->symbol].kind == SYMBOL_INPUT ? "input" : "binding",
                   node->literal.kind != LITERAL_NONE ? ", " : "");
        break;
    case NODE_OP:
        if (node->literal.kind == LITERAL_NONE)
            put_op_types(buf, program, node);
        break;
    case NODE_CAST: case NODE_WRAP: put_cast_types(buf, program, node); break;
    case NODE_VIEW:
        buf_puts(buf, program->views[node->view].kind == VIEW_SELECT   ? "selection"
                      : program->views[node->view].kind == VIEW_EXTENT ? "extent"
                                                                       : "view");
        if (program->views[node->view].kind == VIEW_REINTERPRET)
            buf_printf(buf, " of the bytes of %s", type_rows[operand_node(program, node, 0)->dtype].name);
        break;
    case NODE_JOIN: buf_printf(buf, "%s in %s", view_rows[program->views[node->view].kind].name,
                               type_rows[node->dtype].name); break;
    case NODE_TAKE:
        buf_puts(buf, program->views[node->view].part ? "places" : "elements at positions");
        break;
    case NODE_SCATTER:
        if (program->views[node->view].part == NONZERO_NUMBERS) {
            buf_puts(buf, "numbers of what is not 0");
            break;
        }
        buf_printf(buf, "%s at places", put_mode_word(program->views[node->view].put));
        break;
    case NODE_CORRELATE:
        buf_printf(buf, "%s in %s", view_rows[program->views[node->view].kind].name, type_rows[node->dtype].name);
        for (int i = 0; i < 2; i++)
            if (operand_node(program, node, i)->dtype != node->dtype)
                buf_printf(buf, ", operand %d from %s", i + 1, type_rows[operand_node(program, node, i)->dtype].name);
        break;
    case NODE_POSITION:
        buf_puts(buf, program->views[node->view].chance == CHANCE_SAMPLE     ? "number of the sample"
                      : program->views[node->view].chance == CHANCE_ELEMENTS ? "numbers of the elements"
                                                                             : "positions");
        break;
    case NODE_COUNT: buf_puts(buf, "number of reduced elements"); break;
    case NODE_SEARCH: buf_puts(buf, "position of the first that is equal, or NaN"); break;
    case NODE_REDUCE: put_reduce_types(buf, program, node); break;
    case NODE_ARRAY:
        buf_puts(buf, node->dtype == WEFT_BOOL ? "array literal" : "array literal, keeps its full values");
        break;
    default: break;
    }
    if (node->literal.kind != LITERAL_NONE)
        buf_puts(buf, node->number                         ? "number, comes with the run"
                      : node->literal.kind == LITERAL_BOOL ? "constant"
                                                         : "literal, keeps its full value");
}

static void put_node_types(struct buf *buf, const struct program *program, const struct node *node)
{
    const char *text = line_text(buf->arena, program, node);
    put_padded(buf, text, strlen(text), COLUMN);
    buf_printf(buf, "%-9s", dtype_text(program, node));
    dump_node_rule(buf, program, node);
    if (node->literal.kind == LITERAL_NONE)
        put_losses(buf, program, node);
    put_names(buf, program, node);
    buf_putc(buf, '\n');
}

const bool *dump_array_elements(struct arena *arena, const struct program *program)
{
    bool *element = ARENA_ARRAY(arena, bool, program->node_count);
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        for (int i = 0; i < node->operand_count; i++)
            if (element[n] || node->kind == NODE_ARRAY)
                element[program->operands[node->operands + i]] = true;
    }
    return element;
}

/* The layouts of all nodes as far as the inputs' types determine them, or NULL. */
static const char **find_layouts(struct arena *arena, const struct program *program)
{
    struct diags diags = {.arena = arena, .source = program->source};
    const struct shape **inputs = ARENA_ARRAY(arena, const struct shape *, program->input_count);
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    const char **layouts = ARENA_ARRAY(arena, const char *, program->node_count);
    for (int i = 0; i < program->input_count; i++)
        inputs[i] = type_shape(arena, &program->symbols[program->inputs[i]].type);
    bool good = infer_shapes(arena, program, &diags, inputs, NULL, NULL, shapes, NULL) &&
                infer_layouts(arena, program, &diags, shapes, NULL, layouts);
    return good ? layouts : NULL;
}

/* What a recipe made and nobody wrote, and changes nothing: uses of its names, casts to the type that is there. */
static bool is_silent(const struct program *program, const struct node *node)
{
    return (node->kind == NODE_NAME && program->symbols[node->symbol].hidden) ||
           (node->kind == NODE_CAST && node->made && node->dtype == operand_node(program, node, 0)->dtype);
}

void dump_types(struct buf *buf, const struct program *program)
{
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        buf_printf(buf, "input %s: ", symbol->name);
        dump_type(buf, program, &symbol->type);
        buf_putc(buf, '\n');
    }
    const bool *element = dump_array_elements(buf->arena, program);
    for (int n = 0; n < program->node_count; n++)
        if (!element[n] && !is_silent(program, &program->nodes[n]))
            put_node_types(buf, program, &program->nodes[n]);
    const char **layouts = find_layouts(buf->arena, program);
    for (int i = 0; i < program->result_count; i++) {
        const struct result *result = &program->results[i];
        const char *layout = layouts ? layouts[result->node] : NULL;
        bool shown = layout && *layout;
        if (program->dims && program->dims[result->node]) {
            buf_printf(buf, "result %s: %s\n", result->name,
                       named_type_text(buf->arena, program, result->dtype, program->dims[result->node], NULL));
            continue;
        }
        buf_printf(buf, "result %s: %s%s%s\n", result->name, type_rows[result->dtype].name,
                   shown ? "@" : "", shown ? layout : "");
    }
}
