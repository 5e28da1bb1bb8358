/* How the command ends by a signal, or without memory: at once, whatever its threads do, without a word, and leaving
 * nothing behind.
 *
 * Invariant: SIGINT, SIGTERM and SIGHUP are blocked in all threads. One thread of its own waits for them, so nothing
 * has to be safe in a handler, and what it does is not interrupted by a second signal. */
#ifndef WEFT_CLI_ENDING_H
#define WEFT_CLI_ENDING_H

#include <stdbool.h>

/* Starts that thread. If none can be started, signals end the process as they do any other. */
void ending_start(void);
/* What removes something unfinished before the process ends. It runs while the other threads do. */
struct watch {
    void (*remove)(void *user);
    void *user;
    struct watch *before;
};
/* Both while signals wait; the last that was watched is the first to be forgotten. */
void ending_watch(struct watch *watch);
void ending_forget(const struct watch *watch);
/* Between these two calls a signal waits: for the few steps that have to be whole. */
void ending_hold(void);
void ending_release(void);
/* Returns unless the process is about to end by a signal: it does not do anything else then. */
void ending_pass(void);
/* Ends the process with exit status 1 and leaves as little behind, from any thread. */
_Noreturn void ending_give_up(void);

#endif
