/* See eval.h. The file includes eval_type.inc once per compute type; each time the rows of ops.def
 * become the cases of one switch. */
#include "compiler/eval.h"

#include <math.h>
#include <string.h>

/* The meanings are written for every type at once: comparisons of unsigned values with 0 and products
 * in a bool's place are meant. */
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

#define CLASS BOOLEAN
#define MEANING(i, f, b) b
#define SHORT b1
#define T bool
#define U uint32_t
#include "compiler/eval_type.inc"
#undef CLASS
#undef MEANING

#define CLASS INTEGER
#define MEANING(i, f, b) i
#define SHORT i8
#define T int8_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT i16
#define T int16_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT i32
#define T int32_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT i64
#define T int64_t
#define U uint64_t
#include "compiler/eval_type.inc"
#define SHORT u8
#define T uint8_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT u16
#define T uint16_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT u32
#define T uint32_t
#define U uint32_t
#include "compiler/eval_type.inc"
#define SHORT u64
#define T uint64_t
#define U uint64_t
#include "compiler/eval_type.inc"
#undef CLASS
#undef MEANING

#define CLASS FLOATING
#define MEANING(i, f, b) f
#define F(name) name##f
#define SHORT f32
#define T float
#define U float
#include "compiler/eval_type.inc"
#undef F
#define F(name) name
#define SHORT f64
#define T double
#define U double
#include "compiler/eval_type.inc"
#undef F
#undef CLASS
#undef MEANING

typedef union scalar row_fn(enum op, union scalar, union scalar, union scalar);
typedef union scalar convert_fn(enum op, enum weft_dtype, union scalar);

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

enum op conversion(enum weft_dtype from, enum weft_dtype to, bool saturate)
{
    if (from == to)
        return OP_COUNT;
    if (to == WEFT_BOOL)
        return OP_NONZERO;
    if (!saturate || from == WEFT_BOOL || dtype_is_float(to))
        return OP_CONVERT;
    return dtype_is_float(from) ? OP_ROUNDSAT : OP_SATURATE;
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

void scalar_print(struct buf *buf, enum weft_dtype dtype, union scalar value)
{
    switch (type_rows[dtype].class) {
    case CLASS_BOOLEAN: buf_puts(buf, value.b1 ? "true" : "false"); break;
    case CLASS_UNSIGNED: buf_printf(buf, "%llu", (unsigned long long)value.u64); break;
    case CLASS_SIGNED:
        value = eval_op(OP_CONVERT, dtype, WEFT_INT64, value, value, value);
        buf_printf(buf, "%lld", (long long)value.i64);
        break;
    case CLASS_FLOATING:
        if (dtype == WEFT_FLOAT32)
            buf_float(buf, value.f32);
        else
            buf_double(buf, value.f64);
        break;
    }
}
