/* Implements eval.h. The file includes eval_type.inc once per compute type. Each time, the rows of ops.def become
 * the cases of one switch. */
#include "compiler/lang/eval.h"

#include <math.h>
#include <string.h>

/* The meanings are written for all types at once. So comparisons of unsigned values with 0, and products in place
 * of a bool, are intended. */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#endif

#define FN static inline __attribute__((unused))
#define NONE 0
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define PASTE3_(a, b, c) a##_##b##_##c
#define PASTE3(a, b, c) PASTE3_(a, b, c)
/* Classes of types, for the preprocessor. */
#define BOOLEAN 0
#define INTEGER 1
#define FLOATING 2
#define HALF 3                     /* computes in another type; has conversions only */

enum {
#define TYPE(id, name, short, class, bits, fraction, ...) fraction_##short = fraction,
#include "grammar/types.def"
};

#define CLASS BOOLEAN
#define MEANING(i, f, b) b
#define SHORT b1
#define T bool
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#undef CLASS
#undef MEANING

#define CLASS INTEGER
#define MEANING(i, f, b) i
#define SHORT i8
#define T int8_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT i16
#define T int16_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT i32
#define T int32_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT i64
#define T int64_t
#define U uint64_t
#include "compiler/lang/eval_type.inc"
#define SHORT u8
#define T uint8_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT u16
#define T uint16_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT u32
#define T uint32_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT u64
#define T uint64_t
#define U uint64_t
#include "compiler/lang/eval_type.inc"
#undef CLASS
#undef MEANING

#define CLASS HALF
#define MEANING(i, f, b) NONE
#define SHORT f16
#define T uint16_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#define SHORT bf16
#define T uint16_t
#define U uint32_t
#include "compiler/lang/eval_type.inc"
#undef CLASS
#undef MEANING

#define CLASS FLOATING
#define MEANING(i, f, b) f
#define F(name) name##f
#define SHORT f32
#define T float
#define U float
#include "compiler/lang/eval_type.inc"
#undef F
#define F(name) name
#define SHORT f64
#define T double
#define U double
#include "compiler/lang/eval_type.inc"
#undef F
#undef CLASS
#undef MEANING

typedef union scalar row_fn(enum op, union scalar, union scalar, union scalar);
typedef union scalar convert_fn(enum op, enum weft_dtype, union scalar);

/* Evaluates a row on a type that computes in another one: decodes the operands, and rounds the result. */
static union scalar eval_half(enum op op, enum weft_dtype source, const union scalar operands[3])
{
    enum weft_dtype compute = type_rows[source].compute;
    union scalar v[3];
    for (int i = 0; i < 3; i++) {
        bool condition = op_rows[op].rule == RULE_SELECT && i == 0;
        v[i] = condition ? operands[i] : eval_convert(source, compute, false, operands[i]);
    }
    union scalar r = eval_op(op_neighbour(op, source), compute, compute, v[0], v[1], v[2]);
    return rule_rows[op_rows[op].rule].result == RESULT_BOOL ? r : eval_convert(compute, source, false, r);
}

union scalar eval_op(enum op op, enum weft_dtype source, enum weft_dtype result, union scalar a,
                     union scalar b, union scalar c)
{
#define TYPE(id, name, short, ...) [WEFT_##id] = rows_##short,
    static row_fn *const rows[] = {
#include "grammar/types.def"
    };
#define TYPE(id, name, short, ...) [WEFT_##id] = convert_to_##short,
    static convert_fn *const conversions[] = {
#include "grammar/types.def"
    };
    if (op_rows[op].rule == RULE_CONVERT)
        return conversions[result](op, source, a);
    if (dtype_is_half(source))
        return eval_half(op, source, (union scalar[]){a, b, c});
    return rows[source](op, a, b, c);
}

bool eval_fault(enum op op, enum weft_dtype source, union scalar a, union scalar b, union scalar c)
{
#define TYPE(id, name, short, ...) [WEFT_##id] = faults_##short,
    static bool (*const faults[])(enum op, union scalar, union scalar, union scalar) = {
#include "grammar/types.def"
    };
    return op_fault(op, source) && faults[source](op, a, b, c);
}

/* Whether float32 holds every value of the type. */
static bool fits_float32(enum weft_dtype t)
{
    return type_rows[t].bits <= (dtype_is_float(t) ? 32 : 24);
}

/* The one row that converts between two types. If one of them is a 16-bit float, the other is the
 * type in which it computes. */
static enum op single_conversion(enum weft_dtype from, enum weft_dtype to, bool saturate)
{
    if (type_rows[to].compute == from)
        return OP_ENCODE;
    if (type_rows[from].compute == to)
        return OP_DECODE;
    if (to == WEFT_BOOL)
        return OP_NONZERO;
    return !saturate || from == WEFT_BOOL || dtype_is_float(to) ? OP_CONVERT
           : dtype_is_float(from)                               ? OP_ROUNDSAT
                                                                : OP_SATURATE;
}

int conversion(enum weft_dtype from, enum weft_dtype to, bool saturate, struct step steps[MAX_STEPS])
{
    enum weft_dtype by = dtype_is_half(from) ? type_rows[from].compute : type_rows[to].compute;
    int count = 0;
    if (from == to)
        return 0;
    if (dtype_is_half(to) && !fits_float32(from)) {
        steps[count++] = (struct step){dtype_is_integer(from) ? OP_ODD_WHOLE : OP_ODD, by};
        from = by;
    } else if (from != by && to != by) {
        steps[count++] = (struct step){single_conversion(from, by, saturate), by};
        from = by;
    }
    steps[count++] = (struct step){single_conversion(from, to, saturate), to};
    return count;
}

union scalar eval_convert(enum weft_dtype from, enum weft_dtype to, bool saturate, union scalar value)
{
    struct step steps[MAX_STEPS];
    int count = conversion(from, to, saturate, steps);
    for (int i = 0; i < count; i++) {
        value = eval_op(steps[i].op, from, steps[i].to, value, value, value);
        from = steps[i].to;
    }
    return value;
}

enum op reinterpretation(enum weft_dtype from, enum weft_dtype to)
{
    return to == WEFT_BOOL                              ? OP_NONZERO
           : dtype_is_float(from) || dtype_is_float(to) ? OP_BITS
                                                        : OP_CONVERT;
}

union scalar scalar_load(const void *memory, enum weft_dtype dtype)
{
    union scalar value = {0};
    memcpy(&value, memory, (size_t)type_rows[dtype].size);
    if (dtype == WEFT_BOOL) {
        value.b1 = value.u8 != 0;
    }
    return value;
}

void scalar_store(void *memory, enum weft_dtype dtype, union scalar value)
{
    memcpy(memory, &value, (size_t)type_rows[dtype].size);
}

/* Whether the decimal that reads as `text` is this value in its type. */
static bool reads_back(double text, double value, int dtype)
{
    union scalar a = {.f64 = text}, b = {.f64 = value};
    return eval_convert(WEFT_FLOAT64, (enum weft_dtype)dtype, true, a).bits ==
           eval_convert(WEFT_FLOAT64, (enum weft_dtype)dtype, true, b).bits;
}

void scalar_print(struct buf *buf, enum weft_dtype dtype, union scalar value)
{
    switch (type_rows[dtype].class) {
    case CLASS_BOOLEAN: buf_puts(buf, value.b1 ? "true" : "false"); break;
    case CLASS_UNSIGNED: buf_printf(buf, "%llu", (unsigned long long)value.u64); break;
    case CLASS_SIGNED:
        value = eval_convert(dtype, WEFT_INT64, false, value);
        buf_printf(buf, "%lld", (long long)value.i64);
        break;
    case CLASS_FLOATING:
        value = eval_convert(dtype, WEFT_FLOAT64, false, value);
        buf_real(buf, value.f64, dtype == WEFT_FLOAT64 ? NULL : reads_back, (int)dtype);
        break;
    }
}
