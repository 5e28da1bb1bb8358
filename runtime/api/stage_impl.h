/* The stages of weft_program_stage, for those who show them otherwise. */
#ifndef WEFT_STAGE_H
#define WEFT_STAGE_H

#include "runtime/run/run.h"

/* From STAGE_GROUPS on they are of kernels, from STAGE_C on of one target's. */
enum stage { STAGE_TOKENS, STAGE_AST, STAGE_TYPES, STAGE_GROUPS, STAGE_IR, STAGE_C, STAGE_ASM,
             STAGE_CUDA, STAGE_PTX, STAGE_SASS, STAGE_COUNT };

extern const char *const stage_names[STAGE_COUNT];
/* Whose kernels the stages from STAGE_C on are of; NULL: those before can be of any target's. The first stage of
 * a target is a kernel's text, the others are what a compiler makes of it. */
extern const struct target *const stage_targets[STAGE_COUNT];

/* Whether it is a kernel's text. */
bool stage_is_text(enum stage stage);
/* A stage of one kernel; `text` is the kernel's, for those from STAGE_C on. Whatever a compiler has to say is in
 * the diagnostics. */
void stage_put_kernel(struct buf *out, struct weft_program *program, enum stage stage,
                      const struct draft *draft, const char *text, struct diags *diags);

#endif
