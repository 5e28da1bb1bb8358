/* Temporary files and directories that a killed process leaves beside its targets, named .weft-PID-N.
 *
 * Invariant: a process locks the temporaries that it works on, and the lock ends with the process. Only unlocked
 * ones are removed, and none on a file system without locks. */
#ifndef WEFT_CLI_LEFTOVERS_H
#define WEFT_CLI_LEFTOVERS_H

#include "cli/base/base.h"

#include <stdbool.h>

/* A name for a new temporary in `directory`, the `number`th of this process. */
const char *leftovers_name(struct pool *pool, const char *directory, int number);
/* Locks a temporary that was just created at `path` and opened as `fd`, until that opening is closed. False: another
 * process took it for a leftover; create another one. */
bool leftovers_lock(int fd, const char *path);
/* Removes the unlocked temporaries in a directory that belong to this user. */
void leftovers_remove(struct pool *pool, const char *directory);

#endif
