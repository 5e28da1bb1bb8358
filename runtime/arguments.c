/* The arguments of a call, by name or by position, as tensors by position. */
#include "runtime/call.h"

#include <string.h>

static const char *name_of(const struct call *call, size_t index, bool output)
{
    return output ? weft_program_result_name(call->program, index)
                  : weft_program_input_name(call->program, index);
}

static const char *suggestion(struct call *call, const char *name, bool output)
{
    size_t count = output ? weft_program_result_count(call->program)
                          : weft_program_input_count(call->program);
    const char **names = ARENA_ARRAY(&call->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(call, i, output);
    const char *near = diag_nearest(name, names, count);
    return near ? arena_printf(&call->arena, "; did you mean '%s'?", near) : "";
}

static int find_result(const struct program *parsed, const char *name)
{
    for (int i = 0; i < parsed->result_count; i++)
        if (strcmp(parsed->results[i].name, name) == 0)
            return i;
    return -1;
}

static int find_input(const struct program *parsed, const char *name)
{
    int symbol = program_symbol(parsed, name);
    bool input = symbol >= 0 && parsed->symbols[symbol].kind == SYMBOL_INPUT;
    return input ? parsed->symbols[symbol].input : -1;
}

/* The position that an argument is for; -1 with a diagnostic. */
static int argument_index(struct call *call, const struct weft_argument *argument, size_t position,
                          bool output)
{
    const struct program *parsed = call->program->parsed;
    if (!argument->name)
        return (int)position;
    int index = output ? find_result(parsed, argument->name) : find_input(parsed, argument->name);
    if (index >= 0)
        return index;
    if (output)
        diag_at(&call->diags, DIAG_NOT_A_RESULT, NULL, 0, argument->name,
                suggestion(call, argument->name, output));
    else
        diag_at(&call->diags, DIAG_NOT_AN_INPUT, NULL, 0, argument->name,
                suggestion(call, argument->name, output));
    return -1;
}

/* Argument number `at`. */
static void read_argument(struct call *call, const struct weft_argument *argument, size_t at,
                          struct tensor *tensor, const char *name, bool output, bool needs_data)
{
    const char *what = output ? "output" : "input";
    bool again = tensor->given;
    tensor->given = at + 1;
    if (again)
        diag_at(&call->diags, DIAG_GIVEN_TWICE, NULL, 0, what, name);
    else if (argument->batch || argument->count > 1 || argument->count < 0)
        diag_at(&call->diags, DIAG_BAD_TENSOR, NULL, 0, what, name, "batches are not supported yet");
    else if (tensor_read(argument->tensors, needs_data, what, name, tensor, &call->diags) &&
             output && tensor_overlaps_itself(tensor))
        diag_at(&call->diags, DIAG_OVERLAP, NULL, 0, name, "itself");
}

struct tensor *read_arguments(struct call *call, const struct weft_argument *arguments, size_t given,
                              bool output, bool needs_data)
{
    const struct program *parsed = call->program->parsed;
    size_t count = (size_t)(output ? parsed->result_count : parsed->input_count);
    struct tensor *tensors = ARENA_ARRAY(&call->arena, struct tensor, count);
    for (size_t i = 0; i < given; i++) {
        if (!arguments[i].name && i >= count) {
            diag_at(&call->diags, DIAG_TOO_MANY_GIVEN, NULL, 0, given, output ? "output" : "input",
                    count);
            return NULL;
        }
        int index = argument_index(call, &arguments[i], i, output);
        if (index >= 0)
            read_argument(call, &arguments[i], i, &tensors[index],
                          output ? parsed->results[index].name
                                 : parsed->symbols[parsed->inputs[index]].name,
                          output, needs_data);
    }
    for (size_t i = 0; i < count; i++)
        if (!tensors[i].given)
            diag_at(&call->diags, DIAG_MISSING, NULL, 0, output ? "output" : "input",
                    name_of(call, i, output));
    return tensors;
}
