/* The functions of the fake driver and NVRTC that tests here call directly; both libraries are
 * linked. Handles are void *. */
#ifndef MOCKCUDA_DRIVER_H
#define MOCKCUDA_DRIVER_H

#include "mockcuda.h"

#include <stddef.h>
#include <stdint.h>

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra);
int cuLaunchHostFunc(void *stream, void (*call)(void *), void *user);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemAllocAsync(uint64_t *address, size_t size, void *stream);
int cuMemFreeAsync(uint64_t address, void *stream);
int cuMemHostAlloc(void **memory, size_t size, unsigned flags);
int cuMemFreeHost(void *memory);
int cuMemGetInfo_v2(size_t *available, size_t *total);
int cuMemHostRegister_v2(void *memory, size_t size, unsigned flags);
int cuMemHostUnregister(void *memory);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream);
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t size, void *stream);
int cuPointerGetAttribute(void *value, int attribute, uint64_t address);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamQuery(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamIsCapturing(void *stream, int *status);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph,
                              const void *const **nodes, size_t *count);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphDestroy(void *graph);
int cuGraphExecDestroy(void *exec);
int cuGraphRetainUserObject(void *graph, void *object, unsigned references, unsigned flags);
int cuUserObjectCreate(void **object, void *user, void (*destroy)(void *), unsigned references,
                       unsigned flags);
int cuEventCreate(void **event, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventSynchronize(void *event);
int cuEventDestroy_v2(void *event);

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(void **program, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *names);
int nvrtcCompileProgram(void *program, int count, const char *const *options);
int nvrtcGetProgramLogSize(void *program, size_t *size);
int nvrtcGetProgramLog(void *program, char *log);
int nvrtcGetPTXSize(void *program, size_t *size);
int nvrtcGetPTX(void *program, char *ptx);
int nvrtcGetCUBINSize(void *program, size_t *size);
int nvrtcGetCUBIN(void *program, char *cubin);
int nvrtcDestroyProgram(void **program);

#endif
