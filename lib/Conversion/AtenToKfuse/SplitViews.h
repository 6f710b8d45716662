//===- SplitViews.h - operations that return several views ------*- C++ -*-===//
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_SPLITVIEWS_H
#define KFUSE_CONVERSION_ATENTOKFUSE_SPLITVIEWS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// Replaces an operation that returns a list of parts of its operand by one
/// operation for each part that is used; false, and no change, for others.
bool expandSplitView(AtenOp op);

} // namespace mlir::kfuse

#endif
