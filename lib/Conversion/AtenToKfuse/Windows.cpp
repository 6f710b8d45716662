//===- Windows.cpp - overlapping parts of a tensor ------------------------===//

#include "Layouts.h"
#include "Registry.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// Position `i * step + j * spacing` for each pair of positions.
Tensor getPositions(BodyBuilder &b, ExprAttr steps, int64_t step,
                    ExprAttr count, int64_t spacing) {
  Sizes sizes{steps, count};
  Tensor i = b.iota(0, sizes), j = b.iota(1, sizes);
  return b.add(b.mul(i, b.constant(i, double(step))),
               b.mul(j, b.constant(j, double(spacing))));
}

/// Windows of `size` elements, `step` apart, in a new last dimension.
void buildUnfold(OpContext &c) {
  ViewBuilder view(c, "self");
  int64_t rank = view.value.getRank(), dim = c.dim("dimension", rank);
  int64_t size = c.integer("size"), step = c.integer("step");
  Sizes sizes = c.resultSizes();
  if (c.failed() || rank == 0 || static_cast<int64_t>(sizes.size()) != rank + 1)
    return (void)c.fail("expected a tensor with dimensions");
  Tensor at = getPositions(c.b, sizes[dim], step, c.b.expr(size), 1);
  Tensor windows = c.b.take(view.value, at, dim);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i <= rank; ++i)
    if (i != dim + 1)
      order.push_back(i);
  order.push_back(dim + 1);
  view.value = c.b.permute(windows, order);
  if (view.strides) {
    ExprAttr stride = (*view.strides)[dim];
    (*view.strides)[dim] = ExprAttr::mul(stride, step);
    view.strides->push_back(stride);
  }
  view.yield();
}

/// Any elements of the storage. Its order is known where the tensor is dense.
void buildAsStrided(OpContext &c) {
  ViewBuilder view(c, "self");
  LayoutAttr layout = getLayout(c.op.getArgValue("self"));
  Sizes sizes = c.resultSizes(), strides = c.exprs("stride");
  ExprAttr offset = c.expr("storage_offset", 0);
  c.ignore({"size"});
  if (c.failed() || strides.size() != sizes.size())
    return (void)c.fail("expected a stride for each size");
  if (!layout.isContiguous() || !layout.getOffset().isConstant(0))
    return (void)c.fail("the storage of a tensor with gaps has no kernel");
  BodyBuilder &b = c.b;
  Tensor at = b.size(offset, sizes);
  for (auto [dim, stride] : llvm::enumerate(strides))
    at = b.add(at, b.mul(b.iota(dim, sizes), b.size(stride, sizes)));
  Tensor storage = b.reshape(view.value, {layout.getNumElements()});
  view.value = b.take(storage, at, 0);
  view.strides = strides;
  view.offset = offset;
  view.yield();
}

/// Pairs of numbers for height and width.
SmallVector<int64_t> getPair(OpContext &c, StringRef name) {
  SmallVector<int64_t> values = c.integers(name);
  if (values.empty())
    (void)c.fail("expected a pair of numbers in '" + name + "'");
  values.resize(2, values.empty() ? 1 : values.front());
  return values;
}

/// The elements below each position of a convolution's window, as columns.
void buildImageToColumns(OpContext &c) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> kernel = getPair(c, "kernel_size"),
                       dilation = getPair(c, "dilation"),
                       padding = getPair(c, "padding"),
                       stride = getPair(c, "stride");
  if (c.failed() || x.getRank() != 4)
    return (void)c.fail("expected images with channels");
  BodyBuilder &b = c.b;
  Sizes low(4, b.expr(0)), padded = x.sizes;
  Tensor positions[2];
  for (int64_t i : {0, 1}) {
    int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
    low[2 + i] = b.expr(padding[i]);
    ExprAttr &size = padded[2 + i];
    size = ExprAttr::add(size, b.expr(2 * padding[i]));
    ExprAttr count =
        ExprAttr::add(ExprAttr::floorDiv(ExprAttr::add(size, b.expr(-reach)),
                                         b.expr(stride[i])),
                      b.expr(1));
    positions[i] =
        getPositions(b, b.expr(kernel[i]), dilation[i], count, stride[i]);
  }
  Tensor image = b.pad(x, Scalar::of(int64_t(0)), low, padded);
  // [N, C, kernel rows, rows, kernel columns, columns]
  Tensor windows = b.take(b.take(image, positions[1], 3), positions[0], 2);
  c.yield(b.reshape(b.permute(windows, {0, 1, 2, 4, 3, 5}), c.resultSizes()));
}
} // namespace

void kfuse::registerWindows(Registry &registry) {
  registry.add({"unfold", "unfold_copy"}, buildUnfold);
  registry.add("as_strided", buildAsStrided);
  registry.add("im2col", buildImageToColumns);
}
