/* The lock around dlopen; see forklock.h. */
#include "runtime/base/forklock.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* no lock is taken after it */
static bool stopped;               /* loads_stop got the lock */

void load_begin(void)
{
    pthread_mutex_lock(&mutex);
}

void load_end(void)
{
    pthread_mutex_unlock(&mutex);
}

/* Loading takes a millisecond. If the lock is not free within a second, its holder is waiting for
 * the forking thread, which is then inside a constructor and holds the loader's lock itself. No
 * load is half done then, so the fork may go on without the lock. */
void loads_stop(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    stopped = pthread_mutex_timedlock(&mutex, &until) == 0;
}

void loads_resume(bool child)
{
    if (stopped)
        pthread_mutex_unlock(&mutex);
    else if (child)
        pthread_mutex_init(&mutex, NULL);
}
