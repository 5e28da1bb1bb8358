/* Implements program.h: what later passes ask about a program, such as the type in which
 * an operation's operands meet. */
#include "compiler/lang/program.h"

#include <string.h>

const struct node *named_node(const struct program *program, const struct node *node)
{
    while (node->kind == NODE_NAME && program->symbols[node->symbol].kind == SYMBOL_BINDING)
        node = &program->nodes[program->symbols[node->symbol].node];
    return node;
}

const struct node *shown_node(const struct program *program, const struct node *node)
{
    while (node->kind == NODE_NAME && program->symbols[node->symbol].hidden)
        node = &program->nodes[program->symbols[node->symbol].node];
    return node;
}

bool layout_is_good(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(text);
}

int program_symbol(const struct program *program, const char *name)
{
    return map_find(&program->symbol_names, name, strlen(name));
}

bool input_is_weights(const struct program *program, int input)
{
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const bool weighs = node->kind == NODE_CORRELATE;
        const struct node *k = weighs ? named_node(program, operand_node(program, node, 1)) : NULL;
        if (k && k->kind == NODE_NAME && program->symbols[k->symbol].kind == SYMBOL_INPUT &&
            program->symbols[k->symbol].input == input)
            return true;
    }
    return false;
}
