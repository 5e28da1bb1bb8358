/* Prints the typed tree for the linked page (dump.h): results and bindings, each with its operands below it. */
#include "compiler/dump/dump.h"

#include "compiler/check/check.h"

/* What is still to be printed. */
struct below {
    int node, depth;
};

/* The text in one line. */
static void put_piece(struct buf *buf, const struct program *program, struct span span)
{
    enum { MOST = 60 };
    for (uint32_t i = span.start; i < span.end && i < span.start + MOST; i++) {
        const unsigned char c = (unsigned char)program->source->text[i];
        buf_putc(buf, c <= ' ' || c > 126 ? ' ' : (char)c);
    }
    buf_puts(buf, span.end > span.start + MOST ? ".." : "");
}

/* How a node is computed, and where operands are converted, from which types and by which rule. */
static void put_rule(struct buf *buf, const struct program *program, const struct node *node)
{
    const bool operation = node->kind == NODE_OP && node->literal.kind == LITERAL_NONE;
    const enum weft_dtype to = operation ? operand_dtype(program, node) : node->dtype;
    const int first = operation ? first_promoted(&op_rows[node->op]) : 0;
    bool converts = false;
    for (int i = first; operation && i < node->operand_count; i++)
        converts = converts || operand_node(program, node, i)->dtype != to;
    buf_puts(buf, "  ");
    dump_node_rule(buf, program, node);
    for (int i = first; converts && i < node->operand_count; i++)
        buf_printf(buf, i > first ? " with %s" : ": %s", type_rows[operand_node(program, node, i)->dtype].name);
    if (converts)
        buf_printf(buf, " %s %s (section %s)", node->operand_count - first > 1 ? "is" : "becomes", type_rows[to].name,
                   program->source->rules == WEFT_RULES_NUMPY ? "14" : "3");
}

static void put_node(struct buf *buf, const struct program *program, int n, int depth, const struct shape *shape)
{
    const struct node *node = &program->nodes[n];
    const size_t start = buf->length;
    buf_printf(buf, "%*s", 2 * depth, "");
    put_piece(buf, program, node->span);
    buf_printf(buf, "  %s%s", type_rows[node->dtype].name,
               shape && shape->rank ? shape_text(buf->arena, program, shape) : "");
    put_rule(buf, program, node);
    buf_putc(buf, '\n');
    buf_mark(buf, start, node->span.start, node->span.end);
}

static void put_root(struct buf *buf, const struct program *program, const char *name, int n,
                     const struct shape *const *shapes, const bool *hidden)
{
    struct below *left = NULL;
    int count = 0;
    buf_printf(buf, "%s =\n", name);
    ARENA_PUSH(buf->arena, left, count, ((struct below){n, 1}));
    while (count) {
        const struct below at = left[--count];
        const struct node *node = &program->nodes[at.node];
        put_node(buf, program, at.node, at.depth, shapes[at.node]);
        for (int i = node->operand_count - 1; i >= 0 && !hidden[program->operands[node->operands + i]]; i--)
            ARENA_PUSH(buf->arena, left, count, ((struct below){program->operands[node->operands + i], at.depth + 1}));
    }
}

void dump_tree(struct buf *buf, const struct program *program, const struct shape *const *shapes)
{
    const bool *hidden = dump_array_elements(buf->arena, program);
    for (int i = 0; i < program->symbol_count; i++)
        if (program->symbols[i].kind == SYMBOL_BINDING)
            put_root(buf, program, program->symbols[i].hidden ? "a step of a formula" : program->symbols[i].name,
                     program->symbols[i].node, shapes, hidden);
    for (int r = 0; r < program->result_count; r++)
        put_root(buf, program, program->results[r].name, program->results[r].node, shapes, hidden);
}
