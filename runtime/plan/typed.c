/* Typing a program for certain dtypes; see typed.h. */
#include "runtime/plan/typed.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const struct typed *typed, const enum weft_dtype *dtypes)
{
    const struct program *program = typed->program;
    for (int i = 0; i < program->input_count; i++)
        if (program->symbols[program->inputs[i]].type.dtype != dtypes[i])
            return false;
    return true;
}

struct program *program_copy(struct arena *arena, const struct program *parsed)
{
    struct program *copy = arena_copy(arena, parsed, sizeof *parsed);
    copy->arena = arena;
    copy->nodes = arena_copy(arena, parsed->nodes, (size_t)parsed->node_count * sizeof *parsed->nodes);
    copy->symbols = arena_copy(arena, parsed->symbols, (size_t)parsed->symbol_count * sizeof *parsed->symbols);
    copy->results = arena_copy(arena, parsed->results, (size_t)parsed->result_count * sizeof *parsed->results);
    return copy;
}

static bool make_typed(const struct weft_program *program, struct typed *typed, const enum weft_dtype *dtypes,
                       struct diags *diags)
{
    typed->program = program_copy(&typed->arena, program->parsed);
    for (int i = 0; i < typed->program->input_count; i++) {
        struct symbol *symbol = &typed->program->symbols[typed->program->inputs[i]];
        symbol->type.dtype = dtypes[i];
        symbol->typed = true;
    }
    typed->program->diags = diags;
    bool good = pipeline_run(&(struct pipeline){.parsed = typed->program}, PASS_CHECK, PASS_CHECK);
    typed->program->diags = NULL;
    return good;
}

/* The program's mutex must be held. */
static struct typed *find_or_make(struct weft_program *program, const enum weft_dtype *dtypes, struct diags *diags)
{
    jmp_buf env;
    for (struct typed *typed = program->typed; typed; typed = typed->next)
        if (fits(typed, dtypes))
            return typed;
    struct typed *typed = calloc(1, sizeof *typed);
    if (!typed)
        return diag_no_memory(diags);
    if (ARENA_GUARD(&typed->arena, env) || !make_typed(program, typed, dtypes, diags)) {
        if (!diags->errors)
            diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        arena_finish(&typed->arena);
        free(typed);
        return NULL;
    }
    typed->next = program->typed;
    program->typed = typed;
    if (program->context->observer)
        program->context->observer->typed(program, typed);
    return typed;
}

struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes, struct diags *diags)
{
    pthread_mutex_lock(&program->mutex);
    struct typed *typed = find_or_make(program, dtypes, diags);
    pthread_mutex_unlock(&program->mutex);
    return typed;
}
