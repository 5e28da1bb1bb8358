/* Implements narrow.h. An interval is computed for each instruction from those of its operands. An operation whose
 * operands and result fit moves to 16 bits. Conversions that keep every value are skipped by their readers. A quotient
 * of integers of few bits, such as the mean of three uint8, is computed in float32 where it becomes one. What only
 * changes the signs of 16-bit floats, as -abs(x) does, is computed on their bits.
 *
 * Invariant: an instruction's operands come before it, so no pass over instructions recurses. */
#include "compiler/ir/narrow.h"

#include <string.h>

struct narrowing {
    struct arena *arena;
    const struct kernel *from;
    const struct temporary *temporaries;
    struct kernel *to;
    struct value_range *ranges;    /* [ins of from] */
    int *root;                     /* [ins of from] the instruction whose value this one keeps; or itself */
    enum weft_dtype *dtypes;       /* [ins of from] the type in which it is computed */
    int *uses;                     /* [ins of from] by how many operands it is read */
    bool *left_out;                /* [ins of from] computed only for a quotient that moves to float32 */
    enum weft_dtype *halves;       /* [ins of from] the 16-bit float on whose bits it is computed; WEFT_BOOL: none */
    bool *barred;                  /* [ins of from] it is not computed on bits */
    int *readers;                  /* [ins of from] by how many operands that take bits it is read */
    int *placed;                   /* [ins of from][dtypes] the instruction of `to`; -1: none yet */
};

/* ---- decisions ---- */

static bool is_conversion(const struct ins *ins)
{
    return ins->kind == INS_OP && op_rows[ins->op].rule == RULE_CONVERT;
}

static bool is_comparison(const struct ins *ins)
{
    return ins->kind == INS_OP && op_rows[ins->op].rule == RULE_COMPARE;
}

/* The ranges of the integer operands, except the condition of where. A missing operand has range 0 to 0.
 * False if one is unknown. */
static bool operand_ranges(const struct narrowing *n, const struct ins *ins, struct value_range r[3])
{
    bool known = true;
    for (int k = 0; k < 3; k++) {
        bool counts = ins->a[k] >= 0 && !(ins->op == OP_WHERE && k == 0);
        r[k] = counts ? n->ranges[ins->a[k]] : range_between(0, 0);
        known = known && r[k].known;
    }
    return known;
}

static struct value_range find_range(const struct narrowing *n, const struct ins *ins)
{
    struct value_range r[3], all = range_of_dtype(ins->dtype);
    if (ins->kind == INS_STORE || ins->kind == INS_FAULT || !dtype_is_integer(ins->dtype))
        return range_unknown;
    if (ins->kind == INS_LITERAL && all.known)
        return range_between(literal_value(n->from, ins), literal_value(n->from, ins));
    if (ins->kind == INS_LOAD && n->from->accesses[ins->index].kind == TENSOR_TEMPORARY) {
        const struct temporary *temporary = &n->temporaries[n->from->accesses[ins->index].index];
        return temporary->within.known && temporary->dtype == ins->dtype ? temporary->within : all;
    }
    if (ins->kind != INS_OP || !operand_ranges(n, ins, r))
        return all;
    if (is_conversion(ins)) {
        if (!dtype_is_integer(ins->source))
            return all;
        bool saturates = ins->op == OP_SATURATE && all.known;
        return range_fits(r[0], ins->dtype) ? r[0] : saturates ? range_saturated(r[0], all) : all;
    }
    struct value_range result = range_of_op(ins->op, r);
    return range_fits(result, ins->dtype) ? result : all;
}

/* Whether the operation can be computed in `dtype`: its operands fit, and so does its result. */
static bool may_happen_in(const struct narrowing *n, int i, enum weft_dtype dtype)
{
    const struct ins *ins = &n->from->ins[i];
    struct value_range r[3];
    if (ins->kind != INS_OP || is_conversion(ins) || !dtype_is_integer(ins->source) ||
        type_rows[ins->source].size <= 2 || ins->op == OP_COMPARE64 || !operand_ranges(n, ins, r))
        return false;
    for (int k = 0; k < 3; k++)
        if (!range_fits(r[k], dtype))
            return false;
    return is_comparison(ins) || (ins->dtype == ins->source && range_fits(n->ranges[i], dtype));
}

/* Whether instruction i converts a quotient in float64 to float32 that has the same bits in float32: of integers that
 * float32 holds, by such a number. Rounding twice then does no harm, as float64 has more than twice the bits and
 * two. */
static bool is_short_quotient(const struct narrowing *n, int i)
{
    const int64_t most = (int64_t)1 << 24;
    const struct ins *ins = &n->from->ins[i], *all = n->from->ins;
    if (!is_conversion(ins) || ins->dtype != WEFT_FLOAT32 || ins->source != WEFT_FLOAT64)
        return false;
    const struct ins *quotient = &all[ins->a[0]];
    if (quotient->kind != INS_OP || quotient->op != OP_DIV || n->uses[ins->a[0]] > 1)
        return false;
    const struct ins *a = &all[quotient->a[0]], *b = &all[quotient->a[1]];
    if (!is_conversion(a) || a->op != OP_CONVERT || !dtype_is_integer(a->source) || b->kind != INS_LITERAL)
        return false;
    const struct value_range range = n->ranges[a->a[0]];
    const double by = n->from->literals[b->index].f64;
    return range.known && range.lo >= -most && range.hi <= most && by >= 1 && by <= (double)most &&
           by == (double)(int64_t)by;
}

/* Marks what is computed only for the quotient that instruction i converts. */
static void leave_out(struct narrowing *n, int i)
{
    const int quotient = n->from->ins[i].a[0], dividend = n->from->ins[quotient].a[0];
    n->left_out[quotient] = true;
    n->left_out[dividend] = n->uses[dividend] == 1;
}

/* Whether a literal of float32 is a value of a 16-bit type. */
static bool is_half_literal(const struct narrowing *n, const struct ins *ins, enum weft_dtype half)
{
    const union scalar value = n->from->literals[ins->index], bits = eval_convert(WEFT_FLOAT32, half, false, value);
    return eval_convert(half, WEFT_FLOAT32, false, bits).f32 == value.f32;
}

/* The 16-bit type on whose bits instruction i can be computed, since all operands are of it, or are computed on its
 * bits; WEFT_BOOL: none. */
static enum weft_dtype half_of(const struct narrowing *n, int i)
{
    const struct ins *ins = &n->from->ins[i];
    enum weft_dtype half = WEFT_BOOL;
    if (ins->kind != INS_OP || ins->source != WEFT_FLOAT32 || !op_on_bits(ins->op))
        return WEFT_BOOL;
    for (int k = 0; k < 3 && ins->a[k] >= 0; k++) {
        const struct ins *a = &n->from->ins[ins->a[k]];
        const enum weft_dtype of = a->kind == INS_OP && a->op == OP_DECODE ? a->source : n->halves[ins->a[k]];
        if (a->kind == INS_LITERAL)
            continue;
        if (of == WEFT_BOOL || (half != WEFT_BOOL && half != of))
            return WEFT_BOOL;
        half = of;
    }
    for (int k = 0; k < 3 && ins->a[k] >= 0; k++) {
        const struct ins *a = &n->from->ins[ins->a[k]];
        if (half == WEFT_BOOL || (a->kind == INS_LITERAL && !is_half_literal(n, a, half)))
            return WEFT_BOOL;
    }
    return half;
}

/* Finds what is computed on bits: where others read it as float32, too, converting it twice costs more. */
static void find_halves(struct narrowing *n)
{
    const int count = n->from->ins_count;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++)
            n->readers[i] = 0;
        for (int i = 0; i < count; i++) {
            const struct ins *ins = &n->from->ins[i];
            const bool encodes = ins->kind == INS_OP && ins->op == OP_ENCODE;
            n->halves[i] = n->barred[i] ? WEFT_BOOL : half_of(n, i);
            for (int k = 0; k < 3; k++)
                if (ins->a[k] >= 0 && (encodes ? n->halves[ins->a[k]] == ins->dtype : n->halves[i] != WEFT_BOOL))
                    n->readers[ins->a[k]]++;
        }
        for (int i = count - 1; i >= 0; i--) { /* what is barred reads no bits, so a chain is done in one turn */
            const bool bars = n->halves[i] != WEFT_BOOL && n->readers[i] < n->uses[i];
            n->barred[i] = n->barred[i] || bars;
            changed = changed || bars;
            for (int k = 0; k < 3 && bars; k++)
                if (n->from->ins[i].a[k] >= 0)
                    n->readers[n->from->ins[i].a[k]]--;
        }
    }
}

static void decide(struct narrowing *n, int i)
{
    const struct ins *ins = &n->from->ins[i];
    n->ranges[i] = find_range(n, ins);
    n->root[i] = i;
    n->dtypes[i] = ins->kind == INS_OP && !is_conversion(ins) ? ins->source : ins->dtype;
    const bool divides = ins->kind == INS_OP && op_divides(ins->op, ins->source); /* without signs it is less work */
    const enum weft_dtype first = divides ? WEFT_UINT16 : WEFT_INT16, second = divides ? WEFT_INT16 : WEFT_UINT16;
    if (may_happen_in(n, i, first))
        n->dtypes[i] = first;
    else if (may_happen_in(n, i, second))
        n->dtypes[i] = second;
    if (is_conversion(ins) && dtype_is_integer(ins->source) && dtype_is_integer(ins->dtype) &&
        range_fits(n->ranges[ins->a[0]], ins->dtype))
        n->root[i] = n->root[ins->a[0]];
    if (n->halves[i] != WEFT_BOOL)
        n->dtypes[i] = n->halves[i];
    if (ins->kind == INS_OP && ins->op == OP_ENCODE && n->halves[ins->a[0]] == ins->dtype)
        n->root[i] = n->root[ins->a[0]];
    n->left_out[i] = n->left_out[i] || (ins->kind == INS_OP && ins->op == OP_DECODE && n->readers[i] == n->uses[i]);
}

/* ---- the new kernel ---- */

/* The dtype of an instruction's value in the new kernel. */
static enum weft_dtype value_dtype(const struct narrowing *n, int i)
{
    const struct ins *ins = &n->from->ins[i];
    return ins->kind == INS_OP && ins->dtype == WEFT_BOOL ? WEFT_BOOL : n->dtypes[i];
}

/* The value of the old kernel's instruction i in `dtype`, which can hold it. */
static int value_in(struct narrowing *n, int i, enum weft_dtype dtype)
{
    i = n->root[i];
    int *place = &n->placed[i * WEFT_DTYPE_COUNT + (int)dtype];
    const struct ins *ins = &n->from->ins[i];
    enum weft_dtype now = value_dtype(n, i);
    if (*place >= 0)
        return *place;
    if (ins->kind == INS_OP && ins->op == OP_DECODE && ins->source == dtype)
        return value_in(n, ins->a[0], dtype);
    if (ins->kind == INS_LITERAL) {
        const union scalar value = eval_convert(ins->dtype, dtype, false, n->from->literals[ins->index]);
        const int index = kernel_add_literal(n->to, dtype, value);
        return *place = kernel_add_ins(n->to, (struct ins){INS_LITERAL, OP_COUNT, dtype, dtype, {-1, -1, -1}, index,
                                                           ins->span});
    }
    int from = n->placed[i * WEFT_DTYPE_COUNT + (int)now];
    return *place = kernel_add_ins(n->to, (struct ins){INS_OP, OP_CONVERT, dtype, now, {from, -1, -1}, 0, ins->span});
}

/* A conversion reads its operand in the type in which that was computed, except a conversion of bits. */
static void place_conversion(struct narrowing *n, int i)
{
    struct ins ins = n->from->ins[i];
    int root = n->root[ins.a[0]];
    if (n->root[i] != i)
        return;
    if (is_short_quotient(n, i)) {
        const struct ins *quotient = &n->from->ins[ins.a[0]];
        const int a = value_in(n, n->from->ins[quotient->a[0]].a[0], WEFT_FLOAT32);
        const int b = value_in(n, quotient->a[1], WEFT_FLOAT32);
        ins = (struct ins){INS_OP, OP_DIV, WEFT_FLOAT32, WEFT_FLOAT32, {a, b, -1}, 0, quotient->span};
        n->placed[i * WEFT_DTYPE_COUNT + (int)WEFT_FLOAT32] = kernel_add_ins(n->to, ins);
        return;
    }
    if (dtype_is_integer(ins.source) && n->from->ins[root].kind != INS_LITERAL && ins.op != OP_BITS)
        ins.source = value_dtype(n, root);
    ins.a[0] = value_in(n, ins.a[0], ins.source);
    n->placed[i * WEFT_DTYPE_COUNT + (int)ins.dtype] = kernel_add_ins(n->to, ins);
}

static void place(struct narrowing *n, int i)
{
    struct ins ins = n->from->ins[i];
    if (ins.kind == INS_LITERAL || n->left_out[i])
        return; /* a literal is added where it is read, in the type of the reader */
    if (ins.kind == INS_NUMBER)
        ins.index = kernel_add_number(n->to, ins.dtype, n->from->literal_sources[ins.index]);
    if (is_conversion(&ins)) {
        place_conversion(n, i);
        return;
    }
    for (int k = 0; k < 3; k++) {
        if (ins.a[k] < 0)
            continue;
        enum weft_dtype dtype = n->from->ins[ins.a[k]].dtype;
        bool moves = ins.kind == INS_OP && dtype == ins.source && !(ins.op == OP_WHERE && k == 0);
        ins.a[k] = value_in(n, ins.a[k], moves ? n->dtypes[i] : dtype);
    }
    if (ins.kind == INS_OP) {
        ins.dtype = value_dtype(n, i);
        ins.source = n->dtypes[i];
    }
    n->placed[i * WEFT_DTYPE_COUNT + (int)ins.dtype] = kernel_add_ins(n->to, ins);
}

/* ---- the pass ---- */

static bool decide_all(struct narrowing *n)
{
    bool any = false;
    find_halves(n);
    for (int i = 0; i < n->from->ins_count; i++) {
        const struct ins *ins = &n->from->ins[i];
        decide(n, i);
        const bool short_quotient = is_short_quotient(n, i);
        if (short_quotient)
            leave_out(n, i);
        any = any || short_quotient || (ins->kind == INS_OP && !is_conversion(ins) && n->dtypes[i] != ins->source);
    }
    return any;
}

struct kernel *narrow(struct arena *arena, struct kernel *kernel, const struct temporary *temporaries)
{
    struct narrowing n = {.arena = arena, .from = kernel, .temporaries = temporaries,
                          .ranges = ARENA_ARRAY(arena, struct value_range, kernel->ins_count),
                          .root = ARENA_ARRAY(arena, int, kernel->ins_count),
                          .uses = kernel_uses(arena, kernel),
                          .left_out = ARENA_ARRAY(arena, bool, kernel->ins_count),
                          .halves = ARENA_ARRAY(arena, enum weft_dtype, kernel->ins_count),
                          .barred = ARENA_ARRAY(arena, bool, kernel->ins_count),
                          .readers = ARENA_ARRAY(arena, int, kernel->ins_count),
                          .dtypes = ARENA_ARRAY(arena, enum weft_dtype, kernel->ins_count)};
    if (!decide_all(&n))
        return kernel;
    size_t places = (size_t)kernel->ins_count * WEFT_DTYPE_COUNT;
    n.placed = ARENA_ARRAY(arena, int, places);
    memset(n.placed, -1, places * sizeof *n.placed);
    n.to = kernel_like(arena, kernel);
    n.to->accesses = kernel->accesses;
    n.to->access_count = kernel->access_count;
    n.to->load_count = kernel->load_count;
    for (int i = 0; i < kernel->ins_count; i++)
        place(&n, i);
    return n.to;
}
