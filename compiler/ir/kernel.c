/* Implements literal_divisor of kernel.h. */
#include "compiler/ir/kernel.h"

bool literal_divisor(const struct kernel *kernel, const struct ins *ins, int64_t *divisor)
{
    if (ins->kind != INS_OP || !op_fault(ins->op, ins->source) || dtype_is_float(ins->source) ||
        kernel->ins[ins->a[1]].kind != INS_LITERAL)
        return false;
    union scalar wide = kernel->literals[kernel->ins[ins->a[1]].index];
    if (ins->source != WEFT_INT64)
        wide = eval_op(OP_CONVERT, ins->source, WEFT_INT64, wide, wide, wide);
    *divisor = wide.i64;
    return wide.i64 >= -INT32_MAX && wide.i64 <= INT32_MAX;
}
