/* One run of the C compiler or of a disassembler: its arguments, its process, and its files in a
 * private directory, which is removed afterwards in any case. */
#ifndef WEFT_RUNTIME_CC_JOB_H
#define WEFT_RUNTIME_CC_JOB_H

#include "compiler/base/base.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct cc;

enum { JOB_MAX_ARGUMENTS = 256, JOB_MAX_LOG = 4096 };

/* The compilers in progress, each on the stack of the thread that waits for it. Once cancelled, no
 * further one is started. */
struct cc_process {
    struct cc_process *next;
    pid_t pid;                     /* its process group has the same number */
};
struct cc_running {
    pthread_mutex_t mutex;
    struct cc_process *first;
    atomic_bool cancelled;
};

struct job {
    char directory[PATH_MAX];      /* private; empty until it is made */
    char program[PATH_MAX];
    char source[PATH_MAX + 16], output[PATH_MAX + 16], log[PATH_MAX + 16];
    const char *arguments[JOB_MAX_ARGUMENTS];
    int count;
    bool disassembler;             /* runs CUDA's disassembler, which `cc` names */
    struct cc_process process;
};

/* Makes the directory. `output` is the name of the output file in it. The job must be closed in any
 * case. False with a diagnostic. */
bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags);
/* Removes the directory and everything in it. */
void job_close(struct job *job);
/* Writes the source file. False with a diagnostic. */
bool job_write_source(const struct job *job, const char *bytes, size_t size, struct diags *diags);
/* Adds the arguments of a NULL-terminated list, as far as there is room. */
void job_add_arguments(struct job *job, const char *const *arguments);
/* Starts the compiler and waits for it. False with a diagnostic if it fails or is cancelled. */
bool job_run(struct job *job, const struct cc *cc, struct diags *diags);
/* Reads one of the job's files, or the beginning of it, as a text, which ends at a NUL. From malloc; NULL: it cannot be
 * read. */
char *job_read(const char *path, size_t most);
/* Adds a diagnostic for errno about a file: "cannot `what`". Returns false. */
bool job_files_failed(struct diags *diags, const char *what);
/* Kills all compilers in progress. Their callers fail and clean up. From any thread. */
void cc_cancel(struct cc_running *running);

#endif
