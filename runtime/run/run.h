/* Runs: arguments become tensors, plans are found for them, and plans run on threads or on a GPU. */
#ifndef WEFT_RUNTIME_RUN_RUN_H
#define WEFT_RUNTIME_RUN_RUN_H

#include "runtime/run/call.h"

#endif
