//===- FakeDevice.h - a device whose kernels are functions -----*- C++ -*-===//
///
/// \file
/// A device table of kind CUDA over host memory, for tests of launches without
/// a GPU. Kernels are C++ functions found by entry name.
///
#ifndef KFUSE_RUNTIME_TESTS_FAKEDEVICE_H
#define KFUSE_RUNTIME_TESTS_FAKEDEVICE_H

#include "kfuse/Runtime/kfuse.h"

#include <atomic>

namespace kfuse::test {

/// Capability 9.0.
const KfuseDeviceTable *getFakeDevice();
/// The same in host memory for kernels of the architecture "sim"; wants to know
/// the tensors of launches.
const KfuseDeviceTable *getFakeSimulator();

/// What all fake devices did.
struct FakeDeviceCounts {
  std::atomic<int> launches{0};
  std::atomic<int> allocations{0};
  std::atomic<int> graphLaunches{0};
  std::atomic<int> waits{0};
  KfuseLaunchTensor tensors[8] = {}; ///< of the last launch
  uint32_t tensorCount = 0;
  bool failsCaptures = false; ///< set by a test: captures do not begin
};
FakeDeviceCounts &getFakeDeviceCounts();

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TESTS_FAKEDEVICE_H
