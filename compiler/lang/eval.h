/* The reference evaluator: computes every row of ops.def on single values. It is compiled from the same meanings and
 * helpers as the kernels. Folding uses it for constants; tests compare kernels with it. */
#ifndef WEFT_COMPILER_LANG_EVAL_H
#define WEFT_COMPILER_LANG_EVAL_H

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

/* Evaluates row `op` on operands of dtype `source`; the condition of where is a bool. The result has dtype bool where
 * the row's rule says so, else dtype `source`, to which it is rounded once. A conversion row does one step and gives
 * dtype `result`. Operands that the row does not have are ignored. The row must have a meaning for `source`. */
union scalar eval_op(enum op op, enum weft_dtype source, enum weft_dtype result, union scalar a,
                     union scalar b, union scalar c);
/* Whether the row divides by zero on these operands (rule 4.4). */
bool eval_fault(enum op op, enum weft_dtype source, union scalar a, union scalar b, union scalar c);
/* One step of a conversion: a row and the type that it gives. */
struct step {
    enum op op;
    enum weft_dtype to;
};

/* Writes the steps that convert `from` to `to`, in order, and returns how many there are. With `saturate` they
 * convert as a cast does (rule 4.6), else as promotion and wrap do. To and from a 16-bit float they go through the
 * type in which it computes. */
enum { MAX_STEPS = 2 };
int conversion(enum weft_dtype from, enum weft_dtype to, bool saturate, struct step steps[MAX_STEPS]);
/* Applies these steps to a value. */
union scalar eval_convert(enum weft_dtype from, enum weft_dtype to, bool saturate, union scalar value);

/* The row that reinterprets a value's bits in memory as another type of the same size. As a
 * bool, what is not 0 is true. */
enum op reinterpretation(enum weft_dtype from, enum weft_dtype to);

/* Load an element from memory, where any nonzero byte is a true bool, and store one, where true is 1. The
 * memory may have any alignment. */
union scalar scalar_load(const void *memory, enum weft_dtype dtype);
void scalar_store(void *memory, enum weft_dtype dtype, union scalar value);
/* Prints a value exactly, as the language writes it: true, -3, 0.1, inf. */
void scalar_print(struct buf *buf, enum weft_dtype dtype, union scalar value);

#endif
