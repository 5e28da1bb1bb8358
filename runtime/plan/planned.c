/* What a run needs of a schedule: kernels as they are called, and the places of temporaries in its memory. */
#include "runtime/plan/plan.h"

#include <string.h>

static const struct weft_lanes *keep_lanes(struct arena *arena, const struct kernel *kernel, const struct geometry *g)
{
    if (!kernel->lanes)
        return NULL;
    const struct lane_tiles *t = &kernel->lanes->tiles;
    const struct weft_lanes kept = {
        .points = t->points, .elements = t->elements, .inner = t->inner, .rows = g->rows / t->points, .lanes = t->lanes,
        .block = t->block, .width = t->width, .windows = t->windows, .chunk = t->chunk, .chunks = t->chunks,
        .together = t->together, .step = t->step, .kept = t->kept, .beside = kernel->lanes->beside,
        .across = !kernel->lanes->finds && points_are_nearer(kernel, g)};
    return arena_copy(arena, &kept, sizeof kept);
}

/* The geometry as kernels take it, copied except for the maps: a plan whose program has maps keeps all memory
 * anyway. */
static struct weft_geometry keep_walk(struct arena *arena, const struct kernel *kernel,
                                      const struct geometry *g)
{
    size_t accesses = (size_t)kernel->access_count, groups = (size_t)g->groups;
    bool expanded = g->row_groups > 0;
    int **offsets = expanded || g->period ? arena_copy(arena, g->offsets, accesses * sizeof *g->offsets) : NULL;
    for (size_t a = 0; offsets && a < accesses; a++)
        if (offsets[a])
            offsets[a] = arena_copy(arena, offsets[a],
                                    (size_t)(expanded ? g->columns : g->period) * sizeof *offsets[a]);
    return (struct weft_geometry){
        .rows = g->rows, .columns = g->columns, .last_columns = g->last_columns, .before = g->tiling.before,
        .beyond = g->tiling.beyond, .tile_rows = g->tiling.tile_rows,
        .tile_columns = g->tiling.tile_columns, .row_tiles = g->tiling.row_tiles, .period = g->period,
        .groups = g->groups, .offsets = offsets, .maps = program_asks_shapes(kernel->program) ? g->maps : NULL,
        .extents = arena_copy(arena, g->extents, groups * sizeof *g->extents),
        .strides = arena_copy(arena, g->strides, accesses * (groups + 2) * sizeof *g->strides),
        .lanes = keep_lanes(arena, kernel, g),
        .distinct = expanded ? arena_copy(arena, g->distinct, accesses * sizeof *g->distinct) : NULL};
}

/* libtcc keeps nothing in registers from one instruction to the next: each takes about as long, whatever it does.
 * Elements that are only copied, or joined as they lie in memory, are the library's work, at full speed. Measured on
 * 4e6 elements (bench/calls/first.py). */
static double estimate_first(const struct scheduled *s)
{
    enum { EACH = 2 };             /* nanoseconds of an instruction */
    const struct kernel *kernel = s->kernel;
    int count = 0, computed = 0;
    for (int i = 0; i < kernel->ins_count; i++) {
        const struct ins *ins = &kernel->ins[i];
        const bool moves = ins->kind == INS_LOAD || ins->kind == INS_STORE, literal = ins_is_argument(ins);
        count += ins->kind == INS_WEIGH ? ins->index : !literal;
        computed += !literal && !moves;
    }
    return computed ? (double)s->geometry.volume * count * EACH : 0;
}

void keep_kernel(struct plan *plan, const struct scheduled *s, const struct program *filled,
                 const struct shape *const *shapes, struct planned *planned)
{
    const struct kernel *kernel = s->kernel;
    struct arena *arena = &plan->own;
    const size_t accesses = (size_t)kernel->access_count;
    *planned = (struct planned){
        .kernel = kernel, .order = s->order, .shared = s->shared, .chain = s->chain, .ahead = s->ahead,
        .peel = s->geometry.peel, .tiles = form_tiles(&s->form, &s->geometry), .work = s->work,
        .first = estimate_first(s), .touched = s->touched,
        .stored = s->stored, .emitted = emitted_of(s->text), .launched = emitted_of(s->launched),
        .kinds = arena_copy(arena, s->geometry.kinds, accesses),
        .starts = arena_copy(arena, s->geometry.starts, accesses * sizeof *s->geometry.starts),
        .walk = keep_walk(arena, kernel, &s->geometry),
        .literals = ARENA_ARRAY(arena, unsigned long long, kernel->literal_count)};
    for (int i = 0; i < kernel->literal_count; i++)
        planned->literals[i] = kernel_argument(kernel, i, filled, shapes).bits;
}

/* ---- memory of temporaries ---- */

/* A temporary that has its place. */
struct placed {
    size_t start, end;
    int to;
};

/* When a temporary is needed. Kernels of a chain take turns, so what one of them has, all have. What is the same for
 * all samples is kept as long as there are kernels that run for each of them. */
static struct lifetime needed(const struct schedule *schedule, int t)
{
    struct lifetime own = schedule->lifetimes[t];
    for (int k = 0; k < schedule->count; k += schedule->kernels[k].chain + !schedule->kernels[k].chain) {
        const int last = k + schedule->kernels[k].chain - 1;
        own.from = own.from > k && own.from <= last ? k : own.from;
        own.to = own.to >= k && own.to < last ? last : own.to;
    }
    if (own.shared && !schedule->kernels[own.to].shared)
        own.to = schedule->count;
    return own;
}

/* Finds the first gap between those that are needed at the same time, which are in the order of memory. Forgets those
 * that are not needed any more. */
static size_t find_gap(struct placed *placed, int *count, const struct lifetime *own, size_t bytes)
{
    int left = 0, at = -1;
    size_t start = 0, end = 0;
    for (int i = 0; i < *count; i++)
        if (placed[i].to >= own->from)
            placed[left++] = placed[i];
    for (int i = 0; i < left && at < 0; i++) {
        if (placed[i].start >= end + bytes)
            at = i;
        else
            end = placed[i].end;
    }
    start = end;
    at = at < 0 ? left : at;
    memmove(placed + at + 1, placed + at, (size_t)(left - at) * sizeof *placed);
    placed[at] = (struct placed){start, start + bytes, own->to};
    *count = left + 1;
    return start;
}

/* The temporaries by the kernel that stores them first. */
static int *in_order(struct arena *arena, const struct schedule *schedule, const struct lifetime *lifetimes)
{
    int *order = ARENA_ARRAY(arena, int, schedule->temporary_count), count = 0;
    int *first = ARENA_ARRAY(arena, int, schedule->count + 2);
    for (int t = 0; t < schedule->temporary_count; t++)
        first[lifetimes[t].from + 1]++;
    for (int k = 0; k < schedule->count; k++)
        count = first[k + 1] += count;
    for (int t = 0; t < schedule->temporary_count; t++)
        order[first[lifetimes[t].from]++] = t;
    return order;
}

static size_t round_bytes(size_t bytes)
{
    return (bytes + TEMPORARY_ALIGNMENT - 1) / TEMPORARY_ALIGNMENT * TEMPORARY_ALIGNMENT;
}

/* Bytes of temporaries that each sample has for itself, and of shared ones. */
struct total {
    size_t bytes[2];
};

/* Assigns offsets. windowed: windows have none. */
static struct total place(const struct schedule *schedule, const struct lifetime *lifetimes, bool windowed,
                          size_t *offsets, struct arena *arena)
{
    const int count = schedule->temporary_count;
    struct placed *placed[2] = {ARENA_ARRAY(arena, struct placed, count), ARENA_ARRAY(arena, struct placed, count)};
    int placed_count[2] = {0, 0};
    struct total total = {{0, 0}};
    const int *order = in_order(arena, schedule, lifetimes);
    for (int i = 0; i < count; i++) {
        const int t = order[i];
        const struct temporary *temporary = &schedule->temporaries[t];
        const bool shared = lifetimes[t].shared;
        if (lifetimes[t].to < 0 || (windowed && lifetimes[t].window.bytes))
            continue;              /* nothing stores or reads it, or a thread has its own */
        const size_t room = round_bytes((size_t)shape_volume(temporary->shape) *
                                        (size_t)type_rows[temporary->dtype].size);
        offsets[t] = find_gap(placed[shared], &placed_count[shared], &lifetimes[t], room);
        if (offsets[t] + room > total.bytes[shared])
            total.bytes[shared] = offsets[t] + room;
    }
    return total;
}

/* Tells a kernel of its windows. */
static void keep_windows(struct plan *plan, const struct schedule *schedule, const size_t *at, int k)
{
    const struct scheduled *s = &schedule->kernels[k];
    const struct kernel *kernel = s->kernel;
    struct planned *planned = &plan->kernels[k];
    struct window *windows = ARENA_ARRAY(&plan->own, struct window, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++) {
        const struct access *access = &kernel->accesses[a];
        const struct slices *own = access_is_temporary(access) ? &schedule->lifetimes[access->index].window : NULL;
        if (!own || !own->bytes)
            continue;
        windows[planned->window_count++] =
            (struct window){a, at[access->index], own->before + s->geometry.starts[a], own->step};
        planned->window_touched += bytes_moved(s, a);
        planned->window_stored += a >= kernel->load_count && !kernel->lanes ? (double)s->geometry.volume *
                                  type_rows[access->dtype].size : 0;
    }
    planned->windows = windows;
}

/* Of kernels that store parts of the same results, as of their traffic, has each what all have. */
static void join_windows(struct plan *plan, const struct schedule *schedule, int k)
{
    const int parts = schedule->kernels[k].parts;
    double touched = 0, stored = 0;
    for (int i = k; i < k + parts; i++) {
        touched += plan->kernels[i].window_touched;
        stored += plan->kernels[i].window_stored;
    }
    for (int i = k; i < k + parts; i++) {
        plan->kernels[i].window_touched = touched;
        plan->kernels[i].window_stored = stored;
    }
}

/* Places those of each chain behind each other. */
static void place_windows(struct plan *plan, const struct schedule *schedule, struct arena *arena)
{
    size_t *at = ARENA_ARRAY(arena, size_t, schedule->temporary_count);
    for (int k = 0; k < schedule->count; k++) {
        size_t bytes = 0;
        for (int t = 0; schedule->kernels[k].chain && t < schedule->temporary_count; t++) {
            const struct lifetime *own = &schedule->lifetimes[t];
            if (!own->window.bytes || own->from < k || own->from >= k + schedule->kernels[k].chain)
                continue;
            at[t] = bytes;
            bytes += round_bytes((size_t)own->window.bytes);
        }
        for (int i = k; bytes && i < k + schedule->kernels[k].chain; i++)
            keep_windows(plan, schedule, at, i);
        plan->window_bytes = bytes > plan->window_bytes ? bytes : plan->window_bytes;
    }
    for (int k = 0; k < schedule->count; k++)
        if (schedule->kernels[k].part == 1)
            join_windows(plan, schedule, k);
}

void place_temporaries(struct plan *plan, const struct schedule *schedule, struct arena *arena)
{
    const int count = schedule->temporary_count;
    if (!count)
        return;
    plan->temporaries = ARENA_ARRAY(&plan->own, size_t, count);
    plan->placed = ARENA_ARRAY(&plan->own, size_t, count);
    plan->shared = ARENA_ARRAY(&plan->own, bool, count);
    plan->bytes = ARENA_ARRAY(&plan->own, unsigned char, TABLE_ENTRIES);
    for (int i = 0; i < TABLE_ENTRIES; i++)
        plan->bytes[i] = (unsigned char)i;
    struct lifetime *lifetimes = ARENA_ARRAY(arena, struct lifetime, count);
    for (int t = 0; t < count; t++) {
        lifetimes[t] = schedule->lifetimes[t].to < 0 ? schedule->lifetimes[t] : needed(schedule, t);
        plan->shared[t] = lifetimes[t].shared;
    }
    const struct total total = place(schedule, lifetimes, false, plan->temporaries, arena);
    plan->own_bytes = total.bytes[false];
    plan->shared_bytes = total.bytes[true];
    plan->placed_bytes = place(schedule, lifetimes, true, plan->placed, arena).bytes[true];
    place_windows(plan, schedule, arena);
}
