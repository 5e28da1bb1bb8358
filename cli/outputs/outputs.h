/* The files and directories a run writes: checked before anything is computed, written to temporary
 * ones beside their targets, and renamed at the very end, all or none.
 *
 * Invariant: every temporary that exists is known to the signal handler, which removes it, and
 * locked, so that what a killed process leaves is told from what another one works on. */
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
    bool directory;   /* of pictures, one for each sample */
    const char **names; /* of those, without directory */
    /* A signal handler reads these. */
    const char *volatile temporary; /* NULL: does not exist */
    const char **volatile files;    /* in a temporary directory, with their paths */
    volatile int file_count;
    int lock; /* the descriptor that locks it */
};

struct outputs {
    struct target *items;
    int count;
};

/* Kinds, directories, two outputs to one path. */
bool outputs_prepare(struct report *report, const struct arguments *arguments,
                     struct outputs *outputs);
/* Plain files of text at these paths: what is there already is replaced if it is a regular file. */
bool outputs_texts(struct report *report, const char *const *paths, int count, struct outputs *outputs);
/* Whether every name is a result or a binding of the program; the bindings that are no results yet,
 * for weft_program_specify, in *names. */
bool outputs_match(struct report *report, const struct outputs *outputs,
                   const struct weft_program *program, const char *const **names, size_t *count);
/* Finds each output's result, and whether file or directory can hold it. Of the program's `count`
 * results shapes and keys are looked at, and their names. */
bool outputs_bind(struct report *report, struct outputs *outputs, const struct value *results,
                  const char *const *names, size_t count);
/* Writes them; `threads` as in struct work. */
bool outputs_write(struct report *report, struct outputs *outputs, const struct value *results,
                   const char *const *names, int threads);

/* Standard output that is no terminal is written in large pieces, so that what is wrong with it is
 * usually seen by output_flush; text without a bound goes through output_puts. */
void output_init(void);
void output_puts(const char *text);
/* Flushes standard output. A reader that is gone is no error to speak of. */
bool output_flush(struct report *report);
/* From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporaries and end the process as
 * they would have. */
void output_catch_signals(void);
/* Between these a signal waits: while files are renamed, and while the C compiler runs, whose
 * process and temporary directory would stay behind. A second signal does not wait. */
void output_hold_signals(void);
void output_release_signals(void);

#endif
