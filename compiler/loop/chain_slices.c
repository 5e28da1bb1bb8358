/* Chains of neighbours, in C: kernels that take turns although a tile needs what lies around the same tile of those
 * before it, as the passes of a blur do. A slice is what a tensor holds at one position of its first dimension that has
 * several, such as a row of an image. Tile t of a chain is slices t * each and following of what is there as a whole;
 * of a temporary that only the chain has it is what these need, so a few slices are computed again for the next tile.
 * No two threads share any: each has a window of the temporary, which stays in a cache. */
#include "compiler/loop/chain_impl.h"

/* How the slices of a kernel lie. */
struct sliced {
    int64_t extent;                /* slices of what it stores */
    int64_t first, count;          /* those that it stores */
    int64_t rows, in_row;          /* rows of its loop for each, or how many of them a row holds; the other one is 1 */
    bool divided;                  /* the loop is one row, to be divided into such */
    int64_t before, beyond;        /* rows that a tile takes too, as in struct tiling, in rows or in_rows */
    int64_t lo, hi;                /* so it computes slices from t * each + lo to (t + 1) * each + hi */
};

/* Of a temporary: whether the chain alone has it; the slices that a tile needs, and those that its window holds, as
 * `lo` and `hi` above; the bytes of one. */
struct needed {
    bool window, read;
    int64_t lo, hi, from, to, bytes;
};

enum { MOST_SLICED = 128 };        /* kernels of a chain: the edges of a few passes */

struct slicing {
    struct schedule *schedule;
    int first, end;                /* its kernels */
    struct sliced kernels[MOST_SLICED]; /* from `first` on */
    int stored[MOST_SLICED], stored_count; /* the temporaries that these store */
    struct needed *needed;         /* [temporaries] 0 of others */
    int64_t each;
    bool pays;                     /* some temporary is so large that a chain may pay */
};

static double bytes_of(const struct temporary *temporary)
{
    return (double)shape_volume(temporary->shape) * type_rows[temporary->dtype].size;
}

struct slicing *slicing_new(struct arena *arena, struct schedule *schedule)
{
    struct slicing *slicing = ARENA_ARRAY(arena, struct slicing, 1);
    slicing->schedule = schedule;
    slicing->needed = ARENA_ARRAY(arena, struct needed, schedule->temporary_count + 1);
    for (int t = 0; t < schedule->temporary_count && !schedule->batched; t++)
        slicing->pays = slicing->pays || bytes_of(&schedule->temporaries[t]) >= SLICES_LEAST;
    return slicing;
}

static int leading(const struct shape *shape)
{
    int d = 0;
    while (d < shape->rank && shape->extents[d] == 1)
        d++;
    return d;
}

static const struct shape *stored_shape(const struct scheduled *s, int a)
{
    const int map = s->kernel->accesses[a].map;
    return map ? s->kernel->maps[map].to : s->space;
}

/* Whether tiles of the kernel can be any rows. */
static bool takes_rows(const struct scheduled *s)
{
    bool takes = !s->kernel->lanes && !kernel_puts(s->kernel) && !s->geometry.moved;
    for (int a = 0; takes && a < s->kernel->access_count; a++)
        takes = !access_is(s->geometry.kinds[a], TILED) || s->geometry.kinds[a] == ACCESS_INTERLEAVED;
    return takes;
}

bool points_are_rows(const struct geometry *g, int64_t points)
{
    return g->rows % points == 0 &&
           (g->last_columns == g->columns || (g->groups > 1 && g->extents[0] % points == 0));
}

/* Finds how many rows of the loop a slice is. False: the loop is one row of several that cannot be divided. */
static bool find_rows_of_slices(const struct scheduled *s, struct sliced *own)
{
    const struct geometry *g = &s->geometry;
    own->rows = own->in_row = 1;
    if (own->count == 1 || points_are_rows(g, own->count)) {
        own->rows = g->rows / own->count;
        return true;
    }
    const int64_t inner = g->columns / own->count;
    own->divided = true;
    return g->rows == 1 && !g->groups && g->columns % own->count == 0 && (!g->period || inner % g->period == 0) &&
           !any_access_is(g->kinds, s->kernel->access_count, NUMBERED);
}

/* Finds the slices that the kernel stores. False: it cannot take turns with others. */
static bool find_slices(const struct scheduled *s, struct sliced *own)
{
    const struct kernel *kernel = s->kernel;
    if (!takes_rows(s) || !s->geometry.volume || kernel->access_count == kernel->load_count)
        return false;
    for (int a = kernel->load_count; a < kernel->access_count; a++) {
        const struct shape *to = stored_shape(s, a);
        const int lead = leading(to), map = kernel->accesses[a].map;
        if (lead == to->rank || to->rank != s->space->rank || kernel->accesses[a].kind == TENSOR_TABLE)
            return false;
        const int64_t first = map ? kernel->maps[map].axes[lead].slice.start : 0;
        if (a > kernel->load_count && (own->extent != to->extents[lead] || own->first != first))
            return false;
        *own = (struct sliced){.extent = to->extents[lead], .first = first, .count = s->space->extents[lead]};
    }
    return find_rows_of_slices(s, own);
}

/* The bytes from what an access reads for one slice of the kernel to what it reads for the next, and in *back and *on
 * how far it reads around where it begins. False: groups join slices otherwise. */
static bool find_steps(const struct scheduled *s, int64_t count, int a, int64_t *step, int64_t *back, int64_t *on)
{
    const struct geometry *g = &s->geometry;
    *step = *back = *on = 0;
    if (count > 1 && (!g->merged_count || g->merged[0] % count))
        return false;
    for (int i = 0; i < g->merged_count; i++) {
        const int64_t stride = g->merged_strides[i * s->kernel->access_count + a],
                      inner = i || count == 1 ? g->merged[i] : g->merged[i] / count;
        *step = i || count == 1 ? *step : stride * inner;
        *(stride < 0 ? back : on) += (inner - 1) * stride;
    }
    *on += type_rows[s->kernel->accesses[a].dtype].size;
    return true;
}

/* How many slices behind its own a kernel reads of a temporary: a sum of weighted neighbours (INS_WEIGH) reads what it
 * has around the kernel's elements, too. -1: it reads the temporary otherwise, whole. */
static int64_t slices_behind(const struct slicing *slicing, const struct scheduled *s, int64_t count, int a)
{
    const struct kernel *kernel = s->kernel;
    const struct shape *stored = slicing->schedule->temporaries[kernel->accesses[a].index].shape;
    const int lead = leading(s->space);
    int64_t behind = 0;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        if (ins->kind != INS_WEIGH)
            continue;
        if (kernel->ins[ins->a[1]].index == a || kernel->ins[ins->a[2]].index == a)
            return -1;
        if (kernel->ins[ins->a[0]].index == a)
            behind = stored->rank == s->space->rank && lead < stored->rank && leading(stored) == lead
                         ? stored->extents[lead] - count : -1;
    }
    return behind;
}

/* Adds what kernel k reads of a temporary to what is needed of that. False: it is not slices near its own. */
static bool add_need(const struct slicing *slicing, int k, int a)
{
    enum { FAR = 1 << 20 };
    const struct scheduled *s = &slicing->schedule->kernels[k];
    const struct sliced *own = &slicing->kernels[k - slicing->first];
    struct needed *needed = &slicing->needed[s->kernel->accesses[a].index];
    int64_t step, back, on;
    if (access_is(s->geometry.kinds[a], NUMBERED) || !find_steps(s, own->count, a, &step, &back, &on))
        return false;
    const int64_t bytes = needed->bytes, start = s->geometry.starts[a] + back, slice = start / bytes;
    const int64_t behind = slices_behind(slicing, s, own->count, a);
    if (behind < 0 || start < 0 || step % bytes || s->geometry.starts[a] + on > (slice + 1) * bytes)
        return false;
    const int64_t a_first = slice - own->first, a_last = a_first + (own->count - 1) * (step / bytes - 1),
                  lo = own->lo + (a_first < a_last ? a_first : a_last),
                  hi = own->hi + (a_first < a_last ? a_last : a_first) + behind;
    if (lo < -FAR || hi > FAR)
        return false;
    needed->lo = needed->read && needed->lo < lo ? needed->lo : lo;
    needed->hi = needed->read && needed->hi > hi ? needed->hi : hi;
    needed->read = true;
    return needed->window || (!lo && !hi);
}

/* Whether all that kernel k stores is in windows. */
static bool is_window(const struct slicing *slicing, int k)
{
    const struct kernel *kernel = slicing->schedule->kernels[k].kernel;
    bool all = true;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        all = all && access_is_temporary(&kernel->accesses[a]) && slicing->needed[kernel->accesses[a].index].window;
    return all;
}

/* Finds what kernel k computes for a tile: each row once; or, where it is all in windows, what is needed of it. False:
 * more is needed. */
static bool find_needs(struct slicing *slicing, int k)
{
    const struct scheduled *s = &slicing->schedule->kernels[k];
    const bool whole = !is_window(slicing, k);
    bool read = false;
    struct sliced *own = &slicing->kernels[k - slicing->first];
    int64_t lo = 0, hi = 0;
    for (int a = s->kernel->load_count; a < s->kernel->access_count; a++) {
        const struct access *access = &s->kernel->accesses[a];
        const struct needed *needed = access_is_temporary(access) ? &slicing->needed[access->index] : NULL;
        if (!needed || !needed->read)
            continue;
        read = true;
        lo = needed->lo < lo ? needed->lo : lo;
        hi = needed->hi > hi ? needed->hi : hi;
    }
    own->before = whole ? own->first / own->in_row : divide_up(own->first - lo, own->in_row);
    own->beyond = whole ? -own->before : divide_up(hi - own->first, own->in_row);
    own->lo = own->first - own->before * own->in_row;
    own->hi = own->first + own->beyond * own->in_row;
    return !whole || !read || (!lo && !hi && !own->lo);
}

/* Finds what tiles of kernels `first` to `end` - 1 need of each other. False: they cannot take turns. */
static bool find_all_needs(struct slicing *slicing)
{
    const struct schedule *schedule = slicing->schedule;
    for (int i = 0; i < slicing->stored_count; i++) {
        const struct lifetime *own = &schedule->lifetimes[slicing->stored[i]];
        struct needed *needed = &slicing->needed[slicing->stored[i]];
        *needed = (struct needed){.window = own->from >= slicing->first && own->to < slicing->end,
                                  .bytes = needed->bytes};
    }
    for (int k = slicing->end - 1; k >= slicing->first; k--) {
        const struct kernel *kernel = schedule->kernels[k].kernel;
        if (!find_needs(slicing, k))
            return false;
        for (int a = 0; a < kernel->load_count; a++) {
            const struct access *access = &kernel->accesses[a];
            if (!access_is_temporary(access) || !slicing->needed[access->index].bytes)
                continue;
            if (access->kind == TENSOR_TABLE || !add_need(slicing, k, a))
                return false;
        }
    }
    return true;
}

/* ---- tiles ---- */

/* Divides the only row of a kernel into rows of so many of its slices. */
static void divide_row(struct arena *arena, const struct kernel *kernel, struct geometry *g, const struct sliced *own)
{
    const int64_t inner = g->columns / own->count, rows = (own->count - 1) / own->in_row + 1,
                  columns = rows > 1 ? inner * own->in_row : g->columns;
    int64_t *strides = ARENA_ARRAY(arena, int64_t, 3 * (size_t)kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++) {
        const int64_t *old = g->strides + (ptrdiff_t)a * 2;
        strides[3 * a] = rows == 1                        ? 0
                         : g->kinds[a] == ACCESS_EXPANDED ? g->offsets[a][columns]
                         : g->period                      ? columns / g->period * old[1]
                                                          : columns * old[0];
        strides[3 * a + 1] = old[0];
        strides[3 * a + 2] = old[1];
        if (g->kinds[a] == ACCESS_EXPANDED && g->distinct[a] > columns)
            g->distinct[a] = columns;
    }
    g->strides = strides;
    g->groups = 1;
    g->extents[0] = g->rows = rows;
    g->columns = columns;
    g->last_columns = inner * (own->count - (rows - 1) * (columns / inner));
}

/* Makes the tiles of kernel k, and has windows hold what it computes. */
static void make_slices(struct arena *arena, const struct slicing *slicing, int k, int64_t tiles)
{
    struct scheduled *s = &slicing->schedule->kernels[k];
    const struct sliced *own = &slicing->kernels[k - slicing->first];
    struct geometry *g = &s->geometry;
    if (own->divided)
        divide_row(arena, s->kernel, g, own);
    g->tiling = (struct tiling){.tile_rows = slicing->each / own->in_row * own->rows, .tile_columns = g->columns,
                                .row_tiles = 1, .tiles = tiles, .before = own->before * own->rows,
                                .beyond = own->beyond * own->rows};
    for (int a = s->kernel->load_count; a < s->kernel->access_count; a++) {
        struct needed *needed = access_is_temporary(&s->kernel->accesses[a])
                                    ? &slicing->needed[s->kernel->accesses[a].index] : NULL;
        if (needed && own->lo < needed->from)
            needed->from = own->lo;
        if (needed && own->hi > needed->to)
            needed->to = own->hi;
    }
}

/* Has rows of kernels that are to be divided hold as many slices as make them long. */
static void lengthen_rows(struct slicing *slicing)
{
    enum { LONG = 128 };           /* elements */
    for (int k = slicing->first; k < slicing->end; k++) {
        struct sliced *own = &slicing->kernels[k - slicing->first];
        const int64_t inner = slicing->schedule->kernels[k].geometry.columns / own->count;
        while (own->divided && own->in_row * inner < LONG && slicing->each % (2 * own->in_row) == 0)
            own->in_row *= 2;
    }
}

/* The slices of a tile, at least so many that few are computed again; 0: a chain does not pay. */
static int64_t slices_of_tile(const struct slicing *slicing, int64_t slices)
{
    enum { SOME = 8 };             /* tiles are multiples of it, so that short slices can be a row together */
    int64_t around = 0, bytes = 0;
    double all = 0, largest = 0;
    for (int i = 0; i < slicing->stored_count; i++) {
        const struct needed *needed = &slicing->needed[slicing->stored[i]];
        if (!needed->window)
            continue;
        const double own = bytes_of(&slicing->schedule->temporaries[slicing->stored[i]]);
        around = needed->hi - needed->lo > around ? needed->hi - needed->lo : around;
        bytes += needed->bytes;
        all += own;
        largest = own > largest ? own : largest;
    }
    if (largest < SLICES_LEAST)
        return 0;
    const int64_t most = SLICES_NEAR / bytes - around, enough = slices / ENOUGH_TILES,
                  least = (all < BYTES_FAR ? SLICES_AGAIN : SLICES_AGAIN_FAR) * around;
    int64_t each = most < enough ? most : enough, some = SOME;
    while (some < each / 8)
        some *= 2;
    each = (each < least ? least + some - 1 : each < some ? some : each) / some * some;
    return each - some >= most || each >= slices ? 0 : each;
}

/* Takes kernel k to those that may take turns, and what it stores. False: it may not. */
static bool add_sliced(struct slicing *slicing, int k)
{
    const struct scheduled *s = &slicing->schedule->kernels[k];
    struct sliced *own = &slicing->kernels[k - slicing->first];
    if (k == slicing->first + MOST_SLICED || !find_slices(s, own))
        return false;
    for (int a = s->kernel->load_count; a < s->kernel->access_count; a++) {
        const struct access *access = &s->kernel->accesses[a];
        if (!access_is_temporary(access) || slicing->needed[access->index].bytes)
            continue;
        if (slicing->stored_count == MOST_SLICED)
            return false;
        slicing->stored[slicing->stored_count++] = access->index;
        slicing->needed[access->index].bytes =
            shape_volume(stored_shape(s, a)) / own->extent * type_rows[access->dtype].size;
    }
    return true;
}

/* Whether kernels `first` to `end` - 1 of *slicing take turns; finds how large their tiles are, and how many there
 * are. */
static bool take_turns(struct slicing *slicing, int64_t *tiles)
{
    int64_t slices = 1;
    for (int i = 0; i < slicing->end - slicing->first; i++)
        slicing->kernels[i].in_row = 1;
    bool good = slicing->end > slicing->first + 1 && find_all_needs(slicing) && is_window(slicing, slicing->first);
    for (int k = slicing->first; good && k < slicing->end; k++) {
        const struct sliced *own = &slicing->kernels[k - slicing->first];
        slices = !is_window(slicing, k) && own->extent > slices ? own->extent : slices;
    }
    slicing->each = good ? slices_of_tile(slicing, slices) : 0;
    if (slicing->each)
        lengthen_rows(slicing);
    good = slicing->each && find_all_needs(slicing);
    *tiles = good ? (slices - 1) / slicing->each + 1 : 0;
    return good;
}

int chain_slices(struct arena *arena, struct slicing *slicing, int k)
{
    enum { TRIES = 8 };
    struct schedule *schedule = slicing->schedule;
    int64_t tiles = 0;
    slicing->first = slicing->end = k;
    slicing->stored_count = 0;
    while (slicing->pays && slicing->end < schedule->count && add_sliced(slicing, slicing->end))
        slicing->end++;
    for (int i = 0; i < TRIES && slicing->end > k && !take_turns(slicing, &tiles); i++)
        slicing->end -= schedule->kernels[slicing->end - 1].part;
    for (int i = k; tiles && i < slicing->end; i++)
        make_slices(arena, slicing, i, tiles);
    for (int i = 0; i < slicing->stored_count; i++) {
        struct needed *needed = &slicing->needed[slicing->stored[i]];
        if (tiles && needed->window)
            schedule->lifetimes[slicing->stored[i]].window =
                (struct slices){.bytes = (slicing->each + needed->to - needed->from) * needed->bytes,
                                .step = slicing->each * needed->bytes, .before = -needed->from * needed->bytes};
        *needed = (struct needed){0};
    }
    if (tiles)
        schedule->kernels[k].chain = slicing->end - k;
    return tiles ? slicing->end : k;
}
