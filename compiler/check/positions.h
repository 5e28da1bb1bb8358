/* Items of selections that are a single integer or a tensor of positions, as the inputs have it (rule 9.1). */
#ifndef WEFT_COMPILER_CHECK_POSITIONS_H
#define WEFT_COMPILER_CHECK_POSITIONS_H

#include "compiler/lang/lang.h"

/* Makes each NODE_TAKE whose positions may be a size expression a selection where all inputs in them are known to have
 * no dimensions, and a take where one is known to have some. Others stay undecided. False, with a diagnostic, where two
 * of one selection are takes. */
bool decide_positions(struct program *program);

#endif
