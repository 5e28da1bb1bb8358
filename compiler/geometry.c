/* See geometry.h. */
#include "compiler/geometry.h"

#include <string.h>

/* Dimensions after grouping, outermost first, with a stride for each access. */
struct groups {
    int count;
    int64_t extents[MAX_GROUPS];
    int64_t *strides;              /* [groups][accesses] */
    int accesses;
    const struct walk **walks;     /* [accesses] of those with levels; NULL for others */
};

static int64_t *group_strides(const struct groups *groups, int group)
{
    return groups->strides + (ptrdiff_t)group * groups->accesses;
}

/* ---- grouping ---- */

/* Where groups begin: elements inside them, ascending; each divides the next. */
struct bounds {
    int count;
    int64_t at[MAX_GROUPS];
};

/* False where the bound would cut through a group that another has whole. */
static bool add_bound(struct bounds *bounds, int64_t bound)
{
    int i = bounds->count;
    while (i > 0 && bounds->at[i - 1] > bound)
        i--;
    if (i > 0 && bounds->at[i - 1] == bound)
        return true;
    if ((i > 0 && bound % bounds->at[i - 1] != 0) || (i < bounds->count && bounds->at[i] % bound != 0))
        return false;
    memmove(bounds->at + i + 1, bounds->at + i, (size_t)(bounds->count - i) * sizeof bounds->at[0]);
    bounds->at[i] = bound;
    bounds->count++;
    return true;
}

/* All of them or none. */
static bool add_bounds(struct bounds *bounds, const struct pieces *pieces)
{
    struct bounds all = *bounds;
    int64_t bound = 1;
    for (int i = 0; i < pieces->count; i++) {
        if (!add_bound(&all, bound))
            return false;
        bound *= pieces->at[i].extent;
    }
    *bounds = all;
    return true;
}

/* Fills the strides of an access: each group lies in one of its pieces. */
static void set_strides(struct groups *groups, int a, const struct pieces *pieces)
{
    int64_t inside = 1; /* the piece's first group: elements of the piece inside group g */
    for (int g = groups->count - 1, i = 0; g >= 0; g--) {
        group_strides(groups, g)[a] = pieces->at[i].stride * inside;
        inside *= groups->extents[g];
        if (inside == pieces->at[i].extent)
            inside = 1, i++;
    }
}

/* Groups as few as all accesses allow: a bound wherever some access has one. An access whose bounds do
 * not go with the others' is walked by numbers, which have none. */
static void make_groups(struct arena *arena, int rank, const int64_t *shape, int64_t volume,
                        const struct view *views, struct groups *groups)
{
    struct bounds bounds = {.count = 0};
    struct pieces pieces;
    for (int a = 0; a < groups->accesses; a++) {
        if (!views[a].walk) {
            pieces_make(&pieces, rank, shape, views[a].strides);
            add_bounds(&bounds, &pieces);
        }
    }
    for (int a = 0; a < groups->accesses; a++) {
        if (!views[a].walk)
            continue;
        struct walk *walk = arena_copy(arena, views[a].walk, sizeof *walk);
        if (!add_bounds(&bounds, &walk->over)) {
            walk_number(arena, walk);
            add_bounds(&bounds, &walk->over);
        }
        groups->walks[a] = walk;
    }
    groups->count = bounds.count;
    groups->strides = ARENA_ARRAY(arena, int64_t, (size_t)groups->count * (size_t)groups->accesses);
    for (int g = 0; g < groups->count; g++)
        groups->extents[groups->count - 1 - g] =
            (g + 1 < bounds.count ? bounds.at[g + 1] : volume) / bounds.at[g];
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a])
            pieces_make(&pieces, rank, shape, views[a].strides);
        set_strides(groups, a, groups->walks[a] ? &groups->walks[a]->over : &pieces);
        if (groups->walks[a] && !groups->walks[a]->level_count)
            groups->walks[a] = NULL;
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
 * would mostly be padding. `*is_nested`: some access then has two strides. */
static bool runs_flat(const struct groups *groups, const struct kernel *kernel, bool *is_nested)
{
    bool nested = *is_nested = false;
    if (groups->count < 2)
        return false;
    int64_t extent = groups->extents[groups->count - 1];
    for (int a = 0; a < groups->accesses; a++) {
        if (groups->walks[a])
            continue;
        int64_t inner = group_strides(groups, groups->count - 1)[a];
        int64_t outer = group_strides(groups, groups->count - 2)[a];
        int size = type_rows[kernel->accesses[a].dtype].size;
        enum access_kind kind = flat_kind(outer, inner, extent, size);
        nested = nested || kind == ACCESS_NESTED || (kind == ACCESS_PERIODIC && a >= kernel->load_count);
    }
    *is_nested = nested;
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

/* ---- several short groups as one row ---- */

enum {
    SHORT = 48,                    /* rows of so few elements take longer than expanding them does */
    ENOUGH = 96,                   /* in an expanded row, to be faster than two strides */
    LONG = 1024                    /* rows of so many are no trouble */
};

static int64_t largest_divisor(int64_t extent, int64_t most)
{
    for (int64_t d = most < extent ? most : extent; d > 1; d--)
        if (extent % d == 0)
            return d;
    return 1;
}

/* The inner groups that make a row of at most MAX_EXPANDED elements: their number. Of the outermost
 * of them `*part` elements belong to it, a divisor of its extent. */
static int inner_groups(const struct groups *groups, int64_t *part, int64_t *columns)
{
    int count = 0;
    *columns = *part = 1;
    while (count < groups->count) {
        int64_t extent = groups->extents[groups->count - 1 - count];
        int64_t d = largest_divisor(extent, MAX_EXPANDED / *columns);
        if (d == 1)
            break;
        *part = d;
        *columns *= d;
        count++;
        if (d < extent)
            break;
    }
    return count;
}

/* Bytes between the first element of the row and the furthest, or more than an int holds. */
static bool reaches(const struct groups *groups, int first, int64_t part)
{
    for (int a = 0; a < groups->accesses; a++) {
        int64_t reach = 0, step;
        if (groups->walks[a])
            continue;
        for (int i = first; i < groups->count; i++) {
            int64_t extent = i == first ? part : groups->extents[i];
            int64_t stride = group_strides(groups, i)[a];
            if (__builtin_mul_overflow(extent - 1, stride < 0 ? -stride : stride, &step) ||
                __builtin_add_overflow(reach, step, &reach) || reach > INT32_MAX)
                return false;
        }
    }
    return true;
}

/* What a kernel finds the elements of a mapped access with: levels, the first of which takes apart the
 * place in the row, of groups `first` and following and `part` of the first. */
static long long *make_map(struct arena *arena, const struct groups *groups, int first, int64_t part, int a)
{
    const struct walk *walk = groups->walks[a];
    struct pieces row = {.count = 0};
    size_t size = 2;
    for (int i = groups->count - 1; i >= first && i >= 0; i--)
        pieces_add(&row, i == first ? part : groups->extents[i], group_strides(groups, i)[a]);
    if (!row.count)
        row.at[row.count++] = (struct piece){1, 0};
    for (int i = 0; i <= walk->level_count; i++)
        size += 1 + 2 * (size_t)(i ? walk->levels[i - 1].count : row.count);
    long long *map = ARENA_ARRAY(arena, long long, size), *to = map;
    *to++ = walk->level_count + 1;
    for (int i = 0; i <= walk->level_count; i++) {
        const struct pieces *level = i ? &walk->levels[i - 1] : &row;
        *to++ = level->count;
        for (int k = 0; k < level->count; k++) {
            to[k] = level->at[k].extent;
            to[level->count + k] = level->at[k].stride;
        }
        to += 2 * level->count;
    }
    return map;
}

/* How an access moves along the row of groups `first` and following. */
static enum access_kind row_kind(const struct groups *groups, int first, int a, int size)
{
    for (int i = first; i + 1 < groups->count; i++)
        if (group_strides(groups, i)[a] != group_strides(groups, i + 1)[a] * groups->extents[i + 1])
            return ACCESS_EXPANDED;
    return plain_kind(group_strides(groups, groups->count - 1)[a], size);
}

static int *make_offsets(struct arena *arena, const struct groups *groups, int first, int64_t columns,
                         int a)
{
    int *offsets = ARENA_ARRAY(arena, int, columns);
    for (int64_t j = 0; j < columns; j++) {
        int64_t rest = j, offset = 0;
        for (int i = groups->count - 1; i > first; rest /= groups->extents[i--])
            offset += rest % groups->extents[i] * group_strides(groups, i)[a];
        offsets[j] = (int)(offset + rest * group_strides(groups, first)[a]);
    }
    return offsets;
}

static int64_t distinct_columns(const struct groups *groups, int first, int64_t part, int a)
{
    int64_t distinct = 1;
    int outermost = first;
    while (outermost < groups->count && group_strides(groups, outermost)[a] == 0)
        outermost++;
    for (int i = outermost; i < groups->count; i++)
        distinct *= i == first ? part : groups->extents[i];
    return distinct;
}

static void expand_access(struct arena *arena, const struct groups *groups, int first, int64_t part,
                          int a, int size, struct geometry *g)
{
    bool split = part < groups->extents[first];
    int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
    for (int i = 0; i < first; i++)
        strides[i] = group_strides(groups, i)[a];
    if (split)
        strides[first] = part * group_strides(groups, first)[a];
    strides[g->groups] = group_strides(groups, groups->count - 1)[a];
    if (groups->walks[a]) {
        g->kinds[a] = ACCESS_MAPPED;
        g->maps[a] = make_map(arena, groups, first, part, a);
        return;
    }
    g->kinds[a] = (unsigned char)row_kind(groups, first, a, size);
    if (g->kinds[a] != ACCESS_EXPANDED)
        return;
    g->offsets[a] = make_offsets(arena, groups, first, g->columns, a);
    g->distinct[a] = distinct_columns(groups, first, part, a);
}

/* Whether a row of the `inner` innermost groups is better than walking them plainly; `flat` and `nested`
 * are what runs_flat says. */
static bool worth_expanding(const struct groups *groups, bool flat, bool nested, int inner, int64_t columns)
{
    int count = groups->count;
    if (inner < 2 || groups->extents[count - 1] > SHORT)
        return false;
    int64_t two = groups->extents[count - 1] * groups->extents[count - 2];
    if (flat && !nested)
        return count > 2 && two < LONG;
    /* Two strides, where they go on for longer. */
    return !(flat && columns < two && columns < ENOUGH);
}

/* Makes rows of several short groups; false where rows are long enough without. */
static bool expand(struct arena *arena, const struct groups *groups, const struct kernel *kernel,
                   bool flat, bool nested, struct geometry *g)
{
    int64_t part, columns;
    int inner = inner_groups(groups, &part, &columns), first = groups->count - inner;
    if (!worth_expanding(groups, flat, nested, inner, columns) || !reaches(groups, first, part))
        return false;
    g->groups = first + (part < groups->extents[first]);
    memcpy(g->extents, groups->extents, (size_t)first * sizeof g->extents[0]);
    if (g->groups > first)
        g->extents[first] = groups->extents[first] / part;
    g->row_groups = inner;
    g->columns = columns;
    g->rows = g->volume / columns;
    for (int a = 0; a < groups->accesses; a++)
        expand_access(arena, groups, first, part, a, type_rows[kernel->accesses[a].dtype].size, g);
    return true;
}

/* Rows are the innermost group, or in flat classes the two innermost together. */
static void walk_plainly(struct arena *arena, const struct groups *groups, const struct kernel *kernel,
                         bool flat, struct geometry *g)
{
    int inner = groups->count - 1;
    g->groups = groups->count - 1 - flat < 0 ? 0 : groups->count - 1 - flat;
    for (int i = 0; i < g->groups; i++)
        g->rows *= g->extents[i] = groups->extents[i];
    if (inner >= 0)
        g->columns = groups->extents[inner] * (flat ? groups->extents[inner - 1] : 1);
    g->period = flat ? groups->extents[inner] : 0;
    for (int a = 0; a < groups->accesses; a++) {
        int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
        int size = type_rows[kernel->accesses[a].dtype].size;
        for (int i = 0; i < g->groups; i++)
            strides[i] = group_strides(groups, i)[a];
        int64_t step = inner >= 0 ? group_strides(groups, inner)[a] : size;
        int64_t jump = flat ? group_strides(groups, inner - 1)[a] : 0;
        strides[g->groups] = step;
        strides[g->groups + 1] = jump;
        g->kinds[a] = (unsigned char)(flat                        ? flat_kind(jump, step, g->period, size)
                                      : (g->fast & FAST_SPECIAL) ? plain_kind(step, size)
                                                                 : ACCESS_STRIDED);
        if (groups->walks[a]) {
            int first = inner - flat;
            g->kinds[a] = ACCESS_MAPPED;
            g->maps[a] = make_map(arena, groups, first, first < 0 ? 1 : groups->extents[first], a);
        }
    }
}

void make_geometry(struct arena *arena, const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, unsigned fast, struct geometry *g)
{
    int accesses = kernel->access_count;
    struct groups groups = {.accesses = accesses};
    int64_t filled[WEFT_MAX_RANK], some = 1; /* the shape, or if it is empty some like it with elements */
    groups.walks = ARENA_ARRAY(arena, const struct walk *, accesses);
    *g = (struct geometry){.fast = fast, .volume = 1, .rows = 1, .columns = 1};
    for (int d = 0; d < rank; d++) {
        filled[d] = shape[d] || !g->volume ? shape[d] + !shape[d] : 2;
        g->volume *= shape[d];
        some *= filled[d];
    }
    make_groups(arena, rank, filled, some, views, &groups);
    if (!g->volume)
        groups.extents[0] = 0;
    g->merged_count = groups.count;
    g->merged_strides = groups.strides;
    memcpy(g->merged, groups.extents, sizeof g->merged);
    g->strides = ARENA_ARRAY(arena, int64_t, (size_t)accesses * (size_t)(groups.count + 2));
    g->kinds = ARENA_ARRAY(arena, unsigned char, accesses);
    g->offsets = ARENA_ARRAY(arena, int *, accesses);
    g->distinct = ARENA_ARRAY(arena, long long, accesses);
    g->maps = ARENA_ARRAY(arena, long long *, accesses);
    bool nested, allowed = (fast & FAST_SPECIAL) && (fast & FAST_FLAT);
    bool flat = allowed && runs_flat(&groups, kernel, &nested);
    if (!allowed || !g->volume || !expand(arena, &groups, kernel, flat, nested, g))
        walk_plainly(arena, &groups, kernel, flat, g);
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
