/* Index maps (ir/index_map.h) between an iteration space and a tensor's bytes. The functions are those of
 * templates/shared/walk.c, but for walk_make. */
#ifndef WEFT_WALK_H
#define WEFT_WALK_H

#include "compiler/ir/ir.h"

/* Adds elements outside those that are there. */
void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride);
/* Of the dimensions of a shape without an extent of 0, with these strides. */
void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides);
/* The bytes of a tensor with these pieces as elements of `size` bytes instead of `old`, in their order;
 * false where they do not lie together, or not at multiples of `size`. */
bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result);

/* The walk of a tensor whose elements under map number `map` are `tensor`: a bounded map's may be none, an
 * extent of 0 among them. */
void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk);
/* The same where walk->levels is there. */
void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor, struct walk *walk);
/* The same walk by way of the elements' numbers in the iteration space: it then has one piece. Once. */
void walk_number(struct walk *walk);
/* Whether positions may lie outside. */
bool walk_is_bounded(const struct walk *walk);

#endif
