/* Typing a program for certain dtypes; see instance.h. */
#include "runtime/plan/instance.h"

#include <stdlib.h>
#include <string.h>

static bool same_nodes(const struct program *a, const struct program *b)
{
    int n = 0;
    while (n < a->node_count && a->nodes[n].dtype == b->nodes[n].dtype && a->nodes[n].kind == b->nodes[n].kind)
        n++;
    return n == a->node_count;
}

/* Whether positions are single integers in the same inputs. */
static bool same_ranks(const struct program *program, const int *ranks)
{
    for (int i = 0; ranks && i < program->input_count; i++)
        if ((program->symbols[program->inputs[i]].seen_rank == 1) != (ranks[i] == 0))
            return false;
    return true;
}

static bool fits(const struct typed *typed, const enum weft_dtype *dtypes, const int *ranks,
                 const struct program *filled)
{
    const struct program *program = typed->program;
    if ((filled && !same_nodes(program, filled)) || !same_ranks(program, ranks))
        return false;
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
    copy->views = arena_copy(arena, parsed->views, (size_t)parsed->view_count * sizeof *parsed->views);
    copy->reductions =
        arena_copy(arena, parsed->reductions, (size_t)parsed->reduction_count * sizeof *parsed->reductions);
    copy->results = arena_copy(arena, parsed->results, (size_t)parsed->result_count * sizeof *parsed->results);
    return copy;
}

bool program_has_numbers(const struct program *program)
{
    bool found = false;
    for (int i = 0; i < program->input_count; i++)
        found = found || program->symbols[program->inputs[i]].type.number;
    return found;
}

struct program *program_fill(struct arena *arena, const struct program *parsed, const enum weft_dtype *dtypes,
                             const int *ranks, const struct literal *values, struct diags *diags)
{
    struct program *program = program_copy(arena, parsed);
    for (int i = 0; i < program->input_count; i++) {
        struct symbol *symbol = &program->symbols[program->inputs[i]];
        symbol->type.dtype = dtypes[i];
        symbol->typed = true;
        symbol->seen_rank = ranks ? ranks[i] + 1 : 0;
        if (symbol->type.number && values)
            symbol->value = values[i];
    }
    program->diags = diags;
    struct pipeline pipeline = {.arena = arena, .diags = diags, .parsed = program, .last = true};
    const bool good = pipeline_run(&pipeline, program->names_open ? PASS_NAMES : PASS_CHECK, PASS_CHECK);
    program->diags = pipeline.parsed->diags = NULL;
    return good ? pipeline.parsed : NULL;
}

/* The values of numbers in a program; NULL if it has none. */
static const struct literal *values_of(struct arena *arena, const struct program *program)
{
    struct literal *values = program ? ARENA_ARRAY(arena, struct literal, program->input_count) : NULL;
    for (int i = 0; program && i < program->input_count; i++)
        values[i] = program->symbols[program->inputs[i]].value;
    return values;
}

static bool make_typed(const struct weft_program *program, struct typed *typed, const enum weft_dtype *dtypes,
                       const int *ranks, const struct program *filled, struct diags *diags)
{
    typed->program =
        program_fill(&typed->arena, program->parsed, dtypes, ranks, values_of(&typed->arena, filled), diags);
    return typed->program;
}

/* Tells once what the types of a program lose; to the log, since a run goes on. */
static void warn_once(struct weft_program *program, struct typed *typed)
{
    struct diags diags = diags_new(&typed->arena, &program->source);
    if (program->warned)
        return;
    typed->program->diags = &diags;
    warn_losses(typed->program);
    typed->program->diags = NULL;
    keep_untold(&program->context->log, &diags);
    program->warned = diags.warnings > 0;
}

/* The program's mutex must be held. */
static struct typed *find_or_make(struct weft_program *program, const enum weft_dtype *dtypes, const int *ranks,
                                  const struct program *filled, struct diags *diags)
{
    jmp_buf env;
    for (struct typed *typed = program->typed; typed; typed = typed->next)
        if (fits(typed, dtypes, ranks, filled))
            return typed;
    struct typed *typed = calloc(1, sizeof *typed);
    if (!typed)
        return diag_no_memory(diags);
    if (ARENA_GUARD(&typed->arena, env) || !make_typed(program, typed, dtypes, ranks, filled, diags)) {
        if (!diags->errors)
            diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
        arena_finish(&typed->arena);
        free(typed);
        return NULL;
    }
    warn_once(program, typed);
    typed->next = program->typed;
    program->typed = typed;
    if (program->context->observer)
        program->context->observer->typed(program, typed);
    return typed;
}

struct typed *program_typed(struct weft_program *program, const enum weft_dtype *dtypes, const int *ranks,
                            const struct program *filled, struct diags *diags)
{
    pthread_mutex_lock(&program->mutex);
    struct typed *typed = find_or_make(program, dtypes, ranks, filled, diags);
    pthread_mutex_unlock(&program->mutex);
    return typed;
}
