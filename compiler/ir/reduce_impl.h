/* What reduce.c and reduce_tiles.c share: how tiles share the work of a reduction. */
#ifndef WEFT_COMPILER_IR_REDUCE_IMPL_H
#define WEFT_COMPILER_IR_REDUCE_IMPL_H

#include "compiler/ir/kernel.h"

/* How the tiles of a C kernel share [points, elements, inner]. `ordered`: the bits depend on the order in which
 * elements are joined. `partial`: the elements are lanes that tiles left, and one tile takes all of a result. */
struct lanes deal_tiles(int64_t points, int64_t elements, int64_t inner, bool ordered, bool partial);
/* Makes tiles take more blocks, as far as there are some for threads to share: elements lie across, so that a tile ends
 * within cache lines with which the next one begins. */
void lengthen_tiles(struct lanes *lanes);
/* How the tiles of a GPU's kernel do, each of which is a block of threads. `partial`: the elements are lanes of
 * blocks. */
struct lanes deal_threads(int64_t points, int64_t elements, int64_t inner, bool partial);

#endif
