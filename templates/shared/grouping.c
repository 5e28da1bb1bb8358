/* How a kernel walks elements, behind walk.c: see grouping.h. One text for the library, which includes it, and for
 * ahead-of-time sources, which carry it. SHARED is what a function begins with. */

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

//: maps
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
