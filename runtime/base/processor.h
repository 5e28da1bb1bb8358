/* Whether a thread has a processor, and which ones it may use. */
#ifndef WEFT_RUNTIME_BASE_PROCESSOR_H
#define WEFT_RUNTIME_BASE_PROCESSOR_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct runner {
    pthread_t thread;
    pid_t id;                      /* the system's */
    double used;                   /* processor time when somebody last looked, in seconds */
    bool bound;                    /* it may not use all of its processors, `own` */
    cpu_set_t own;
};

/* The calling thread. */
void runner_init(struct runner *runner);
/* Notes the processor time that a thread has had, which must not have ended, and returns how much it is since the last
 * look. */
double runner_look(struct runner *runner);
/* Binds a thread to a processor of its own, or to all of its own but that one. False where there is none, or where the
 * system forbids it. */
bool runner_bind(struct runner *runner, int processor, bool others);
/* Gives a thread its processors back. */
void runner_unbind(struct runner *runner);

#endif
