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

bool layout_is_good(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(text);
}

int program_symbol(const struct program *program, const char *name)
{
    return map_find(&program->symbol_names, name, strlen(name));
}
