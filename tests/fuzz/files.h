/* What the targets share that read files as the command does: a file in memory, and a report that is read. */
#ifndef WEFT_FUZZ_FILES_H
#define WEFT_FUZZ_FILES_H

#include "cli/base/report.h"
#include "cli/files/tensor.h"
#include "tests/fuzz/fuzz.h"

struct file {
    int fd;
    char path[64];                 /* that opens it once more */
    struct pool pool;
    struct report report;
    char *told;                    /* what was reported, after file_told */
    size_t told_size;
};

/* A file of these bytes, at its start; for one input at a time. */
void file_begin(struct file *file, const uint8_t *data, size_t size);
/* Its bytes once more in another descriptor, as a stream at its start. */
FILE *file_stream(const struct file *file);
/* Holds what was reported to what the reader returned, and begins anew. */
void file_check(struct file *file, bool done);
/* Holds a tensor to tensor.h: of one that was read every byte is read, of another nothing is held. */
void file_check_tensor(const struct tensor *tensor, bool done);
/* Whether both are the same arrays, data left aside with `outline`. */
bool file_same(const struct tensor *a, const struct tensor *b, bool outline);
void file_end(struct file *file);

#endif
