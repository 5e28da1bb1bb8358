/* Python's slices. The code is templates/shared/slice.c. */
#ifndef WEFT_COMPILER_LANG_SLICE_H
#define WEFT_COMPILER_LANG_SLICE_H

#include <stdint.h>

#include "templates/shared/slice.h"

/* Finds which elements of a dimension a slice takes: *count of them, the first at *first (0 where there are none),
 * the others `step` apart. */
void slice_resolve(const struct slice *slice, int64_t extent, int64_t *first, int64_t *count);

#endif
