/* Walks: index maps (ir/index_map.h) applied to a tensor's strides. A walk leads from an iteration space to the
 * tensor's bytes. All functions except walk_make are in templates/shared/walk.c. */
#ifndef WEFT_COMPILER_LOOP_WALK_H
#define WEFT_COMPILER_LOOP_WALK_H

#include "compiler/ir/ir.h"

/* Adds a piece outside the present ones, which repeat `extent` times, `stride` apart. */
void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride);
/* Makes the pieces of a shape with these strides. No extent may be 0. */
void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides);
/* Makes the pieces of the same bytes as elements of `size` instead of `old` bytes, in order. False where the bytes of
 * an element do not lie together, or not at multiples of `size`. */
bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result);

/* Makes the walk of a tensor under map number `map`. `tensor` has the elements of the shape to which the map leads.
 * Under a bounded map there may be none, and an extent of 0 among them. */
void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk);
/* The same where walk->levels was allocated by the caller. */
void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor, struct walk *walk);
/* Changes a walk so that it goes through the number of each element in the iteration space; `over` then has one piece.
 * To be called at most once. */
void walk_number(struct walk *walk);
/* Whether positions of the walk may lie outside. */
bool walk_is_bounded(const struct walk *walk);

#endif
