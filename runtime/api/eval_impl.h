/* The programs that weft_eval has compiled, which belong to the context. */
#ifndef WEFT_RUNTIME_API_EVAL_IMPL_H
#define WEFT_RUNTIME_API_EVAL_IMPL_H

#include "runtime/run/run.h"

/* Destroys them, when the context is destroyed. */
void evaluated_finish(struct weft_context *context);

#endif
