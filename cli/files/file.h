/* One file that holds one tensor: .npy or a picture. */
#ifndef WEFT_CLI_FILE_H
#define WEFT_CLI_FILE_H

#include "cli/files/kind.h"
#include "cli/files/tensor.h"

/* Its kind by name or, without an extension, by content; the two must not disagree. Not for a pipe,
 * which cannot be opened twice. */
bool file_kind(struct report *report, const char *path, enum kind *kind);
/* Of any kind but .npz. An outline where the tensor asks for one, which takes a regular file. */
bool file_read(struct report *report, const char *path, struct tensor *tensor);

#endif
