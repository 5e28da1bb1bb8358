/* WEFT_DEBUG: the texts of stages, told while programs are compiled and run: as notes for the log or, where kernels are
 * kept (keep.h), as files beside them. Functions do nothing for stages that were not asked for, and what goes
 * wrong here is no failure of the call. */
#ifndef WEFT_DEBUG_H
#define WEFT_DEBUG_H

#include "runtime/internal.h"

enum debug_stage { DEBUG_TOKENS, DEBUG_AST, DEBUG_TYPES, DEBUG_GROUPS, DEBUG_IR, DEBUG_C, DEBUG_ASM, DEBUG_COUNT };

/* As in weft_program_stage. */
extern const char *const debug_words[DEBUG_COUNT];

/* After weft_compile: tokens and ast. */
void debug_program(struct weft_program *program);
/* A program has its dtypes: types. */
void debug_typed(const struct weft_program *program, const struct typed *typed);
/* One kernel of a new plan: groups, ir, c and asm. */
void debug_kernel(const struct weft_program *program, const struct draft *draft, const char *text);

#endif
