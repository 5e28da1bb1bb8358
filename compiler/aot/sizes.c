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

/* The value of size expression n: a number or "d[3]". */
static const char *size_text(struct aot_kernel *k, const struct size *sizes, int n)
{
    return sizes[n].state == SIZE_KNOWN ? aot_whole(k, sizes[n].value) : aot_extent(k, sizes[n].value);
}

/* ---- size expressions ---- */

/* The value of an integer parameter. */
static const char *input_text(struct aot_kernel *k, const struct symbol *symbol, const struct node *node)
{
    const char *type = arena_printf(k->arena, "%s_t", type_rows[symbol->type.dtype].name);
    const char *value = aot_input_value(k, symbol->input, type);
    if (symbol->type.dtype == WEFT_UINT64)
        aot_refuse(k, arena_printf(k->arena, "%s > INT64_MAX", value), node->span,
                   arena_printf(k->arena, "size %s does not fit int64", symbol->name));
    return arena_printf(k->arena, "(int64_t)%s", value);
}

static void set_operation(struct aot_kernel *k, const struct node *node, int64_t extent, const struct size *sizes)
{
    static const struct { enum op op; char letter; } letters[] = {{OP_PLUS, '+'}, {OP_ADD, '+'}, {OP_NEG, '-'},
                                                                  {OP_SUB, '-'}, {OP_MUL, '*'}, {OP_FLOORDIV, '/'},
                                                                  {OP_MOD, '%'}};
    const int *operands = &k->program->operands[node->operands];
    const bool one = node->operand_count == 1, divides = node->op == OP_FLOORDIV || node->op == OP_MOD;
    int i = 0;
    while (letters[i].op != node->op)
        i++;
    const char *a = one ? "0" : size_text(k, sizes, operands[0]), *b = size_text(k, sizes, operands[!one]);
    aot_refuse(k, arena_printf(k->arena, "!size('%c', %s, %s, &%s)", letters[i].letter, a, b, aot_extent(k, extent)),
               node->span, divides ? "a size divides by zero, or does not fit int64" : "a size does not fit int64");
}

int64_t aot_size(void *user, int n, const struct size *sizes)
{
    struct aot_kernel *k = user;
    const struct node *node = &k->program->nodes[n];
    int64_t extent = EXTENT_UNKNOWN;
    if (!k->is_size[n])
        return extent;
    if (node->kind == NODE_VIEW) {
        view_extent_of(&k->program->views[node->view], k->shapes[k->program->operands[node->operands]], &extent);
        return extent;
    }
    extent = aot_new_extent(k, &(struct extent_term){0});
    if (node->kind == NODE_OP)
        set_operation(k, node, extent, sizes);
    else
        buf_printf(&k->extents, "%s = %s;\n", aot_extent(k, extent),
                   input_text(k, &k->program->symbols[node->symbol], node));
    return extent;
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
    return symbol ? aot_input_value(k, symbol->input, "double")
                  : arena_printf(k->arena, "real(d[%d])", k->number_slots[node - k->program->nodes]);
}

/* Refuses an operation that no literal expression could be, before its value is known. */
static void check_real(struct aot_kernel *k, const struct node *node, const char *const operands[3])
{
    const bool divides = node->op == OP_DIV || node->op == OP_FLOORDIV || node->op == OP_MOD ||
                         (node->literal.kind == LITERAL_INTEGER && (node->op == OP_TRUNCDIV || node->op == OP_FMOD));
    if (divides)
        aot_refuse(k, arena_printf(k->arena, "%s == 0", operands[1]), node->span,
                   "division by zero in a literal expression");
}

/* The same once its value is in the slot. Integers ahead of time have as many bits as a double. */
static void check_value(struct aot_kernel *k, const struct node *node, const char *const operands[3], int slot)
{
    if (node->op == OP_POW)
        aot_refuse(k, arena_printf(k->arena, "!power_is_real(%s, %s, real(d[%d]))", operands[0], operands[1], slot),
                   node->span, "a power of numbers is no real that fits float64");
    if (node->literal.kind == LITERAL_INTEGER)
        aot_refuse(k, arena_printf(k->arena, "!(real(d[%d]) <= 0x1p53 && real(d[%d]) >= -0x1p53)", slot, slot),
                   node->span, "an integer computed from numbers has more than 53 bits");
}

static int number_slot(struct aot_kernel *k, int n);

/* The slots of a node's operands that are computed, before its own. */
static bool operand_slots(struct aot_kernel *k, const struct node *node)
{
    const struct node *operand = named_node(k->program, node);
    const bool computed = operand->number && operand->kind == NODE_OP;
    return !computed || number_slot(k, (int)(operand - k->program->nodes)) >= 0;
}

/* Sets the slot to the arm of a where that is taken. The other one is not computed, so slots that are set there mean
 * nothing behind it. */
static bool set_arm(struct aot_kernel *k, const struct node *node, int arm, int slot)
{
    const size_t size = (size_t)k->program->node_count * sizeof *k->number_slots;
    int *before = arena_copy(k->arena, k->number_slots, size);
    const struct node *operand = operand_node(k->program, node, arm);
    if (operand->failed && !operand->number)
        aot_refuse(k, "true", operand->span, "a literal expression without a value");
    if (!operand_slots(k, operand))
        return false;
    buf_printf(&k->extents, "d[%d] = bits(%s);\n", slot, real_text(k, operand));
    memcpy(k->number_slots, before, size);
    return true;
}

static bool set_choice(struct aot_kernel *k, const struct node *node, int slot)
{
    const struct node *condition = operand_node(k->program, node, 0);
    if (!operand_slots(k, condition))
        return false;
    buf_printf(&k->extents, "if (%s != 0) {\n", real_text(k, condition));
    if (!set_arm(k, node, 1, slot))
        return false;
    buf_puts(&k->extents, "} else {\n");
    const bool good = set_arm(k, node, 2, slot);
    buf_puts(&k->extents, "}\n");
    return good;
}

/* Sets the slot to the row's value on two operands; on more, from the left. */
static bool set_values(struct aot_kernel *k, const struct node *node, int slot)
{
    const bool list = op_rows[node->op].form == FORM_FOLD;
    const int step = list ? 1 : node->operand_count;
    for (int i = 0; i < (list ? node->operand_count - 1 : 1); i++) {
        const char *operands[3] = {NULL};
        for (int j = 0; j < step + list; j++)
            operands[j] = list && i && !j ? arena_printf(k->arena, "real(d[%d])", slot)
                                          : real_text(k, operand_node(k->program, node, i + j));
        check_real(k, node, operands);
        const char *value = emit_host_value(k->host, node->op, operands);
        if (!value)
            return diag(k->program->diags, DIAG_NOT_YET, node->token, "this operator on numbers ahead of time", "");
        buf_printf(&k->extents, "d[%d] = bits(%s);\n", slot, value);
        check_value(k, node, operands, slot);
    }
    return true;
}

/* Sets the slot of an expression, and before that those of its operands. False with a diagnostic where C has no such
 * operation. */
static bool set_real(struct aot_kernel *k, const struct node *node, int slot)
{
    if (op_rows[node->op].rule == RULE_SELECT)
        return set_choice(k, node, slot);
    for (int i = 0; i < node->operand_count; i++)
        if (!operand_slots(k, operand_node(k->program, node, i)))
            return false;
    return set_values(k, node, slot);
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

/* Sets the slot to the number of the sample: that of any input that the node depends on, since a tensor that goes with
 * all samples has 0. */
static bool set_sample(struct aot_kernel *k, int n, int slot)
{
    const struct program *program = k->program;
    bool *batches = ARENA_ARRAY(k->arena, bool, program->input_count + 1);
    buf_printf(&k->extents, "d[%d] = 0;\n", slot);
    for (int i = 0; i < program->input_count; i++) {
        batches[i] = true;
        if (!k->plain && program_batched(k->arena, program, batches)[n])
            buf_printf(&k->extents, "d[%d] |= in[%d].sample;\n", slot, i);
        batches[i] = false;
    }
    return true;
}

/* The slot of a number's value, which is computed once; -1 with a diagnostic. */
static int number_slot(struct aot_kernel *k, int n)
{
    const struct node *node = &k->program->nodes[n];
    if (k->number_slots[n] >= 0)
        return k->number_slots[n];
    const int slot = slot_of(aot_new_extent(k, &(struct extent_term){0}));
    bool good = true;
    if (node->kind == NODE_VIEW)
        good = set_extent(k, node, slot);
    else if (node->kind == NODE_POSITION)
        good = set_sample(k, n, slot);
    else if (node->kind == NODE_OP)
        good = set_real(k, node, slot);
    else
        buf_printf(&k->extents, "d[%d] = bits(%s);\n", slot, real_text(k, node));
    k->number_slots[n] = good ? slot : -1;
    return k->number_slots[n];
}

/* A finite number that becomes infinite in the type that it meets, unless it was computed with a call, or an integer
 * that does not fit it (rule 2.4). */
static void check_meeting(struct aot_kernel *k, const struct access *access)
{
    const struct node *node = &k->program->nodes[number_node(access->index)];
    const enum weft_dtype to = number_dtype(access->index);
    const int slot = k->number_slots[number_node(access->index)], bits = type_rows[to].bits;
    static const char *const most[WEFT_DTYPE_COUNT] = {
        [WEFT_FLOAT32] = "0x1.ffffffp+127", [WEFT_FLOAT16] = "65520.0", [WEFT_BFLOAT16] = "0x1.ffp+127"};
    const bool is_signed = type_rows[to].class == CLASS_SIGNED;
    if (access->dtype == WEFT_FLOAT64 && most[to] && !node->literal.called)
        aot_refuse(k, arena_printf(k->arena, "becomes_infinite(real(d[%d]), %s)", slot, most[to]), node->span,
                   arena_printf(k->arena, "a finite number becomes infinite in %s", type_rows[to].name));
    if (access->dtype == WEFT_FLOAT64 && dtype_is_integer(to))
        aot_refuse(k, arena_printf(k->arena, "!(real(d[%d]) < 0x1p%d && real(d[%d]) >= %s0x1p%d)", slot,
                                   bits - is_signed, slot, is_signed ? "-" : "0 * ", bits - is_signed), node->span,
                   arena_printf(k->arena, "a number does not fit %s, its type ahead of time", type_rows[to].name));
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
