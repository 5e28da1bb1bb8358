/* The stages of weft_program_stage, also used by WEFT_DEBUG. */
#ifndef WEFT_RUNTIME_API_STAGE_IMPL_H
#define WEFT_RUNTIME_API_STAGE_IMPL_H

#include "runtime/run/run.h"

/* Stages from STAGE_GROUPS to STAGE_SASS are of kernels; those from STAGE_C on belong to one target. The last ones are
 * of passes between types and schedules, and the linked page, which are shown and never told of a program that is
 * compiled. */
enum stage { STAGE_TOKENS, STAGE_AST, STAGE_TYPES, STAGE_SCHEDULE, STAGE_GROUPS, STAGE_IR, STAGE_C, STAGE_ASM,
             STAGE_CUDA, STAGE_PTX, STAGE_SASS, STAGE_SHAPES, STAGE_REDUCTIONS, STAGE_LOWER, STAGE_MATERIALIZE,
             STAGE_NARROW, STAGE_SPLIT, STAGE_REDUCE, STAGE_HTML, STAGE_COUNT };
#define STAGES_TOLD STAGE_SHAPES

extern const char *const stage_names[STAGE_COUNT];
/* The target of a stage from STAGE_C on; NULL for those before. A target's first stage is the kernel's text,
 * and the others are what a compiler makes of it. */
extern const struct target *const stage_targets[STAGE_COUNT];

/* Whether the stage is a kernel's text. */
bool stage_is_text(enum stage stage);
/* What a stage shows: a program before it is typed, a typed one, or a kernel. */
struct subject {
    enum stage stage;
    struct weft_program *program;
    const struct program *tree;
    const struct schedule *schedule; /* NULL: not a kernel. It has texts for stages from STAGE_C on */
    int kernel;                    /* its number in the schedule */
    enum shown shown;              /* for whom its text is */
};
/* Appends the stage. Errors of a compiler go to the diagnostics. */
void stage_put(struct buf *out, const struct subject *subject, struct diags *diags);

/* Words as a list for messages: "c, cuda". In `arena`. */
const char *list_words(struct arena *arena, const char *const *words, int count);

#endif
