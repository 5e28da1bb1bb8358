/* The process's threads for runs. They start when they are first wanted, sleep when there is nothing to do, and serve
 * all contexts. */
#ifndef WEFT_RUNTIME_BASE_POOL_H
#define WEFT_RUNTIME_BASE_POOL_H

struct pool_call {
    int count;                     /* threads that may take part, the calling one included */
    int most;                      /* at work in the process, all calls together; the calling thread always is */
    int wake;                      /* threads that are worth waking where they sleep; others take part only if they are
                                    * awake, as they are for the next of several calls in a row */
    void (*task)(void *data, int index);
    void *data;
};

/* Calls task(data, 0) on the calling thread and task(data, i) for some i < count on others, those that got a
 * processor before task(data, 0) returned. So the tasks have to share out their work among those that come. Returns
 * when all that were called have returned. From any thread, also from several at once. */
void pool_run(const struct pool_call *call);

/* Forks between the process that loaded the library and this one. A child starts threads of its own. */
unsigned pool_forks(void);

#endif
