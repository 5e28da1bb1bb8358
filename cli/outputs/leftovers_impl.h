/* Folders for unfinished outputs beside their targets, named .weft-PID-N, and those that killed processes left behind.
 *
 * Invariant: what is removed is provably Weft's own, whoever may rename things in that directory. A folder is entered
 * by its descriptor and is emptied only if it is ours, nobody holds its lock, and a mark in it, which only we can have
 * written, names this very folder. A process locks its folders, and the lock ends with it; none is removed on a file
 * system without locks. */
#ifndef WEFT_CLI_LEFTOVERS_H
#define WEFT_CLI_LEFTOVERS_H

#include "cli/base/base.h"

#include <stdbool.h>

struct folder {
    struct folder *next;
    const char *directory;         /* where it is */
    const char *name;
    int parent, fd;                /* descriptors of that directory and of the folder, -1 until it is made */
};

/* One to be made in `directory`, from which leftovers are removed. NULL and errno. */
struct folder *folder_new(struct pool *pool, const char *directory);
/* Makes it, the `number`th of this process. False and errno. */
bool folder_make(struct pool *pool, struct folder *folder, int number);
/* Removes it with all that is in it; other threads may still be creating files. */
void folder_remove(const struct folder *folder);
/* Removes the files in a directory of a folder, for which no descriptor may be left. */
void folder_empty(int fd);
/* Closes its descriptors, which unlocks it. */
void folder_close(struct folder *folder);

#endif
