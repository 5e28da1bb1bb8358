/* Runs: arguments become tensors, tensors find their plans, and plans run on threads or on a GPU. */
#ifndef WEFT_RUN_ROOM_H
#define WEFT_RUN_ROOM_H

#include "runtime/run/call.h"

#endif
