/* The table of kernels in a context; kernels_get is in internal.h. */
#ifndef WEFT_KERNELS_H
#define WEFT_KERNELS_H

struct weft_context;
struct loaded;

void kernels_finish(struct weft_context *context);
/* Puts the good kernel in the place of the first one. The context's mutex is held; it is released
 * meanwhile. */
void kernels_improve(struct weft_context *context, struct loaded *loaded);
/* In a child after fork: what other threads were making will not come. The mutex is held. */
void kernels_abandon(struct weft_context *context);

#endif
