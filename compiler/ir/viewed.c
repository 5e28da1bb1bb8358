/* What views in a program ask of its inputs, whatever the shapes: see find_viewed and
 * find_alignments in kernel.h. */
#include "compiler/check/check.h"
#include "compiler/ir/kernel.h"

bool *find_viewed(struct arena *arena, const struct program *program)
{
    enum { NEEDED = 1, VIEWED = 2 };
    bool *viewed = ARENA_ARRAY(arena, bool, program->input_count);
    unsigned char *marks = ARENA_ARRAY(arena, unsigned char, program->node_count);
    for (int r = 0; r < program->result_count; r++)
        marks[program->results[r].node] = NEEDED;
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol =
            node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        bool moves = node->kind == NODE_VIEW || node->kind == NODE_JOIN || node->kind == NODE_REDUCE;
        unsigned char mark = marks[n] && moves ? NEEDED | VIEWED : marks[n];
        if (node->kind == NODE_POSITION || (node->kind == NODE_VIEW && program->views[node->view].kind == VIEW_EXTENT))
            continue; /* reads no element */
        for (int i = 0; i < node->operand_count; i++)
            marks[program->operands[node->operands + i]] |= mark;
        if (symbol && symbol->kind == SYMBOL_BINDING)
            marks[symbol->node] |= mark;
        else if (symbol && mark & VIEWED)
            viewed[symbol->input] = true;
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
        if (from->kind == NODE_NAME && !program->symbols[from->symbol].type.number && alignments[program->symbols[from->symbol].input] < size)
            alignments[program->symbols[from->symbol].input] = size;
    }
    return alignments;
}
