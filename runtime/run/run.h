/* Runs: arguments become tensors, plans are found for them, and plans run on threads or on a GPU. */
#ifndef WEFT_RUN_ROOM_H
#define WEFT_RUN_ROOM_H

#include "runtime/run/call.h"

#endif
