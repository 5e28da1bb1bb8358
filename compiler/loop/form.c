/* Implements form.h: chooses chunks, unrolling and threads for CUDA kernels. */
#include "compiler/loop/form.h"

#include "compiler/loop/quotient.h"

#include <string.h>

/* What GPUs and the language give. Tuning: tuning.c, templates/shared/tuning_cuda.h. */
enum {
    CHUNK_BYTES = 16,              /* the widest load there is */
    WORD_BYTES = 4,                /* the narrowest that a narrower chunk's elements are loaded in, not aligned */
    WARP = 32,
    LANES_WORDS = 10,              /* members of struct weft_lanes */
    THREADS_MOST = 1024,           /* of a block */
    RESIDENT_MOST = 2048,          /* threads of a multiprocessor */
    INNER_MOST = 4                 /* inner elements that a text knows: channels */
};

static bool moves(enum access_kind kind)
{
    return !access_is(kind, STAYS) && !access_is(kind, REPEATS);
}

/* Whether the access reads or writes memory throughout, instead of the same elements again. */
static bool streams(const struct geometry *g, int a)
{
    const int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
    bool varies = g->groups == 0;
    for (int i = 0; i < g->groups; i++)
        varies = varies || strides[i] != 0;
    return moves(g->kinds[a]) && varies;
}

bool any_numbered(const struct kernel *kernel, const unsigned char *kinds)
{
    for (int a = 0; a < kernel->load_count; a++)
        if (map_taken_step(kernel->maps, kernel->accesses[a].map))
            return true; /* the text reads their maps even where nothing is computed */
    return any_access_is(kinds, kernel->access_count, NUMBERED);
}

/* The bytes that the loads of one element take, at least 1. */
static int loaded_bytes(const struct kernel *kernel, const unsigned char *kinds)
{
    int bytes = 0;
    for (int a = 0; a < kernel->load_count; a++)
        bytes += moves(kinds[a]) ? type_rows[kernel->accesses[a].dtype].size : 0;
    return bytes ? bytes : 1;
}

/* Halves `value`, a power of two, until it is at most `limit`; at least 1. */
static int most(int value, int limit)
{
    while (value > 1 && value > limit)
        value /= 2;
    return value;
}

/* The widest access that streams. */
static int widest_stream(const struct kernel *kernel, const struct geometry *g)
{
    int widest = 1;
    for (int a = 0; a < kernel->access_count; a++)
        if (streams(g, a) && type_rows[kernel->accesses[a].dtype].size > widest)
            widest = type_rows[kernel->accesses[a].dtype].size;
    return widest;
}

/* A chunk fills 16 bytes of the widest access that streams. Where no access is dense there are no chunks, so that
 * neighbouring threads take neighbouring elements. */
static void choose_chunks(const struct kernel *kernel, const struct geometry *g, struct form *form)
{
    const bool chunks = (g->fast & FAST_CHUNK) && memchr(g->kinds, ACCESS_UNIT, (size_t)kernel->access_count);
    const int block = most(chunks ? CHUNK_BYTES / widest_stream(kernel, g) : 1,
                           CHUNK_LOADS_MOST / loaded_bytes(kernel, g->kinds));
    form->block = most(block, CHUNK_WORK_MOST / (kernel_weight(kernel) + 1));
}

/* How many elements a thread computes at once. Reciprocals are computed once for all of them, and tested, which takes
 * as long as some elements do: there are half as many more then. */
static void choose_elements(const struct kernel *kernel, const struct geometry *g, const struct tuning *tuning,
                            struct form *form)
{
    struct grained *of = ARENA_ARRAY(kernel->arena, struct grained, kernel->ins_count);
    const int quotients = find_quotients(kernel, g->kinds, form, g->fast, of);
    const int bytes = loaded_bytes(kernel, g->kinds), widest = widest_stream(kernel, g), block = form->block;
    const int work = kernel_weight(kernel) + 1 - quotients * (op_weight(OP_DIV, WEFT_FLOAT32) - QUOTIENT_WEIGHT);
    int elements = most(tuning->elements, WORK_MOST / work);
    elements = most(elements, tuning->loads / (bytes > widest ? bytes : widest));
    form->singles = most(block > 1 ? SINGLES_BESIDE : SINGLES, elements);
    elements += quotients ? elements / 2 : 0;
    form->unroll = elements > block ? elements / block : 1;
}

/* Chooses a number of threads for which all chunks of a thread begin at the same place in the period, if there is one.
 * A periodic access is then loaded once for all of them. */
static void choose_threads(const struct geometry *g, const struct tuning *tuning, struct form *form)
{
    static const char eighths[] = {8, 6, 10, 12, 4, 5, 7, 9, 11};
    form->threads = tuning->threads;
    form->period = form->flat && g->period < form->block ? (int)g->period : 0;
    for (size_t i = 0; form->flat && !g->groups && i < sizeof eighths; i++) {
        const int threads = tuning->threads * eighths[i] / 8;
        if (threads % WARP == 0 && threads <= THREADS_MOST && threads * form->block % g->period == 0) {
            form->threads = threads;
            form->repeats = true;
            return;
        }
    }
}

/* What is said beside the text. Where a dense access reads the same row again and again, loads shall stay in L1. */
static void choose_hints(const struct kernel *kernel, const struct geometry *g, const struct tuning *tuning,
                         struct form *form)
{
    form->bounds = tuning->bounds < RESIDENT_MOST / form->threads ? tuning->bounds : RESIDENT_MOST / form->threads;
    form->blocks = tuning->blocks;
    form->hints = tuning->hints;
    for (int a = 0; a < kernel->load_count; a++)
        if (g->kinds[a] == ACCESS_UNIT && !streams(g, a))
            form->hints &= ~HINT_LOADS;
}

static int room_for(int groups)
{
    int room = groups;
    if (groups > EXACT_GROUPS)
        for (room = EXACT_GROUPS + 1; room < groups; room *= 2)
            ;
    return room;
}

static int steps_of(const struct kernel *kernel, const unsigned char *kinds)
{
    int steps = 0;
    for (int a = 0; a < kernel->access_count; a++) {
        const enum access_kind kind = a < kernel->load_count ? kinds[a] : access_rows[kinds[a]].store;
        steps = access_rows[kind].strides > steps ? access_rows[kind].strides : steps;
    }
    return steps;
}

static bool is_wide(const struct kernel *kernel, const struct geometry *g)
{
    return !(g->fast & FAST_INDEX) || g->wide_numbers ||
           chunks_are_wide(g->volume, g->strides, kernel->access_count * (g->groups + 2));
}

static enum along choose_along(const struct lanes *lanes, const struct geometry *g)
{
    if (g->columns == lanes->tiles.elements * lanes->tiles.inner && g->groups)
        return ALONG_POINTS;
    return g->columns == lanes->tiles.inner && g->groups ? ALONG_ELEMENTS : ALONG_ANY;
}

/* How many neighbouring lanes a thread has: those whose narrow elements are loaded in a word, where all operands are
 * dense and a point's lanes lie there one after the other, or neighbours of a lane where a row of them is whole words.
 * Short rows leave single elements at their ends. */
static int lanes_of_thread(const struct kernel *kernel, const struct geometry *g, enum along along)
{
    const struct lanes *lanes = kernel->lanes;
    const struct lane_tiles *tiles = &lanes->tiles;
    int widest = 0;
    for (int a = 0; a < kernel->load_count; a++) {
        const int size = type_rows[kernel->accesses[a].dtype].size;
        if (!access_is(g->kinds[a], STAYS) && g->kinds[a] != ACCESS_UNIT)
            return 1;
        if (g->kinds[a] == ACCESS_UNIT && size > widest)
            widest = size;
    }
    if (!(g->fast & FAST_CHUNK) || !widest || widest >= WORD_BYTES || lanes->partial || lanes->threads.serial ||
        tiles->elements < BLOCK_ELEMENTS || (g->groups && along != ALONG_POINTS))
        return 1;
    const int lane_count = WORD_BYTES / widest;
    if (tiles->width != tiles->inner && (tiles->width % lane_count || tiles->inner % lane_count))
        return 1;
    return g->groups || tiles->points == 1 || tiles->elements * tiles->inner % lane_count == 0 ? lane_count : 1;
}

/* A thread computes elements of its lanes, some of them at once. Those of a node must come out even. */
static void choose_joining(const struct kernel *kernel, const struct geometry *g, const struct tuning *tuning,
                           struct form *form)
{
    const struct lanes *lanes = kernel->lanes;
    const enum along along = choose_along(lanes, g);
    const int block = lanes_of_thread(kernel, g, along), work = block * (kernel_weight(kernel) + 1);
    int elements = most(LANE_COUNT, WORK_MOST / work);
    elements = most(elements, tuning->loads / (block * loaded_bytes(kernel, g->kinds)));
    if (lanes->threads.serial)
        elements = (int)lanes->tiles.lanes;
    else if (lanes->partial)
        elements = lanes->threads.node / LANE_COUNT;
    form->reduces = true;
    form->along = along;
    form->block = block;
    form->inner = block > 1 && lanes->tiles.inner <= INNER_MOST ? (int)lanes->tiles.inner : 0;
    form->unroll = form->singles = elements;
    form->threads = lanes->threads.threads / block;
}

void form_one_lane(const struct kernel *kernel, struct form *form)
{
    form->block = 1;
    form->inner = 0;
    form->threads = kernel->lanes->threads.threads;
}

/* Loads of several lanes are words. */
static void align_lanes(const struct kernel *kernel, const unsigned char *misalignment, const struct geometry *g,
                        struct form *form)
{
    for (int a = 0; a < kernel->load_count; a++) {
        int64_t begins = misalignment[a] + g->starts[a];
        for (int i = 0; i < g->groups; i++)
            begins |= g->strides[(ptrdiff_t)a * (g->groups + 2) + i];
        if (g->kinds[a] == ACCESS_UNIT && begins % ((int64_t)form->block * type_rows[kernel->accesses[a].dtype].size))
            form_one_lane(kernel, form);
    }
}

void make_form(const struct kernel *kernel, const struct geometry *g, const struct tuning *tuning, bool many,
               struct form *form)
{
    *form = (struct form){.accesses = kernel->access_count, .literals = kernel->literal_count,
                          .groups = room_for(g->groups), .flat = g->period > 0,
                          .steps = steps_of(kernel, g->kinds),
                          .mapped = any_numbered(kernel, g->kinds),
                          .wide = is_wide(kernel, g),
                          .many = many};
    if (kernel->lanes) {
        choose_joining(kernel, g, tuning, form);
    } else {
        choose_chunks(kernel, g, form);
        choose_threads(g, tuning, form);
        choose_elements(kernel, g, tuning, form);
        choose_hints(kernel, g, tuning, form);
    }
    if (kernel_puts(kernel))       /* small parts, so that there are enough blocks */
        form->block = form->singles = form->unroll = 1;
    if (!(g->fast & FAST_VALUE) || form_args_words(form) * sizeof(uint64_t) > ARGS_MOST)
        form->many = true;
    form->literals_loaded = form->many && form->literals > LITERALS_MOST;
}

/* ---- alignment ---- */

/* Bytes to a multiple of which a chunk of the access is aligned, so that it is one load or store. */
static int64_t chunk_alignment(const struct kernel *kernel, const struct form *form, int a)
{
    const int64_t bytes = (int64_t)form->block * type_rows[kernel->accesses[a].dtype].size;
    return bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES;
}

/* With one row, tiles can begin before the first element. */
static int choose_peel(const struct kernel *kernel, const unsigned char *misalignment, const struct geometry *g,
                       const struct form *form)
{
    uint64_t *at = ARENA_ARRAY(kernel->arena, uint64_t, kernel->access_count);
    int *sizes = ARENA_ARRAY(kernel->arena, int, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++) {
        at[a] = (uint64_t)(misalignment[a] + g->starts[a]);
        sizes[a] = type_rows[kernel->accesses[a].dtype].size;
    }
    return g->groups ? 0 : chunks_peel(form->block, kernel->load_count, kernel->access_count, g->kinds, sizes, at);
}

/* Narrow elements that are not aligned are loaded in words, which may reach beyond a row's end. Where rows follow each
 * other backwards in memory, that may be the tensor's end. */
static bool may_be_unaligned(const struct geometry *g, int a, int size)
{
    bool forwards = true;
    for (int i = 0; i < g->groups; i++)
        forwards = forwards && g->strides[(ptrdiff_t)a * (g->groups + 2) + i] >= 0;
    return size >= WORD_BYTES || forwards;
}

/* Loads that stay at one element for each of the periods that the text knows. */
static void find_columns(const struct kernel *kernel, struct geometry *g, const struct form *form)
{
    for (int a = 0; form->period && a < kernel->load_count; a++)
        if (g->kinds[a] == ACCESS_NESTED && !g->strides[(ptrdiff_t)a * (g->groups + 2) + g->groups])
            g->kinds[a] = ACCESS_COLUMN;
}

void align_chunks(const struct kernel *kernel, const unsigned char *misalignment, struct geometry *g, struct form *form)
{
    if (form->reduces) {
        align_lanes(kernel, misalignment, g, form);
        return;
    }
    find_columns(kernel, g, form);
    g->peel = choose_peel(kernel, misalignment, g, form);
    for (int a = 0; a < kernel->access_count; a++)
        if (access_is(g->kinds[a], EVEN))
            g->starts[a] -= g->peel * g->strides[(ptrdiff_t)a * (g->groups + 2) + g->groups];
    for (int a = 0; a < kernel->load_count; a++) {
        const int size = type_rows[kernel->accesses[a].dtype].size;
        int64_t begins = misalignment[a] + g->starts[a];
        for (int i = 0; i < g->groups; i++)
            begins |= g->strides[(ptrdiff_t)a * (g->groups + 2) + i];
        if (g->kinds[a] != ACCESS_UNIT || !(begins & (chunk_alignment(kernel, form, a) - 1)) ||
            !may_be_unaligned(g, a, size))
            continue;
        g->kinds[a] = ACCESS_UNALIGNED;
        form->spare = form->spare || size < WORD_BYTES;
    }
}

void form_any_period(const struct tuning *tuning, struct form *form)
{
    form->threads = tuning->threads;
    form->period = 0;
    form->repeats = false;
}

void block_form(const struct kernel *kernel, struct form *form)
{
    *form = (struct form){.block = BLOCK, .accesses = kernel->access_count, .literals = kernel->literal_count};
}

void form_fields(const struct form *form, struct form_field fields[FORM_FIELD_COUNT])
{
#define ENTRY(type, name, constant) {#name, constant, (int)form->name},
    const struct form_field all[] = {FORM_FIELDS(ENTRY)};
#undef ENTRY
    memcpy(fields, all, sizeof all);
}

void form_put(struct buf *key, const struct form *form)
{
    struct form_field fields[FORM_FIELD_COUNT];
    form_fields(form, fields);
    for (int i = 0; i < FORM_FIELD_COUNT; i++)
        buf_add(key, (const char *)&fields[i].value, sizeof fields[i].value);
}

int64_t form_tiles(const struct form *form, const struct geometry *g)
{
    if (!form->threads || form->reduces || !g->volume)
        return g->tiling.tiles;
    return divide_up(g->volume + g->peel, (int64_t)form->block * form->unroll * form->threads);
}

/* ---- sizes ---- */

size_t form_geometry_words(const struct form *form)
{
    size_t accesses = (size_t)form->accesses, groups = (size_t)form->groups, words = 1;
    if (groups)
        words += 3 + 1 + 3 * groups;
    if (form->flat)
        words += 3;
    if (form->reduces)
        words += LANES_WORDS;
    return words + accesses * (groups + (size_t)form->steps + form->mapped);
}

size_t form_sample_words(const struct form *form)
{
    return 3 + (size_t)form->accesses;
}

size_t form_args_words(const struct form *form)
{
    size_t words = 2 + (form->literals_loaded || !form->literals ? 1 : (size_t)form->literals);
    return words + (form->many ? 2 : 1 + form_geometry_words(form) + (size_t)form->accesses);
}
