/* Types, shapes and layouts of a parsed program: what is wrong with a text is told here. */
#ifndef WEFT_CHECK_H
#define WEFT_CHECK_H

#include "compiler/check/layout.h"
#include "compiler/check/shape.h"
#include "compiler/check/view.h"

/* Dtypes of every node from the inputs' types. Reports several errors. */
bool check(struct program *program);

#endif
