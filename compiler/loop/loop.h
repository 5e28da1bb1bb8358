/* How a kernel goes over its elements: walks, dimensions in groups, chunks, and the order of a block. */
#ifndef WEFT_LOOP_ROOM_H
#define WEFT_LOOP_ROOM_H

#include "compiler/loop/access.h"
#include "compiler/loop/form.h"
#include "compiler/loop/geometry.h"
#include "compiler/loop/schedule.h"
#include "compiler/loop/walk.h"

#endif
