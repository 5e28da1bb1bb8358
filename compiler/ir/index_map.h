/* How elements are found under reshape and its like (section 7 of docs/language.md): data never moves, so
 * an element of a view is the one with the same row-major number in what is viewed. Index maps say this
 * between nodes; walks (loop/walk.h) say it between an iteration space and a tensor's bytes. */
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

#endif
