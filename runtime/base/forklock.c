/* See forklock.h. */
#include "runtime/base/forklock.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* taken last */
static bool stopped;               /* by a fork in progress */

void load_begin(void)
{
    pthread_mutex_lock(&mutex);
}

void load_end(void)
{
    pthread_mutex_unlock(&mutex);
}

/* Loading takes a millisecond. After a second it is the forking thread that is waited for: it has the
 * loader's lock, being inside a constructor. Then nobody is half-way through loading. */
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
