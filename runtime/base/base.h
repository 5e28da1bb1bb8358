/* What all of the runtime stands on: threads, the environment, forks, files, and telling the caller. */
#ifndef WEFT_RUNTIME_BASE_ROOM_H
#define WEFT_RUNTIME_BASE_ROOM_H

#include "runtime/base/environment.h"
#include "runtime/base/forklock.h"
#include "runtime/base/log.h"
#include "runtime/base/threads.h"
#include "runtime/base/write.h"

#endif
