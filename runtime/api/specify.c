/* weft_program_specify: joins what the caller knows of inputs with their declarations, and makes bindings
 * results. weft_compile ends with it. */
#include "runtime/api/specify_impl.h"

#include "compiler/check/check.h"
#include "compiler/parse/parse.h"
#include "runtime/api/debug_impl.h"

#include <stdlib.h>
#include <string.h>

/* The state of one call. Arrays are indexed by input. */
struct joining {
    struct weft_program *program;
    struct program *parsed;
    struct arena *scratch;
    struct diags *diags;
    const struct weft_input_type **known; /* what the caller knows; NULL: nothing */
    struct type *said;             /* what the caller said of an input besides its value's shape */
    struct type *types;            /* everything known of it together, for the current sample */
    struct shape **shapes;         /* the same for all samples: extents that differ are unknown */
    struct size_values sizes;
    int64_t samples, sample;       /* how many samples there are, and the current one */
};

static const struct symbol *input_symbol(const struct program *program, int input)
{
    return &program->symbols[program->inputs[input]];
}

/* ---- what the caller said ---- */

/* Sorts `inputs` by position. */
static bool sort_known(struct joining *j, const struct weft_compile_params *params)
{
    bool good = true;
    for (size_t i = 0; i < params->input_count; i++) {
        int index = program_symbol(j->parsed, params->inputs[i].name);
        const struct symbol *symbol = index < 0 ? NULL : &j->parsed->symbols[index];
        const bool input = symbol && symbol->kind == SYMBOL_INPUT;
        if (input && j->known[symbol->input])
            good = diag_at(j->diags, DIAG_GIVEN_TWICE, NULL, 0, "input", params->inputs[i].name);
        else if (input)
            j->known[symbol->input] = &params->inputs[i];
        else if (!j->program->ignore_unused)
            good = diag_at(j->diags, DIAG_NOT_AN_INPUT, NULL, 0, params->inputs[i].name,
                           suggestion(j->scratch, j->parsed, params->inputs[i].name, false));
    }
    return good;
}

static const DLTensor *value_of(const struct weft_input_type *known, int64_t sample)
{
    const struct weft_argument *value = known ? known->value : NULL;
    return !value || (value->batch && sample >= value->count) ? NULL : &value->tensors[value->batch ? sample : 0];
}

static bool read_value(struct joining *j, int input, const DLTensor *value, struct type *type)
{
    struct tensor tensor = {.rank = 0};
    if (!tensor_read(value, false, "input", input_symbol(j->parsed, input)->name, &tensor, j->diags))
        return false;
    *type = (struct type){.dtype = tensor.dtype, .ranked = true, .rank = tensor.rank};
    if (tensor.rank)
        memcpy(type->extents, tensor.shape, (size_t)tensor.rank * sizeof *tensor.shape);
    return true;
}

/* The dtype of a type in words without one (rule 8.3): that of the value, or of the declaration. Without either the
 * calls bring it. */
static bool take_dtype(struct joining *j, int input, struct type *said)
{
    const struct symbol *symbol = input_symbol(j->parsed, input);
    const DLTensor *value = value_of(j->known[input], 0);
    struct type actual = symbol->type;
    if (!value && !symbol->typed)
        return true;
    const bool good = !value || read_value(j, input, value, &actual);
    said->dtype = actual.dtype;
    said->any_dtype = false;
    return good;
}

/* Reads the type in words, or else takes the dtype of the value. */
static bool read_said(struct joining *j, int input)
{
    const struct symbol *symbol = input_symbol(j->parsed, input);
    const struct weft_input_type *known = j->known[input];
    const DLTensor *value = value_of(known, 0);
    struct type *said = &j->said[input], actual = symbol->type;
    if (known->type) {
        struct source *source = ARENA_NEW(j->scratch, struct source);
        *source = (struct source){"<args>", known->type, strlen(known->type)};
        return parse_type(j->parsed, source, said) && (!said->any_dtype || take_dtype(j, input, said));
    }
    if (!value && !symbol->typed)
        return diag_at(j->diags, DIAG_BATCH_DTYPE, NULL, 0, symbol->name, symbol->name);
    bool good = !value || read_value(j, input, value, &actual);
    *said = (struct type){.dtype = actual.dtype};
    return good;
}

static bool read_all_said(struct joining *j)
{
    bool good = true;
    for (int i = 0; i < j->parsed->input_count; i++) {
        j->diags->input = input_symbol(j->parsed, i)->name;
        good = (!j->known[i] || read_said(j, i)) && good;
    }
    return good;
}

/* Checks that all batches have as many samples. */
static bool count_samples(struct joining *j)
{
    int first = -1;
    for (int i = 0; i < j->parsed->input_count; i++) {
        const struct weft_argument *value = j->known[i] ? j->known[i]->value : NULL;
        if (!value || !value->batch)
            continue;
        j->diags->input = input_symbol(j->parsed, i)->name;
        if (first >= 0 && value->count != j->samples)
            return diag_at(j->diags, DIAG_BATCH_COUNTS, NULL, 0, input_symbol(j->parsed, first)->name,
                           j->diags->input, (long long)j->samples, (long long)value->count);
        if (input_is_weights(j->parsed, i))
            return diag_at(j->diags, DIAG_BATCH_WEIGHTS, NULL, 0, j->diags->input);
        first = first < 0 ? i : first;
        j->samples = value->count;
    }
    return true;
}

/* ---- one sample ---- */

/* Where the current value comes from, in the caller's words; NULL: not said. */
static const char *origin_of(const struct joining *j, int input)
{
    const struct weft_input_type *known = j->known[input];
    if (!known->origins || !known->value)
        return NULL;
    return known->origins[known->value->batch && j->sample < known->value->count ? j->sample : 0];
}

static bool join_layout(struct joining *j, int input, struct type *known, const struct type *next)
{
    if (!next->has_layout)
        return true;
    if (known->has_layout && strcmp(known->layout, next->layout) != 0)
        return diag_at(j->diags, DIAG_WRONG_LAYOUT, NULL, 0, input_symbol(j->parsed, input)->name,
                       next->layout, known->layout);
    known->has_layout = true;
    memcpy(known->layout, next->layout, sizeof known->layout);
    return true;
}

/* The shape of a type, with names where it has some. */
static const char *extents_text(const struct joining *j, const struct type *type)
{
    struct buf text = buf_new(j->scratch);
    if (!type->dims)
        return shape_text(j->scratch, j->parsed, type_shape(j->scratch, type));
    dims_put(&text, j->parsed, type->dims, type->extents, 6);
    return text.text;
}

/* Advice where a value is a batch, whose samples each have the type, and the type has dimensions for the batch too. */
static const char *sample_advice(const struct joining *j, int input, const struct type *type, int rank)
{
    const struct weft_input_type *known = j->known[input];
    struct dim batch[WEFT_MAX_RANK];
    struct buf text = buf_new(j->scratch);
    int count = 0;
    for (int d = 0; type->dims && d < type->dims->rank; d++)
        if (type->dims->items[d].kind == DIM_BATCH)
            batch[count++] = type->dims->items[d];
    if (!known->value || !known->value->batch || !count || rank + count != type->rank)
        return "";
    for (int d = 0; d < count; d++)
        buf_printf(&text, "%s%.40s:b", d ? ", " : "", batch[d].name);
    return arena_printf(j->scratch, "; the type of a batch is that of one of its samples: leave %s out", text.text);
}

static bool join_shape(struct joining *j, int input, const char *what, struct type *known,
                       const struct type *next)
{
    const struct type before = *known;
    const int errors = j->diags->errors;
    if (!next->ranked)
        return true;
    if (!known->ranked) {
        known->ranked = true;
        known->rank = next->rank;
        known->dims = next->dims;
        memcpy(known->extents, next->extents, sizeof known->extents);
    }
    bool fits = known->rank == next->rank;
    for (int d = 0; d < next->rank && fits; d++)
        fits = sizes_join(j->parsed, &j->sizes, input, &known->extents[d], next->extents[d], j->diags);
    if (fits || j->diags->errors > errors)
        return fits;
    const struct type *expected = before.ranked ? &before : known;
    return diag_at(j->diags, DIAG_WRONG_SHAPE, NULL, 0, what, input_symbol(j->parsed, input)->name,
                   shape_text(j->scratch, j->parsed, type_shape(j->scratch, next)),
                   arena_printf(j->scratch, "%s%s", extents_text(j, expected),
                                sample_advice(j, input, expected, next->rank)));
}

/* Joins `next` into `known`. False with a diagnostic. */
static bool join(struct joining *j, int input, struct type *known, const struct type *next)
{
    const char *origin = origin_of(j, input);
    const char *what = origin ? arena_printf(j->scratch, "%s for input", origin) : "input";
    if (known->dtype != next->dtype)
        return diag_at(j->diags, DIAG_WRONG_DTYPE, NULL, 0, what, input_symbol(j->parsed, input)->name,
                       type_rows[next->dtype].name, type_rows[known->dtype].name,
                       known->dtype == WEFT_BOOL && dtype_is_integer(next->dtype)
                           ? arena_printf(j->scratch, "; of a picture, give it without a type and write %s > 127",
                                          input_symbol(j->parsed, input)->name)
                           : "");
    return join_shape(j, input, what, known, next) && join_layout(j, input, known, next);
}

/* Whether a type in words agrees in names with the declaration. */
static bool join_names(struct joining *j, int input)
{
    const struct symbol *symbol = input_symbol(j->parsed, input);
    const char *text = symbol->declared ? names_differ(j->scratch, &symbol->type, &j->said[input]) : NULL;
    return !text || diag_at(j->diags, DIAG_DIM_ROLE, NULL, 0,
                            arena_printf(j->scratch, "the type of input '%s' beside its declaration: %s", symbol->name,
                                         text));
}

/* Whether the input is a number (rule 2.7), by its declaration or in the caller's words. */
static bool is_number(const struct joining *j, int input)
{
    return input_symbol(j->parsed, input)->type.number || (j->known[input] && j->said[input].number);
}

/* Joins a number, whose value tells its dtype. */
static bool join_number(struct joining *j, int input)
{
    const struct symbol *symbol = input_symbol(j->parsed, input);
    j->types[input] = (struct type){.number = true, .ranked = true};
    if (!symbol->declared || symbol->type.number)
        return !j->known[input] || !j->known[input]->type || j->said[input].number ||
               diag_at(j->diags, DIAG_WRONG_DTYPE, NULL, 0, "input", symbol->name,
                       type_rows[j->said[input].dtype].name, "number", "");
    return diag_at(j->diags, DIAG_WRONG_DTYPE, NULL, 0, "input", symbol->name, "number",
                   type_rows[symbol->type.dtype].name, "");
}

/* Joins the declaration, the words and the value. */
static bool join_input(struct joining *j, int input)
{
    const struct symbol *symbol = input_symbol(j->parsed, input);
    const DLTensor *value = value_of(j->known[input], j->sample);
    struct type *type = &j->types[input], actual;
    *type = symbol->type;
    if (is_number(j, input))
        return join_number(j, input);
    if (!j->known[input])
        return true;
    if (!symbol->typed)
        *type = (struct type){.dtype = j->said[input].dtype};
    return join_names(j, input) && join(j, input, type, &j->said[input]) &&
           (!value || (read_value(j, input, value, &actual) && join(j, input, type, &actual)));
}

/* Joins an input. Messages about a batch name the sample: in the caller's words, or by its index. */
static bool join_named(struct joining *j, int input)
{
    struct diag *last = j->diags->last;
    const struct weft_input_type *known = j->known[input];
    bool batch = known && known->value && known->value->batch && j->sample < known->value->count;
    const char *origin = batch ? origin_of(j, input) : NULL;
    j->diags->input = input_symbol(j->parsed, input)->name;
    j->sizes.where = origin ? arena_printf(j->scratch, " of sample %s", origin) : "";
    bool good = join_input(j, input);
    if (batch && !origin)
        blame_sample(j->diags, last, j->sample);
    return good;
}

static bool join_inputs(struct joining *j)
{
    bool good = true;
    sizes_init(&j->sizes, j->scratch, j->parsed); /* each sample has its own */
    for (int i = 0; i < j->parsed->input_count; i++)
        good = join_named(j, i) && good;
    return good;
}

/* ---- all samples ---- */

/* Adds a sample to what is known of all: extents that differ become unknown. */
static void widen(struct joining *j)
{
    for (int i = 0; i < j->parsed->input_count; i++) {
        struct shape *shape = j->shapes[i];
        if (j->sample == 0)
            shape = j->shapes[i] = (struct shape *)type_shape(&j->program->arena, &j->types[i]);
        for (int d = 0; shape && d < shape->rank; d++) {
            int64_t extent = sizes_extent(&j->sizes, j->types[i].extents[d]);
            shape->extents[d] = j->sample == 0 || shape->extents[d] == extent ? extent : EXTENT_UNKNOWN;
        }
    }
}

static bool join_samples(struct joining *j)
{
    if (!read_all_said(j) || !count_samples(j))
        return false;
    do {
        if (!join_inputs(j))
            return false;
        widen(j);
    } while (++j->sample < j->samples);
    return true;
}

/* From now on the input is a number. A value that is there is an example of it. */
static void keep_number(struct joining *j, int input)
{
    struct symbol *symbol = &j->parsed->symbols[j->parsed->inputs[input]];
    const struct tensor *read = j->program->read ? &j->program->read[input] : NULL;
    symbol->type.number = symbol->type.ranked = true;
    symbol->type.rank = 0;
    if (!read || !read->numbers)
        return;
    symbol->value = number_value(read, symbol->parameter);
    symbol->type.dtype = literal_dtype(&symbol->value, rules_of(j->parsed->source->rules));
    symbol->typed = true;
}

/* From now on the input has the type that the caller said; for a value that is the dtype. */
static void keep_said(struct joining *j, int input)
{
    struct symbol *symbol = &j->parsed->symbols[j->parsed->inputs[input]];
    if (is_number(j, input)) {
        keep_number(j, input);
        return;
    }
    symbol->given = arena_copy(&j->program->arena, &j->said[input], sizeof j->said[input]);
    const struct type declared = symbol->type;
    if (!symbol->declared || !symbol->type.ranked)
        symbol->type = j->said[input];
    else
        symbol->type.dims = names_both(&j->program->arena, &declared, &j->said[input]);
    for (int d = 0; symbol->type.dims && d < symbol->type.rank; d++)
        if (symbol->type.dims->items[d].labels && symbol->type.extents[d] == EXTENT_UNKNOWN)
            symbol->type.extents[d] = symbol->type.dims->items[d].label_count;
    symbol->typed = symbol->typed || !j->said[input].any_dtype;
}

/* Keeps the numbers that views take of a value, if its elements are there, for stages. */
static bool keep_numbers(struct joining *j, int input)
{
    struct weft_program *program = j->program;
    const char *name = input_symbol(j->parsed, input)->name;
    const DLTensor *value = value_of(j->known[input], 0);
    struct tensor tensor = {.rank = 0};
    tensor.number = is_number(j, input);
    if (!value || !value->data || !(tensor.number || reads_numbers(j->parsed, input)))
        return true;
    if (!tensor_read(value, true, "input", name, &tensor, j->diags) || !numbers_read(&tensor, name, j->diags))
        return false;
    if (!program->read)
        program->read = ARENA_ARRAY(&program->arena, struct tensor, j->parsed->input_count);
    program->read[input].number = tensor.number;
    program->read[input].dtype = tensor.dtype;
    program->read[input].number_count = tensor.number_count;
    program->read[input].numbers =
        arena_copy(&program->arena, tensor.numbers, (size_t)tensor.number_count * sizeof *tensor.numbers);
    return true;
}

static bool join_all(struct weft_program *program, const struct weft_compile_params *params,
                     struct arena *scratch, struct diags *diags)
{
    const int count = program->parsed->input_count;
    struct joining j = {.program = program, .parsed = program->parsed, .scratch = scratch, .diags = diags,
                        .known = ARENA_ARRAY(scratch, const struct weft_input_type *, count),
                        .said = ARENA_ARRAY(scratch, struct type, count),
                        .types = ARENA_ARRAY(scratch, struct type, count),
                        .shapes = ARENA_ARRAY(&program->arena, struct shape *, count)};
    bool good = sort_known(&j, params) && join_samples(&j);
    for (int i = 0; i < count && good; i++)
        good = keep_numbers(&j, i);
    diags->input = NULL;
    for (int i = 0; i < count && good; i++)
        if (j.known[i])
            keep_said(&j, i);
    program->shapes = (const struct shape *const *)j.shapes;
    return good;
}

/* ---- applying it to the program ---- */

/* Where names of inputs may still come, nothing is known of the results. */
static bool look_nowhere(const struct program *parsed, const char **types)
{
    for (int r = 0; types && r < parsed->result_count; r++)
        types[r] = "?";
    return true;
}

/* Whether it is known of all inputs whether they have names: data without a type have none. */
static bool are_ranked(const struct program *parsed, const struct shape *const *inputs)
{
    bool ranked = inputs;
    for (int i = 0; ranked && i < parsed->input_count; i++)
        ranked = inputs[i] || input_symbol(parsed, i)->type.number;
    return ranked;
}

/* Checks types and shapes as far as those of the inputs are known, so that mistakes are reported early. Sets
 * `types`, unless it is NULL, to the results' types in words. */
static bool look_ahead(struct arena *arena, const struct program *parsed, const struct shape *const *inputs,
                       const char **types, bool advise, struct diags *diags)
{
    const bool open = parsed->names_open;
    if (open && !are_ranked(parsed, inputs))
        return look_nowhere(parsed, types);
    struct program *program = program_copy(arena, parsed);
    bool typed = true;
    program->diags = diags;
    for (int i = 0; i < program->input_count; i++) {
        typed = typed && input_symbol(program, i)->typed;
        program->symbols[program->inputs[i]].seen_rank = inputs && inputs[i] ? inputs[i]->rank + 1 : 0;
    }
    struct pipeline names = {.arena = arena, .diags = diags, .parsed = program, .last = true};
    if (open && !pipeline_run(&names, PASS_NAMES, PASS_NAMES))
        return false;
    program = names.parsed;
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    const char **layouts = ARENA_ARRAY(arena, const char *, program->node_count);
    struct pipeline pipeline = {.arena = arena, .diags = diags, .parsed = program, .program = program, .inputs = inputs,
                                .shapes = shapes, .layouts = layouts};
    bool good = !typed || pipeline_run(&pipeline, PASS_CHECK, PASS_CHECK);
    if (typed && good)
        warn_losses(program);
    if (typed && good && advise)
        warn_habits(program);
    good = pipeline_run(&pipeline, PASS_SHAPES, PASS_LAYOUTS) && good;
    if (good)
        warn_channels(program, shapes, layouts);
    for (int r = 0; good && types && r < program->result_count; r++) {
        const struct result *result = &program->results[r];
        const struct shape *shape = shapes[result->node];
        const char *layout = layouts[result->node];
        const struct dims *dims = program->dims ? program->dims[result->node] : NULL;
        types[r] = !typed ? "?"
                   : dims ? named_type_text(arena, program, result->dtype, dims, shape ? shape->extents : NULL)
                          : arena_printf(arena, "%s%s%s%s", type_rows[result->dtype].name,
                                         shape ? shape_text(arena, program, shape) : "",
                                         layout && *layout ? "@" : "", layout ? layout : "");
    }
    return good;
}

/* Checks without the values' shapes, since other values may come to a run. What is wrong with them is reported
 * where they are used. */
static bool check_early(struct weft_program *program, struct arena *scratch, struct diags *diags)
{
    const struct program *parsed = program->parsed;
    const struct shape **inputs = ARENA_ARRAY(scratch, const struct shape *, parsed->input_count);
    program->alignments = find_alignments(&program->arena, parsed);
    for (int i = 0; i < parsed->input_count; i++)
        inputs[i] = type_shape(scratch, &input_symbol(parsed, i)->type);
    return look_ahead(scratch, parsed, inputs, NULL, program->advise, diags);
}

/* Whether types were known, so that what they lose was told. */
static bool warned(const struct program *parsed, const struct diags *diags)
{
    bool typed = !diags->errors;
    for (int i = 0; i < parsed->input_count; i++)
        typed = typed && input_symbol(parsed, i)->typed;
    return typed;
}

static bool told(const struct diags *diags, enum diag_id id)
{
    const struct diag *one = diags->first;
    while (one && one->id != id)
        one = one->next;
    return one;
}

/* Matches dimensions by name. A later call, which may know more, begins with the text again. */
static bool match_program(struct weft_program *program, struct diags *diags)
{
    struct pipeline names = {.arena = &program->arena, .diags = diags, .parsed = program->text};
    program->text->names_open = false;
    const bool good = pipeline_run(&names, PASS_NAMES, PASS_NAMES);
    program->parsed = names.parsed;
    return good;
}

bool program_specify(struct weft_program *program, const struct weft_compile_params *params,
                     struct arena *scratch, struct diags *diags)
{
    program->parsed = program->text;
    program->parsed->diags = diags;
    bool good = join_all(program, params, scratch, diags) &&
                parse_results(program->parsed, params->results, params->result_count) &&
                match_program(program, diags) && check_early(program, scratch, diags);
    program->text->diags = program->parsed->diags = NULL;
    program->warned = warned(program->parsed, diags);
    program->pictured = told(diags, DIAG_CHANNELS);
    debug_program(program);
    return good;
}

/* ---- the calls ---- */

static const char *wrong_input(const struct weft_input_type *known)
{
    const struct weft_argument *value = known->value;
    if (!known->name || (!known->type && !value))
        return "an input of weft_compile_params lacks its name or type, found NULL";
    if (value && (value->count < 0 || (value->count > 1 && !value->batch)))
        return "a value in weft_compile_params has several samples and is not called a batch, or less than none";
    return value && !value->tensors && (value->count || !value->batch)
               ? "a value in weft_compile_params lacks its tensors, found NULL"
               : NULL;
}

const char *specify_wrong(const struct weft_compile_params *params)
{
    if ((params->input_count && !params->inputs) || (params->result_count && !params->results))
        return "weft_compile_params counts inputs or results but has none, found NULL";
    for (size_t i = 0; i < params->input_count; i++)
        if (wrong_input(&params->inputs[i]))
            return wrong_input(&params->inputs[i]);
    for (size_t i = 0; i < params->result_count; i++)
        if (!params->results[i])
            return "a result of weft_compile_params lacks its name, found NULL";
    return NULL;
}

struct order {
    struct weft_program *program;
    const struct weft_compile_params *params;
    const char **types;            /* the result, in one allocation */
};

static void specify(struct diags *diags, void *user)
{
    const struct order *order = user;
    order->program->arena.out_of_memory = diags->arena->out_of_memory;
    program_specify(order->program, order->params, diags->arena, diags);
}

enum weft_status weft_program_specify(struct weft_program *program, const struct weft_compile_params *params,
                                      struct weft_error **error)
{
    const char *wrong = !program || !params ? "weft_program_specify needs a program and what to specify, found NULL"
                        : program->typed    ? "weft_program_specify comes before the program's first use"
                                            : specify_wrong(params);
    struct order order = {.program = program, .params = params};
    return wrong ? invalid_call(error, wrong)
                 : guarded_call(&program->context->log, &program->source, specify, &order, error);
}

const char **pack_texts(struct arena *arena, const char *const *texts, size_t count)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    const char **list = malloc(count * sizeof *list + size);
    if (!list)
        arena_fail(arena);
    char *room = (char *)(list + count);
    for (size_t i = 0; i < count; i++) {
        list[i] = strcpy(room, texts[i]);
        room += strlen(room) + 1;
    }
    return list;
}

static void find_types(struct diags *diags, void *user)
{
    struct order *order = user;
    const struct weft_program *program = order->program;
    const char **types = ARENA_ARRAY(diags->arena, const char *, program->parsed->result_count);
    if (look_ahead(diags->arena, program->parsed, program->shapes, types, false, diags))
        order->types = pack_texts(diags->arena, types, (size_t)program->parsed->result_count);
}

enum weft_status weft_program_result_types(struct weft_program *program, const char ***types,
                                           struct weft_error **error)
{
    if (!program || !types)
        return invalid_call(error, "weft_program_result_types needs a program and a place for types, found NULL");
    struct order order = {.program = program};
    enum weft_status status = guarded_call(NULL, &program->source, find_types, &order, error);
    *types = order.types;
    return status;
}
