/* Implements reduce_impl.h. */
#include "compiler/ir/reduce_impl.h"

#include "compiler/ir/reduce.h"

#define SHARED
#include "templates/shared/lanes.c"

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

struct lanes deal_tiles(int64_t points, int64_t elements, int64_t inner, bool ordered, bool partial)
{
    const bool known = points >= 0 && elements >= 0 && inner >= 0;
    const int64_t block = partial ? LANE_COUNT : BLOCK_ELEMENTS;
    const struct lane_tiles unknown = {.points = points, .elements = elements, .inner = inner,
                                    .row = inner < 0 ? 0 : deal_lanes(1, block, inner, ordered, block).row};
    return (struct lanes){.partial = partial, .alone = -1,
                          .tiles = known ? deal_lanes(points, elements, inner, ordered, block) : unknown};
}

/* ---- threads ---- */

/* Estimated for a GPU of about 132 multiprocessors, not measured. */
enum {
    THREADS = 256,
    LEAST_THREADS = 64,
    MOST_THREADS = 512,            /* of a block that has many inner elements beside each other, or joins lanes of blocks */
    WINDOW = 32,                   /* inner elements beside each other: those of a warp */
    LEVELS = 7,                    /* of a thread's tree */
    DEEP = 1 << (LEVELS - 1),      /* so many nodes has a thread at most */
    AT_ONCE = 8,                   /* blocks of a node, where there are lanes of them */
    FEW_NODES = 2,                 /* so many cost a thread less than a further launch does */
    FILLED = 128,                  /* tiles that keep a GPU busy, more or less */
    ENOUGH = 512                   /* tiles that certainly do */
};

/* A thread for each result. */
static void deal_serially(struct lanes *lanes)
{
    lanes->threads = (struct thread_joins){.threads = THREADS, .serial = true, .node = BLOCK_ELEMENTS, .levels = 1, .beside = 1};
    lanes->tiles.lanes = lanes->tiles.elements < LANE_COUNT ? lanes->tiles.elements : LANE_COUNT;
    lanes->tiles.width = THREADS;
    lanes->tiles.windows = divide_up(lanes->tiles.inner, THREADS);
}

/* How many nodes each thread takes, a power of two: all of them where the GPU is busy without further tiles, or where
 * there are few; else so many that there are enough tiles. `rows` are the tiles that one of each suffices for. */
static int64_t choose_depth(int64_t nodes, int64_t rows, int beside, bool partial)
{
    int64_t depth = 1;
    while (depth * beside < nodes && depth < DEEP) {
        const bool few = 2 * depth <= FEW_NODES && 2 * depth * beside >= nodes;
        if (!partial && !few && rows < FILLED && rows * divide_up(nodes, 2 * depth * beside) < ENOUGH)
            break;
        depth *= 2;
    }
    return depth;
}

/* Blocks of so many threads: all parts of a point's nodes that fit, or several points. Returns the number of tiles. */
static int64_t deal_block(struct lanes *lanes, int threads, bool partial)
{
    struct lane_tiles *const tiles = &lanes->tiles;
    const int node = partial ? AT_ONCE * LANE_COUNT : BLOCK_ELEMENTS, units = threads / (int)(tiles->width * LANE_COUNT);
    const int64_t nodes = divide_up(tiles->elements, node);
    int beside = 1;
    while (beside < nodes && 2 * beside <= units)
        beside *= 2;
    tiles->together = units / beside;
    const int64_t rows = divide_up(tiles->points, tiles->together) * tiles->windows;
    const int64_t depth = choose_depth(nodes, rows, beside, partial);
    tiles->chunk = depth * beside;
    tiles->chunks = divide_up(nodes, tiles->chunk);
    lanes->threads = (struct thread_joins){.threads = threads, .node = node,
                                           .levels = depth > 1 ? LEVELS : 1, .beside = beside};
    return rows * tiles->chunks;
}

/* Blocks are large where a point's lanes should come together in one, else as small as it takes to keep the GPU busy. */
static void deal_blocks(struct lanes *lanes, bool partial)
{
    struct lane_tiles *const tiles = &lanes->tiles;
    tiles->width = tiles->inner < WINDOW ? tiles->inner : WINDOW;
    tiles->windows = divide_up(tiles->inner, tiles->width);
    const int64_t across = tiles->width * LANE_COUNT;
    int threads = partial || across > THREADS ? MOST_THREADS : THREADS;
    while (deal_block(lanes, threads, partial) < FILLED && !partial && threads / 2 >= across && threads > LEAST_THREADS)
        threads /= 2;
}

struct lanes deal_threads(int64_t points, int64_t elements, int64_t inner, bool partial)
{
    struct lanes lanes = {.partial = partial, .alone = -1, .tiles = {.points = points, .elements = elements, .inner = inner, .together = 1, .chunk = 1,
                                    .chunks = 1, .kept = LANE_COUNT}};
    if (!partial && points == 1 && results_are_inner(elements, inner))
        deal_serially(&lanes);
    else
        deal_blocks(&lanes, partial);
    return lanes;
}

bool results_are_inner(int64_t elements, int64_t inner)
{
    enum { FEW = 64 };
    return elements <= LANE_COUNT || (elements <= FEW && inner >= LANE_COUNT);
}
