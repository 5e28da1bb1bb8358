/* See cuda_args.h. */
#include "runtime/cuda_args.h"

/* Enough that no SM waits for a block, and so few that those without work cost nothing: a block takes
 * further tiles by itself. */
enum { MOST_BLOCKS = 1 << 20 };

unsigned cuda_blocks(int64_t tiles)
{
    return (unsigned)(tiles < 1 ? 1 : tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS);
}

static const struct form *form_of(const struct planned *planned)
{
    return &planned->emitted->form;
}

/* ---- geometry ---- */

/* For n below 2^31, or 2^63: 2^shift is the first power that is not below the divisor, and multiplier and
 * divisor come out 2^bits * (2^shift - divisor) and a little more. */
static uint64_t *put_divisor(uint64_t *to, int64_t divisor, bool wide)
{
    uint64_t d = divisor > 1 ? (uint64_t)divisor : 1;
    int shift = 0, bits = wide ? 64 : 32;
    while (shift < bits - 1 && 1ull << shift < d)
        shift++;
    *to++ = d;
    *to++ = (uint64_t)(((unsigned __int128)((1ull << shift) - d) << bits) / d + 1);
    *to++ = (uint64_t)shift;
    return to;
}

static uint64_t *put_groups(uint64_t *to, const struct form *form, const struct weft_geometry *walk)
{
    to = put_divisor(to, walk->columns, form->wide);
    *to++ = (uint64_t)walk->groups;
    for (int g = 0; g < form->groups; g++)
        to = put_divisor(to, g < walk->groups ? walk->extents[g] : 1, form->wide);
    return to;
}

static uint64_t *put_strides(uint64_t *to, const struct form *form, const struct weft_geometry *walk)
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

static uint64_t *put_geometry(uint64_t *to, const struct planned *planned, const uint64_t *maps)
{
    const struct form *form = form_of(planned);
    const struct weft_geometry *walk = &planned->walk;
    *to++ = (uint64_t)(walk->rows * walk->columns);
    if (form->groups)
        to = put_groups(to, form, walk);
    if (form->flat)
        to = put_divisor(to, walk->period, form->wide);
    to = put_strides(to, form, walk);
    for (int a = 0; form->mapped && a < form->accesses; a++)
        *to++ = maps[a];
    return to;
}

void cuda_write_geometry(const struct planned *planned, const uint64_t *maps, uint64_t *words)
{
    put_geometry(words, planned, maps);
}

/* ---- maps ---- */

bool cuda_is_mapped(const struct planned *planned, int access)
{
    return planned->walk.maps && planned->walk.maps[access];
}

/* How many levels; then for each how many pieces, and of each piece, innermost first, a divisor's three
 * words and its stride. */
size_t cuda_map_words(const struct planned *planned, int access)
{
    const long long *from = planned->walk.maps[access];
    size_t words = 1;
    for (long long levels = *from++; levels > 0; levels--) {
        words += 1 + 4 * (size_t)*from;
        from += 1 + 2 * *from;
    }
    return words;
}

void cuda_write_map(const struct planned *planned, int access, uint64_t *words)
{
    const long long *from = planned->walk.maps[access];
    *words++ = (uint64_t)*from;
    for (long long levels = *from++; levels > 0; levels--) {
        const long long count = *from++;
        *words++ = (uint64_t)count;
        for (long long k = 0; k < count; k++) {
            words = put_divisor(words, from[k], form_of(planned)->wide);
            *words++ = (uint64_t)from[count + k];
        }
        from += 2 * count;
    }
}

/* ---- samples and arguments ---- */

/* Whether a chunk never crosses a row, and starts at a multiple of its size, or of 16 bytes, in all that is
 * dense along rows. Without outer groups there is one row, and at its end elements are computed singly. */
static bool is_dense(const struct planned *planned, const uint64_t *bases)
{
    const struct weft_geometry *walk = &planned->walk;
    int64_t block = form_of(planned)->block, groups = walk->groups;
    if (groups && walk->columns % block != 0)
        return false;
    for (int a = 0; a < planned->kernel->access_count; a++) {
        int64_t size = block * type_rows[planned->kernel->accesses[a].dtype].size;
        uint64_t bits = bases[a];
        for (int64_t g = 0; g < groups; g++)
            bits |= (uint64_t)walk->strides[a * (groups + 2) + g];
        if (planned->kinds[a] == ACCESS_UNIT && bits % (uint64_t)(size < 16 ? size : 16) != 0)
            return false;
    }
    return true;
}

void cuda_write_sample(const struct planned *planned, int64_t first_tile, uint64_t geometry,
                       const uint64_t *bases, uint64_t *words)
{
    *words++ = (uint64_t)first_tile;
    *words++ = is_dense(planned, bases);
    *words++ = geometry;
    for (int a = 0; a < planned->kernel->access_count; a++)
        *words++ = bases[a];
}

void cuda_write_literals(const struct planned *planned, uint64_t *words)
{
    for (int i = 0; i < form_of(planned)->literals; i++)
        words[i] = planned->literals[i];
}

/* Where there are none a slot stands all the same: neither C nor C++ has arrays of nothing. */
static uint64_t *put_literals(uint64_t *to, const struct planned *planned, const struct cuda_call *call)
{
    const struct form *form = form_of(planned);
    if (!form->apart)
        cuda_write_literals(planned, to);
    if (form->apart || !form->literals)
        *to = form->apart ? call->literals : 0;
    return to + (form->apart || !form->literals ? 1 : form->literals);
}

void cuda_write_args(const struct planned *planned, const struct cuda_call *call, uint64_t *words)
{
    const struct form *form = form_of(planned);
    *words++ = (uint64_t)call->tiles;
    *words++ = call->faults;
    words = put_literals(words, planned, call);
    if (form->many) {
        *words++ = (uint64_t)call->sample_count;
        *words++ = call->samples;
        return;
    }
    *words++ = is_dense(planned, call->bases);
    words = put_geometry(words, planned, call->maps);
    for (int a = 0; a < form->accesses; a++)
        *words++ = call->bases[a];
}

void cuda_change_args(const struct planned *planned, uint64_t faults, const uint64_t *bases, uint64_t *words)
{
    const struct form *form = form_of(planned);
    uint64_t *to = words + form_args_words(form) - form->accesses;
    words[1] = faults;
    *(to - form_geometry_words(form) - 1) = is_dense(planned, bases);
    memcpy(to, bases, (size_t)form->accesses * sizeof *to);
}
