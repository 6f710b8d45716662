//===- Nvtx.h - ranges for NVIDIA's profilers ------------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_RUN_NVTX_H
#define KFUSE_TOOLS_KFUSE_RUN_NVTX_H

#include "kfuse/Runtime/kfuse.h"

#include <string>

namespace kfuse {

/// A tracer that pushes and pops NVTX ranges. NVTX is opened as a library, so
/// that no CUDA header is needed; a profiler hooks into it as into any other.
/// `library` is its path, or "auto" to look for the usual names. Throws
/// kfuse::Error when there is none. The library stays open.
KfuseTracer openNvtx(const std::string &library);

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_RUN_NVTX_H
