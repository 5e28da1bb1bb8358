/* Access maps: how elements are found under views (sections 7 and 9 of docs/language.md). Data never moves. An element
 * of reshape and its like is the element with the same row-major number in what is viewed. A selection takes an index
 * or a slice of each dimension. A bounded step may go beyond what is there. Index maps connect nodes; walks
 * (loop/walk.h) connect an iteration space with the bytes of a tensor. */
#ifndef WEFT_COMPILER_IR_INDEX_MAP_H
#define WEFT_COMPILER_IR_INDEX_MAP_H

#include "compiler/ir/kernel.h"

enum {
    VIEW_MAPS = 256,               /* per kernel, so that it stays small enough to be compiled, */
    MAX_MAPS = VIEW_MAPS + 2 * 4096 /* and with those granted to correlations: the largest k has two for each element */
};

/* Returns the map (an index in kernel->maps) for reading through a view. The view has shape `from`, its operand has
 * shape `to`, and the view itself is read under `map`, where it may be stretched. Equal maps share one index. Where
 * nothing is stretched in between, a view of a view is one step; one that restores the original order is no step at
 * all. Returns -1 when there are too many maps. */
int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);
/* Of an operand that is an input's bytes in a row, not a tensor of shape `to`. If they are stretched, they
 * need a step even where the shapes agree. */
int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to);
/* A selection of shape `from`: `axes` says for each dimension of `to` what is selected of it; dimensions
 * of `from` that no axis names have extent 1. A selection of all elements in order becomes a view. A selection of a
 * selection becomes one step where extents are known. */
int map_select(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
               const struct axis *axes);
/* A selection whose positions may lie outside `to`: there `value` is read, the bits of a value of the
 * access's dtype. Its slices begin at `start` as it is and have no end; one with a stop
 * (has_stop) ends with the dimension instead, so that only the call need know where it begins. */
int map_bounded(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                const struct axis *axes, uint64_t value);
/* A selection of neighbouring elements, from `start` on as it is, whose positions may lie outside `to`: there the axes'
 * edges say what is read. Where one is EDGE_VALUE, nobody may use it. */
int map_edges(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
              const struct axis *axes);
/* By how much the elements of a dimension move; `open`: the number is that of a place where the call has, not the
 * shift, but the position from which the first element comes. */
struct shift {
    int64_t by;
    bool open;
};
/* A step that goes round: element i of dimension d of `to`, which is also the shape of the view, is read
 * at i - shifts[d], modulo the extent. */
int map_wrapped(struct kernel *kernel, int map, const struct shape *to, const struct shift *shifts);
/* A step in which only dimension d goes round: element i of `from` is read at start + i, modulo the extent in `to`. */
int map_within(struct kernel *kernel, int map, const struct shape *from, const struct shape *to, int d, int64_t start);
/* A step whose elements of `to` the kernel finds by their numbers, which it computes (take). `which` says
 * by which numbers: other steps have others. */
int map_taken(struct kernel *kernel, int map, const struct shape *from, const struct shape *to, uint64_t which);
/* Such numbers are those of a node, and of sample of one of the elements around a coordinate. */
static inline uint64_t taken_which(int node, int corner)
{
    return (uint64_t)node | (uint64_t)corner << 32;
}
static inline int taken_node(const struct index_map *step)
{
    return (int)(step->value & UINT32_MAX);
}
static inline int taken_corner(const struct index_map *step)
{
    return (int)(step->value >> 32);
}
/* The innermost step of that kind on the way to what the map leads to; 0: there is none. What lies above it is a matter
 * of the numbers alone. */
int map_taken_step(const struct index_map *maps, int map);

/* How positions along a dimension of what a map leads to follow the iteration space: element i of its dimension `from`
 * reads position first + i * step, for i below `count`. Where `from` is -1 all read position `first`. */
struct reach {
    int from;
    int64_t first, step, count;
};
/* Finds that for dimension d, counted from the last one as 1. False where the map is more than one selection of numbers
 * from the iteration space. */
bool map_reach(const struct kernel *kernel, int map, int d, struct reach *reach);
/* Adds a step of another kernel's map behind `map`, for a kernel over a part of that one's space. A step whose
 * positions may lie outside becomes a selection where those of the part read along one line. -1: there are too many
 * maps. */
int map_again(struct kernel *kernel, int map, const struct index_map *step);
/* Whether the positions of a bounded step behind `map`, along axes whose edge is a value, lie inside: 1 all of them,
 * 0 none, -1 some, or that is not known. */
int map_inside(const struct kernel *kernel, int map, const struct index_map *step);
/* Calls `cut` with each position of the iteration space, along dimension d, in front of which an axis of a step that
 * may lie outside begins to read along another line; with few of them where they are many. */
void map_turns(const struct kernel *kernel, const struct index_map *step, void (*cut)(void *user, int d, int64_t at),
               void *user);
/* The largest number of levels in a walk along this map, and of pieces in each level. The level that numbers the
 * elements of the iteration space is counted. */
int map_levels(const struct index_map *maps, int map);
int map_pieces(const struct index_map *maps, int map);
/* Whether a step of the map is bounded, below all that are taken. */
bool map_is_bounded(const struct kernel *kernel, int map);
/* Whether that may read a value which is used. Values under such a map may not be elements of what lies below, so not
 * even a single element is the same everywhere. */
bool map_reads_value(const struct kernel *kernel, int map);
/* Moves a position of a dimension to the one that the edge reads there. False: none is. */
bool edge_element(enum edge edge, int64_t extent, int64_t *position);

#endif
