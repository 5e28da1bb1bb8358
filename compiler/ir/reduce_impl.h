/* What reduce.c and reduce_tiles.c share: how tiles share the work of a reduction. */
#ifndef WEFT_COMPILER_IR_REDUCE_IMPL_H
#define WEFT_COMPILER_IR_REDUCE_IMPL_H

#include "compiler/ir/kernel.h"

/* How the tiles of a C kernel share [points, elements, inner]. */
struct lanes deal_tiles(int64_t points, int64_t elements, int64_t inner);
/* How the tiles of a GPU's kernel do, each of which is a block of threads. `partial`: the elements are lanes of blocks. */
struct lanes deal_threads(int64_t points, int64_t elements, int64_t inner, bool partial);

#endif
