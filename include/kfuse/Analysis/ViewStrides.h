//===- ViewStrides.h - strides of a view of other sizes ---------*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_VIEWSTRIDES_H
#define KFUSE_ANALYSIS_VIEWSTRIDES_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// Strides under which a tensor of `oldSizes` and `oldStrides` has `newSizes`
/// without a copy (`at::detail::computeStride`); nothing where that is not
/// known to be possible.
std::optional<SmallVector<ExprAttr>>
computeViewStrides(ArrayRef<ExprAttr> oldSizes, ArrayRef<ExprAttr> oldStrides,
                   ArrayRef<ExprAttr> newSizes);

} // namespace mlir::kfuse

#endif
