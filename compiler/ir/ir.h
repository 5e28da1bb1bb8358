/* The kernel as instructions: lowering makes it, other passes here rewrite it. No extents yet, but where views
 * need them. */
#ifndef WEFT_IR_ROOM_H
#define WEFT_IR_ROOM_H

#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_program.h"
#include "compiler/ir/materialize.h"
#include "compiler/ir/narrow.h"
#include "compiler/ir/reduce.h"
#include "compiler/ir/verify.h"

#endif
