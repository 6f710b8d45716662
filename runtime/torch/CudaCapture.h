//===- CudaCapture.h - Allocation pools of CUDA graphs ----------*- C++ -*-===//
/// \file
/// Memory that ATen allocates while a CUDA graph is captured must stay reserved
/// as long as the graph can be replayed.

#ifndef KFUSE_RUNTIME_TORCH_CUDACAPTURE_H
#define KFUSE_RUNTIME_TORCH_CUDACAPTURE_H

#include <c10/core/Device.h>

namespace kfuse::aten {

/// Whether this build can redirect allocations (a torch with CUDA).
bool hasPools();

/// From now on, allocations on `stream` (a native handle) of `device` come from
/// a new private pool. Call before the capture starts.
void *beginPool(c10::Device device, void *stream);

/// Ends the redirection that `beginPool` started. Its memory stays reserved.
void endPool(c10::Device device, void *pool);

/// Gives the pool's memory back once no graph uses it.
void releasePool(c10::Device device, void *pool);

} // namespace kfuse::aten

#endif // KFUSE_RUNTIME_TORCH_CUDACAPTURE_H
