/* Implements positions.h. */
#include "compiler/check/positions.h"

#include "compiler/check/shape.h"

enum { UNKNOWN = -1 };

/* Any rank above 0 is as good as another. */
static int rank_of(const struct program *program, const struct node *node, const int *ranks)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    int rank = 0;
    if (symbol)
        return symbol->kind == SYMBOL_INPUT ? symbol_rank(symbol) : ranks[symbol->node];
    for (int i = 0; node->kind == NODE_OP && i < node->operand_count; i++) {
        const int operand = ranks[program->operands[node->operands + i]];
        rank = operand > 0 || rank > 0 ? 1 : operand == UNKNOWN ? UNKNOWN : rank;
    }
    return rank;
}

/* The positions of another take of the same selection, under this one; NULL: there is none. */
static const struct node *other_positions(const struct program *program, const struct node *node)
{
    const struct node *under = operand_node(program, node, 0);
    while (under->operand_count && under->token.start == node->token.start && under->kind != NODE_TAKE)
        under = operand_node(program, under, 0);
    return under->kind == NODE_TAKE && under->token.start == node->token.start ? operand_node(program, under, 1) : NULL;
}

static bool check_pair(struct program *program, const struct node *node)
{
    const struct node *second = operand_node(program, node, 1), *first = other_positions(program, node);
    if (!first)
        return true;
    const char *a = expression_text(program->arena, program, first->span);
    const char *b = expression_text(program->arena, program, second->span);
    return diag_at(program->diags, DIAG_SELECT_ITEM, ((struct span[]){second->span, first->span}), 2,
                   arena_printf(program->arena, "a selection has one item of positions, and %s and %s are tensors; "
                                "select twice for each combination of them%s", b, a,
                                view_find("gather") == VIEW_KIND_COUNT
                                    ? "" : ", or write gather(x, stack(i, j, axis=-1)) for pairs"));
}

bool decide_positions(struct program *program)
{
    bool good = true;
    int *ranks = program->choice_count ? ARENA_ARRAY(program->arena, int, program->node_count) : NULL;
    for (int n = 0; ranks && n < program->node_count; n++) {
        struct node *node = &program->nodes[n];
        ranks[n] = rank_of(program, node, ranks);
        const int rank = node->choice ? ranks[program->operands[node->operands + 1]] : UNKNOWN;
        if (rank == UNKNOWN)
            continue;
        if (rank == 0)
            node->kind = NODE_VIEW, node->view = node->choice - 1, node->operand_count = 1;
        else
            program->views[node->choice - 1].item_count = 0; /* its item is no size */
        node->choice = 0;
        good = (node->kind != NODE_TAKE || check_pair(program, node)) && good;
    }
    return good;
}
