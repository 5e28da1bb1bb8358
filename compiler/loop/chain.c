/* Which kernels are fused into one launch: chains, kernels in a row over the same points, such as the rows of a
 * softmax, whose tile number t needs only tiles number t of those before it. They take turns tile by tile, so that
 * what one kernel reads or stores is in a cache when the next one wants it. In C a thread runs all kernels on a tile
 * before it goes on; on a GPU they are one launch, in which each block of threads takes some points through all of
 * them. Points are what the leading dimensions of a space hold, such as rows: a reduction's space is [points,
 * elements, inner]. */
#include "compiler/loop/chain_impl.h"

/* ---- dependences ---- */

/* The number of leading dimensions that hold `points` together; -1: there are none. */
static int leading_dimensions(const struct shape *shape, int64_t points)
{
    int64_t product = 1;
    int d = 0;
    while (d < shape->rank && product < points)
        product *= shape->extents[d++];
    return product == points ? d : -1;
}

/* How many of the points a row holds, where it is several short groups; else 1. */
static int64_t points_in_row(const struct scheduled *s, int64_t points)
{
    const struct geometry *g = &s->geometry;
    if (s->kernel->lanes || !g->row_groups || g->groups > 1 || !g->volume || g->volume % points)
        return 1;
    const int64_t each = g->volume / points;
    return g->columns % each || g->last_columns % each ? 1 : g->columns / each;
}

/* Whether the kernel stores elsewhere than at its points. */
static bool stores_elsewhere(const struct kernel *kernel)
{
    bool elsewhere = false;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        elsewhere = elsewhere || kernel->accesses[a].map;
    return elsewhere;
}

/* Whether tiles of the kernel can be any number of `points`: they have no form of their own. */
static bool divides(const struct scheduled *s, int64_t points)
{
    const struct lanes *lanes = s->kernel->lanes;
    if (kernel_puts(s->kernel) || s->geometry.moved ||
        any_access_is(s->geometry.kinds, s->kernel->access_count, TILED))
        return false;
    if (lanes)
        return lanes->tiles.points == points && lanes->tiles.windows * lanes->tiles.chunks == 1;
    const int64_t rows = s->geometry.rows, columns = s->geometry.columns;
    return s->geometry.volume && leading_dimensions(s->space, points) > 0 &&
           (s->geometry.chunks ? s->geometry.volume % points == 0
                               : points_are_rows(&s->geometry, points) || (rows == 1 && columns % points == 0) ||
                                     points_in_row(s, points) > 1);
}

/* The shape under which a temporary is read in the kernel's space: its own, or that of a view which only has further
 * dimensions of extent 1; NULL: another. */
static const struct shape *shape_read(const struct kernel *kernel, const struct access *access,
                                      const struct shape *stored)
{
    const struct index_map *step = &kernel->maps[access->map];
    if (!access->map)
        return stored;
    return step->parent || step->axes || step->outside ? NULL : step->from;
}

/* Whether each point of the kernel needs only the same point of a temporary that it loads. */
static bool loads_point(const struct scheduled *s, const struct access *access, const struct shape *stored,
                        int64_t points)
{
    const struct shape *read = shape_read(s->kernel, access, stored);
    const int count = leading_dimensions(s->space, points);
    bool same = read && count > 0 && read->rank == s->space->rank && leading_dimensions(read, points) == count &&
                leading_dimensions(stored, points) > 0;
    for (int d = 0; same && d < count; d++)
        same = read->extents[d] == s->space->extents[d];
    return same;
}

/* Whether two kernels load the same tensor. */
static bool share_load(const struct kernel *a, const struct kernel *b)
{
    bool share = false;
    for (int i = 0; i < a->load_count; i++)
        for (int j = 0; !share && j < b->load_count; j++)
            share = a->accesses[i].kind == b->accesses[j].kind && a->accesses[i].index == b->accesses[j].index &&
                    a->accesses[i].kind != TENSOR_CONSTANT;
    return share;
}

/* Whether kernel k, which stores a result, may take turns with kernels `first` to k - 1: as the only such kernel; or as
 * a reduction of a tensor that an earlier one reads. Of others one may store to what another reads. */
static bool result_follows(const struct schedule *schedule, int first, int k)
{
    bool follows = schedule->count == schedule->first_result + 1;
    for (int i = first; !follows && schedule->kernels[k].kernel->lanes && i < k; i++)
        follows = share_load(schedule->kernels[i].kernel, schedule->kernels[k].kernel);
    for (int i = schedule->first_result; follows && schedule->count > schedule->first_result + 1 && i < k; i++)
        follows = i < first || schedule->kernels[i].kernel->lanes;
    return follows;
}

/* Whether each point of kernel k needs only the same one of what kernels `first` to k - 1 store. */
static bool needs_only_points(const struct schedule *schedule, int first, int k, int64_t points)
{
    const struct kernel *kernel = schedule->kernels[k].kernel;
    bool good = k < schedule->first_result || k == first || result_follows(schedule, first, k);
    for (int a = 0; good && a < kernel->load_count; a++) {
        const struct access *access = &kernel->accesses[a];
        if (!access_is_temporary(access))
            continue;
        for (int i = first; good && i < k; i++)
            good = !kernel_stores(schedule->kernels[i].kernel, access->index) ||
                   (access->kind != TENSOR_TABLE && /* of which any entry is read */
                    loads_point(&schedule->kernels[k], access, schedule->temporaries[access->index].shape, points));
    }
    return good;
}

/* Whether kernel k can take turns with kernels `first` to k - 1. */
static bool follows(const struct schedule *schedule, int first, int k, int64_t points)
{
    const struct scheduled *s = &schedule->kernels[k];
    return !stores_elsewhere(s->kernel) && divides(s, points) && needs_only_points(schedule, first, k, points);
}

/* ---- in C ---- */

/* Makes the kernel's tiles take `each` points. */
static void take_points(struct arena *arena, struct scheduled *s, int64_t points, int64_t each)
{
    struct geometry *g = &s->geometry;
    g->tiling.tiles = (points + each - 1) / each;
    if (s->kernel->lanes) {
        struct lanes *lanes = arena_copy(arena, s->kernel->lanes, sizeof *lanes);
        lanes->tiles.together = each;
        s->kernel->lanes = lanes;
    } else if (g->rows % points == 0) {
        g->tiling.tile_rows = each * (g->rows / points);
        g->tiling.tile_columns = g->columns;
        g->tiling.row_tiles = 1;
    } else if (points_in_row(s, points) > 1) {
        g->tiling.tile_rows = each / points_in_row(s, points);
        g->tiling.tile_columns = g->columns;
        g->tiling.row_tiles = 1;
    } else {
        g->tiling.tile_columns = each * (g->columns / points);
        g->tiling.row_tiles = g->tiling.tiles;
    }
}

/* Whether the kernel and those before it, from `first` on, reduce the same tiles, and none needs another. */
static bool shares_tiles(const struct schedule *schedule, int first, int k)
{
    const struct scheduled *s = &schedule->kernels[k];
    const int64_t tiles = s->geometry.tiling.tiles;
    bool shares = k < schedule->first_result && s->kernel->lanes &&
                  tiles == schedule->kernels[first].geometry.tiling.tiles &&
                  s->touched <= (double)CHAIN_CACHED * (double)tiles;
    for (int i = first; shares && i < k; i++)
        shares = lanes_match(schedule->kernels[i].kernel->lanes, s->kernel->lanes) &&
                 !kernel_loads_from(s->kernel, schedule->kernels[i].kernel);
    return shares;
}

/* Makes a chain of the reductions from kernel k on that share tiles. Returns the kernel behind them; k: there are
 * none. */
static int chain_reductions(struct schedule *schedule, int k)
{
    int next = k;
    while (next < schedule->count && schedule->kernels[k].touched >= CHAIN_LEAST && shares_tiles(schedule, k, next))
        next++;
    if (next <= k + 1)
        return k;
    schedule->kernels[k].chain = next - k;
    return next;
}

/* ---- parts of a result, in C ---- */

/* Where a part begins along a dimension of what it stores. */
static int64_t part_begins(const struct scheduled *s, int d)
{
    const int map = s->kernel->accesses[s->kernel->load_count].map;
    return map ? s->kernel->maps[map].axes[d].slice.start : 0;
}

/* The dimension along which part k and the next one lie beside each other; -1: there is no next part, or none. */
static int beside(const struct schedule *schedule, int k)
{
    const struct scheduled *s = &schedule->kernels[k];
    int along = -1;
    if (k + 1 == schedule->count || s->part == s->parts)
        return -1;
    for (int d = 0; d < s->space->rank; d++)
        if (s->space->extents[d] != s[1].space->extents[d] || part_begins(s, d) != part_begins(&s[1], d)) {
            if (along >= 0)
                return -1;
            along = d;
        }
    return along;
}

/* The bytes that the kernel itself stores. */
static double own_bytes(const struct scheduled *s)
{
    double bytes = 0;
    for (int a = s->kernel->load_count; a < s->kernel->access_count; a++)
        bytes += (double)s->geometry.volume * type_rows[s->kernel->accesses[a].dtype].size;
    return bytes;
}

/* As many points as the leading dimensions up to `along` may hold, by which kernels k to next - 1 can be tiled; 1:
 * there are none. */
static int64_t shared_points(const struct schedule *schedule, int k, int next, int along)
{
    const int64_t *const extents = schedule->kernels[k].space->extents;
    for (int count = along; count > 0; count--) {
        int64_t points = 1;
        bool all = true;
        for (int d = 0; d < count; d++)
            points *= extents[d];
        for (int i = k; all && i < next; i++)
            all = points > 1 && divides(&schedule->kernels[i], points) &&
                  points_in_row(&schedule->kernels[i], points) == 1;
        if (all)
            return points;
    }
    return 1;
}

/* Makes a chain of the parts from kernel k on that lie beside each other, such as the edges of an image and what is
 * between them: cache lines that these share are then written together. None needs another. Returns the kernel behind
 * them; k: there are none. */
static int chain_parts(struct arena *arena, struct schedule *schedule, int k)
{
    struct scheduled *kernels = schedule->kernels;
    const int along = beside(schedule, k);
    int next = k + 1;
    double bytes = 0;
    int64_t least = 1;             /* points of a tile, where rows slide */
    while (along >= 0 && beside(schedule, next - 1) == along)
        next++;
    for (int i = k; i < next; i++) {
        bytes += own_bytes(&kernels[i]);
        least = kernels[i].geometry.slides > least ? kernels[i].geometry.slides : least;
    }
    const int64_t points = shared_points(schedule, k, next, along), most = points / ENOUGH_TILES;
    if (next < k + 2 || points < 2 || bytes < CHAIN_LEAST)
        return k;
    const int64_t near = (int64_t)(PARTS_NEAR * (double)points / bytes);
    const int64_t some = near < 1 || most < 1 ? 1 : near < most ? near : most;
    for (int i = k; i < next; i++)
        take_points(arena, &kernels[i], points, least < some ? some : least < points ? least : points);
    kernels[k].chain = next - k;
    return next;
}

/* The bytes from what a tile of the kernel reads in rows to what the next one does; 0: they are not always as many. */
static int64_t tile_bytes(const struct scheduled *s, int64_t points, int64_t each)
{
    const struct geometry *g = &s->geometry;
    if (g->groups != 1 || g->rows % points != 0)
        return 0;
    for (int a = 0; a < s->kernel->load_count; a++)
        if (g->kinds[a] == ACCESS_UNIT)
            return g->rows / points * each * g->strides[a * (g->groups + 2)];
    return 0;
}

/* How many bytes a tile of the chain should read, about. */
static double near_bytes(const struct schedule *schedule, int first, int next)
{
    for (int k = first; k < next; k++) {
        const struct lanes *lanes = schedule->kernels[k].kernel->lanes;
        if (lanes && lanes->finds)
            return CHAIN_NEAREST;
    }
    return CHAIN_NEAR;
}

/* Finds the temporaries that only kernels k to next - 1 have. Of one that is large each thread has memory for the
 * `each` points of a tile alone, which stays in a cache. */
static void find_windows(struct schedule *schedule, int k, int next, int64_t points, int64_t each)
{
    for (int t = 0; t < schedule->temporary_count; t++) {
        struct lifetime *own = &schedule->lifetimes[t];
        const struct temporary *temporary = &schedule->temporaries[t];
        if (own->to < 0 || own->from < k || own->to >= next)
            continue;
        const int64_t bytes = shape_volume(temporary->shape) * type_rows[temporary->dtype].size;
        if (bytes >= WINDOW_LEAST)
            own->window = (struct slices){.bytes = bytes / points * each, .step = bytes / points * each};
    }
}

/* The points over which a chain may go that begins with kernel k: those of the first reduction, where what is stored in
 * front of it, if anything, is no result; 1: there are none. */
static int64_t chain_points(const struct schedule *schedule, int k)
{
    while (k + 1 < schedule->first_result && !schedule->kernels[k].kernel->lanes)
        k++;
    const struct lanes *lanes = schedule->kernels[k].kernel->lanes;
    return lanes ? lanes->tiles.points : 1;
}

/* Whether taking turns keeps something near: kernels k to next - 1 read a tensor more than once, or what one of them
 * leaves for a later one is large. */
static bool keeps_near(const struct schedule *schedule, int k, int next)
{
    bool keeps = false;
    for (int i = k; !keeps && i < next; i++)
        for (int j = i + 1; !keeps && j < next; j++)
            keeps = share_load(schedule->kernels[i].kernel, schedule->kernels[j].kernel);
    for (int t = 0; !keeps && t < schedule->temporary_count; t++) {
        const struct lifetime *own = &schedule->lifetimes[t];
        const struct temporary *temporary = &schedule->temporaries[t];
        keeps = own->from >= k && own->from < next &&
                shape_volume(temporary->shape) * type_rows[temporary->dtype].size > CHAIN_NEAR;
    }
    return keeps;
}

/* Makes a chain that begins with kernel k, if one pays. Returns the kernel behind it. */
static int chain_in_c(struct arena *arena, struct schedule *schedule, struct slicing *slicing, int k)
{
    struct scheduled *kernels = schedule->kernels;
    const int64_t points = chain_points(schedule, k);
    int next = chain_reductions(schedule, k);
    next = next > k ? next : chain_slices(arena, slicing, k);
    next = next > k ? next : chain_parts(arena, schedule, k);
    double bytes = 0;
    int64_t unit = 1; /* points of a row */
    if (next > k)
        return next;
    for (; next < schedule->count && points > 1 && follows(schedule, k, next, points); next++) {
        const int64_t own = points_in_row(&kernels[next], points);
        if (own > 1 && unit > 1 && own != unit)
            break;
        unit = own > unit ? own : unit;
        bytes = kernels[next].touched > bytes ? kernels[next].touched : bytes;
    }
    if (next < k + 2 || bytes < CHAIN_LEAST || !keeps_near(schedule, k, next))
        return next > k ? next : k + 1;
    const int64_t most = points / ENOUGH_TILES;
    const int64_t near = (int64_t)(near_bytes(schedule, k, next) * (double)points / bytes);
    const int64_t some = near < 1 || most < 1 ? 1 : near < most ? near : most;
    const int64_t each = some > unit ? some / unit * unit : unit;
    for (int i = k; i < next; i++)
        take_points(arena, &kernels[i], points, each);
    /* the second kernel computes from caches, so memory has time for the next tile */
    kernels[k + 1].ahead = tile_bytes(&kernels[k + 1], points, each);
    kernels[k].chain = next - k;
    find_windows(schedule, k, next, points, each);
    return next;
}

/* ---- on a GPU ---- */

/* About the bytes that a kernel reads: as if all were of its widest operand. */
static int64_t bytes_read(const struct scheduled *s)
{
    int64_t widest = 1;
    for (int a = 0; a < s->kernel->load_count; a++) {
        const int64_t size = type_rows[s->kernel->accesses[a].dtype].size;
        widest = size > widest && !access_is(s->geometry.kinds[a], STAYS) ? size : widest;
    }
    return s->geometry.volume * widest;
}

/* Whether the kernel's blocks of threads take `together` points at a time, or may. */
static bool takes_together(const struct scheduled *s, int64_t together)
{
    const struct lanes *lanes = s->kernel->lanes;
    return !s->form.many && s->geometry.volume &&
           (!lanes || (!lanes->threads.serial && lanes->tiles.together == together));
}

/* Makes one launch of `count` kernels with so many threads in a block; `bytes`: the most that one reads for a tile. */
static void share_launch(struct scheduled *first, int count, int threads, int64_t bytes)
{
    const int64_t near = GPU_NEAR / (bytes + 1), least = GPU_THREADS / threads;
    for (int i = 0; i < count; i++) {
        struct form *form = &first[i].form;
        form->chained = true;
        form->repeats = form->repeats && form->threads == threads;
        form->threads = threads;
    }
    first->chain = count;
    first->form.blocks = (int)(near > least ? near : least);
}

/* Makes a chain on a GPU that begins with kernel k, if one pays. Returns the kernel behind it. */
static int chain_on_gpu(struct schedule *schedule, int k)
{
    const struct lanes *lanes = schedule->kernels[k].kernel->lanes;
    const int64_t points = lanes ? lanes->tiles.points : 1, together = lanes ? lanes->tiles.together : 1;
    size_t words = 0;
    int64_t bytes = 0;
    int next = k, threads = 0;
    for (; points > 1 && next < schedule->count; next++) {
        const struct scheduled *s = &schedule->kernels[next];
        const int64_t read = bytes_read(s) / points * together;
        words += form_args_words(&s->form);
        if (words * sizeof(uint64_t) > ARGS_MOST || !takes_together(s, together) ||
            !follows(schedule, k, next, points) || read > GPU_MOST)
            break;
        bytes = read > bytes ? read : bytes;
        threads = s->form.threads > threads ? s->form.threads : threads;
    }
    if (next < k + 2 || ((points - 1) / together + 1 < GPU_BUSY && bytes > GPU_SMALL))
        return k + 1;
    share_launch(&schedule->kernels[k], next - k, threads, bytes);
    return next;
}

void find_chains(struct arena *arena, struct schedule *schedule, bool gpu)
{
    struct slicing *slicing = gpu ? NULL : slicing_new(arena, schedule);
    for (int k = 0; k < schedule->count;)
        k = gpu ? chain_on_gpu(schedule, k) : chain_in_c(arena, schedule, slicing, k);
}
