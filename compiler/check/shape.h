/* Shapes of every node from the shapes of the inputs: broadcasting (rule 5.1). Works on numbers at a
 * call, and on declared types whose extents are partly unknown when checking. */
#ifndef WEFT_SHAPE_H
#define WEFT_SHAPE_H

#include "compiler/lang/lang.h"

/* An extent is a number, or EXTENT_UNKNOWN or EXTENT_VARIABLE - k as in struct type. */
struct shape {
    int rank;
    uint32_t rigid;                /* bit d: dimension d comes from a size variable and never stretches */
    int64_t extents[WEFT_MAX_RANK];
};

/* `inputs` holds one shape for each input, NULL where nothing is known; so does `shapes`, one for
 * each node, afterwards. False, with diagnostics, when shapes do not broadcast. */
bool infer_shapes(struct arena *arena, const struct program *program, struct diags *diags,
                  const struct shape *const *inputs, const struct shape **shapes);
/* The elements of an input that views take as numbers (struct numbers). */
struct contents {
    int count;
    const struct literal *items;   /* NULL: not known */
};
/* The same with such elements: `contents` holds an entry for each input, and may be NULL. */
bool infer_shapes_of(struct arena *arena, const struct program *program, struct diags *diags,
                     const struct shape *const *inputs, const struct contents *contents,
                     const struct shape **shapes);

/* The shape a declared type has: NULL without brackets. */
const struct shape *type_shape(struct arena *arena, const struct type *type);
/* The text of an expression for messages, shortened. */
const char *expression_text(struct arena *arena, const struct program *program, struct span span);
/* "[480, 640, 3]"; unknown extents as ?, size variables by name. */
const char *shape_text(struct arena *arena, const struct program *program, const struct shape *shape);
bool shapes_equal(const struct shape *a, const struct shape *b);
/* Whether all extents are numbers. */
bool shape_known(const struct shape *shape);
/* Whether two shapes surely have as many elements. */
bool shapes_fill(const struct shape *a, const struct shape *b);
/* Number of elements; -1 when it passes what an int64_t of bytes can count. */
int64_t shape_volume(const struct shape *shape);

#endif
