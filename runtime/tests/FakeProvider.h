//===- FakeProvider.h - a handful of operators -----------------*- C++ -*-===//
///
/// \file
/// A provider for tests: f32 add, mul, relu, in-place add, transpose (a view),
/// nonzero (data-dependent size), item (a scalar) over host memory.
///
#ifndef KFUSE_RUNTIME_TESTS_FAKEPROVIDER_H
#define KFUSE_RUNTIME_TESTS_FAKEPROVIDER_H

#include "kfuse/Runtime/Provider.h"

#include <atomic>

namespace kfuse::test {

const KfuseProviderTable *getFakeProvider();
/// The same with pools for captures.
const KfuseProviderTable *getCapturingProvider();
/// What all capturing providers were asked for.
struct CaptureCounts {
  int begun = 0, ended = 0, released = 0;
};
CaptureCounts &getCaptureCounts();
/// Handles that nobody has released.
std::atomic<int> &getLiveHandles();

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TESTS_FAKEPROVIDER_H
