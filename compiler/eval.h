/* The reference evaluator: every row of ops.def on single values, compiled from the same meanings
 * and the same helpers as the kernels. Folding uses it for constants, the tests as the slow path
 * that kernels are compared with. */
#ifndef WEFT_EVAL_H
#define WEFT_EVAL_H

#include "compiler/base/buf.h"
#include "compiler/ops.h"

/* One element of any dtype. Unused bytes are zero. */
union scalar {
    uint64_t bits;
    bool b1;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
};

/* Row `op` on operands of dtype `source` (where's condition is a bool beside them). The result has
 * dtype bool where the row's rule says so, else `source`; conversions give `result`. Operands the
 * row does not have are ignored. The row must have a meaning for `source`. */
union scalar eval_op(enum op op, enum weft_dtype source, enum weft_dtype result, union scalar a,
                     union scalar b, union scalar c);
/* Whether the row divides by zero on these operands (rule 4.4). */
bool eval_fault(enum op op, enum weft_dtype source, union scalar a, union scalar b, union scalar c);
/* The row that converts `from` to `to`: as a cast does (rule 4.6) when `saturate`, else as promotion
 * and wrap do. OP_COUNT when the types are equal. */
enum op conversion(enum weft_dtype from, enum weft_dtype to, bool saturate);

/* An element from memory (a bool byte other than 0 is true) and back (1 is written). Any alignment. */
union scalar scalar_load(const void *memory, enum weft_dtype dtype);
void scalar_store(void *memory, enum weft_dtype dtype, union scalar value);
/* As the language writes it, exactly: true, -3, 0.1, inf. */
void scalar_print(struct buf *buf, enum weft_dtype dtype, union scalar value);

#endif
