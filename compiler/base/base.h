/* The ground that passes stand on: memory, text, tables of names, and diagnostics. */
#ifndef WEFT_BASE_ROOM_H
#define WEFT_BASE_ROOM_H

#include "compiler/base/arena.h"
#include "compiler/base/buf.h"
#include "compiler/base/diag.h"
#include "compiler/base/map.h"

#endif
