/* Showing stages as notes or files; see debug_impl.h. */
#include "runtime/api/debug_impl.h"

#include "runtime/cache/cache.h"
#include "runtime/cc/cc.h"

static const struct kernel *kernel_of(const struct subject *subject)
{
    return subject->schedule ? subject->schedule->kernels[subject->kernel].kernel : NULL;
}

/* Writes a file whose name ends in a hash of its content: groups of another shape do not replace it, and equal
 * content is one file. */
static void keep_stage(const struct subject *subject, const struct buf *text, struct diags *diags)
{
    const char *name = keep_name(text->arena, subject->tree, kernel_of(subject));
    unsigned char digest[16];
    char path[PATH_MAX], digits[33];
    cache_key_name(text->text, text->length, digest, digits);
    if (keep_path(path, subject->program->context->keep, name, digits, stage_names[subject->stage]))
        keep_write(path, text->text, text->length, diags);
}

/* Errors of a stage's compiler go into its text, not into the call's diagnostics. */
static void tell_stage(struct diags *told, void *user)
{
    const struct subject *subject = user;
    struct weft_context *context = subject->program->context;
    struct buf text = buf_new(told->arena);
    struct diags failed = diags_new(told->arena, NULL);
    stage_put(&text, subject, &failed);
    if (failed.errors)
        buf_puts(&text, failed.first->message);
    if (context->keep)
        keep_stage(subject, &text, told);
    else
        diag_at(told, DIAG_STAGE_TEXT, NULL, 0, stage_names[subject->stage],
                keep_name(told->arena, subject->tree, kernel_of(subject)),
                (int)(text.length - (text.length && text.text[text.length - 1] == '\n')), text.text);
    keep_untold(&context->log, told);
}

/* Whether the stage is shown. A kernel's source is kept anyway. */
static bool is_wanted(const struct weft_context *context, enum stage stage)
{
    return (context->debug & 1u << stage) && (context->keep ? !stage_is_text(stage) : context->log.tell != NULL);
}

/* Shows the wanted stages from `subject.stage` to `last`, each with memory of its own. */
static void tell_stages(struct subject subject, enum stage last)
{
    for (; subject.stage <= last; subject.stage++)
        if (is_wanted(subject.program->context, subject.stage))
            guarded_call(NULL, NULL, tell_stage, &subject, NULL);
}

void debug_program(struct weft_program *program)
{
    tell_stages((struct subject){STAGE_TOKENS, program, program->parsed}, STAGE_AST);
}

static void tell_typed(struct weft_program *program, const struct typed *typed)
{
    tell_stages((struct subject){STAGE_TYPES, program, typed->program}, STAGE_TYPES);
}

static void tell_kernel(struct weft_program *program, const struct target *target, const struct schedule *schedule,
                        int k)
{
    const struct scheduled *s = &schedule->kernels[k];
    struct subject subject = {k ? STAGE_GROUPS : STAGE_SCHEDULE, program, s->kernel->program, schedule, k};
    tell_stages(subject, STAGE_IR);
    for (subject.stage = STAGE_C; s->launched && subject.stage < STAGES_TOLD; subject.stage++)
        if (stage_targets[subject.stage] == target)
            tell_stages(subject, subject.stage);
}

const struct plan_observer debug_observer = {tell_typed, tell_kernel};
