/* Walks: index maps (ir/index_map.h) applied to a tensor's strides. A walk leads from an iteration space to the
 * tensor's bytes. The functions are in templates/shared/walk.c. */
#ifndef WEFT_COMPILER_LOOP_WALK_H
#define WEFT_COMPILER_LOOP_WALK_H

#include "compiler/ir/ir.h"

/* Makes the pieces of a shape with these strides. No extent may be 0. */
void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides);
/* Makes the pieces of the same bytes as elements of `size` instead of `old` bytes, in order. False where the bytes of
 * an element do not lie together, or not at multiples of `size`. */
bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result);

/* Makes the walk of a tensor under map number `map`. `tensor` has the elements of the shape to which the map leads.
 * Under a bounded map there may be none, and an extent of 0 among them. walk->levels has room for map_levels. */
void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor, struct walk *walk);
/* Changes a walk so that it goes through the number of each element in the iteration space; `over` then has one piece.
 * To be called at most once. */
void walk_number(struct walk *walk);

#endif
