/* NumPy's .npy: reads versions 1.0, 2.0 and 3.0, either byte order, either element order; writes
 * version 1.0, the machine's byte order, row-major. Bytes after the array are ignored, as NumPy
 * does.
 *
 * Invariant: lengths, shape and dtype are checked before they are used. A file that lies about them gets a
 * diagnostic, and no memory is allocated for it. */
#ifndef WEFT_CLI_NPY_H
#define WEFT_CLI_NPY_H

#include "cli/files/tensor.h"

enum {
    NPY_PRELUDE = 12,         /* magic, version and the longer form of the header's length */
    NPY_MAX_HEADER = 1 << 20, /* bytes of a header that is read */
    NPY_MAX_WRITTEN = 1024    /* bytes of a header that is written, prelude included */
};

struct npy_header {
    bool swap; /* the elements' byte order is not the machine's */
    bool fortran;
    size_t data_start; /* bytes of prelude and header */
    size_t data_size;
};

/* A stream of bytes: a pipe or an entry of an archive. `read` returns the number of bytes, 0 at the
 * end, -1 on an error, which `error` then names. */
struct npy_stream {
    int64_t (*read)(void *user, void *bytes, size_t size);
    const char *(*error)(void *user);
    void *user;
    double size; /* of all there is, when known; else negative */
};

/* Where the data starts, from the first NPY_PRELUDE bytes (fewer only if the file is shorter). */
bool npy_data_start(struct report *report, const char *path, const unsigned char *bytes,
                    size_t size, size_t *data_start);
/* Reads prelude and header, header->data_start bytes, into `header` and the tensor's dtype, rank,
 * shape and strides. */
bool npy_parse(struct report *report, const char *path, const unsigned char *bytes,
               struct npy_header *header, struct tensor *tensor);

/* A file; a regular one is mapped, privately and read-only, where alignment and byte order allow.
 * `fd` stays open. An outline of a regular file leaves it where it was. */
bool npy_read(struct report *report, const char *path, int fd, struct tensor *tensor);
bool npy_read_stream(struct report *report, const char *path, const struct npy_stream *stream,
                     struct tensor *tensor);

/* The bytes before the data of a dense row-major tensor; returns their number. */
size_t npy_make_header(const struct tensor *tensor, char header[NPY_MAX_WRITTEN]);
/* Writes a dense row-major tensor; errors are left in the stream. */
void npy_write(FILE *file, const struct tensor *tensor);

#endif
