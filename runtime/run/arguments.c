/* Reads the arguments of a call, given by name or position, into tensors by position, and steps
 * through the samples of batches. */
#include "runtime/run/call.h"

#include <string.h>

static const char *name_of(const struct program *parsed, size_t index, bool output)
{
    return output ? parsed->results[index].name : parsed->symbols[parsed->inputs[index]].name;
}

/* The inputs that there are, at most a few of them. */
static const char *inputs_text(struct arena *arena, const struct program *parsed)
{
    enum { MOST = 8 };
    const int count = parsed->input_count;
    const char *text = count == 0 ? "; it has none" : count == 1 ? "; its input is " : "; its inputs are ";
    for (int i = 0; i < count && i < MOST; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", name_of(parsed, (size_t)i, false));
    return count > MOST ? arena_printf(arena, "%s, ..", text) : text;
}

const char *suggestion(struct arena *arena, const struct program *parsed, const char *name, bool output)
{
    size_t count = (size_t)(output ? parsed->result_count : parsed->input_count);
    const char **names = ARENA_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(parsed, i, output);
    const char *near = diag_nearest(name, names, count);
    if (near)
        return arena_printf(arena, output ? "; did you mean '%s'?" : "; its text says '%s'", near);
    return output ? "" : inputs_text(arena, parsed);
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
    return symbol >= 0 && parsed->symbols[symbol].kind == SYMBOL_INPUT ? parsed->symbols[symbol].input : -1;
}

/* The position that an argument is for; -1 with a diagnostic, or where the program may ignore it. */
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
                suggestion(&call->arena, parsed, argument->name, output));
    else if (!call->program->ignore_unused)
        diag_at(&call->diags, DIAG_NOT_AN_INPUT, NULL, 0, argument->name,
                suggestion(&call->arena, parsed, argument->name, output));
    return -1;
}

/* Takes over the number of samples, which all batches must share. */
static void count_samples(struct call *call, int index, int64_t count)
{
    const struct program *parsed = call->program->parsed;
    if (call->batch && call->samples != count)
        diag_at(&call->diags, DIAG_BATCH_COUNTS, NULL, 0,
                parsed->symbols[parsed->inputs[call->counted]].name,
                parsed->symbols[parsed->inputs[index]].name, (long long)call->samples,
                (long long)count);
    if (input_is_weights(parsed, index))
        diag_at(&call->diags, DIAG_BATCH_WEIGHTS, NULL, 0, parsed->symbols[parsed->inputs[index]].name);
    if (!call->batch)
        call->counted = index;
    call->batch = true;
    call->samples = count;
}

/* A batch without samples: only the declaration says what it is. */
static void read_nothing(struct call *call, int index, struct tensor *tensor, bool output)
{
    const struct program *parsed = call->program->parsed;
    tensor->rank = NO_SHAPE;
    if (output)
        return;
    const struct symbol *symbol = &parsed->symbols[parsed->inputs[index]];
    tensor->dtype = symbol->type.dtype;
    if (!symbol->typed)
        diag_at(&call->diags, DIAG_BATCH_DTYPE, NULL, 0, symbol->name, symbol->name);
}

/* Reads the tensor, or the first sample of a batch. */
static void read_first(struct call *call, const struct weft_argument *argument, int index,
                       struct tensor *tensor, bool output, bool needs_data)
{
    struct diag *last = call->diags.last;
    const char *what = output ? "output" : "input", *name = name_of(call->program->parsed, (size_t)index, output);
    const struct symbol *symbol = output ? NULL : &call->program->parsed->symbols[call->program->parsed->inputs[index]];
    tensor->number = symbol && symbol->type.number;
    bool good = tensor_read(argument->tensors, needs_data, what, name, tensor, &call->diags) &&
                (output || !reads_of_rank(call->program->parsed, index, tensor->rank) ||
                 numbers_read(tensor, name, &call->diags));
    if (!good && argument->batch)
        blame_sample(&call->diags, last, 0);
    if (good && !argument->batch && output && tensor_overlaps_itself(tensor))
        diag_at(&call->diags, DIAG_OVERLAP, NULL, 0, name, "itself");
}

/* Reads argument number `at`. */
static void read_argument(struct call *call, const struct weft_argument *argument, size_t at, int index,
                          struct tensor *tensor, bool output, bool needs_data)
{
    const char *what = output ? "output" : "input", *name = name_of(call->program->parsed, (size_t)index, output);
    bool again = tensor->given;
    int64_t samples = argument->batch ? argument->count : 1;
    tensor->given = at + 1;
    tensor->batch = argument->batch;
    tensor->samples = argument->tensors;
    tensor->alignment = output ? 0 : call->program->alignments[index];
    if (again)
        diag_at(&call->diags, DIAG_GIVEN_TWICE, NULL, 0, what, name);
    else if (argument->count < 0 || (argument->count > 1 && !argument->batch))
        diag_at(&call->diags, DIAG_BAD_TENSOR, NULL, 0, what, name,
                argument->count < 0
                    ? "its count is negative"
                    : arena_printf(call->diags.arena,
                                   "it has %lld samples, but is not called a batch: set its batch",
                                   (long long)argument->count));
    else if (samples == 0)
        read_nothing(call, index, tensor, output);
    else
        read_first(call, argument, index, tensor, output, needs_data);
    if (argument->batch && !output && samples >= 0)
        count_samples(call, index, samples);
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
            read_argument(call, &arguments[i], i, index, &tensors[index], output, needs_data);
    }
    for (size_t i = 0; i < count; i++)
        if (!tensors[i].given)
            diag_at(&call->diags, DIAG_MISSING, output ? NULL : &parsed->symbols[parsed->inputs[i]].span, !output,
                    output ? "output" : "input", name_of(parsed, i, output));
    return tensors;
}

/* ---- types ---- */

/* Finds out which results depend on a batch. */
static bool *find_batched(struct call *call)
{
    const struct program *program = call->typed->program;
    bool *batches = ARENA_ARRAY(&call->arena, bool, program->input_count + 1);
    bool *results = ARENA_ARRAY(&call->arena, bool, program->result_count);
    for (int i = 0; i < program->input_count; i++)
        batches[i] = call->inputs[i].batch;
    const bool *nodes = program_batched(&call->arena, program, batches);
    for (int r = 0; r < program->result_count; r++)
        results[r] = nodes[program->results[r].node];
    return results;
}

bool find_typed(struct call *call)
{
    const struct program *parsed = call->program->parsed;
    enum weft_dtype *dtypes = ARENA_ARRAY(&call->arena, enum weft_dtype, parsed->input_count);
    struct literal *values = ARENA_ARRAY(&call->arena, struct literal, parsed->input_count);
    int *ranks = program_reads_ranks(parsed) ? ARENA_ARRAY(&call->arena, int, parsed->input_count) : NULL;
    bool numbers = false;
    for (int i = 0; i < parsed->input_count; i++) {
        const struct symbol *symbol = &parsed->symbols[parsed->inputs[i]];
        dtypes[i] = call->inputs[i].dtype;
        if (ranks)
            ranks[i] = call->inputs[i].rank;
        if (symbol->type.number) {
            values[i] = number_value(&call->inputs[i], symbol->parameter);
            dtypes[i] = literal_dtype(&values[i], rules_of(parsed->source->rules));
            numbers = true;
        } else if (symbol->typed && symbol->type.dtype != dtypes[i])
            diag_at(&call->diags, DIAG_WRONG_DTYPE, NULL, 0, "input", symbol->name,
                    type_rows[dtypes[i]].name, type_rows[symbol->type.dtype].name, "");
    }
    if (call->diags.errors)
        return false;
    if (numbers)
        call->filled = program_fill(&call->arena, parsed, dtypes, ranks, values, &call->diags);
    if (numbers && !call->filled)
        return false;
    call->typed = program_typed(call->program, dtypes, ranks, call->filled, &call->diags);
    if (call->typed && call->batch)
        call->batched = find_batched(call);
    return call->typed != NULL;
}

/* ---- samples ---- */

static const char *count_text(struct call *call, bool batch, int64_t count)
{
    return batch ? arena_printf(&call->arena, "a batch of %lld sample%s", (long long)count,
                                count == 1 ? "" : "s")
                 : "one tensor";
}

bool check_batches(struct call *call, const struct weft_argument *outputs)
{
    const struct program *parsed = call->program->parsed;
    for (int r = 0; r < parsed->result_count; r++) {
        const struct tensor *output = &call->outputs[r];
        bool expected = call->batch && call->batched[r];
        int64_t count = outputs[output->given - 1].count;
        if (output->batch != expected || (expected && count != call->samples))
            diag_at(&call->diags, DIAG_BATCH_OUTPUT, NULL, 0, parsed->results[r].name,
                    count_text(call, output->batch, count),
                    count_text(call, expected, call->samples),
                    expected ? "" : ": it depends on no batch");
    }
    return !call->diags.errors;
}

/* Reads the numbers for views again. If they differ from the sample before, so may the shapes. */
static enum next next_numbers(struct call *call, struct tensor *tensor, int64_t i, int index)
{
    struct diag *last = call->diags.last;
    if (tensor->data && numbers_same(tensor))
        return NEXT_SAME;
    if (numbers_read(tensor, name_of(call->program->parsed, (size_t)index, false), &call->diags))
        return NEXT_OTHER;
    blame_sample(&call->diags, last, i);
    return NEXT_BAD;
}

enum next next_sample(struct call *call, int64_t i, bool output, bool needs_data)
{
    const struct program *parsed = call->program->parsed;
    struct tensor *tensors = output ? call->outputs : call->inputs;
    int count = output ? parsed->result_count : parsed->input_count;
    enum next next = NEXT_SAME;
    for (int t = 0; t < count; t++) {
        if (!tensors[t].batch || (!tensors[t].numbers && tensor_step(&tensors[t], i, needs_data)))
            continue;
        enum next found = tensor_next(&tensors[t], i, needs_data, output ? "output" : "input",
                                      name_of(parsed, (size_t)t, output), &call->diags);
        if (found != NEXT_BAD && !output && reads_of_rank(parsed, t, tensors[t].rank)) {
            enum next numbers = next_numbers(call, &tensors[t], i, t);
            found = numbers > found ? numbers : found;
        }
        next = found > next ? found : next;
    }
    return next;
}
