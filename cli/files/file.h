/* One file that holds one tensor: .npy or a picture. */
#ifndef WEFT_CLI_FILE_H
#define WEFT_CLI_FILE_H

#include "cli/files/kind.h"
#include "cli/files/tensor.h"

/* The kind from the file's name or, if that has no extension, from its content. It is an error if the two
 * disagree. Not for pipes, which cannot be opened twice. */
bool file_kind(struct report *report, const char *path, enum kind *kind);
/* Reads any kind but .npz. Stops after the header if tensor->outline is set, which needs a regular file. */
bool file_read(struct report *report, const char *path, struct tensor *tensor);

#endif
