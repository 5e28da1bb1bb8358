/* One run of the C compiler, or of a disassembler: its arguments, its process, and its files, in a private
 * directory that is gone afterwards, whatever happened. */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include "compiler/base/base.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct cc;

enum { JOB_MAX_ARGUMENTS = 256 };

/* Compilers in progress, each on its thread's stack. Once cancelled none is started any more. */
struct cc_process {
    struct cc_process *next;
    pid_t pid;                     /* leads a process group */
};
struct cc_running {
    pthread_mutex_t mutex;
    struct cc_process *first;
    atomic_bool cancelled;
};

struct job {
    char directory[PATH_MAX];      /* private; empty before it is made */
    char program[PATH_MAX];
    char source[PATH_MAX + 16], output[PATH_MAX + 16], log[PATH_MAX + 16];
    const char *arguments[JOB_MAX_ARGUMENTS];
    int count;
    bool disassembler;             /* of CUDA's; it is what `cc` names */
    struct cc_process process;
};

/* Makes the directory; the job is to be closed whatever comes out. `output`: a file's name. */
bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags);
/* Removes the directory and whatever the compiler left in it. */
void job_close(struct job *job);
bool job_write_source(const struct job *job, const char *bytes, size_t size, struct diags *diags);
/* A list that ends with NULL; what there is no room for is left out. */
void job_add_arguments(struct job *job, const char *const *arguments);
/* Starts the compiler and waits for it. False with a diagnostic when it failed or was cancelled. */
bool job_run(struct job *job, const struct cc *cc, struct diags *diags);
/* What it wrote, from malloc; NULL when it cannot be read. Of what it said, the beginning. */
char *job_read_output(const struct job *job);
char *job_read_log(const struct job *job);
/* Adds errno's diagnostic for a file that was to be used: "cannot `what`". Returns false. */
bool job_files_failed(struct diags *diags, const char *what);
/* Ends all compilers in progress; their callers fail and clean up. From any thread. */
void cc_cancel(struct cc_running *running);

#endif
