/* Header of the room base: memory, text, tables of names, and diagnostics. All other rooms use it. */
#ifndef WEFT_COMPILER_BASE_BASE_H
#define WEFT_COMPILER_BASE_BASE_H

#include "compiler/base/arena.h"
#include "compiler/base/buf.h"
#include "compiler/base/diag.h"
#include "compiler/base/map.h"
#include "compiler/base/text.h"

#endif
