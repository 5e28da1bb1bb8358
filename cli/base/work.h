/* One task for each of many files, on a few threads, with a progress line on a terminal.
 *
 * Invariant: of several failures the one with the lowest index is reported, however threads are scheduled. */
#ifndef WEFT_CLI_WORK_H
#define WEFT_CLI_WORK_H

#include "cli/base/report.h"

struct work {
    const char *verb; /* "reading", for the line of progress */
    int count;
    int threads; /* at most so many; 0: as many as a run would use, 16 at most */
    /* Task `index`. Its report and the report's pool are the task's own: what it allocates there
     * is gone afterwards. False after a diagnostic; later tasks are then not begun. */
    bool (*task)(struct report *report, void *user, int index);
    void *user;
    bool *left; /* [count] or NULL. A task that sets its place before it returns false does not end the work, and all
                 * that such tasks said is told at the end */
};

/* False after a diagnostic that ended the work. */
bool work_do(struct report *report, const struct work *work);
/* How many threads that would be for `count` tasks. */
int work_threads(int threads, int count);

#endif
