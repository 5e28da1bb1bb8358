/* How elements are found under reshape and its like (section 7 of docs/language.md): data never moves, so
 * an element of a view is the one with the same row-major number in what is viewed. Index maps say this
 * between nodes, walks say it between an iteration space and a tensor's bytes. */
#ifndef WEFT_WALK_H
#define WEFT_WALK_H

#include "compiler/kernel.h"

enum { MAX_MAPS = 256 }; /* of one kernel */

/* A place in kernel->maps for all that is read by way of a view of shape `from`, of something of shape
 * `to`, where the view is broadcast into what map number `map` leads to. Equal maps are one: where nothing
 * is stretched in between, a view of a view is a view. So whatever comes out in the order it went in is
 * the map it began with. -1: there are too many. */
int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);
/* The same for elements in a row that are an input's bytes, not elements of a tensor of that shape: where
 * they are stretched there is a map whatever the shapes. */
int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);

/* ---- walks: the functions are templates/geometry.c's, but for walk_make ---- */

/* Adds elements outside those that are there. */
void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride);
/* Of the dimensions of a shape without an extent of 0, with these strides. */
void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides);
/* The bytes of a tensor with these pieces as elements of `size` bytes instead of `old`, in their order;
 * false where they do not lie together, or not at multiples of `size`. */
bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result);

/* The walk of a tensor whose elements under map number `map` are `tensor`. */
void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk);
/* The same where walk->levels is there. */
void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor, struct walk *walk);
/* The same walk by way of the elements' numbers in the iteration space: it then has one piece. Once. */
void walk_number(struct walk *walk);

#endif
