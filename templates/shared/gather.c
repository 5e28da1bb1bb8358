/* Loads of which kernels gather vectors: transposed, interleaved and deinterleaved ones, behind grouping.c. One text
 * for the library, which includes it, and for ahead-of-time sources, which carry it. SHARED is what a function begins
 * with. */

//: turn
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
    return (struct tiling){.tile_rows = tile_rows, .tile_columns = tile_columns, .row_tiles = row_tiles,
                           .tiles = divide_upwards(rows, tile_rows) * row_tiles};
}

/* Tiles of as many of the rows that lie `beside` each other as a cache line has elements of `most` bytes. What is only
 * `copied` needs no buffer: templates/kernel/transpose_c.h has one for tiles of twice TRANSPOSED_TILE bytes. These are
 * for results that may go past the caches, where both ends of a tile's row are written plainly. */
SHARED struct tiling transpose_tiles(int64_t beside, int64_t rows, int64_t columns, int most, bool copied)
{
    const int64_t tile_rows = within(TRANSPOSED_LINE / most, beside);
    const bool wide = copied && tile_rows == TRANSPOSED_LINE / most;
    const bool far = (double)rows * (double)columns * most >= STREAMED_TRANSPOSED;
    const int bytes = wide                                                  ? TRANSPOSED_WIDE
                      : far && tile_rows * TRANSPOSED_ROW > TRANSPOSED_TILE ? 2 * TRANSPOSED_TILE
                                                                            : TRANSPOSED_TILE;
    return tile_by(tile_rows, within(bytes / most / tile_rows / BLOCK * BLOCK, columns), rows, columns);
}

//: interleave
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

//: part
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
