//===- SideEffects.h - which operations must stay in order ------*- C++ -*-===//
#ifndef KFUSE_TRANSFORMS_SIDEEFFECTS_H
#define KFUSE_TRANSFORMS_SIDEEFFECTS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// The operator's name in a target, without namespace and overload: `add` in
/// `aten::add.Tensor`.
StringRef getOperatorName(StringRef target);

/// True for an operation that nothing may move across: one that writes to its
/// operands (`aten::add_.Tensor`, `out=` overloads), draws random numbers or
/// is not known to kfuse. Plain ATen calls are pure in this sense.
bool hasSideEffects(Operation *op);

/// True for those of them that write to their operands, or may.
bool mayWrite(Operation *op);

/// True for a schema name of an in-place operator: `aten::add_.Tensor`.
bool isInPlaceTarget(StringRef target);

} // namespace mlir::kfuse

#endif
