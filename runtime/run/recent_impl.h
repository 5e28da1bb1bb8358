/* What a call looked like that passed every check, so that a call of the same look skips those that
 * would come out the same: names, devices, dtypes, shapes, strides, and finding the plan for them.
 * What depends on the data's addresses is always checked. */
#ifndef WEFT_RECENT_H
#define WEFT_RECENT_H

#include "runtime/run/call.h"

/* Finds call->plan (users raised), inputs and outputs if the call looks like the program's last one and
 * its pointers can be used; otherwise false, nothing changed. */
bool recent_find(struct call *call, const struct weft_run_params *params);
/* Keeps the look of a call that is about to run. */
void recent_keep(struct call *call, const struct weft_run_params *params);

#endif
