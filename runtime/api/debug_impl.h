/* WEFT_DEBUG: the texts of stages, told while programs are compiled and run: as notes for the log or, where kernels are
 * kept (keep.h), as files beside them. Functions do nothing for stages that were not asked for, and what goes
 * wrong here is no failure of the call. */
#ifndef WEFT_DEBUG_H
#define WEFT_DEBUG_H

#include "runtime/api/stage_impl.h"

/* After weft_compile: tokens and ast. */
void debug_program(struct weft_program *program);
/* A program has its dtypes: types. */
void debug_typed(struct weft_program *program, const struct typed *typed);
/* One kernel of a new plan for this target: the others, as far as they are of such a kernel. */
void debug_kernel(struct weft_program *program, const struct target *target, const struct draft *draft,
                  const char *text);

#endif
