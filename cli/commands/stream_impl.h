/* A batch computed sample after sample: a few are in memory at a time, each read, computed and written by one thread,
 * so that one is read while others are computed or written. */
#ifndef WEFT_CLI_STREAM_H
#define WEFT_CLI_STREAM_H

#include "cli/commands/session_impl.h"
#include "cli/outputs/outputs.h"
#include "cli/values/values.h"

/* What all threads spent, in seconds. */
struct stream_times {
    double read, compute, write;
};

struct stream {
    struct report *report;
    struct weft_program *program;
    struct inputs *inputs;         /* batches are outlines, unless they decide shapes */
    const struct value *batch;     /* one of them, which names the samples */
    struct outputs *outputs;
    struct value *results;         /* of the program, outlines; those that are no batches are made with each sample,
                                    * and the first one's are kept */
    const char *const *names;      /* of these */
    size_t result_count;
    bool keep;                     /* the results stay in memory: they are not written sample by sample */
    int threads;                   /* at most so many, of which each holds a sample */
    struct stream_times times;     /* the result */
    bool keep_going;               /* samples that cannot be read are left out */
    bool *left;                    /* the result: [batch->count] those; NULL: none could be */
    bool unread;                   /* a sample could not be read, which ended the work */
    int done;                      /* samples that were read, computed and written */
};

/* The bytes that a sample takes while it is in memory, of the largest; with files that are mapped, or without. */
double stream_sample_bytes(const struct stream *stream, bool mapped);
/* Reads, computes and writes all samples. What else is among the inputs has been read. False after a diagnostic: then
 * nothing was written, which was told. */
bool stream_run(struct stream *stream);
/* Tells that a batch ended with an error, and what the user may do. `unread`: a sample could not be read. */
void stream_tell_end(struct report *report, const struct value *batch, const struct outputs *outputs, int done,
                     bool unread);

#endif
