/* Makes instructions for lowering (lower_impl.h). Equal instructions are numbered once, and constants are folded by
 * the reference evaluator. */
#include "compiler/ir/lower_impl.h"

#include <string.h>

bool ins_may_fault(const struct lowering *l, const struct ins *ins)
{
    if (ins->kind != INS_OP || !op_fault(ins->op, ins->source))
        return false;
    const struct ins *divisor = &l->kernel->ins[ins->a[1]];
    return !op_divides(ins->op, ins->source) || divisor->kind != INS_LITERAL ||
           l->kernel->literals[divisor->index].bits == 0;
}

/* Keeps divisions at different places in the text apart, since each has its own fault, until it is known where they are
 * used. 0 for all other instructions. */
static uint32_t place_of(const struct lowering *l, const struct ins *ins)
{
    return l->places_merged || !ins_may_fault(l, ins) ? 0 : ins->span.start + 1;
}

static uint32_t hash_ins(const struct lowering *l, const struct ins *ins)
{
    uint32_t words[] = {ins->kind, ins->op, ins->dtype, ins->source, (uint32_t)ins->a[0],
                        (uint32_t)ins->a[1], (uint32_t)ins->a[2], (uint32_t)ins->index, place_of(l, ins)};
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * 16777619u, hash ^= hash >> 15;
    return hash;
}

static bool same_ins(const struct lowering *l, const struct ins *a, const struct ins *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->source == b->source &&
           a->a[0] == b->a[0] && a->a[1] == b->a[1] && a->a[2] == b->a[2] && a->index == b->index &&
           place_of(l, a) == place_of(l, b);
}

static void enter(struct lowering *l, int index)
{
    uint32_t slot = hash_ins(l, &l->kernel->ins[index]) & (l->table_size - 1);
    while (l->table[slot] >= 0)
        slot = (slot + 1) & (l->table_size - 1);
    l->table[slot] = index;
}

void ins_resize_table(struct lowering *l, uint32_t size)
{
    l->table = ARENA_ARRAY(l->arena, int, size);
    memset(l->table, -1, size * sizeof(int));
    l->table_size = size;
    for (int i = 0; i < l->kernel->ins_count; i++)
        enter(l, i);
}

/* Whether a 16-bit type holds every result of a conversion. */
static bool holds(enum weft_dtype half, const struct ins *ins)
{
    return ins->source == half || ins->op == type_rows[half].nearest ||
           (!dtype_is_float(ins->source) && type_rows[ins->source].bits <= type_rows[half].fraction + 1);
}

/* Whether a 16-bit type certainly holds this value. */
static bool surely_holds(const struct lowering *l, enum weft_dtype half, const struct ins *ins)
{
    if (ins->kind == INS_LITERAL && ins->dtype == type_rows[half].compute) {
        union scalar value = l->kernel->literals[ins->index];
        union scalar rounded = eval_convert(ins->dtype, half, false, value);
        return eval_convert(half, ins->dtype, false, rounded).bits == value.bits;
    }
    if (ins->kind != INS_OP)
        return false;
    if (op_rows[ins->op].rule == RULE_CONVERT)
        return holds(half, ins);
    for (int k = 0; k < 3; k++)
        if (ins->a[k] >= 0 && l->kernel->ins[ins->a[k]].dtype == ins->source &&
            !(l->holders[ins->a[k]] >> half & 1))
            return false;
    return op_rows[ins->op].closed;
}

static unsigned find_holders(const struct lowering *l, const struct ins *ins)
{
    unsigned holders = 0;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (dtype_is_half(t) && surely_holds(l, t, ins))
            holders |= 1u << t;
    return holders;
}

int ins_add(struct lowering *l, struct ins ins)
{
    struct kernel *kernel = l->kernel;
    if ((uint32_t)kernel->ins_count * 2 >= l->table_size)
        ins_resize_table(l, l->table_size * 2);
    uint32_t slot = hash_ins(l, &ins) & (l->table_size - 1);
    for (; l->table[slot] >= 0; slot = (slot + 1) & (l->table_size - 1)) {
        struct ins *found = &kernel->ins[l->table[slot]];
        if (!same_ins(l, found, &ins))
            continue;
        if (ins.span.start < found->span.start)
            found->span = ins.span;
        return l->table[slot];
    }
    l->table[slot] = kernel->ins_count;
    ARENA_PUSH(l->arena, l->holders, l->holder_count, find_holders(l, &ins));
    return kernel_add_ins(kernel, ins);
}

int ins_add_literal(struct lowering *l, union scalar value, enum weft_dtype dtype, struct span span)
{
    struct kernel *kernel = l->kernel;
    struct ins ins = {INS_LITERAL, OP_COUNT, dtype, dtype, {-1, -1, -1}, kernel->literal_count, span};
    for (int i = 0; i < kernel->literal_count && i < 64; i++)
        if (kernel->literal_dtypes[i] == dtype && kernel->literals[i].bits == value.bits &&
            kernel->literal_sources[i].node < 0)
            ins.index = i;
    if (ins.index == kernel->literal_count)
        kernel_add_literal(kernel, dtype, value);
    return ins_add(l, ins);
}

/* Ahead of time: loads the number in full and converts it. */
static int load_number(struct lowering *l, struct number_source source, enum weft_dtype dtype, struct span span)
{
    const struct node *node = &l->program->nodes[source.node];
    const enum weft_dtype full = node->kind == NODE_VIEW ? WEFT_INT64 : WEFT_FLOAT64;
    const int map = l->map;
    l->map = 0;
    const int value = ins_add_load(l, TENSOR_NUMBER, number_index(source, dtype), full, node);
    l->map = map;
    return ins_convert(l, value, dtype, true, span);
}

int ins_add_number(struct lowering *l, struct number_source source, enum weft_dtype dtype, struct span span)
{
    struct kernel *kernel = l->kernel;
    if (l->loads_numbers)
        return load_number(l, source, dtype, span);
    struct ins ins = {INS_NUMBER, OP_COUNT, dtype, dtype, {-1, -1, -1}, 0, span};
    while (ins.index < kernel->literal_count &&
           (kernel->literal_dtypes[ins.index] != dtype || kernel->literal_sources[ins.index].node != source.node ||
            kernel->literal_sources[ins.index].how != source.how))
        ins.index++;
    if (ins.index == kernel->literal_count)
        kernel_add_number(kernel, dtype, source);
    return ins_add(l, ins);
}

/* The list with the accesses to a tensor. */
static int *access_list(struct lowering *l, enum tensor_kind kind, int index)
{
    return &l->first_access[((unsigned)index * 2 + (kind == TENSOR_CONSTANT)) % ACCESS_LISTS];
}

int ins_add_load(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype,
                    const struct node *node)
{
    const struct shape *shape = l->shapes ? l->shapes[node - l->program->nodes] : NULL;
    bool one = shape && shape_known(shape) && shape_volume(shape) == 1 && !map_reads_value(l->kernel, l->map);
    return ins_add_load_under(l, kind, index, dtype, one ? 0 : l->map, node->span);
}

int ins_add_load_under(struct lowering *l, enum tensor_kind kind, int index, enum weft_dtype dtype, int map,
                       struct span span)
{
    struct kernel *kernel = l->kernel;
    const int step = map_taken_step(kernel->maps, map), number = step ? take_number(l, step) : -1;
    int *first = access_list(l, kind, index), at = *first;
    for (; at >= 0; at = l->next_access[at]) {
        const struct access *access = &kernel->accesses[at];
        if (access->kind == kind && access->index == index && access->dtype == dtype && access->map == map)
            break;
    }
    struct ins ins = {step ? INS_TAKE : INS_LOAD, OP_COUNT, dtype, dtype, {number, -1, -1}, at, span};
    if (at >= 0)
        return ins_add(l, ins);
    ARENA_PUSH(l->arena, l->next_access, l->next_count, *first);
    ins.index = *first = kernel_add_access(kernel, (struct access){kind, index, dtype, map, false});
    return ins_add(l, ins);
}

int ins_add_constant(struct lowering *l, int node, const struct shape *shape, enum weft_dtype dtype, const void *data,
                     size_t bytes)
{
    struct kernel *kernel = l->kernel;
    for (int c = 0; c < kernel->constant_count; c++) {
        const struct constant *constant = &kernel->constants[c];
        if (constant->shape && constant->dtype == dtype && shapes_equal(constant->shape, shape) &&
            constant->bytes == bytes && memcmp(constant->data, data, bytes) == 0)
            return c;
    }
    ARENA_PUSH(l->arena, kernel->constants, kernel->constant_count,
               ((struct constant){node, shape, dtype, data, bytes}));
    return kernel->constant_count - 1;
}

static bool is_literal(const struct lowering *l, int ins)
{
    return ins < 0 || l->kernel->ins[ins].kind == INS_LITERAL;
}

static union scalar literal_of(const struct lowering *l, int ins)
{
    return ins < 0 ? (union scalar){0} : l->kernel->literals[l->kernel->ins[ins].index];
}

/* Whether a float is a literal other than NaN. *value is it. */
static bool is_number(const struct lowering *l, enum weft_dtype dtype, int ins, double *value)
{
    if (ins < 0 || l->kernel->ins[ins].kind != INS_LITERAL)
        return false;
    *value = eval_convert(dtype, WEFT_FLOAT64, false, literal_of(l, ins)).f64;
    return *value == *value;
}

/* A bounded row with such a literal, which need not look for NaN in it. If it is no zero either, the order of zeros
 * does not matter, and a GPU has one instruction. */
static int add_bounded(struct lowering *l, enum op op, enum weft_dtype dtype, int value, int bound, struct span span)
{
    const struct bounded_row *row = op_bounded(op);
    double number = 0;
    is_number(l, dtype, bound, &number);
    op = number == 0 ? row->number : row->nonzero;
    return ins_add(l, (struct ins){INS_OP, op, dtype, dtype, {value, bound, -1}, 0, span});
}

/* A bounded row or an interval of floats with literals. -1: it is none. */
static int add_between(struct lowering *l, enum op op, enum weft_dtype dtype, const int a[3], struct span span)
{
    const struct interval_row *interval = op_interval(op);
    double left, right;
    if (interval && is_number(l, dtype, a[1], &left) && is_number(l, dtype, a[2], &right))
        return add_bounded(l, interval->upper, dtype, add_bounded(l, interval->lower, dtype, a[0], a[1], span), a[2],
                           span);
    if (!op_bounded(op))
        return -1;
    if (is_number(l, dtype, a[1], &right))
        return add_bounded(l, op, dtype, a[0], a[1], span);
    return is_number(l, dtype, a[0], &left) && left != 0 ? add_bounded(l, op, dtype, a[1], a[0], span) : -1;
}

/* A row that is not exact is not folded, so that exp(2) has the bits of exp(x) where x is 2. */
int ins_add_op(struct lowering *l, enum op op, enum weft_dtype source, enum weft_dtype dtype,
                  const int a[3], struct span span)
{
    union scalar v[3];
    bool constant = !dtype_is_float(source) || op_rows[op].ulp32 == 0;
    for (int i = 0; i < 3; i++) {
        constant = constant && is_literal(l, a[i]);
        v[i] = constant ? literal_of(l, a[i]) : (union scalar){0};
    }
    if (constant && !eval_fault(op, source, v[0], v[1], v[2]))
        return ins_add_literal(l, eval_op(op, source, dtype, v[0], v[1], v[2]), dtype, span);
    const int between = dtype_is_float(source) ? add_between(l, op, source, a, span) : -1;
    return between >= 0 ? between : ins_add(l, (struct ins){INS_OP, op, dtype, source, {a[0], a[1], a[2]}, 0, span});
}

/* For floats the limit is 4. Up to there products stay within 2 ulp, and overflow, underflow and special values come
 * out as pow gives them. For integers every exponent up to 64 becomes products. */
int ins_small_exponent(const struct lowering *l, enum op op, enum weft_dtype source, int ins)
{
    bool power = op == OP_POW || op == OP_FPOW;
    if (!power || ins < 0 || l->kernel->ins[ins].kind != INS_LITERAL)
        return 0;
    union scalar value = l->kernel->literals[l->kernel->ins[ins].index];
    union scalar whole = eval_convert(source, WEFT_INT64, true, value);
    union scalar back = eval_convert(WEFT_INT64, source, true, whole);
    int most = dtype_is_float(source) ? 4 : 64;
    return whole.i64 >= 1 && whole.i64 <= most && back.bits == value.bits ? (int)whole.i64 : 0;
}

int ins_add_power(struct lowering *l, enum weft_dtype dtype, int base, int exponent,
                     struct span span)
{
    int power = -1;
    for (; exponent; exponent /= 2) {
        if (exponent % 2)
            power = power < 0 ? base
                              : ins_add_op(l, OP_MUL, dtype, dtype, (int[]){power, base, -1}, span);
        if (exponent > 1)
            base = ins_add_op(l, OP_MUL, dtype, dtype, (int[]){base, base, -1}, span);
    }
    return power;
}

/* Adds one step of a conversion. A value that was encoded to a 16-bit type and is now decoded again is rounded in place
 * instead; if the type certainly holds it, it stays as it is. */
static int add_step(struct lowering *l, int value, struct step step, struct span span)
{
    struct ins ins = l->kernel->ins[value];
    bool back = step.op == OP_DECODE && ins.kind == INS_OP && ins.op == OP_ENCODE;
    if (back && l->holders[ins.a[0]] >> ins.dtype & 1)
        return ins.a[0];
    if (back) {
        step.op = type_rows[ins.dtype].nearest;
        value = ins.a[0];
        ins.dtype = step.to;
    }
    return ins_add_op(l, step.op, ins.dtype, step.to, (int[]){value, -1, -1}, span);
}

int ins_convert(struct lowering *l, int ins, enum weft_dtype to, bool saturate, struct span span)
{
    struct step steps[MAX_STEPS];
    int count = conversion(l->kernel->ins[ins].dtype, to, saturate, steps);
    for (int i = 0; i < count; i++)
        ins = add_step(l, ins, steps[i], span);
    return ins;
}
