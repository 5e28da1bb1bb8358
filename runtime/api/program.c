/* Compiling and destroying programs, and the names in them. A program is its text, parsed once, and an
 * instance for each combination of input dtypes that is used (plan/instance.h). */
#include "runtime/api/specify_impl.h"

#include "compiler/check/check.h"
#include "compiler/parse/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text ---- */

/* How the command names a kernel of a text; "" where it is none of the command's. */
static const char *how_to_name(const char *origin, const char *kernel, struct arena *arena)
{
    const size_t length = strlen(origin);
    if (strcmp(origin, "<stdin>") == 0)
        return arena_printf(arena, "; of a file one is named, as in FILE.weft:%s", kernel);
    return length > 5 && strcmp(origin + length - 5, ".weft") == 0
               ? arena_printf(arena, ", as in %s:%s", origin, kernel)
               : "";
}

static struct program *choose_kernel(const char *kernel, const struct programs *programs, struct diags *diags,
                                     struct arena *arena)
{
    struct buf names = buf_new(arena);
    for (int i = 0; i < programs->count; i++) {
        struct program *item = programs->items[i];
        bool named = item->name && kernel && strcmp(item->name, kernel) == 0;
        if (named || (!kernel && programs->count == 1))
            return item;
        if (item->name)
            buf_printf(&names, "%s%s", names.length ? ", " : "", item->name);
    }
    if (!names.length)
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0, "the text holds no kernel, it is one program");
    else if (kernel)
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0,
                arena_printf(arena, "there is no kernel '%.200s'; the text holds %s", kernel, names.text));
    else
        diag_at(diags, DIAG_NO_KERNEL, NULL, 0,
                arena_printf(arena, "the text holds several kernels, name one: %s%s", names.text,
                             how_to_name(diags->source->origin, programs->items[0]->name, arena)));
    return NULL;
}

/* Parses the text and chooses a kernel, whose declared inputs are then typed. NULL with diagnostics. */
static struct program *parse_text(struct arena *arena, const struct source *source, const char *kernel,
                                  struct diags *diags)
{
    struct pipeline text = {.arena = arena, .diags = diags, .source = source};
    if (!pipeline_run(&text, PASS_PARSE, PASS_PARSE))
        return NULL;
    struct program *chosen = choose_kernel(kernel, &text.programs, diags, arena);
    for (int i = 0; chosen && i < chosen->input_count; i++) {
        struct symbol *symbol = &chosen->symbols[chosen->inputs[i]];
        symbol->typed = symbol->declared && (!symbol->type.number || symbol->parameter); /* a value types a number */
    }
    return chosen;
}

/* ---- compile and destroy ---- */

static void list_bindings(struct weft_program *program)
{
    for (int i = 0; i < program->parsed->symbol_count; i++)
        if (program->parsed->symbols[i].kind == SYMBOL_BINDING && !program->parsed->symbols[i].hidden)
            ARENA_PUSH(&program->arena, program->bindings, program->binding_count,
                       program->parsed->symbols[i].name);
}

static enum weft_status compile(struct weft_program *program, const char *text,
                                const struct weft_compile_params *params, struct weft_error **error)
{
    struct arena *arena = &program->arena;
    jmp_buf env;
    if (ARENA_GUARD(arena, env))
        return WEFT_OUT_OF_MEMORY;
    const char *origin = params->origin ? params->origin : "<expr>";
    program->source = (struct source){arena_string(arena, origin, strlen(origin)),
                                      arena_string(arena, text, strlen(text)), strlen(text), params->rules};
    program->math = params->math;
    program->ignore_unused = params->ignore_unused;
    program->advise = params->advise;
    struct diags diags = diags_new(arena, &program->source);
    program->text = program->parsed = parse_text(arena, &program->source, params->kernel, &diags);
    if (program->parsed) {
        list_bindings(program);
        program_specify(program, params, arena, &diags);
    }
    return finish_call(&program->context->log, &diags, error);
}

enum weft_status weft_compile(struct weft_context *context, const char *text,
                              const struct weft_compile_params *params,
                              struct weft_program **result, struct weft_error **error)
{
    static const struct weft_compile_params defaults;
    params = params ? params : &defaults;
    const char *wrong = specify_wrong(params);
    if (params->math != WEFT_MATH_STRICT && params->math != WEFT_MATH_FAST)
        wrong = "math of weft_compile_params is neither WEFT_MATH_STRICT nor WEFT_MATH_FAST";
    if (params->rules != WEFT_RULES_DALI && params->rules != WEFT_RULES_NUMPY)
        wrong = "rules of weft_compile_params are neither WEFT_RULES_DALI nor WEFT_RULES_NUMPY";
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
        pthread_mutex_init(&program->mutex, NULL);
        status = compile(program, text, params, error);
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
    for (struct typed *typed = program->typed, *next; typed; typed = next) {
        next = typed->next;
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
    return index < weft_program_input_count(program) ? program->parsed->symbols[program->parsed->inputs[index]].name
                                                     : NULL;
}

size_t weft_program_result_count(const struct weft_program *program)
{
    return program ? (size_t)program->parsed->result_count : 0;
}

const char *weft_program_result_name(const struct weft_program *program, size_t index)
{
    return index < weft_program_result_count(program) ? program->parsed->results[index].name : NULL;
}

struct order {
    const struct source *source;
    const char **names;            /* the result, in one allocation */
    size_t count;
};

static void find_names(struct diags *diags, void *user)
{
    struct order *order = user;
    struct pipeline text = {.arena = diags->arena, .diags = diags, .source = order->source};
    const char **names = NULL;
    int count = 0;
    pipeline_run(&text, PASS_PARSE, PASS_PARSE);
    for (int i = 0; i < text.programs.count; i++)
        if (text.programs.items[i]->name)
            ARENA_PUSH(diags->arena, names, count, text.programs.items[i]->name);
    if (diags->errors)
        return;
    order->names = pack_texts(diags->arena, names, (size_t)count);
    order->count = (size_t)count;
}

enum weft_status weft_kernel_names(const char *text, const char *origin, const char ***names,
                                   size_t *count, struct weft_error **error)
{
    if (!text || !names || !count)
        return invalid_call(error, "weft_kernel_names needs a text and places for names and count");
    const struct source source = {origin ? origin : "<expr>", text, strlen(text)};
    struct order order = {.source = &source};
    enum weft_status status = guarded_call(NULL, &source, find_names, &order, error);
    *names = order.names;
    *count = order.count;
    return status;
}

bool weft_program_input(const struct weft_program *program, size_t index, struct weft_input_info *info)
{
    if (!info || index >= weft_program_input_count(program))
        return false;
    const struct symbol *symbol = &program->parsed->symbols[program->parsed->inputs[index]];
    const bool known = symbol->typed && !symbol->type.number;
    const size_t alignment = program->alignments ? program->alignments[index] : 0;
    *info = (struct weft_input_info){symbol->name, known ? symbol->type.dtype : WEFT_DTYPE_COUNT, symbol->type.number,
                                     {symbol->span.start, symbol->span.end},
                                     reads_numbers(program->parsed, (int)index), alignment};
    return true;
}

const char *weft_program_binding_name(const struct weft_program *program, size_t index)
{
    return program && index < (size_t)program->binding_count ? program->bindings[index] : NULL;
}
