//===- Fiber.h - stacks that threads run on --------------------*- C++ -*-===//
///
/// \file
/// One fiber runs one CUDA thread. A fiber is left where it waits and may be
/// dropped there without being unwound: code that waits owns nothing on its
/// stack.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_FIBER_H
#define KFUSE_LIB_SIMULATOR_MACHINE_FIBER_H

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kfuse::sim {

/// Stacks of one size, with an unmapped page below each.
class StackPool {
public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  static constexpr size_t stackBytes = 128 << 10;

  /// Top of a free stack; null when there is no memory.
  char *take();
  void giveBack(char *top) { unused.push_back(top); }
  /// All stacks are free again, whatever runs on them.
  void reset() { unused = all; }

private:
  std::vector<char *> all, unused;
  std::vector<char *> slabs;
};

/// A place to return to.
using Context = boost::context::detail::fcontext_t;

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_FIBER_H
