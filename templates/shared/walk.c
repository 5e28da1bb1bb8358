/* Where elements lie that are seen by way of access maps: see walk.h. One text for the library, which includes
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
    const enum edge edge = step->outside == OUTSIDE_WRAP ? EDGE_WRAP : axis->edge;
    if (step->outside)
        return axis->slice.has_stop ? extent - step->from->extents[axis->from]
                                    : nearby(axis->slice.start, edge, extent);
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

