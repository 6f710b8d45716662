//===- Reductions.h - reductions as ATen accumulates them -------*- C++ -*-===//
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_REDUCTIONS_H
#define KFUSE_CONVERSION_ATENTOKFUSE_REDUCTIONS_H

#include "Registry.h"

namespace mlir::kfuse {

/// Number of elements along `dims`.
ExprAttr countElements(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims);

/// The sizes of `x` with 1 in place of `dims`.
Sizes keepDims(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims);

/// A reduced value of `x`, repeated along the dimensions it was reduced by.
Tensor spread(BodyBuilder &b, const Tensor &reduced, const Tensor &x,
              ArrayRef<int64_t> dims);

/// A symbolic count, as the float type of `like`, in its shape.
Tensor countAsFloat(BodyBuilder &b, const Tensor &like, ExprAttr count);

/// Sum divided by the number of elements, in the computing type.
Tensor mean(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims);

struct Moments {
  Tensor centered; ///< x - mean
  Tensor mean;
  Tensor squares; ///< sum of the squares of `centered`
};
/// Two passes over `x`: the mean, then the squared distances from it.
Moments computeMoments(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims);

} // namespace mlir::kfuse

#endif
