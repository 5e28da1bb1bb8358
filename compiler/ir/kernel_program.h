/* A program of kernels: what the results of a text become. Kernels run in order; what one leaves to others lies in
 * temporaries. */
#ifndef WEFT_KERNEL_PROGRAM_H
#define WEFT_KERNEL_PROGRAM_H

#include "compiler/ir/kernel.h"

/* Extents that a call decides, as far as passes ask for them. */
struct open_extents {
    void *user;
    /* The shape with numbers as they might be; NULL: there is no good example. */
    const struct shape *(*example)(void *user, const struct shape *shape);
    /* What two shapes that broadcast together give. */
    const struct shape *(*join)(void *user, const struct shape *a, const struct shape *b);
    /* The number of elements; and how many groups of `each` of them there are, at least 1, times `times`. */
    int64_t (*volume)(void *user, const struct shape *shape);
    int64_t (*groups)(void *user, int64_t extent, int64_t each, int64_t times);
};

/* How the values of a kernel's reduced dimensions are joined. */
struct reduce {
    enum reduction reduction;
    enum weft_dtype dtype;         /* of the values, and of what they are joined to */
    enum weft_dtype result;        /* what that is converted to in the end */
    int to;                        /* the temporary that holds it, without dimensions */
    struct span span;              /* in the text */
};

/* A kernel of the program: an iteration space, and what happens at each of its points. */
struct program_kernel {
    struct kernel *kernel;         /* its loads, instructions and stores */
    const struct shape *space;     /* the iteration space */
    uint32_t reduced;              /* its dimensions, a bit each, that are reduced; the others are parallel */
    struct reduce reduce;          /* where some are: of the value that the kernel stores */
    int order;                     /* of the results that it computes or helps, among all */
};

/* First the kernels that store temporaries, then those that store results. */
struct kernel_program {
    struct arena *arena;
    const struct program *program; /* of the text */
    const struct open_extents *open; /* NULL: all extents are numbers */
    struct program_kernel *kernels;
    int count, first_result;
    struct temporary *temporaries; /* accesses of kind TENSOR_TEMPORARY and TENSOR_TABLE are these */
    int temporary_count;
};

/* Its number. */
int add_temporary(struct kernel_program *program, enum weft_dtype dtype, const struct shape *shape);
/* The kernel's dimensions are parallel. */
void add_kernel(struct kernel_program *program, struct kernel *kernel, const struct shape *space, int order);

#endif
