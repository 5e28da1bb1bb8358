/* See npy.h: the data of a .npy, mapped if possible, else read into memory. */
#include "cli/files/npy.h"

#include "cli/files/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file cannot be removed while one call writes to it: a signal waits that long. */
enum { PIECE = 1 << 23 };

static void swap_bytes(void *data, size_t size, size_t element)
{
    unsigned char *bytes = data;
    for (size_t i = 0; i + element <= size; i += element)
        for (size_t low = i, high = i + element - 1; low < high; low++, high--) {
            unsigned char byte = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = byte;
        }
}

/* Row-major memory as tensor_allocate makes it, but with the strides the header asked for. */
static bool allocate(struct report *report, const char *path, const struct npy_header *header,
                     struct tensor *tensor)
{
    if (!tensor_allocate(report, path, "the array", tensor))
        return false;
    tensor_set_strides(tensor, header->fortran);
    return true;
}

static bool copy_data(struct report *report, const char *path, const struct npy_header *header,
                      const unsigned char *data, struct tensor *tensor)
{
    if (!allocate(report, path, header, tensor))
        return false;
    memcpy(tensor->data, data, header->data_size);
    if (header->swap)
        swap_bytes(tensor->data, header->data_size, weft_dtype_size(tensor->dtype));
    return true;
}

static bool cut_off(struct report *report, const char *path)
{
    return REPORT_FILE(report, path, BAD_NPY, "it is cut off");
}

/* Reads a whole file that lies in memory. Sets *keep when the tensor points into it. */
static bool read_mapped(struct report *report, const char *path, unsigned char *bytes, size_t size,
                        struct tensor *tensor, bool *keep)
{
    struct npy_header header;
    size_t data_start;
    if (!npy_data_start(report, path, bytes, size, &data_start))
        return false;
    if (data_start > size)
        return cut_off(report, path);
    if (!npy_parse(report, path, bytes, &header, tensor))
        return false;
    if (header.data_size > size - data_start)
        return cut_off(report, path);
    *keep = !header.swap && data_start % weft_dtype_size(tensor->dtype) == 0;
    if (tensor->outline) {
        tensor->mapped = *keep;
        return !(*keep = false);
    }
    if (!*keep)
        return copy_data(report, path, &header, bytes + data_start, tensor);
    tensor->data = bytes + data_start;
    return true;
}

static int64_t read_fd(void *user, void *bytes, size_t size)
{
    ssize_t got;
    do
        got = read(*(int *)user, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static const char *fd_error(void *user)
{
    (void)user;
    return strerror(errno);
}

static bool read_regular(struct report *report, const char *path, int fd, size_t size,
                         struct tensor *tensor)
{
    struct mapping *mapping = mapping_open(path, fd, size);
    if (!mapping)
        return npy_read_stream(report, path, &(struct npy_stream){read_fd, fd_error, &fd, -1}, tensor);
    bool keep = false, done = read_mapped(report, path, mapping_bytes(mapping), size, tensor, &keep);
    if (keep)
        tensor->mapping = mapping;
    else
        mapping_close(mapping);
    return done;
}

bool npy_read(struct report *report, const char *path, int fd, struct tensor *tensor)
{
    struct stat status;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                   lseek(fd, 0, SEEK_CUR) == 0; /* redirected input may have been read from */
    if (regular && status.st_size > 0)
        return read_regular(report, path, fd, (size_t)status.st_size, tensor);
    return npy_read_stream(report, path, &(struct npy_stream){read_fd, fd_error, &fd, -1}, tensor);
}

/* Reads `size` bytes. If the stream ends earlier, *short_by is the number of missing bytes; with `short_by` NULL
 * that is an error. */
static bool fill(struct report *report, const char *path, const struct npy_stream *stream,
                 void *bytes, size_t size, size_t *short_by)
{
    size_t done = 0;
    while (done < size) {
        int64_t got = stream->read(stream->user, (char *)bytes + done, size - done);
        if (got < 0)
            return REPORT_FILE(report, path, FILE_ERROR, "read it", stream->error(stream->user));
        if (got == 0)
            break;
        done += (size_t)got;
    }
    if (short_by)
        *short_by = size - done;
    return short_by || done == size || cut_off(report, path);
}

/* Prelude and header, in memory of the pool. */
static bool read_header(struct report *report, const char *path, const struct npy_stream *stream,
                        struct npy_header *header, struct tensor *tensor)
{
    unsigned char prelude[NPY_PRELUDE] = {0};
    size_t missing, start;
    if (!fill(report, path, stream, prelude, 10, &missing) ||
        !npy_data_start(report, path, prelude, missing ? 0 : NPY_PRELUDE, &start))
        return false;
    if (stream->size >= 0 && (double)start > stream->size)
        return cut_off(report, path);
    if (prelude[6] > 1 && (!fill(report, path, stream, prelude + 10, 2, NULL) ||
                           !npy_data_start(report, path, prelude, NPY_PRELUDE, &start)))
        return false;
    size_t have = prelude[6] > 1 ? 12 : 10;
    unsigned char *bytes = pool_alloc(report->pool, start > NPY_PRELUDE ? start : NPY_PRELUDE);
    memcpy(bytes, prelude, have);
    return fill(report, path, stream, bytes + have, start - have, NULL) &&
           npy_parse(report, path, bytes, header, tensor);
}

/* Reads a little past the array: libzip compares the checksum at the end of an entry. */
static bool finish_stream(struct report *report, const char *path, const struct npy_stream *stream)
{
    char rest[4096];
    size_t missing = 0;
    for (int i = 0; i < 256 && missing == 0; i++)
        if (!fill(report, path, stream, rest, sizeof rest, &missing))
            return false;
    return true;
}

bool npy_read_stream(struct report *report, const char *path, const struct npy_stream *stream,
                     struct tensor *tensor)
{
    struct npy_header header;
    if (!read_header(report, path, stream, &header, tensor))
        return false;
    if (stream->size >= 0 && (double)header.data_start + (double)header.data_size > stream->size)
        return cut_off(report, path);
    if (tensor->outline)
        return true;
    if (!allocate(report, path, &header, tensor))
        return false;
    bool done = fill(report, path, stream, tensor->data, header.data_size, NULL) &&
                (stream->size < 0 || finish_stream(report, path, stream));
    if (done && header.swap)
        swap_bytes(tensor->data, header.data_size, weft_dtype_size(tensor->dtype));
    if (!done)
        tensor_finish(tensor);
    return done;
}

void npy_write(FILE *file, const struct tensor *tensor)
{
    char header[NPY_MAX_WRITTEN];
    size_t bytes = 0;
    fwrite(header, 1, npy_make_header(tensor, header), file);
    if (!tensor_bytes(tensor, &bytes))
        return;
    for (size_t at = 0, size; at < bytes && !ferror(file); at += size) {
        size = bytes - at < PIECE ? bytes - at : PIECE;
        ending_pass();
        fwrite((const char *)tensor->data + at, 1, size, file);
    }
}
