/* Programs as the caller sees them: the text, kept, and an instance of it for each combination of
 * input dtypes that was asked for. Parsing again takes microseconds, so an instance is simply the
 * text parsed and typed once more in an arena of its own. */
#include "runtime/api/debug_impl.h"

#include "compiler/check/check.h"
#include "compiler/parse/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- the caller's types and names ---- */

/* Whether the caller's extents may be the declared ones; size variables are compared at the call. */
static bool type_fits(const struct type *declared, const struct type *given)
{
    bool fits = declared->rank == given->rank;
    for (int d = 0; fits && d < given->rank; d++)
        fits = declared->extents[d] < 0 || given->extents[d] < 0 ||
               declared->extents[d] == given->extents[d];
    return fits;
}

static bool apply_type(struct program *program, const struct weft_input_type *given)
{
    struct diags *diags = program->diags;
    struct source *source = ARENA_NEW(program->arena, struct source);
    struct type *type = ARENA_NEW(program->arena, struct type);
    *source = (struct source){"<args>", given->type, strlen(given->type)};
    int index = program_symbol(program, given->name);
    struct symbol *symbol = index < 0 ? NULL : &program->symbols[index];
    if (!symbol || symbol->kind != SYMBOL_INPUT) {
        const char **names = ARENA_ARRAY(program->arena, const char *, program->input_count);
        for (int i = 0; i < program->input_count; i++)
            names[i] = program->symbols[program->inputs[i]].name;
        const char *near = diag_nearest(given->name, names, (size_t)program->input_count);
        return diag_at(diags, DIAG_NOT_AN_INPUT, NULL, 0, given->name,
                       near ? arena_printf(program->arena, "; did you mean '%s'?", near) : "");
    }
    if (!parse_type(program, source, type))
        return false;
    if (symbol->declared && symbol->type.dtype != type->dtype)
        return diag_at(diags, DIAG_WRONG_DTYPE, NULL, 0, "input", symbol->name,
                       type_rows[type->dtype].name, type_rows[symbol->type.dtype].name);
    if (symbol->declared && symbol->type.ranked && type->ranked && !type_fits(&symbol->type, type))
        return diag_at(diags, DIAG_WRONG_SHAPE, NULL, 0, "input", symbol->name,
                       shape_text(program->arena, program, type_shape(program->arena, type)),
                       shape_text(program->arena, program,
                                  type_shape(program->arena, &symbol->type)));
    if (symbol->declared && symbol->type.has_layout && type->has_layout &&
        strcmp(symbol->type.layout, type->layout) != 0)
        return diag_at(diags, DIAG_WRONG_LAYOUT, NULL, 0, symbol->name, type->layout,
                       symbol->type.layout);
    if (!symbol->declared || !symbol->type.ranked)
        symbol->type = *type;
    symbol->given = type;
    symbol->typed = true;
    return true;
}

static struct program *choose_kernel(struct weft_program *program, const struct programs *programs,
                                     struct diags *diags, struct arena *arena)
{
    struct buf names;
    buf_init(&names, arena);
    for (int i = 0; i < programs->count; i++) {
        struct program *item = programs->items[i];
        bool named = item->name && program->kernel && strcmp(item->name, program->kernel) == 0;
        if (named || (!program->kernel && programs->count == 1))
            return item;
        if (item->name)
            buf_printf(&names, "%s%s", names.length ? ", " : "", item->name);
    }
    if (!names.length)
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0, "the text holds no kernel, it is one program");
    else if (program->kernel)
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0,
                arena_printf(arena, "there is no kernel '%.200s'; the text holds %s", program->kernel,
                             names.text));
    else
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0,
                arena_printf(arena, "the text holds several kernels, name one: %s", names.text));
    return NULL;
}

struct program *program_parse(struct weft_program *program, struct arena *arena,
                              struct source *source, struct diags *diags)
{
    struct programs programs = {0};
    *source = program->source;
    if (!parse(arena, source, diags, &programs) || diags->errors)
        return NULL;
    struct program *chosen = choose_kernel(program, &programs, diags, arena);
    if (!chosen || !parse_results(chosen, program->wanted, program->wanted_count))
        return NULL;
    for (int i = 0; i < chosen->input_count; i++) {
        struct symbol *symbol = &chosen->symbols[chosen->inputs[i]];
        symbol->typed = symbol->declared;
    }
    for (size_t i = 0; i < program->type_count; i++)
        apply_type(chosen, &program->types[i]);
    return diags->errors ? NULL : chosen;
}

/* ---- instances ---- */

static bool fits(const struct typed *typed, const enum weft_dtype *dtypes)
{
    const struct program *program = typed->program;
    for (int i = 0; i < program->input_count; i++)
        if (program->symbols[program->inputs[i]].type.dtype != dtypes[i])
            return false;
    return true;
}

/* Types a fresh parse; the diagnostics of the text itself were told by weft_compile. */
static bool make_typed(struct weft_program *program, struct typed *typed,
                       const enum weft_dtype *dtypes, struct diags *diags)
{
    struct diags own;
    diags_init(&own, &typed->arena, &typed->source);
    typed->program = program_parse(program, &typed->arena, &typed->source, &own);
    if (!typed->program)
        return false;
    for (int i = 0; i < typed->program->input_count; i++) {
        struct symbol *symbol = &typed->program->symbols[typed->program->inputs[i]];
        symbol->type.dtype = dtypes[i];
        symbol->typed = true;
    }
    diags->source = &program->source;
    typed->program->diags = diags;
    bool good = check(typed->program);
    typed->program->diags = NULL;
    return good;
}

struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes,
                            struct diags *diags)
{
    jmp_buf env;
    for (struct typed *typed = program->typed; typed; typed = typed->next)
        if (fits(typed, dtypes))
            return typed;
    struct typed *typed = calloc(1, sizeof *typed);
    if (!typed) {
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        return NULL;
    }
    arena_init(&typed->arena);
    if (ARENA_GUARD(&typed->arena, env) || !make_typed(program, typed, dtypes, diags)) {
        if (!diags->errors)
            diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        arena_finish(&typed->arena);
        free(typed);
        return NULL;
    }
    typed->next = program->typed;
    program->typed = typed;
    debug_typed(program, typed);
    return typed;
}

/* ---- compile and destroy ---- */

static void copy_params(struct weft_program *program, const char *text,
                        const struct weft_compile_params *params)
{
    struct arena *arena = &program->arena;
    const char *origin = params->origin ? params->origin : "<expr>";
    program->source.text = arena_string(arena, text, strlen(text));
    program->source.length = strlen(text);
    program->source.origin = arena_string(arena, origin, strlen(origin));
    if (params->kernel)
        program->kernel = arena_string(arena, params->kernel, strlen(params->kernel));
    program->wanted_count = params->result_count;
    program->wanted = ARENA_ARRAY(arena, const char *, params->result_count);
    for (size_t i = 0; i < params->result_count; i++)
        program->wanted[i] = arena_string(arena, params->results[i], strlen(params->results[i]));
    program->type_count = params->input_count;
    program->types = ARENA_ARRAY(arena, struct weft_input_type, params->input_count);
    for (size_t i = 0; i < params->input_count; i++) {
        const struct weft_input_type *type = &params->inputs[i];
        program->types[i].name = arena_string(arena, type->name, strlen(type->name));
        program->types[i].type = arena_string(arena, type->type, strlen(type->type));
    }
    program->math = params->math;
}

/* Typed and shaped as far as the types are known, so that mistakes show now. */
static void check_early(struct weft_program *program, struct diags *diags)
{
    struct program *parsed = program->parsed;
    program->alignments = find_alignments(&program->arena, parsed);
    const struct shape **inputs = ARENA_ARRAY(&program->arena, const struct shape *,
                                              parsed->input_count);
    const struct shape **shapes = ARENA_ARRAY(&program->arena, const struct shape *,
                                              parsed->node_count);
    bool typed = true;
    for (int i = 0; i < parsed->input_count; i++) {
        const struct symbol *symbol = &parsed->symbols[parsed->inputs[i]];
        typed = typed && symbol->typed;
        inputs[i] = type_shape(&program->arena, &symbol->type);
    }
    if (typed)
        check(parsed);
    if (infer_shapes(&program->arena, parsed, diags, inputs, shapes))
        infer_layouts(&program->arena, parsed, diags, shapes, NULL,
                      ARENA_ARRAY(&program->arena, const char *, parsed->node_count));
}

static enum weft_status compile(struct weft_program *program, const char *text,
                                const struct weft_compile_params *params, struct weft_error **error)
{
    struct diags diags;
    jmp_buf env;
    if (ARENA_GUARD(&program->arena, env))
        return WEFT_OUT_OF_MEMORY;
    copy_params(program, text, params);
    diags_init(&diags, &program->arena, &program->source);
    struct source source;
    struct program *parsed = program_parse(program, &program->arena, &source, &diags);
    if (parsed) {
        program->parsed = parsed;
        parsed->source = &program->source;
        check_early(program, &diags);
        parsed->diags = NULL;
        debug_program(program);
    }
    return finish_call(program->context, &diags, error);
}

/* NULL, or what is wrong with the parameters themselves. */
static const char *check_params(const struct weft_compile_params *params)
{
    if ((params->input_count && !params->inputs) || (params->result_count && !params->results))
        return "weft_compile_params counts inputs or results but has none, found NULL";
    for (size_t i = 0; i < params->input_count; i++)
        if (!params->inputs[i].name || !params->inputs[i].type)
            return "an input of weft_compile_params lacks its name or type, found NULL";
    for (size_t i = 0; i < params->result_count; i++)
        if (!params->results[i])
            return "a result of weft_compile_params lacks its name, found NULL";
    if (params->math != WEFT_MATH_STRICT && params->math != WEFT_MATH_FAST)
        return "math of weft_compile_params is neither WEFT_MATH_STRICT nor WEFT_MATH_FAST";
    return NULL;
}

enum weft_status weft_compile(struct weft_context *context, const char *text,
                              const struct weft_compile_params *params,
                              struct weft_program **result, struct weft_error **error)
{
    static const struct weft_compile_params defaults;
    const char *wrong = check_params(params ? params : &defaults);
    if (!context || !text || !result)
        wrong = "weft_compile needs a context, a text and a place for the program, found NULL";
    if (result)
        *result = NULL;
    if (wrong)
        return invalid_call(error, wrong);
    int saved = errno;
    struct weft_program *program = calloc(1, sizeof *program);
    enum weft_status status = program ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    if (program) {
        program->context = context;
        arena_init(&program->arena);
        pthread_mutex_init(&program->mutex, NULL);
        status = compile(program, text, params ? params : &defaults, error);
        log_untold(context);
    }
    if (status < 0) {
        weft_program_destroy(program);
        program = NULL;
    }
    *result = program;
    errno = saved;
    return status;
}

void weft_program_destroy(struct weft_program *program)
{
    if (!program)
        return;
    while (program->typed) {
        struct typed *typed = program->typed;
        program->typed = typed->next;
        plans_destroy(&typed->plans);
        arena_finish(&typed->arena);
        free(typed);
    }
    pthread_mutex_destroy(&program->mutex);
    arena_finish(&program->arena);
    free(program);
}

/* ---- names ---- */

size_t weft_program_input_count(const struct weft_program *program)
{
    return program ? (size_t)program->parsed->input_count : 0;
}

const char *weft_program_input_name(const struct weft_program *program, size_t index)
{
    if (index >= weft_program_input_count(program))
        return NULL;
    return program->parsed->symbols[program->parsed->inputs[index]].name;
}

size_t weft_program_result_count(const struct weft_program *program)
{
    return program ? (size_t)program->parsed->result_count : 0;
}

const char *weft_program_result_name(const struct weft_program *program, size_t index)
{
    if (index >= weft_program_result_count(program))
        return NULL;
    return program->parsed->results[index].name;
}

static const char **copy_names(const struct programs *programs, size_t *count)
{
    size_t size = 0;
    *count = 0;
    for (int i = 0; i < programs->count; i++)
        if (programs->items[i]->name) {
            size += strlen(programs->items[i]->name) + 1;
            ++*count;
        }
    const char **names = malloc(*count * sizeof *names + size + 1);
    char *text = names ? (char *)(names + *count) : NULL;
    for (int i = 0, n = 0; names && i < programs->count; i++)
        if (programs->items[i]->name) {
            names[n++] = strcpy(text, programs->items[i]->name);
            text += strlen(text) + 1;
        }
    return names;
}

enum weft_status weft_kernel_names(const char *text, const char *origin, const char ***names,
                                   size_t *count, struct weft_error **error)
{
    if (!text || !names || !count)
        return invalid_call(error, "weft_kernel_names needs a text and places for names and count");
    struct arena arena;
    struct source source = {origin ? origin : "<expr>", text, strlen(text)};
    struct programs programs = {0};
    struct diags diags;
    jmp_buf env;
    int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    *names = NULL;
    *count = 0;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, &source);
        parse(&arena, &source, &diags, &programs);
        status = finish_call(NULL, &diags, error);
        if (status == WEFT_OK && !(*names = copy_names(&programs, count)))
            status = WEFT_OUT_OF_MEMORY;
    }
    arena_finish(&arena);
    errno = saved;
    return status;
}
