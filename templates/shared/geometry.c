/* Where elements lie and how a kernel walks them: see geometry.h. One text for the library, which includes
 * it, and for ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: pieces
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

//: reinterpret
/* The bytes of a tensor with these pieces as elements of `size` bytes instead of `old`, in their order;
 * false where they do not lie together, or not at multiples of `size`. */
SHARED bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result)
{
    struct pieces bytes = {.count = 0};
    pieces_add(&bytes, old, 1);
    for (int i = 0; i < pieces->count; i++)
        pieces_add(&bytes, pieces->at[i].extent, pieces->at[i].stride);
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

//: walks
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

/* The element of a dimension of `extent` that a step reads first. */
static int64_t axis_first(const struct index_map *step, const struct axis *axis, int64_t extent)
{
    int64_t first, count;
    if (step->outside)
        return axis->slice.start;
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
};

static struct selection select_dimension(const struct index_map *step, const struct pieces *cut_ones, int t)
{
    const struct axis *axis = &step->axes[t];
    return (struct selection){axis_first(step, axis, step->to->extents[t]), axis->slice.step,
                              piece_outside(cut_ones, step->to, t + 1), piece_outside(cut_ones, step->to, t)};
}

/* Whether the elements that are read of dimension t lie as strides say. Of several pieces these are one alone, or
 * all of them in their order. */
static bool selects_plainly(const struct index_map *step, int t, const struct selection *s)
{
    const int from = step->axes[t].from;
    const int64_t extent = from < 0 ? 1 : step->from->extents[from];
    if (s->end - s->begin <= 1)
        return true;
    if (step->outside)
        return false;
    return extent == 1 || (s->first == 0 && extent == step->to->extents[t]);
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
        const struct selection s = select_dimension(step, &all, t);
        if (!selects_plainly(step, t, &s))
            return false;
        out->offset += place_of(&all, &s);
    }
    for (int d = from->rank - 1; d >= 0; d--) {
        const int t = followed_by(step, d);
        const struct selection s = t < 0 ? (struct selection){0, 1, 0, 0} : select_dimension(step, &all, t);
        const bool one = s.end - s.begin == 1 && from->extents[d] > 1;
        const int64_t stride = one ? s.by * all.at[s.begin].stride : 0;
        if (step->outside)
            out->at[out->count++] = (struct piece){from->extents[d], stride};
        else if (one)
            pieces_add(out, from->extents[d], stride);
        else
            for (int i = s.begin; i < s.end && from->extents[d] > 1; i++)
                pieces_add(out, all.at[i].extent, all.at[i].stride);
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

/* The walk of a tensor whose elements under map number `map` are `tensor`; walk->levels is there. */
SHARED void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor,
                        struct walk *walk)
{
    walk->over = *tensor;
    walk->level_count = 0;
    for (; map; map = maps[map].parent) {
        const struct index_map *step = &maps[map];
        const struct shape *to = maps[step->parent].to;
        struct pieces seen;
        if (!count_elements(step->from))
            continue; /* a bounded step follows, outside which all lies */
        if (step->outside)
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

/* Whether positions may lie outside. */
SHARED bool walk_is_bounded(const struct walk *walk)
{
    for (int i = 0; i < walk->level_count; i++)
        if (walk->levels[i].bounds)
            return true;
    return false;
}

//: groups
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

//: rows
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

SHARED struct tiling make_tiles(int64_t rows, int64_t columns)
{
    struct tiling t;
    t.tile_columns = columns < TILE ? columns : TILE;
    t.tile_columns = t.tile_columns > 0 ? t.tile_columns : 1;
    t.tile_rows = TILE / t.tile_columns;
    t.tile_rows = t.tile_rows < 1 ? 1 : t.tile_rows > rows ? rows : t.tile_rows;
    t.tile_rows = t.tile_rows < 1 ? 1 : t.tile_rows;
    t.row_tiles = (columns + t.tile_columns - 1) / t.tile_columns;
    t.tiles = (rows + t.tile_rows - 1) / t.tile_rows * t.row_tiles;
    return t;
}

//: maps
/* The place in a row of groups `first` and following, of the first `part` elements, as pieces. */
static void row_pieces(const struct grouping *groups, int first, int64_t part, int a, struct pieces *row)
{
    row->count = 0;
    row->offset = groups->walks[a]->over.offset;
    for (int i = groups->count - 1; i >= first && i >= 0; i--)
        pieces_add(row, i == first ? part : groups->extents[i], group_strides(groups, i)[a]);
}

/* n / d, which is greater than 0, rounded towards the greater number. */
static int64_t divide_upwards(int64_t n, int64_t d)
{
    return n / d + (n % d > 0);
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

/* Between which digits piece k of a level lies inside. */
static void level_bounds(const struct walk_level *level, int k, int64_t *low, int64_t *high)
{
    const struct index_map *step = level->bounds;
    *low = 0;
    *high = k < level->pieces.count ? level->pieces.at[k].extent : 1;
    if (!step)
        return;
    const int d = step->from->rank - 1 - k, t = d < 0 ? -1 : followed_by(step, d);
    if (reads_nothing(step))
        *high = 0;
    else if (t >= 0)
        find_bounds(step->axes[t].slice.start, step->axes[t].slice.step, step->to->extents[t], low, high);
}

/* The numbers of one level, as struct weft_geometry says. Returns how many these are; `to` may be NULL. */
static int put_level(const struct walk_level *level, bool bounded, long long *to)
{
    const int own = level->pieces.count, count = own ? own : 1, head = bounded ? 3 : 2;
    for (int k = 0; to && k < count; k++) {
        const struct piece piece = k < own ? level->pieces.at[k] : (struct piece){1, 0};
        int64_t low, high;
        level_bounds(level, k, &low, &high);
        to[head + k] = piece.extent;
        to[head + count + k] = piece.stride;
        if (bounded) {
            to[head + 2 * count + k] = low;
            to[head + 3 * count + k] = high;
        }
    }
    if (to) {
        to[0] = count;
        to[1] = level->pieces.offset;
    }
    if (to && bounded)
        to[2] = level->bounds ? (long long)level->bounds->value : 0;
    return head + (bounded ? 4 : 2) * count;
}

/* What a kernel finds the elements of a mapped or bounded access with: levels, the first of which takes apart the
 * place in the row. Returns how many numbers that is; `to` may be NULL. */
SHARED int make_map(const struct grouping *groups, int first, int64_t part, int a, long long *to)
{
    const struct walk *walk = groups->walks[a];
    const bool bounded = walk_is_bounded(walk);
    struct walk_level row;
    int size = 1;
    row.bounds = NULL;
    row_pieces(groups, first, part, a, &row.pieces);
    if (to)
        to[0] = walk->level_count + 1;
    for (int i = 0; i <= walk->level_count; i++)
        size += put_level(i ? &walk->levels[i - 1] : &row, bounded, to ? to + size : NULL);
    return size;
}
