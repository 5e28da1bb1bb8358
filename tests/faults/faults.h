/* Calls of the C library that fail on purpose, the n-th of a kind or all from the n-th on.
 *
 * As a library that is loaded first (LD_PRELOAD) it is told by the environment:
 *   FAULT_KIND   one of the kinds below
 *   FAULT_AT     n: the n-th call of the kind fails; n+: and all after it
 *   FAULT_TOLD   a file that gets a line with the function's name for each call that fails
 *   FAULT_TRACE  set: and the stack goes to standard error
 * It takes these settings out of the environment, so the processes that are started fail nowhere.
 * A program that is linked to it calls the functions below. All of them may be called from any thread. */
#ifndef WEFT_FAULTS_H
#define WEFT_FAULTS_H

#include <stdbool.h>

enum fault_kind {
    FAULT_NONE,
    FAULT_MEMORY,  /* malloc and its like */
    FAULT_OPEN,    /* files, streams, directories, pipes; also making directories and copies of descriptors */
    FAULT_READ,    /* also of streams and directories */
    FAULT_WRITE,   /* also of streams; the disk is full */
    FAULT_CLOSE,   /* a file is closed and says that something was lost */
    FAULT_MOVE,    /* rename */
    FAULT_LOOK,    /* stat and its like */
    FAULT_LOCK,    /* of files */
    FAULT_MAP,     /* mmap */
    FAULT_LOAD,    /* dlopen */
    FAULT_PROCESS, /* fork, posix_spawn */
    FAULT_THREAD,  /* pthread_create */
    FAULT_KINDS
};

extern const char *const fault_names[FAULT_KINDS]; /* "memory" and so on; NULL for FAULT_NONE */

/* From now on the n-th call of the kind fails, with `on` all after it too. FAULT_NONE: no more. */
void fault_arm(enum fault_kind kind, long n, bool on);
/* Whether any has failed since. */
bool fault_failed(void);
/* Blocks that are allocated and not yet freed. */
long fault_blocks(void);

#endif
