//===- MatrixNumbers.h - elements of matrices ------------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_MATRIXNUMBERS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_MATRIXNUMBERS_H

#include "MatrixOps.h"
#include "Numbers.h"

namespace kfuse::sim {

inline uint32_t getMatrixBytes(MatrixType type) {
  static const uint8_t bytes[] = {2, 2, 4, 1, 1, 1, 1, 4, 4, 8};
  return bytes[static_cast<uint32_t>(type)];
}

template <typename T>
inline T loadAs(const char *at) {
  T value;
  memcpy(&value, at, sizeof(value));
  return value;
}

/// The element at an address as a number to multiply.
template <typename T>
inline T toNumber(const char *at, MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return static_cast<T>(fromHalf(loadAs<uint16_t>(at)));
  case MatrixType::BF16:
    return static_cast<T>(fromBrain(loadAs<uint16_t>(at)));
  case MatrixType::TF32:
    return static_cast<T>(toTensorFloat(loadAs<uint32_t>(at)));
  case MatrixType::E4M3:
    return static_cast<T>(fromE4M3(loadAs<uint8_t>(at)));
  case MatrixType::E5M2:
    return static_cast<T>(fromE5M2(loadAs<uint8_t>(at)));
  case MatrixType::S8:
    return static_cast<T>(loadAs<int8_t>(at)); // modulo 2^32 when unsigned
  case MatrixType::U8:
    return static_cast<T>(loadAs<uint8_t>(at));
  case MatrixType::F64:
    return static_cast<T>(loadAs<double>(at));
  case MatrixType::S32:
    return static_cast<T>(loadAs<int32_t>(at));
  case MatrixType::F32:
    return static_cast<T>(loadAs<float>(at));
  }
  return T();
}

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_MATRIXNUMBERS_H
