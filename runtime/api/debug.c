/* Showing stages as notes or files; see debug_impl.h. */
#include "runtime/api/debug_impl.h"

#include "runtime/cache/cache.h"
#include "runtime/cc/cc.h"

#include "compiler/dump/dump.h"

/* What is shown: a program before it is typed, a typed one, or a kernel. */
struct subject {
    struct weft_program *program;
    const struct program *tree;
    const struct draft *draft;     /* NULL: not a kernel */
    const char *text;              /* the kernel's */
};

static void put_stage(const struct subject *subject, enum stage stage, struct buf *out, struct diags *diags)
{
    if (stage == STAGE_TOKENS)
        dump_tokens(out, &subject->program->source, diags);
    else if (stage == STAGE_AST)
        dump_ast(out, subject->tree);
    else if (stage == STAGE_TYPES)
        dump_types(out, subject->tree);
    else
        stage_put_kernel(out, subject->program, stage, subject->draft, subject->text, diags);
    if (diags->errors)
        buf_puts(out, diags->first->message);
}

/* Writes a file whose name ends in a hash of its content: groups of another shape do not replace it, and equal
 * content is one file. */
static void keep_stage(const struct subject *subject, enum stage stage, const struct buf *text,
                       struct diags *diags)
{
    const char *name = keep_name(text->arena, subject->tree, subject->draft ? subject->draft->kernel : NULL);
    unsigned char digest[16];
    char path[PATH_MAX], digits[33];
    cache_key_name(text->text, text->length, digest, digits);
    if (keep_path(path, subject->program->context->keep, name, digits, stage_names[stage]))
        keep_write(path, text->text, text->length, diags);
}

/* Errors of a stage's compiler go into its text, not into the call's diagnostics. */
static void tell_stage(const struct subject *subject, enum stage stage, struct arena *arena)
{
    struct weft_context *context = subject->program->context;
    struct diags failed, told;
    diags_init(&failed, arena, NULL);
    diags_init(&told, arena, NULL);
    struct buf text = buf_new(arena);
    put_stage(subject, stage, &text, &failed);
    if (context->keep)
        keep_stage(subject, stage, &text, &told);
    else
        diag_at(&told, DIAG_STAGE_TEXT, NULL, 0, stage_names[stage],
                keep_name(arena, subject->tree, subject->draft ? subject->draft->kernel : NULL),
                (int)(text.length - (text.length && text.text[text.length - 1] == '\n')), text.text);
    keep_untold(&context->log, &told);
}

/* Whether the stage is shown. A kernel's source is kept anyway. */
static bool is_wanted(const struct weft_context *context, enum stage stage)
{
    return (context->debug & 1u << stage) && (context->keep ? !stage_is_text(stage) : context->log.tell != NULL);
}

/* Shows the wanted stages from `first` to `last`, each with memory of its own. */
static void tell_stages(const struct subject *subject, enum stage first, enum stage last)
{
    for (int stage = first; stage <= (int)last; stage++) {
        struct arena arena;
        jmp_buf env;
        if (!is_wanted(subject->program->context, (enum stage)stage))
            continue;
        arena_init(&arena);
        if (!ARENA_GUARD(&arena, env))
            tell_stage(subject, (enum stage)stage, &arena);
        arena_finish(&arena);
    }
}

void debug_program(struct weft_program *program)
{
    tell_stages(&(struct subject){.program = program, .tree = program->parsed}, STAGE_TOKENS, STAGE_AST);
}

static void tell_typed(struct weft_program *program, const struct typed *typed)
{
    tell_stages(&(struct subject){.program = program, .tree = typed->program}, STAGE_TYPES, STAGE_TYPES);
}

static void tell_kernel(struct weft_program *program, const struct target *target, const struct draft *draft,
                        const char *text)
{
    const struct subject subject = {program, draft->kernel->program, draft, text};
    tell_stages(&subject, STAGE_GROUPS, STAGE_IR);
    for (int stage = STAGE_C; stage < STAGE_COUNT; stage++)
        if (stage_targets[stage] == target)
            tell_stages(&subject, (enum stage)stage, (enum stage)stage);
}

const struct plan_observer debug_observer = {tell_typed, tell_kernel};
