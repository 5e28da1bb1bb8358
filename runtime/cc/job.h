/* One run of the C compiler or of a disassembler: its arguments, its process, and its files in a
 * private directory, which is removed afterwards in any case. */
#ifndef WEFT_RUNTIME_CC_JOB_H
#define WEFT_RUNTIME_CC_JOB_H

#include "compiler/base/base.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct cc;

enum { JOB_MAX_ARGUMENTS = 256, JOB_MAX_LOG = 4096 };

/* The jobs in progress, each on the stack of the thread that waits for it. Once cancelled, no further one is
 * started. */
struct cc_running {
    pthread_mutex_t mutex;
    struct job *first;
    atomic_bool cancelled;
};

struct job {
    struct job *next;
    struct cc_running *running;
    char path[PATH_MAX];           /* of the private folder, absolute */
    DIR *list;                     /* of the files in it; NULL: it could not be made */
    int folder;                    /* the list's descriptor; -1 without one */
    bool removed;
    int start;                     /* where the compiler starts, -1: in the folder */
    const char *source, *name;     /* of the source where it starts, of the output in the folder */
    char output[PATH_MAX + 16], program[PATH_MAX];
    const char *arguments[JOB_MAX_ARGUMENTS];
    int count;
    bool disassembler;             /* runs CUDA's disassembler, which `cc` names */
    pid_t pid;                     /* and its process group; 0: none is running */
};

/* Makes the folder. `output` is the name of the output file in it. The job must be closed in any case. False with a
 * diagnostic. */
bool job_open(struct job *job, const struct cc *cc, const char *output, struct diags *diags);
/* Removes the folder and everything in it. */
void job_close(struct job *job);
/* Writes the source file. False with a diagnostic. */
bool job_write_source(const struct job *job, const char *bytes, size_t size, struct diags *diags);
/* The source is the file at this absolute path, which must outlive the job; the compiler starts in its directory. */
bool job_source_at(struct job *job, const char *path);
/* Adds the arguments of a NULL-terminated list, as far as there is room. */
void job_add_arguments(struct job *job, const char *const *arguments);
/* Starts the compiler and waits for it. False with a diagnostic if it fails or is cancelled. */
bool job_run(struct job *job, const struct cc *cc, struct diags *diags);
/* Opens the output; -1 and errno. */
int job_open_output(const struct job *job);
/* The output, or the beginning of the log, as a text, which ends at a NUL. From malloc; NULL: it cannot be read. */
char *job_read_output(const struct job *job);
char *job_read_log(const struct job *job);
/* Adds a diagnostic for errno about a file: "cannot `what`". Returns false. */
bool job_files_failed(struct diags *diags, const char *what);
/* Kills all compilers in progress and removes their folders. Their callers fail. From any thread. */
void cc_cancel(struct cc_running *running);

#endif
