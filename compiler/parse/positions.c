/* Selections with an item that is a value (rule 9.1): what the other items select, and then a take (9.3) along that
 * dimension. Where the value may be a single integer, the node is both, and typing decides (compiler/check). */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

static const struct item whole = {.kind = ITEM_SLICE, .slice = {.step = 1}, .sizes = {-1, -1, -1}};

static bool is_whole(const struct item *item)
{
    return item->kind == ITEM_ELLIPSIS || item->kind == ITEM_TENSOR ||
           (item->kind == ITEM_SLICE && !item->open && !item->slice.has_start && !item->slice.has_stop &&
            item->slice.step == 1);
}

/* The arguments with whole dimensions, or single integers, in place of values. */
static struct view_args without_values(struct parser *p, const struct view_args *args, enum item_kind kind)
{
    struct view_args others = *args;
    struct item *items = arena_copy(p->arena, args->items, (size_t)args->item_count * sizeof *items);
    for (int i = 0; i < args->item_count; i++)
        if (items[i].kind == ITEM_TENSOR && kind == ITEM_INDEX)
            items[i].kind = kind, items[i].slice.has_start = true;
        else if (items[i].kind == ITEM_TENSOR)
            items[i].kind = kind, items[i].slice = whole.slice, items[i].open = false, items[i].sizes[BOUND_START] = -1;
    others.items = items;
    return others;
}

/* The only item that is a value; NULL: there are several. */
static const struct item *only_value(const struct view_args *args)
{
    const struct item *only = NULL;
    for (int i = 0; i < args->item_count; i++) {
        if (only && args->items[i].kind == ITEM_TENSOR)
            return NULL;
        only = args->items[i].kind == ITEM_TENSOR ? &args->items[i] : only;
    }
    return only;
}

/* The node of the other items; the operand itself where they select everything. Where the only value may be an integer,
 * the node may be the whole selection. */
static int select_others(struct parser *p, const struct view_args *args, int operand, struct span from,
                         struct span token)
{
    struct program *program = p->program;
    const struct item *only = only_value(args);
    const bool choice = only && only->open;
    struct node node = {.kind = NODE_VIEW, .op = OP_COUNT, .view = program->view_count, .span = from, .token = token};
    bool all = true;
    for (int i = 0; i < args->item_count; i++)
        all = all && is_whole(&args->items[i]);
    if (all)
        return operand;
    ARENA_PUSH(p->arena, program->views, program->view_count, without_values(p, args, ITEM_SLICE));
    if (choice)
        ARENA_PUSH(p->arena, program->views, program->view_count, without_values(p, args, ITEM_INDEX));
    node.choice = choice ? program->view_count : 0;
    const int added = parse_add_node(p, node, (int[]){operand, choice ? only->sizes[BOUND_START] : 0}, 1 + choice);
    if (choice && !p->failed)
        program->nodes[added].operand_count = 1; /* the value is no operand, but where typing looks for it */
    return added;
}

static bool makes_dimension(const struct item *item)
{
    return item->kind != ITEM_INDEX && item->kind != ITEM_ELLIPSIS;
}

/* The dimension of item `at` among what all items make, from the end behind an ellipsis. */
static int axis_of(const struct view_args *args, int at)
{
    int before = 0, behind = 0;
    bool ellipsis = false;
    for (int i = 0; i < args->item_count; i++) {
        ellipsis = ellipsis || (i < at && args->items[i].kind == ITEM_ELLIPSIS);
        before += i < at && makes_dimension(&args->items[i]);
        behind += i > at && makes_dimension(&args->items[i]);
    }
    return ellipsis ? -1 - behind : before;
}

/* A selection of one item along the dimension. */
static struct view_args index_along(struct parser *p, int axis, const struct item *item)
{
    struct view_args args = {.kind = VIEW_SELECT};
    struct item *items = NULL, index = *item, rest = {.kind = ITEM_ELLIPSIS, .sizes = {-1, -1, -1}, .span = item->span};
    index.kind = ITEM_INDEX;
    index.slice.has_start = true;
    if (axis < 0)
        ARENA_PUSH(p->arena, items, args.item_count, rest);
    for (int i = 0; i < axis; i++)
        ARENA_PUSH(p->arena, items, args.item_count, whole);
    ARENA_PUSH(p->arena, items, args.item_count, index);
    for (int i = axis; i < -1; i++)
        ARENA_PUSH(p->arena, items, args.item_count, whole);
    args.items = items;
    return args;
}

static struct view_args everything(struct parser *p, const struct item *item)
{
    const struct item all = {.kind = ITEM_ELLIPSIS, .sizes = {-1, -1, -1}, .span = item->span};
    return (struct view_args){.kind = VIEW_SELECT, .items = arena_copy(p->arena, &all, sizeof all), .item_count = 1};
}

/* `selected`: where the item is an integer, the operand has it already. */
static int take(struct parser *p, int operand, int axis, const struct item *item, bool selected, struct span span,
                struct span token)
{
    struct program *program = p->program;
    const struct literal literal = {.kind = LITERAL_INTEGER, .integer = axis};
    struct view_args args = {.kind = VIEW_TAKE, .axes = {.given = true, .in_text = true, .count = 1, .input = -1,
                                                         .span = item->span}};
    struct node node = {.kind = NODE_TAKE, .op = OP_COUNT, .view = program->view_count, .span = span, .token = token};
    args.axes.items = arena_copy(p->arena, &literal, sizeof literal);
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    if (item->open) {
        ARENA_PUSH(p->arena, program->views, program->view_count,
                   selected ? everything(p, item) : index_along(p, axis, item));
        node.choice = program->view_count;
        program->choice_count++;
        program->size_count++;
    }
    program->position_count++;
    return parse_add_node(p, node, (int[]){operand, item->sizes[BOUND_START]}, 2);
}

int parse_positions(struct parser *p, const struct view_args *args, int operand, struct span from, struct span span,
                    struct span token)
{
    int node = select_others(p, args, operand, from, token);
    const bool selected = node != operand && only_value(args);
    for (int i = args->item_count - 1; i >= 0; i--) /* those behind first: dimensions before them stay */
        if (args->items[i].kind == ITEM_TENSOR && axis_of(args, i) >= 0)
            node = take(p, node, axis_of(args, i), &args->items[i], selected, span, token);
    for (int i = 0; i < args->item_count; i++)      /* from the end, those before first */
        if (args->items[i].kind == ITEM_TENSOR && axis_of(args, i) < 0)
            node = take(p, node, axis_of(args, i), &args->items[i], selected, span, token);
    return node;
}
