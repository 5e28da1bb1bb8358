/* WEFT_KEEP: a directory in which people can look at kernels. Files are named after their kernel, and they
 * are what runs: the binary is loaded from the directory, and its line numbers are those of the source beside
 * it. A context that keeps files uses neither the cache on disk nor first kernels. */
#ifndef WEFT_RUNTIME_CC_KEEP_H
#define WEFT_RUNTIME_CC_KEEP_H

#include "compiler/ir/ir.h"

#include <limits.h>

enum { KEEP_NAME = 80 };

/* Sets *directory to the path that `word` means (NULL: the environment's word), from malloc and absolute, and
 * makes the directory if it is missing. No directory: *directory is NULL. False with a diagnostic. */
bool keep_open(const char *word, char **directory, struct diags *diags);

/* The name of a kernel: that of the program or its file, or else its expression, as in uint8_img_mul_2. It
 * consists of letters, digits and underscores. NULL for `kernel` names the program as a whole. */
const char *keep_name(struct arena *arena, const struct program *program, const struct kernel *kernel);

/* Renames the entry of a kernel's text, weft_kernel, to weft_kernel_NAME, which *entry becomes, and puts a comment
 * above that lists its values. */
const char *keep_text(struct arena *arena, const struct kernel *kernel, const char *text, const char **entry);

/* The functions below allocate no memory, so they may be called while other threads wait for the kernel. */

/* Fills `path` with directory/NAME-DIGEST.SUFFIX; DIGEST is the beginning of `digest`. False: it is too long. */
bool keep_path(char path[PATH_MAX], const char *directory, const char *name, const char *digest,
               const char *suffix);
/* Writes a file, which appears whole. On failure adds a warning and returns false. */
bool keep_write(const char *path, const void *bytes, size_t size, struct diags *diags);

/* The paths of one kernel's files. */
struct kept {
    char source[PATH_MAX], binary[PATH_MAX];
};
/* Fills in the paths for the kernel with this entry. `suffixes` are those of source and binary. False: nothing
 * is kept. */
bool keep_files(struct kept *kept, const char *directory, const char *entry, const char *digest,
                const char *const suffixes[2]);

#endif
