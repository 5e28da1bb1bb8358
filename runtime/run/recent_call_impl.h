/* A record of what the last call looked like that passed every check. A call with the same names,
 * devices, dtypes, shapes and strides skips the checks that would come out the same, and the search
 * for its plan. Everything that depends on addresses is always checked. */
#ifndef WEFT_RUNTIME_RUN_RECENT_CALL_IMPL_H
#define WEFT_RUNTIME_RUN_RECENT_CALL_IMPL_H

#include "runtime/run/call.h"

/* Fills in the call's plan (its users raised), device, inputs and outputs if the call looks like
 * the program's last one and its pointers are usable. Otherwise returns false and changes
 * nothing. */
bool recent_find(struct call *call, const struct weft_run_params *params);
/* Records a call that is about to run. If memory runs out, nothing is recorded. */
void recent_keep(struct call *call, const struct weft_run_params *params);

#endif
