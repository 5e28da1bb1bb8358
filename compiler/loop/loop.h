/* Header of the room loop: turns a kernel on certain shapes into loops. It finds walks, groups dimensions, divides work
 * into chunks, and orders the computation of a block. The room emit writes the text. */
#ifndef WEFT_COMPILER_LOOP_LOOP_H
#define WEFT_COMPILER_LOOP_LOOP_H

#include "compiler/loop/access.h"
#include "compiler/loop/access_kinds.h"
#include "compiler/loop/evaluation.h"
#include "compiler/loop/form.h"
#include "compiler/loop/geometry.h"
#include "compiler/loop/joining.h"
#include "compiler/loop/quotient.h"
#include "compiler/loop/schedule.h"
#include "compiler/loop/slide.h"
#include "compiler/loop/tuning.h"
#include "compiler/loop/walk.h"

#endif
