//===- IndexFunctions.h - tensors that follow from their indices -*- C++
//-*-===//
/// \file
/// Finds out which integer and boolean tensors are affine in their own indices,
/// whatever the inputs are: positions, and the masks made from them.

#ifndef KFUSE_TRANSFORMS_INDEXFUNCTIONS_H
#define KFUSE_TRANSFORMS_INDEXFUNCTIONS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::kfuse {

/// The element at indices `i` is `constant + sum(coefficients[d] * i[d])`, or,
/// of a boolean tensor, whether that is at least 0. Dimensions of size 1 have
/// the coefficient 0.
struct IndexFunction {
  SmallVector<ExprAttr> coefficients;
  ExprAttr constant;

  bool isConstant() const {
    return llvm::all_of(coefficients,
                        [](ExprAttr expr) { return expr.isConstant(0); });
  }
  /// Of a boolean tensor: true or false everywhere; nothing when it differs or
  /// is not known. Of numbers: whether all are at least 0.
  std::optional<bool> getTruth() const;
};

/// Functions of the values of one program. Keeps what it found.
class IndexFunctions {
public:
  /// Nothing when `value` depends on data or is not understood.
  std::optional<IndexFunction> find(Value value);

private:
  std::optional<IndexFunction> compute(AtenOp op);

  llvm::DenseMap<Value, std::optional<IndexFunction>> known;
};

} // namespace mlir::kfuse

#endif
