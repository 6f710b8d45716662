//===- CudaDriver.h - the CUDA driver through dlopen -----------*- C++ -*-===//
///
/// \file
/// The entry points of libcuda.so.1 that the runtime uses, with declarations
/// of our own after the CUDA driver API reference manual. No CUDA header and
/// no link-time dependency.
///
#ifndef KFUSE_RUNTIME_CORE_CUDADRIVER_H
#define KFUSE_RUNTIME_CORE_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace kfuse {

/// CUresult; 0 is success.
using CuResult = int32_t;
/// CUdeviceptr.
using CuPointer = unsigned long long;

/// Name in the library, return type and parameters of each entry point.
/// Handles (CUcontext, CUmodule, ...) are opaque pointers.
#define KFUSE_CUDA_ENTRIES(X)                                                  \
  X(cuInit, (unsigned))                                                        \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (int *, int))                                                 \
  X(cuDeviceGetName, (char *, int, int))                                       \
  X(cuDeviceGetAttribute, (int *, int, int))                                   \
  X(cuDeviceTotalMem_v2, (size_t *, int))                                      \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                       \
  X(cuCtxGetCurrent, (void **))                                                \
  X(cuCtxSetCurrent, (void *))                                                 \
  X(cuMemAlloc_v2, (CuPointer *, size_t))                                      \
  X(cuMemFree_v2, (CuPointer))                                                 \
  X(cuMemcpyAsync, (CuPointer, CuPointer, size_t, void *))                     \
  X(cuMemcpyHtoDAsync_v2, (CuPointer, const void *, size_t, void *))           \
  X(cuMemcpyDtoHAsync_v2, (void *, CuPointer, size_t, void *))                 \
  X(cuPointerGetAttribute, (void *, int, CuPointer))                           \
  X(cuMemsetD8Async, (CuPointer, unsigned char, size_t, void *))               \
  X(cuModuleLoadData, (void **, const void *))                                 \
  X(cuModuleUnload, (void *))                                                  \
  X(cuModuleGetFunction, (void **, void *, const char *))                      \
  X(cuFuncSetAttribute, (void *, int, int))                                    \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, unsigned, void *, void **, void **))            \
  X(cuStreamSynchronize, (void *))                                             \
  X(cuStreamCreate, (void **, unsigned))                                       \
  X(cuStreamDestroy_v2, (void *))                                              \
  X(cuStreamWaitEvent, (void *, void *, unsigned))                             \
  X(cuEventCreate, (void **, unsigned))                                        \
  X(cuEventDestroy_v2, (void *))                                               \
  X(cuEventRecord, (void *, void *))                                           \
  X(cuEventSynchronize, (void *))                                              \
  X(cuEventElapsedTime, (float *, void *, void *))                             \
  X(cuStreamBeginCapture_v2, (void *, int))                                    \
  X(cuStreamEndCapture, (void *, void **))                                     \
  X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))        \
  X(cuGraphLaunch, (void *, void *))                                           \
  X(cuGraphExecDestroy, (void *))                                              \
  X(cuGraphDestroy, (void *))                                                  \
  X(cuGetErrorName, (CuResult, const char **))                                 \
  X(cuGetErrorString, (CuResult, const char **))

struct CudaDriver {
#define KFUSE_CUDA_MEMBER(name, params) CuResult(*name) params = nullptr;
  KFUSE_CUDA_ENTRIES(KFUSE_CUDA_MEMBER)
#undef KFUSE_CUDA_MEMBER

  /// Why the driver cannot be used; empty when it can.
  std::string problem;
  int deviceCount = 0;

  /// Loads and initialises the driver once for the process; never unloads it.
  static const CudaDriver &get();
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_CUDADRIVER_H
