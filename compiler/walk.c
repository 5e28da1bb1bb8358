/* See walk.h. */
#include "compiler/walk.h"

/* ---- index maps ---- */

/* Whether broadcasting takes them alike: the same but for extents of 1 in front. */
static bool same_space(const struct shape *a, const struct shape *b)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    for (int d = 1; d <= rank; d++)
        if ((d <= a->rank ? a->extents[a->rank - d] : 1) !=
            (d <= b->rank ? b->extents[b->rank - d] : 1))
            return false;
    return true;
}

static int find_map(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                    bool apart)
{
    const struct index_map *outer = &kernel->maps[map];
    if (shape_volume(from) == shape_volume(outer->to)) { /* nothing is stretched in between */
        from = map ? outer->from : outer->to;
        map = map ? outer->parent : 0;
    }
    if (same_space(from, to) && !(apart && shape_volume(from) != shape_volume(kernel->maps[map].to)))
        return map;
    for (int m = 1; m < kernel->map_count; m++) {
        const struct index_map *have = &kernel->maps[m];
        if (have->parent == map && same_space(have->from, from) && same_space(have->to, to))
            return m;
    }
    if (kernel->map_count == MAX_MAPS)
        return -1;
    ARENA_PUSH(kernel->arena, kernel->maps, kernel->map_count, ((struct index_map){map, from, to}));
    return kernel->map_count - 1;
}

int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, false);
}

int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, true);
}

/* ---- pieces ---- */

void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride)
{
    struct piece *last = pieces->count ? &pieces->at[pieces->count - 1] : NULL;
    if (extent == 1)
        return;
    if (last && last->extent * last->stride == stride)
        last->extent *= extent;
    else
        pieces->at[pieces->count++] = (struct piece){extent, stride};
}

void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides)
{
    pieces->count = 0;
    for (int d = rank - 1; d >= 0; d--)
        pieces_add(pieces, extents[d], strides[d]);
}

bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result)
{
    struct pieces bytes = {.count = 0};
    pieces_add(&bytes, old, 1);
    for (int i = 0; i < pieces->count; i++)
        pieces_add(&bytes, pieces->at[i].extent, pieces->at[i].stride);
    if (size > 1 && (bytes.at[0].stride != 1 || bytes.at[0].extent % size != 0))
        return false;
    result->count = 0;
    bool whole = size == 1;
    if (!whole)
        pieces_add(result, bytes.at[0].extent / size, size);
    for (int i = !whole; i < bytes.count; i++) {
        if (bytes.at[i].stride % size != 0)
            return false;
        pieces_add(result, bytes.at[i].extent, bytes.at[i].stride);
    }
    return true;
}

/* What was not yet taken of some pieces. */
struct rest {
    struct pieces pieces;
    int at;
};

/* Moves the innermost `count` elements to `out`; false where they are no whole pieces or parts of one. */
static bool take(struct rest *rest, int64_t count, struct pieces *out)
{
    while (count > 1) {
        struct piece *piece = &rest->pieces.at[rest->at];
        int64_t stride = piece->stride;
        if (count % piece->extent == 0) {
            pieces_add(out, piece->extent, stride);
            count /= piece->extent;
            rest->at++;
        } else if (piece->extent % count == 0) {
            pieces_add(out, count, stride);
            *piece = (struct piece){piece->extent / count, stride * count};
            count = 1;
        } else {
            return false;
        }
    }
    return true;
}

/* The elements `in`, seen as shape `from` and broadcast to `to`. False where that is no matter of
 * strides: a stretched dimension would stand inside a piece. */
static bool broadcast(const struct pieces *in, const struct shape *from, const struct shape *to,
                      struct pieces *out)
{
    struct rest rest = {*in, 0};
    int64_t together = 1;
    out->count = 0;
    for (int d = 1; d <= to->rank; d++) {
        int64_t extent = to->extents[to->rank - d];
        int64_t own = d <= from->rank ? from->extents[from->rank - d] : 1;
        together *= own;
        if (own == extent)
            continue;
        if (!take(&rest, together, out))
            return false;
        pieces_add(out, extent, 0);
        together = 1;
    }
    return take(&rest, together, out);
}

/* ---- walks ---- */

static void add_level(struct arena *arena, struct walk *walk, const struct pieces *level)
{
    struct pieces *levels = ARENA_ARRAY(arena, struct pieces, walk->level_count + 1);
    for (int i = 0; i < walk->level_count; i++)
        levels[i + 1] = walk->levels[i];
    levels[0] = *level;
    walk->levels = levels;
    walk->level_count++;
}

static void numbers(struct pieces *pieces, int64_t count)
{
    pieces->count = 0;
    pieces_add(pieces, count, 1);
}

void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk)
{
    *walk = (struct walk){.over = *tensor};
    for (; map; map = maps[map].parent) {
        const struct shape *from = maps[map].from, *to = maps[maps[map].parent].to;
        struct pieces before = walk->over;
        if (broadcast(&before, from, to, &walk->over))
            continue;
        add_level(arena, walk, &before);
        numbers(&before, shape_volume(from));
        broadcast(&before, from, to, &walk->over);
    }
}

void walk_number(struct arena *arena, struct walk *walk)
{
    int64_t count = 1;
    for (int i = 0; i < walk->over.count; i++)
        count *= walk->over.at[i].extent;
    add_level(arena, walk, &walk->over);
    numbers(&walk->over, count);
}
