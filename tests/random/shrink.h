/* From a failing trial to a small one that fails alike. Every attempt runs in a process of its own, with
 * a context of its own, so that a kernel may crash or hang. */
#ifndef WEFT_SHRINK_H
#define WEFT_SHRINK_H

#include "tests/random/execute.h"

/* How attempts run. */
struct attempts {
    const char *cc, *flags;
    int seconds;                   /* one attempt may take */
    int count;                     /* made so far */
};

/* Runs the trial in a child; DIED when that does not end by itself. */
void attempt(struct attempts *attempts, struct trial *trial, struct outcome *outcome);
/* `trial` fails with *outcome; both become those of the smallest found. Memory is the arena's. */
void shrink(struct attempts *attempts, struct trial *trial, struct arena *arena,
            struct outcome *outcome);

#endif
