//===- Pointwise.h - operands of elementwise operations ---------*- C++ -*-===//
/// \file
/// Type promotion, conversion to the computing type and broadcasting of the
/// operands of elementwise operations (what ATen's TensorIterator does).
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_POINTWISE_H
#define KFUSE_CONVERSION_ATENTOKFUSE_POINTWISE_H

#include "Registry.h"

namespace mlir::kfuse {

/// A tensor argument or a Python number, which may be an expression of sizes.
struct Operand {
  std::optional<Tensor> tensor;
  Scalar scalar;
  ExprAttr expr = {};
};

Operand getOperand(OpContext &c, StringRef name);

/// The type that `operands` have in common; integers become f32 when
/// `toFloat`.
DType getCommonType(ArrayRef<Operand> operands, bool toFloat = false);

/// The operand, converted to `common`, in the computing type of `common`, in
/// the shape of the operation's first result.
Tensor prepare(OpContext &c, const Operand &operand, DType common);
Tensor prepare(OpContext &c, const Tensor &tensor, DType common);
/// Like `prepare`, but in type `common` itself: for operations that only move
/// values.
Tensor prepareUnwidened(OpContext &c, const Operand &operand, DType common);

/// `x * y + z` with one rounding, as contracted in ATen's CUDA kernels;
/// integers wrap.
Tensor fma(BodyBuilder &b, const Tensor &x, const Tensor &y, const Tensor &z);

/// `1 / (1 + exp(-x))`
Tensor sigmoid(BodyBuilder &b, const Tensor &x);

/// How the type of a unary operation follows from its operand's.
enum class UnaryType { Float, Same };
using UnaryFunction = std::function<Tensor(OpContext &, const Tensor &)>;
/// Registers an operation on `self` (or `input`).
void addUnary(Registry &registry, StringRef name, UnaryType type,
              UnaryFunction function);

using BinaryFunction =
    std::function<Tensor(BodyBuilder &, const Tensor &, const Tensor &)>;
/// Registers an operation on `self` and `other` in their common type.
void addBinary(Registry &registry, StringRef name, bool toFloat,
               BinaryFunction function);

} // namespace mlir::kfuse

#endif
