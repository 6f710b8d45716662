//===- Tensor.h - tensors in host memory -----------------------*- C++ -*-===//
///
/// \file
/// Owned host tensors, .npy files and element access for kfuse-run.
///
#ifndef KFUSE_TOOLS_SESSION_TENSOR_H
#define KFUSE_TOOLS_SESSION_TENSOR_H

#include "Elements.h"
#include "kfuse/Runtime/kfuse.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kfuse {

/// Row-major unless `strides` say otherwise; strides are in elements.
struct HostTensor {
  KfuseDtype dtype = KFUSE_F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<char> data;

  int64_t count() const;
  void setRowMajor();
};

/// Reads a version 1 to 3 .npy file; throws kfuse::Error.
HostTensor readNpy(const std::string &path);
/// Writes a row-major tensor. bf16 and 8-bit floats, which NumPy lacks, are
/// written as unsigned integers of their bits.
void writeNpy(const std::string &path, const HostTensor &tensor);

/// Stores a number, rounded to the tensor's dtype.
void storeNumber(HostTensor &tensor, int64_t index, double value);

/// Standard normal numbers, fair booleans, integers in [0, intLimit).
void fillRandom(HostTensor &tensor, std::mt19937_64 &random, int64_t intLimit);

[[noreturn]] void fail(const std::string &message,
                       KfuseStatus status = KFUSE_INVALID_ARGUMENT);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_TENSOR_H
