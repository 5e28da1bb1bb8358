/* The table of kernels in a context; kernels_get is in internal.h. */
#ifndef WEFT_KERNELS_H
#define WEFT_KERNELS_H

struct weft_context;
void kernels_finish(struct weft_context *context);

#endif
