/* WEFT_DEBUG: shows the texts of stages while programs are compiled and run, as notes for the log or, with
 * WEFT_KEEP, as files beside the kernels (keep.h). Stages that are not asked for cost nothing, and failures here
 * do not fail the call. */
#ifndef WEFT_RUNTIME_API_DEBUG_IMPL_H
#define WEFT_RUNTIME_API_DEBUG_IMPL_H

#include "runtime/api/stage_impl.h"

/* Called by weft_compile and weft_program_specify: shows tokens and ast. */
void debug_program(struct weft_program *program);
/* Shows types for a new instance, and for each kernel of a new plan all other stages of its target. */
extern const struct plan_observer debug_observer;

#endif
