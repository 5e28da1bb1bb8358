/* A program of kernels: what the results of a text become. Kernels run in order and leave values to later ones in
 * temporaries. Passes make it; plans and sources ahead of time are made from it. */
#ifndef WEFT_COMPILER_IR_KERNEL_PROGRAM_H
#define WEFT_COMPILER_IR_KERNEL_PROGRAM_H

#include "compiler/ir/kernel.h"

/* How the values over a kernel's reduced dimensions are joined. */
struct reduce {
    enum join join;
    enum weft_dtype dtype;         /* of the values and of partial results */
    enum weft_dtype result;        /* the dtype to which final values are converted */
    bool finds;                    /* the values are bool, and what is joined is the position of the first true one */
    bool places;                   /* the position of the first extreme value is what is wanted */
    int extreme;                   /* where it finds, the temporary with the elements that are looked for; -1: it does
                                      not matter */
    bool across;                   /* elements that follow one another lie in different rows of memory */
    int to;                        /* the temporary for final values, one for each point of the parallel dimensions */
    struct span span;              /* the place in the text */
};

/* A kernel of the program: an iteration space, and what is computed at each of its points. */
struct program_kernel {
    struct kernel *kernel;         /* its loads, instructions and stores */
    struct kernel *narrowed;       /* the same with narrow integers; NULL: not made yet */
    const struct shape *space;
    int reduced, inner;            /* so many dimensions are reduced, and so many parallel ones follow them; others of
                                      these come first */
    const struct reduce *reduce;   /* how the stored values are joined; NULL: every dimension is parallel */
    int order;                     /* the number of the results' kernel that this is or helps */
};

/* Why a value that is read as neighbours (stencils.c) is computed again for each of them, or stored once. */
enum neighbours_fate {
    AGAIN_REMARKS,                 /* it may make a remark, which counts only where it is used */
    AGAIN_LIGHT,                   /* what is computed more than once takes less than storing and loading */
    AGAIN_SMALL,                   /* it has so few elements that one more kernel takes longer */
    STORED_HEAVY,
    STORED_KERNELS,                /* many kernels that reduce would compute it */
    STORED_MAPS,                   /* a kernel would have too many maps */
    STORED_BORDER,                 /* with what lies around it, as edges would be too many parts */
    STORED_SMALL_BORDER,           /* the same, as they would be too small ones */
    STORED_SUMS,                   /* a correlate's sums along its last dimensions, of which others are summed, */
    STORED_LOOPED,                 /* a correlate's operand with what lies around it, as a loop goes over its terms */
    AGAIN_SUMS                     /* or are not stored, as that saves too little */
};

struct neighbours {
    int node;                      /* the value */
    enum neighbours_fate fate;
    int64_t evaluations;           /* of one element, if it is not stored */
    int64_t more;                  /* what all but one of them take, in vector instructions on a block */
    int64_t maps;                  /* under which what is below would be read, about */
    int64_t elements;              /* -1: not known */
};

/* Kernels that store temporaries come first, then those that store results. */
struct kernel_program {
    struct arena *arena;
    const struct program *program; /* the typed program of the text */
    const struct open_extents *open; /* NULL: all extents are numbers */
    struct program_kernel *kernels;
    int count, first_result;
    struct temporary *temporaries; /* accesses of kind TENSOR_TEMPORARY and TENSOR_TABLE refer to these */
    int temporary_count;
    struct neighbours *neighbours; /* what was decided of values that are read as neighbours */
    int neighbour_count;
};

/* Adds a temporary and returns its number. */
int add_temporary(struct kernel_program *program, enum weft_dtype dtype, const struct shape *shape);
/* Adds a kernel. */
void add_kernel(struct kernel_program *program, struct program_kernel kernel);
/* The same, before all others: for a kernel that reads no temporary. */
void add_kernel_first(struct kernel_program *program, struct program_kernel kernel);

#endif
