//===- AliasViews.h - ATen operators that return views ----------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_ALIASVIEWS_H
#define KFUSE_LIB_TRANSFORMS_ALIASVIEWS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"

namespace mlir::kfuse {

enum class ViewKind {
  /// The results are fresh.
  None,
  /// The results share the storage of operand 0.
  Alias,
  /// They may or may not; it depends on strides that are not known.
  Unclear,
};

/// Whether the results of `op` are views of its first operand.
ViewKind getViewKind(AtenOp op);

/// True when a new value of the view `op` can be put back into its source.
bool canWriteBack(AtenOp op);

/// The value of the source of the view `op` after its result became
/// `updated`; `source` is the source's value before.
Value buildWriteBack(OpBuilder &builder, AtenOp op, Value source,
                     Value updated);

} // namespace mlir::kfuse

#endif
