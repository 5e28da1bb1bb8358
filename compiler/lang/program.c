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

enum weft_dtype operand_dtype(const struct program *program, const struct node *node)
{
    const struct op_row *row = &op_rows[node->op];
    const struct rule *rule = &rule_rows[row->rule];
    int first = first_promoted(row);
    enum weft_dtype promoted = operand_node(program, node, first)->dtype;
    for (int i = first + 1; i < node->operand_count; i++)
        promoted = promote(promoted, operand_node(program, node, i)->dtype);
    if (rule->operand == OPERAND_BOOL)
        return WEFT_BOOL;
    return rule->operand == OPERAND_FLOAT && !dtype_is_float(promoted) ? WEFT_FLOAT32 : promoted;
}

bool compares_by_value(const struct program *program, const struct node *node)
{
    return op_rows[node->op].rule == RULE_COMPARE && operand_dtype(program, node) == WEFT_INT64 &&
           (operand_node(program, node, 0)->dtype == WEFT_UINT64 ||
            operand_node(program, node, 1)->dtype == WEFT_UINT64);
}

bool layout_is_good(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(text);
}

int program_symbol(const struct program *program, const char *name)
{
    return map_find(&program->symbol_names, name, strlen(name));
}
