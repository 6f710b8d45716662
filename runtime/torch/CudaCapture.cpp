//===- CudaCapture.cpp - Allocation pools of CUDA graphs ------------------===//
/// \file
/// Uses torch's CUDA caching allocator when its headers can be compiled; else
/// reports that there are no pools, and the runtime does not capture programs
/// with ATen calls.

#include "CudaCapture.h"

#include <stdexcept>

#ifdef KFUSE_TORCH_HAS_CUDA_HEADERS

#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>

namespace kfuse::aten {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

struct Pool {
  c10::MempoolId_t id;
};

/// Pool names are pairs; torch numbers its graphs in the first and user pools
/// in the second half, both from 1. Ours start high to stay apart.
c10::MempoolId_t newPoolId() {
  static std::atomic<uint64_t> next{uint64_t(1) << 48};
  return {0, next++};
}

} // namespace

bool hasPools() { return true; }

void *beginPool(c10::Device device, void *stream) {
  auto *pool = new Pool{newPoolId()};
  auto native = static_cast<cudaStream_t>(stream);
  allocator::beginAllocateToPool(
      device.index(), pool->id,
      [native](cudaStream_t current) { return current == native; });
  return pool;
}

void endPool(c10::Device device, void *pool) {
  allocator::endAllocateToPool(device.index(), static_cast<Pool *>(pool)->id);
}

void releasePool(c10::Device device, void *pool) {
  auto *ours = static_cast<Pool *>(pool);
  allocator::releasePool(device.index(), ours->id);
  delete ours;
}

} // namespace kfuse::aten

#else

namespace kfuse::aten {

bool hasPools() { return false; }

void *beginPool(c10::Device, void *) {
  throw std::logic_error("built without torch's CUDA allocator");
}

void endPool(c10::Device, void *) {}

void releasePool(c10::Device, void *) {}

} // namespace kfuse::aten

#endif
