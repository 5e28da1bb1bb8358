/* The order in which a kernel of elements goes over the groups of its space (geometry.h). */
#ifndef WEFT_COMPILER_LOOP_GROUP_ORDER_H
#define WEFT_COMPILER_LOOP_GROUP_ORDER_H

#include "compiler/loop/geometry.h"

/* Reorders the groups where rows are faster so: what is stored first lies side by side in them, and of the largest of
 * `loads`, if it lies across, the rows of a cache line are behind each other. Where rows are long, and `free` says that
 * no chain wants its points outermost, they come in the order in which that load has them. Returns whether the order is
 * another than that of the space. */
bool order_groups(struct arena *arena, int loads, bool free, struct grouping *groups);

#endif
