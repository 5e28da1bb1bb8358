/* What the files of index_map.h share: index_map.c adds and merges steps, index_map_edges.c knows those whose positions
 * may lie outside. */
#ifndef WEFT_COMPILER_IR_INDEX_MAP_IMPL_H
#define WEFT_COMPILER_IR_INDEX_MAP_IMPL_H

#include "compiler/ir/index_map.h"

/* Returns the index of a step, adding it if it is new. -1: there are too many. */
int map_add_step(struct kernel *kernel, struct index_map step);
/* The slice of `count` elements whose first is `first`. */
struct slice map_slice(int64_t first, int64_t step, int64_t count);
/* map_again for a step whose positions may lie outside: a selection where all of them read along one line. */
int map_inside_again(struct kernel *kernel, int map, const struct index_map *step);

#endif
