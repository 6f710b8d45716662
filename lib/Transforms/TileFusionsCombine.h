//===- TileFusionsCombine.h - combiners of reductions -----------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEFUSIONSCOMBINE_H
#define KFUSE_LIB_TRANSFORMS_TILEFUSIONSCOMBINE_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"

namespace mlir::kfuse::tile {

/// How the values of one reduction are combined: one value, or the value and
/// its i64 position for an arg_reduce. Works on scalars and vectors.
class Combiner {
public:
  explicit Combiner(Operation *reduction);

  Operation *getOp() const { return op; }
  Value getSource() const { return op->getOperand(0); }
  bool hasPosition() const { return isa<ArgReduceOp>(op); }

  /// Neutral values of the given shape of the element type (a vector of
  /// `lanes`, a scalar for 0).
  SmallVector<Value> getNeutral(OpBuilder &builder, Location loc,
                                unsigned lanes) const;
  SmallVector<Value> combine(OpBuilder &builder, Location loc, ValueRange lhs,
                             ValueRange rhs) const;

private:
  Value combineValues(OpBuilder &builder, Location loc, Value lhs,
                      Value rhs) const;
  TypedAttr getNeutralAttr(OpBuilder &builder, Type type) const;

  Operation *op;
  ReduceKind kind;
  bool isUnsigned;
};

} // namespace mlir::kfuse::tile

#endif
