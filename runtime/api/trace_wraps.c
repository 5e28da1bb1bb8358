/* What a trace says of integers that wrapped, or lost digits in float32. Whether elements did is a matter of their
 * operands: these are computed once more, and each result is compared with the exact one. */
#include "runtime/api/trace_impl.h"

#include "compiler/check/check.h"

/* ---- one element ---- */

/* One step of arithmetic on values that are exact so far. False: the result leaves int64 or uint64. */
static bool step_signed(enum op op, int64_t a, int64_t b, int64_t *result)
{
    return op == OP_ADD   ? !__builtin_add_overflow(a, b, result)
           : op == OP_SUB ? !__builtin_sub_overflow(a, b, result)
                          : !__builtin_mul_overflow(a, b, result);
}

static bool step_unsigned(enum op op, uint64_t a, uint64_t b, uint64_t *result)
{
    return op == OP_ADD   ? !__builtin_add_overflow(a, b, result)
           : op == OP_SUB ? !__builtin_sub_overflow(a, b, result)
                          : !__builtin_mul_overflow(a, b, result);
}

static bool signed_fits(enum op op, int64_t a, int64_t b, int bits)
{
    const int64_t most = INT64_MAX >> (64 - bits);
    int64_t result;
    return step_signed(op, a, b, &result) && result <= most && result >= -1 - most;
}

static bool unsigned_fits(enum op op, uint64_t a, uint64_t b, int bits)
{
    uint64_t result;
    return step_unsigned(op, a, b, &result) && result <= UINT64_MAX >> (64 - bits);
}

/* Bases from -1 to 1 stay there, and others leave 64 bits after at most 64 steps. A negative exponent gives 0. */
static bool signed_power_fits(int64_t base, int64_t exponent, int bits)
{
    bool fits = true;
    int64_t power = 1;
    for (int64_t i = 0; fits && (base > 1 || base < -1) && i < exponent; i++) {
        fits = signed_fits(OP_MUL, power, base, bits);
        power *= fits ? base : 1;
    }
    return fits;
}

static bool unsigned_power_fits(uint64_t base, uint64_t exponent, int bits)
{
    bool fits = true;
    uint64_t power = 1;
    for (uint64_t i = 0; fits && base > 1 && i < exponent; i++) {
        fits = unsigned_fits(OP_MUL, power, base, bits);
        power *= fits ? base : 1;
    }
    return fits;
}

/* Whether the type holds the exact result on operands of that type. */
static bool fits(enum op op, enum weft_dtype dtype, union scalar a, union scalar b)
{
    const int bits = type_rows[dtype].bits;
    if (type_rows[dtype].class == CLASS_UNSIGNED) {
        const uint64_t x = eval_convert(dtype, WEFT_UINT64, false, a).u64;
        const uint64_t y = eval_convert(dtype, WEFT_UINT64, false, b).u64;
        return op == OP_POW      ? unsigned_power_fits(x, y, bits)
               : op == OP_NEG    ? x == 0
               : op == OP_SQUARE ? unsigned_fits(OP_MUL, x, x, bits)
                                 : unsigned_fits(op, x, y, bits);
    }
    const int64_t x = eval_convert(dtype, WEFT_INT64, false, a).i64;
    const int64_t y = eval_convert(dtype, WEFT_INT64, false, b).i64;
    return op == OP_POW      ? signed_power_fits(x, y, bits)
           : op == OP_NEG    ? signed_fits(OP_SUB, 0, x, bits)
           : op == OP_SQUARE ? signed_fits(OP_MUL, x, x, bits)
                             : signed_fits(op, x, y, bits);
}

/* ---- all of them ---- */

bool counts_wraps(const struct node *node)
{
    if (node->kind != NODE_OP || node->literal.kind != LITERAL_NONE || node->own_types || node->made ||
        !dtype_is_integer(node->dtype))
        return false;
    switch (node->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_NEG: case OP_POW: case OP_SQUARE: return true;
    default: return false;
    }
}

/* Between which values the elements of an operand lie. */
static struct value_range operand_range(const struct node *operand, const struct summary *summary)
{
    const enum weft_dtype dtype = operand->dtype;
    if (operand->literal.kind == LITERAL_INTEGER && literal_fits(&operand->literal, WEFT_INT64))
        return range_between((int64_t)operand->literal.integer, (int64_t)operand->literal.integer);
    if (!summary || !summary->any || !dtype_is_integer(dtype) || dtype == WEFT_UINT64)
        return range_unknown;
    return range_between(eval_convert(dtype, WEFT_INT64, false, summary->smallest).i64,
                         eval_convert(dtype, WEFT_INT64, false, summary->largest).i64);
}

bool cannot_wrap(const struct program *program, const struct node *node, const struct summary *const operands[2])
{
    struct value_range ranges[3] = {range_between(0, 0), range_between(0, 0), range_between(0, 0)};
    bool known = node->operand_count <= 2;
    for (int i = 0; known && i < node->operand_count; i++) {
        ranges[i] = operand_range(operand_node(program, node, i), operands[i]);
        known = ranges[i].known;
    }
    return known && range_fits(range_of_op(node->op, ranges), node->dtype);
}

/* The element of an operand for the result's element at this position, in the type of the operation. */
static union scalar element_of(const struct wrap_operand *operand, enum weft_dtype dtype, const struct shape *shape,
                               const int64_t *at)
{
    int64_t number = 0;
    if (!operand->data)
        return operand->value;
    const int missing = shape->rank - operand->shape->rank;
    for (int d = 0; d < operand->shape->rank; d++) {
        const int64_t extent = operand->shape->extents[d];
        number = number * extent + (extent == 1 ? 0 : at[missing + d]);
    }
    const char *address = (const char *)operand->data + number * type_rows[operand->dtype].size;
    return eval_convert(operand->dtype, dtype, false, scalar_load(address, operand->dtype));
}

int64_t count_wraps(const struct node *node, const struct shape *shape, const struct wrap_operand operands[2])
{
    int64_t at[WEFT_MAX_RANK] = {0}, count = 0;
    const int64_t volume = shape_volume(shape);
    for (int64_t i = 0; i < volume; i++) {
        const union scalar a = element_of(&operands[0], node->dtype, shape, at);
        const union scalar b = node->operand_count > 1 ? element_of(&operands[1], node->dtype, shape, at) : a;
        count += !fits(node->op, node->dtype, a, b);
        for (int d = shape->rank - 1; d >= 0 && ++at[d] == shape->extents[d]; d--)
            at[d] = 0;
    }
    return count;
}

const char *wrapped_words(struct arena *arena, const struct node *node, int64_t wrapped, int64_t count)
{
    const bool is_unsigned = type_rows[node->dtype].class == CLASS_UNSIGNED;
    return !wrapped ? ""
                    : arena_printf(arena, "; %lld of %lld wrap%s%s", (long long)wrapped, (long long)count,
                                   is_unsigned ? " " : "", is_unsigned ? wrap_limit(arena, node) : "");
}

const char *rounded_words(struct arena *arena, const struct program *program, const struct node *node, int operand,
                          const struct summary *summary, int64_t count)
{
    const struct node *from = operand_node(program, node, operand);
    return node->kind == NODE_REDUCE || !rounds_integer(program, node, operand) || !summary->rounded
               ? ""
               : arena_printf(arena, "; %lld of %lld of %s are rounded to float32", (long long)summary->rounded,
                              (long long)count, expression_text(arena, program, from->span));
}
