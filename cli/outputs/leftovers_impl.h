/* What a process that was killed leaves behind where it wrote: temporary files and directories,
 * named .weft-PID-N, beside their targets.
 *
 * Invariant: whoever works with a temporary holds a lock on it, which ends with the process; only
 * what nobody locks is removed. Where a file system has no locks nothing is. */
#ifndef WEFT_CLI_LEFTOVERS_H
#define WEFT_CLI_LEFTOVERS_H

#include "cli/base/base.h"

#include <stdbool.h>

/* A name for a new temporary in `directory`, the `number`th of this process. */
const char *leftovers_name(struct pool *pool, const char *directory, int number);
/* Locks what was just made under `path` and opened as `fd`, until the last descriptor of that
 * opening is closed. False: another process has taken it for a leftover, make another. */
bool leftovers_lock(int fd, const char *path);
/* Removes those of ours in a directory that nobody locks. */
void leftovers_remove(struct pool *pool, const char *directory);

#endif
