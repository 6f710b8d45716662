//===- Elements.cpp - numbers of any dtype, compared ----------------------===//
#include "Elements.h"

#include <cmath>
#include <cstring>

namespace kfuse {

template <typename T>
static T load(const char *data, int64_t index) {
  T value;
  memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

/// A small float: `exponentBits`, `mantissa` stored bits, bias `bias`.
/// `isFinite`: no infinities, all-ones is NaN. `isUnsignedZero`: 0x80 is NaN.
static double decode(uint32_t bits, int exponentBits, int mantissa, int bias,
                     bool isFinite, bool isUnsignedZero) {
  uint32_t signBit = 1u << (exponentBits + mantissa);
  uint32_t magnitude = bits & (signBit - 1);
  bool isNegative = bits & signBit;
  if (isUnsignedZero && bits == signBit)
    return NAN;
  int exponent = static_cast<int>(magnitude >> mantissa);
  uint32_t fraction = magnitude & ((1u << mantissa) - 1);
  int top = (1 << exponentBits) - 1;
  if (!isUnsignedZero) {
    if (isFinite && magnitude == signBit - 1)
      return NAN;
    if (!isFinite && exponent == top)
      return fraction ? NAN : (isNegative ? -INFINITY : INFINITY);
  }
  double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                               : std::ldexp(fraction + (1u << mantissa),
                                            exponent - bias - mantissa);
  return isNegative ? -value : value;
}

double loadElement(const char *data, KfuseDtype dtype, int64_t index) {
  switch (dtype) {
  case KFUSE_F64:
    return load<double>(data, index);
  case KFUSE_F32:
    return load<float>(data, index);
  case KFUSE_BF16: {
    uint32_t bits = static_cast<uint32_t>(load<uint16_t>(data, index)) << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
  }
  case KFUSE_F16:
    return decode(load<uint16_t>(data, index), 5, 10, 15, false, false);
  case KFUSE_F8E4M3FN:
    return decode(load<uint8_t>(data, index), 4, 3, 7, true, false);
  case KFUSE_F8E5M2:
    return decode(load<uint8_t>(data, index), 5, 2, 15, false, false);
  case KFUSE_F8E4M3FNUZ:
    return decode(load<uint8_t>(data, index), 4, 3, 8, false, true);
  case KFUSE_F8E5M2FNUZ:
    return decode(load<uint8_t>(data, index), 5, 2, 16, false, true);
  case KFUSE_F8E8M0FNU: {
    uint8_t bits = load<uint8_t>(data, index);
    return bits == 255 ? NAN : std::ldexp(1.0, bits - 127);
  }
  case KFUSE_I64:
    return static_cast<double>(load<int64_t>(data, index));
  case KFUSE_U64:
    return static_cast<double>(load<uint64_t>(data, index));
  case KFUSE_I32:
    return load<int32_t>(data, index);
  case KFUSE_U32:
    return load<uint32_t>(data, index);
  case KFUSE_I16:
    return load<int16_t>(data, index);
  case KFUSE_U16:
    return load<uint16_t>(data, index);
  case KFUSE_I8:
    return load<int8_t>(data, index);
  case KFUSE_U8:
  case KFUSE_BOOL:
    return load<uint8_t>(data, index);
  case KFUSE_C128:
    return load<double>(data, 2 * index);
  case KFUSE_C64:
    return load<float>(data, 2 * index);
  case KFUSE_C32:
    return decode(load<uint16_t>(data, 2 * index), 5, 10, 15, false, false);
  default:
    return 0;
  }
}

int mantissaBits(KfuseDtype dtype) {
  switch (dtype) {
  case KFUSE_F64:
  case KFUSE_C128:
    return 53;
  case KFUSE_F32:
  case KFUSE_C64:
    return 24;
  case KFUSE_BF16:
    return 8;
  case KFUSE_F16:
  case KFUSE_C32:
    return 11;
  case KFUSE_F8E4M3FN:
  case KFUSE_F8E4M3FNUZ:
    return 4;
  case KFUSE_F8E5M2:
  case KFUSE_F8E5M2FNUZ:
    return 3;
  default:
    return 0;
  }
}

double ulpDistance(double a, double b, KfuseDtype dtype) {
  int bits = mantissaBits(dtype);
  if (bits == 0 || a == b)
    return a == b ? 0 : std::fabs(a - b);
  double magnitude = std::max(std::fabs(a), std::fabs(b));
  if (!std::isfinite(magnitude))
    return INFINITY;
  int exponent;
  std::frexp(magnitude, &exponent);
  return std::fabs(a - b) / std::ldexp(1.0, exponent - bits);
}

} // namespace kfuse
