/* Implements reduce_impl.h. */
#include "compiler/ir/reduce_impl.h"

#include "compiler/ir/reduce.h"

#define SHARED
#include "templates/shared/lanes.c"

struct lanes deal_tiles(int64_t points, int64_t elements, int64_t inner, bool ordered, bool partial)
{
    const bool known = points >= 0 && elements >= 0 && inner >= 0;
    const int64_t block = partial ? LANE_COUNT : BLOCK_ELEMENTS;
    const struct lane_tiles unknown = {.points = points, .elements = elements, .inner = inner,
                                    .row = inner < 0 ? 0 : deal_lanes(1, block, inner, ordered, block).row};
    return (struct lanes){.partial = partial, .alone = -1,
                          .tiles = known ? deal_lanes(points, elements, inner, ordered, block) : unknown};
}

void lengthen_tiles(struct lanes *lanes)
{
    struct lane_tiles *const t = &lanes->tiles;
    const int64_t blocks = (t->elements - 1) / t->block + 1;
    while (t->inner == 1 && t->chunks >= 2 * ACROSS_TILES) {
        t->chunk *= 2;
        t->chunks = (blocks - 1) / t->chunk + 1;
    }
}

/* ---- threads ---- */

enum { OPEN_LEVELS = 16 };         /* of a tree of lanes that one tile has to take all of, however many */

static int node_elements(bool partial)
{
    return partial ? NODE_BLOCKS * LANE_COUNT : BLOCK_ELEMENTS;
}

/* A thread for each result. */
static void deal_serially(struct lanes *lanes)
{
    struct lane_tiles *const tiles = &lanes->tiles;
    lanes->threads = (struct thread_joins){.threads = REDUCE_THREADS, .serial = true, .node = BLOCK_ELEMENTS,
                                           .levels = 1, .beside = 1};
    tiles->lanes = tiles->elements < LANE_COUNT ? tiles->elements : LANE_COUNT;
    tiles->width = REDUCE_THREADS;
    tiles->windows = tiles->inner < 0 ? 0 : (tiles->inner - 1) / REDUCE_THREADS + 1;
    tiles->together = tiles->chunk = tiles->chunks = 1;
    tiles->kept = LANE_COUNT;
}

/* Blocks are large where a point's lanes should come together in one, else as small as it takes to keep the GPU
 * busy. */
static void deal_blocks(struct lanes *lanes)
{
    const struct lane_tiles given = lanes->tiles;
    const int64_t across = (given.inner < 32 ? given.inner : 32) * LANE_COUNT;
    const bool partial = lanes->partial;
    int threads = partial || across > REDUCE_THREADS ? REDUCE_MOST_THREADS : REDUCE_THREADS;
    for (;; threads /= 2) {
        struct lane_tiles *const t = &lanes->tiles;
        *t = deal_block(given.points, given.elements, given.inner, threads, partial, DEEPEST);
        const int64_t tiles = ((t->points - 1) / t->together + 1) * t->windows * t->chunks;
        if (tiles >= GPU_FILLED || partial || threads / 2 < across || threads <= REDUCE_LEAST_THREADS)
            break;
    }
    lanes->threads = (struct thread_joins){.threads = threads, .node = node_elements(partial),
                                           .levels = lanes->tiles.chunk > lanes->tiles.lanes ? NODE_LEVELS : 1,
                                           .beside = (int)lanes->tiles.lanes};
}

/* Where only a call knows how many elements and points there are, it deals blocks of so many threads. */
static void deal_unknown(struct lanes *lanes)
{
    const int64_t inner = lanes->tiles.inner;
    const bool few = inner >= 0 && inner * LANE_COUNT <= REDUCE_THREADS && !lanes->partial;
    lanes->tiles.width = inner == 1;
    lanes->threads = (struct thread_joins){.threads = few ? REDUCE_THREADS : REDUCE_MOST_THREADS,
                                           .node = node_elements(lanes->partial),
                                           .levels = lanes->partial ? OPEN_LEVELS : NODE_LEVELS};
}

struct lanes deal_threads(int64_t points, int64_t elements, int64_t inner, bool partial)
{
    struct lanes lanes = {.partial = partial, .alone = -1,
                          .tiles = {.points = points, .elements = elements, .inner = inner}};
    if (!partial && points == 1 && elements > 0 && results_are_inner(elements, inner < 0 ? INT64_MAX : inner))
        deal_serially(&lanes);
    else if (points < 0 || elements < 0 || inner < 0)
        deal_unknown(&lanes);
    else
        deal_blocks(&lanes);
    return lanes;
}

bool results_are_inner(int64_t elements, int64_t inner)
{
    enum { FEW = 64 };
    return elements <= LANE_COUNT || (elements <= FEW && inner >= LANE_COUNT);
}
