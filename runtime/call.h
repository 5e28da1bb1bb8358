/* One call that takes tensors: what it was given and what it found. Lives on the caller's stack. */
#ifndef WEFT_CALL_H
#define WEFT_CALL_H

#include "runtime/internal.h"

enum { CALL_ROOM = 4096 };         /* bytes that a call has without allocating */

struct call {
    struct weft_program *program;
    struct arena arena;
    struct diags diags;
    struct tensor *inputs, *outputs; /* by position */
    struct typed *typed;
    struct plan *plan;
    char *temporaries;             /* memory for the plan's temporaries */
};

/* arguments.c: reads all inputs or all outputs into an array by position; what is wrong with them goes
 * to call->diags. NULL when there are too many. */
struct tensor *read_arguments(struct call *call, const struct weft_argument *arguments, size_t given,
                              bool output, bool needs_data);

#endif
