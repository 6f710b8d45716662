//===- SplitViews.h - views with several results or operands ----*- C++ -*-===//
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_SPLITVIEWS_H
#define KFUSE_CONVERSION_ATENTOKFUSE_SPLITVIEWS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// Replaces an operation that returns several views by one operation for each
/// that is used, and one that takes its sizes from another tensor by one with
/// the sizes themselves; false, and no change, for others.
bool expandViews(AtenOp op);

} // namespace mlir::kfuse

#endif
