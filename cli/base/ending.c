/* See ending.h. A write to a closed pipe is a signal, too, but of the thread that wrote: its handler passes it on. */
#define _GNU_SOURCE /* a mutex that its thread may lock twice: memory may run out while it is held */
#include "cli/base/ending.h"

#include "include/weft/weft.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds. Another thread may hold a lock while it waits for a device that does not answer. That of what has to be
 * removed is held for some calls of the system, for which a busy machine may take long. */
enum { PATIENCE = 50, LONG_PATIENCE = 1000 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct watch *watches;      /* the last first */
static atomic_bool begun;
static pthread_t waiter;

static void lock_in_time(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONG_PATIENCE / 1000;
    pthread_mutex_timedlock(&mutex, &until);
}

/* Other threads fail now, and shall not say so. */
static void silence(void)
{
    bool error = false, output = false;
    for (int i = 0; i < PATIENCE && !(error && output); i++) {
        error = error || ftrylockfile(stderr) == 0;
        output = output || ftrylockfile(stdout) == 0;
        if (!(error && output))
            poll(NULL, 0, 1);
    }
}

static void end_by(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

/* Nothing of ours goes on, and nothing unfinished stays. */
static void clear_up(void)
{
    if (atomic_exchange(&begun, true))
        for (;;)
            pause(); /* another thread is ending the process */
    silence();
    weft_cancel();
    lock_in_time();
    for (const struct watch *watch = watches; watch; watch = watch->before)
        watch->remove(watch->user);
}

static void *wait_for_signal(void *set)
{
    int number;
    while (sigwait(set, &number) != 0)
        continue;
    clear_up();
    end_by(number);
    return NULL;
}

void ending_give_up(void)
{
    clear_up();
    _exit(1);
}

/* Of SIGPIPE, in any thread. */
static void pass_on(int number)
{
    pthread_kill(waiter, number);
    for (;;)
        pause();
}

static bool heeded(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

void ending_start(void)
{
    static sigset_t set;
    sigset_t before, pipe;
    sigemptyset(&set);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    for (int i = 0; i < SIGNALS; i++)
        if (heeded(signals[i]))
            sigaddset(&set, signals[i]);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write */
    pthread_sigmask(SIG_BLOCK, &set, &before);
    if (pthread_create(&waiter, NULL, wait_for_signal, &set) != 0) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return;
    }
    pthread_detach(waiter);
    if (sigismember(&set, SIGPIPE)) {
        signal(SIGPIPE, pass_on);
        pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
    }
}

void ending_watch(struct watch *watch)
{
    watch->before = watches;
    watches = watch;
}

void ending_forget(const struct watch *watch)
{
    watches = watch->before;
}

void ending_hold(void)
{
    pthread_mutex_lock(&mutex);
}

void ending_release(void)
{
    pthread_mutex_unlock(&mutex);
}

void ending_pass(void)
{
    while (begun)
        pause();
}
