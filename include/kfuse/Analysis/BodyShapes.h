//===- BodyShapes.h - symbolic sizes in a fusion's body ---------*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_BODYSHAPES_H
#define KFUSE_ANALYSIS_BODYSHAPES_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::kfuse {

/// Symbolic sizes of every tensor in the body of a fusion: the arguments have
/// those of the operands' layouts, the other values follow. Immutable after
/// construction; holds no reference to the IR's lifetime beyond the values it
/// was computed for.
class BodyShapes {
public:
  /// Computes all sizes; fails without a diagnostic when an operation is not
  /// one of the known body operations.
  static FailureOr<BodyShapes> compute(FusionOp fusion);

  /// The sizes of `value`; empty for scalars and rank 0.
  ArrayRef<ExprAttr> getSizes(Value value) const {
    auto it = sizes.find(value);
    return it == sizes.end() ? ArrayRef<ExprAttr>() : ArrayRef(it->second);
  }

  /// Number of elements of `value`.
  ExprAttr getNumElements(Value value) const {
    return ExprAttr::product(value.getContext(), getSizes(value));
  }

private:
  LogicalResult visit(Operation &op);

  DenseMap<Value, SmallVector<ExprAttr>> sizes;
};

} // namespace mlir::kfuse

#endif
