/* Layouts of every node from those of the inputs' types (rule 6.4). */
#ifndef WEFT_LAYOUT_H
#define WEFT_LAYOUT_H

#include "compiler/check/shape.h"

/* What an input's type says; "": nothing. */
const char *input_layout(const struct symbol *symbol);

/* For shapes that infer_shapes_of found good; `contents` as there. An entry of `layouts` becomes "" where
 * there is none, and NULL where a rank that is not known decides. False, with diagnostics, where layouts
 * do not go together. */
bool infer_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *shapes, const struct contents *contents,
                   const char **layouts);
/* Without the letters of the dimensions in `dropped`, a bit each. */
const char *layout_without(struct arena *arena, const char *layout, uint32_t dropped);

#endif
