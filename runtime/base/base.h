/* What every other room of the runtime builds on: threads, the environment, forks, writing files and
 * the log. */
#ifndef WEFT_RUNTIME_BASE_BASE_H
#define WEFT_RUNTIME_BASE_BASE_H

#include "runtime/base/clock.h"
#include "runtime/base/environment.h"
#include "runtime/base/forklock.h"
#include "runtime/base/log.h"
#include "runtime/base/threads.h"
#include "runtime/base/write.h"

#endif
