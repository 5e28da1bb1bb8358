/* What a program is told about its inputs besides their declarations. */
#ifndef WEFT_RUNTIME_API_SPECIFY_IMPL_H
#define WEFT_RUNTIME_API_SPECIFY_IMPL_H

#include "runtime/run/run.h"

/* Checks the parameters themselves. Returns NULL, or what is wrong. */
const char *specify_wrong(const struct weft_compile_params *params);
/* weft_program_specify for a program whose arena has a guard. False with diagnostics; `scratch` is for
 * intermediate results. */
bool program_specify(struct weft_program *program, const struct weft_compile_params *params,
                     struct arena *scratch, struct diags *diags);

/* Copies a list of texts; the pointers and the copies are in one allocation from malloc. Jumps if memory runs
 * out, as the arena does. */
const char **pack_texts(struct arena *arena, const char *const *texts, size_t count);

#endif
