/* What views in a program ask of its inputs, whatever the shapes: see find_viewed and
 * find_alignments in kernel.h. */
#include "compiler/check/check.h"
#include "compiler/ir/kernel.h"

/* Whether an element of the node is computed from another element of its operand, or from more than one. A
 * reinterpretation as a type of the same size keeps the elements in their places. */
static bool moves(const struct program *program, const struct node *node)
{
    const struct view_args *args = node->kind == NODE_VIEW ? &program->views[node->view] : NULL;
    if (args && view_is_random(args->kind))
        return false;
    if (!args || args->kind != VIEW_REINTERPRET || args->shape.given)
        return args || node_is_reduced(node) || node->kind == NODE_CORRELATE || node->kind == NODE_JOIN ||
               node->kind == NODE_TAKE || node->kind == NODE_SCATTER;
    return type_rows[args->dtype].size != type_rows[operand_node(program, node, 0)->dtype].size;
}

static void mark(bool *needed, int *views, int node, int view)
{
    needed[node] = true;
    views[node] = view >= 0 ? view : views[node];
}

int *find_viewed(struct arena *arena, const struct program *program)
{
    int *viewed = ARENA_ARRAY(arena, int, program->input_count), *views = ARENA_ARRAY(arena, int, program->node_count);
    bool *needed = ARENA_ARRAY(arena, bool, program->node_count);
    for (int i = 0; i < program->input_count; i++)
        viewed[i] = -1;
    for (int n = 0; n < program->node_count; n++)
        views[n] = -1;
    for (int r = 0; r < program->result_count; r++)
        needed[program->results[r].node] = true;
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        const bool extent = node->kind == NODE_VIEW && program->views[node->view].kind == VIEW_EXTENT;
        if (!needed[n] || extent || node->kind == NODE_POSITION) /* these read no element */
            continue;
        const int view = moves(program, node) ? n : views[n];
        for (int i = 0; i < node->operand_count; i++)
            mark(needed, views, program->operands[node->operands + i], view);
        if (symbol && symbol->kind == SYMBOL_BINDING)
            mark(needed, views, symbol->node, view);
        else if (symbol && view >= 0)
            viewed[symbol->input] = view;
    }
    return viewed;
}

unsigned char *find_alignments(struct arena *arena, const struct program *program)
{
    unsigned char *alignments = ARENA_ARRAY(arena, unsigned char, program->input_count);
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        if (node->kind != NODE_VIEW || program->views[node->view].kind != VIEW_REINTERPRET)
            continue;
        const struct node *from = named_node(program, operand_node(program, node, 0));
        unsigned char size = (unsigned char)type_rows[program->views[node->view].dtype].size;
        if (from->kind == NODE_NAME && !program->symbols[from->symbol].type.number &&
            alignments[program->symbols[from->symbol].input] < size)
            alignments[program->symbols[from->symbol].input] = size;
    }
    return alignments;
}
