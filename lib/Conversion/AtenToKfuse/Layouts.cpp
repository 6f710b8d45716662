//===- Layouts.cpp - strides of views -------------------------------------===//

#include "Layouts.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Sizes that differ in form are taken to differ; a wrong guess only makes a
/// copy of what could have been a view.
static bool isLess(ExprAttr lhs, ExprAttr rhs) {
  std::optional<int64_t> left = lhs.getConstant(), right = rhs.getConstant();
  return left && right ? *left < *right : lhs != rhs;
}

std::optional<Sizes> kfuse::computeViewStrides(ArrayRef<ExprAttr> oldSizes,
                                               ArrayRef<ExprAttr> oldStrides,
                                               ArrayRef<ExprAttr> newSizes) {
  if (newSizes.empty())
    return Sizes();
  MLIRContext *context = newSizes.front().getContext();
  ExprAttr one = ExprAttr::constant(context, 1);
  Sizes result(newSizes.size(), one), sizes, strides;
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

ViewBuilder::ViewBuilder(OpContext &c, StringRef name)
    : c(c), value(c.tensor(name)), offset(c.b.expr(0)) {
  Value operand = c.op.getArgValue(name);
  // What is no tensor of a known element type has no value.
  if (LayoutAttr layout = operand ? getLayout(operand) : LayoutAttr();
      layout && layout.getRank() == value.getRank()) {
    strides = Sizes(layout.getStrides());
    offset = layout.getOffset();
  }
}

void ViewBuilder::reshape(ArrayRef<ExprAttr> sizes) {
  if (strides)
    strides = computeViewStrides(value.sizes, *strides, sizes);
  value = c.b.reshape(value, sizes);
}

void ViewBuilder::permute(ArrayRef<int64_t> permutation) {
  if (strides) {
    Sizes old = *strides;
    for (auto [i, from] : llvm::enumerate(permutation))
      (*strides)[i] = old[from];
  }
  value = c.b.permute(value, permutation);
}

void ViewBuilder::broadcast(ArrayRef<ExprAttr> sizes) {
  if (strides) {
    size_t added = sizes.size() - strides->size();
    Sizes expanded(sizes.size(), c.b.expr(0));
    for (auto [i, stride] : llvm::enumerate(*strides))
      if (!value.sizes[i].isConstant(1) || sizes[added + i].isConstant(1))
        expanded[added + i] = stride;
    strides = expanded;
  }
  value = c.b.broadcast(value, sizes);
}

void ViewBuilder::slice(int64_t dim, ExprAttr start, int64_t step,
                        ExprAttr size) {
  if (strides) {
    ExprAttr &stride = (*strides)[dim];
    offset = ExprAttr::add(offset, ExprAttr::mul(start, stride));
    stride = ExprAttr::mul(stride, step);
  }
  Sizes starts(value.getRank(), c.b.expr(0)), sizes = value.sizes;
  SmallVector<int64_t> steps(value.getRank(), 1);
  starts[dim] = start;
  steps[dim] = step;
  sizes[dim] = size;
  value = c.b.slice(value, starts, steps, sizes);
}
