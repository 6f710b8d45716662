//===- Scans.cpp - prefix sums and products -------------------------------===//
/// A short prefix sum is a sum over a triangle: element i is the sum of all
/// elements j with j <= i. That takes n additions for each element, which is
/// less than a launch costs as long as there are few of them.

#include "Registry.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// Additions up to which the triangle is faster than PyTorch's scan.
constexpr int64_t kMaxAdditions = int64_t(1) << 26;

bool isSmall(const Tensor &x, int64_t dim) {
  int64_t additions = 1;
  for (auto [i, size] : llvm::enumerate(x.sizes)) {
    std::optional<int64_t> known = size.getConstant();
    if (!known || *known > kMaxAdditions)
      return false;
    additions *= std::max<int64_t>(*known, 1);
    if (static_cast<int64_t>(i) == dim)
      additions *= std::max<int64_t>(*known, 1);
    if (additions > kMaxAdditions)
      return false;
  }
  return true;
}

void buildScan(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  int64_t rank = x.getRank(), dim = c.dim("dim", rank);
  DType dtype =
      c.dtype("dtype").value_or(isFloat(x.dtype) ? x.dtype : DType::I64);
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(b.cast(x, dtype));
  if (c.failed())
    return;
  if (rank == 0)
    return c.yield(b.roundTo(wide, dtype));
  if (!isSmall(x, dim))
    return (void)c.fail("prefix sums of long or symbolic dimensions have no "
                        "kernel");
  Sizes square = x.sizes;
  square.insert(square.begin() + dim, x.sizes[dim]);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(i < dim ? i : i + 1);
  Tensor all = b.broadcastInDims(wide, dims, square);
  Tensor isBefore = b.compare(BodyBuilder::Compare::Le, b.iota(dim + 1, square),
                              b.iota(dim, square));
  double neutral = kind == ReduceKind::Prod ? 1.0 : 0.0;
  Tensor kept = b.select(isBefore, all, b.constant(all, neutral));
  c.yield(b.roundTo(b.reduce(kind, kept, {dim + 1}), dtype));
}
} // namespace

void kfuse::registerScans(Registry &registry) {
  registry.add("cumsum", [](OpContext &c) { buildScan(c, ReduceKind::Sum); });
  registry.add("cumprod", [](OpContext &c) { buildScan(c, ReduceKind::Prod); });
}
