/* Settings of a context, from its parameters and the environment. */
#ifndef WEFT_RUNTIME_API_SETTINGS_IMPL_H
#define WEFT_RUNTIME_API_SETTINGS_IMPL_H

#include "runtime/run/run.h"

/* Sets the context's fast paths, target, architecture, cache, directory for kept kernels, and stages to
 * show. The compiler must be chosen already. Returns an error status with a record for each wrong setting: a
 * misspelt word never stands for a default. */
enum weft_status settings_choose(struct weft_context *context, const struct weft_context_params *params,
                                 struct weft_error **error);
/* The words as a list for messages: "c, cuda". */
const char *settings_words(struct arena *arena, const char *const *words, int count);
/* Frees what settings_choose has set. */
void settings_finish(struct weft_context *context);

#endif
