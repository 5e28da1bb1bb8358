/* Header of the room ir: kernels as instructions on accesses. Lowering makes them from a typed program, the other
 * passes here rewrite them, and the room loop makes loops of them. Extents are not known yet, except where views
 * or reductions need them. */
#ifndef WEFT_COMPILER_IR_IR_H
#define WEFT_COMPILER_IR_IR_H

#include "compiler/ir/elements.h"
#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/materialize.h"
#include "compiler/ir/narrow.h"
#include "compiler/ir/positions.h"
#include "compiler/ir/reduce.h"
#include "compiler/ir/split.h"
#include "compiler/ir/temporaries.h"
#include "compiler/ir/verify.h"

#endif
