//===- Encode.h - small whole numbers as elements --------------*- C++ -*-===//
///
/// \file
/// The bits of whole numbers that every type of matrix elements holds exactly.
///
#ifndef KFUSE_UNITTESTS_SIMULATOR_ENCODE_H
#define KFUSE_UNITTESTS_SIMULATOR_ENCODE_H

#include <cstdint>
#include <cstring>

namespace kfuse::sim::test {

inline uint32_t encodeFloat(int value) {
  auto number = static_cast<float>(value);
  uint32_t bits;
  memcpy(&bits, &number, 4);
  return bits;
}
inline uint32_t encodeBrain(int value) { return encodeFloat(value) >> 16; }
inline uint32_t encodeHalf(int value) {
  auto number = static_cast<_Float16>(value);
  uint16_t bits;
  memcpy(&bits, &number, 2);
  return bits;
}

} // namespace kfuse::sim::test

#endif // KFUSE_UNITTESTS_SIMULATOR_ENCODE_H
