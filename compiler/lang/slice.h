/* Python's slices, as templates/shared/slice.c resolves them. */
#ifndef WEFT_SLICE_H
#define WEFT_SLICE_H

#include <stdint.h>

#include "templates/shared/slice.h"

/* Which elements of a dimension a slice takes: *count of them, the first at *first (0 where there is none) and
 * the others `step` apart. */
void slice_resolve(const struct slice *slice, int64_t extent, int64_t *first, int64_t *count);

#endif
