/* The layout pass: gives every node a layout from the layouts of the inputs (rule 6.4). */
#ifndef WEFT_COMPILER_CHECK_LAYOUT_H
#define WEFT_COMPILER_CHECK_LAYOUT_H

#include "compiler/check/shape.h"

/* The layout that an input's type states; "" if none. */
const char *input_layout(const struct symbol *symbol);

/* Computes a layout for each node, after infer_shapes has succeeded with the same `contents`. An entry of `layouts`
 * becomes "" for no layout, and NULL where that depends on a rank that is not known. Returns false, with diagnostics,
 * where layouts do not go together. */
bool infer_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *shapes, const struct contents *contents, const char **layouts);
/* Adds a warning for the first value without a layout or names that looks like a picture, and whose neighbours lie, for
 * want of axes, along its channels, too. Shapes and layouts are as far as they are known. */
void warn_channels(struct program *program, const struct shape *const *shapes, const char *const *layouts);
/* Finds the positions of axes that are letters of a layout (rule 9.5), of views and reductions. Ranks are not known
 * yet: where one turns out to be another than the layout's length, the value has no layout, and the shape pass reports
 * it. Returns false, with diagnostics, where a letter names nothing. */
bool resolve_letters(struct program *program);
/* The layout without the letters of the dimensions in `dropped`, a bit for each. */
const char *layout_without(struct arena *arena, const char *layout, uint32_t dropped);

struct view_args;
/* The layout of a view by axes (view_axes) of a value with this one (NULL: not known): letters go with their
 * dimensions, an index drops its dimension's, a new dimension clears the layout. */
const char *layout_by_axes(struct arena *arena, const struct view_args *args, const char *layout);

#endif
