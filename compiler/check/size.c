/* Implements size.h, and puts the values of size expressions into the arguments of views. */
#include "compiler/check/size.h"

#include "compiler/check/view_impl.h"

/* ---- types ---- */

static bool mask(struct program *program, const struct node *node, const struct node *operand)
{
    const char *text = expression_text(program->arena, program, node->span);
    const char *from = expression_text(program->arena, program, operand->span);
    const struct masked masked = {program->source, operand->span, node->span, from, text, has_dims(program, operand)};
    return diag(program->diags, DIAG_SELECT_ITEM, node->span,
                arena_printf(program->arena, "an item of a selection is an integer, and %s is %s", text,
                             view_mask_advice(program->arena, &masked)));
}

/* Reports a node that is no size expression, now that dtypes are known: an input is not an integer. */
static bool no_size(struct program *program, const struct node *view, int index)
{
    const struct node *node = &program->nodes[index], *culprit = size_culprit(program, node);
    const bool whole = culprit == named_node(program, node);
    if (culprit->poison)
        return false;
    if (whole && culprit->dtype == WEFT_BOOL && program->views[view->view].kind == VIEW_SELECT)
        return mask(program, node, operand_node(program, view, 0));
    return diag(program->diags, DIAG_SIZE, culprit->span,
                arena_printf(program->arena, "a size is an integer, and %s is %s",
                             expression_text(program->arena, program, culprit->span),
                             type_rows[culprit->dtype].name));
}

static bool check_bounds(struct program *program, const struct node *view, const struct item *item)
{
    for (int b = 0; item_is_number(item) && b < BOUND_COUNT; b++)
        if (item->sizes[b] >= 0 && !program->nodes[item->sizes[b]].size)
            return no_size(program, view, item->sizes[b]);
    return true;
}

static bool check_sized(struct program *program, const struct node *view, const struct numbers *numbers)
{
    for (int i = 0; numbers->sizes && i < numbers->count; i++)
        if (numbers->sizes[i] >= 0 && !program->nodes[numbers->sizes[i]].size)
            return no_size(program, view, numbers->sizes[i]);
    return true;
}

bool check_sizes(struct program *program, const struct node *view)
{
    const struct view_args *args = &program->views[view->view];
    const struct numbers *numbers;
    bool good = true;
    for (int i = 0; good && i < args->item_count; i++)
        good = check_bounds(program, view, &args->items[i]);
    for (int i = 0; good && (numbers = view_sized(args, i)); i++)
        good = check_sized(program, view, numbers);
    return good;
}

/* ---- values ---- */

static struct size of_literal(const struct literal *literal, int n)
{
    const bool fits = literal->integer >= INT64_MIN && literal->integer <= INT64_MAX;
    return (struct size){fits ? SIZE_KNOWN : SIZE_WIDE, fits ? (int64_t)literal->integer : 0, n};
}

static struct size not_known(int n)
{
    return (struct size){SIZE_OPEN, EXTENT_UNKNOWN, n};
}

static struct size of_input(const struct size_scope *scope, int input, int n)
{
    const struct shape *shape = scope->inputs[input];
    const struct contents *contents = scope->contents ? &scope->contents[input] : NULL;
    if (shape && shape->rank)
        return (struct size){SIZE_RANKED, 0, n};
    if (!contents || !contents->items || !contents->count)
        return not_known(n);
    return of_literal(&contents->items[0], n);
}

static struct size of_operation(const struct size_scope *scope, const struct node *node, int n)
{
    const int *operands = &scope->program->operands[node->operands];
    const struct size *a = &scope->sizes[operands[0]], *b = node->operand_count > 1 ? &scope->sizes[operands[1]] : a;
    struct size result = not_known(n);
    if (a->state > SIZE_KNOWN || b->state > SIZE_KNOWN)
        return a->state > SIZE_KNOWN ? *a : *b;
    if (a->state == SIZE_KNOWN && b->state == SIZE_KNOWN)
        result.state = size_compute(node->op, a->value, &b->value, &result.value);
    return result;
}

static struct size of_extent(const struct size_scope *scope, const struct node *node, int n)
{
    int64_t extent;
    const struct shape *shape = scope->shapes[scope->program->operands[node->operands]];
    if (!shape || !view_extent_of(&scope->program->views[node->view], shape, &extent) || extent < 0)
        return not_known(n);
    return (struct size){SIZE_KNOWN, extent, n};
}

static struct size size_of(const struct size_scope *scope, int n)
{
    const struct node *node = &scope->program->nodes[n];
    const struct symbol *symbol = node->kind == NODE_NAME ? &scope->program->symbols[node->symbol] : NULL;
    if (!node->size)
        return not_known(n);
    if (node->literal.kind == LITERAL_INTEGER)
        return of_literal(&node->literal, n);
    if (symbol)
        return symbol->kind == SYMBOL_INPUT ? of_input(scope, symbol->input, n) : scope->sizes[symbol->node];
    return node->kind == NODE_OP ? of_operation(scope, node, n) : of_extent(scope, node, n);
}

struct size node_size(const struct size_scope *scope, int n)
{
    struct size size = size_of(scope, n);
    if (scope->open && size.state == SIZE_OPEN && size.value == EXTENT_UNKNOWN)
        size.value = scope->open->size(scope->open->user, n, scope->sizes);
    return size;
}

/* ---- arguments of views ---- */

/* Reports a size expression without a value. `place` is the item or the argument, `what` names it. */
static bool no_value(const struct view_walk *w, const struct numbers *place, const struct size *size)
{
    const struct program *program = w->viewed->program;
    const struct node *node = &program->nodes[size->node];
    const char *text = expression_text(w->arena, program, node->span);
    if (size->state == SIZE_WIDE)
        return view_wrong(w, DIAG_SIZE_VALUE, place, "the size %s does not fit int64", text);
    if (size->state == SIZE_ZERO)
        return view_wrong(w, DIAG_SIZE_VALUE, place, "the size %s divides by zero", text);
    const struct shape *shape = w->viewed->inputs[program->symbols[named_node(program, node)->symbol].input];
    return view_wrong(w, DIAG_SIZE_VALUE, place, "a size is a single integer, and %s has shape %s%s", text,
                      shape_text(w->arena, program, shape),
                      w->args->kind == VIEW_SELECT
                          ? arena_printf(w->arena, "; take(%s, %s) reads elements at many positions", w->viewed->name,
                                         text) : "");
}

/* Puts the values of an item's size expressions into its slice. */
static bool resolve_item(const struct view_walk *w, struct item *item)
{
    const struct numbers place = {.given = true, .span = item->span};
    int64_t *const numbers[] = {&item->slice.start, &item->slice.stop, &item->slice.step};
    item->open = false;
    for (int b = 0; b < BOUND_COUNT; b++) {
        const struct size *size = item->sizes[b] < 0 ? NULL : &w->viewed->sizes[item->sizes[b]];
        if (size && size->state > SIZE_KNOWN)
            return no_value(w, &place, size);
        const bool open = size && size->state == SIZE_OPEN;
        item->open = item->open || open;
        item->slice.open |= (open && w->viewed->open) << b;
        if (size)
            *numbers[b] = open ? EXTENT_VARIABLE - size->value : size->value;
    }
    if (item->kind == ITEM_SLICE && !item->open && !item->slice.step)
        return view_wrong(w, DIAG_SIZE_VALUE, &place, "the step of a slice is %s, which is 0",
                          expression_text(w->arena, w->viewed->program,
                                          w->viewed->program->nodes[item->sizes[BOUND_STEP]].span));
    return true;
}

static bool resolve_items(const struct view_walk *w, struct view_args *args)
{
    bool good = true;
    struct item *items = arena_copy(w->arena, args->items, (size_t)args->item_count * sizeof *items);
    for (int i = 0; good && i < args->item_count; i++)
        if (items[i].open)
            good = resolve_item(w, &items[i]);
    args->items = items;
    return good;
}

/* The value of a size expression that a call decides; of a shift, the position from which the first element comes. */
static int64_t open_value(const struct view_walk *w, const struct numbers *numbers, const struct size *size,
                          const struct view_args *args)
{
    if (size->state == SIZE_KNOWN || !w->viewed->open || (numbers != &args->shifts && numbers != &args->before))
        return size->value;
    if (numbers == &args->before) {
        view_holds(w, extent_fact(EXTENT_NEGATES, size->value), "a width is too large");
        return size->value;
    }
    view_holds(w, extent_fact(EXTENT_NEGATES, size->value), "a shift is too large");
    return view_compute(w, EXTENT_NEGATED, size->value);
}

static bool resolve_numbers(const struct view_walk *w, struct numbers *numbers, const struct view_args *args)
{
    if (!numbers->sizes)
        return true;
    struct literal *items = arena_copy(w->arena, numbers->items, (size_t)numbers->count * sizeof *items);
    for (int i = 0; i < numbers->count; i++) {
        const struct size *size = numbers->sizes[i] < 0 ? NULL : &w->viewed->sizes[numbers->sizes[i]];
        if (size && size->state > SIZE_KNOWN)
            return no_value(w, numbers, size);
        if (size)
            items[i] = (struct literal){.kind = size->state == SIZE_KNOWN ? LITERAL_INTEGER : LITERAL_NONE,
                                        .integer = open_value(w, numbers, size, args)};
    }
    numbers->items = items;
    return true;
}

static bool has_sizes(const struct view_args *args)
{
    const struct numbers *numbers;
    bool any = false;
    for (int i = 0; (numbers = view_sized(args, i)); i++)
        any = any || numbers->sizes;
    for (int i = 0; i < args->item_count; i++)
        any = any || args->items[i].open;
    return any;
}

const struct view_args *view_resolve(struct arena *arena, struct diags *diags, const struct viewed *viewed,
                                     const struct view_args *args)
{
    const struct view_walk walk = {.arena = arena, .diags = diags, .viewed = viewed, .args = args};
    if (!has_sizes(args))
        return args;
    struct view_args *resolved = arena_copy(arena, args, sizeof *resolved);
    const struct numbers *numbers;
    bool good = resolve_items(&walk, resolved);
    for (int i = 0; good && (numbers = view_sized(resolved, i)); i++)
        good = resolve_numbers(&walk, (struct numbers *)numbers, resolved);
    return good ? resolved : NULL;
}
