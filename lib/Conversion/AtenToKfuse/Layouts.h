//===- Layouts.h - strides of views -----------------------------*- C++ -*-===//
/// \file
/// Where the elements of a view lie in the storage of its operand, in
/// symbolic strides: decides whether an operation only renames elements.
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_LAYOUTS_H
#define KFUSE_CONVERSION_ATENTOKFUSE_LAYOUTS_H

#include "OpContext.h"

namespace mlir::kfuse {

/// A tensor together with where its elements are in the operand's storage, as
/// far as it is a view of that.
struct ViewBuilder {
  OpContext &c;
  Tensor value;
  std::optional<Sizes> strides;
  ExprAttr offset;

  /// Starts with the tensor argument `name`.
  ViewBuilder(OpContext &c, StringRef name);

  void reshape(ArrayRef<ExprAttr> sizes);
  void permute(ArrayRef<int64_t> permutation);
  /// NumPy broadcasting.
  void broadcast(ArrayRef<ExprAttr> sizes);
  /// `size` elements of one dimension.
  void slice(int64_t dim, ExprAttr start, int64_t step, ExprAttr size);
  /// Ends with the operation's only result.
  void yield() { c.yieldView(value, strides, offset); }
};

} // namespace mlir::kfuse

#endif
