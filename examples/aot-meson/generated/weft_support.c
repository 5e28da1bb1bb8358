/* Made by weft build, the same for all kernels of this version of weft. See weft_support.h. */
#if defined __cplusplus
#error "this source is C: compile it as C, and include its header from C++"
#else
#include "weft_support.h"
#if defined _OPENMP
#include <omp.h>
#endif
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
#include <cpuid.h>
#endif

#if defined __GNUC__ || defined __TINYC__
#undef ENTRY
#define ENTRY __attribute__((weak, visibility("hidden")))
#endif

/* Adds elements outside those that are there. */
SHARED void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride)
{
    struct piece *last = pieces->count ? &pieces->at[pieces->count - 1] : NULL;
    if (extent == 1)
        return;
    if (last && last->extent * last->stride == stride)
        last->extent *= extent;
    else
        pieces->at[pieces->count++] = (struct piece){extent, stride};
}

/* Of the dimensions of a shape without an extent of 0, with these strides. */
SHARED void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides)
{
    pieces->count = 0;
    pieces->offset = 0;
    for (int d = rank - 1; d >= 0; d--)
        pieces_add(pieces, extents[d], strides[d]);
}

/* Strides in bytes of a tensor of `extents` under a result of `rank` dimensions: aligned at the
 * right, 0 where it stretches. `strides` are in elements, NULL for dense row-major. */
SHARED void broadcast_strides(int rank, const int64_t *shape, int tensor_rank, const int64_t *extents,
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


/* The bytes of a tensor with these pieces as elements of `size` bytes instead of `old`, in their order;
 * false where they do not lie together, or not at multiples of `size`. Without elements they lie anyhow. */
SHARED bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result)
{
    struct pieces bytes = {.count = 0};
    pieces_add(&bytes, old, 1);
    for (int i = 0; i < pieces->count; i++) {
        if (!pieces->at[i].extent) {
            *result = (struct pieces){.count = 1, .offset = pieces->offset, .at = {{0, size}}};
            return true;
        }
        pieces_add(&bytes, pieces->at[i].extent, pieces->at[i].stride);
    }
    if (size > 1 && (bytes.at[0].stride != 1 || bytes.at[0].extent % size != 0))
        return false;
    result->count = 0;
    result->offset = pieces->offset;
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
static bool stretch(const struct pieces *in, const struct shape *from, const struct shape *to,
                    struct pieces *out)
{
    struct rest rest = {*in, 0};
    int64_t together = 1;
    out->count = 0;
    out->offset = in->offset;
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

static void add_level(struct walk *walk, const struct pieces *pieces, const struct index_map *bounds)
{
    for (int i = walk->level_count++; i > 0; i--)
        walk->levels[i] = walk->levels[i - 1];
    walk->levels[0].pieces = *pieces;
    walk->levels[0].bounds = bounds;
}

static void number_pieces(struct pieces *pieces, int64_t count)
{
    pieces->count = 0;
    pieces->offset = 0;
    pieces_add(pieces, count, 1);
}

static int64_t count_elements(const struct shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++)
        count *= shape->extents[d];
    return count;
}

/* A position of a bounded step, as one near the dimension that reads the same: so sums with it do not overflow. */
static int64_t nearby(int64_t position, enum edge edge, int64_t extent)
{
    const int64_t far = INT64_C(1) << 61;
    const int64_t round = edge == EDGE_WRAP ? extent : edge == EDGE_SYMMETRIC ? 2 * extent
                          : edge == EDGE_REFLECT ? 2 * extent - 2 : 0;
    if (round > 0)
        return position % round;
    return position < -far ? -far : position > far ? far : position;
}

/* The element of a dimension of `extent` that a step reads first. */
static int64_t axis_first(const struct index_map *step, const struct axis *axis, int64_t extent)
{
    int64_t first, count;
    if (step->outside)
        return axis->slice.has_stop ? extent - step->from->extents[axis->from]
                                    : nearby(axis->slice.start, axis->edge, extent);
    if (axis->from < 0)
        return axis->slice.start + (axis->slice.start < 0 ? extent : 0);
    slice_resolve(&axis->slice, extent, &first, &count);
    return first;
}

/* The dimension of `to` that follows dimension d of `from`; -1: none. */
static int followed_by(const struct index_map *step, int d)
{
    int t = step->to->rank - 1;
    while (t >= 0 && step->axes[t].from != d)
        t--;
    return t;
}

/* The same elements, cut at the dimensions of a shape; false where one ends inside a piece. */
static bool cut(const struct pieces *in, const struct shape *shape, struct pieces *out)
{
    struct rest rest = {*in, 0};
    struct pieces own;
    out->count = 0;
    out->offset = in->offset;
    for (int d = shape->rank - 1; d >= 0; d--) {
        own.count = 0;
        if (!take(&rest, shape->extents[d], &own))
            return false;
        for (int i = 0; i < own.count; i++)
            out->at[out->count++] = own.at[i];
    }
    return true;
}

/* Of pieces that are cut at dimensions, the first that lies outside dimension d: inside it where d is that of
 * the next. */
static int piece_outside(const struct pieces *cut_ones, const struct shape *shape, int d)
{
    int64_t count = 1;
    int i = 0;
    for (int inner = shape->rank - 1; inner >= d; inner--)
        count *= shape->extents[inner];
    for (; count > 1; i++)
        count /= cut_ones->at[i].extent;
    return i;
}

/* What a step reads of one dimension. */
struct selection {
    int64_t first, by;
    int begin, end;                /* its pieces */
    int last;                      /* the outermost one along which the elements go, with all of those inside it */
    int64_t inside;                /* elements of those */
};

/* False where what is read of dimension t does not lie as strides say: within one piece, or in whole ones inside it, in
 * their order or backwards. */
static bool select_dimension(const struct index_map *step, const struct pieces *cut_ones, int t, struct selection *s)
{
    const struct axis *axis = &step->axes[t];
    const int64_t count = axis->from < 0 ? 1 : step->from->extents[axis->from];
    *s = (struct selection){axis_first(step, axis, step->to->extents[t]), axis->slice.step,
                            piece_outside(cut_ones, step->to, t + 1), piece_outside(cut_ones, step->to, t), 0, 1};
    s->last = s->begin;
    if (s->end - s->begin <= 1)
        return true;
    if (step->outside)
        return false;
    const int64_t least = s->by < 0 ? s->first + (count - 1) * s->by : s->first;
    const bool neighbours = count == 1 || s->by == 1 || s->by == -1;
    for (; s->last < s->end; s->inside *= cut_ones->at[s->last++].extent) {
        const int64_t extent = cut_ones->at[s->last].extent, begin = least / s->inside % extent;
        const int64_t reach = s->inside > 1 ? count / s->inside : (count - 1) * (s->by < 0 ? -s->by : s->by) + 1;
        const bool whole = s->inside == 1 || (neighbours && least % s->inside == 0 && count % s->inside == 0);
        if (whole && begin + reach <= extent)
            return true;
    }
    return false;
}

/* Bytes, or a number, from element 0 of the dimension to its element `first`. May go beyond the dimension, if that
 * is one piece. */
static int64_t place_of(const struct pieces *cut_ones, const struct selection *s)
{
    uint64_t place = 0;
    int64_t rest = s->first;
    for (int i = s->begin; i < s->end; rest /= cut_ones->at[i++].extent) {
        const int64_t digit = i + 1 < s->end ? rest % cut_ones->at[i].extent : rest;
        place += (uint64_t)digit * (uint64_t)cut_ones->at[i].stride;
    }
    return (int64_t)place;
}

/* The elements that a step reads of `in`, which has elements, in their order. A bounded one's have a piece for each
 * dimension of `from`, whatever its extent. False where that is no matter of strides. */
static bool select_pieces(const struct pieces *in, const struct index_map *step, struct pieces *out)
{
    const struct shape *from = step->from, *to = step->to;
    struct pieces all;
    if (!cut(in, to, &all))
        return false;
    out->count = 0;
    out->offset = in->offset;
    for (int t = 0; t < to->rank; t++) {
        struct selection s;
        if (!select_dimension(step, &all, t, &s))
            return false;
        out->offset += place_of(&all, &s);
    }
    for (int d = from->rank - 1; d >= 0; d--) {
        const int t = followed_by(step, d);
        struct selection s = {0};
        if (t >= 0)
            select_dimension(step, &all, t, &s);
        const bool some = s.begin < s.end;
        if (step->outside)
            out->at[out->count++] = (struct piece){from->extents[d], some ? s.by * all.at[s.begin].stride : 0};
        else
            for (int i = s.begin; some && i <= s.last && from->extents[d] > 1; i++)
                pieces_add(out, i < s.last ? all.at[i].extent : from->extents[d] / s.inside, s.by * all.at[i].stride);
    }
    return true;
}

/* Makes `over`, which is over `to`, the elements that a step reads, over `from`. */
static void follow_axes(struct walk *walk, const struct index_map *step)
{
    struct pieces over = walk->over;
    if (select_pieces(&over, step, &walk->over))
        return;
    add_level(walk, &over, NULL);
    number_pieces(&over, count_elements(step->to));
    select_pieces(&over, step, &walk->over);
}

/* The same of a bounded step: the digits of a level are what bounds are compared with. */
static void follow_bounded(struct walk *walk, const struct index_map *step)
{
    if (count_elements(step->to)) {
        follow_axes(walk, step);
    } else { /* all lies outside */
        walk->level_count = 0;
        walk->over.count = 0;
        walk->over.offset = 0;
        for (int d = step->from->rank - 1; d >= 0; d--)
            walk->over.at[walk->over.count++] = (struct piece){step->from->extents[d], 0};
    }
    add_level(walk, &walk->over, step);
    number_pieces(&walk->over, count_elements(step->from));
}

/* How often a dimension's elements have to stand behind each other for the positions of a step that goes round: from
 * *first, which is one of the dimension, as many as the step's result has. */
static int64_t count_rounds(const struct index_map *step, int d, int64_t *first)
{
    const int64_t extent = step->to->extents[d];
    *first = axis_first(step, &step->axes[d], extent) % extent;
    *first += *first < 0 ? extent : 0;
    return (*first + step->from->extents[d] - 1) / extent + 1;
}

/* The pieces of a shape's dimensions with their elements as often as the step needs, so that positions are
 * consecutive. `numbers` are those of the elements that it reads. */
static bool repeat_pieces(const struct pieces *all, const struct index_map *step, struct pieces *repeated,
                          struct pieces *numbers)
{
    int64_t stride = 1;
    bool needed = false;
    repeated->count = numbers->count = 0;
    repeated->offset = all->offset;
    numbers->offset = 0;
    for (int d = step->to->rank - 1; d >= 0; d--) {
        int64_t first;
        const int64_t extent = step->to->extents[d], rounds = count_rounds(step, d, &first);
        const int end = piece_outside(all, step->to, d);
        for (int i = piece_outside(all, step->to, d + 1); i < end; i++)
            pieces_add(repeated, all->at[i].extent, all->at[i].stride);
        pieces_add(repeated, rounds, 0);
        pieces_add(numbers, step->from->extents[d], stride);
        numbers->offset += first * stride;
        stride *= rounds * extent;
        needed = needed || rounds > 1 || step->from->extents[d] != extent;
    }
    return needed;
}

/* Makes `over` the elements that a step reads which goes round: behind the last of a dimension stands its first. */
static void follow_wrapped(struct walk *walk, const struct index_map *step)
{
    struct pieces over = walk->over, all, repeated;
    const bool there = cut(&over, step->to, &all);
    if (!there) {
        add_level(walk, &over, NULL);
        number_pieces(&over, count_elements(step->to));
        cut(&over, step->to, &all);
    }
    if (repeat_pieces(&all, step, &repeated, &over) || !there) {
        add_level(walk, &repeated, NULL);
        walk->over = over;
    }
}

/* The same walk by way of the elements' numbers in the iteration space: it then has one piece. */
SHARED void walk_number(struct walk *walk)
{
    int64_t count = 1;
    for (int i = 0; i < walk->over.count; i++)
        count *= walk->over.at[i].extent;
    add_level(walk, &walk->over, NULL);
    number_pieces(&walk->over, count);
}

/* The same of numbers that the kernel computes of elements of `to`, at any place of `space`. `bounded`: a step below
 * that is, or NULL. */
static void follow_taken(struct walk *walk, const struct shape *to, const struct shape *space,
                         const struct index_map *bounded)
{
    if (!count_elements(to)) { /* nothing is read */
        walk->level_count = 0;
        walk->over.count = 0;
        walk->over.offset = 0;
        if (bounded)
            add_level(walk, &walk->over, bounded);
    }
    walk_number(walk);
    walk->over.count = 0;
    pieces_add(&walk->over, count_elements(space), 0);
}

/* The walk of a tensor whose elements under map number `map` are `tensor`; walk->levels is there. */
SHARED void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor,
                        struct walk *walk)
{
    const struct index_map *bounded = NULL;
    walk->over = *tensor;
    walk->level_count = 0;
    for (; map && maps[map].outside != OUTSIDE_TAKEN; map = maps[map].parent) {
        const struct index_map *step = &maps[map];
        const struct shape *to = maps[step->parent].to;
        struct pieces seen;
        bounded = step->outside && step->outside != OUTSIDE_WRAP ? step : bounded;
        if (!count_elements(step->from))
            continue; /* a bounded step follows, outside which all lies */
        if (step->outside == OUTSIDE_WRAP)
            follow_wrapped(walk, step);
        else if (step->outside)
            follow_bounded(walk, step);
        else if (step->axes)
            follow_axes(walk, step);
        seen = walk->over;
        if (stretch(&seen, step->from, to, &walk->over))
            continue;
        add_level(walk, &seen, NULL);
        number_pieces(&seen, count_elements(step->from));
        stretch(&seen, step->from, to, &walk->over);
    }
    walk->taken = map != 0;
    if (walk->taken)
        follow_taken(walk, maps[map].to, maps[0].to, bounded);
}

/* Whether positions may lie outside. */
SHARED bool walk_is_bounded(const struct walk *walk)
{
    for (int i = 0; i < walk->level_count; i++)
        if (walk->levels[i].bounds)
            return true;
    return false;
}


SHARED int64_t *group_strides(const struct grouping *groups, int group)
{
    return groups->strides + (ptrdiff_t)group * groups->accesses;
}

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
    for (int k = bounds->count++; k > i; k--)
        bounds->at[k] = bounds->at[k - 1];
    bounds->at[i] = bound;
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

/* Groups as few as all accesses allow: a bound wherever some access has one. An access whose bounds do
 * not go with the others' is walked by numbers, which have none. strides[a] are those of an access without
 * a walk, over a shape of `volume` elements, which are some. */
SHARED void groups_find(struct grouping *groups, int rank, const int64_t *shape, int64_t volume,
                        const int64_t *const *strides)
{
    struct bounds bounds = {.count = 0};
    struct pieces pieces;
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a]) {
            pieces_make(&pieces, rank, shape, strides[a]);
            add_bounds(&bounds, &pieces);
        }
    }
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a] || add_bounds(&bounds, &groups->walks[a]->over))
            continue;
        walk_number(groups->walks[a]);
        add_bounds(&bounds, &groups->walks[a]->over);
    }
    groups->count = bounds.count;
    for (int g = 0; g < groups->count; g++)
        groups->extents[groups->count - 1 - g] =
            (g + 1 < bounds.count ? bounds.at[g + 1] : volume) / bounds.at[g];
}

/* The strides of an access: each group lies in one of its pieces. */
static void set_strides(struct grouping *groups, int a, const struct pieces *pieces)
{
    int64_t inside = 1; /* the piece's first group: elements of the piece inside group g */
    for (int g = groups->count - 1, i = 0; g >= 0; g--) {
        group_strides(groups, g)[a] = pieces->at[i].stride * inside;
        inside *= groups->extents[g];
        if (inside == pieces->at[i].extent)
            inside = 1, i++;
    }
}

/* The strides and starts of all accesses, over the same shape; groups->strides and groups->starts are there. */
SHARED void groups_stride(struct grouping *groups, int rank, const int64_t *shape,
                          const int64_t *const *strides)
{
    struct pieces pieces;
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a])
            pieces_make(&pieces, rank, shape, strides[a]);
        set_strides(groups, a, groups->walks[a] ? &groups->walks[a]->over : &pieces);
        groups->starts[a] = 0;
        if (groups->walks[a] && !groups->walks[a]->level_count) {
            groups->starts[a] = groups->walks[a]->over.offset;
            groups->walks[a] = NULL;
        }
    }
}


SHARED enum access_kind plain_kind(int64_t stride, int size)
{
    return stride == 0 ? ACCESS_SCALAR : stride == size ? ACCESS_UNIT : ACCESS_STRIDED;
}

/* Of an access that strides are not enough for. */
static enum access_kind walk_kind(const struct walk *walk)
{
    return walk_is_bounded(walk) ? ACCESS_BOUNDED : ACCESS_MAPPED;
}

static enum access_kind flat_kind(int64_t outer, int64_t inner, int64_t extent, int size)
{
    if (outer == extent * inner)
        return plain_kind(inner, size);
    return outer == 0 ? ACCESS_PERIODIC : ACCESS_NESTED;
}

/* Whether the two innermost groups run as one: the inner one is short, so that rows of their own
 * would mostly be padding. Accesses from number `loads` on are stores. `*is_nested`: some access then has
 * two strides. */
SHARED bool runs_flat(const struct grouping *groups, int loads, bool *is_nested)
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
        enum access_kind kind = flat_kind(outer, inner, extent, groups->sizes[a]);
        nested = nested || kind == ACCESS_NESTED || (kind == ACCESS_PERIODIC && a >= loads);
    }
    *is_nested = nested;
    return extent <= (nested ? BLOCK / 2 : MAX_PERIOD);
}

/* Rows are the innermost group, or where they are flat the two innermost together. Not special: a kernel
 * for any strides. */
SHARED void make_rows(const struct grouping *groups, bool flat, bool special, struct rows *rows)
{
    int inner = groups->count - 1;
    rows->groups = inner - flat < 0 ? 0 : inner - flat;
    rows->rows = 1;
    for (int i = 0; i < rows->groups; i++)
        rows->rows *= rows->extents[i] = groups->extents[i];
    rows->columns = inner < 0 ? 1 : groups->extents[inner] * (flat ? groups->extents[inner - 1] : 1);
    rows->period = flat ? groups->extents[inner] : 0;
    for (int a = 0; a < groups->accesses; a++) {
        int64_t *strides = rows->strides + (ptrdiff_t)a * (rows->groups + 2);
        int size = groups->sizes[a];
        int64_t step = inner >= 0 ? group_strides(groups, inner)[a] : size;
        int64_t jump = flat ? group_strides(groups, inner - 1)[a] : 0;
        for (int i = 0; i < rows->groups; i++)
            strides[i] = group_strides(groups, i)[a];
        strides[rows->groups] = step;
        strides[rows->groups + 1] = jump;
        rows->kinds[a] = (unsigned char)(groups->walks[a] ? walk_kind(groups->walks[a])
                                         : flat           ? flat_kind(jump, step, rows->period, size)
                                         : special        ? plain_kind(step, size)
                                                          : ACCESS_STRIDED);
    }
}

/* n / d, which is greater than 0, rounded towards the greater number. */
static int64_t divide_upwards(int64_t n, int64_t d)
{
    return n / d + (n % d > 0);
}

/* At most `most`, at least 1. */
static int64_t within(int64_t n, int64_t most)
{
    return most < 1 || n < 1 ? 1 : n < most ? n : most;
}

SHARED struct tiling make_tiles(int64_t rows, int64_t columns)
{
    const int64_t tile_columns = within(columns, TILE), tile_rows = within(TILE / tile_columns, rows);
    const int64_t row_tiles = (columns + tile_columns - 1) / tile_columns;
    return (struct tiling){.tile_rows = tile_rows, .tile_columns = tile_columns, .row_tiles = row_tiles,
                           .tiles = (rows + tile_rows - 1) / tile_rows * row_tiles};
}


/* The place in a row of groups `first` and following, of the first `part` elements, as pieces. */
static void row_pieces(const struct grouping *groups, int first, int64_t part, int a, struct pieces *row)
{
    row->count = 0;
    row->offset = groups->walks[a]->over.offset;
    for (int i = groups->count - 1; i >= first && i >= 0; i--)
        pieces_add(row, i == first ? part : groups->extents[i], group_strides(groups, i)[a]);
}

/* The elements i from *low on and before *high whose position start + i * step is one of `extent`. */
static void find_bounds(int64_t start, int64_t step, int64_t extent, int64_t *low, int64_t *high)
{
    if (step > 0) {
        *low = divide_upwards(-start, step);
        *high = divide_upwards(extent - start, step);
    } else {
        *low = divide_upwards(start - extent + 1, -step);
        *high = divide_upwards(start + 1, -step);
    }
}

/* Whether a bounded step reads nothing at all: an index lies outside, or there is nothing. */
static bool reads_nothing(const struct index_map *step)
{
    for (int t = 0; t < step->to->rank; t++) {
        const int64_t start = step->axes[t].slice.start, extent = step->to->extents[t];
        if (extent == 0 || (step->axes[t].from < 0 && (start < 0 || start >= extent)))
            return true;
    }
    return false;
}

/* A piece of a level, between which digits it lies inside, and what is read at others. */
struct bounded {
    int64_t extent, stride, low, high;
    enum edge edge;
};

static struct bounded level_piece(const struct walk_level *level, int k)
{
    const struct index_map *step = level->bounds;
    const struct piece piece = k < level->pieces.count ? level->pieces.at[k] : (struct piece){1, 0};
    struct bounded own = {piece.extent, piece.stride, 0, piece.extent, EDGE_VALUE};
    const int d = step ? step->from->rank - 1 - k : -1, t = d < 0 ? -1 : followed_by(step, d);
    if (step && reads_nothing(step)) {
        own.high = 0;
    } else if (t >= 0) {
        find_bounds(axis_first(step, &step->axes[t], step->to->extents[t]), step->axes[t].slice.step,
                    step->to->extents[t], &own.low, &own.high);
        own.edge = step->axes[t].edge;
    }
    return own;
}

static int64_t within_bounds(int64_t n, int64_t extent)
{
    return n < 0 ? 0 : n < extent ? n : extent;
}

static bool lies_inside(const struct bounded *piece)
{
    return piece->low <= 0 && piece->high >= piece->extent;
}

/* Makes one of a piece and the next one above it, where all of the lower lies inside and its elements go on there. */
static bool join_pieces(struct bounded *lower, const struct bounded *upper)
{
    if (!lies_inside(lower) || (upper->edge && !lies_inside(upper)) ||
        upper->stride != lower->stride * lower->extent)
        return false;
    const int64_t each = lower->extent;
    *lower = (struct bounded){each * upper->extent, lower->stride, each * within_bounds(upper->low, upper->extent),
                              each * within_bounds(upper->high, upper->extent), EDGE_VALUE};
    return true;
}

/* The pieces of a level; at least one. */
static int level_pieces(const struct walk_level *level, struct bounded *pieces)
{
    int count = 0;
    for (int k = 0; k < level->pieces.count || k == 0; k++) {
        const struct bounded next = level_piece(level, k);
        if (!level->bounds || k == 0 || !join_pieces(&pieces[count - 1], &next))
            pieces[count++] = next;
    }
    return count;
}

/* The numbers of one level, as struct weft_geometry says. Returns how many these are; `to` may be NULL. */
static int put_level(const struct walk_level *level, bool bounded, long long *to)
{
    struct bounded pieces[MAX_PIECES];
    const int count = level_pieces(level, pieces), head = bounded ? 3 : 2;
    for (int k = 0; to && k < count; k++) {
        to[head + k] = pieces[k].extent;
        to[head + count + k] = pieces[k].stride;
        if (bounded) {
            to[head + 2 * count + k] = pieces[k].low;
            to[head + 3 * count + k] = pieces[k].high;
            to[head + 4 * count + k] = pieces[k].edge;
        }
    }
    if (to) {
        to[0] = count;
        to[1] = level->pieces.offset;
    }
    if (to && bounded)
        to[2] = level->bounds ? (long long)level->bounds->value : 0;
    return head + (bounded ? 5 : 2) * count;
}

/* What a kernel finds the elements of a mapped or bounded access with: levels, the first of which takes apart the
 * place in the row, or the number that the kernel computes. Returns how many numbers that is; `to` may be NULL. */
SHARED int make_map(const struct grouping *groups, int first, int64_t part, int a, long long *to)
{
    const struct walk *walk = groups->walks[a];
    const bool bounded = walk_is_bounded(walk);
    struct walk_level row;
    int size = 1;
    row.bounds = NULL;
    row_pieces(groups, first, part, a, &row.pieces);
    if (to)
        to[0] = walk->level_count + !walk->taken;
    for (int i = walk->taken; i <= walk->level_count; i++)
        size += put_level(i ? &walk->levels[i - 1] : &row, bounded, to ? to + size : NULL);
    return size;
}

/* Makes loads turned that step from row to row, along group `outer`, by one element, so that what lies in a cache line
 * belongs to many rows. Returns the bytes of the widest element; 0: there is none. */
SHARED int transpose_loads(const struct grouping *groups, int outer, int loads, int64_t columns, unsigned char *kinds)
{
    int most = 0;
    for (int a = 0; a < loads && outer >= 0 && columns >= BLOCK; a++) {
        if (kinds[a] != ACCESS_STRIDED || groups->walks[a] || group_strides(groups, outer)[a] != groups->sizes[a])
            continue;
        kinds[a] = ACCESS_TRANSPOSED;
        most = groups->sizes[a] > most ? groups->sizes[a] : most;
    }
    return most;
}

static struct tiling tile_by(int64_t tile_rows, int64_t tile_columns, int64_t rows, int64_t columns)
{
    const int64_t row_tiles = divide_upwards(columns, tile_columns);
    return (struct tiling){tile_rows, tile_columns, row_tiles, divide_upwards(rows, tile_rows) * row_tiles};
}

/* Tiles of as many of the rows that lie `beside` each other as a cache line has elements of `most` bytes. What is only
 * `copied` needs no buffer: templates/kernel/transpose_c.h has one for tiles of TRANSPOSED_TILE bytes. */
SHARED struct tiling transpose_tiles(int64_t beside, int64_t rows, int64_t columns, int most, bool copied)
{
    const int64_t tile_rows = within(TRANSPOSED_LINE / most, beside);
    const bool wide = copied && tile_rows == TRANSPOSED_LINE / most;
    const int bytes = wide ? TRANSPOSED_WIDE : TRANSPOSED_TILE;
    return tile_by(tile_rows, within(bytes / most / tile_rows / BLOCK * BLOCK, columns), rows, columns);
}


/* Whether the two innermost groups run as rows of groups of 2, 3 or 4, of which loads with two strides gather a tile's
 * part at once. That is faster than expanding several groups, where rows are long. `flat` and `nested` are
 * runs_flat's. */
SHARED bool interleaves(const struct grouping *groups, bool flat, bool nested)
{
    const int inner = groups->count - 1;
    return flat && nested && groups->extents[inner] <= INTERLEAVED_MOST &&
           groups->extents[inner] * groups->extents[inner - 1] >= LONG_ROW;
}

/* Whether an access steps through the two innermost groups as through one. */
static bool is_even(const struct grouping *groups, int a)
{
    const int inner = groups->count - 1;
    return group_strides(groups, inner - 1)[a] == groups->extents[inner] * group_strides(groups, inner)[a];
}

/* Whether the offsets of elements within group `first` and following fit an int. */
static bool fits_int(const struct grouping *groups, int first, int a)
{
    int64_t reach = 0;
    for (int i = first; i < groups->count; i++) {
        const int64_t stride = group_strides(groups, i)[a], step = stride < 0 ? -stride : stride;
        if (step > INT32_MAX || groups->extents[i] > INTERLEAVED_ROOM)
            return false;
        reach += step * (groups->extents[i] - 1);
    }
    return reach <= INT32_MAX;
}

/* Joins the two innermost groups where they are short, as of pixels that are repeated, and all that is not one step
 * along both are loads that can be interleaved. folded->strides are there, as many as there are. */
SHARED bool fold(const struct grouping *groups, int loads, struct grouping *folded)
{
    enum { BYTES = 16 };
    const int inner = groups->count - 1;
    const int64_t both = inner < 2 ? 0 : groups->extents[inner] * groups->extents[inner - 1];
    int64_t *const strides = folded->strides;
    bool some = false;
    if (inner < 2 || both > INTERLEAVED_ROOM || both * groups->extents[inner - 2] < LONG_ROW)
        return false;
    for (int a = 0; a < groups->accesses; a++) {
        const bool may = a < loads && group_strides(groups, inner - 2)[a] && both * groups->sizes[a] <= BYTES;
        if (groups->walks[a] || (!is_even(groups, a) && !may) || !fits_int(groups, inner - 1, a))
            return false;
        some = some || !is_even(groups, a);
    }
    *folded = *groups;
    folded->strides = strides;
    folded->count = inner;
    folded->extents[inner - 1] = both;
    for (int g = 0; g < inner; g++)
        for (int a = 0; a < groups->accesses; a++)
            group_strides(folded, g)[a] = group_strides(groups, g < inner - 1 ? g : inner)[a];
    return some;
}

/* Makes loads with two strides interleaved: offsets[a] become those of a group's elements, along the last group or,
 * where that is `folded`, two. Returns whether there are any. */
SHARED bool interleave_loads(const struct grouping *groups, bool folded, int loads, int64_t period,
                             unsigned char *kinds, int (*offsets)[INTERLEAVED_ROOM])
{
    const int inner = groups->count - 1;
    bool interleaved = false;
    for (int a = 0; a < loads; a++) {
        if (folded && !is_even(groups, a))
            kinds[a] = ACCESS_NESTED;
        if (kinds[a] != ACCESS_NESTED || period > INTERLEAVED_ROOM || !fits_int(groups, inner - folded, a))
            continue;
        for (int64_t c = 0; c < period; c++) {
            const int64_t above = folded ? c / groups->extents[inner] : 0, rest = c - above * groups->extents[inner];
            offsets[a][c] = (int)((folded ? above * group_strides(groups, inner - 1)[a] : 0) +
                                  rest * group_strides(groups, inner)[a]);
        }
        kinds[a] = ACCESS_INTERLEAVED;
        interleaved = true;
    }
    return interleaved;
}

/* Tiles that begin with a group. */
SHARED struct tiling interleave_tiles(int64_t rows, int64_t columns)
{
    enum { WHOLE = 3 * BLOCK };    /* a multiple of 2, 3, 4, 6 and 8 */
    const int64_t tile_columns = within(TILE / WHOLE * WHOLE, columns);
    return tile_by(within(TILE / tile_columns, rows), tile_columns, rows, columns);
}


/* Rows whose loads may be deinterleaved: strides and kinds as in struct rows; same[a]: the first load of the same
 * tensor. */
struct parting {
    int loads, groups;
    const int *same;
    int64_t *strides;
    unsigned char *kinds;
    unsigned char *unread;         /* [loads] of a load with others that it does not go together with: elements of a
                                      step that none reads; NULL: nobody asks */
};

static int64_t *strides_of(const struct parting *p, int a)
{
    return p->strides + (ptrdiff_t)a * (p->groups + 2);
}

/* Whether load b is one of those that may be deinterleaved together with load a. */
static bool goes_with(const struct grouping *groups, const struct parting *p, int a, int b)
{
    bool same = p->kinds[b] == ACCESS_STRIDED && !groups->walks[b] && p->same[a] == p->same[b];
    for (int i = 0; same && i <= p->groups; i++)
        same = strides_of(p, a)[i] == strides_of(p, b)[i];
    return same;
}

static void set_deinterleaved(const struct grouping *groups, const struct parting *p, int a, int64_t low)
{
    p->kinds[a] = ACCESS_DEINTERLEAVED;
    strides_of(p, a)[p->groups + 1] = groups->starts[a] - low;
}

/* Makes load a deinterleaved, and those that go with it, if together they read every element of what they step over. */
static void part_load(const struct grouping *groups, const struct parting *p, int a)
{
    const int64_t step = strides_of(p, a)[p->groups];
    const int size = groups->sizes[a];
    int64_t low = groups->starts[a], parts = step % size ? 0 : step / size;
    unsigned found = 0;
    int count = 0;
    if (parts < 2 || parts > (size < 8 ? DEINTERLEAVED_MOST : 3))
        return;
    for (int b = 0; b < p->loads; b++)
        if (goes_with(groups, p, a, b) && groups->starts[b] < low)
            low = groups->starts[b];
    for (int b = 0; b < p->loads; b++) {
        const int64_t from = groups->starts[b] - low;
        if (!goes_with(groups, p, a, b))
            continue;
        if (from >= step || from % size)
            return;
        found |= 1u << from / size;
        count++;
    }
    if (found != (1u << parts) - 1) {
        for (int64_t i = 0; p->unread && count > 1 && i < parts; i++)
            p->unread[a] += !(found >> i & 1);
        return;
    }
    for (int b = p->loads - 1; b >= 0; b--)
        if (b != a && goes_with(groups, p, a, b))
            set_deinterleaved(groups, p, b, low);
    set_deinterleaved(groups, p, a, low);
}

/* Finds loads of the same tensor that are made together; of a tensor there is one such set. The last stride of each
 * becomes by how many bytes it is behind the first of its set. */
SHARED void part_loads(const struct grouping *groups, const struct parting *p)
{
    for (int a = 0; a < p->loads; a++) {
        bool deinterleaved = false;
        for (int b = 0; b < a; b++)
            deinterleaved = deinterleaved || (p->kinds[b] == ACCESS_DEINTERLEAVED && p->same[a] == p->same[b]);
        if (!deinterleaved && goes_with(groups, p, a, a))
            part_load(groups, p, a);
    }
}

/* Elements before and behind the first one. */
struct reach {
    int64_t low, high;
    bool empty, dense;             /* dense: row-major without gaps */
};

/* Resolves strides (`given` NULL: dense row-major), 0 where an extent is 0 or 1: they are never taken, and any
 * is allowed. NULL, or what is wrong. */
SHARED const char *tensor_reach(int rank, const int64_t *shape, const int64_t *given, int64_t *strides,
                                struct reach *reach)
{
    const int64_t most = INT64_MAX / 16; /* elements: their bytes can be counted, too */
    int64_t dense = 1, distance;
    *reach = (struct reach){.dense = true};
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t extent = shape[d], stride = given ? given[d] : dense;
        if (extent < 0)
            return "an extent is negative";
        reach->empty = reach->empty || extent == 0;
        strides[d] = extent <= 1 ? 0 : stride;
        if (extent <= 1)
            continue;
        reach->dense = reach->dense && stride == dense;
        if (OVERFLOWS(dense, extent, &dense) || dense > most)
            return "it has more elements than memory can hold";
        if (OVERFLOWS(extent - 1, stride, &distance) || distance > most || distance < -most)
            return "its strides reach further than memory does";
        reach->low += distance < 0 ? distance : 0;
        reach->high += distance > 0 ? distance : 0;
        if (reach->high - reach->low > most)
            return "its strides reach further than memory does";
    }
    return NULL;
}

static int64_t size_of_stride(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Sorts dimensions by the size of their stride; an injective layout has each stride at least as large
 * as what the smaller ones span. Layouts that interleave otherwise are taken as overlapping. */
SHARED bool lies_on_itself(int rank, const int64_t *shape, const int64_t *strides)
{
    int order[32], count = 0;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 0)
            return false;
        if (shape[d] == 1)
            continue;
        const int64_t stride = size_of_stride(strides[d]);
        int at = count++;
        for (; at > 0 && size_of_stride(strides[order[at - 1]]) > stride; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    int64_t span = 1;
    for (int i = 0; i < count; i++) {
        const int64_t stride = size_of_stride(strides[order[i]]);
        if (stride < span)
            return true;
        span = stride * (shape[order[i]] - 1) + span;
    }
    return false;
}

/* The greatest common divisor of `step` and all strides in bytes; 0: there are none. */
SHARED int64_t common_step(int rank, const int64_t *shape, const int64_t *strides, int64_t size, int64_t step)
{
    for (int d = 0; d < rank; d++) {
        int64_t x = shape[d] > 1 ? size_of_stride(strides[d]) * size : 0;
        while (x) {
            const int64_t rest = step % x;
            step = x;
            x = rest;
        }
    }
    return step;
}

/* Whether elements of `size` bytes that are multiples of `step` apart never meet those of `other` bytes which
 * begin `offset` bytes further: the even and the odd columns of one buffer, say. */
SHARED bool never_meet(int64_t offset, int64_t step, int64_t size, int64_t other)
{
    if (step == 0)
        return false;
    offset %= step;
    offset += offset < 0 ? step : 0;
    return offset >= size && offset + other <= step;
}

/* What a launch moves. */
struct traffic {
    double touched, stored;        /* bytes; the outputs' among them */
    bool joins, transposes, interleaves; /* whether it reduces, transposes, gathers groups */
    bool alone;                    /* it reads nothing but constants */
};

/* How many bytes before their use inputs that caches do not hold are prefetched; 0: not at all. */
SHARED int64_t fetched_ahead(const struct traffic *traffic)
{
    const bool reads = traffic->joins || traffic->transposes || traffic->interleaves;
    return traffic->touched >= (reads ? READ_BYTES : FETCHED_BYTES) ? FETCH_AHEAD : 0;
}

/* Whether outputs bypass the caches, since a plain store would read the line first. */
SHARED bool is_streamed(const struct traffic *traffic)
{
    return traffic->stored >= (traffic->interleaves  ? STREAMED_INTERLEAVED
                               : traffic->transposes ? STREAMED_TRANSPOSED
                               : traffic->alone ? STREAMED_ALONE
                                                : STREAMED_BYTES);
}

/* Whether lines of outputs that do not bypass the caches are fetched before they are written. */
SHARED bool is_claimed(const struct traffic *traffic)
{
    return traffic->transposes && traffic->stored >= CLAIMED_TRANSPOSED;
}

/* The sample of the first tile. */
SHARED const struct weft_sample *find_sample(const struct weft_args *args, long long tile)
{
    const struct weft_sample *sample = args->samples;
    for (long long count = args->sample_count; count > 1;) {
        const long long half = count / 2;
        if (sample[half].first_tile <= tile)
            sample += half, count -= half;
        else
            count = half;
    }
    return sample;
}

/* The number of the next tile in its sample, or -1. */
SHARED long long step_tile(const struct weft_args *args, struct weft_tile *tile)
{
    if (tile->next >= tile->end)
        return -1;
    if (!tile->sample)
        tile->sample = find_sample(args, tile->next);
    const struct weft_sample *const last = args->samples + args->sample_count - 1;
    while (tile->sample < last && tile->sample[1].first_tile <= tile->next)
        tile->sample++;
    return tile->next++ - tile->sample->first_tile;
}

/* Quotients of small numbers are often 0. */
SHARED long long divided(long long number, long long by, long long *rest)
{
    const long long quotient = number < by ? 0 : number / by;
    *rest = number - quotient * by;
    return quotient;
}

SHARED int next_tile(const struct weft_args *args, struct weft_band *band)
{
    const long long tile = step_tile(args, &band->tile);
    if (tile < 0)
        return 0;
    const struct weft_geometry *const s = band->tile.sample->geometry;
    const long long above = s->row_tiles == 1 ? tile : tile / s->row_tiles, row = above * s->tile_rows;
    band->next = row;
    band->stop = row + s->tile_rows < s->rows ? row + s->tile_rows : s->rows;
    band->column0 = (tile - above * s->row_tiles) * s->tile_columns;
    for (long long g = s->groups, rest = row; g-- > 0;)
        rest = divided(rest, s->extents[g], &band->at[g]);
    return 1;
}

/* Of rows that are not all equally long, the last of a group is a band of its own. */
SHARED int next_band(const struct weft_args *args, struct weft_band *band)
{
    band->fresh = band->next >= band->stop;
    if (band->fresh && !next_tile(args, band))
        return 0;
    const struct weft_geometry *const s = band->tile.sample->geometry;
    const long long inner = s->groups - 1, *const extents = s->extents;
    long long columns = s->columns, more = 1;
    band->start = band->tile.sample->bases;
    band->step = s->strides;
    for (long long k = 0; k < band->accesses && inner >= 0; k++) {
        const long long *const strides = s->strides + k * (s->groups + 2);
        char *p = band->tile.sample->bases[k];
        for (long long g = 0; g <= inner; g++)
            p += band->at[g] * strides[g];
        band->room[k] = p;
        band->steps[k] = strides[inner];
    }
    if (inner >= 0) {
        band->start = band->room;
        band->step = band->steps;
        more = extents[inner] - band->at[inner];
        if (s->last_columns && s->last_columns != columns) {
            columns = more == 1 ? s->last_columns : columns;
            more = more > 1 ? more - 1 : 1;
        }
    }
    band->column1 = band->column0 + s->tile_columns < columns ? band->column0 + s->tile_columns : columns;
    band->rows = more < band->stop - band->next ? more : band->stop - band->next;
    band->next += band->rows;
    for (long long g = inner, steps = band->rows; g >= 0 && (band->at[g] += steps) == extents[g]; g--, steps = 1)
        band->at[g] = 0;
    return 1;
}

SHARED long long find_rows(const struct weft_sample *sample, long long row, char **p, long long *step, long long access,
                           long long accesses)
{
    const struct weft_geometry *const s = sample->geometry;
    const long long inner = s->groups - 1;
    long long rows = 1;
    for (long long k = 0; k < accesses; k++) {
        p[k] = sample->bases[access + k];
        step[k] = inner < 0 ? 0 : s->strides[(access + k) * (s->groups + 2) + inner];
    }
    for (long long g = inner, at; g >= 0; g--) {
        row = divided(row, s->extents[g], &at);
        rows = g == inner ? s->extents[g] - at : rows;
        for (long long k = 0; k < accesses && at; k++)
            p[k] += at * s->strides[(access + k) * (s->groups + 2) + g];
    }
    return rows;
}

SHARED const void *row_at(const struct weft_sample *sample, struct weft_rows *rows, long long access, long long number)
{
    if (number - rows->first < 0 || number - rows->first >= rows->count) {
        rows->first = number;
        rows->count = find_rows(sample, number, &rows->start, &rows->step, access, 1);
    }
    return rows->start + (number - rows->first) * rows->step;
}

SHARED int next_part(const struct weft_args *args, struct weft_part *part)
{
    const long long tile = step_tile(args, &part->tile);
    if (tile < 0)
        return 0;
    const struct weft_lanes *const r = part->tile.sample->geometry->lanes;
    long long window;
    const long long above = divided(divided(tile, r->chunks, &part->chunk), r->windows, &window);
    const long long most = r->chunk * r->block;
    part->point = above * r->together;
    part->points = r->points - part->point < r->together ? r->points - part->point : r->together;
    part->from = window * r->width;
    part->inner = r->inner - part->from < r->width ? r->inner - part->from : r->width;
    part->element = part->chunk * most;
    part->stop = r->elements - part->element < most ? r->elements : part->element + most;
    return 1;
}

/* Joins all points of the part where each is a row of one block, which is joined as it lies in memory. Then none is
 * left. */
SHARED void take_points(const struct weft_args *args, struct weft_run *run)
{
    struct weft_part *const part = &run->part;
    const struct weft_sample *const sample = part->tile.sample;
    const struct weft_geometry *const s = sample->geometry;
    const long long elements = s->lanes->elements, end = part->point + part->points;
    if (!run->join->points || s->lanes->inner > 1 || s->columns != elements || !elements || elements > s->lanes->block)
        return;
    for (long long count; part->point < end; part->point += count) {
        count = find_rows(sample, part->point, run->start, run->step, run->access, 1);
        count = count < end - part->point ? count : end - part->point;
        run->join->points(sample->bases[run->target] + part->point * run->join->size, run->start[0], run->step[0],
                          elements, count, args->ahead);
    }
    part->points = 0;
}

/* Goes to the run's next point, and makes its lanes ready. */
SHARED int next_point(const struct weft_args *args, struct weft_run *run)
{
    for (run->point++; run->point >= run->part.point + run->part.points; run->point = run->part.point) {
        if (!next_part(args, &run->part))
            return 0;
        run->rows = 0;
        run->fresh = 1;
        if (run->direct)
            take_points(args, run);
    }
    const struct weft_sample *const sample = run->part.tile.sample;
    const long long side = run->join && run->join->ordered ? 16 : 64;
    run->block = run->part.element;
    run->blocks = 0;
    run->width = sample->geometry->lanes->lanes * run->part.inner;
    run->pitch = (run->width + side - 1) / side * side;
    run->found = run->met == sample && run->met_point == run->point ? -2 : -1;
    if (run->join)
        run->join->begin(run->lanes, run->pitch, run->part.element < run->part.stop);
    return 1;
}

/* Stores what is left of the point. `single`: its only block is still in the lanes. */
SHARED void leave_point(struct weft_run *run, int single)
{
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_lanes *const r = sample->geometry->lanes;
    const long long place = run->point * r->chunks + run->part.chunk;
    char *const to = sample->bases[run->target];
    if (run->join) {
        run->join->finish(to + run->part.from * run->join->size, run->lanes, run->tree, r, run->part.inner, run->pitch,
                          single ? 0 : run->blocks, place);
        return;
    }
    ((long long *)to)[place] = run->found < 0 ? run->absent : run->found;
    if (run->found >= 0) {
        run->met = sample;
        run->met_point = run->point;
    }
}

/* Joins the block to those before it. Returns whether the point has another one. */
SHARED int end_block(struct weft_run *run)
{
    const struct weft_lanes *const r = run->part.tile.sample->geometry->lanes;
    const int single = run->join && run->join->ordered && run->part.stop - run->part.element <= r->block;
    if (run->join && !single)
        run->join->plant(run->tree, run->lanes, run->pitch, run->blocks);
    run->blocks++;
    run->block += r->block;
    if (run->block < run->part.stop && run->found == -1)
        return 1;
    leave_point(run, single);
    return 0;
}

SHARED void begin_block(const struct weft_args *args, struct weft_run *run)
{
    enum { NEAR_LANES = 4096 };    /* so many are in the nearest cache beside what is read */
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_lanes *const r = sample->geometry->lanes;
    run->element = run->block;
    run->limit = run->part.stop - run->block < r->block ? run->part.stop : run->block + r->block;
    if (run->direct && run->join->fold_rows && run->width > NEAR_LANES && sample->geometry->columns % r->inner == 0)
        run->element = run->join->fold_rows(args, run->lanes, sample, run->access, run->point, run->part.from,
                                            run->part.inner, run->element, run->limit);
}

/* Goes to the next elements that are taken together: all of a block, or one with its inner ones. */
SHARED int next_elements(const struct weft_args *args, struct weft_run *run)
{
    while (run->found != -1 || run->element >= run->limit) {
        if ((!run->part.points || !end_block(run)) && !next_point(args, run))
            return 0;
        begin_block(args, run);
    }
    const struct weft_lanes *const r = run->part.tile.sample->geometry->lanes;
    const long long inner = run->part.inner, next = r->step == 1 ? run->element + 1 : run->limit;
    run->at = run->element * r->inner + run->part.from;
    run->left = (next - run->element) * inner;
    run->lane = r->step == 1 ? (run->element - run->block) % r->lanes * inner : 0;
    run->element = next;
    return 1;
}

SHARED int next_run(const struct weft_args *args, struct weft_run *run)
{
    run->fresh = 0;
    if ((run->found != -1 || run->left <= 0) && !next_elements(args, run))
        return 0;
    const struct weft_sample *const sample = run->part.tile.sample;
    const struct weft_geometry *const s = sample->geometry;
    const long long row = divided(run->at, s->columns, &run->column0) + run->point * s->lanes->rows;
    run->count = s->columns - run->column0 < run->left ? s->columns - run->column0 : run->left;
    run->column1 = run->column0 + run->count;
    run->at += run->count;
    run->left -= run->count;
    if (row - run->first_row < 0 || row - run->first_row >= run->rows) {
        run->first_row = row;
        run->rows = find_rows(sample, row, run->start, run->step, run->access, run->accesses);
    }
    for (long long k = 0; k < run->accesses; k++)
        run->p[k] = run->start[k] + (row - run->first_row) * run->step[k];
    return 1;
}

SHARED long long find_points(const struct weft_sample *sample, long long point, long long most, char **p,
                             long long *step, long long accesses, long long *column)
{
    const struct weft_geometry *const s = sample->geometry;
    const struct weft_lanes *const r = s->lanes;
    const long long outer = s->groups ? s->extents[s->groups - 1] : 1, fewer = s->last_columns / r->elements;
    long long inside, first;
    const long long turn = divided(point, (outer - 1) * r->beside + fewer, &inside);
    const long long row = divided(inside, r->beside, &first), count = (row + 1 < outer ? r->beside : fewer) - first;
    find_rows(sample, turn * outer + row, p, step, 0, accesses);
    *column = first * r->elements;
    return count < most ? count : most;
}

#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ /* which see no masks */
#if defined __clang__
#define PUSH(features) PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define POP PRAGMA(clang attribute pop)
#else
#define PUSH(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define POP PRAGMA(GCC pop_options)
#endif
#define SEVERAL_WIDTHS
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#endif
#ifndef JOINS_OF
#define JOINS_OF(width) 0
#endif
#if defined SEVERAL_WIDTHS
PUSH("avx2")
#define PIECE 32
#define JOINS JOINS_OF(32)
#define pad_block pad_block_32
#define put_block put_block_32
#define fmod_block fmod_block_32
#define kernel_calls kernel_calls_32

#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements from a block to where they belong. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
#if PIECE == 64
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size;
    for (int k = 0; k < bytes; k += PIECE)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)((char *)to + k))
                : "v"(*(const piece *)((const char *)block + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
#else
    memcpy(to, block, (size_t)count * (size_t)size);
#endif
}

/* C's fmod where the quotient is 2^21 or more, in float64 2^50, or none of finite numbers. Of sizes: mx and my are
 * their fractions from 1 to 2, `left` is the difference of their exponents. A step takes the nearest multiple of my
 * from mx * 2^25. The quotient there has 26 bits and the halves of my have 27, so all products and differences are
 * exact, also without fused multiply-adds. */
SHARED void fmod_block(void *r, const void *a, const void *b, int count, int size)
{
    typedef unsigned long long words __attribute__((vector_size(PIECE), may_alias));
    typedef long long signs __attribute__((vector_size(PIECE), may_alias));
    typedef double numbers __attribute__((vector_size(PIECE), may_alias));
    enum { LANES = PIECE / 8, SOME = 64, PIECES = SOME / LANES, STEP = 25 };
    const double limit = size == 4 ? 0x1p21 : 0x1p50;
    const unsigned long long one = 1023ull << 52, infinity = 2047ull << 52, fraction = ~0ull >> 12, sign = 1ull << 63;
    numbers x[PIECES] = {{0}}, y[PIECES] = {{0}}, rest[PIECES], high[PIECES], low[PIECES], inverse[PIECES];
    signs left[PIECES], usual[PIECES];
    words power[PIECES], tiny[PIECES];
    int at[SOME];
    for (int from = 0; from < count; from += SOME) {
        const int some = count - from < SOME ? count - from : SOME;
        long long most = 0;
        int found = 0, pieces;
        for (int j = from; j < from + some; j++) {
            const double of_x = size == 4 ? (double)((const float *)a)[j] : ((const double *)a)[j];
            const double of_y = size == 4 ? (double)((const float *)b)[j] : ((const double *)b)[j];
            const double least = __builtin_fabs(of_y);
            ((double *)x)[found] = of_x;
            ((double *)y)[found] = of_y;
            at[found] = j;
            found += !(__builtin_fabs(of_x) < least * limit) | !(least < (double)__builtin_inff());
        }
        pieces = (found + LANES - 1) / LANES;
        for (int k = 0; k < pieces; k++) {
            const numbers of_x = (numbers)((words)x[k] & ~sign), of_y = (numbers)((words)y[k] & ~sign);
            const words few = (words)(of_x < 0x1p-1022) & 54, fewer = (words)(of_y < 0x1p-1022) & 54; /* subnormal */
            const words mx = (words)(of_x * (numbers)(one + (few << 52)));
            const words my = (words)(of_y * (numbers)(one + (fewer << 52)));
            usual[k] = (signs)((words)(of_x >= of_y) & (words)(of_y > 0) & (words)((words)of_x < infinity));
            left[k] = usual[k] & (signs)((mx >> 52) - few - (my >> 52) + fewer);
            power[k] = my & infinity;
            tiny[k] = one - (fewer << 52);
            rest[k] = (numbers)((mx & fraction) | one);
            const numbers divisor = (numbers)((my & fraction) | one);
            high[k] = (numbers)((words)divisor & ~0ull << 26);
            low[k] = divisor - high[k];
            inverse[k] = 1 / divisor;
            for (int lane = 0; lane < LANES; lane++)
                most = left[k][lane] > most ? left[k][lane] : most;
        }
        for (most += most == 0; most > 0; most -= STEP) {
            for (int k = 0; k < pieces; k++) {
                const signs more = (signs)(left[k] > STEP), step = (more & STEP) | (~more & left[k]);
                const numbers large = rest[k] * (numbers)(((words)step << 52) + one);
                const numbers quotient = large * inverse[k] + 0x1.8p52 - 0x1.8p52;
                rest[k] = large - quotient * high[k] - quotient * low[k];
                left[k] -= step;
            }
        }
        for (int k = 0; k < pieces; k++) {
            const words negative = (words)(rest[k] < 0), divisor = (words)(high[k] + low[k]);
            const numbers positive = rest[k] + (numbers)(negative & divisor);
            const words value = (words)(positive * (numbers)power[k] * (numbers)tiny[k]);
            const words of_x = (words)x[k] & ~sign, of_y = (words)y[k] & ~sign;
            const words whole = (words)(of_x < infinity) & (words)(of_y - 1 < infinity);
            const words other = (whole & of_x) | (~whole & ~0ull << 51); /* a, where b is larger; or NaN */
            x[k] = (numbers)(((words)usual[k] & value) | (~(words)usual[k] & other) | ((words)x[k] & sign));
        }
        for (int k = 0; k < found; k++) {
            if (size == 4)
                ((float *)r)[at[k]] = (float)((const double *)x)[k];
            else
                ((double *)r)[at[k]] = ((const double *)x)[k];
        }
    }
}
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}

#define fmod_block 0 /* no kernel calls it */
#endif

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, next_run, find_points, find_rows, row_at,
                                            pad_block, put_block, fmod_block, JOINS};
    return &calls;
}
#undef PIECE
#undef JOINS
#undef pad_block
#undef put_block
#undef fmod_block
#undef kernel_calls
POP

PUSH("avx512f,avx512bw")
#define PIECE 64
#define JOINS JOINS_OF(64)
#define pad_block pad_block_64
#define put_block put_block_64
#define fmod_block fmod_block_64
#define kernel_calls kernel_calls_64

#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements from a block to where they belong. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
#if PIECE == 64
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size;
    for (int k = 0; k < bytes; k += PIECE)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)((char *)to + k))
                : "v"(*(const piece *)((const char *)block + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
#else
    memcpy(to, block, (size_t)count * (size_t)size);
#endif
}

/* C's fmod where the quotient is 2^21 or more, in float64 2^50, or none of finite numbers. Of sizes: mx and my are
 * their fractions from 1 to 2, `left` is the difference of their exponents. A step takes the nearest multiple of my
 * from mx * 2^25. The quotient there has 26 bits and the halves of my have 27, so all products and differences are
 * exact, also without fused multiply-adds. */
SHARED void fmod_block(void *r, const void *a, const void *b, int count, int size)
{
    typedef unsigned long long words __attribute__((vector_size(PIECE), may_alias));
    typedef long long signs __attribute__((vector_size(PIECE), may_alias));
    typedef double numbers __attribute__((vector_size(PIECE), may_alias));
    enum { LANES = PIECE / 8, SOME = 64, PIECES = SOME / LANES, STEP = 25 };
    const double limit = size == 4 ? 0x1p21 : 0x1p50;
    const unsigned long long one = 1023ull << 52, infinity = 2047ull << 52, fraction = ~0ull >> 12, sign = 1ull << 63;
    numbers x[PIECES] = {{0}}, y[PIECES] = {{0}}, rest[PIECES], high[PIECES], low[PIECES], inverse[PIECES];
    signs left[PIECES], usual[PIECES];
    words power[PIECES], tiny[PIECES];
    int at[SOME];
    for (int from = 0; from < count; from += SOME) {
        const int some = count - from < SOME ? count - from : SOME;
        long long most = 0;
        int found = 0, pieces;
        for (int j = from; j < from + some; j++) {
            const double of_x = size == 4 ? (double)((const float *)a)[j] : ((const double *)a)[j];
            const double of_y = size == 4 ? (double)((const float *)b)[j] : ((const double *)b)[j];
            const double least = __builtin_fabs(of_y);
            ((double *)x)[found] = of_x;
            ((double *)y)[found] = of_y;
            at[found] = j;
            found += !(__builtin_fabs(of_x) < least * limit) | !(least < (double)__builtin_inff());
        }
        pieces = (found + LANES - 1) / LANES;
        for (int k = 0; k < pieces; k++) {
            const numbers of_x = (numbers)((words)x[k] & ~sign), of_y = (numbers)((words)y[k] & ~sign);
            const words few = (words)(of_x < 0x1p-1022) & 54, fewer = (words)(of_y < 0x1p-1022) & 54; /* subnormal */
            const words mx = (words)(of_x * (numbers)(one + (few << 52)));
            const words my = (words)(of_y * (numbers)(one + (fewer << 52)));
            usual[k] = (signs)((words)(of_x >= of_y) & (words)(of_y > 0) & (words)((words)of_x < infinity));
            left[k] = usual[k] & (signs)((mx >> 52) - few - (my >> 52) + fewer);
            power[k] = my & infinity;
            tiny[k] = one - (fewer << 52);
            rest[k] = (numbers)((mx & fraction) | one);
            const numbers divisor = (numbers)((my & fraction) | one);
            high[k] = (numbers)((words)divisor & ~0ull << 26);
            low[k] = divisor - high[k];
            inverse[k] = 1 / divisor;
            for (int lane = 0; lane < LANES; lane++)
                most = left[k][lane] > most ? left[k][lane] : most;
        }
        for (most += most == 0; most > 0; most -= STEP) {
            for (int k = 0; k < pieces; k++) {
                const signs more = (signs)(left[k] > STEP), step = (more & STEP) | (~more & left[k]);
                const numbers large = rest[k] * (numbers)(((words)step << 52) + one);
                const numbers quotient = large * inverse[k] + 0x1.8p52 - 0x1.8p52;
                rest[k] = large - quotient * high[k] - quotient * low[k];
                left[k] -= step;
            }
        }
        for (int k = 0; k < pieces; k++) {
            const words negative = (words)(rest[k] < 0), divisor = (words)(high[k] + low[k]);
            const numbers positive = rest[k] + (numbers)(negative & divisor);
            const words value = (words)(positive * (numbers)power[k] * (numbers)tiny[k]);
            const words of_x = (words)x[k] & ~sign, of_y = (words)y[k] & ~sign;
            const words whole = (words)(of_x < infinity) & (words)(of_y - 1 < infinity);
            const words other = (whole & of_x) | (~whole & ~0ull << 51); /* a, where b is larger; or NaN */
            x[k] = (numbers)(((words)usual[k] & value) | (~(words)usual[k] & other) | ((words)x[k] & sign));
        }
        for (int k = 0; k < found; k++) {
            if (size == 4)
                ((float *)r)[at[k]] = (float)((const double *)x)[k];
            else
                ((double *)r)[at[k]] = ((const double *)x)[k];
        }
    }
}
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}

#define fmod_block 0 /* no kernel calls it */
#endif

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, next_run, find_points, find_rows, row_at,
                                            pad_block, put_block, fmod_block, JOINS};
    return &calls;
}
#undef PIECE
#undef JOINS
#undef pad_block
#undef put_block
#undef fmod_block
#undef kernel_calls
POP
#endif

#define PIECE 16
#define JOINS JOINS_OF(16)
#define kernel_calls kernel_calls_16

#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements from a block to where they belong. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
#if PIECE == 64
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size;
    for (int k = 0; k < bytes; k += PIECE)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)((char *)to + k))
                : "v"(*(const piece *)((const char *)block + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
#else
    memcpy(to, block, (size_t)count * (size_t)size);
#endif
}

/* C's fmod where the quotient is 2^21 or more, in float64 2^50, or none of finite numbers. Of sizes: mx and my are
 * their fractions from 1 to 2, `left` is the difference of their exponents. A step takes the nearest multiple of my
 * from mx * 2^25. The quotient there has 26 bits and the halves of my have 27, so all products and differences are
 * exact, also without fused multiply-adds. */
SHARED void fmod_block(void *r, const void *a, const void *b, int count, int size)
{
    typedef unsigned long long words __attribute__((vector_size(PIECE), may_alias));
    typedef long long signs __attribute__((vector_size(PIECE), may_alias));
    typedef double numbers __attribute__((vector_size(PIECE), may_alias));
    enum { LANES = PIECE / 8, SOME = 64, PIECES = SOME / LANES, STEP = 25 };
    const double limit = size == 4 ? 0x1p21 : 0x1p50;
    const unsigned long long one = 1023ull << 52, infinity = 2047ull << 52, fraction = ~0ull >> 12, sign = 1ull << 63;
    numbers x[PIECES] = {{0}}, y[PIECES] = {{0}}, rest[PIECES], high[PIECES], low[PIECES], inverse[PIECES];
    signs left[PIECES], usual[PIECES];
    words power[PIECES], tiny[PIECES];
    int at[SOME];
    for (int from = 0; from < count; from += SOME) {
        const int some = count - from < SOME ? count - from : SOME;
        long long most = 0;
        int found = 0, pieces;
        for (int j = from; j < from + some; j++) {
            const double of_x = size == 4 ? (double)((const float *)a)[j] : ((const double *)a)[j];
            const double of_y = size == 4 ? (double)((const float *)b)[j] : ((const double *)b)[j];
            const double least = __builtin_fabs(of_y);
            ((double *)x)[found] = of_x;
            ((double *)y)[found] = of_y;
            at[found] = j;
            found += !(__builtin_fabs(of_x) < least * limit) | !(least < (double)__builtin_inff());
        }
        pieces = (found + LANES - 1) / LANES;
        for (int k = 0; k < pieces; k++) {
            const numbers of_x = (numbers)((words)x[k] & ~sign), of_y = (numbers)((words)y[k] & ~sign);
            const words few = (words)(of_x < 0x1p-1022) & 54, fewer = (words)(of_y < 0x1p-1022) & 54; /* subnormal */
            const words mx = (words)(of_x * (numbers)(one + (few << 52)));
            const words my = (words)(of_y * (numbers)(one + (fewer << 52)));
            usual[k] = (signs)((words)(of_x >= of_y) & (words)(of_y > 0) & (words)((words)of_x < infinity));
            left[k] = usual[k] & (signs)((mx >> 52) - few - (my >> 52) + fewer);
            power[k] = my & infinity;
            tiny[k] = one - (fewer << 52);
            rest[k] = (numbers)((mx & fraction) | one);
            const numbers divisor = (numbers)((my & fraction) | one);
            high[k] = (numbers)((words)divisor & ~0ull << 26);
            low[k] = divisor - high[k];
            inverse[k] = 1 / divisor;
            for (int lane = 0; lane < LANES; lane++)
                most = left[k][lane] > most ? left[k][lane] : most;
        }
        for (most += most == 0; most > 0; most -= STEP) {
            for (int k = 0; k < pieces; k++) {
                const signs more = (signs)(left[k] > STEP), step = (more & STEP) | (~more & left[k]);
                const numbers large = rest[k] * (numbers)(((words)step << 52) + one);
                const numbers quotient = large * inverse[k] + 0x1.8p52 - 0x1.8p52;
                rest[k] = large - quotient * high[k] - quotient * low[k];
                left[k] -= step;
            }
        }
        for (int k = 0; k < pieces; k++) {
            const words negative = (words)(rest[k] < 0), divisor = (words)(high[k] + low[k]);
            const numbers positive = rest[k] + (numbers)(negative & divisor);
            const words value = (words)(positive * (numbers)power[k] * (numbers)tiny[k]);
            const words of_x = (words)x[k] & ~sign, of_y = (words)y[k] & ~sign;
            const words whole = (words)(of_x < infinity) & (words)(of_y - 1 < infinity);
            const words other = (whole & of_x) | (~whole & ~0ull << 51); /* a, where b is larger; or NaN */
            x[k] = (numbers)(((words)usual[k] & value) | (~(words)usual[k] & other) | ((words)x[k] & sign));
        }
        for (int k = 0; k < found; k++) {
            if (size == 4)
                ((float *)r)[at[k]] = (float)((const double *)x)[k];
            else
                ((double *)r)[at[k]] = ((const double *)x)[k];
        }
    }
}
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}

#define fmod_block 0 /* no kernel calls it */
#endif

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, next_run, find_points, find_rows, row_at,
                                            pad_block, put_block, fmod_block, JOINS};
    return &calls;
}
#undef PIECE
#undef JOINS
#undef kernel_calls

SHARED const struct weft_calls *choose_calls(void)
{
#if defined SEVERAL_WIDTHS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return kernel_calls_64();
    if (__builtin_cpu_supports("avx2"))
        return kernel_calls_32();
#endif
    return kernel_calls_16();
}

/* The highest one that the processor and the system have. */
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
static int find_level(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !(c >> 29 & 1)) /* the last is F16C */
        return 2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return 3;
    return 4;
}

static int have_level(void)
{
    static int found = 0;
    int have = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (!have)
        __atomic_store_n(&found, have = find_level(), __ATOMIC_RELAXED);
    return have;
}
#else
static int have_level(void)
{
    return 0;
}
#endif

/* The loops that this processor runs: those for what the kernel is compiled for, or the best that is more. */
static int find_loops(const struct kernel *kernel)
{
    const struct built *built = kernel->built;
    const int have = built->count > 1 ? have_level() : 0;
    int best = 0;
    for (int i = 1; i < built->count; i++)
        if (built->levels[i] <= have && built->levels[i] > built->own)
            best = i;
    return best;
}

static _Thread_local struct weft_note weft_last_note;

static int tell(int status, const char *name, const char *text)
{
    weft_last_note = (struct weft_note){status, 0, 0, name, text};
    return status;
}

/* Keeps the remark that comes first in the text. `first` has line 0 before there is one. */
static void keep_first(struct place *first, const struct place *place)
{
    if (!first->line || place->line < first->line || (place->line == first->line && place->column < first->column))
        *first = *place;
}

static int tell_remark(const struct place *first)
{
    if (!first->line)
        return WEFT_KERNEL_OK;
    weft_last_note = (struct weft_note){first->status, first->line, first->column, NULL,
                                        first->status == WEFT_KERNEL_OUT_OF_RANGE
                                            ? "a position lies outside, which gives 0"
                                            : "an integer is divided by zero, which gives 0"};
    return first->status;
}

/* The extents and strides of a tensor. */
static int read_layout(const struct operand *operand, const int64_t *shape, const int64_t *strides,
                       struct tensor *tensor, struct reach *reach)
{
    if (operand->rank && !shape)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its shape is NULL");
    for (int d = 0; d < operand->rank; d++)
        tensor->shape[d] = shape[d];
    const char *wrong = tensor_reach(operand->rank, shape, strides, tensor->strides, reach);
    return wrong ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, wrong) : WEFT_KERNEL_OK;
}

/* `shape` is that of a result where the caller gives none. */
static int read_tensor(const struct operand *operand, const struct weft_array *from, const int64_t *shape,
                       struct tensor *tensor)
{
    struct reach reach;
    tensor->operand = operand;
    tensor->data = from->data;
    tensor->rank = operand->rank;
    const int wrong = read_layout(operand, from->shape ? from->shape : shape, from->strides, tensor, &reach);
    if (wrong)
        return wrong;
    tensor->first = (uintptr_t)from->data + (uintptr_t)reach.low * (uintptr_t)operand->size;
    tensor->end = tensor->first;
    if (reach.empty)
        return WEFT_KERNEL_OK;
    tensor->end += ((uintptr_t)(reach.high - reach.low) + 1) * (uintptr_t)operand->size;
    if (!from->data)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data pointer is NULL");
    return (uintptr_t)from->data % (uintptr_t)operand->alignment
               ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data is not aligned to its elements")
               : WEFT_KERNEL_OK;
}


enum {
    ROUND = 16,                    /* bytes to which memory is aligned */
    STACK_ROOM = 24 << 10          /* bytes on the stack; a call that wants more allocates them */
};

/* Memory of a call. What a copy lends is free again when the copy is gone. */
struct room {
    char *at;
};

static void *lend(struct room *room, int64_t count, size_t size)
{
    void *const lent = room->at;
    room->at += ((size_t)count * size + ROUND - 1) / ROUND * ROUND;
    return lent;
}
#define LEND(room, type, count) ((type *)lend(room, count, sizeof(type)))

/* A sample's operands, and the extents of the call. */
static struct tensor *lend_tensors(struct room *room, const struct kernel *kernel, int64_t **d)
{
    *d = LEND(room, int64_t, kernel->sizes.extents);
    return LEND(room, struct tensor, kernel->inputs + kernel->results);
}

static size_t tensors_room(const struct kernel *kernel)
{
    return (size_t)kernel->sizes.extents * sizeof(int64_t) +
           (size_t)(kernel->inputs + kernel->results) * sizeof(struct tensor) + 2 * ROUND;
}

static bool same_tensors(const struct tensor *a, const struct tensor *b)
{
    bool same = a->data == b->data && a->rank == b->rank && a->operand->size == b->operand->size;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d] && a->strides[d] == b->strides[d];
    return same;
}

/* Whether their elements may share bytes. */
static bool meet(const struct tensor *a, const struct tensor *b)
{
    if (a->first == a->end || b->first == b->end || a->first >= b->end || b->first >= a->end)
        return false;
    const int64_t step = common_step(a->rank, a->shape, a->strides, a->operand->size,
                                     common_step(b->rank, b->shape, b->strides, b->operand->size, 0));
    return !never_meet(b->data - a->data, step, a->operand->size, b->operand->size);
}

/* The extents of a call, and whether its results can be had. */
static int find_extents(const struct kernel *kernel, const struct tensor *tensors, int64_t *d)
{
    const int wrong = kernel->extents(tensors, d);
    if (wrong)
        weft_last_note = kernel->note[wrong];
    for (int r = 0; !wrong && r < kernel->results; r++)
        if (volume(kernel->shape[r].rank, kernel->shape[r].extents, d) < 0)
            return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[kernel->inputs + r].name,
                        "it has more elements than memory can hold");
    return wrong ? weft_last_note.status : WEFT_KERNEL_OK;
}

/* The inputs of one sample, the extents that they give, and the results. */
static int read_sample(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, int64_t sample, struct tensor *tensors, int64_t *d)
{
    int64_t shape[MAX_RANK];
    for (int o = 0; o < kernel->inputs; o++) {
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], NULL, &tensors[o]);
        if (status)
            return status;
        tensors[o].sample = steps[o] ? sample : 0;
    }
    const int wrong = find_extents(kernel, tensors, d);
    for (int r = 0; !wrong && r < kernel->results; r++) {
        const int o = kernel->inputs + r;
        const struct form *form = &kernel->shape[r];
        for (int k = 0; k < form->rank; k++)
            shape[k] = extent(form->extents[k], d);
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], shape, &tensors[o]);
        if (status)
            return status;
        for (int k = 0; k < form->rank; k++)
            if (tensors[o].shape[k] != shape[k])
                return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[o].name, "its shape is not the result's");
    }
    return wrong;
}

/* Whether result `r` may be written although it shares bytes with operand `o`. */
static bool may_meet(const struct kernel *kernel, int r, const struct tensor *result, int o,
                     const struct tensor *other)
{
    return o < kernel->inputs && kernel->replaces[r * kernel->inputs + o] && same_tensors(result, other);
}

static int check_overlap(const struct kernel *kernel, const struct tensor *tensors)
{
    for (int r = 0; r < kernel->results; r++) {
        const struct tensor *result = &tensors[kernel->inputs + r];
        if (lies_on_itself(result->rank, result->shape, result->strides))
            return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name, "its own elements overlap");
        for (int o = 0; o < kernel->inputs + r; o++)
            if (meet(result, &tensors[o]) && !may_meet(kernel, r, result, o, &tensors[o]))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name,
                            "it overlaps a parameter or another result");
    }
    return WEFT_KERNEL_OK;
}

/* The memory of one sample of an operand. */
struct interval {
    uintptr_t first, end;
    int operand;
    int64_t sample;
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether two samples that share a range of bytes may. */
static bool may_share(const struct kernel *kernel, const struct weft_array *const *arrays, const int64_t *steps,
                      const struct interval *x, const struct interval *y, struct room room)
{
    int64_t *d;
    struct tensor *const a = lend_tensors(&room, kernel, &d), *const b = lend_tensors(&room, kernel, &d);
    const struct interval *result = x->operand < kernel->inputs ? y : x, *other = result == x ? y : x;
    if (result->operand < kernel->inputs)
        return true;
    read_sample(kernel, arrays, steps, result->sample, a, d);
    read_sample(kernel, arrays, steps, other->sample, b, d);
    const struct tensor *to = &a[result->operand], *from = &b[other->operand];
    return !meet(to, from) ||
           (result->sample == other->sample && steps[other->operand] &&
            may_meet(kernel, result->operand - kernel->inputs, to, other->operand, from));
}

/* Whether nothing is written that another sample reads or writes. Items are sorted by address, so that only
 * those are compared whose ranges overlap; more than 64 such pairs a sample count as overlapping. */
static int check_items(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, struct interval *items, size_t count, struct room room)
{
    size_t left = 64 * count + 4096, sorted = 1;
    while (sorted < count && items[sorted - 1].first <= items[sorted].first)
        sorted++;
    if (sorted < count)
        qsort(items, count, sizeof *items, compare_intervals);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && items[k].first < items[i].end; k++)
            if (left-- == 0 || !may_share(kernel, arrays, steps, &items[i], &items[k], room))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, kernel->operand[items[i].operand].name,
                            "its samples overlap each other, or those of a parameter or a result");
    return WEFT_KERNEL_OK;
}

static int check_samples(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                         const int64_t *steps, struct room room)
{
    const size_t operands = (size_t)(kernel->inputs + kernel->results);
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&room, kernel, &d);
    size_t count = 0;
    struct interval *items = (size_t)samples > SIZE_MAX / sizeof *items / operands
                                 ? NULL : malloc((size_t)samples * operands * sizeof *items);
    if (!items)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compare the samples' addresses");
    for (int o = 0; o < (int)operands; o++)
        for (int64_t i = 0; i < (steps[o] ? samples : 1); i++) {
            read_sample(kernel, arrays, steps, i, tensors, d);
            if (tensors[o].first != tensors[o].end)
                items[count++] = (struct interval){tensors[o].first, tensors[o].end, o, i};
        }
    const int status = check_items(kernel, arrays, steps, items, count, room);
    free(items);
    return status;
}

enum { LINE = 64 };                /* bytes: two threads do not write into the same */

/* Whether a sample has no results' elements: there is nothing to compute then, nor what results would share. */
static bool is_empty(const struct kernel *kernel, const struct tensor *tensors)
{
    bool empty = true;
    for (int r = 0; r < kernel->results; r++)
        empty = empty && tensors[kernel->inputs + r].first == tensors[kernel->inputs + r].end;
    return empty;
}

/* The bytes of a sample's temporaries in front of number `count`. */
static size_t place_temporary(const struct kernel *kernel, int count, const int64_t *d)
{
    size_t at = 0;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &kernel->temporary[t];
        const int64_t elements = volume(temporary->shape.rank, temporary->shape.extents, d);
        if (at <= SIZE_MAX / 4)    /* more can never be had */
            at += ((size_t)elements * (size_t)temporary->size + LINE - 1) / LINE * LINE;
    }
    return at;
}

/* One loop on one sample: what a kernel is called with. */
struct plan {
    struct weft_geometry walk;
    long long *extents, *strides;  /* [groups], [accesses][groups + 2] */
    long long *numbers, **maps;    /* [mapped][numbers], [accesses] */
    int (*offset)[INTERLEAVED_ROOM], **offsets; /* [accesses] */
    struct weft_lanes lanes;
    int64_t *starts, *values;      /* [accesses] */
    char **bases;
    int class;
    int64_t tiles;
    double work, touched, stored;
};

static void lend_plan(struct room *room, const struct sizes *sizes, struct plan *plan)
{
    plan->extents = LEND(room, long long, sizes->groups);
    plan->strides = LEND(room, long long, sizes->accesses * (sizes->groups + 2));
    plan->numbers = LEND(room, long long, sizes->mapped * sizes->numbers);
    plan->maps = LEND(room, long long *, sizes->accesses);
    plan->offset = lend(room, sizes->accesses, sizeof *plan->offset);
    plan->offsets = LEND(room, int *, sizes->accesses);
    plan->starts = LEND(room, int64_t, sizes->accesses);
    plan->values = LEND(room, int64_t, sizes->accesses);
    plan->bases = LEND(room, char *, sizes->accesses);
}

static size_t plan_room(const struct sizes *s)
{
    const size_t access = ((size_t)s->groups + 4) * sizeof(long long) + 3 * sizeof(void *) +
                          INTERLEAVED_ROOM * sizeof(int);
    return sizeof(struct plan) + sizeof(long long) * ((size_t)s->groups + (size_t)s->mapped * (size_t)s->numbers) +
           (size_t)s->accesses * access + 10 * ROUND;
}

enum { SAMPLES = 64 };             /* planned at once, at most */

/* A loop's accesses over its space. */
struct views {
    struct shape space, *from, *to; /* [maps] */
    struct index_map *maps;
    struct axis *axes;             /* [open maps][MAX_RANK] */
    int64_t (*strides)[MAX_RANK];  /* [accesses] */
    const int64_t **pointers;
    struct walk *walks, **walk;    /* [mapped], [accesses] */
    struct walk_level *levels;     /* [mapped][levels] */
    int *sizes;
};

static void lend_views(struct room *room, const struct sizes *sizes, struct views *views)
{
    views->from = LEND(room, struct shape, sizes->maps);
    views->to = LEND(room, struct shape, sizes->maps);
    views->maps = LEND(room, struct index_map, sizes->maps);
    views->axes = LEND(room, struct axis, sizes->open_maps * MAX_RANK);
    views->strides = lend(room, sizes->accesses, sizeof *views->strides);
    views->pointers = LEND(room, const int64_t *, sizes->accesses);
    views->walks = LEND(room, struct walk, sizes->mapped);
    views->walk = LEND(room, struct walk *, sizes->accesses);
    views->levels = LEND(room, struct walk_level, sizes->mapped * sizes->levels);
    views->sizes = LEND(room, int, sizes->accesses);
}

static size_t views_room(const struct sizes *s)
{
    const size_t access = MAX_RANK * sizeof(int64_t) + 2 * sizeof(void *) + sizeof(int);
    return (size_t)s->maps * (2 * sizeof(struct shape) + sizeof(struct index_map)) +
           (size_t)s->open_maps * MAX_RANK * sizeof(struct axis) + (size_t)s->accesses * access +
           (size_t)s->mapped * (sizeof(struct walk) + (size_t)s->levels * sizeof(struct walk_level)) + 10 * ROUND;
}

static void evaluate(const struct form *form, const int64_t *d, struct shape *shape)
{
    shape->rank = form->rank;
    for (int k = 0; k < form->rank; k++)
        shape->extents[k] = extent(form->extents[k], d);
}

/* The elements of an operand whose bytes are read as others; false where strides do not allow it. */
SHARED bool reinterpret(const struct tensor *tensor, const struct access *access, struct pieces *pieces)
{
    struct pieces own;
    int64_t strides[MAX_RANK];
    for (int k = 0; k < tensor->rank; k++)
        strides[k] = tensor->strides[k] * access->old;
    pieces_make(&own, tensor->rank, tensor->shape, strides);
    return pieces_reinterpret(&own, access->old, access->size, pieces);
}

/* Whether that can be done with all operands that it is done with. */
static int check_bytes(const struct kernel *kernel, const struct tensor *tensors)
{
    struct pieces pieces;
    for (int p = 0; p < kernel->loops; p++)
        for (int a = 0; a < kernel->loop[p].loads; a++) {
            const struct access *access = &kernel->loop[p].access[a];
            const struct tensor *tensor = access->old ? &tensors[access->index] : NULL;
            if (tensor && tensor->first != tensor->end && !reinterpret(tensor, access, &pieces))
                return tell(WEFT_KERNEL_INPUT_ERROR, tensor->operand->name,
                            "its bytes do not lie together as it is reinterpreted");
        }
    return WEFT_KERNEL_OK;
}

static void view(const struct loop *loop, int a, const struct tensor *tensors, const int64_t *d,
                 struct views *views)
{
    const struct access *access = &loop->access[a];
    const struct tensor *tensor = access->source == FROM_OPERAND ? &tensors[access->index] : NULL;
    const struct shape *to = views->maps[access->map].to;
    struct shape own;
    views->sizes[a] = access->size;
    views->pointers[a] = views->strides[a];
    if (!tensor)
        evaluate(&access->shape, d, &own);
    broadcast_strides(to->rank, to->extents, tensor ? tensor->rank : own.rank,
                      tensor ? tensor->shape : own.extents, tensor ? tensor->strides : NULL, access->size,
                      views->strides[a]);
}

/* The walk of an access that is seen by way of views, or read as another type. */
SHARED void follow(const struct sizes *sizes, const struct loop *loop, int a, const struct tensor *tensors,
                   bool special, struct views *views, int number)
{
    const struct access *access = &loop->access[a];
    const struct shape *to = views->maps[access->map].to;
    struct walk *walk = &views->walks[number];
    struct pieces pieces;
    if (access->old)
        reinterpret(&tensors[access->index], access, &pieces);
    else
        pieces_make(&pieces, to->rank, to->extents, views->strides[a]);
    walk->levels = views->levels + (ptrdiff_t)number * sizes->levels;
    walk_follow(views->maps, access->map, &pieces, walk);
    if (!special && !walk->taken)
        walk_number(walk);
    views->walk[a] = walk;
}

/* Axes with the call's numbers, in `axes`. */
static const struct axis *number_axes(const struct map *map, const int64_t *d, struct axis *axes)
{
    for (int t = 0; t < map->to.rank; t++) {
        const struct slice *slice = &map->axes[t].slice;
        axes[t] = map->axes[t];
        axes[t].slice.start = slice->open & 1 ? d[slice->start] : slice->start;
        axes[t].slice.stop = slice->open & 2 ? d[slice->stop] : slice->stop;
        axes[t].slice.step = slice->open & 4 ? d[slice->step] : slice->step;
    }
    return axes;
}

static void make_views(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                       const int64_t *d, bool special, struct views *views)
{
    int number = 0, opened = 0;
    evaluate(&loop->shape, d, &views->space);
    views->maps[0] = (struct index_map){.parent = -1, .to = &views->space};
    for (int m = 1; m < loop->maps; m++) {
        evaluate(&loop->map[m].from, d, &views->from[m]);
        evaluate(&loop->map[m].to, d, &views->to[m]);
        struct axis *const room = views->axes + (ptrdiff_t)MAX_RANK * opened;
        const struct axis *axes = loop->map[m].open ? number_axes(&loop->map[m], d, room) : loop->map[m].axes;
        opened += loop->map[m].open;
        views->maps[m] = (struct index_map){loop->map[m].parent, &views->from[m], &views->to[m], axes,
                                            loop->map[m].outside, loop->map[m].value};
    }
    for (int a = 0; a < loop->accesses; a++) {
        views->walk[a] = NULL;
        view(loop, a, tensors, d, views);
        if (loop->access[a].map || loop->access[a].old)
            follow(sizes, loop, a, tensors, special, views, number++);
    }
}

static int find_class(const struct loop *loop, const unsigned char *kinds)
{
    int c = 0;
    while (c < loop->classes && memcmp(loop->class[c].kinds, kinds, (size_t)loop->accesses) != 0)
        c++;
    return c;
}

/* Whether there is anything to compute. A reduction of no elements has results. */
static bool has_work(const struct loop *loop, const int64_t *d)
{
    const struct joined *joined = loop->joined;
    if (!joined)
        return volume(loop->shape.rank, loop->shape.extents, d) > 0;
    return extent(joined->points, d) > 0 && extent(joined->inner, d) > 0 &&
           extent(joined->elements, d) >= joined->partial;
}

/* Where points have one element each, a row would hold many points. A group of one element keeps them apart. */
static void part_points(const struct loop *loop, const int64_t *d, struct grouping *groups)
{
    const struct joined *joined = loop->joined;
    if (!joined || extent(joined->points, d) < 2 || extent(joined->elements, d) * extent(joined->inner, d) != 1)
        return;
    groups->extents[groups->count] = 1;
    for (int a = 0; a < groups->accesses; a++)
        group_strides(groups, groups->count)[a] = 0;
    groups->count++;
}

/* How tiles share a loop with reduced dimensions, which has work. */
static struct lane_tiles deal(const struct joined *joined, const int64_t *d)
{
    const int64_t elements = extent(joined->elements, d);
    struct lane_tiles t = deal_lanes(extent(joined->points, d), elements ? elements : 1, extent(joined->inner, d),
                                     joined->ordered, joined->partial ? LANE_COUNT : BLOCK_ELEMENTS);
    t.elements = elements;
    return t;
}

/* Whether a row may have two groups: those of a reduction hold one point. */
static bool may_run_flat(const struct loop *loop)
{
    return !loop->joined || loop->joined->points == 1;
}

static void keep_lanes(const struct lane_tiles *t, struct plan *plan)
{
    plan->lanes = (struct weft_lanes){
        .points = t->points, .elements = t->elements, .inner = t->inner, .rows = plan->walk.rows / t->points,
        .lanes = t->lanes, .block = t->block, .width = t->width, .windows = t->windows, .chunk = t->chunk,
        .chunks = t->chunks, .together = t->together, .step = t->step, .kept = t->kept};
    plan->walk.lanes = &plan->lanes;
    plan->tiles = ((t->points - 1) / t->together + 1) * t->windows * t->chunks;
}


/* A reduction of no elements: nothing is loaded. */
static void plan_nothing(const struct loop *loop, struct plan *plan)
{
    plan->walk = (struct weft_geometry){.columns = 1, .extents = plan->extents, .strides = plan->strides};
    plan->class = loop->classes - 1;
    for (int a = 0; a < loop->accesses; a++)
        plan->starts[a] = 0;
}

static void keep_plan(const struct sizes *sizes, const struct loop *loop, const struct grouping *groups,
                      const struct rows *rows, const struct tiling t, struct plan *plan)
{
    const int first = groups->count - 1 - (rows->period != 0);
    plan->walk = (struct weft_geometry){
        .rows = rows->rows, .columns = rows->columns, .tile_rows = t.tile_rows, .tile_columns = t.tile_columns,
        .row_tiles = t.row_tiles, .period = rows->period, .groups = rows->groups, .extents = plan->extents,
        .strides = plan->strides, .maps = plan->maps};
    plan->tiles = t.tiles;
    for (int i = 0; i < rows->groups; i++)
        plan->extents[i] = rows->extents[i];
    for (int i = 0; i < loop->accesses * (rows->groups + 2); i++)
        plan->strides[i] = rows->strides[i];
    for (int a = 0, number = 0; a < loop->accesses; a++) {
        plan->maps[a] = plan->numbers + (ptrdiff_t)number * sizes->numbers;
        if (groups->walks[a] && ++number)
            make_map(groups, first, first < 0 ? 1 : groups->extents[first], a, plan->maps[a]);
    }
}

/* Finds loads of the same tensor that are made together. */
static void part(const struct loop *loop, const struct grouping *groups, const struct rows *rows, struct room room)
{
    int *const same = LEND(&room, int, loop->loads);
    for (int a = 0; a < loop->loads; a++) {
        const struct access *access = &loop->access[a], *first = loop->access;
        while (first->source != access->source || first->index != access->index || first->size != access->size)
            first++;
        same[a] = (int)(first - loop->access);
    }
    part_loads(groups, &(struct parting){loop->loads, rows->groups, same, rows->strides, rows->kinds, NULL});
}

/* The tiles of rows whose loads gather vectors where they can, if there is a class for these kinds. */
static struct tiling gather(const struct loop *loop, const struct grouping *groups, bool interleaved, bool folded,
                            const struct rows *rows, struct room room, struct plan *plan)
{
    struct tiling tiling = make_tiles(rows->rows, rows->columns);
    if (interleaved && interleave_loads(groups, folded, loop->loads, rows->period, rows->kinds, plan->offset))
        tiling = interleave_tiles(rows->rows, rows->columns);
    for (int a = 0; a < loop->accesses; a++)
        plan->offsets[a] = plan->offset[a];
    const int outer = rows->groups - 1,
              most = rows->period ? 0 : transpose_loads(groups, outer, loop->loads, rows->columns, rows->kinds);
    if (!rows->period)
        part(loop, groups, rows, room);
    plan->class = find_class(loop, rows->kinds);
    return most && plan->class < loop->classes
               ? transpose_tiles(groups->extents[outer], rows->rows, rows->columns, most,
                                 loop->class[plan->class].copied)
               : tiling;
}

/* How a plan's class is looked for: with loads that gather vectors, by plain kinds, or the one for all. */
enum search { GATHERING, PLAIN, GENERAL };

/* False where there is no kernel for the kinds. */
static bool plan_kinds(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                       const int64_t *d, enum search search, struct room room, struct plan *plan)
{
    struct views views;
    const bool special = search != GENERAL;
    const int room_of_groups = sizes->groups * sizes->accesses;
    bool nested = false;
    lend_views(&room, sizes, &views);
    make_views(sizes, loop, tensors, d, special, &views);
    struct grouping groups = {.accesses = loop->accesses, .strides = LEND(&room, int64_t, room_of_groups),
                              .walks = views.walk, .starts = plan->starts, .sizes = views.sizes};
    struct grouping folded = {.strides = LEND(&room, int64_t, room_of_groups)};
    struct rows rows = {.extents = LEND(&room, int64_t, sizes->groups),
                        .strides = LEND(&room, int64_t, sizes->accesses * (sizes->groups + 2)),
                        .kinds = LEND(&room, unsigned char, sizes->accesses)};
    groups_find(&groups, views.space.rank, views.space.extents, count_elements(&views.space), views.pointers);
    groups_stride(&groups, views.space.rank, views.space.extents, views.pointers);
    part_points(loop, d, &groups);
    const bool flat = special && may_run_flat(loop) && runs_flat(&groups, loop->loads, &nested);
    const bool gathers = search == GATHERING, folds = gathers && fold(&groups, loop->loads, &folded);
    make_rows(folds ? &folded : &groups, flat || folds, special, &rows);
    struct tiling tiling = make_tiles(rows.rows, rows.columns);
    if (gathers)
        tiling = gather(loop, &groups, folds || interleaves(&groups, flat, nested), folds, &rows, room, plan);
    else
        plan->class = find_class(loop, rows.kinds);
    if (plan->class == loop->classes)
        return false;
    keep_plan(sizes, loop, folds ? &folded : &groups, &rows, tiling, plan);
    plan->walk.offsets = plan->offsets;
    return true;
}

static void plan_any(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                     const int64_t *d, struct room room, struct plan *plan)
{
    if (!(loop->gathers && plan_kinds(sizes, loop, tensors, d, GATHERING, room, plan)) &&
        !plan_kinds(sizes, loop, tensors, d, PLAIN, room, plan))
        plan_kinds(sizes, loop, tensors, d, GENERAL, room, plan);
}

/* Bytes of what that lends. */
static size_t planning_room(const struct sizes *s)
{
    const size_t access = 2 * (size_t)s->groups * sizeof(int64_t) + ((size_t)s->groups + 2) * sizeof(int64_t) + 1;
    return views_room(s) + (size_t)s->groups * sizeof(int64_t) + (size_t)s->accesses * (access + sizeof(int)) +
           6 * ROUND;
}

/* Bytes, as far as they matter for how they are best moved. */
static void count_traffic(const struct loop *loop, double elements, struct plan *plan)
{
    const char *kinds = loop->class[plan->class].kinds;
    plan->work = elements * loop->weight;
    plan->touched = plan->stored = 0;
    for (int a = 0; a < loop->accesses; a++) {
        const double bytes = kinds[a] == ACCESS_SCALAR ? 0 : elements * loop->access[a].size;
        plan->work += bytes;
        plan->touched += kinds[a] == ACCESS_PERIODIC ? 0 : bytes;
        plan->stored += a < loop->loads || loop->joined ? 0 : bytes;
        for (int b = loop->loads; b < loop->accesses; b++) /* in a cache already, as it was read */
            if (a < loop->loads && plan->bases[a] == plan->bases[b])
                plan->stored = -1e300;
    }
}

#define COUNTED(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, n + 12, n + 13, \
                   n + 14, n + 15

static void make_plan(const struct kernel *kernel, const struct loop *loop, const struct tensor *tensors,
                      const int64_t *d, char *temporaries, struct room room, struct plan *plan)
{
    static const unsigned char bytes[256] = {
        COUNTED(0), COUNTED(16), COUNTED(32), COUNTED(48), COUNTED(64), COUNTED(80), COUNTED(96), COUNTED(112),
        COUNTED(128), COUNTED(144), COUNTED(160), COUNTED(176), COUNTED(192), COUNTED(208), COUNTED(224),
        COUNTED(240)};
    const int64_t elements = volume(loop->shape.rank, loop->shape.extents, d);
    struct lane_tiles tiles = {.chunks = 0};
    plan->tiles = 0;
    plan->work = plan->touched = plan->stored = 0;
    if (!has_work(loop, d) || is_empty(kernel, tensors))
        return;
    if (loop->joined)
        tiles = deal(loop->joined, d);
    for (int a = 0; a < loop->accesses; a++) {
        const struct access *access = &loop->access[a];
        /* a kernel only reads what is const */
        plan->values[a] = access->source == FROM_NUMBER ? d[access->index] : 0;
        plan->bases[a] = access->source == FROM_OPERAND    ? tensors[access->index].data
                         : access->source == FROM_NUMBER   ? (char *)&plan->values[a]
                         : access->source == FROM_CONSTANT ? (char *)(uintptr_t)access->data
                         : access->source == FROM_BYTES    ? (char *)(uintptr_t)bytes
                                  : temporaries + place_temporary(kernel, access->index, d);
    }
    if (tiles.chunks == 1 && loop->joined->alone >= 0)
        plan->bases[loop->accesses - 1] = temporaries + place_temporary(kernel, loop->joined->alone, d);
    if (!elements)
        plan_nothing(loop, plan);
    else
        plan_any(&kernel->sizes, loop, tensors, d, room, plan);
    if (loop->joined)
        keep_lanes(&tiles, plan);
    for (int a = 0; a < loop->accesses; a++)
        plan->bases[a] += plan->starts[a];
    count_traffic(loop, (double)elements, plan);
}

/* The floating-point environment that C programs start with: a -ffast-math build's start-up code makes
 * subnormals 0, and the caller may round otherwise. */
#if defined __SSE__ && defined __GNUC__ && !defined __TINYC__
typedef unsigned environment;

static environment enter(void)
{
    const environment before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}

static void leave(environment before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
typedef fenv_t environment;

static environment enter(void)
{
    environment before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static void leave(environment before)
{
    fesetenv(&before);
}
#endif

/* What a launch is: tiles of some samples. */
struct launch {
    weft_kernel_fn *run;
    struct weft_args args;
    int64_t tiles;
    double work;
    int faults;
    unsigned char *met;            /* [threads][faults] where a division by zero counted */
    size_t scratch;                /* bytes of a thread, rounded up */
    bool threads;                  /* it may run on several */
};

static void run_tiles(const struct launch *launch, int thread, int64_t begin, int64_t end, unsigned char *met)
{
    struct weft_args args = launch->args;
    args.faults = met;
    args.scratch = args.scratch ? args.scratch + (size_t)thread * launch->scratch : NULL;
    launch->run(&args, begin, end);
}

#if defined _OPENMP
/* Work is counted in bytes moved. Measured: waking a sleeping thread takes about as long as SHARE. */
enum { SHARE = 1 << 21, CHUNK = 1 << 20 };

static int count_threads(bool several)
{
    return !several || omp_in_parallel() ? 1 : omp_get_max_threads();
}

/* A thread's share of the tiles; they are taken from a common counter, so it does not matter who is slow. */
static void run_chunks(const struct launch *launch, int64_t chunk)
{
    unsigned char *const met = launch->met + (ptrdiff_t)omp_get_thread_num() * launch->faults;
    const environment before = enter();
#pragma omp for schedule(dynamic)
    for (int64_t begin = 0; begin < launch->tiles; begin += chunk)
        run_tiles(launch, omp_get_thread_num(), begin,
                  begin + chunk < launch->tiles ? begin + chunk : launch->tiles, met);
    leave(before);
}

static void run_launch(const struct launch *launch)
{
    int threads = count_threads(launch->threads);
    if (launch->work < (double)threads * SHARE)
        threads = (int)(launch->work / SHARE);
    if (threads > launch->tiles)
        threads = (int)launch->tiles;
    int64_t chunk = (int64_t)((double)launch->tiles * CHUNK / (launch->work + 1)) + 1;
    if (threads < 2) {
        run_tiles(launch, 0, 0, launch->tiles, launch->met);
        return;
    }
#pragma omp parallel num_threads(threads)
    run_chunks(launch, chunk);
}
#else
static int count_threads(bool several)
{
    (void)several;
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
#endif

/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    const struct weft_array *one;  /* the only sample's; NULL: `arrays` lists them */
    const struct tensor *tensors;  /* of the only sample, where there is one */
    const int64_t *d;
    char *scratch, *temporaries;
    size_t own;                    /* bytes of temporaries of a sample */
    struct place first;            /* the first remark in the text; line 0: none */
    struct room room;
    int level;                     /* which of the loops run */
};

static struct traffic find_traffic(const struct loop *loop, int class, double touched, double stored)
{
    struct traffic traffic = {touched, stored, loop->joined, false, false, true};
    for (int a = 0; a < loop->loads; a++) {
        traffic.transposes = traffic.transposes || loop->class[class].kinds[a] == ACCESS_TRANSPOSED;
        traffic.interleaves = traffic.interleaves || loop->class[class].kinds[a] == ACCESS_INTERLEAVED;
        traffic.alone = traffic.alone && loop->access[a].source == FROM_CONSTANT;
    }
    return traffic;
}

/* Rows of a launch: the samples among `count` plans that this class serves. */
static void launch_class(struct call *call, const struct loop *loop, int class, struct plan *plans, int count,
                         struct room room)
{
    struct weft_sample samples[SAMPLES];
    const int threads = count_threads(call->kernel->built->threads);
    unsigned char *const met = LEND(&room, unsigned char, loop->faults * threads); /* of each thread */
    double touched = 0, stored = 0;
    struct launch launch = {.run = loop->class[class].run[call->level], .faults = loop->faults, .met = met,
                            .threads = call->kernel->built->threads,
                            .scratch = (loop->class[class].scratch + LINE - 1) / LINE * LINE};
    memset(met, 0, (size_t)loop->faults * (size_t)threads);
    for (int i = 0; i < count; i++) {
        if (plans[i].class != class || plans[i].tiles == 0)
            continue;
        samples[launch.args.sample_count++] = (struct weft_sample){launch.tiles, &plans[i].walk, plans[i].bases};
        launch.tiles += plans[i].tiles;
        launch.work += plans[i].work;
        touched += plans[i].touched;
        stored += plans[i].stored;
    }
    if (!launch.tiles)
        return;
    launch.args.calls = choose_calls();
    launch.args.samples = samples;
    launch.args.scratch = launch.scratch ? call->scratch : NULL;
    const struct traffic traffic = find_traffic(loop, class, touched, stored);
    launch.args.ahead = fetched_ahead(&traffic);
    launch.args.stream = is_streamed(&traffic);
    launch.args.claim = is_claimed(&traffic);
    run_launch(&launch);
    for (int f = 0; f < loop->faults * threads; f++)
        if (met[f])
            keep_first(&call->first, &loop->fault[f % loop->faults]);
}

/* All loops on samples from `begin` on. */
static void run_samples(struct call *call, int64_t begin, int count)
{
    const struct kernel *const kernel = call->kernel;
    struct room room = call->room;
    int64_t *own_d;
    struct tensor *const own = lend_tensors(&room, kernel, &own_d);
    const struct tensor *const tensors = call->tensors ? call->tensors : own;
    const int64_t *const d = call->tensors ? call->d : own_d;
    struct plan *const plans = LEND(&room, struct plan, count);
    for (int i = 0; i < count; i++)
        lend_plan(&room, &kernel->sizes, &plans[i]);
    for (int p = 0; p < kernel->loops; p++) {
        const struct loop *loop = &kernel->loop[p];
        for (int i = 0; i < count; i++) {
            if (!call->tensors)
                read_sample(kernel, call->arrays, call->steps, begin + i, own, own_d);
            make_plan(kernel, loop, tensors, d,
                      call->temporaries ? call->temporaries + (size_t)i * call->own : NULL, room, &plans[i]);
        }
        for (int c = 0; c < loop->classes; c++)
            launch_class(call, loop, c, plans, count, room);
    }
}

static size_t most_scratch(const struct kernel *kernel)
{
    size_t most = 0;
    for (int p = 0; p < kernel->loops; p++)
        for (int c = 0; c < kernel->loop[p].classes; c++)
            if (kernel->loop[p].class[c].scratch > most)
                most = kernel->loop[p].class[c].scratch;
    return (most + LINE - 1) / LINE * LINE;
}

/* Checks every sample; *own becomes the bytes that temporaries of a sample take at most. */
static int check_call(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                      const int64_t *steps, struct tensor *tensors, int64_t *d, struct room room, size_t *own)
{
    for (int64_t i = 0; i < samples; i++) {
        int status = read_sample(kernel, arrays, steps, i, tensors, d);
        status = status ? status : check_overlap(kernel, tensors);
        status = status ? status : check_bytes(kernel, tensors);
        if (status)
            return status;
        const size_t needed = is_empty(kernel, tensors) ? 0 : place_temporary(kernel, kernel->temporaries, d);
        *own = needed > *own ? needed : *own;
    }
    return samples > 1 ? check_samples(kernel, samples, arrays, steps, room) : WEFT_KERNEL_OK;
}

static int check_arguments(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays)
{
    if (samples < 0)
        return tell(WEFT_KERNEL_INVALID_ARGUMENT, NULL, "the number of samples is negative");
    for (int o = 0; samples && o < kernel->inputs + kernel->results; o++)
        if (!arrays[o])
            return tell(WEFT_KERNEL_INVALID_ARGUMENT, kernel->operand[o].name, "its samples are NULL");
    return WEFT_KERNEL_OK;
}

/* Samples that are planned together, with memory of about 16 KB. */
static int64_t planned_together(const struct kernel *kernel, int64_t samples)
{
    const int64_t fit = 16384 / (int64_t)plan_room(&kernel->sizes), most = fit < 1 ? 1 : fit < SAMPLES ? fit : SAMPLES;
    return samples < most ? samples : most;
}

static void run_all(struct call *call, int64_t samples)
{
    const int64_t most = planned_together(call->kernel, samples);
    for (int64_t i = 0; i < samples; i += most)
        run_samples(call, i, (int)(samples - i < most ? samples - i : most));
}

/* What the kernels are lent; nothing fails any more once they run. */
static int run_checked(struct call *call, int64_t samples)
{
    const size_t scratch = most_scratch(call->kernel) * (size_t)count_threads(call->kernel->built->threads);
    const size_t together = (size_t)planned_together(call->kernel, samples);
    const bool fits = call->own <= SIZE_MAX / 2 / SAMPLES;
    const size_t bytes = scratch + (fits ? call->own * together : 1);
    char *memory = bytes && fits ? malloc(bytes + LINE) : NULL;
    if (bytes && !memory)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory for values that are computed once");
    call->scratch = memory ? memory + -(uintptr_t)memory % LINE : NULL;
    call->temporaries = memory ? call->scratch + scratch : NULL;
    run_all(call, samples);
    free(memory);
    return tell_remark(&call->first);
}

/* Loops that may not run; the environment is ours. */
static int check_loops(const struct call *call)
{
    return call->kernel->built->fuses[call->level]()
               ? tell(WEFT_KERNEL_UNSUPPORTED, NULL, "its source was compiled with -ffp-contract=fast, "
                                                     "which changes results; compile it without")
               : WEFT_KERNEL_OK;
}

/* The bytes that a call is lent. */
static size_t call_room(const struct kernel *kernel, int64_t samples)
{
    const size_t plans = (size_t)planned_together(kernel, samples) * plan_room(&kernel->sizes);
    return 4 * tensors_room(kernel) + plans + planning_room(&kernel->sizes) +
           (size_t)kernel->sizes.faults * (size_t)count_threads(kernel->built->threads) +
           (size_t)(kernel->inputs + kernel->results) * (sizeof(void *) + sizeof(int64_t)) + 4 * ROUND;
}

/* A sample alone, as a list of samples. */
static void list_one(struct call *call)
{
    const int operands = call->kernel->inputs + call->kernel->results;
    const struct weft_array **const arrays = LEND(&call->room, const struct weft_array *, operands);
    int64_t *const steps = LEND(&call->room, int64_t, operands);
    for (int o = 0; o < operands; o++) {
        arrays[o] = &call->one[o];
        steps[o] = 0;
    }
    call->arrays = arrays;
    call->steps = steps;
}

static int run_in_room(struct call *call, int64_t samples)
{
    if (call->one)
        list_one(call);
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&call->room, call->kernel, &d);
    const environment before = enter();
    int status = check_loops(call);
    status = status ? status : check_call(call->kernel, samples, call->arrays, call->steps, tensors, d, call->room,
                                          &call->own);
    if (samples == 1)
        call->tensors = tensors, call->d = d;
    status = status ? status : run_checked(call, samples);
    leave(before);
    return status;
}

static int run_call(struct call *call, int64_t samples, struct weft_note *note)
{
    _Alignas(ROUND) char own[STACK_ROOM];
    const size_t bytes = call_room(call->kernel, samples);
    char *const memory = bytes > sizeof own ? malloc(bytes) : own;
    call->room.at = memory;
    call->level = find_loops(call->kernel);
    const int status = memory ? run_in_room(call, samples)
                              : tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to plan the call");
    if (memory != own)
        free(memory);
    if (status)
        *note = weft_last_note;
    return status;
}

/* Sample i of operand o is arrays[o][i * steps[o]]. */
ENTRY int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                   const int64_t *steps, struct weft_note *note)
{
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps};
    const int status = check_arguments(kernel, samples, arrays);
    if (status)
        *note = weft_last_note;
    return status ? status : run_call(&call, samples, note);
}

/* One sample: `arrays` has an array of each operand. */
ENTRY int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, struct weft_note *note)
{
    struct call call = {.kernel = kernel, .one = arrays};
    return run_call(&call, 1, note);
}


/* Extents of the results from those of the parameters, and from the values of sizes. */
static int infer_in_room(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                         int64_t *const *results, struct room room)
{
    struct reach reach;
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&room, kernel, &d);
    const environment before = enter();
    int status = WEFT_KERNEL_OK;
    for (int i = 0; !status && i < kernel->inputs; i++)
        tensors[i].data = (char *)(uintptr_t)values[i], /* only read */
        tensors[i].sample = 0,
        status = read_layout(&kernel->operand[i], inputs[i], NULL, &tensors[i], &reach);
    status = status ? status : find_extents(kernel, tensors, d);
    for (int r = 0; !status && r < kernel->results; r++)
        if (kernel->shape[r].rank && !results[r])
            status = tell(WEFT_KERNEL_INPUT_ERROR, kernel->operand[kernel->inputs + r].name, "its shape is NULL");
    for (int r = 0; !status && r < kernel->results; r++)
        for (int k = 0; k < kernel->shape[r].rank; k++)
            results[r][k] = extent(kernel->shape[r].extents[k], d);
    leave(before);
    return status;
}

ENTRY int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                     int64_t *const *results, struct weft_note *note)
{
    _Alignas(ROUND) char own[STACK_ROOM];
    const size_t bytes = tensors_room(kernel);
    char *const memory = bytes > sizeof own ? malloc(bytes) : own;
    const int status = memory ? infer_in_room(kernel, inputs, values, results, (struct room){memory})
                              : tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compute extents");
    if (memory != own)
        free(memory);
    if (status)
        *note = weft_last_note;
    return status;
}
#endif
