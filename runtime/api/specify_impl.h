/* What is known of a program's inputs besides their declarations. */
#ifndef WEFT_SPECIFY_H
#define WEFT_SPECIFY_H

#include "runtime/run/run.h"

/* NULL, or what is wrong with the parameters themselves. */
const char *specify_wrong(const struct weft_compile_params *params);
/* weft_program_specify for a program whose arena is guarded. False with diagnostics, in memory of `scratch`. */
bool program_specify(struct weft_program *program, const struct weft_compile_params *params,
                     struct arena *scratch, struct diags *diags);

/* Pointers to copies of texts, in one allocation with them; NULL: memory ran out. */
const char **pack_texts(const char *const *texts, size_t count);

#endif
