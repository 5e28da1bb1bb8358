/* See typed.h. Parsing again takes microseconds, so an instance is simply the text parsed and typed once more in an
 * arena of its own. */
#include "runtime/plan/typed.h"

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
    if (!pipeline_parse(arena, source, diags, &programs))
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
    bool good = pipeline_check(typed->program);
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
    if (program->context->observer)
        program->context->observer->typed(program, typed);
    return typed;
}
