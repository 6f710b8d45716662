//===- Layouts.cpp - strides of views -------------------------------------===//

#include "Layouts.h"
#include "kfuse/Analysis/ViewStrides.h"

using namespace mlir;
using namespace mlir::kfuse;

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
