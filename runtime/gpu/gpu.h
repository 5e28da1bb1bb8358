/* GPUs: the CUDA driver and NVRTC, opened at their first use, and what a context keeps on a device: memory,
 * modules and remarks. */
#ifndef WEFT_RUNTIME_GPU_GPU_H
#define WEFT_RUNTIME_GPU_GPU_H

#include "runtime/gpu/device.h"
#include "runtime/gpu/driver.h"
#include "runtime/gpu/find.h"
#include "runtime/gpu/memory.h"
#include "runtime/gpu/module.h"
#include "runtime/gpu/nvrtc.h"
#include "runtime/gpu/faults.h"

#endif
