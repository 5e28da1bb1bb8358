/* The files and directories that a run writes. They are checked before anything is computed, written to temporaries
 * in a folder beside their targets, and renamed at the very end, all or none.
 *
 * Invariant: a signal that ends the process removes every such folder (ending.h), and those of killed processes can be
 * told from folders in use (leftovers_impl.h). */
#ifndef WEFT_CLI_OUTPUT_H
#define WEFT_CLI_OUTPUT_H

#include "cli/files/files.h"
#include "cli/options/options.h"
#include "cli/values/values.h"

#include <sys/types.h>

struct target {
    const struct destination *destination;
    enum kind kind;
    const char *path; /* where it ends up, links resolved; "-" */
    bool direct;      /* standard output or a special file: written in place, at the end */
    mode_t mode;      /* of the file that is replaced; 0: there is none */
    int result;       /* of the program */
    bool batch;       /* which is a batch */
    int result_count; /* how many it has */
    bool directory;   /* of files of `kind`, one for each sample; KIND_UNKNOWN: what its results ask for */
    const char *shown;      /* the directory as the user wrote it, with a slash at its end */
    const char *extension;  /* of its files, as the user wrote it; NULL: that of the kind */
    bool all;         /* an archive of all results, by their names */
    bool force;       /* the directory may hold files */
    bool merged;      /* it does: it stays, and files of the same names change places with the new ones */
    const char **names; /* of those, without directory; NULL: of a sample that was left out */
    int name_count;
    unsigned char *how;     /* [names] of a merged directory; output_write.c */
    struct folder *folder;  /* beside the target, with the unfinished output */
    const char *temporary;  /* its name in there; NULL: there is none */
    bool renamed;           /* it is in its place */
    bool exchanged, alone;  /* and the replaced file is in the folder; there was none, or a directory */
    int pictures;           /* the descriptor of a directory */
    FILE *file;             /* an archive that is being written */
    struct npz_writer *writer;
};

struct outputs {
    struct target *items;
    int count;
    struct folder *folders; /* one for each directory with targets */
    struct watch watch;     /* while folders are there */
};

/* Checks kinds and directories, and that no two outputs go to one path. */
bool outputs_prepare(struct report *report, const struct arguments *arguments,
                     struct outputs *outputs);
/* Plain text files at these paths; a regular file that is there is replaced. */
bool outputs_texts(struct report *report, const char *const *paths, int count, struct outputs *outputs);
/* Whether every name is a result or a binding of the program; the bindings that are no results yet,
 * for weft_program_specify, in *names. */
bool outputs_match(struct report *report, struct outputs *outputs,
                   const struct weft_program *program, const char *const **names, size_t *count);
/* Finds each output's result, and checks that its file or directory can hold it. Only names, shapes and keys of the
 * `count` results are used. */
bool outputs_bind(struct report *report, struct outputs *outputs, const struct value *results,
                  const char *const *names, size_t count);
/* Writes them; `threads` as in struct work. */
bool outputs_write(struct report *report, struct outputs *outputs, const struct value *results,
                   const char *const *names, int threads);

/* The same, sample after sample: outputs_begin, then for each sample outputs_files and outputs_archives, then
 * outputs_single for results that are no batches, then outputs_end. `results` are the tensors of that sample, by
 * result. Files are written from any threads in any order, archives from one thread at a time and in the samples'
 * order. */
bool outputs_stream(const struct outputs *outputs); /* whether that can be: no batch is written in place */
bool outputs_begin(struct report *report, struct outputs *outputs, int samples);
bool outputs_files(struct report *report, struct outputs *outputs, const struct tensor *results, int sample);
/* This sample has no files, for whatever outputs. */
void outputs_leave_out(struct outputs *outputs, int sample);
bool outputs_archives(struct report *report, struct outputs *outputs, const struct tensor *results, const char *key);
bool outputs_single(struct report *report, struct outputs *outputs, const struct value *results,
                    const char *const *names, int threads);
/* If all is `good` so far, what was written appears; else it goes. Also where outputs_begin failed or was not
 * called. */
bool outputs_end(struct report *report, struct outputs *outputs, bool good);

/* Standard output is buffered unless it is a terminal, so write errors usually show up in output_flush. Text of
 * unbounded length goes through output_puts. */
void output_init(void);
void output_puts(const char *text);
/* Flushes standard output. A closed pipe is no error. */
bool output_flush(struct report *report);

#endif
