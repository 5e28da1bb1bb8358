/* What a context is told by its parameters and by the environment. */
#ifndef WEFT_SETTINGS_H
#define WEFT_SETTINGS_H

#include "runtime/run/run.h"

/* Fills the context's fast paths, target, architecture, cache, directory to keep kernels in and stages to tell.
 * The compiler is chosen already. An error status with a record for each setting that is wrong: a word that is
 * misspelt is no default. */
enum weft_status settings_choose(struct weft_context *context, const struct weft_context_params *params,
                                 struct weft_error **error);
void settings_finish(struct weft_context *context);

#endif
