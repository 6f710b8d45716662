//===- Random.h - seeded choices -------------------------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_RANDOM_H
#define KFUSE_LIB_SIMULATOR_MACHINE_RANDOM_H

#include <cstdint>

namespace kfuse::sim {

/// SplitMix64 (Steele, Lea and Flood 2014): the same choices for the same seed
/// on every machine. Seed 0 always chooses the first.
class Random {
public:
  explicit Random(uint64_t seed = 0) : state(seed), isOrdered(seed == 0) {}

  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// Below `bound`, which is positive.
  uint64_t below(uint64_t bound) { return isOrdered ? 0 : next() % bound; }

private:
  uint64_t state;
  bool isOrdered;
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_RANDOM_H
