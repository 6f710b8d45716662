//===- ViewStrides.cpp - strides of a view of other sizes -----------------===//

#include "kfuse/Analysis/ViewStrides.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Sizes that differ in form are taken to differ; a wrong guess only makes a
/// copy of what could have been a view.
static bool isLess(ExprAttr lhs, ExprAttr rhs) {
  std::optional<int64_t> left = lhs.getConstant(), right = rhs.getConstant();
  return left && right ? *left < *right : lhs != rhs;
}

std::optional<SmallVector<ExprAttr>>
kfuse::computeViewStrides(ArrayRef<ExprAttr> oldSizes,
                          ArrayRef<ExprAttr> oldStrides,
                          ArrayRef<ExprAttr> newSizes) {
  if (newSizes.empty())
    return SmallVector<ExprAttr>();
  MLIRContext *context = newSizes.front().getContext();
  ExprAttr one = ExprAttr::constant(context, 1);
  SmallVector<ExprAttr> result(newSizes.size(), one), sizes, strides;
  for (auto [size, stride] : llvm::zip_equal(oldSizes, oldStrides))
    if (!size.isConstant(1)) {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  int64_t next = static_cast<int64_t>(newSizes.size()) - 1;
  ExprAttr base = one, oldCount = one, newCount = one;
  bool isChunkStart = true;
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 1; dim >= 0; --dim) {
    if (isChunkStart)
      base = strides[dim];
    oldCount = ExprAttr::mul(oldCount, sizes[dim]);
    isChunkStart =
        dim == 0 || strides[dim - 1] != ExprAttr::mul(oldCount, base);
    if (!isChunkStart)
      continue;
    while (next >= 0 &&
           (isLess(newCount, oldCount) || newSizes[next].isConstant(1))) {
      result[next] = ExprAttr::mul(newCount, base);
      newCount = ExprAttr::mul(newCount, newSizes[next--]);
    }
    if (newCount != oldCount)
      return std::nullopt;
    oldCount = newCount = one;
  }
  for (; next >= 0; --next)
    if (!newSizes[next].isConstant(1))
      return std::nullopt;
  return result;
}
