/* Implements geometry.h. Grouping and plain rows are in templates/shared, which sources made ahead of time carry too.
 * Expanding several short groups into one row is here. */
#include "compiler/loop/geometry.h"

#include "compiler/loop/evaluation.h"
#include "compiler/loop/group_order.h"
#include "compiler/loop/slide.h"

#include <string.h>

#define SHARED
#include "templates/shared/walk.c"
#include "templates/shared/grouping.c"
#include "templates/shared/gather.c"
#include "templates/shared/chunks.c"

/* ---- several short groups as one row ---- */

static int64_t largest_divisor(int64_t extent, int64_t most)
{
    for (int64_t d = most < extent ? most : extent; d > 1; d--)
        if (extent % d == 0)
            return d;
    return 1;
}

/* How many elements of a group belong to a row that has room for `most`: all rows have as many if `even`, else the last
 * one may have fewer, where many divisors are too small. */
static int64_t choose_part(int64_t extent, int64_t most, bool even)
{
    const int64_t divisor = largest_divisor(extent, most);
    return even || divisor > most / 2 || divisor == extent ? divisor : most;
}

/* Finds the inner groups that make a row of at most MAX_EXPANDED elements, and returns how many they are. Only `*part`
 * elements of the outermost of them belong to a row. */
static int inner_groups(const struct grouping *groups, bool even, int64_t *part, int64_t *columns)
{
    int count = 0;
    *columns = *part = 1;
    while (count < groups->count) {
        int64_t extent = groups->extents[groups->count - 1 - count];
        int64_t d = choose_part(extent, MAX_EXPANDED / *columns, even);
        if (d <= 1)
            break;
        *part = d;
        *columns *= d;
        count++;
        if (d < extent)
            break;
    }
    return count;
}

/* Whether all offsets within such a row fit an int. */
static bool reaches(const struct grouping *groups, int first, int64_t part)
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

static long long *keep_map(struct arena *arena, const struct grouping *groups, int first, int64_t part, int a)
{
    long long *map = ARENA_ARRAY(arena, long long, make_map(groups, first, part, a, NULL));
    make_map(groups, first, part, a, map);
    return map;
}

/* How an access moves along the row made of groups `first` and following. */
static enum access_kind row_kind(const struct grouping *groups, int first, int a, int size)
{
    for (int i = first; i + 1 < groups->count; i++)
        if (group_strides(groups, i)[a] != group_strides(groups, i + 1)[a] * groups->extents[i + 1])
            return ACCESS_EXPANDED;
    return plain_kind(group_strides(groups, groups->count - 1)[a], size);
}

static int *make_offsets(struct arena *arena, const struct grouping *groups, int first, int64_t columns,
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

static int64_t distinct_columns(const struct grouping *groups, int first, int64_t part, int a)
{
    int64_t distinct = 1;
    int outermost = first;
    while (outermost < groups->count && group_strides(groups, outermost)[a] == 0)
        outermost++;
    for (int i = outermost; i < groups->count; i++)
        distinct *= i == first ? part : groups->extents[i];
    return distinct;
}

/* How many elements of such a row stand in one run, which is a step along the innermost group, or stay. */
static int64_t run_columns(const struct grouping *groups, int first, int64_t part, int a)
{
    int i = groups->count - 1;
    int64_t columns = i > first ? groups->extents[i] : part;
    for (; i > first && group_strides(groups, i - 1)[a] == group_strides(groups, i)[a] * groups->extents[i]; i--)
        columns *= i - 1 > first ? groups->extents[i - 1] : part;
    return columns;
}

static void expand_access(struct arena *arena, const struct grouping *groups, int first, int64_t part,
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
        g->kinds[a] = walk_kind(groups->walks[a]);
        g->maps[a] = keep_map(arena, groups, first, part, a);
        return;
    }
    g->kinds[a] = (unsigned char)row_kind(groups, first, a, size);
    if (g->kinds[a] != ACCESS_EXPANDED)
        return;
    strides[g->groups + 1] = run_columns(groups, first, part, a);
    g->offsets[a] = make_offsets(arena, groups, first, g->columns, a);
    g->distinct[a] = distinct_columns(groups, first, part, a);
}

/* Whether some access steps from row to row by one element, so that rows of whole blocks can be transposed. */
static bool some_lie_across(const struct grouping *groups)
{
    const int inner = groups->count - 1;
    bool some = false;
    for (int a = 0; inner > 0 && a < groups->accesses; a++)
        some = some || (group_strides(groups, inner)[a] > groups->sizes[a] &&
                        group_strides(groups, inner - 1)[a] == groups->sizes[a]);
    return some;
}

/* Whether an access stays at one element throughout. */
static bool stays_throughout(const struct grouping *groups, int a)
{
    bool stays = !groups->walks[a];
    for (int i = 0; stays && i < groups->count; i++)
        stays = group_strides(groups, i)[a] == 0;
    return stays;
}

/* Whether all accesses step by one element along the innermost group, or, if some `stay`, throughout, so that its rows
 * are read by vectors. */
static bool all_are_dense(const struct grouping *groups, bool stay)
{
    bool all = groups->count > 0;
    for (int a = 0; all && a < groups->accesses; a++)
        all = (stay && stays_throughout(groups, a)) ||
              (!groups->walks[a] && group_strides(groups, groups->count - 1)[a] == groups->sizes[a]);
    return all;
}

/* Whether a function computes whole blocks. */
static bool calls_blocks(const struct kernel *kernel, unsigned fast)
{
    bool calls = false;
    for (int i = 0; !calls && i < kernel->ins_count; i++)
        calls = is_block_call(&kernel->ins[i], fast);
    return calls;
}

/* Whether the kernel ends rows by masks (masks_ends, compiler/emit/emit.c): all accesses step by one element along the
 * innermost group, or stay, and no function computes whole blocks. */
static bool masks_ends(const struct grouping *groups, const struct kernel *kernel, unsigned fast)
{
    bool all = groups->count > 0 && kernel_masks_ends(kernel) && !calls_blocks(kernel, fast);
    for (int a = 0; all && a < groups->accesses; a++) {
        const int64_t step = groups->walks[a] ? -1 : group_strides(groups, groups->count - 1)[a];
        all = step == 0 || step == groups->sizes[a];
    }
    return all;
}

/* Whether each load repeats one row, or stays at one element of each, as in an outer sum: nothing is copied again. */
static bool rows_repeat(const struct grouping *groups, const struct kernel *kernel)
{
    const int inner = groups->count - 1;
    bool repeat = inner > 0;
    for (int a = 0; repeat && a < kernel->load_count; a++)
        repeat = !groups->walks[a] &&
                 (!group_strides(groups, inner)[a] || !group_strides(groups, inner - 1)[a]);
    return repeat;
}

/* The longest rows for which that may be worth it. */
static int longest_expanded(const struct grouping *groups, const struct kernel *kernel, unsigned fast)
{
    if (some_lie_across(groups))
        return BLOCK - 1; /* rows of a block are fast enough */
    const bool masks = masks_ends(groups, kernel, fast), dense = all_are_dense(groups, !masks);
    if (masks && dense)
        return EXPAND_DENSE / groups->sizes[0];
    if (masks && rows_repeat(groups, kernel) && EXPAND_OUTER / groups->sizes[0] > EXPAND_MASKED)
        return EXPAND_OUTER / groups->sizes[0];
    if (masks || (dense && kernel->load_count >= EXPAND_MANY))
        return EXPAND_MASKED;
    return dense ? BLOCK - 1 : EXPAND_SHORT;
}

/* Whether rows are too long to be expanded, and end in masks: then none is walked with two strides either. */
static bool ends_rows(const struct grouping *groups, const struct kernel *kernel, unsigned fast)
{
    return masks_ends(groups, kernel, fast) &&
           groups->extents[groups->count - 1] > longest_expanded(groups, kernel, fast);
}

/* Whether expanding the `inner` innermost groups into a row is faster than walking them with strides. `flat` and
 * `nested` come from runs_flat. */
static bool worth_expanding(const struct grouping *groups, const struct kernel *kernel, bool flat, bool nested,
                            int inner, int64_t columns, unsigned fast)
{
    const int count = groups->count;
    const bool joins = kernel->lanes;
    if (inner < 2 || groups->extents[count - 1] > longest_expanded(groups, kernel, fast))
        return false;
    int64_t two = groups->extents[count - 1] * groups->extents[count - 2];
    if (flat && !nested)
        return count > 2 && two < EXPAND_LONG;
    /* With two strides the row may be longer. */
    return !(flat && columns < two && columns < (joins ? EXPAND_JOINED : EXPAND_ENOUGH));
}

/* Whether a row of groups `first` and following is a table of offsets to some access. Only kernels with such accesses
 * know that a row may be shorter. */
static bool some_expand(const struct grouping *groups, int first)
{
    bool some = false;
    for (int a = 0; !some && a < groups->accesses; a++)
        some = !groups->walks[a] && row_kind(groups, first, a, groups->sizes[a]) == ACCESS_EXPANDED;
    return some;
}

/* Makes rows of several short groups. False where that is not worth it. */
static bool expand(struct arena *arena, const struct grouping *groups, const struct kernel *kernel,
                   bool flat, bool nested, struct geometry *g)
{
    int64_t part, columns;
    const bool even = kernel->lanes && kernel->lanes->tiles.points == 1; /* rows of points may have fewer at the end */
    int inner = inner_groups(groups, even, &part, &columns);
    if (!some_expand(groups, groups->count - inner))
        inner = inner_groups(groups, true, &part, &columns);
    const int first = groups->count - inner;
    if (!worth_expanding(groups, kernel, flat, nested, inner, columns, g->fast) || !reaches(groups, first, part))
        return false;
    const int64_t parts = (groups->extents[first] - 1) / part + 1, last = groups->extents[first] - (parts - 1) * part;
    g->groups = first + (part < groups->extents[first]);
    memcpy(g->extents, groups->extents, (size_t)first * sizeof g->extents[0]);
    if (g->groups > first)
        g->extents[first] = parts;
    g->row_groups = inner;
    g->columns = columns;
    g->last_columns = columns / part * last;
    g->rows = g->volume / (columns / part * groups->extents[first]) * parts;
    for (int a = 0; a < groups->accesses; a++)
        expand_access(arena, groups, first, part, a, type_rows[kernel->accesses[a].dtype].size, g);
    return true;
}

/* ---- loads of which vectors are gathered ---- */

int copied_load(const struct kernel *kernel, const unsigned char *kinds)
{
    if (kernel->ins_count != 2 || kernel->lanes)
        return -1;
    const struct ins *store = &kernel->ins[1];
    if (store->kind != INS_STORE || store->dtype == WEFT_BOOL || kinds[store->index] != ACCESS_UNIT ||
        kernel->ins[0].kind != INS_LOAD)
        return -1;
    const int load = kernel->ins[0].index;
    return access_is(kinds[load], STAYS) ? -1 : load;
}

/* Whether all that an access reads stays in the nearest cache, wherever rows read it. */
static bool is_near_by(const struct grouping *groups, int a)
{
    enum { NEAREST = 1 << 13 };
    int64_t bytes = groups->sizes[a];
    for (int i = 0; i < groups->count && bytes <= NEAREST; i++)
        bytes *= group_strides(groups, i)[a] ? within(groups->extents[i], NEAREST) : 1;
    return bytes <= NEAREST;
}

/* Whether the kernel cannot be of a chain: it stores a result, and what it reads of other kernels stays in the nearest
 * cache, but not at one element along the innermost group, as what belongs to a point does. */
static bool is_unchained(const struct grouping *groups, const struct kernel *kernel)
{
    bool unchained = kernel->access_count > kernel->load_count;
    for (int a = 0; unchained && a < kernel->access_count; a++)
        unchained = !access_is_temporary(&kernel->accesses[a]) ||
                    (a < kernel->load_count && groups->count && !groups->walks[a] && is_near_by(groups, a) &&
                     group_strides(groups, groups->count - 1)[a]);
    return unchained;
}

/* Whether rows along group `outer` read parts of the same cache lines, of each of which a row has few elements. */
static bool rows_share_lines(const struct grouping *groups, int outer, int loads)
{
    bool share = false;
    for (int a = 0; a < loads && !share; a++) {
        if (is_near_by(groups, a))
            continue;
        const int64_t step = groups->walks[a] ? 0 : group_strides(groups, outer)[a], size = step < 0 ? -step : step;
        bool far = false, near = false;
        for (int i = outer + 1; i < groups->count; i++) {
            const int64_t own = group_strides(groups, i)[a], pace = own < 0 ? -own : own;
            far = far || pace >= TRANSPOSED_LINE / 2;
            near = near || (pace < TRANSPOSED_LINE / 2 && pace * groups->extents[i] > size);
        }
        share = size && size < TRANSPOSED_LINE && far && !near;
    }
    return share;
}

/* Tiles of such rows. */
static struct tiling sharing_tiles(int64_t beside, int64_t rows, int64_t columns)
{
    enum { SHARING_ROWS = 16, WHOLE = 3 * BLOCK };
    const int64_t tile_rows = within(SHARING_ROWS, beside);
    return tile_by(tile_rows, within(TILE / tile_rows / WHOLE * WHOLE, columns), rows, columns);
}

/* Rows along which elements lie across. Where groups of them do, tiles are theirs. */
/* Tiles of parts of rows, of which several follow each other while what they read again is in the nearest cache. Not
 * where a load has other elements in each row: a processor would bring fewer of them by itself. */
static struct tiling again_tiles(int64_t bytes, int64_t rows, int64_t columns)
{
    const int64_t parts = (bytes - 1) / AGAIN_PART + 1, each = (columns - 1) / parts / BLOCK * BLOCK + BLOCK;
    return tile_by(within(TILE / each, rows), within(each, columns), rows, columns);
}

/* The bytes of the longest row that a load reads again and again; 0: there is none. */
static int64_t bytes_again(const struct grouping *groups, int outer, int loads, const unsigned char *kinds,
                           int64_t columns)
{
    int64_t most = 0;
    for (int a = 0; a < loads && outer >= 0; a++)
        if (kinds[a] == ACCESS_UNIT && !group_strides(groups, outer)[a] && columns * groups->sizes[a] > most)
            most = columns * groups->sizes[a];
    return most;
}

static void turn(const struct grouping *groups, const struct kernel *kernel, struct geometry *g)
{
    const int outer = g->groups - 1;
    const int64_t again = rows_repeat(groups, kernel)
                              ? bytes_again(groups, outer, kernel->load_count, g->kinds, g->columns) : 0;
    const bool crosses = memchr(g->kinds, ACCESS_CROSSED, (size_t)kernel->load_count),
               allowed = (g->fast & FAST_TRANSPOSE) && (g->fast & FAST_SPECIAL) && outer >= 0 && !crosses;
    const int most = allowed ? transpose_loads(groups, outer, kernel->load_count, g->columns, g->kinds) : 0;
    if (most)
        g->tiling = transpose_tiles(groups->extents[outer], g->rows, g->columns, most,
                                    copied_load(kernel, g->kinds) >= 0);
    else if (allowed && rows_share_lines(groups, outer, kernel->load_count))
        g->tiling = sharing_tiles(groups->extents[outer], g->rows, g->columns);
    else if (again > AGAIN_BYTES)
        g->tiling = again_tiles(again, g->rows, g->columns);
}

/* Lets tiles begin with a group of those that interleaved loads gather, where they are parts of rows. */
static void begin_with_groups(const struct kernel *kernel, struct geometry *g)
{
    enum { WHOLE = 3 * BLOCK };
    const int64_t columns = g->tiling.tile_columns;
    if (!memchr(g->kinds, ACCESS_INTERLEAVED, (size_t)kernel->load_count) || columns % g->period == 0 ||
        columns < g->period || columns >= g->columns)
        return;
    const int64_t step = columns >= WHOLE && WHOLE % g->period == 0 ? WHOLE : g->period;
    g->tiling = tile_by(g->tiling.tile_rows, columns / step * step, g->rows, g->columns);
}

/* Loads of a reduction in the order of rows, along which elements lie across: some rows are transposed at a time. */
static void read_across(const struct grouping *groups, const struct kernel *kernel, struct geometry *g)
{
    enum { WANTED = FAST_TRANSPOSE | FAST_ORDER | FAST_SPECIAL, LEAST_ROWS = 4 };
    const struct lanes *lanes = kernel->lanes;
    const struct lane_tiles *tiles = &lanes->tiles;
    const int outer = g->groups - 1;
    if ((g->fast & WANTED) != WANTED || g->chunks || tiles->inner != 1 || lanes->finds || outer < 0 ||
        g->columns < BLOCK || (tiles->chunks > 1 && tiles->chunk * tiles->block < LEAST_ROWS * g->columns))
        return;
    for (int a = 0; a < kernel->load_count; a++)
        if (g->kinds[a] == ACCESS_STRIDED && !groups->walks[a] &&
            group_strides(groups, outer)[a] == groups->sizes[a] &&
            (g->columns + BLOCK) * groups->sizes[a] * LEAST_ROWS <= ACROSS_ROOM)
            g->kinds[a] = ACCESS_ACROSS;
}

bool points_are_nearer(const struct kernel *kernel, const struct geometry *g)
{
    const int64_t points = kernel->lanes->tiles.points;
    int64_t farthest = 0, before = 1;
    bool nearer = false;
    int inner = 0; /* the first group of elements */
    while (inner < g->merged_count && before < points)
        before *= g->merged[inner++];
    for (int a = 0; a < kernel->load_count && before == points && inner && inner < g->merged_count; a++) {
        const int64_t *const strides = g->merged_strides + a;
        const int64_t own = strides[(ptrdiff_t)inner * kernel->access_count],
                      outer = strides[(ptrdiff_t)(inner - 1) * kernel->access_count], far = own < 0 ? -own : own;
        if (access_is(g->kinds[a], NUMBERED) || far <= farthest)
            continue;
        farthest = far;
        nearer = outer && (outer < 0 ? -outer : outer) < far;
    }
    return nearer;
}

/* Finds loads of the same tensor that are made together. */
static void part(struct arena *arena, const struct grouping *groups, const struct kernel *kernel, struct geometry *g)
{
    int *same = ARENA_ARRAY(arena, int, kernel->load_count + 1);
    if (!(g->fast & FAST_INTERLEAVE) || !(g->fast & FAST_SPECIAL))
        return;
    for (int a = 0; a < kernel->load_count; a++)
        while (!access_same(&kernel->accesses[same[a]], &kernel->accesses[a]))
            same[a]++;
    part_loads(groups, &(struct parting){kernel->load_count, g->groups, same, g->strides, g->kinds, g->unread});
}

/* ---- loads that are near each other ---- */

/* Whether load b lies a few elements behind load a, all along. */
static bool is_near(const struct kernel *kernel, const struct geometry *g, int a, int b)
{
    const size_t each = (size_t)g->groups + 1;
    const int size = type_rows[kernel->accesses[a].dtype].size;
    const int64_t apart = g->starts[b] - g->starts[a];
    return g->kinds[b] == ACCESS_UNIT && access_same(&kernel->accesses[a], &kernel->accesses[b]) && apart >= 0 &&
           apart <= (int64_t)NEAR_MOST * size && apart % size == 0 &&
           memcmp(g->strides + a * (each + 1), g->strides + b * (each + 1), each * sizeof *g->strides) == 0;
}

/* The load that begins first among those that are not behind another yet and have others behind them; -1: none has. */
static int first_load(const struct kernel *kernel, const struct geometry *g, const bool *done)
{
    int first = -1;
    for (int a = 0; a < kernel->load_count; a++)
        if (g->kinds[a] == ACCESS_UNIT && !done[a] && (first < 0 || g->starts[a] < g->starts[first]))
            first = a;
    return first;
}

/* Whether the kernel stores a small part of a result, such as an edge: each has its loads elsewhere, and all share a
 * text as long as this does not matter to it. */
static bool is_small_part(const struct kernel *kernel, const struct geometry *g)
{
    return kernel->access_count > kernel->load_count && kernel->accesses[kernel->load_count].map &&
           g->volume < NEAR_PART;
}

/* Lets loads of neighbours along a row share where they begin: one pointer, one end of the row, nothing fetched twice.
 * Those of transposed tiles do not. */
static void find_near(struct arena *arena, const struct kernel *kernel, struct geometry *g)
{
    bool *done = ARENA_ARRAY(arena, bool, kernel->load_count + 1);
    if (!(g->fast & FAST_NEAR) || is_small_part(kernel, g) || !(g->fast & FAST_SPECIAL) || kernel->lanes ||
        kernel->load_count < 2 || any_access_is(g->kinds, kernel->load_count, TILED))
        return;
    g->near = ARENA_ARRAY(arena, struct near, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        g->near[a].first = a;
    for (int first; (first = first_load(kernel, g, done)) >= 0; done[first] = true)
        for (int a = 0; a < kernel->load_count; a++) {
            if (a == first || done[a] || !is_near(kernel, g, first, a))
                continue;
            const int size = type_rows[kernel->accesses[a].dtype].size;
            g->kinds[a] = ACCESS_NEAR;
            g->near[a] = (struct near){first, (int)((g->starts[a] - g->starts[first]) / size)};
            if (g->near[first].elements < g->near[a].elements)
                g->near[first].elements = g->near[a].elements;
        }
}

/* Lets rows slide, in tiles of many. */
static void slide(struct arena *arena, const struct kernel *kernel, struct geometry *g)
{
    const int64_t rows = slide_rows(arena, kernel, g);
    g->slides = rows ? within(rows, g->rows) : 0;
    if (g->tiling.tile_rows < g->slides)
        g->tiling = tile_by(g->slides, g->tiling.tile_columns, g->rows, g->columns);
}

/* Makes interleaved loads crossed of whose groups the next row's, along group `outer`, lie beside them, element by
 * element or group by group, so that cache lines belong to many rows. `many`: groups of a row. Returns the bytes of the
 * widest element; 0: there is none. */
static int cross_loads(const struct grouping *groups, int outer, int loads, int64_t period, int64_t many,
                       const int (*offsets)[INTERLEAVED_ROOM], unsigned char *kinds)
{
    enum { VECTOR = 16, MOST = 4 };
    int most = 0;
    for (int a = 0; a < loads && outer >= 0; a++) {
        const int64_t size = groups->sizes[a], step = group_strides(groups, outer)[a];
        bool inside = step == period * size;
        for (int64_t c = 0; c < period && inside; c++)
            inside = offsets[a][c] == c * size;
        if (kinds[a] != ACCESS_INTERLEAVED || period > MOST || (step != size && !inside) ||
            groups->extents[outer] * size < VECTOR || many * size < TRANSPOSED_LINE)
            continue;
        kinds[a] = ACCESS_CROSSED;
        most = size > most ? (int)size : most;
    }
    return most;
}

/* Tiles of such groups, each begun by one: of as many rows as a cache line has elements, and few columns, so that what
 * is transposed, what is read beside it and what is fetched for the next tile are in the nearest cache. */
static struct tiling cross_tiles(int64_t beside, int64_t rows, int64_t columns, int most)
{
    enum { WHOLE = 3 * BLOCK };
    const int64_t tile_rows = within(TRANSPOSED_LINE / most, beside);
    return tile_by(tile_rows, within(WHOLE, columns), rows, columns);
}

/* Makes loads interleaved, and tiles that begin with a group. */
static void interleave(struct arena *arena, const struct grouping *groups, bool folded, int loads, struct geometry *g)
{
    int (*offsets)[INTERLEAVED_ROOM] = arena_alloc(arena, sizeof *offsets * (size_t)(loads + 1));
    if (!interleave_loads(groups, folded, loads, g->period, g->kinds, offsets))
        return;
    for (int a = 0; a < loads; a++)
        g->offsets[a] = g->kinds[a] == ACCESS_INTERLEAVED ? offsets[a] : NULL;
    g->tiling = interleave_tiles(g->rows, g->columns);
    const int outer = g->groups - 1,
              most = !(g->fast & FAST_TRANSPOSE) || !(g->fast & FAST_ORDER) ? 0
                     : cross_loads(groups, outer, loads, g->period, g->columns / g->period, offsets, g->kinds);
    if (most)
        g->tiling = cross_tiles(groups->extents[outer], g->rows, g->columns, most);
}

/* Whether a load has one element for each of the innermost groups, and the next one for the next of them. */
static bool is_column(const struct grouping *groups, int a)
{
    const int inner = groups->count - 1;
    return !groups->walks[a] && !group_strides(groups, inner)[a] &&
           group_strides(groups, inner - 1)[a] == groups->sizes[a];
}

/* Whether rows may be joined as they are computed (joining.h), if accesses allow it. A load with one element for each
 * row is then one value, and one that repeats is read where it lies. */
static bool may_be_laned(const struct kernel *kernel, unsigned fast)
{
    return kernel->lanes && kernel_sums_alike(kernel) && !calls_blocks(kernel, fast);
}

/* Groups of how many elements have columns: the rows that a kernel reduces, or others. */
static int64_t most_columns(const struct kernel *kernel, unsigned fast)
{
    return !kernel->lanes ? COLUMN_MOST : may_be_laned(kernel, fast) ? LANED_MOST : COLUMN_REDUCED;
}

/* Whether the two innermost groups are a row along which some loads are columns, or repeat where rows may be laned,
 * while all else repeats or goes on. */
static bool has_columns(const struct grouping *groups, const struct kernel *kernel, unsigned fast)
{
    const int inner = groups->count - 1;
    int64_t count = 0, bytes = 0;
    bool repeats = false;
    if (inner < 1 || groups->extents[inner - 1] < COLUMN_GROUPS ||
        (kernel->lanes && groups->extents[inner] != kernel->lanes->tiles.elements) ||
        groups->extents[inner] > most_columns(kernel, fast) ||
        groups->extents[inner] * groups->extents[inner - 1] < COLUMN_ROW)
        return false;
    for (int a = 0; a < groups->accesses; a++) {
        const int64_t *const step = group_strides(groups, inner), *const jump = group_strides(groups, inner - 1);
        const bool load = a < kernel->load_count, even = !step[a] || step[a] == groups->sizes[a];
        const bool column = load && is_column(groups, a);
        count += column;
        repeats = repeats || (load && step[a] == groups->sizes[a] && !jump[a]);
        bytes += column ? groups->sizes[a] * groups->extents[inner] : 0;
        if (groups->walks[a] || !((even && jump[a] == step[a] * groups->extents[inner]) ||
                                  (load && !jump[a]) || column))
            return false;
    }
    repeats = repeats && may_be_laned(kernel, fast) &&
              groups->extents[inner] * groups->sizes[kernel->load_count] >= LANED_LEAST;
    return repeats || (count && (kernel->lanes || count * bytes <= COLUMN_BYTES));
}

/* Whether columns are better interleaved: where they are copied, or masks choose among them, by which interleaved loads
 * are put into one block. */
static bool gathers_columns(const struct grouping *groups, const struct kernel *kernel)
{
    const struct ins *const all = kernel->ins;
    bool gathers = kernel->ins_count == 2;
    for (int i = 0; i < kernel->ins_count && !gathers; i++)
        gathers = all[i].kind == INS_OP && all[i].op == OP_WHERE && all[all[i].a[0]].kind == INS_LOAD &&
                  all[all[i].a[0]].dtype == WEFT_BOOL && all[all[i].a[1]].kind == INS_LOAD &&
                  is_column(groups, all[all[i].a[1]].index);
    return gathers;
}

static void walk_plainly(struct arena *arena, const struct grouping *groups, bool flat, struct geometry *g)
{
    struct rows rows = {.extents = g->extents, .strides = g->strides, .kinds = g->kinds};
    int first = groups->count - 1 - flat;
    make_rows(groups, flat, g->fast & FAST_SPECIAL, &rows);
    if (g->chunks)
        chunks_find_columns(&rows, groups->accesses);
    g->groups = rows.groups;
    g->rows = rows.rows;
    g->columns = g->last_columns = rows.columns;
    g->period = rows.period;
    for (int a = 0; a < groups->accesses; a++)
        if (groups->walks[a])
            g->maps[a] = keep_map(arena, groups, first, first < 0 ? 1 : groups->extents[first], a);
}

/* Groups the dimensions of the shape, and finds the strides of the accesses. */
static void make_groups(struct arena *arena, int rank, const int64_t *shape, int64_t volume,
                        const struct view *views, struct grouping *groups)
{
    const int64_t **strides = ARENA_ARRAY(arena, const int64_t *, groups->accesses);
    groups->walks = ARENA_ARRAY(arena, struct walk *, groups->accesses);
    for (int a = 0; a < groups->accesses; a++) {
        strides[a] = views[a].strides;
        groups->walks[a] = views[a].walk;
    }
    groups_find(groups, rank, shape, volume, strides);
    groups->strides = ARENA_ARRAY(arena, int64_t, (size_t)groups->count * (size_t)groups->accesses);
    groups->starts = ARENA_ARRAY(arena, int64_t, groups->accesses);
    groups_stride(groups, rank, shape, strides);
    for (int a = 0; a < groups->accesses; a++)
        groups->starts[a] += groups->walks[a] ? 0 : views[a].start;
}

static const int *element_sizes(struct arena *arena, const struct kernel *kernel)
{
    int *sizes = ARENA_ARRAY(arena, int, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        sizes[a] = type_rows[kernel->accesses[a].dtype].size;
    return sizes;
}

void make_geometry(struct arena *arena, const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, unsigned fast, bool chunks, struct geometry *g)
{
    int accesses = kernel->access_count;
    struct grouping groups = {.accesses = accesses, .sizes = element_sizes(arena, kernel)};
    int64_t filled[WEFT_MAX_RANK], some = 1; /* the shape; an empty one is replaced by a similar one with elements */
    *g = (struct geometry){.fast = fast, .chunks = chunks, .volume = 1, .rows = 1, .columns = 1,
                           .kinds = ARENA_ARRAY(arena, unsigned char, accesses),
                           .unread = ARENA_ARRAY(arena, unsigned char, accesses),
                           .offsets = ARENA_ARRAY(arena, int *, accesses),
                           .distinct = ARENA_ARRAY(arena, long long, accesses),
                           .maps = ARENA_ARRAY(arena, long long *, accesses)};
    for (int d = 0; d < rank; d++) {
        filled[d] = shape[d] || !g->volume ? shape[d] + !shape[d] : 2;
        g->volume *= shape[d];
        some *= filled[d];
    }
    make_groups(arena, rank, filled, some, views, &groups);
    g->moved = (fast & FAST_ORDER) && (fast & FAST_SPECIAL) && !chunks && !kernel->lanes && !kernel_puts(kernel) &&
               order_groups(arena, kernel->load_count, is_unchained(&groups, kernel), &groups);
    g->wide_numbers = numbers_are_wide(&groups);
    if (!g->volume)
        groups.extents[0] = 0;
    g->merged_count = groups.count;
    g->merged_strides = groups.strides;
    g->starts = groups.starts;
    memcpy(g->merged, groups.extents, sizeof g->merged);
    g->strides = ARENA_ARRAY(arena, int64_t, (size_t)accesses * (size_t)(groups.count + 2));
    bool nested = false, allowed = (fast & FAST_SPECIAL) && (fast & FAST_FLAT);
    bool flat = allowed && (chunks ? chunks_run_flat(&groups) : runs_flat(&groups, kernel->load_count, &nested));
    const bool ends = flat && nested && (fast & FAST_EXPAND) && ends_rows(&groups, kernel, fast);
    if (ends) /* sources ahead of time choose as ever */
        flat = nested = false;
    const bool may_interleave = allowed && !kernel->lanes && (fast & FAST_INTERLEAVE);
    struct grouping folded = {
        .strides = may_interleave ? ARENA_ARRAY(arena, int64_t, groups.count * accesses + 1) : NULL};
    bool folds = may_interleave && fold(&groups, kernel->load_count, &folded);
    bool interleaved = folds || (may_interleave && interleaves(&groups, flat, nested));
    const bool columns = allowed && !chunks && (fast & FAST_EXPAND) && has_columns(&groups, kernel, fast) &&
                         !(interleaved && gathers_columns(&groups, kernel));
    flat = flat || columns;
    interleaved = interleaved && !columns;
    folds = folds && !columns;
    if (!allowed || interleaved || columns || !(fast & FAST_EXPAND) || !g->volume ||
        !expand(arena, &groups, kernel, flat, nested, g))
        walk_plainly(arena, folds ? &folded : &groups, flat || folds, g);
    g->tiling = make_tiles(g->rows, g->columns);
    for (int a = 0; columns && a < kernel->load_count; a++) /* walk_plainly left them two strides */
        if (g->kinds[a] == ACCESS_NESTED)
            g->kinds[a] = ACCESS_COLUMN;
    if (interleaved)
        interleave(arena, &groups, folds, kernel->load_count, g);
    g->folded = folds;
    if (!g->row_groups && !kernel->lanes) {
        turn(folds ? &folded : &groups, kernel, g);
        begin_with_groups(kernel, g);
        if (!g->period)
            part(arena, &groups, kernel, g);
    }
    if (!g->row_groups && kernel->lanes)
        read_across(&groups, kernel, g);
    if (!chunks && g->volume) {
        find_near(arena, kernel, g);
        slide(arena, kernel, g);
    }
    if (!g->volume)
        g->tiling.tiles = 0;
}
