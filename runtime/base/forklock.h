/* The lock around dlopen and the like. A fork waits for it, so that the child does not inherit the dynamic
 * loader's lock in a locked state. */
#ifndef WEFT_RUNTIME_BASE_FORKLOCK_H
#define WEFT_RUNTIME_BASE_FORKLOCK_H

#include <stdbool.h>

/* Take and release the lock; from any thread. */
void load_begin(void);
void load_end(void);

/* Called around a fork by the thread that forks (runtime/kernels/worker.c). loads_stop waits for the lock, a
 * second at most. `child` says that loads_resume runs in the child, which has no other threads. */
void loads_stop(void);
void loads_resume(bool child);

#endif
