/* Narrow integer arithmetic: integers of 32 and 64 bits that provably fit 16 bits are computed in 16, so that a vector
 * holds twice as many. This is common: uint8 pixels beside small literals give int32 (rule 3.2), and most such
 * formulas end in uint8 again. */
#ifndef WEFT_COMPILER_IR_NARROW_H
#define WEFT_COMPILER_IR_NARROW_H

#include "compiler/ir/kernel.h"

/* Returns the kernel with such values in int16 or uint16; `kernel` itself where there are none. All values
 * and faults stay the same. `temporaries`: those that it may read; NULL: it reads none. */
struct kernel *narrow(struct arena *arena, struct kernel *kernel, const struct temporary *temporaries);

#endif
