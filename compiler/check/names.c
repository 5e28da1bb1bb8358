/* Implements names.h: the walk over the nodes. Node by node the program is made anew; a node without names becomes its
 * copy. */
#include "compiler/check/names_impl.h"

#include <limits.h>
#include <string.h>

/* ---- nodes ---- */

int names_add(struct naming *n, struct node node, const int *operands, int count, struct value value)
{
    struct program *to = n->to;
    node.operands = to->operand_count;
    node.operand_count = count;
    for (int i = 0; i < count; i++)
        ARENA_PUSH(n->arena, to->operands, to->operand_count, operands[i]);
    ARENA_PUSH(n->arena, to->nodes, to->node_count, node);
    ARENA_PUSH(n->arena, n->values, n->value_count, value);
    return to->node_count - 1;
}

int names_copy(struct naming *n, const struct node *node, const int *operands, int count, struct value value)
{
    return names_add(n, *node, operands, count, value);
}

int names_add_view(struct naming *n, struct view_args args, int operand, struct value value)
{
    const struct span span = n->to->nodes[operand].span;
    ARENA_PUSH(n->arena, n->to->views, n->to->view_count, args);
    return names_add(n, (struct node){.kind = NODE_VIEW, .op = OP_COUNT, .view = n->to->view_count - 1, .made = true,
                                      .span = span, .token = span}, &operand, 1, value);
}

int names_share(struct naming *n, int node)
{
    const struct symbol symbol = {.name = "operand", .kind = SYMBOL_BINDING, .span = n->to->nodes[node].span,
                                  .used = true, .hidden = true, .input = -1, .node = node};
    ARENA_PUSH(n->arena, n->to->symbols, n->to->symbol_count, symbol);
    return n->to->symbol_count - 1;
}

int names_use(struct naming *n, int symbol)
{
    const struct symbol *used = &n->to->symbols[symbol];
    return names_add(n, (struct node){.kind = NODE_NAME, .op = OP_COUNT, .symbol = symbol, .made = true,
                                      .span = used->span, .token = used->span}, NULL, 0, names_value(n, used->node));
}

struct value names_value(const struct naming *n, int node)
{
    return n->values[node];
}

const char *names_text(const struct naming *n, int node)
{
    return expression_text(n->arena, n->to, n->to->nodes[node].span);
}

const struct dims *names_dims(struct naming *n, int rank, const struct dim *items)
{
    const struct dims dims = {rank, arena_copy(n->arena, items, (size_t)rank * sizeof *items)};
    return arena_copy(n->arena, &dims, sizeof dims);
}

bool names_wrong(struct naming *n, enum diag_id id, struct span place, int other, const char *text)
{
    struct span places[2] = {place};
    if (other >= 0)
        places[1] = n->to->nodes[other].span;
    n->good = false;
    const int count = 1 + (other >= 0);
    return id == DIAG_DIM_NAME        ? diag_at(n->diags, DIAG_DIM_NAME, places, count, text)
           : id == DIAG_VIEW_ARGUMENT ? diag_at(n->diags, DIAG_VIEW_ARGUMENT, places, count, text)
           : id == DIAG_AXIS          ? diag_at(n->diags, DIAG_AXIS, places, count, text)
                                      : diag_at(n->diags, DIAG_DIM_ROLE, places, count, text);
}

bool names_need(struct naming *n, int node, struct span place, const char *text)
{
    const struct value value = names_value(n, node);
    if (value.sort == SORT_NAMED)
        return true;
    if (value.sort == SORT_UNKNOWN && !n->last) {
        n->open = true;
        return false;
    }
    return n->to->nodes[node].kind != NODE_POISON && names_wrong(n, DIAG_DIM_ROLE, place, node, text);
}

/* ---- the walk ---- */

/* Data without a type give no names, but have a rank. */
static struct value input_value(const struct symbol *symbol)
{
    const struct type *type = &symbol->type;
    const int rank = symbol_rank(symbol);
    return (struct value){type->dims  ? SORT_NAMED
                          : rank < 0  ? SORT_UNKNOWN
                          : rank == 0 ? SORT_SCALAR
                                      : SORT_POSITIONAL, type->dims};
}

/* A binding's node, which may have been aligned. */
static int bind(struct naming *n, int symbol)
{
    const int aligned = n->aligned[symbol], own = n->map[n->from->symbols[symbol].node];
    return n->to->symbols[symbol].node = aligned < 0 ? own : aligned;
}

struct value names_of_symbol(struct naming *n, int symbol)
{
    const struct dims *dims = n->aligned_dims[symbol];
    return dims ? (struct value){SORT_NAMED, dims}
           : n->from->symbols[symbol].kind == SYMBOL_INPUT ? input_value(&n->from->symbols[symbol])
                                                           : names_value(n, bind(n, symbol));
}

int names_name(struct naming *n, const struct node *node)
{
    const int added = names_copy(n, node, NULL, 0, names_of_symbol(n, node->symbol));
    n->to->nodes[added].made = node->made || n->values[added].kept;
    return added;
}

/* Operations have the merge of their operands (rule 8.6); of casts the first one. */
static int operation(struct naming *n, const struct node *node, int *operands)
{
    const int count = node->kind == NODE_OP ? node->operand_count : 1;
    struct value value;
    if (!names_match(n, operands, count, node->token, &value))
        value = (struct value){SORT_UNKNOWN, NULL};
    const int added = names_copy(n, node, operands, node->operand_count, value);
    n->to->nodes[added].made = value.kept;
    return added;
}

static int rewrite(struct naming *n, const struct node *node, int *operands)
{
    const struct value scalar = {SORT_SCALAR, NULL};
    if (node->made)
        return names_recipe(n, node, operands);
    switch (node->kind) {
    case NODE_NAME: return names_name(n, node);
    case NODE_OP: case NODE_CAST: case NODE_WRAP: return operation(n, node, operands);
    case NODE_ARRAY: return names_copy(n, node, operands, node->operand_count, (struct value){SORT_POSITIONAL, NULL});
    case NODE_CORRELATE: return names_neighbours(n, node, operands);
    case NODE_VIEW: case NODE_JOIN: case NODE_TAKE: case NODE_POSITION: case NODE_SCATTER:
        return names_view(n, node, operands);
    default: return names_copy(n, node, operands, node->operand_count, scalar);
    }
}

/* ---- what refers to nodes ---- */

static void map_sizes(struct naming *n, struct numbers *numbers)
{
    if (!numbers->sizes)
        return;
    int *sizes = arena_copy(n->arena, numbers->sizes, WEFT_MAX_RANK * sizeof *sizes);
    for (int i = 0; i < numbers->count; i++)
        sizes[i] = sizes[i] < 0 ? -1 : n->map[sizes[i]];
    numbers->sizes = sizes;
}

static void map_items(struct naming *n, struct view_args *args)
{
    struct item *items = arena_copy(n->arena, args->items, (size_t)args->item_count * sizeof *items);
    for (int i = 0; i < args->item_count; i++)
        for (int b = 0; item_is_number(&items[i]) && b < BOUND_COUNT; b++)
            items[i].sizes[b] = items[i].sizes[b] < 0 ? -1 : n->map[items[i].sizes[b]];
    args->items = items;
}

/* The arguments of a view refer to nodes before it. */
static void map_view_args(struct naming *n, int view)
{
    struct view_args *args = &n->to->views[view];
    const struct numbers *numbers;
    for (int i = 0; (numbers = view_sized(args, i)); i++)
        map_sizes(n, (struct numbers *)numbers);
    map_items(n, args);
}

static bool has_view(const struct node *node)
{
    return node->kind == NODE_VIEW || node->kind == NODE_CORRELATE || node->kind == NODE_JOIN ||
           node->kind == NODE_TAKE || node->kind == NODE_POSITION || node->kind == NODE_SCATTER;
}

/* Copies an array so that it can grow. */
static void *growing(struct arena *arena, const void *items, int count, size_t size)
{
    size_t room = 1;
    while (room < (size_t)count)
        room *= 2;
    void *copy = arena_alloc(arena, room * size);
    if (count)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

/* Whether an operation has only one operand that can have dimensions. */
static bool passes(const struct program *from, const struct node *node)
{
    int others = 0;
    for (int i = 0; node->kind == NODE_OP && i < node->operand_count; i++)
        others += named_node(from, operand_node(from, node, i))->kind != NODE_LITERAL;
    return others <= 1;
}

static bool is_operation(const struct node *node)
{
    return !node->made && (node->kind == NODE_OP || node->kind == NODE_CAST || node->kind == NODE_WRAP);
}

/* Finds the nodes that are used by more than operations. The others may keep dimensions that were reduced. */
static void find_apart(struct naming *n)
{
    const struct program *from = n->from;
    n->apart = ARENA_ARRAY(n->arena, bool, from->node_count + 1);
    for (int r = 0; r < from->result_count; r++)
        n->apart[from->results[r].node] = true;
    for (int i = from->node_count - 1; i >= 0; i--) {
        const struct node *node = &from->nodes[i];
        const bool apart = is_operation(node) ? n->apart[i] && passes(from, node) : true;
        if (node->kind == NODE_NAME && from->symbols[node->symbol].kind == SYMBOL_BINDING) {
            const int bound = from->symbols[node->symbol].node;
            n->apart[bound] = n->apart[bound] || n->apart[i] || node->made;
        }
        for (int k = 0; k < node->operand_count; k++) {
            const int operand = from->operands[node->operands + k];
            n->apart[operand] = n->apart[operand] || apart;
        }
    }
}

static struct program *start(struct naming *n, const struct program *from)
{
    struct program *to = arena_copy(n->arena, from, sizeof *from);
    to->arena = n->arena;
    to->nodes = NULL;
    to->operands = NULL;
    to->node_count = to->operand_count = 0;
    to->views = growing(n->arena, from->views, from->view_count, sizeof *from->views);
    to->reductions = growing(n->arena, from->reductions, from->reduction_count, sizeof *from->reductions);
    to->symbols = growing(n->arena, from->symbols, from->symbol_count, sizeof *from->symbols);
    to->results = growing(n->arena, from->results, from->result_count, sizeof *from->results);
    n->from = from;
    find_apart(n);
    n->map = ARENA_ARRAY(n->arena, int, from->node_count + 1);
    n->aligned = ARENA_ARRAY(n->arena, int, from->symbol_count + 1);
    memset(n->aligned, 0xff, (size_t)from->symbol_count * sizeof *n->aligned);
    n->aligned_dims = ARENA_ARRAY(n->arena, const struct dims *, from->symbol_count + 1);
    n->seen = ARENA_ARRAY(n->arena, bool, from->reduction_count + 1);
    return n->to = to;
}

/* x[i], where i may be a single integer or positions: typing decides, of values without names. */
static int choice(struct naming *n, const struct node *node, const int *operands)
{
    const struct value value = names_value(n, operands[0]);
    if (value.sort == SORT_NAMED)
        names_by_position(n, node, operands[0]);
    const int added = names_copy(n, node, operands, 2, (struct value){SORT_UNKNOWN, NULL});
    n->to->nodes[added].operand_count = node->operand_count;
    return added;
}

static void walk(struct naming *n)
{
    const struct program *from = n->from;
    int *operands = NULL, room = 0;
    for (int i = 0; i < from->node_count; i++) {
        const struct node *node = &from->nodes[i];
        n->at = i;
        const int count = node->choice ? 2 : node->operand_count; /* of a choice the second may be hidden */
        if (count > room)
            operands = ARENA_ARRAY(n->arena, int, room = count);
        for (int k = 0; k < count; k++)
            operands[k] = n->map[from->operands[node->operands + k]];
        if (has_view(node))
            map_view_args(n, node->view);
        if (node->choice)
            map_view_args(n, node->choice - 1);
        n->map[i] = node->choice ? choice(n, node, operands) : rewrite(n, node, operands);
    }
    for (int s = 0; s < from->symbol_count; s++)
        if (from->symbols[s].kind == SYMBOL_BINDING)
            bind(n, s);
    for (int r = 0; r < from->result_count; r++)
        n->to->results[r].node = n->map[from->results[r].node];
}

/* Marks anew which inputs views read as numbers. */
static void keep_reads(struct naming *n)
{
    struct program *to = n->to;
    to->reads = n->from->reads ? ARENA_ARRAY(n->arena, unsigned char, to->input_count) : NULL;
    for (int v = 0; to->reads && v < to->view_count; v++) {
        const struct view_args *args = &to->views[v];
        const struct numbers *const all[] = {&args->shape, &args->rel_shape, &args->src_dims, &args->axes,
                                             &args->shifts, &args->counts};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k]->given && all[k]->input >= 0)
                to->reads[all[k]->input] |= READS_LIST;
    }
    note_sizes(to);
}

/* Keeps the dimensions of named nodes for the shape pass and for types of results. */
static void keep_dims(struct naming *n)
{
    const struct dims **dims = ARENA_ARRAY(n->arena, const struct dims *, n->to->node_count + 1);
    bool any = false;
    for (int i = 0; i < n->to->node_count; i++) {
        const struct value *value = &n->values[i];
        dims[i] = value->sort != SORT_NAMED ? NULL : value->kept ? value->kept : value->dims;
        any = any || dims[i];
    }
    n->to->dims = any ? dims : NULL;
}

static bool has_names(const struct program *program)
{
    bool named = program->named;
    for (int i = 0; i < program->input_count; i++)
        named = named || program->symbols[program->inputs[i]].type.dims;
    return named;
}

bool match_names(struct arena *arena, struct program **program, struct diags *diags, bool last)
{
    struct naming n = {.arena = arena, .diags = diags, .last = last, .good = true};
    if (!has_names(*program))
        return true;
    start(&n, *program);
    walk(&n);
    if (n.good && n.open) {
        (*program)->names_open = true;
        return true;
    }
    keep_dims(&n);
    keep_reads(&n);
    n.to->names_open = false;
    *program = n.to;
    return n.good;
}

/* ---- texts ---- */

const char *named_advice(struct arena *arena, const char *text, int rank)
{
    static const char *const names[] = {"x:s", "x:s, y:s", "x:s, y:s, z:s"};
    return rank > 3 ? arena_printf(arena, "named(%s, \"b:b, x:s, ..\"), with %d dimensions", text, rank)
                    : arena_printf(arena, "named(%s, \"%s\")", text, names[rank > 0 ? rank - 1 : 1]);
}

const char *named_type_text(struct arena *arena, const struct program *program, enum weft_dtype dtype,
                            const struct dims *dims, const int64_t *extents)
{
    struct buf text = buf_new(arena);
    buf_puts(&text, type_rows[dtype].name);
    dims_put(&text, program, dims, extents, INT_MAX);
    return text.text;
}

const char *names_differ(struct arena *arena, const struct type *declared, const struct type *said)
{
    const struct dims *a = declared->dims, *b = said->dims;
    if (!declared->ranked || !said->ranked || (!a && !b) || !declared->rank || !said->rank)
        return NULL;
    if (!a || !b)
        return a ? "the declaration names its dimensions, the type beside it does not"
                 : "the type names dimensions, the declaration does not";
    for (int d = 0; d < a->rank && a->rank == b->rank; d++) {
        const struct dim *x = &a->items[d], *y = &b->items[d];
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind)
            return arena_printf(arena, "dimension %d is %.40s of kind %s, and %.40s of kind %s", d, y->name,
                                dim_kind_word(y->kind), x->name, dim_kind_word(x->kind));
        if (x->labels && y->labels && !dim_labels_equal(x, y))
            return arena_printf(arena, "the labels of %.40s differ", x->name);
    }
    return NULL;
}

const struct dims *names_both(struct arena *arena, const struct type *declared, const struct type *said)
{
    const struct dims *a = declared->dims, *b = said->dims;
    if (!a || !b || a->rank != b->rank)
        return a ? a : b;
    struct dim *items = arena_copy(arena, a->items, (size_t)a->rank * sizeof *items);
    for (int d = 0; d < a->rank; d++) {
        items[d].labels = items[d].labels ? items[d].labels : b->items[d].labels;
        items[d].label_count = a->items[d].labels ? items[d].label_count : b->items[d].label_count;
        items[d].extent = items[d].extent >= 0 ? items[d].extent : b->items[d].extent;
    }
    return arena_copy(arena, &(struct dims){a->rank, items}, sizeof *a);
}
