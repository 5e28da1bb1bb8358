/* Narrow integer arithmetic: values of 32 and 64 bits that provably fit 16 are computed in 16, where a
 * vector holds twice as many. uint8 pixels and small literals meet in int32 (rule 3.2), and most such
 * formulas end in uint8 again. */
#ifndef WEFT_NARROW_H
#define WEFT_NARROW_H

#include "compiler/ir/kernel.h"

/* The kernel with such values in int16 or uint16; `kernel` itself where there are none. Every value
 * and every remark is the same. */
struct kernel *narrow(struct arena *arena, struct kernel *kernel);

#endif
