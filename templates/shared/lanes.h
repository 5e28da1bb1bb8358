/* How a kernel with reduced dimensions is cut into tiles; lanes.c does it. Before it: int64_t. */

//: lanes
enum {
    LANE_COUNT = 16,
    BLOCK_ELEMENTS = 1024,         /* elements whose lanes are joined in order */
    MAX_LANES = 64,
    MAX_WIDTH = 1 << 16,           /* lanes that a tile has at a time */
    MAX_TREE = 1 << 19,            /* lanes that it keeps of blocks */
    NODE_BLOCKS = 8,               /* blocks of a node, which a GPU's thread joins at once, where there are lanes of
                                      them */
    NODE_LEVELS = 7,               /* of the tree in which such a thread keeps nodes */
    DEEPEST = 1 << (NODE_LEVELS - 1) /* so many nodes has it at most */
};

/* How tiles of a kernel with reduced dimensions share its space, [points, elements, inner], of which `elements` are
 * reduced. Element i is joined to lane i mod `lanes`, and lanes of `block` elements to a tree. Where the order of a sum
 * does not matter, there are as many lanes as are fast. */
struct lane_tiles {
    int64_t points, elements, inner; /* extents of the three together */
    int64_t lanes, block;          /* of each inner element; elements in a block. Of a GPU's block of threads `lanes`
                                      are parts of a point beside each other (deal_block) */
    int64_t width, windows;        /* how many of the inner ones a tile takes; tiles beside each other */
    int64_t chunk, chunks;         /* how many blocks a tile takes, a power of two; tiles behind each other */
    int64_t together;              /* how many points a tile takes */
    int64_t step;                  /* how many elements are taken in a row: 1, or all of a block */
    int64_t kept;                  /* lanes that a tile leaves: 1, or all for further kernels */
    int row;                       /* lanes of all inner elements where these are so few that the kernel's text has the
                                      number; else 0 */
};
