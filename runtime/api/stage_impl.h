/* The stages of weft_program_stage, also used by WEFT_DEBUG. */
#ifndef WEFT_RUNTIME_API_STAGE_IMPL_H
#define WEFT_RUNTIME_API_STAGE_IMPL_H

#include "runtime/run/run.h"

/* Stages from STAGE_GROUPS on are of kernels; those from STAGE_C on belong to one target. */
enum stage { STAGE_TOKENS, STAGE_AST, STAGE_TYPES, STAGE_GROUPS, STAGE_IR, STAGE_C, STAGE_ASM,
             STAGE_CUDA, STAGE_PTX, STAGE_SASS, STAGE_COUNT };

extern const char *const stage_names[STAGE_COUNT];
/* The target of a stage from STAGE_C on; NULL for those before. A target's first stage is the kernel's text,
 * and the others are what a compiler makes of it. */
extern const struct target *const stage_targets[STAGE_COUNT];

/* Whether the stage is a kernel's text. */
bool stage_is_text(enum stage stage);
/* Appends a stage of one kernel. `text` is the kernel's text, needed for stages from STAGE_C on. Errors of a
 * compiler go to the diagnostics. */
void stage_put_kernel(struct buf *out, struct weft_program *program, enum stage stage,
                      const struct draft *draft, const char *text, struct diags *diags);

#endif
