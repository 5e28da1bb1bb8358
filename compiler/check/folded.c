/* Implements folded.h. */
#include "compiler/check/folded.h"

/* Whether the value of the operand is needed to compute the node. */
static bool is_needed(const struct program *program, const struct node *node, int operand)
{
    if (node->kind != NODE_OP || node->literal.kind == LITERAL_NONE || !node_folds(program, node) || operand == 0 ||
        operand_node(program, node, 0)->poison)
        return true;
    const int taken = fold_taken(program, node);
    return !taken || operand == taken;
}

/* Whether an operand that is needed is poison. */
static bool lacks_operand(const struct program *program, const struct node *node)
{
    bool lacks = false;
    for (int i = 0; i < node->operand_count; i++)
        lacks = lacks || (operand_node(program, node, i)->poison && is_needed(program, node, i));
    return lacks;
}

bool check_folded(struct program *program, struct node *node)
{
    const enum literal_kind kind = fold_kind(program, node);
    for (int i = 0; i < node->operand_count; i++)
        node->number = node->number || operand_node(program, node, i)->number;
    node->literal.kind = kind; /* is_needed asks */
    const bool lacks = lacks_operand(program, node);
    const char *wrong = lacks ? NULL : literal_of_node(program, node);
    if (!lacks && !wrong)
        return true;
    const struct failure failure = {(int)(node - program->nodes), wrong};
    node->literal = (struct literal){.kind = kind};
    if (wrong)
        ARENA_PUSH(program->arena, program->failures, program->failure_count, failure);
    return false;
}

/* Marks the nodes whose values somebody needs. What nobody uses counts as needed. */
static const bool *find_needed(const struct program *program)
{
    enum { UNUSED, SKIPPED, NEEDED };
    unsigned char *use = ARENA_ARRAY(program->arena, unsigned char, program->node_count);
    bool *needed = ARENA_ARRAY(program->arena, bool, program->node_count);
    for (int r = 0; r < program->result_count; r++)
        use[program->results[r].node] = NEEDED;
    for (int n = program->node_count - 1; n >= 0; n--) {
        const struct node *node = &program->nodes[n];
        const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
        needed[n] = use[n] != SKIPPED;
        for (int i = 0; i < node->operand_count + (symbol && symbol->kind == SYMBOL_BINDING); i++) {
            const int operand = symbol ? symbol->node : program->operands[node->operands + i];
            const unsigned char now = needed[n] && is_needed(program, node, i) ? NEEDED : SKIPPED;
            use[operand] = now > use[operand] ? now : use[operand];
        }
    }
    return needed;
}

bool report_failures(struct program *program)
{
    bool good = true;
    const bool *needed = program->failure_count ? find_needed(program) : NULL;
    for (int f = 0; f < program->failure_count; f++) {
        const struct failure *failure = &program->failures[f];
        if (needed[failure->node])
            good = diag(program->diags, DIAG_LITERAL_FOLD, program->nodes[failure->node].span, failure->message);
    }
    for (int n = 0; needed && n < program->node_count; n++) {
        program->nodes[n].failed = program->nodes[n].poison && !needed[n];
        program->nodes[n].poison = program->nodes[n].poison && needed[n];
    }
    return good;
}
