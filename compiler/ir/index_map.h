/* How elements are found under views (sections 7 and 9 of docs/language.md): data never moves. An element of
 * reshape and its like is the one with the same row-major number in what is viewed; a selection takes an index or a
 * slice of each dimension; a bounded step may go beyond what is there. Index maps say this between nodes; walks
 * (loop/walk.h) say it between an iteration space and a tensor's bytes. */
#ifndef WEFT_INDEX_MAP_H
#define WEFT_INDEX_MAP_H

#include "compiler/ir/kernel.h"

enum { MAX_MAPS = 256 }; /* of one kernel */

/* A place in kernel->maps for all that is read by way of a view of shape `from`, of something of shape
 * `to`, where the view is broadcast into what map number `map` leads to. Equal maps are one: where nothing
 * is stretched in between, a view of a view is a view. So whatever comes out in the order it went in is
 * the map it began with. -1: there are too many. */
int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);
/* The same for elements in a row that are an input's bytes, not elements of a tensor of that shape: where
 * they are stretched there is a map whatever the shapes. */
int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);
/* The same for a selection of shape `from`: `axes` say for each dimension of `to` what is selected of it, and each
 * dimension of `from` that none of them names has extent 1. What selects all elements in their order is a view, and a
 * selection of a selection is one, where extents are known. */
int map_select(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
               const struct axis *axes);
/* A selection whose positions may lie outside `to`, where `value` is read: bits of the dtype of the access. Its
 * slices start where they say and have no end. */
int map_bounded(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                const struct axis *axes, uint64_t value);
/* What a walk by way of a map takes at most: levels, the one by numbers in the iteration space among them, and pieces
 * of each. */
int map_levels(const struct index_map *maps, int map);
int map_pieces(const struct index_map *maps, int map);
/* Whether a step of the map is bounded. Values then are no elements of what lies below: one element, too, is not
 * the same everywhere. */
bool map_is_bounded(const struct kernel *kernel, int map);

#endif
