/* Programs as the caller sees them: the text, kept, and an instance of it for each combination of
 * input dtypes that was asked for (plan/typed.h). */
#include "runtime/api/debug_impl.h"

#include "compiler/check/check.h"
#include "compiler/parse/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        pipeline_check(parsed);
    if (pipeline_shapes(&program->arena, parsed, diags, inputs, NULL, shapes))
        pipeline_layouts(&program->arena, parsed, diags, shapes, NULL,
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
    return finish_call(&program->context->log, &diags, error);
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
        log_untold(&context->log);
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
        pipeline_parse(&arena, &source, &diags, &programs);
        status = finish_call(NULL, &diags, error);
        if (status == WEFT_OK && !(*names = copy_names(&programs, count)))
            status = WEFT_OUT_OF_MEMORY;
    }
    arena_finish(&arena);
    errno = saved;
    return status;
}
