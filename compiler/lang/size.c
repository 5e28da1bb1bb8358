/* Implements size.h. */
#include "compiler/lang/size.h"

static bool joins_sizes(enum op op)
{
    return op == OP_PLUS || op == OP_NEG || op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_FLOORDIV ||
           op == OP_MOD;
}

static bool input_may_be_size(const struct symbol *symbol)
{
    return !symbol->typed || dtype_is_integer(symbol->type.dtype);
}

/* An operation counts where it is written as an operator. */
static bool operation_is_size(const struct program *program, const struct node *node)
{
    bool size = joins_sizes(node->op) && (node->made || !is_letter(program->source->text[node->token.start]));
    for (int i = 0; size && i < node->operand_count; i++)
        size = operand_node(program, node, i)->size;
    return size;
}

bool node_is_size(const struct program *program, const struct node *node)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    if (node->literal.kind != LITERAL_NONE)
        return node->literal.kind == LITERAL_INTEGER;
    switch (node->kind) {
    case NODE_NAME: return symbol->kind == SYMBOL_INPUT ? input_may_be_size(symbol) : program->nodes[symbol->node].size;
    case NODE_OP: return operation_is_size(program, node);
    case NODE_VIEW: return program->views[node->view].kind == VIEW_EXTENT;
    default: return false;
    }
}

/* ---- which nodes they consist of ---- */

static void mark_numbers(const struct numbers *numbers, bool *marks)
{
    for (int i = 0; numbers->sizes && i < numbers->count; i++)
        if (numbers->sizes[i] >= 0)
            marks[numbers->sizes[i]] = true;
}

static void mark_items(const struct view_args *args, bool *marks)
{
    for (int i = 0; i < args->item_count; i++)
        for (int b = 0; item_is_number(&args->items[i]) && b < BOUND_COUNT; b++)
            if (args->items[i].sizes[b] >= 0)
                marks[args->items[i].sizes[b]] = true;
}

void find_sizes(const struct program *program, bool *marks)
{
    for (int v = 0; v < program->view_count; v++) {
        const struct numbers *numbers;
        for (int i = 0; (numbers = view_sized(&program->views[v], i)); i++)
            mark_numbers(numbers, marks);
        mark_items(&program->views[v], marks);
    }
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        if (marks[n] && symbol && symbol->kind == SYMBOL_BINDING)
            marks[symbol->node] = true;
        for (int i = 0; marks[n] && node->kind == NODE_OP && i < node->operand_count; i++)
            marks[program->operands[node->operands + i]] = true;
    }
}

void note_sizes(struct program *program)
{
    bool *marks = ARENA_ARRAY(program->arena, bool, program->node_count);
    if (!program->size_count)
        return;
    if (!program->reads)
        program->reads = ARENA_ARRAY(program->arena, unsigned char, program->input_count);
    find_sizes(program, marks);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = marks[n] && node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        if (symbol && symbol->kind == SYMBOL_INPUT)
            program->reads[symbol->input] |= READS_SINGLE;
    }
}

static bool any_marked(const struct numbers *numbers, const bool *marks)
{
    bool found = false;
    for (int i = 0; numbers->sizes && i < numbers->count; i++)
        found = found || (numbers->sizes[i] >= 0 && marks[numbers->sizes[i]]);
    return found;
}

bool view_is_marked(const struct view_args *args, const bool *marks)
{
    const struct numbers *numbers;
    bool found = false;
    for (int i = 0; (numbers = view_sized(args, i)); i++)
        found = found || any_marked(numbers, marks);
    for (int i = 0; i < args->item_count; i++)
        for (int b = 0; item_is_number(&args->items[i]) && b < BOUND_COUNT; b++)
            found = found || (args->items[i].sizes[b] >= 0 && marks[args->items[i].sizes[b]]);
    return found;
}

const struct node *size_culprit(const struct program *program, const struct node *node)
{
    for (;;) {
        node = named_node(program, node);
        int i = 0;
        while (i < node->operand_count && operand_node(program, node, i)->size)
            i++;
        if (node->kind != NODE_OP || !joins_sizes(node->op) || i == node->operand_count)
            return node;
        node = operand_node(program, node, i);
    }
}

/* ---- values ---- */

static enum size_state divide(enum op op, int64_t a, int64_t b, int64_t *value)
{
    if (b == 0)
        return SIZE_ZERO;
    if (b == -1) {
        *value = 0;
        return op == OP_FLOORDIV && __builtin_sub_overflow((int64_t)0, a, value) ? SIZE_WIDE : SIZE_KNOWN;
    }
    const int64_t rest = a % b, down = rest != 0 && (rest < 0) != (b < 0);
    *value = op == OP_MOD ? rest + (down ? b : 0) : a / b - down;
    return SIZE_KNOWN;
}

enum size_state size_compute(enum op op, int64_t a, const int64_t *b, int64_t *value)
{
    bool wide = false;
    switch (op) {
    case OP_PLUS: *value = a; break;
    case OP_NEG: wide = __builtin_sub_overflow((int64_t)0, a, value); break;
    case OP_ADD: wide = __builtin_add_overflow(a, *b, value); break;
    case OP_SUB: wide = __builtin_sub_overflow(a, *b, value); break;
    case OP_MUL: wide = __builtin_mul_overflow(a, *b, value); break;
    default: return divide(op, a, *b, value);
    }
    return wide ? SIZE_WIDE : SIZE_KNOWN;
}
