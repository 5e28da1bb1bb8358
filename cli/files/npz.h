/* NumPy's .npz: a zip archive of .npy files. Read through libzip, stored or deflated; written as
 * stored entries by code of our own, so that nothing but the command's own temporary file appears.
 *
 * Invariant: a size that the archive declares is only compared with, never allocated. */
#ifndef WEFT_CLI_NPZ_H
#define WEFT_CLI_NPZ_H

#include "cli/files/tensor.h"

/* The array under one key; for an unknown key the diagnostic lists those there are. */
bool npz_read(struct report *report, const char *path, const char *key, struct tensor *tensor);

/* An archive that is open, to read its arrays one after the other. */
struct npz {
    void *archive;
    const char *path;
    int count;
    int64_t *entries;  /* of the arrays, in the archive's order */
    const char **keys; /* their names without .npy */
};

/* All in the report's pool. An archive without entries has no arrays; one whose entries are
 * something else is an error. */
bool npz_open(struct report *report, const char *path, struct npz *npz);
/* Array number `index`; messages call it `name`. */
bool npz_read_array(struct report *report, const struct npz *npz, int index, const char *name,
                    struct tensor *tensor);
void npz_close(struct npz *npz);

/* Writes an archive that holds dense row-major tensors under these keys. Errors stay in the stream;
 * the stream is never repositioned, so it may be a pipe. False when memory ran out. */
bool npz_write(FILE *file, const char *const *keys, const struct tensor *tensors, int count);

/* The same, array after array. npz_begin for `most` arrays returns NULL when memory ran out; keys live until the end.
 * npz_end writes what completes the archive and releases the writer; npz_abandon releases it alone and takes NULL. */
struct npz_writer *npz_begin(FILE *file, int most);
void npz_put(struct npz_writer *writer, const char *key, const struct tensor *tensor);
void npz_end(struct npz_writer *writer);
void npz_abandon(struct npz_writer *writer);

#endif
