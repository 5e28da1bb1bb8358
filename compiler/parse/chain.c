/* Chains of comparisons (rule 1.3): a < b <= c is a < b and b <= c, where b is computed once. What is used twice is
 * bound to a hidden name, so nodes stay trees. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

/* An operand of the chain, and the comparison before it; the first one has none. */
struct link {
    enum op op;
    struct span token;
    int node;
    struct span span;              /* of the operand with its parentheses */
    int symbol;                    /* the hidden name of the operand; -1: none */
};

struct chain {
    struct link *links;
    int count;
};

/* ---- | ^ & between comparisons ---- */

static bool is_bits(const struct program *program, const struct node *node)
{
    return node->kind == NODE_OP && op_rows[node->op].form == FORM_INFIX && op_rows[node->op].rule == RULE_BITS &&
           !is_letter(program->source->text[node->token.start]);
}

/* Whether the operand is a | ^ & that has no parentheses of its own. */
static bool is_bare(const struct program *program, const struct link *link)
{
    const struct node *node = &program->nodes[link->node];
    return is_bits(program, node) && node->span.start == link->span.start;
}

enum { SHOWN_OPERAND = 32 };

/* Appends a part of the text on one line, shortened. */
static void put(struct buf *buf, const struct program *program, uint32_t start, uint32_t end)
{
    struct buf line = buf_new(buf->arena);
    for (uint32_t i = start; i < end; i++) {
        const char c = program->source->text[i];
        const bool blank = strchr(" \t\r\n", c) != NULL;
        if (!blank || (line.length && line.text[line.length - 1] != ' '))
            buf_putc(&line, blank ? ' ' : c);
    }
    buf_puts(buf, arena_excerpt(buf->arena, line.text, (int)line.length, SHOWN_OPERAND));
}

/* Appends an operand: where it is a bare a & b, the parentheses that belong between a and b. */
static void put_operand(struct buf *buf, const struct program *program, const struct link *link)
{
    const struct node *node = &program->nodes[link->node];
    if (!is_bare(program, link)) {
        put(buf, program, link->span.start, link->span.end);
        return;
    }
    put(buf, program, node->span.start, operand_node(program, node, 0)->span.end);
    buf_puts(buf, ") ");
    put(buf, program, node->token.start, node->token.end);
    buf_puts(buf, " (");
    put(buf, program, operand_node(program, node, 1)->span.start, node->span.end);
}

static int report(struct parser *p, const struct chain *chain, const struct link *bare)
{
    const struct program *program = p->program;
    const struct node *node = &program->nodes[bare->node];
    struct buf text = buf_new(p->arena);
    buf_putc(&text, '(');
    for (int i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (i)
            buf_printf(&text, " %s ", parse_text(p, link->token));
        put_operand(&text, program, link);
    }
    buf_putc(&text, ')');
    diag(p->diags, DIAG_CHAINED, node->token, parse_text(p, node->token),
         text.length <= 200 ? text.text : "parentheses around each comparison");
    return parse_poison(p, (struct span){chain->links[0].span.start, p->previous.end});
}

/* ---- making ---- */

static int add(struct parser *p, const struct link *link, enum op op, uint32_t start, int a, int b)
{
    return parse_add_node(p, (struct node){.kind = NODE_OP, .op = op, .span = {start, link->span.end},
                                           .token = link->token}, (int[]){a, b}, 2);
}

/* Names and numbers are written twice; other operands are bound to a name. */
static void bind(struct parser *p, struct link *link)
{
    const enum node_kind kind = p->program->nodes[link->node].kind;
    link->symbol = kind == NODE_NAME || kind == NODE_LITERAL || kind == NODE_POISON
                       ? -1 : resolve_hidden(p, "operand of a chain", link->node);
}

static int use(struct parser *p, const struct link *link)
{
    const struct node node = p->program->nodes[link->node];
    const struct node name = {.kind = NODE_NAME, .op = OP_COUNT, .span = node.span, .token = node.span,
                              .symbol = link->symbol};
    return parse_add_node(p, link->symbol < 0 ? node : name, NULL, 0);
}

static int make(struct parser *p, const struct chain *chain)
{
    const enum op both = op_find_operator("and", strlen("and"), false);
    const uint32_t start = chain->links[0].span.start;
    int left = chain->links[0].node, all = 0;
    for (int i = 1; i < chain->count && !p->failed; i++) {
        struct link *link = &chain->links[i];
        const bool last = i == chain->count - 1;
        if (!last)
            bind(p, link);
        const int right = last ? link->node : use(p, link);
        const int one = add(p, link, link->op, chain->links[i - 1].span.start, left, right);
        all = i == 1 ? one : add(p, link, both, start, all, one);
        left = last || p->failed ? 0 : use(p, link);
    }
    return p->failed ? 0 : all;
}

bool parse_at_comparison(const struct parser *p)
{
    return p->token.infix != OP_COUNT && op_rows[p->token.infix].form == FORM_CHAINLESS;
}

int parse_chain(struct parser *p, int left, struct span place, const struct comparison *first)
{
    struct chain chain = {NULL, 0};
    ARENA_PUSH(p->arena, chain.links, chain.count, ((struct link){OP_COUNT, place, left, place, -1}));
    ARENA_PUSH(p->arena, chain.links, chain.count,
               ((struct link){first->op, first->token, first->right, first->place, -1}));
    while (parse_at_comparison(p) && !p->failed) {
        struct link link = {p->token.infix, p->token.span, 0, {0, 0}, -1};
        parse_advance(p);
        link.span.start = p->token.span.start;
        link.node = parse_operand(p, op_rows[link.op].precedence + 1);
        link.span.end = p->previous.end;
        ARENA_PUSH(p->arena, chain.links, chain.count, link);
    }
    for (int i = 0; i < chain.count && !p->failed; i++)
        if (is_bare(p->program, &chain.links[i]))
            return report(p, &chain, &chain.links[i]);
    return p->failed ? 0 : make(p, &chain);
}
