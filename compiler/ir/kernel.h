/* A kernel: the computation of a program's results of one shape, or of a temporary, as flat SSA. Loads and stores are
 * instructions on accesses. Lowering needs extents only for views and reductions; the room loop adds them. */
#ifndef WEFT_COMPILER_IR_KERNEL_H
#define WEFT_COMPILER_IR_KERNEL_H

#include "compiler/lang/lang.h"
#include "compiler/check/check.h"
#include "templates/shared/tuning_c.h"
#include "templates/shared/tuning_cuda.h"
#include "templates/shared/walk.h"
#include "templates/shared/grouping.h"
#include "templates/shared/lanes.h"

enum ins_kind {
    INS_LOAD,                      /* loads access `index` */
    INS_LITERAL,                   /* literal number `index`, a run-time argument */
    INS_NUMBER,                    /* the same, but its value comes with the run; see struct number_source */
    INS_OP,                        /* row `op` on a[0..2], which have dtype `source` */
    INS_TAKE,                      /* loads element number a[0], an int64, of what the taken step of access `index`'s
                                      map leads to; 0 where that is negative */
    INS_LOOKUP,                    /* entry a[0], a uint8, of access `index`, which is a table */
    INS_WEIGH,                     /* the sum of `index` elements of the temporary that load a[0] reads, each times a
                                      weight, joined in their order from the first one on. Load a[1] is the first of
                                      their weights, a[2], an int64, of the numbers that say where they lie behind the
                                      load's own (templates/kernel/weigh_c.h). Those of 16 bits are summed in 32 */
    INS_STORE,                     /* stores a[0] to access `index` */
    INS_PUT,                       /* all that the kernel does: joins the elements of access 1, one by one in their
                                      order, by row `op` (OP_COUNT: they take its place) to those of access `index`
                                      whose numbers access 0 has, none where that is negative. a[0] numbers for a[1]
                                      elements each, int64. a[2] >= 0: access 1 has one element, for all of them. Of
                                      row NONZERO access 0 has bools: the numbers of those that are true are put, one
                                      behind the other */
    INS_FAULT                      /* reports fault `index` where row `op` on a[0] and a[1] has one (a divisor that is
                                      0, a position outside) and the bool a[2] is true; a[2] is -1: always */
};

/* Operands are indices of earlier instructions, or -1. */
struct ins {
    enum ins_kind kind;
    enum op op;
    enum weft_dtype dtype;         /* of the value */
    enum weft_dtype source;        /* of the operands (the arms of where, the source of a conversion) */
    int a[3];
    int index;
    struct span span;
};

/* Whether it is an argument of the kernel. */
static inline bool ins_is_argument(const struct ins *ins)
{
    return ins->kind == INS_LITERAL || ins->kind == INS_NUMBER;
}

/* Where the value of a literal comes from that a run decides. */
struct number_source {
    int node;                      /* an extent, or a literal expression over numbers; -1: the value is known */
    enum meeting how;              /* how it becomes the literal's dtype */
};

/* What an access reads or writes. */
enum tensor_kind {
    TENSOR_INPUT, TENSOR_CONSTANT, TENSOR_RESULT,
    TENSOR_TEMPORARY,              /* stored by another kernel of the run: see materialize.h */
    TENSOR_TABLE,                  /* the same, read by INS_LOOKUP or INS_PUT only */
    TENSOR_BYTES,                  /* the numbers 0 to 255 as uint8, from which tables are made */
    TENSOR_SAMPLE,                 /* the number of the sample in its batch, an int64; its index is 0 */
    TENSOR_NUMBER                  /* ahead of time: a number_source's value, as an int64 or a float64; or an extent, or
                                      the number of the sample */
};

/* The index of a TENSOR_NUMBER: its node, the dtype that it becomes, and how. Of an extent that is open it is that
 * extent, which is negative. */
static inline int number_index(struct number_source source, enum weft_dtype dtype)
{
    return (source.node * WEFT_DTYPE_COUNT + (int)dtype) * 3 + (int)source.how;
}
static inline int number_node(int index)
{
    return index / 3 / WEFT_DTYPE_COUNT;
}
static inline enum weft_dtype number_dtype(int index)
{
    return (enum weft_dtype)(index / 3 % WEFT_DTYPE_COUNT);
}
static inline enum meeting number_how(int index)
{
    return (enum meeting)(index % 3);
}

struct access {
    enum tensor_kind kind;
    int index;                     /* the number of the input or result in the program, of the constant in the kernel,
                                      or of the temporary in the kernel program */
    enum weft_dtype dtype;         /* of an input; or as which its bytes are reinterpreted */
    int map;                       /* index in `maps`: how it is seen from the iteration space; 0: directly. A store's
                                      selects as many neighbours of each dimension as the space has */
    bool alone;                    /* read by INS_TAKE, the 0 of which is used */
};

/* Whether it reads or stores a temporary, whose number is its index. */
static inline bool access_is_temporary(const struct access *access)
{
    return access->kind == TENSOR_TEMPORARY || access->kind == TENSOR_TABLE;
}

/* Whether both read or write the same tensor, as the same type. */
static inline bool access_same(const struct access *a, const struct access *b)
{
    return a->kind == b->kind && a->index == b->index && a->dtype == b->dtype;
}

/* A remark that a kernel may make. */
struct fault {
    struct span span;
    struct span whole, divisor;    /* of a division; empty where it is not written in the text */
    int outside;                   /* 1: a position lies outside; else an integer is divided by zero */
};

/* An array literal, converted to the type that it met; or positions. */
struct constant {
    int node;                      /* where it stands in the text */
    const struct shape *shape;     /* of positions; NULL: that of the array literal */
    enum weft_dtype dtype;
    const void *data;              /* dense, row-major */
    size_t bytes;
};

/* Of a join: what a load of constant `constant` under map `map` gives. It is true where the position along dimension
 * `dimension`, counted from the last one as 1, of what map `where` leads to is less than `ones`. Where `constant` is -1
 * no load depends on it, but the walks of some have plain strides on both sides alone. */
struct mask {
    int constant, map, where, dimension;
    int64_t ones;
};

/* Values that one kernel of a run stores for others, dense and row-major. */
struct temporary {
    enum weft_dtype dtype;
    const struct shape *shape;
    struct value_range within;     /* what its integers may be, where that is less than the type */
    bool turns;                    /* it is only worth storing where kernels take turns by its rows */
    bool numbers;                  /* element i, row-major, is i */
};

/* How the threads of a block join: each one lane of some nodes, or all of a result. */
struct thread_joins {
    int threads;                   /* of a block */
    bool serial;                   /* a thread joins all elements of a result */
    int node;                      /* elements of a node: a block, or some blocks of which there are only lanes */
    int levels;                    /* of a thread's tree of nodes */
    int beside;                    /* parts of a point's nodes that threads of a block join beside each other, a power
                                      of two; 0: the call decides */
};

/* How a kernel with reduced dimensions joins its values, which its store stores. Its iteration space is [points,
 * elements, inner]. */
struct lanes {
    enum join join;                /* how two values are joined */
    enum weft_dtype acc;           /* in which a block is joined: it holds what a lane has of a block */
    enum weft_dtype tree;          /* in which blocks and lanes are joined; of what is stored */
    bool finds;                    /* values are bool: each tile leaves the position of its first true one, and goes
                                      over no further ones */
    bool places;                   /* what is joined is an extreme element, and its position is stored: of the first one
                                      where several are equal, or of NaN */
    int parts, extreme;            /* of a search: loads of the tile's extreme element and of the point's. Tiles where
                                      they differ are skipped, but where the former is NaN. -1: it does not load them */
    int absent;                    /* the instruction that gives what changes nothing */
    bool partial;                  /* the elements are lanes that tiles of another kernel left */
    int64_t beside;                /* of rows in C that are short, or laned, how many points lie in a row of the loop:
                                      they are computed and joined side by side. 0: it takes one after the other */
    bool laned;                    /* these rows are joined to lanes as they are computed */
    struct lane_tiles tiles;       /* ahead of time with extents that may be open; then a call decides the rest, but for
                                      `row`, and `chunks` is 0 */
    int alone;                     /* there, the temporary that a tile stores to which takes all of a result; -1: it
                                      stores as any other does */
    struct thread_joins threads;   /* how threads of a GPU join; .threads is 0: the kernel is a CPU's */
    const struct shape *stored;    /* the space with extents of 1 for all but points, so that these stay apart */
};

struct kernel {
    struct arena *arena;
    const struct program *program;
    const int *results;            /* the program's results that it computes, ascending; NULL if it stores
                                      temporaries */
    int result_count;
    struct ins *ins;
    int ins_count;
    struct access *accesses;       /* loads first, then stores, which go to results or temporaries */
    int access_count, load_count;
    struct index_map *maps;        /* [0] is the iteration space itself; none without views */
    int map_count, granted_maps;   /* how many may be there besides VIEW_MAPS, for the weights of correlations */
    struct constant *constants;
    int constant_count;
    struct mask *masks;            /* all different */
    int mask_count;
    union scalar *literals;
    enum weft_dtype *literal_dtypes;
    struct number_source *literal_sources;
    int literal_count;
    struct fault *faults;          /* in the order of the text */
    int fault_count;
    const struct lanes *lanes;     /* NULL: no dimension is reduced */
};

/* Whether the kernel puts elements to places that others computed (rule 12.5). */
static inline bool kernel_puts(const struct kernel *kernel)
{
    return kernel->ins_count && kernel->ins[kernel->ins_count - 1].kind == INS_PUT;
}

/* An array literal of integers that is an outer product (separate.c). */
struct factors {
    int split;                     /* the first of its dimensions that `inner` is for */
    int64_t *outer, *inner;        /* row-major; of convolve in the order in which it reads neighbours */
    int terms;                     /* those of both that are not 0 */
    struct value_range range;      /* of the sums along the inner dimensions */
    enum weft_dtype dtype;         /* in which they are stored */
};

/* Where the value of a reduction, of a count or of positions is; or of another node that is stored. */
struct reduced {
    bool stored;                   /* the node is any, and its temporary has its value */
    int temporary;                 /* -1: it is a number, or `few` are joined where the value is used */
    int border;                    /* of correlate: the temporary with its operand and what lies around it; -1: none */
    bool looped;                   /* and its terms are gone over in a loop: */
    int weights, runs;             /* the temporaries with their weights, and with where they are; -1: constants */
    int sums;                      /* that with sums along the last dimensions of an outer product; -1: none, */
    const struct factors *factors; /* by these */
    int64_t number;                /* negative: an extent, which the call knows */
    int few;                       /* so many elements, of the dimensions in `set` */
    uint32_t set;
};

/* The numbers 0, 1, .. in a temporary. */
struct stored_positions {
    const struct shape *shape;
    enum weft_dtype dtype;
    int temporary;
};

struct open_extents; /* kernel_program.h */

/* The input of lowering. */
struct lower_params {
    const struct program *program;
    const struct shape *const *shapes; /* of all nodes; may be NULL where kernels do not depend on shapes */
    const struct node *values;     /* the nodes with the literals of this run's numbers; NULL: those of the program */
    const struct view_args *views; /* [view_count] with the values of size expressions; NULL: those of the program */
    bool loads_numbers;            /* numbers that come with the run are loads (TENSOR_NUMBER), not literals */
    const struct reduced *reduced; /* [node] of reductions, counts and positions; NULL: there are none */
    const struct temporary *temporaries;
    struct diags *diags;
    const struct open_extents *open; /* NULL: all extents are numbers */
    const struct stored_positions *positions; /* [position_count] that take reads */
    int position_count;
    const bool *batches;           /* [input_count] whether it is a batch; NULL: none is */
    int *room;                     /* [2 * node_count] for one lowering after the other, since there may be as many
                                      kernels as nodes; NULL: each takes its own */
};

/* lower.c: makes the kernel of these results, which have one shape. Equal instructions are numbered once, and constants
 * are folded. Returns NULL, with a diagnostic, where views lead to too many maps. */
struct kernel *lower(struct arena *arena, const struct lower_params *params, const int *results, int result_count);
/* A value that is to be lowered for a temporary. */
struct lowered_value {
    int node;
    enum weft_dtype dtype;         /* to which it is converted */
    const struct node *like;       /* of whose type it is before, if it is a literal; NULL: of dtype */
    enum value_part { PART_ALL, PART_LOW, PART_HIGH } part; /* the low 32 bits of an integer of 64, as a uint64, or the
                                      high ones, with their sign */
    int temporary;
    struct span place;             /* what the text makes of it, such as the reduction that joins it; empty: the node's
                                      own */
    const struct shape *space;     /* the kernel's iteration space */
    const struct axis *axes;       /* for each dimension of the node, where it is in the space; NULL: */
    const struct node *around;     /* it is the operand of this correlate, with what lies around it, as `dtype` */
    const struct node *sums;       /* it is this correlate's sums along its last dimensions */
    const struct node *weights;    /* it is k of this correlate, in the order of its terms */
    const struct node *runs;       /* it says where this correlate's terms are (templates/kernel/weigh_c.h) */
    int sought;                    /* of a search, the node that gives what is looked for; -1: none. The value is then
                                      whether the element is what is looked for, */
    int positions;                 /* or unless this is -1, its position, from this temporary, and where it is not, the
                                      last one there is */
    const struct join_piece *piece; /* NULL: all of the node */
};

/* Some of the values that a concat or stack joins, which a kernel of their own stores. */
struct join_piece {
    int node, first, count;        /* operands */
    const struct shape *whole;     /* the node's */
    const struct axis *box;        /* where the piece is in it */
};
struct kernel *lower_value(struct arena *arena, const struct lower_params *params, const struct lowered_value *value);

/* separate.c: the factors of a correlate's array literal of integers; NULL: it is no outer product. */
const struct factors *find_factors(struct arena *arena, const struct lower_params *params, const struct node *node);

/* lower_weigh.c: the type in which a loop over a correlate's terms has what it multiplies; whether the elements of its
 * k are literals, or k is an input; how many numbers say where its terms are. */
enum weft_dtype weighed_dtype(const struct program *program, const struct node *node);
bool weights_are_known(const struct program *program, const struct node *node);
/* Whether 16 bits hold all sums of a correlate of integers. */
bool sums_are_narrow(const struct program *program, const struct node *node);
int count_runs(struct arena *arena, const struct lower_params *params, const struct node *node);

/* kernel.c: an empty kernel for the same results, with the same maps, constants and faults. */
struct kernel *kernel_like(struct arena *arena, const struct kernel *kernel);
/* The instruction that loads or stores the access; NULL: none does. */
const struct ins *kernel_access_ins(const struct kernel *kernel, int access);
/* The mask that the access loads; NULL: none. */
const struct mask *find_mask(const struct kernel *kernel, const struct access *access);
/* Add to a kernel, and return the number of what was added. */
int kernel_add_ins(struct kernel *kernel, struct ins ins);
int kernel_add_access(struct kernel *kernel, struct access access);
int kernel_add_literal(struct kernel *kernel, enum weft_dtype dtype, union scalar value);
int kernel_add_number(struct kernel *kernel, enum weft_dtype dtype, struct number_source source);
/* The value of literal `index`. `program` holds the values of this run's numbers, `shapes` those of its nodes. */
union scalar kernel_argument(const struct kernel *kernel, int index, const struct program *program,
                             const struct shape *const *shapes);
/* To be called once all loads are there. Stores, which are numbered from 0 so far, get the numbers behind them. */
void kernel_number_stores(struct kernel *kernel);

/* input_demands.c: for each input, a view or reduction under which the results read other elements of it than the one
 * being written, a node; -1: there is none (rule 5.4). Of a program whose types are known. [input_count] */
int *find_viewed(struct arena *arena, const struct program *program);

/* For each input, the alignment in bytes that its data needs for what reinterprets it; 0 where the alignment
 * of its own elements is enough. [input_count] */
unsigned char *find_alignments(struct arena *arena, const struct program *program);

/* Reports a remark that was made. */
void fault_tell(struct diags *diags, const struct fault *fault);
/* Keeps the one of two remarks that comes first in the text. `first` begins as no_fault. */
static inline void fault_first(struct fault *first, const struct fault *fault)
{
    if (fault->span.start < first->span.start)
        *first = *fault;
}
static const struct fault no_fault = {.span = {UINT32_MAX, UINT32_MAX}};
static inline bool fault_is_any(const struct fault *fault)
{
    return fault->span.start != UINT32_MAX;
}

/* Whether it sums weighted neighbours. */
bool kernel_weighs(const struct kernel *kernel);
/* The weight of computing one element, by op_weight. Of a light kernel it is less than LIGHT. */
enum { LIGHT = 16 };
int kernel_weight(const struct kernel *kernel);
/* Whether its elements and values have one size of 4 or 8 bytes: vectors may have masks. */
bool kernel_masks(const struct kernel *kernel);
/* Whether rows that are joined as they are computed have several blocks. */
static inline bool lanes_parted(const struct lanes *lanes)
{
    return lanes->laned && lanes->tiles.elements > lanes->tiles.block;
}
/* Whether a kernel that reduces adds or multiplies floats, and all that it loads and computes has their size. */
bool kernel_sums_alike(const struct kernel *kernel);
/* Whether it also is light, and reduces nothing: a row then may end in such vectors. */
bool kernel_masks_ends(const struct kernel *kernel);
/* [ins] by how many operands each value is read. */
int *kernel_uses(struct arena *arena, const struct kernel *kernel);
/* The value of an integer literal. */
int64_t literal_value(const struct kernel *kernel, const struct ins *literal);
/* Whether the instruction divides integers by a literal that fits 32 bits. Its value is then in the kernel's text,
 * where the C compiler can make a multiplication of the division. */
bool literal_divisor(const struct kernel *kernel, const struct ins *ins, int64_t *divisor);

/* A tensor as a kernel sees it: strides in bytes over the kernel's shape, 0 along stretched dimensions. Where
 * strides are not enough, a walk. */
struct view {
    int64_t strides[WEFT_MAX_RANK];
    int64_t start;                 /* bytes from the first element, where the strides hold */
    struct walk *walk;             /* NULL: the strides hold */
};

#endif
