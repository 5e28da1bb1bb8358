/* WEFT_DEBUG: the texts of stages, told while programs are compiled and run: as notes for the log or, where kernels are
 * kept (keep.h), as files beside them. Functions do nothing for stages that were not asked for, and what goes
 * wrong here is no failure of the call. */
#ifndef WEFT_DEBUG_H
#define WEFT_DEBUG_H

#include "runtime/api/stage_impl.h"

/* After weft_compile: tokens and ast. */
void debug_program(struct weft_program *program);
/* A program has its dtypes: types. One kernel of a new plan: the others, as far as they are of such a kernel. */
extern const struct plan_observer debug_observer;

#endif
