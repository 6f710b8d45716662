//===- Numbers.h - small floating-point numbers ----------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_NUMBERS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_NUMBERS_H

#include <cstdint>
#include <cstring>

namespace kfuse::sim {

inline float bitsToFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t floatToBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float fromBrain(uint16_t bits) {
  return bitsToFloat(static_cast<uint32_t>(bits) << 16);
}
/// To nearest even; NaN as PTX makes it.
inline uint16_t toBrain(float value) {
  uint32_t bits = floatToBits(value);
  if (value != value)
    return 0x7FFF;
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float fromHalf(uint16_t bits) {
  _Float16 value;
  memcpy(&value, &bits, sizeof(value));
  return static_cast<float>(value);
}
inline uint16_t toHalf(float value) {
  if (value != value)
    return 0x7FFF;
  auto half = static_cast<_Float16>(value);
  uint16_t bits;
  memcpy(&bits, &half, sizeof(bits));
  return bits;
}

/// e5m2 is the upper half of an f16.
inline float fromE5M2(uint8_t bits) {
  return fromHalf(static_cast<uint16_t>(bits << 8));
}
/// e4m3: no infinities, NaN with all bits set (PTX ISA 5.2.3).
inline float fromE4M3(uint8_t bits) {
  uint32_t exponent = bits >> 3 & 15, mantissa = bits & 7;
  if ((bits & 0x7F) == 0x7F)
    return bitsToFloat(0x7FC00000);
  float size = exponent ? bitsToFloat((exponent + 120) << 23 | mantissa << 20)
                        : static_cast<float>(mantissa) * 0x1p-9f;
  return bits & 0x80 ? -size : size;
}
/// What tf32 takes of an f32.
inline float toTensorFloat(uint32_t bits) {
  return bitsToFloat(bits & 0xFFFFE000);
}

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_NUMBERS_H
