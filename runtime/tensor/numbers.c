/* The elements of inputs that views take as numbers (rule 7.1); see numbers.h. They are read from host
 * memory before anything else, because shapes depend on them. */
#include "runtime/tensor/tensor.h"

#include <string.h>

bool reads_numbers(const struct program *program, int input)
{
    const struct type *type = &program->symbols[program->inputs[input]].type;
    return reads_of_rank(program, input, type->ranked ? type->rank : 0);
}

bool reads_of_rank(const struct program *program, int input, int rank)
{
    const unsigned char reads = program->reads ? program->reads[input] : 0;
    return program->symbols[program->inputs[input]].type.number || reads & READS_LIST || (reads && rank == 0);
}

/* The element as an int64, or the bits of a uint64 or a double. */
static int64_t widened(const char *at, enum weft_dtype dtype)
{
    enum weft_dtype wide = dtype_is_float(dtype)                    ? WEFT_FLOAT64
                           : type_rows[dtype].class == CLASS_SIGNED ? WEFT_INT64
                                                                    : WEFT_UINT64;
    return eval_convert(dtype, wide, false, scalar_load(at, dtype)).i64;
}

static int count_of(const struct tensor *tensor)
{
    if (tensor->rank > 1 || (tensor->dtype == WEFT_BOOL && !tensor->number))
        return 0; /* the shape pass reports it, or check */
    int64_t count = tensor->rank ? tensor->shape[0] : 1;
    return count > WEFT_MAX_RANK ? 0 : (int)count;
}

static const char *element(const struct tensor *tensor, int i)
{
    int64_t stride = tensor->rank ? tensor->strides[0] : 0;
    return (const char *)tensor->data + i * stride * type_rows[tensor->dtype].size;
}

/* Checks that a number is given as rule 2.7 has it. */
static bool check_number(const struct tensor *tensor, const char *name, struct diags *diags)
{
    const enum weft_dtype dtype = tensor->dtype;
    const bool known = dtype == WEFT_INT64 || dtype == WEFT_UINT64 || dtype == WEFT_FLOAT64 || dtype == WEFT_BOOL;
    if (tensor->batch)
        return diag_at(diags, DIAG_NUMBER_GIVEN, NULL, 0, name,
                       "a batch; declare a type, as float64[], for one of each sample");
    if (tensor->rank)
        return diag_at(diags, DIAG_NUMBER_GIVEN, NULL, 0, name,
                       arena_printf(diags->arena, "a tensor of %d dimension%s", tensor->rank,
                                    tensor->rank == 1 ? "" : "s"));
    if (!known)
        return diag_at(diags, DIAG_NUMBER_GIVEN, NULL, 0, name, type_rows[dtype].name);
    return !tensor->device ||
           diag_at(diags, DIAG_NUMBER_GIVEN, NULL, 0, name, tensor_device_text(tensor, diags));
}

bool numbers_read(struct tensor *tensor, const char *name, struct diags *diags)
{
    int count = count_of(tensor);
    if (tensor->number && !check_number(tensor, name, diags))
        return false;
    if (count && tensor->device)
        return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, "input", name,
                       arena_printf(diags->arena,
                                    "it is %s, and a view takes its elements as numbers, which are read when "
                                    "the call is made; pass it in host memory",
                                    tensor_device_text(tensor, diags)));
    if (count && !tensor->data)
        return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, "input", name,
                       tensor->number ? "its data pointer is NULL, and the value of a number is read when the call is "
                                        "made"
                                      : "its data pointer is NULL, and a view takes its elements as numbers");
    if (tensor->numbers && count != tensor->number_count)
        return diag_at(diags, DIAG_BAD_TENSOR, NULL, 0, "input", name,
                       arena_printf(diags->arena,
                                    "it holds %d number%s for a view, the sample before %d; "
                                    "the samples of a batch have one rank",
                                    count, count == 1 ? "" : "s", tensor->number_count));
    if (!tensor->numbers)
        tensor->numbers = ARENA_ARRAY(diags->arena, int64_t, count + 1);
    tensor->number_count = count;
    for (int i = 0; i < count; i++)
        tensor->numbers[i] = widened(element(tensor, i), tensor->dtype);
    return true;
}

bool numbers_same(const struct tensor *tensor)
{
    if (tensor->numbers && count_of(tensor) != tensor->number_count)
        return false;
    for (int i = 0; i < tensor->number_count; i++)
        if (tensor->numbers[i] != widened(element(tensor, i), tensor->dtype))
            return false;
    return true;
}

static struct literal literal_of(int64_t number, enum weft_dtype dtype)
{
    struct literal literal = {.kind = LITERAL_INTEGER, .integer = number};
    if (dtype == WEFT_BOOL) {
        literal.kind = LITERAL_BOOL;
        literal.integer = number != 0;
    } else if (dtype_is_float(dtype)) {
        literal.kind = LITERAL_REAL;
        memcpy(&literal.real, &number, sizeof number);
    } else if (type_rows[dtype].class != CLASS_SIGNED) {
        literal.integer = (uint64_t)number;
    }
    return literal;
}

const struct contents *numbers_contents(struct arena *arena, const struct program *program,
                                        const struct tensor *inputs)
{
    bool any = false;
    for (int i = 0; i < program->input_count; i++)
        any = any || reads_numbers(program, i);
    if (!any)
        return NULL;
    struct contents *contents = ARENA_ARRAY(arena, struct contents, program->input_count);
    for (int i = 0; i < program->input_count; i++) {
        const struct tensor *tensor = &inputs[i];
        if (!tensor->numbers)
            continue;
        struct literal *items = ARENA_ARRAY(arena, struct literal, tensor->number_count + 1);
        for (int k = 0; k < tensor->number_count; k++)
            items[k] = literal_of(tensor->numbers[k], tensor->dtype);
        contents[i] = (struct contents){tensor->number_count, items};
    }
    return contents;
}

struct literal number_value(const struct tensor *tensor, bool real)
{
    const struct literal literal = literal_of(tensor->numbers[0], tensor->dtype);
    return real ? (struct literal){.kind = LITERAL_REAL, .real = literal_number(&literal)} : literal;
}
