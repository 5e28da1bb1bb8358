/* Where a kernel's accesses lead: the shapes of what they read and write, and how tensors of these shapes are walked
 * from the iteration space (struct view). It comes before geometry. */
#ifndef WEFT_COMPILER_LOOP_ACCESS_H
#define WEFT_COMPILER_LOOP_ACCESS_H

#include "compiler/ir/ir.h"

/* The shapes to which a program's kernels refer. Extents are numbers, or open as in struct shape. */
struct access_shapes {
    const struct program *program;
    const struct shape *const *inputs; /* [input_count] */
    const struct shape *const *nodes;  /* [node_count] */
    const struct temporary *temporaries;
};

/* Whether the access reads an input's bytes as another type. */
bool access_reinterprets(const struct program *program, const struct access *access);
/* The shape of what access `a` of a kernel over `space` reads or writes. If it reads an input's bytes as elements of
 * another size, this is the input's own shape. */
const struct shape *access_shape(const struct access_shapes *shapes, const struct kernel *kernel,
                                 const struct shape *space, int a);
/* The shape [n] of the elements in a row, for such an access. Extents must be numbers. */
const struct shape *access_row(struct arena *arena, const struct access_shapes *shapes, const struct access *access);

/* Whether the access reads the one element of an input that is passed by value, as its own type or as one of the same
 * size. Under a bounded map it is then read outside, too, where what is read is not used. */
bool access_by_value(const struct program *program, const struct strided *inputs, const struct access *access);
/* Fills views[a] for all accesses of a kernel over `space`. All extents must be numbers, and `maps` are the kernel's
 * maps in numbers. Returns false where bytes do not lie as they are to be reinterpreted; *wrong is then the access. */
bool make_views(struct arena *arena, const struct access_shapes *shapes, const struct operands *operands,
                const struct kernel *kernel, const struct index_map *maps, const struct shape *space,
                struct view *views, const struct access **wrong);

#endif
