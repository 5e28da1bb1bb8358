/* Threads and processors; see processor.h. */
#include "runtime/base/processor.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void runner_init(struct runner *runner)
{
    runner->thread = pthread_self();
    runner->id = (pid_t)syscall(SYS_gettid);
    runner->bound = false;
}

double runner_look(struct runner *runner)
{
    clockid_t clock;
    struct timespec now = {0};
    if (pthread_getcpuclockid(runner->thread, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 1; /* as if it were running */
    double before = runner->used;
    runner->used = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return runner->used - before;
}

bool runner_bind(struct runner *runner, int processor, bool others)
{
    if (processor < 0 || processor >= CPU_SETSIZE ||
        (!runner->bound && sched_getaffinity(runner->id, sizeof runner->own, &runner->own) != 0))
        return false;
    cpu_set_t set = runner->own;
    if (others) {
        CPU_CLR(processor, &set);
    } else if (CPU_ISSET(processor, &set)) {
        CPU_ZERO(&set);
        CPU_SET(processor, &set);
    } else {
        return false;
    }
    bool bound = sched_setaffinity(runner->id, sizeof set, &set) == 0;
    runner->bound = runner->bound || bound;
    return bound;
}

void runner_unbind(struct runner *runner)
{
    if (runner->bound)
        sched_setaffinity(runner->id, sizeof runner->own, &runner->own);
    runner->bound = false;
}
