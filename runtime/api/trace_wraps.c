/* What a trace says of integers that wrapped. A sum's mean is the sum of the means, broadcast or not, less the modulus
 * for each element that wrapped. So the means say how many did. Of products, and signed types, which wrap both ways,
 * the extremes of the operands say whether any may have. */
#include "runtime/api/trace_impl.h"

#include "compiler/check/check.h"

#include <math.h>

static struct value_range summary_range(enum weft_dtype dtype, const struct summary *summary)
{
    if (!summary->any || dtype == WEFT_UINT64)
        return range_unknown;
    return range_between(eval_convert(dtype, WEFT_INT64, false, summary->smallest).i64,
                         eval_convert(dtype, WEFT_INT64, false, summary->largest).i64);
}

/* The mean of an operand whose values all lie in `range`. */
static bool operand_known(const struct node *operand, const struct summary *summary, struct value_range *range,
                          double *mean)
{
    if (operand->literal.kind == LITERAL_INTEGER && literal_fits(&operand->literal, WEFT_INT64)) {
        *range = range_between((int64_t)operand->literal.integer, (int64_t)operand->literal.integer);
        *mean = (double)operand->literal.integer;
        return true;
    }
    if (!summary || !dtype_is_integer(operand->dtype))
        return false;
    *range = summary_range(operand->dtype, summary);
    *mean = summary->mean;
    return range->known;
}

const char *wrapped_words(struct arena *arena, const struct program *program, const struct node *node,
                          const struct summary *const *operands, const struct summary *result, int64_t count)
{
    struct value_range ranges[3] = {range_between(0, 0), range_between(0, 0), range_between(0, 0)};
    double means[3] = {0};
    bool known = node->operand_count <= 2;
    for (int i = 0; known && i < node->operand_count; i++)
        known = operand_known(operand_node(program, node, i), operands[i], &ranges[i], &means[i]);
    const struct value_range exact = known ? range_of_op(node->op, ranges) : range_unknown;
    if (range_fits(exact, node->dtype) || !count)
        return "";
    const char *limit = wrap_limit(arena, node);
    const bool sum = node->op == OP_ADD || node->op == OP_SUB;
    if (!exact.known || !sum || type_rows[node->dtype].class != CLASS_UNSIGNED)
        return arena_printf(arena, "; may wrap %s", limit);
    const double lost = means[0] + (node->op == OP_SUB ? -means[1] : means[1]) - result->mean;
    const int64_t wrapped = llround(fabs(lost) * (double)count / ldexp(1, type_rows[node->dtype].bits));
    return wrapped ? arena_printf(arena, "; %lld of %lld wrap %s", (long long)wrapped, (long long)count, limit) : "";
}
