/* Makes the nodes of a reduction from the recipe of its row in grammar/reductions.def. All of them have the place of
 * the call. A value that is used twice is bound to a hidden name, so nodes stay trees. */
#include "compiler/parse/parse_impl.h"

#include <math.h>
#include <string.h>

enum { MAX_NAMES = 8 };

struct making {
    struct parser *p;
    const struct recipe *recipe;
    int reduction;                 /* index in program->reductions */
    char names[MAX_NAMES];
    int symbols[MAX_NAMES], name_count;
};

static int *top(const struct making *m)
{
    return &m->p->stack[m->p->stack_count - 1];
}

/* Replaces the last `count` nodes of the stack by one of which they are the operands. */
static void add(struct making *m, struct node node, int count)
{
    struct parser *p = m->p;
    node.op = node.kind == NODE_OP ? node.op : OP_COUNT;
    node.reduction = m->reduction;
    node.made = node.own_types = true;
    node.span = node.kind == NODE_NAME ? p->program->symbols[node.symbol].span : m->recipe->span;
    node.token = m->recipe->token;
    p->stack_count -= count;
    parse_push(p, parse_add_node(p, node, p->stack + p->stack_count, count));
}

static void add_literal(struct making *m, struct literal literal)
{
    add(m, (struct node){.kind = NODE_LITERAL, .literal = literal}, 0);
}

/* Binds the node on top of the stack to a name, and removes it. */
static void bind(struct making *m, char name)
{
    const char *hidden = arena_printf(m->p->arena, "%c of %s", name, reduction_rows[m->recipe->reduction].name);
    m->names[m->name_count] = name;
    m->symbols[m->name_count++] = resolve_hidden(m->p, hidden, *top(m));
    m->p->stack_count--;
}

static bool push_name(struct making *m, char name)
{
    int i = 0;
    while (i < m->name_count && m->names[i] != name)
        i++;
    if (i < m->name_count)
        add(m, (struct node){.kind = NODE_NAME, .symbol = m->symbols[i]}, 0);
    return i < m->name_count;
}

static void push_operands(struct making *m)
{
    for (int i = 0; i < m->recipe->operand_count; i++)
        push_name(m, (char)('x' + i));
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* :rule converts the value before it. */
static void convert(struct making *m, const char *word, size_t length)
{
    static const struct { const char *name; enum type_rule rule; } rules[] = {
        {":bool", TYPE_BOOL}, {":wide", TYPE_WIDE}, {":float", TYPE_FLOAT}, {":real", TYPE_REAL},
        {":var", TYPE_VARIANCE}, {":dot", TYPE_DOT}, {":arg", TYPE_ARG}};
    size_t i = 0;
    while (!is_word(word, length, rules[i].name))
        i++;
    push_operands(m);
    add(m, (struct node){.kind = NODE_CAST, .rule = rules[i].rule}, 1 + m->recipe->operand_count);
}

static bool join(struct making *m, const char *word, size_t length)
{
    const bool keep = word[length - 1] == '+' && length > 1;
    int j = 0;
    while (j < JOIN_COUNT && !is_word(word, length - keep, join_rows[j].name))
        j++;
    if (j < JOIN_COUNT)
        add(m, (struct node){.kind = NODE_REDUCE, .join = (enum join)j, .keepdims = keep || m->recipe->keepdims}, 1);
    return j < JOIN_COUNT;
}

/* Words with a meaning of their own. */
static bool special(struct making *m, const char *word, size_t length)
{
    if (is_word(word, length, "n")) {
        push_name(m, 'x');
        add(m, (struct node){.kind = NODE_COUNT}, 1);
    } else if (is_word(word, length, "search")) {
        add(m, (struct node){.kind = NODE_SEARCH, .join = JOIN_LEAST, .keepdims = m->recipe->keepdims}, 2);
    } else if (is_word(word, length, "ddof")) {
        add_literal(m, (struct literal){LITERAL_INTEGER, m->recipe->ddof, 0});
    } else if (is_word(word, length, "fewest")) { /* n > 0 where ddof is negative, too */
        add_literal(m, (struct literal){LITERAL_INTEGER, m->recipe->ddof < 0 ? -m->recipe->ddof : 0, 0});
    } else if (is_word(word, length, "0")) {
        add_literal(m, (struct literal){LITERAL_INTEGER, 0, 0});
    } else if (is_word(word, length, "nan")) {
        add_literal(m, (struct literal){LITERAL_REAL, 0, NAN});
    } else {
        return false;
    }
    return true;
}

static void read_word(struct making *m, const char *word, size_t length)
{
    int op = 0;
    if (*word == '=' && length == 2 && word[1] != '=') {
        bind(m, word[1]);
    } else if (*word == ':') {
        convert(m, word, length);
    } else if (!(length == 1 && push_name(m, *word)) && !special(m, word, length) && !join(m, word, length)) {
        while (word_index(op_rows[op].spellings, word, length) < 0)
            op++;
        add(m, (struct node){.kind = NODE_OP, .op = (enum op)op}, op_arity((enum op)op));
    }
}

int parse_recipe(struct parser *p, const struct recipe *recipe)
{
    const struct reduction_row *row = &reduction_rows[recipe->reduction];
    struct making m = {.p = p, .recipe = recipe, .reduction = p->program->reduction_count};
    const int base = p->stack_count;
    size_t length;
    struct reduce_args args = {row->name, recipe->axes, recipe->last, recipe->keepdims,
                               {.count = recipe->operand_count}, {-1, -1}};
    for (int i = 0; i < recipe->operand_count; i++)
        args.value.factors[i] = p->program->nodes[recipe->operands[i]].span,
        args.operands[i] = recipe->operands[i];
    ARENA_PUSH(p->arena, p->program->reductions, p->program->reduction_count, args);
    const bool single = word_count(row->recipe) == 2; /* x alone is joined, and needs no name */
    for (int i = 0; i < recipe->operand_count; i++) {
        parse_push(p, recipe->operands[i]);
        if (!single)
            bind(&m, (char)('x' + i));
    }
    for (int i = single; !p->failed; i++) {
        const char *word = word_at(row->recipe, i, &length);
        if (!word)
            break;
        read_word(&m, word, length);
    }
    const int result = p->failed ? 0 : *top(&m);
    p->stack_count = base;
    return result;
}
