/* Header of the room check: dtypes, shapes and layouts of a parsed program. Most mistakes in a text
 * are reported here. The next pass is lowering (ir). */
#ifndef WEFT_COMPILER_CHECK_CHECK_H
#define WEFT_COMPILER_CHECK_CHECK_H

#include "compiler/check/axes.h"
#include "compiler/check/layout.h"
#include "compiler/check/losses.h"
#include "compiler/check/wraps.h"
#include "compiler/check/names.h"
#include "compiler/check/reduced.h"
#include "compiler/check/shape.h"
#include "compiler/check/view.h"

/* Gives every node its dtype from the inputs' types. Reports as many errors as it can, and
 * returns false if there was one. */
bool check(struct program *program);

#endif
