/* The reference evaluator: every row of ops.def on single values, compiled from the same meanings
 * and the same helpers as the kernels. Folding uses it for constants, the tests as the slow path
 * that kernels are compared with. */
#ifndef WEFT_EVAL_H
#define WEFT_EVAL_H

#include "compiler/base/base.h"
#include "compiler/lang/ops.h"

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
    uint16_t f16, bf16;            /* the bits of the format */
    float f32;
    double f64;
};

/* Row `op` on operands of dtype `source` (where's condition is a bool beside them). The result has
 * dtype bool where the row's rule says so, else `source`, to which it is rounded once; conversions, each a
 * single step of a conversion, give `result`. Operands the row does not have are ignored. The row must have
 * a meaning for `source`. */
union scalar eval_op(enum op op, enum weft_dtype source, enum weft_dtype result, union scalar a,
                     union scalar b, union scalar c);
/* Whether the row divides by zero on these operands (rule 4.4). */
bool eval_fault(enum op op, enum weft_dtype source, union scalar a, union scalar b, union scalar c);
/* One row of a conversion, and the type it gives. */
struct step {
    enum op op;
    enum weft_dtype to;
};

/* The rows that convert `from` to `to`, one after the other, and how many they are: as a cast does (rule
 * 4.6) when `saturate`, else as promotion and wrap do. A 16-bit floating type is left and reached by way
 * of the type it computes in. */
enum { MAX_STEPS = 3 };
int conversion(enum weft_dtype from, enum weft_dtype to, bool saturate, struct step steps[MAX_STEPS]);
/* The same on a value. */
union scalar eval_convert(enum weft_dtype from, enum weft_dtype to, bool saturate, union scalar value);

/* The row that keeps a value's bits in memory, to another type of as many bytes: a bool of 0 and 1, and
 * what is not 0 is true. */
enum op reinterpretation(enum weft_dtype from, enum weft_dtype to);

/* An element from memory (a bool byte other than 0 is true) and back (1 is written). Any alignment. */
union scalar scalar_load(const void *memory, enum weft_dtype dtype);
void scalar_store(void *memory, enum weft_dtype dtype, union scalar value);
/* As the language writes it, exactly: true, -3, 0.1, inf. */
void scalar_print(struct buf *buf, enum weft_dtype dtype, union scalar value);

#endif
