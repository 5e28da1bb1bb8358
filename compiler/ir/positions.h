/* Positions (rule 12.1): the numbers 0, 1, .. along one dimension. Few are a constant of the kernel that reads them,
 * and more are the sum of two or more, one for each digit. Where only the call knows how many, a kernel of its own
 * stores them into a temporary: it joins digits to the base 256, each a load from a constant of 256 numbers. So targets
 * need nothing for them. */
#ifndef WEFT_COMPILER_IR_POSITIONS_H
#define WEFT_COMPILER_IR_POSITIONS_H

#include "compiler/ir/kernel_program.h"

/* Whether a constant of such positions is too large, so that they are stored; and whether index, arange and linspace
 * make them as a sum of constants instead. */
bool position_is_stored(const struct shape *shape);
bool position_is_sum(const struct shape *shape);
/* Adds the kernel that stores row-major positions over `shape`, for a node. Returns the temporary. */
int store_positions(struct kernel_program *program, int node, const struct shape *shape, enum weft_dtype dtype);

/* Calls `store` with the shape of each of the positions that are to be stored for elements that are taken from a value
 * of shape `to` along the dimensions in `axes`. */
void take_stored_digits(struct arena *arena, const struct shape *to, uint32_t axes,
                        void (*store)(void *user, const struct shape *shape), void *user);

#endif
