/* What the files of chains share. */
#ifndef WEFT_COMPILER_LOOP_CHAIN_IMPL_H
#define WEFT_COMPILER_LOOP_CHAIN_IMPL_H

#include "compiler/loop/schedule.h"

/* chain_slices.c: what is to be known for chains of neighbours of a schedule. */
struct slicing *slicing_new(struct arena *arena, struct schedule *schedule);
/* Makes a chain of neighbours, in C, that begins with kernel k, if one pays. Returns the kernel behind it; k: there is
 * none. */
int chain_slices(struct arena *arena, struct slicing *slicing, int k);

/* Whether each of so many points of the loop is as many rows. The last row of several short groups may be shorter. */
bool points_are_rows(const struct geometry *g, int64_t points);

#endif
