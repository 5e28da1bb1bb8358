/* WEFT_KEEP: a directory that keeps, for people, what kernels are made of. Files are named after the kernel,
 * and what runs is what is there: the binary is loaded from the directory and its line numbers are those of the
 * source beside it. A context that keeps uses no cache and no first kernels. */
#ifndef WEFT_KEEP_H
#define WEFT_KEEP_H

#include "compiler/ir/ir.h"

#include <limits.h>

enum { KEEP_NAME = 80, KEEP_ENTRY = KEEP_NAME + 16 };

/* The directory for this word of the caller's (NULL: the environment's), made when it is not there; absolute,
 * from malloc, NULL for none. False with a diagnostic. */
bool keep_open(const char *word, char **directory, struct diags *diags);

/* What a kernel is called: after the program's name or file or, where it has none, after its expression, as in
 * uint8_img_mul_2. Letters, digits and underscores. `kernel` NULL: the program as a whole. */
const char *keep_name(struct arena *arena, const struct program *program, const struct kernel *kernel);

/* The text of a kernel with an entry that is called after it, behind a comment that says what its values are. */
const char *keep_text(struct arena *arena, const struct kernel *kernel, const char *text);
/* The name of a text's entry: weft_kernel, or weft_kernel_uint8_img_mul_2. */
void kernel_entry(const char *text, char entry[KEEP_ENTRY]);

/* No function from here on takes memory, so that they may be called while others wait for the kernel. */

/* Where a file goes: directory/NAME-DIGEST.SUFFIX, DIGEST the first letters of `digest`. False when that is too
 * long. */
bool keep_path(char path[PATH_MAX], const char *directory, const char *name, const char *digest,
               const char *suffix);
/* Writes a file; it appears whole. Whatever goes wrong is a warning, and false. */
bool keep_write(const char *path, const void *bytes, size_t size, struct diags *diags);

/* The files of one kernel. */
struct kept {
    char source[PATH_MAX], binary[PATH_MAX];
};
/* Those of the kernel with this text. False: nothing is kept. `suffixes` are those of source and binary. */
bool keep_files(struct kept *kept, const char *directory, const char *text, const char *digest,
                const char *const suffixes[2]);

#endif
