/* A kernel: the results of a program that have one shape (or what materialize.h takes out of it), as flat SSA
 * in which loads are instructions. Without views lowering makes it without knowing extents, which
 * geometry.h adds per call. */
#ifndef WEFT_KERNEL_H
#define WEFT_KERNEL_H

#include "compiler/lang/lang.h"
#include "compiler/check/check.h"
#include "templates/shared/geometry.h"

enum ins_kind {
    INS_LOAD,                      /* access `index` */
    INS_LITERAL,                   /* slot `index` of the literals: a run-time argument */
    INS_OP,                        /* row `op` on a[0..2], which have dtype `source` */
    INS_LOOKUP,                    /* entry number a[0], a uint8, of access `index`, a table */
    INS_STORE,                     /* a[0] to access `index` */
    INS_FAULT                      /* remark `index` wherever a[0], a bool, is true */
};

/* Operands are indices of earlier instructions, -1 where there is none. */
struct ins {
    enum ins_kind kind;
    enum op op;
    enum weft_dtype dtype;         /* of the value */
    enum weft_dtype source;        /* of the operands (where's arms; a conversion's source) */
    int a[3];
    int index;
    struct span span;
};

/* What an access reads or writes. */
enum tensor_kind {
    TENSOR_INPUT, TENSOR_CONSTANT, TENSOR_RESULT,
    TENSOR_TEMPORARY,              /* what another kernel of the run stored: see materialize.h */
    TENSOR_TABLE,                  /* the same, looked up by INS_LOOKUP alone */
    TENSOR_BYTES                   /* 0 to 255 as uint8: what tables are made from */
};

struct access {
    enum tensor_kind kind;
    int index;                     /* of the input or result in the program, the constant in the
                                      kernel, the temporary in the plan */
    enum weft_dtype dtype;         /* an input's, or what its bytes are reinterpreted as */
    int map;                       /* how it is seen from the iteration space, number in the kernel;
                                      0: plainly */
};

/* An array literal in the type it met. */
struct constant {
    int node;
    enum weft_dtype dtype;
    const void *data;              /* dense, row-major */
    size_t bytes;
};

/* Values kept from one kernel of a run to the next: dense, row-major. */
struct temporary {
    enum weft_dtype dtype;
    const struct shape *shape;
};

struct kernel {
    struct arena *arena;
    const struct program *program;
    const int *results;            /* the program's results it computes, ascending; none: it is hoisted */
    int result_count;
    struct ins *ins;
    int ins_count;
    struct access *accesses;       /* loads first, then stores: of results, or of temporaries */
    int access_count, load_count;
    struct index_map *maps;        /* [0] leads to the iteration space itself; none without views */
    int map_count;
    struct constant *constants;
    int constant_count;
    union scalar *literals;
    enum weft_dtype *literal_dtypes;
    int literal_count;
    struct span *faults;           /* places, in the order of the text */
    int fault_count;
};

/* What values are lowered from. */
struct lower_params {
    const struct program *program;
    const struct shape *const *shapes; /* of all nodes; NULL will do for a program that asks no shapes */
    const int *reduced;            /* [node] the temporary that holds a reduction's value; NULL: there is none */
    struct diags *diags;
};

/* lower.c: the SSA of these results, which have one shape, value-numbered and folded. NULL with a diagnostic where
 * views multiply beyond a bound. */
struct kernel *lower(struct arena *arena, const struct lower_params *params, const int *results, int result_count);
/* The same of one node's value as `dtype`, which goes to a temporary. */
struct kernel *lower_value(struct arena *arena, const struct lower_params *params, int node, enum weft_dtype dtype,
                           int temporary);

/* viewed.c: the inputs that the results read under a view, [input_count]: true for them (rule 5.4). */
bool *find_viewed(struct arena *arena, const struct program *program);

/* Bytes to which the data of each input must be aligned for what reinterprets it, [input_count]; 0: for its
 * own elements alone. */
unsigned char *find_alignments(struct arena *arena, const struct program *program);

/* Whether the instruction divides integers by a literal of moderate size: in the kernel's text the C
 * compiler makes a multiplication of it. */
bool literal_divisor(const struct kernel *kernel, const struct ins *ins, int64_t *divisor);

/* A tensor as a kernel walks it: strides in bytes over the kernel's shape, 0 along stretched dimensions;
 * or where that is not enough to say it, a walk. */
struct view {
    int64_t strides[WEFT_MAX_RANK];
    struct walk *walk;             /* NULL: strides hold */
};

#endif
