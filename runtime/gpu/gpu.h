/* GPUs: the CUDA driver and NVRTC, opened when they are first wanted, and what a context has on a device: memory,
 * modules, remarks. */
#ifndef WEFT_GPU_ROOM_H
#define WEFT_GPU_ROOM_H

#include "runtime/gpu/device.h"
#include "runtime/gpu/driver.h"
#include "runtime/gpu/find.h"
#include "runtime/gpu/memory.h"
#include "runtime/gpu/module.h"
#include "runtime/gpu/nvrtc.h"
#include "runtime/gpu/remarks.h"

#endif
