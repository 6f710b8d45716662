//===- Internal.h - parts of the evaluator ----------------------*- C++ -*-===//
#ifndef KFUSE_LIB_REFERENCE_INTERNAL_H
#define KFUSE_LIB_REFERENCE_INTERNAL_H

#include "kfuse/Reference/Evaluator.h"

namespace mlir::kfuse::reference {

/// One result of `op` from its operands, shape and element type already set;
/// failure without a message when the operation is of another kind.
LogicalResult evaluateElementwise(Operation *op,
                                  ArrayRef<const DenseTensor *> operands,
                                  DenseTensor &result);
LogicalResult evaluateConversion(Operation *op, const DenseTensor &operand,
                                 DenseTensor &result);
LogicalResult evaluateShapeOp(Operation *op,
                              ArrayRef<const DenseTensor *> operands,
                              const Symbols &symbols, DenseTensor &result);
LogicalResult evaluateIndexing(Operation *op,
                               ArrayRef<const DenseTensor *> operands,
                               DenseTensor &result);
LogicalResult evaluateReduction(Operation *op, const DenseTensor &source,
                                DenseTensor &result);

/// Value of an expression; an error at `op` when a symbol is not bound.
FailureOr<int64_t> evaluate(Operation *op, ExprAttr expr,
                            const Symbols &symbols);
FailureOr<SmallVector<int64_t>> evaluate(Operation *op, ArrayAttr exprs,
                                         const Symbols &symbols);

/// Calls `visit` with each position in `shape`, in row-major order.
void forEachPosition(ArrayRef<int64_t> shape,
                     llvm::function_ref<void(ArrayRef<int64_t>)> visit);
/// Row-major number of a position.
int64_t linearize(ArrayRef<int64_t> position, ArrayRef<int64_t> shape);

} // namespace mlir::kfuse::reference

#endif
