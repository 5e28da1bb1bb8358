/* See geometry.h. */
#include "compiler/geometry.h"

#include <string.h>

/* Dimensions after grouping, outermost first, with a stride for each access. */
struct groups {
    int count;
    int64_t extents[WEFT_MAX_RANK];
    int64_t *strides;              /* [WEFT_MAX_RANK][accesses] */
    int accesses;
};

static int64_t *group_strides(const struct groups *groups, int group)
{
    return groups->strides + (ptrdiff_t)group * groups->accesses;
}

/* Whether dimension `d`, inside the last group, continues it for every access. */
static bool continues(const struct groups *groups, const struct view *views, int d, int64_t extent)
{
    const int64_t *outer = group_strides(groups, groups->count - 1);
    for (int a = 0; a < groups->accesses; a++)
        if (outer[a] != extent * views[a].strides[d])
            return false;
    return true;
}

static void group_dimensions(struct groups *groups, int rank, const int64_t *shape,
                             const struct view *views)
{
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 1)
            continue;
        bool merge = groups->count > 0 && continues(groups, views, d, shape[d]);
        groups->count += !merge;
        int64_t *extent = &groups->extents[groups->count - 1];
        *extent = merge ? *extent * shape[d] : shape[d];
        for (int a = 0; a < groups->accesses; a++)
            group_strides(groups, groups->count - 1)[a] = views[a].strides[d];
    }
}

static enum access_kind plain_kind(int64_t stride, int size)
{
    return stride == 0 ? ACCESS_SCALAR : stride == size ? ACCESS_UNIT : ACCESS_STRIDED;
}

static enum access_kind flat_kind(int64_t outer, int64_t inner, int64_t extent, int size)
{
    if (outer == extent * inner)
        return plain_kind(inner, size);
    return outer == 0 ? ACCESS_PERIODIC : ACCESS_NESTED;
}

/* Whether the two innermost groups run as one: the inner one is short, so that rows of their own
 * would mostly be padding. */
static bool runs_flat(const struct groups *groups, const struct kernel *kernel)
{
    if (groups->count < 2)
        return false;
    int64_t extent = groups->extents[groups->count - 1];
    bool nested = false;
    for (int a = 0; a < groups->accesses; a++) {
        int64_t inner = group_strides(groups, groups->count - 1)[a];
        int64_t outer = group_strides(groups, groups->count - 2)[a];
        int size = type_rows[kernel->accesses[a].dtype].size;
        enum access_kind kind = flat_kind(outer, inner, extent, size);
        nested = nested || kind == ACCESS_NESTED || (kind == ACCESS_PERIODIC && a >= kernel->load_count);
    }
    return extent <= (nested ? BLOCK / 2 : MAX_PERIOD);
}

static void tile(struct geometry *g)
{
    int64_t columns = g->columns < TILE ? g->columns : TILE;
    g->tile_columns = columns > 0 ? columns : 1;
    int64_t rows = TILE / g->tile_columns;
    g->tile_rows = rows < 1 ? 1 : rows > g->rows ? g->rows : rows;
    if (g->tile_rows < 1)
        g->tile_rows = 1;
    g->row_tiles = (g->columns + g->tile_columns - 1) / g->tile_columns;
    g->tiles = g->volume ? (g->rows + g->tile_rows - 1) / g->tile_rows * g->row_tiles : 0;
}

void make_geometry(struct arena *arena, const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, unsigned fast, struct geometry *g)
{
    int accesses = kernel->access_count;
    struct groups groups = {.accesses = accesses};
    groups.strides = ARENA_ARRAY(arena, int64_t, (size_t)WEFT_MAX_RANK * (size_t)accesses);
    group_dimensions(&groups, rank, shape, views);
    bool special = fast & FAST_SPECIAL;
    bool flat = special && (fast & FAST_FLAT) && runs_flat(&groups, kernel);
    int inner = groups.count - 1;
    *g = (struct geometry){.fast = fast, .volume = 1, .rows = 1, .columns = 1};
    g->groups = groups.count - 1 - flat < 0 ? 0 : groups.count - 1 - flat;
    for (int d = 0; d < rank; d++)
        g->volume *= shape[d];
    for (int i = 0; i < g->groups; i++)
        g->rows *= g->extents[i] = groups.extents[i];
    if (inner >= 0)
        g->columns = groups.extents[inner] * (flat ? groups.extents[inner - 1] : 1);
    g->period = flat ? groups.extents[inner] : 0;
    g->strides = ARENA_ARRAY(arena, int64_t, (size_t)accesses * (size_t)(g->groups + 2));
    g->kinds = ARENA_ARRAY(arena, unsigned char, accesses);
    for (int a = 0; a < accesses; a++) {
        int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
        int size = type_rows[kernel->accesses[a].dtype].size;
        for (int i = 0; i < g->groups; i++)
            strides[i] = group_strides(&groups, i)[a];
        int64_t step = inner >= 0 ? group_strides(&groups, inner)[a] : size;
        int64_t jump = flat ? group_strides(&groups, inner - 1)[a] : 0;
        strides[g->groups] = step;
        strides[g->groups + 1] = jump;
        g->kinds[a] = (unsigned char)(flat      ? flat_kind(jump, step, g->period, size)
                                      : special ? plain_kind(step, size)
                                                : ACCESS_STRIDED);
    }
    tile(g);
}

void broadcast_strides(int rank, const int64_t *shape, int tensor_rank, const int64_t *extents,
                       const int64_t *strides, int size, int64_t *result)
{
    int64_t dense = size;
    for (int d = 0; d < rank; d++)
        result[d] = 0;
    for (int d = tensor_rank - 1; d >= 0; d--) {
        int to = d + rank - tensor_rank;
        int64_t stride = strides ? strides[d] * size : dense;
        if (to >= 0 && (extents[d] != 1 || shape[to] == 1))
            result[to] = stride;
        dense *= extents[d] ? extents[d] : 1;
    }
}
