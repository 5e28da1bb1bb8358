/* How tiles of a kernel with reduced dimensions share its space: see struct lane_tiles. One text for the library, which
 * includes it, and for ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: lanes
/* The number of lanes of each inner element. Where their order does not matter, rows of lanes are whole blocks. */
static int64_t choose_lanes(int64_t elements, int64_t inner, bool ordered, bool small)
{
    int64_t lanes = ordered ? LANE_COUNT : 1;
    while (!ordered && lanes * inner % BLOCK != 0 && lanes * inner < MAX_WIDTH / 2)
        lanes *= 2;
    while (!ordered && !small && lanes / 2 >= elements)
        lanes /= 2;
    return ordered && !small && elements < lanes ? elements : lanes;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tree's levels for so many blocks. */
static int64_t count_levels(int64_t blocks)
{
    int64_t levels = 1;
    while (((int64_t)1 << levels) <= blocks)
        levels++;
    return levels;
}

/* `block` is that of an ordered join: BLOCK_ELEMENTS; or LANE_COUNT to join what tiles left, where a tile takes it
 * all. */
SHARED struct lane_tiles deal_lanes(int64_t points, int64_t elements, int64_t inner, bool ordered, int64_t block)
{
    enum { SMALL = 4 };            /* inner elements whose lanes the text knows */
    const bool small = inner <= SMALL, last = block == LANE_COUNT;
    struct lane_tiles t = {.points = points, .elements = elements, .inner = inner, .kept = 1};
    t.lanes = choose_lanes(elements, inner, ordered, small);
    t.row = small ? (int)(t.lanes * inner) : 0;
    t.block = ordered ? block : t.lanes * 256;
    /* tiles of as many elements, which passes share */
    t.chunk = ordered ? LANES_BLOCKS : LANES_BLOCKS * BLOCK_ELEMENTS / t.block;
    const int64_t blocks = (elements - 1) / t.block + 1;
    while (last && t.chunk < blocks)
        t.chunk *= 2;
    const int64_t near = elements > LANES_FEW && ordered ? MAX_WIDTH : LANES_NEAR;
    const int64_t most = smaller(MAX_TREE / count_levels(t.chunk), near) / t.lanes;
    t.windows = (inner - 1) / most + 1;
    t.width = t.windows == 1 ? inner : ((inner - 1) / t.windows / BLOCK + 1) * BLOCK;
    t.width = t.width > most ? most : t.width;
    t.windows = (inner - 1) / t.width + 1;
    t.step = t.windows > 1 ? 1 : t.block;
    /* lanes that tiles leave are new memory, which costs several times what reading as much does */
    while (!last && t.chunk > 1 && t.chunk * t.block > LANES_LEAST_BLOCKS * BLOCK_ELEMENTS &&
           ((blocks - 1) / t.chunk + 1) * t.windows < (ENOUGH_TILES - 1) / points + 1 &&
           t.chunk * t.block * t.width > LANES_LEAST)
        t.chunk /= 2;
    t.chunks = (blocks - 1) / t.chunk + 1;
    t.kept = !ordered || t.chunks == 1 ? 1 : LANE_COUNT;
    t.together = 1;
    if (t.windows * t.chunks == 1 && elements * inner < TILE)
        t.together = TILE / (elements * inner) < points ? TILE / (elements * inner) : points;
    if (t.windows * t.chunks == 1 && inner == 1 && t.together < LANE_COUNT && points >= LANE_COUNT * ENOUGH_TILES)
        t.together = LANE_COUNT; /* rows whose lanes are joined by one another */
    return t;
}

/* How many lanes of each point and inner element its tiles leave for a further kernel; 0 where one tile takes all of
 * them, or there is nothing. */
SHARED int64_t lanes_left(int64_t points, int64_t elements, int64_t inner, bool ordered)
{
    if (points < 1 || elements < 1 || inner < 1)
        return 0;
    const struct lane_tiles t = deal_lanes(points, elements, inner, ordered, BLOCK_ELEMENTS);
    return t.chunks > 1 ? t.chunks * t.kept : 0;
}

//: threads
/* How many nodes each thread takes, a power of two and at most `deepest`: all of them where the GPU is busy without
 * further tiles, or where there are few; else so many that there are enough tiles. `rows` are the tiles that one of
 * each suffices for. */
static int64_t choose_depth(int64_t nodes, int64_t rows, int64_t beside, bool partial, int64_t deepest)
{
    int64_t depth = 1;
    while (depth * beside < nodes && depth < deepest) {
        const bool few = 2 * depth <= GPU_FEW_NODES && 2 * depth * beside >= nodes;
        if (!partial && !few && rows < GPU_FILLED &&
            rows * ((nodes - 1) / (2 * depth * beside) + 1) < GPU_ENOUGH)
            break;
        depth *= 2;
    }
    return depth;
}

/* How blocks of `threads` threads share the space: all parts of a point's nodes that fit, or several points. Member
 * `lanes` becomes the number of these parts, a power of two. `partial`: the elements are lanes of blocks. */
SHARED struct lane_tiles deal_block(int64_t points, int64_t elements, int64_t inner, int threads, bool partial,
                                    int64_t deepest)
{
    struct lane_tiles t = {.points = points, .elements = elements, .inner = inner, .lanes = 1, .kept = LANE_COUNT};
    const int64_t nodes = (elements - 1) / (partial ? NODE_BLOCKS * LANE_COUNT : BLOCK_ELEMENTS) + 1;
    t.width = inner < GPU_WINDOW ? inner : GPU_WINDOW;
    t.windows = (inner - 1) / t.width + 1;
    const int64_t units = threads / (t.width * LANE_COUNT);
    while (t.lanes < nodes && 2 * t.lanes <= units)
        t.lanes *= 2;
    t.together = units / t.lanes;
    const int64_t rows = ((points - 1) / t.together + 1) * t.windows;
    t.chunk = choose_depth(nodes, rows, t.lanes, partial, deepest) * t.lanes;
    t.chunks = (nodes - 1) / t.chunk + 1;
    return t;
}

/* How many lanes of each point and inner element its tiles leave for a further kernel; 0 where one tile takes all of
 * them, or there is nothing. */
SHARED int64_t threads_left(int64_t points, int64_t elements, int64_t inner, int threads)
{
    if (points < 1 || elements < 1 || inner < 1)
        return 0;
    const struct lane_tiles t = deal_block(points, elements, inner, threads, false, DEEPEST);
    return t.chunks > 1 ? t.chunks * LANE_COUNT : 0;
}
