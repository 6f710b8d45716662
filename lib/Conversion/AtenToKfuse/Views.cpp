//===- Views.cpp - operations that only rename elements -------------------===//
/// Each is a view where the recorded layout is that of the operand's storage,
/// and else a copy with the same body.

#include "Layouts.h"
#include "Registry.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// The result's sizes say all that the arguments do.
void buildReshape(OpContext &c) {
  for (Attribute name : c.op.getNames())
    if (cast<StringAttr>(name).getValue() != "dtype")
      c.ignore({cast<StringAttr>(name).getValue()});
  ViewBuilder view(c, c.has("self") ? "self" : "input");
  view.reshape(c.resultSizes());
  view.yield();
}

void buildIdentity(OpContext &c) {
  c.ignore({"memory_format", "implicit"});
  ViewBuilder view(c, c.has("self") ? "self" : "input");
  view.yield();
}

void buildDropout(OpContext &c) {
  c.ignore({"p"});
  if (c.flag("train", true))
    return (void)c.fail("dropout in training draws random numbers");
  buildIdentity(c);
}

void permuteBy(OpContext &c,
               llvm::function_ref<void(SmallVectorImpl<int64_t> &)> change) {
  ViewBuilder view(c, "self");
  auto permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, view.value.getRank()));
  change(permutation);
  if (c.failed())
    return;
  if (!isPermutationVector(permutation))
    return (void)c.fail("expected a permutation of the dimensions");
  view.permute(permutation);
  view.yield();
}

void buildPermute(OpContext &c) {
  permuteBy(c, [&](SmallVectorImpl<int64_t> &permutation) {
    int64_t rank = permutation.size();
    permutation.clear();
    for (int64_t dim : c.integers("dims"))
      permutation.push_back(c.wrapDim(dim, rank));
    if (static_cast<int64_t>(permutation.size()) != rank)
      (void)c.fail("expected one position for each dimension");
  });
}

void swapDims(OpContext &c, StringRef first, StringRef second) {
  permuteBy(c, [&](SmallVectorImpl<int64_t> &permutation) {
    int64_t rank = permutation.size();
    int64_t lhs = c.dim(first, rank), rhs = c.dim(second, rank);
    if (rank > 0)
      std::swap(permutation[lhs], permutation[rhs]);
  });
}

void reverseDims(OpContext &c) {
  permuteBy(c, [&](SmallVectorImpl<int64_t> &permutation) {
    std::reverse(permutation.begin(), permutation.end());
  });
}

void swapLastDims(OpContext &c) {
  permuteBy(c, [&](SmallVectorImpl<int64_t> &permutation) {
    if (permutation.size() < 2)
      return (void)c.fail("expected two dimensions");
    std::swap(permutation.end()[-1], permutation.end()[-2]);
  });
}

void buildMoveDim(OpContext &c) {
  permuteBy(c, [&](SmallVectorImpl<int64_t> &permutation) {
    int64_t rank = permutation.size();
    SmallVector<int64_t> from = c.integers("source"),
                         to = c.integers("destination");
    if (from.size() != to.size())
      return (void)c.fail("expected as many destinations as sources");
    SmallVector<int64_t> result(rank, -1);
    for (auto [source, destination] : llvm::zip_equal(from, to)) {
      source = c.wrapDim(source, rank);
      result[c.wrapDim(destination, rank)] = source;
    }
    int64_t next = 0;
    for (int64_t &slot : result) {
      while (slot < 0 && llvm::is_contained(from, next))
        ++next;
      slot = slot < 0 ? next++ : slot;
    }
    llvm::copy(result, permutation.begin());
  });
}

void buildExpand(OpContext &c) {
  c.ignore({"size", "other", "implicit"});
  ViewBuilder view(c, "self");
  Sizes sizes = c.resultSizes();
  if (sizes.size() < view.value.sizes.size())
    return (void)c.fail("expected at least as many dimensions as the operand");
  view.broadcast(sizes);
  view.yield();
}

/// A position counted from the start, from one that may count from the end.
ExprAttr wrapPosition(OpContext &c, ExprAttr position, ExprAttr size) {
  std::optional<int64_t> constant = position.getConstant();
  if (!constant || *constant >= 0)
    return position;
  ExprAttr fromEnd = ExprAttr::add(size, position);
  if (std::optional<int64_t> known = fromEnd.getConstant())
    return c.b.expr(std::max<int64_t>(*known, 0));
  return fromEnd;
}

void buildSlice(OpContext &c) {
  ViewBuilder view(c, "self");
  c.ignore({"end"});
  int64_t dim = c.dim("dim", view.value.getRank(), 0);
  int64_t step = c.integer("step", 1);
  Sizes sizes = c.resultSizes();
  if (c.failed() || sizes.size() != view.value.sizes.size() || sizes.empty())
    return (void)c.fail("expected a result of the operand's rank");
  ExprAttr start = wrapPosition(c, c.expr("start", 0), view.value.sizes[dim]);
  // Nothing lies beyond the end.
  std::optional<int64_t> first = start.getConstant(),
                         size = view.value.sizes[dim].getConstant();
  if (first && size)
    start = c.b.expr(std::min(*first, *size));
  view.slice(dim, start, step, sizes[dim]);
  view.yield();
}

void buildNarrow(OpContext &c) {
  ViewBuilder view(c, "self");
  c.ignore({"length"});
  int64_t dim = c.dim("dim", view.value.getRank());
  Sizes sizes = c.resultSizes();
  if (c.failed() || sizes.size() != view.value.sizes.size() || sizes.empty())
    return (void)c.fail("expected a result of the operand's rank");
  ExprAttr start = wrapPosition(c, c.expr("start"), view.value.sizes[dim]);
  view.slice(dim, start, 1, sizes[dim]);
  view.yield();
}

void buildSelect(OpContext &c) {
  ViewBuilder view(c, "self");
  int64_t dim = c.dim("dim", view.value.getRank());
  if (c.failed() || view.value.getRank() == 0)
    return (void)c.fail("expected an operand with dimensions");
  ExprAttr start = wrapPosition(c, c.expr("index"), view.value.sizes[dim]);
  view.slice(dim, start, 1, c.b.expr(1));
  // Dropped here: it has one element, whatever its stride.
  if (view.strides)
    view.strides->erase(view.strides->begin() + dim);
  view.value = c.b.reshape(view.value, c.resultSizes());
  view.yield();
}
} // namespace

void kfuse::registerViews(Registry &registry) {
  registry.add({"view", "reshape", "_unsafe_view", "_reshape_alias", "view_as",
                "reshape_as", "flatten", "unflatten", "ravel", "unsqueeze",
                "squeeze", "atleast_1d"},
               buildReshape);
  registry.add({"alias", "detach", "detach_", "contiguous", "lift",
                "lift_fresh", "resolve_conj", "resolve_neg"},
               buildIdentity);
  registry.add(
      {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"},
      buildDropout);
  registry.add("permute", buildPermute);
  registry.add("transpose", [](OpContext &c) { swapDims(c, "dim0", "dim1"); });
  registry.add("swapaxes", [](OpContext &c) { swapDims(c, "axis0", "axis1"); });
  registry.add("swapdims", [](OpContext &c) { swapDims(c, "dim0", "dim1"); });
  registry.add({"t", "numpy_T"}, reverseDims);
  registry.add({"mT", "adjoint"}, swapLastDims);
  registry.add({"movedim", "moveaxis"}, buildMoveDim);
  registry.add({"expand", "expand_as", "broadcast_to"}, buildExpand);
  registry.add("slice", buildSlice);
  registry.add("narrow", buildNarrow);
  registry.add("select", buildSelect);
}
