/* Calls on host operands, made on device memory instead. WEFT_TEST_DEVICE in the environment says how:
 *     unset or empty   as they are
 *     all              every operand is copied to the device, and back after the call
 *     mixed            the same, but every third input stays on the host
 * What a test prepared and looks at stays what it was: strides, gaps, buffers that operands share, and how far
 * each element lies from a 256-byte boundary. Beside each block of memory a pattern is looked after. */
#ifndef WEFT_MIRROR_H
#define WEFT_MIRROR_H

#include "include/weft/weft.h"

/* weft_run, or its like on the device, synchronized: what weft_context_status says is the status. */
enum weft_status mirror_run(struct weft_context *context, struct weft_program *program,
                            const struct weft_run_params *params, struct weft_error **error);

#endif
