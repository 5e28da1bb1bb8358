/* A cubin of a kernel's text, by the library's own way to NVRTC. */
#ifndef WEFT_CUBIN_H
#define WEFT_CUBIN_H

#include "include/weft/weft.h"

/* Why there are no cubins for this architecture; NULL: there are. Comes first. */
const char *cubin_unavailable(struct weft_context *context, const char *arch);
/* What is wrong with the text; NULL: nothing. Lives until cubin_finish. */
const char *cubin_complaint(struct weft_context *context, enum weft_math math, const char *text);
void cubin_finish(void);

#endif
