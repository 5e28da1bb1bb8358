/* Where a kernel's accesses lead: the shapes of what they read and write, and how tensors of those shapes are
 * walked from the iteration space (struct view). */
#ifndef WEFT_ACCESS_H
#define WEFT_ACCESS_H

#include "compiler/ir/ir.h"

/* Shapes that a program's kernels refer to. Extents are numbers, or open ones as in struct shape. */
struct access_shapes {
    const struct program *program;
    const struct shape *const *inputs; /* [input_count] */
    const struct shape *const *nodes;  /* [node_count] */
    const struct temporary *temporaries;
};

/* Whether an input's bytes are read as another type. */
bool access_reinterprets(const struct program *program, const struct access *access);
/* The shape of what access `a` of a kernel over `space` leads to. Of an input whose bytes are read as elements
 * of another size it is the input's own. */
const struct shape *access_shape(const struct access_shapes *shapes, const struct kernel *kernel,
                                 const struct shape *space, int a);
/* Its elements in a row, where they are read as another type; extents are numbers. */
const struct shape *access_row(struct arena *arena, const struct access_shapes *shapes, const struct access *access);

/* A tensor of the caller's, as far as walking it goes. */
struct strided {
    int rank;
    const int64_t *extents;
    const int64_t *strides;        /* in elements; NULL: dense and row-major */
    bool by_value;                 /* it comes as a value: no map matters */
};

/* Tensors of the caller's, by position; `results` NULL: dense ones. */
struct operands {
    const struct strided *inputs, *results;
};

/* views[a] for all accesses of a kernel over `space`; all extents are numbers. `maps` are the kernel's, in
 * numbers. False where bytes do not lie as they are reinterpreted: *access is then the access. */
bool make_views(struct arena *arena, const struct access_shapes *shapes, const struct operands *operands,
                const struct kernel *kernel, const struct index_map *maps, const struct shape *space,
                struct view *views, const struct access **wrong);

#endif
