/* Axes (rule 9.5) of views and reductions: which dimensions their numbers or letters name. */
#ifndef WEFT_COMPILER_CHECK_AXES_H
#define WEFT_COMPILER_CHECK_AXES_H

#include "compiler/check/view.h"

/* Turns axes that are letters into positions in the value's layout; NULL: it is not known. `all`: transpose, which
 * names each letter. Returns false, with a diagnostic, where a letter names nothing; axes->rank is then -1. */
bool axes_resolve(const struct program *program, const struct product *value, struct numbers *axes,
                  bool all, const char *layout);
/* Whether the dimensions cannot be found yet: the axes are letters without positions. */
bool axes_open(const struct numbers *axes);
/* Finds the dimensions of a value with a shape, a bit for each; messages call the argument `what`. Returns false, with
 * a diagnostic, where an axis is wrong. */
bool axes_find(struct arena *arena, struct diags *diags, const struct viewed *value, const struct numbers *axes,
               const char *what, uint32_t *set);
/* The set of axes of which mistakes are reported elsewhere. Returns false where they are not known, or wrong for this
 * rank. */
bool axes_set(const struct numbers *axes, const struct contents *contents, int rank, uint32_t *set);

#endif
