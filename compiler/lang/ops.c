/* Implements ops.h: makes arrays of the tables in grammar/ and looks rows up by spelling. */
#include "compiler/lang/ops.h"

#include <string.h>

#define EXACT 0, 0, false
#define CLOSED 0, 0, true
#define ULP(f32, f64) f32, f64, false
#define ROW(id, ...) [OP_##id] = {#id, __VA_ARGS__},
/* Meanings become texts here, before a macro can expand their tokens. */
#define OP(id, spellings, form, precedence, parameters, rule, i, f, b, fault, accuracy, weight, float_weight, doc) \
    ROW(id, spellings, FORM_##form, precedence, parameters, RULE_##rule, #i, #f, #b, #fault,       \
        accuracy, weight, float_weight, doc)
const struct op_row op_rows[OP_COUNT] = {
#include "grammar/ops.def"
};

#define RULE(id, operand, result, all_bool, floats, doc)                                           \
    [RULE_##id] = {#id, OPERAND_##operand, RESULT_##result, all_bool, floats, WEFT_BOOL, doc},
const struct rule rule_rows[RULE_COUNT] = {
#include "grammar/rules.def"
};

#define TYPE(id, name, short, class, bits, fraction, compute, nearest, storage, load, store, code) \
    [WEFT_##id] = {#name, #short, CLASS_##class, bits, fraction, WEFT_##compute, OP_##nearest,      \
                   sizeof(storage), #storage, #load, #store, code},
const struct type_row type_rows[WEFT_DTYPE_COUNT] = {
#include "grammar/types.def"
};

const char *op_on_bits(enum op op)
{
#define OP(...)
#define CONVERSION(...)
#define ON_BITS(id, meaning) [OP_##id] = #meaning,
    static const char *const meanings[OP_COUNT] = {
#include "grammar/ops.def"
    };
    return meanings[op];
}

const char *op_meaning(enum op op, enum weft_dtype operand)
{
    if (dtype_is_half(operand) && op_on_bits(op))
        return op_on_bits(op);
    const struct op_row *row = &op_rows[op];
    enum type_class class = type_rows[operand].class;
    const char *text = class == CLASS_BOOLEAN    ? row->boolean
                       : class == CLASS_FLOATING ? row->floating
                                                 : row->integer;
    return strcmp(text, "NONE") == 0 ? NULL : text;
}

const char *op_block(enum op op)
{
#define OP(...)
#define CONVERSION(id, spelling, i, f, b, weight, float_weight, block, doc) [OP_##id] = #block,
    static const char *const blocks[OP_COUNT] = {
#include "grammar/ops.def"
    };
    return blocks[op] && strcmp(blocks[op], "NONE") != 0 ? blocks[op] : NULL;
}

const struct bounded_row *op_bounded(enum op op)
{
#define OP(...)
#define CONVERSION(...)
#define BOUNDED(id, number, nonzero) [OP_##id] = {true, OP_##number, OP_##nonzero},
    static const struct bounded_row rows[OP_COUNT] = {
#include "grammar/ops.def"
    };
    return rows[op].found ? &rows[op] : NULL;
}

enum op op_alike(enum op op, enum weft_dtype operand)
{
#define OP(...)
#define CONVERSION(...)
#define ALIKE(id, integer, boolean) [OP_##id] = {true, OP_##integer, OP_##boolean},
    static const struct { bool found; enum op integer, boolean; } rows[OP_COUNT] = {
#include "grammar/ops.def"
    };
    if (!rows[op].found || dtype_is_float(operand))
        return op;
    return operand == WEFT_BOOL ? rows[op].boolean : rows[op].integer;
}

enum op op_neighbour(enum op op, enum weft_dtype operand)
{
#define OP(...)
#define CONVERSION(...)
#define NEIGHBOUR(id, half, brain) [OP_##id] = {true, OP_##half, OP_##brain},
    static const struct { bool found; enum op half, brain; } rows[OP_COUNT] = {
#include "grammar/ops.def"
    };
    if (!rows[op].found || !dtype_is_half(operand))
        return op;
    return operand == WEFT_FLOAT16 ? rows[op].half : rows[op].brain;
}

const struct interval_row *op_interval(enum op op)
{
#define OP(...)
#define CONVERSION(...)
#define INTERVAL(id, lower, upper) [OP_##id] = {true, OP_##lower, OP_##upper},
    static const struct interval_row rows[OP_COUNT] = {
#include "grammar/ops.def"
    };
    return rows[op].found ? &rows[op] : NULL;
}

const char *op_fault(enum op op, enum weft_dtype operand)
{
    const char *text = op_rows[op].fault;
    return dtype_is_integer(operand) && strcmp(text, "NONE") != 0 ? text : NULL;
}

int op_weight(enum op op, enum weft_dtype operand)
{
    const struct type_row *type = &type_rows[operand];
    if (type->class == CLASS_BOOLEAN)
        return 1;
    return (type->class == CLASS_FLOATING ? op_rows[op].float_weight : op_rows[op].weight) * (type->bits == 64 ? 2 : 1);
}

const char *word_at(const char *words, int index, size_t *length)
{
    for (;; index--) {
        *length = strcspn(words, " ");
        if (*length == 0)
            return NULL;
        if (index == 0)
            return words;
        words += *length;
        words += *words == ' ';
    }
}

const char *word_text(struct arena *arena, const char *words, int index)
{
    size_t length;
    const char *word = word_at(words, index, &length);
    return arena_string(arena, word, length);
}

int word_index(const char *words, const char *word, size_t length)
{
    int index = 0;
    for (size_t size; *words; words += size, index++) {
        words += strspn(words, " ");
        size = strcspn(words, " ");
        if (size && size == length && memcmp(words, word, length) == 0)
            return index;
    }
    return -1;
}

int word_count(const char *words)
{
    size_t length;
    int count = 0;
    while (word_at(words, count, &length))
        count++;
    return count;
}

int op_arity(enum op op)
{
    return word_count(op_rows[op].parameters);
}

const char *op_name(struct arena *arena, enum op op)
{
    char *name = arena_string(arena, op_rows[op].id, strlen(op_rows[op].id));
    for (char *c = name; *c; c++)
        *c = small_letter(*c);
    return name;
}

enum op op_find_operator(const char *name, size_t length, bool prefix)
{
    for (int op = 0; op < OP_COUNT; op++) {
        const struct op_row *row = &op_rows[op];
        bool infix = row->form == FORM_INFIX || row->form == FORM_RIGHT || row->form == FORM_CHAINLESS;
        if ((prefix ? row->form == FORM_PREFIX : infix) && word_index(row->spellings, name, length) == 0)
            return op;
    }
    return OP_COUNT;
}

enum weft_dtype dtype_find(const char *name, size_t length)
{
    int t = 0;
    while (t < WEFT_DTYPE_COUNT && !text_is(name, length, type_rows[t].name) &&
           (t == WEFT_BOOL || !text_is(name, length, type_rows[t].short_name)))
        t++;
    return (enum weft_dtype)t;
}
