/* The arguments of a kernel that computes in chunks, as words of 8 bytes in the order of templates/kernel/args_cuda.h:
 * one text for the library, which includes it, and for ahead-of-time sources, which carry it. Before it: SHARED,
 * launch_args.h, the struct weft_geometry of templates/kernel/args.h, and FORM, a struct that has the members of
 * compiler/loop/form.h's that are read here. Addresses are the device's. */

//: words
/* n * 2^bits / d for n below d, of whole numbers. */
static uint64_t shifted_quotient(uint64_t n, uint64_t d, int bits)
{
    uint64_t quotient = 0;
    if (bits == 32)
        return (n << 32) / d;
    for (int i = 0; i < bits; i++) {
        const bool one = n >= d - n;
        n = one ? n - (d - n) : 2 * n;
        quotient = quotient << 1 | one;
    }
    return quotient;
}

/* For n below 2^31, or 2^63: 2^shift is the first power that is not below the divisor, and multiplier and
 * divisor come out 2^bits * (2^shift - divisor) and a little more. */
static uint64_t *put_divisor(uint64_t *to, int64_t divisor, bool wide)
{
    const uint64_t d = divisor > 1 ? (uint64_t)divisor : 1;
    const int bits = wide ? 64 : 32;
    int shift = 0;
    while (shift < bits - 1 && (uint64_t)1 << shift < d)
        shift++;
    *to++ = d;
    *to++ = shifted_quotient(((uint64_t)1 << shift) - d, d, bits) + 1;
    *to++ = (uint64_t)shift;
    return to;
}

static uint64_t *put_groups(uint64_t *to, const FORM *form, const struct weft_geometry *walk)
{
    to = put_divisor(to, walk->columns, form->wide);
    *to++ = (uint64_t)walk->groups;
    for (int g = 0; g < form->groups; g++)
        to = put_divisor(to, g < walk->groups ? walk->extents[g] : 1, form->wide);
    return to;
}

static uint64_t *put_strides(uint64_t *to, const FORM *form, const struct weft_geometry *walk)
{
    for (int a = 0; a < form->accesses; a++) {
        const long long *strides = walk->strides + (ptrdiff_t)a * (walk->groups + 2);
        for (int g = 0; g < form->groups; g++)
            *to++ = g < walk->groups ? (uint64_t)strides[g] : 0;
        for (int s = 0; s < form->steps; s++)
            *to++ = (uint64_t)strides[walk->groups + s];
    }
    return to;
}

static uint64_t *put_lanes(uint64_t *to, const struct weft_lanes *lanes)
{
    const long long words[] = {lanes->points, lanes->elements, lanes->inner, lanes->lanes, lanes->rows,
                               lanes->width, lanes->windows, lanes->chunk, lanes->chunks, lanes->together};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *to++ = (uint64_t)words[i];
    return to;
}

/* `maps`: for each access the address of its map; NULL where none is mapped. */
SHARED uint64_t *put_geometry(uint64_t *to, const FORM *form, const struct weft_geometry *walk,
                              const uint64_t *maps)
{
    *to++ = (uint64_t)(walk->rows * walk->columns);
    if (form->groups)
        to = put_groups(to, form, walk);
    if (form->flat)
        to = put_divisor(to, walk->period, form->wide);
    to = put_strides(to, form, walk);
    for (int a = 0; form->mapped && a < form->accesses; a++)
        *to++ = maps[a];
    if (walk->lanes)
        to = put_lanes(to, walk->lanes);
    return to;
}

/* How many words put_map writes. */
SHARED size_t map_words(const long long *map, bool bounded)
{
    size_t words = 1;
    for (long long levels = *map++; levels > 0; levels--) {
        words += bounded ? 3 + 7 * (size_t)*map : 2 + 4 * (size_t)*map;
        map += bounded ? 3 + 5 * *map : 2 + 2 * *map;
    }
    return words;
}

/* `map` is one of struct weft_geometry. What stands there piece after piece for all of them together, extents and
 * then strides, stands here for one piece after the other; of an extent there are a divisor's three words. */
SHARED uint64_t *put_map(uint64_t *to, const long long *map, bool bounded, bool wide)
{
    const int values = bounded ? 5 : 2; /* of a piece */
    *to++ = (uint64_t)*map;
    for (long long levels = *map++; levels > 0; levels--) {
        const long long count = *map;
        for (int i = 0; i < (bounded ? 3 : 2); i++)
            *to++ = (uint64_t)*map++;
        for (long long k = 0; k < count; k++) {
            to = put_divisor(to, map[k], wide);
            for (int v = 1; v < values; v++)
                *to++ = (uint64_t)map[v * count + k];
        }
        map += values * count;
    }
    return to;
}

/* Whether no chunk crosses a row. Without outer groups there is one row, and at its end elements are computed
 * singly. */
static bool rows_are_whole(const FORM *form, const struct weft_geometry *walk)
{
    return !walk->groups || walk->columns % form->block == 0;
}

/* Whether all chunks of an access that is dense along rows start at a multiple of their size, or of 16 bytes;
 * `size` is that of an element. */
static bool is_aligned(const FORM *form, const struct weft_geometry *walk, int a, int size, uint64_t base)
{
    const uint64_t bytes = (uint64_t)form->block * (uint64_t)size;
    const long long *strides = walk->strides + (ptrdiff_t)a * (walk->groups + 2);
    for (long long g = 0; g < walk->groups; g++)
        base |= (uint64_t)strides[g];
    return base % (bytes < 16 ? bytes : 16) == 0;
}

/* A sample for a table: `geometry` is the address of the table's geometry for it. */
SHARED uint64_t *put_sample(uint64_t *to, const FORM *form, int64_t first_tile, int64_t dense, uint64_t geometry,
                            const uint64_t *bases)
{
    *to++ = (uint64_t)first_tile;
    *to++ = (uint64_t)dense;
    *to++ = geometry;
    for (int a = 0; a < form->accesses; a++)
        *to++ = bases[a];
    return to;
}

/* Without literals one slot stands all the same: neither C nor C++ has arrays of nothing. */
static uint64_t *put_literals(uint64_t *to, const FORM *form, const struct launch_words *launch)
{
    if (form->literals_loaded || !form->literals)
        *to++ = form->literals_loaded ? launch->literals_address : 0;
    for (int i = 0; !form->literals_loaded && i < form->literals; i++)
        *to++ = launch->literals[i];
    return to;
}

/* All arguments of a launch. The geometry is read where the kernel takes one sample by value. */
SHARED uint64_t *put_args(uint64_t *to, const FORM *form, const struct weft_geometry *walk,
                          const struct launch_words *launch)
{
    *to++ = (uint64_t)launch->tiles;
    *to++ = launch->faults;
    to = put_literals(to, form, launch);
    if (form->many) {
        *to++ = (uint64_t)launch->sample_count;
        *to++ = launch->samples;
        return to;
    }
    *to++ = (uint64_t)launch->dense;
    to = put_geometry(to, form, walk, launch->maps);
    for (int a = 0; a < form->accesses; a++)
        *to++ = launch->bases[a];
    return to;
}

/* Blocks of a launch: at least one. Enough that no SM waits for a block, and so few that blocks without work cost
 * nothing: a block takes further tiles by itself. Of many samples it takes four at once where there are plenty, since
 * it searches for its first sample. */
SHARED unsigned count_blocks(const FORM *form, int64_t tiles)
{
    enum { TOGETHER = 4, PLENTY = 1 << 12, MOST_BLOCKS = 1 << 20 };
    if (form->many && tiles > PLENTY)
        tiles = tiles / TOGETHER > PLENTY ? tiles / TOGETHER : PLENTY;
    return (unsigned)(tiles < 1 ? 1 : tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS);
}
