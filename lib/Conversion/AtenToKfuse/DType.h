//===- DType.h - PyTorch's element types and promotion ----------*- C++ -*-===//
/// \file
/// Element types that bodies compute with, the types that ATen's kernels
/// accumulate in, and the promotion rules of `at::result_type`.
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_DTYPE_H
#define KFUSE_CONVERSION_ATENTOKFUSE_DTYPE_H

#include "mlir/IR/Types.h"
#include <optional>

namespace mlir::kfuse {

/// Element types known to bodies, in the order of promotion.
enum class DType { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };

/// The element type of an import-level tensor type; nothing for those that
/// bodies do not compute with (complex, fp8, wider unsigned integers).
std::optional<DType> getDType(Type elementType);

/// The signless element type of `dtype` inside a body.
Type getBodyElementType(MLIRContext *context, DType dtype);

inline bool isFloat(DType dtype) { return dtype >= DType::F16; }
inline bool isIntegral(DType dtype) { return dtype <= DType::I64; }
/// Integers compared, divided, shifted and widened as unsigned ones.
inline bool isUnsigned(DType dtype) { return dtype <= DType::U8; }
inline bool isHalf(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16;
}

/// The type that ATen's CUDA kernels compute in (`at::opmath_type`).
inline DType getOpMath(DType dtype) {
  return isHalf(dtype) ? DType::F32 : dtype;
}

/// `c10::promoteTypes`.
DType promote(DType lhs, DType rhs);

/// Collects the operands of an operation for type promotion: tensors with
/// dimensions count before 0-dimensional ones, those before Python scalars.
class Promotion {
public:
  void addTensor(DType dtype, bool hasDims);
  /// A Python scalar: floats count as f32, integers as i64.
  void addScalar(DType dtype);
  DType get() const;

private:
  std::optional<DType> dims, zeroDims, scalars;
};

} // namespace mlir::kfuse

#endif
