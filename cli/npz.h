/* NumPy's .npz: a zip archive of .npy files. Read through libzip, stored or deflated; written as
 * stored entries by code of our own, so that nothing but the command's own temporary file appears.
 *
 * Invariant: a size that the archive declares is only compared with, never allocated. */
#ifndef WEFT_CLI_NPZ_H
#define WEFT_CLI_NPZ_H

#include "cli/tensor.h"

/* One array. `key` NULL: the only one there is; with several, or an unknown key, the diagnostic
 * lists the keys. */
bool npz_read(struct report *report, const char *path, const char *key, struct tensor *tensor);

/* Writes an archive that holds dense row-major tensors under these keys. Errors stay in the stream;
 * nothing is sought, so a pipe does. */
void npz_write(FILE *file, const char *const *keys, const struct tensor *tensors, int count);

#endif
