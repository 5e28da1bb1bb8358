/* See debug.h. */
#include "runtime/debug.h"

#include "runtime/build.h"
#include "runtime/identity.h"
#include "runtime/keep.h"

#include "compiler/dump.h"

#include <stdlib.h>
#include <string.h>

const char *const debug_words[DEBUG_COUNT] = {"tokens", "ast", "types", "groups", "ir", "c", "asm"};

/* What is dumped; of a program before it is typed, of a typed one, or of a kernel. */
struct subject {
    const struct weft_program *program;
    const struct program *tree;
    const struct draft *draft;     /* NULL: of no kernel */
    const char *text;              /* of the kernel */
};

static void put_assembly(const struct subject *subject, struct buf *out, struct diags *diags)
{
    struct cc cc;
    bool good = build_compiler(subject->program->context, &cc, diags);
    char *text = good ? cc_assembly(&cc, subject->text, subject->program->math, diags) : NULL;
    buf_puts(out, text ? text : "");
    free(text);
}

static void put_stage(const struct subject *subject, enum debug_stage stage, struct buf *out,
                      struct diags *diags)
{
    const struct draft *draft = subject->draft;
    switch (stage) {
    case DEBUG_TOKENS: dump_tokens(out, &subject->program->source, diags); break;
    case DEBUG_AST: dump_ast(out, subject->tree); break;
    case DEBUG_TYPES: dump_types(out, subject->tree); break;
    case DEBUG_GROUPS: dump_groups(out, draft->kernel, draft->shape, &draft->geometry); break;
    case DEBUG_IR: dump_ir(out, draft->kernel, &draft->geometry); break;
    case DEBUG_C: buf_puts(out, subject->text); break;
    case DEBUG_ASM: put_assembly(subject, out, diags); break;
    case DEBUG_COUNT: break;
    }
}

/* To a file whose name ends in a hash of it: another shape's groups do not replace it, and the same again is the same
 * file. */
static void keep_stage(const struct subject *subject, enum debug_stage stage, const struct buf *text,
                       struct diags *diags)
{
    const char *name = keep_name(text->arena, subject->tree, subject->draft ? subject->draft->kernel : NULL);
    unsigned char digest[16];
    char path[PATH_MAX], digits[33];
    cache_key_name(text->text, text->length, digest, digits);
    if (keep_path(path, subject->program->context->keep, name, digits, debug_words[stage]))
        keep_write(path, text->text, text->length, diags);
}

static void tell_stage(const struct subject *subject, enum debug_stage stage, struct diags *diags)
{
    struct weft_context *context = subject->program->context;
    struct buf text;
    buf_init(&text, diags->arena);
    put_stage(subject, stage, &text, diags);
    if (!diags->errors && context->keep)
        keep_stage(subject, stage, &text, diags);
    else if (!diags->errors)
        diag_at(diags, DIAG_STAGE_TEXT, NULL, 0, debug_words[stage],
                keep_name(diags->arena, subject->tree, subject->draft ? subject->draft->kernel : NULL),
                (int)(text.length - (text.length && text.text[text.length - 1] == '\n')), text.text);
    keep_untold(context, diags);
}

/* The stages from `first` to `last` that were asked for, each with memory of its own. */
static void tell_stages(const struct subject *subject, enum debug_stage first, enum debug_stage last)
{
    const struct weft_context *context = subject->program->context;
    for (int stage = first; stage <= (int)last; stage++) {
        struct arena arena;
        struct diags diags;
        jmp_buf env;
        bool told = context->keep ? stage != DEBUG_C : context->log != NULL; /* the source is kept anyway */
        if (!(context->debug & 1u << stage) || !told)
            continue;
        arena_init(&arena);
        if (!ARENA_GUARD(&arena, env)) {
            diags_init(&diags, &arena, NULL);
            tell_stage(subject, (enum debug_stage)stage, &diags);
        }
        arena_finish(&arena);
    }
}

void debug_program(struct weft_program *program)
{
    tell_stages(&(struct subject){.program = program, .tree = program->parsed}, DEBUG_TOKENS, DEBUG_AST);
}

void debug_typed(const struct weft_program *program, const struct typed *typed)
{
    tell_stages(&(struct subject){.program = program, .tree = typed->program}, DEBUG_TYPES, DEBUG_TYPES);
}

void debug_kernel(const struct weft_program *program, const struct draft *draft, const char *text)
{
    const struct subject subject = {program, draft->kernel->program, draft, text};
    tell_stages(&subject, DEBUG_GROUPS, DEBUG_ASM);
}
