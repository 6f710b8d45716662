//===- SimulatorFixture.h - small kernels in the simulator -----*- C++ -*-===//
#ifndef KFUSE_UNITTESTS_SIMULATOR_SIMULATORFIXTURE_H
#define KFUSE_UNITTESTS_SIMULATOR_SIMULATORFIXTURE_H

#include "kfuse/Runtime/Simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kfuse::sim::test {

/// A finding with strings of its own.
struct Found {
  KfuseSimKind kind = 0;
  std::string message, place, other;
  KfuseSimThread thread = {}, otherThread = {};
  uint64_t address = 0;
  int32_t argument = 0;
  int64_t count = 0;
};

/// A tensor of 32-bit words unless it is said to be of something else.
struct Buffer {
  explicit Buffer(std::vector<uint32_t> words,
                  KfuseAccess access = KFUSE_ACCESS_READ_WRITE)
      : words(std::move(words)), access(access), dtype(KFUSE_I32),
        sizes({static_cast<int64_t>(this->words.size())}), strides({1}) {}
  /// Words that the kernel has to write.
  static Buffer output(size_t count, KfuseAccess access = KFUSE_ACCESS_WRITE) {
    return Buffer(std::vector<uint32_t>(count, 0), access);
  }
  Buffer as(KfuseDtype type, std::vector<int64_t> extents,
            std::vector<int64_t> steps) && {
    dtype = type, sizes = std::move(extents), strides = std::move(steps);
    return std::move(*this);
  }

  std::vector<uint32_t> words;
  KfuseAccess access;
  KfuseDtype dtype;
  std::vector<int64_t> sizes, strides;
  int64_t skip = 0; ///< bytes before the tensor's first element
};

/// How a kernel is launched.
struct Shape {
  uint32_t grid = 1, block = 32, sharedBytes = 0;
  uint64_t seed = 0, maxSwitches = 0;
  bool isFast = false;
  std::vector<int64_t> numbers = {}; ///< parameters after the pointers
  KfuseSimTiming timing = KFUSE_SIM_LATE;
  uint32_t cluster = 1;
  /// Tensor maps after the numbers; `address` is set to that of the buffer
  /// whose number is in `reserved`.
  std::vector<KfuseSimTensorMap> maps = {};
  /// What parameters are when they are not pointers, numbers, maps: a letter p,
  /// n or m for each.
  std::string order = "";
};

class SimulatorFixture : public ::testing::Test {
protected:
  SimulatorFixture();
  ~SimulatorFixture() override;

  /// Runs a kernel whose operations are `body`; its parameters are %p0, %p1, ..
  /// for the buffers, then %n0, .. for numbers (i64), %m0, .. for maps. %tid is
  /// the thread's number as i32, %cta its block's, and %c0 to %c4, %all are the
  /// constants 0 to 4 and -1. `globals` stands before the function.
  void run(const std::string &body, const Shape &shape = {},
           const std::string &globals = "");
  /// The message of a launch or load that fails; empty when it does not.
  std::string tryRun(const std::string &text, const Shape &shape,
                     const std::string &kernel = "k");

  /// Findings of a kind, of the last run.
  std::vector<Found> of(KfuseSimKind kind) const;
  /// "race, unwritten-output": kinds that were found, each once.
  std::string kinds() const;

  std::vector<Buffer> buffers;
  std::vector<Found> found;

private:
  static void take(void *user, const KfuseSimFinding *finding);
  int32_t launch(void *function, const Shape &shape, KfuseDeviceError &error);
  void configure(const Shape &shape);
  std::string parameters(const Shape &shape) const;

  const KfuseDeviceTable *table;
  void *device = nullptr;
};

/// A store of %v (i32) to word %tid of buffer 0.
extern const char *const storeByThread;
/// `count` words in shared memory, `@s`, at a multiple of `alignment`.
std::string sharedWords(int count, int alignment = 16);
/// Defines `name` as the address of word `index` (an i32 value) of a buffer or,
/// with space 3, of shared memory.
std::string wordAddress(const std::string &name, const std::string &base,
                        const std::string &index, int space = 1);

} // namespace kfuse::sim::test

#endif // KFUSE_UNITTESTS_SIMULATOR_SIMULATORFIXTURE_H
