/* Size expressions and numbers ahead of time. A call computes them into `d` beside its extents: a size expression
 * (rule 1.10) as an int64, a number that a kernel takes (an extent as a value, or an expression over parameters of type
 * number) as the bits of an int64 or a double. */
#include "compiler/aot/kernel_impl.h"

#include "compiler/check/check.h"

#include <string.h>

static int slot_of(int64_t extent)
{
    return (int)(EXTENT_VARIABLE - extent);
}

static const char *whole_text(struct aot_kernel *k, int64_t value)
{
    return value == INT64_MIN ? "INT64_MIN" : arena_printf(k->arena, "INT64_C(%lld)", (long long)value);
}

const char *aot_size_text(struct aot_kernel *k, int n)
{
    const struct node *node = named_node(k->program, &k->program->nodes[n]);
    return node->literal.kind == LITERAL_INTEGER && !node->number
               ? whole_text(k, (int64_t)node->literal.integer)
               : arena_printf(k->arena, "d[%d]", k->size_slots[node - k->program->nodes]);
}

/* ---- size expressions ---- */

/* The value of an integer parameter. */
static const char *input_text(struct aot_kernel *k, const struct symbol *symbol, const struct node *node)
{
    const char *type = type_rows[symbol->type.dtype].name;
    const char *value = arena_printf(k->arena, "*(const %s_t *)in[%d].data", type, symbol->input);
    if (symbol->type.dtype == WEFT_UINT64)
        aot_refuse(k, arena_printf(k->arena, "%s > INT64_MAX", value), node->span,
                   arena_printf(k->arena, "size %s does not fit int64", symbol->name));
    return arena_printf(k->arena, "(int64_t)%s", value);
}

static void set_operation(struct aot_kernel *k, const struct node *node, int64_t slot)
{
    static const struct { enum op op; char letter; } letters[] = {{OP_PLUS, '+'}, {OP_ADD, '+'}, {OP_NEG, '-'},
                                                                  {OP_SUB, '-'}, {OP_MUL, '*'}, {OP_FLOORDIV, '/'},
                                                                  {OP_MOD, '%'}};
    const int *operands = &k->program->operands[node->operands];
    const bool one = node->operand_count == 1, divides = node->op == OP_FLOORDIV || node->op == OP_MOD;
    int i = 0;
    while (letters[i].op != node->op)
        i++;
    const char *a = one ? "0" : aot_size_text(k, operands[0]), *b = aot_size_text(k, operands[!one]);
    aot_refuse(k, arena_printf(k->arena, "!size('%c', %s, %s, &%s)", letters[i].letter, a, b, aot_extent(k, slot)),
               node->span, divides ? "a size divides by zero, or does not fit int64" : "a size does not fit int64");
}

void aot_size(struct aot_kernel *k, int n)
{
    const struct node *node = &k->program->nodes[n];
    const struct symbol *symbol = node->kind == NODE_NAME ? &k->program->symbols[node->symbol] : NULL;
    if (node->literal.kind == LITERAL_INTEGER || (symbol && symbol->kind == SYMBOL_BINDING))
        return;
    const int64_t slot = aot_new_extent(k);
    k->size_slots[n] = slot_of(slot);
    if (node->kind == NODE_OP) {
        set_operation(k, node, slot);
        return;
    }
    int64_t extent = 0;
    if (!symbol)
        view_extent_of(&k->program->views[node->view], k->shapes[k->program->operands[node->operands]], &extent);
    buf_printf(&k->extents, "%s = %s;\n", aot_extent(k, slot),
               symbol ? input_text(k, symbol, node) : aot_extent(k, extent));
}

/* ---- selections ---- */

/* Replaces the nodes of size expressions by the slots of their values. */
static void resolve_item(struct aot_kernel *k, struct item *item)
{
    int64_t *const numbers[] = {&item->slice.start, &item->slice.stop, &item->slice.step};
    for (int b = 0; item_is_number(item) && b < BOUND_COUNT; b++)
        if (item->sizes[b] >= 0) {
            const struct node *node = named_node(k->program, &k->program->nodes[item->sizes[b]]);
            *numbers[b] = k->size_slots[node - k->program->nodes];
            item->slice.open |= 1u << b;
        }
}

/* Replaces those of numbers, each of which `place` finds or makes. */
static void resolve_numbers(struct aot_kernel *k, const struct node *view, struct numbers *numbers,
                            int64_t (*place)(struct aot_kernel *k, const struct node *view, const char *value))
{
    if (!numbers->sizes)
        return;
    struct literal *items = arena_copy(k->arena, numbers->items, (size_t)numbers->count * sizeof *items);
    for (int i = 0; i < numbers->count; i++)
        if (numbers->sizes[i] >= 0)
            items[i] = (struct literal){.kind = LITERAL_INTEGER,
                                        .integer = place(k, view, aot_size_text(k, numbers->sizes[i]))};
    numbers->items = items;
}

/* A count, as an extent. */
static int64_t place_count(struct aot_kernel *k, const struct node *view, const char *value)
{
    const int64_t extent = aot_new_extent(k);
    buf_printf(&k->extents, "%s = %s;\n", aot_extent(k, extent), value);
    aot_refuse(k, arena_printf(k->arena, "%s < 0 || %s > INT64_MAX / 16", value, value), view->token,
               "a count or an extent is negative, or too large");
    return extent;
}

/* The position from which the first element of a roll comes, as a slot. */
static int64_t place_shift(struct aot_kernel *k, const struct node *view, const char *value)
{
    const int64_t extent = aot_new_extent(k);
    aot_refuse(k, arena_printf(k->arena, "%s == INT64_MIN", value), view->token, "a shift is too large");
    buf_printf(&k->extents, "%s = -%s;\n", aot_extent(k, extent), value);
    return slot_of(extent);
}

void aot_resolve(struct aot_kernel *k, const struct node *view)
{
    struct view_args *args = &k->views[view->view];
    struct item *items = arena_copy(k->arena, args->items, (size_t)args->item_count * sizeof *items);
    for (int i = 0; i < args->item_count; i++)
        resolve_item(k, &items[i]);
    args->items = items;
    resolve_numbers(k, view, &args->counts, place_count);
    resolve_numbers(k, view, &args->shifts, place_shift);
    if (args->kind == VIEW_BROADCAST_TO)
        resolve_numbers(k, view, &args->shape, place_count);
}

const char *aot_bound(struct aot_kernel *k, const struct slice *slice, enum bound bound)
{
    const int64_t value = bound == BOUND_START ? slice->start : bound == BOUND_STOP ? slice->stop : slice->step;
    return slice->open >> bound & 1 ? arena_printf(k->arena, "d[%lld]", (long long)value) : whole_text(k, value);
}

/* ---- numbers that kernels take ---- */

/* A literal expression over numbers, which are reals in a kernel, as an expression of C in doubles. */
static const char *real_text(struct aot_kernel *k, const struct node *node)
{
    node = named_node(k->program, node);
    const struct symbol *symbol = node->kind == NODE_NAME ? &k->program->symbols[node->symbol] : NULL;
    struct buf text = buf_new(k->arena);
    if (!node->number) {
        buf_putc(&text, '(');
        buf_double(&text, literal_number(&node->literal));
        buf_putc(&text, ')');
        return text.text;
    }
    return symbol ? arena_printf(k->arena, "*(const double *)in[%d].data", symbol->input)
                  : arena_printf(k->arena, "real(d[%d])", k->number_slots[node - k->program->nodes]);
}

/* Refuses a number, or an expression over numbers, that no literal expression could be. */
static void check_real(struct aot_kernel *k, const struct node *node, const char *a, const char *b, const char *value)
{
    const bool divides = node->op == OP_DIV || node->op == OP_FLOORDIV || node->op == OP_MOD;
    if (divides)
        aot_refuse(k, arena_printf(k->arena, "%s == 0", b), node->span, "division by zero in a literal expression");
    if (node->op == OP_POW)
        aot_refuse(k, arena_printf(k->arena, "!power_is_real(%s, %s, %s)", a, b, value), node->span,
                   "a power of numbers is no real that fits float64");
}

static const char *operation_text(struct aot_kernel *k, const struct node *node, const char *a, const char *b)
{
    switch (node->op) {
    case OP_PLUS: return a;
    case OP_NEG: return arena_printf(k->arena, "-%s", a);
    case OP_ADD: return arena_printf(k->arena, "%s + %s", a, b);
    case OP_SUB: return arena_printf(k->arena, "%s - %s", a, b);
    case OP_MUL: return arena_printf(k->arena, "%s * %s", a, b);
    case OP_DIV: return arena_printf(k->arena, "%s / %s", a, b);
    case OP_POW: return arena_printf(k->arena, "pow(%s, %s)", a, b);
    default: return NULL;
    }
}

static int number_slot(struct aot_kernel *k, int n);

/* Sets the slot of an expression, and before that those of its operands. False with a diagnostic where C has no such
 * operation. */
static bool set_real(struct aot_kernel *k, const struct node *node, int slot)
{
    const char *operands[2] = {"", ""};
    for (int i = 0; i < node->operand_count; i++) {
        const struct node *operand = named_node(k->program, operand_node(k->program, node, i));
        if (operand->number && operand->kind == NODE_OP && number_slot(k, (int)(operand - k->program->nodes)) < 0)
            return false;
        operands[i] = real_text(k, operand);
    }
    const char *value = operation_text(k, node, operands[0], operands[1]);
    if (!value)
        return diag(k->program->diags, DIAG_NOT_YET, node->token, "this operator on numbers ahead of time", "");
    if (node->op != OP_POW)
        check_real(k, node, operands[0], operands[1], value);
    buf_printf(&k->extents, "d[%d] = bits(%s);\n", slot, value);
    if (node->op == OP_POW)
        check_real(k, node, operands[0], operands[1], arena_printf(k->arena, "real(d[%d])", slot));
    return true;
}

static bool set_extent(struct aot_kernel *k, const struct node *node, int slot)
{
    int64_t extent = 0;
    const struct view_args *args = &k->program->views[node->view];
    view_extent_of(args, k->shapes[k->program->operands[node->operands]], &extent);
    const char *text = aot_extent(k, extent);
    if (extent < 0 && dtype_is_integer(args->dtype) && type_rows[args->dtype].bits < 64)
        aot_refuse(k, arena_printf(k->arena, "%s >> %d", text,
                                   type_rows[args->dtype].bits - (type_rows[args->dtype].class == CLASS_SIGNED)),
                   node->span, arena_printf(k->arena, "an extent does not fit %s", type_rows[args->dtype].name));
    buf_printf(&k->extents, "d[%d] = %s;\n", slot, text);
    return true;
}

/* The slot of a number's value, which is computed once; -1 with a diagnostic. */
static int number_slot(struct aot_kernel *k, int n)
{
    const struct node *node = &k->program->nodes[n];
    if (k->number_slots[n] >= 0)
        return k->number_slots[n];
    const int slot = slot_of(aot_new_extent(k));
    bool good = true;
    if (node->kind == NODE_VIEW)
        good = set_extent(k, node, slot);
    else if (node->kind == NODE_OP)
        good = set_real(k, node, slot);
    else
        buf_printf(&k->extents, "d[%d] = bits(%s);\n", slot, real_text(k, node));
    k->number_slots[n] = good ? slot : -1;
    return k->number_slots[n];
}

/* A finite number that becomes infinite in the type that it meets (rule 2.4). */
static void check_meeting(struct aot_kernel *k, const struct access *access)
{
    const struct node *node = &k->program->nodes[number_node(access->index)];
    const enum weft_dtype to = number_dtype(access->index);
    static const char *const most[WEFT_DTYPE_COUNT] = {
        [WEFT_FLOAT32] = "0x1.ffffffp+127", [WEFT_FLOAT16] = "65520.0", [WEFT_BFLOAT16] = "0x1.ffp+127"};
    if (access->dtype == WEFT_FLOAT64 && most[to])
        aot_refuse(k, arena_printf(k->arena, "becomes_infinite(real(d[%d]), %s)",
                                   k->number_slots[number_node(access->index)], most[to]), node->span,
                   arena_printf(k->arena, "a finite number becomes infinite in %s", type_rows[to].name));
}

bool aot_numbers(struct aot_kernel *k)
{
    bool good = true;
    const size_t start = k->extents.length;
    for (int p = 0; p < k->loop_count; p++)
        for (int a = 0; a < k->loops[p].kernel->load_count; a++) {
            struct access *access = &k->loops[p].kernel->accesses[a];
            if (access->kind != TENSOR_NUMBER || access->index < 0) /* an extent is there already */
                continue;
            good = good && number_slot(k, number_node(access->index)) >= 0;
            if (good && number_how(access->index) == MEET)
                check_meeting(k, access);
        }
    k->takes_numbers = k->extents.length > start;
    return good;
}
