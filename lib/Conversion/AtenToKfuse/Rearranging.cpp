//===- Rearranging.cpp - operations that put elements elsewhere -----------===//

#include "Registry.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

Tensor concatenate(OpContext &c, ArrayRef<Tensor> parts, int64_t dim,
                   ArrayRef<ExprAttr> sizes) {
  SmallVector<Value> values;
  for (const Tensor &part : parts)
    values.push_back(part.value);
  DType dtype = parts.front().dtype;
  Value result = ConcatOp::create(
      c.b.builder(), c.b.location(), c.b.type(dtype, sizes), values,
      c.b.builder().getI64IntegerAttr(dim), getExprArray(c.b.context(), sizes));
  return {result, dtype, Sizes(sizes)};
}

/// Tensors of shape [0] are skipped, whatever the rank of the others.
void buildCat(OpContext &c) {
  Sizes sizes = c.resultSizes();
  DType dtype = c.resultDType();
  int64_t rank = sizes.size();
  SmallVector<Tensor> parts;
  for (Tensor &part : c.tensors("tensors")) {
    if (part.getRank() == rank && rank > 0)
      parts.push_back(c.b.cast(part, dtype));
    else if (part.getRank() != 1 || !part.sizes[0].isConstant(0))
      (void)c.fail("expected tensors of one rank");
  }
  int64_t dim = c.dim("dim", rank, 0);
  if (c.failed() || parts.empty())
    return (void)c.fail("expected tensors with dimensions");
  c.yield(concatenate(c, parts, dim, sizes));
}

void buildStack(OpContext &c) {
  Sizes sizes = c.resultSizes();
  DType dtype = c.resultDType();
  int64_t dim = c.dim("dim", sizes.size(), 0);
  SmallVector<Tensor> tensors = c.tensors("tensors");
  if (c.failed())
    return;
  Sizes unit = sizes;
  unit[dim] = c.b.expr(1);
  SmallVector<Tensor> parts;
  for (const Tensor &part : tensors)
    parts.push_back(c.b.reshape(c.b.cast(part, dtype), unit));
  c.yield(concatenate(c, parts, dim, sizes));
}

/// Positions in a dimension of `size` elements for those of the padded one.
Tensor getPaddedPositions(BodyBuilder &b, StringRef mode, ExprAttr low,
                          ExprAttr size, ExprAttr padded) {
  Tensor at = b.sub(b.iota(0, {padded}), b.size(low, {padded}));
  Tensor last = b.size(ExprAttr::add(size, b.expr(-1)), {padded});
  if (mode == "reflect")
    return b.sub(last, b.abs(b.sub(last, b.abs(at))));
  if (mode == "replicate")
    return b.minimum(b.maximum(at, b.constant(at, 0.0)), last);
  Tensor count = b.size(size, {padded});
  return b.rem(b.add(at, count), count);
}

void buildEdgePad(OpContext &c, const Tensor &x, StringRef mode,
                  ArrayRef<ExprAttr> low) {
  Sizes sizes = c.resultSizes();
  Tensor result = x;
  for (auto [dim, start] : llvm::enumerate(low))
    if (sizes[dim] != x.sizes[dim])
      result = c.b.take(
          result,
          getPaddedPositions(c.b, mode, start, x.sizes[dim], sizes[dim]), dim);
  c.yield(result);
}

void buildPad(OpContext &c, StringRef mode) {
  Tensor x = c.tensor("self");
  Scalar value = c.scalar("value", Scalar::of(int64_t(0)));
  Sizes pads = c.exprs(c.has("padding") ? "padding" : "pad"),
        sizes = c.resultSizes();
  int64_t rank = x.getRank();
  if (pads.size() % 2 || static_cast<int64_t>(pads.size()) > 2 * rank ||
      static_cast<int64_t>(sizes.size()) != rank)
    return (void)c.fail("expected pairs of paddings of at most the rank");
  Sizes low(rank, c.b.expr(0));
  for (size_t i = 0; i < pads.size() / 2; ++i)
    low[rank - 1 - i] = pads[2 * i];
  if (mode == "constant")
    return c.yield(c.b.pad(x, value, low, sizes));
  if (mode != "reflect" && mode != "replicate" && mode != "circular")
    return (void)c.fail("padding in mode " + mode + " has no kernel");
  buildEdgePad(c, x, mode, low);
}

/// Each dimension several times over: [a, b] as [1, a, 1, b].
void buildRepeat(OpContext &c, StringRef name) {
  Tensor x = c.tensor("self");
  Sizes repeats = c.exprs(name);
  int64_t rank = std::max<int64_t>(repeats.size(), x.getRank());
  ExprAttr one = c.b.expr(1);
  repeats.insert(repeats.begin(), rank - repeats.size(), one);
  Sizes old(rank - x.getRank(), one);
  old.append(x.sizes);
  Sizes split, repeated;
  for (auto [size, count] : llvm::zip_equal(old, repeats)) {
    split.append({one, size});
    repeated.append({count, size});
  }
  Tensor wide = c.b.broadcast(c.b.reshape(x, split), repeated);
  c.yield(c.b.reshape(wide, c.resultSizes()));
}

void buildRepeatInterleave(OpContext &c) {
  Tensor x = c.tensor("self");
  c.ignore({"output_size"});
  ExprAttr count = c.expr("repeats");
  if (!c.has("dim")) {
    x = c.b.reshape(x, {ExprAttr::product(c.b.context(), x.sizes)});
    if (c.failed())
      return;
  }
  int64_t dim = c.has("dim") ? c.dim("dim", x.getRank()) : 0;
  if (c.failed() || x.getRank() == 0)
    return (void)c.fail("expected a tensor with dimensions");
  Sizes repeated = x.sizes;
  repeated.insert(repeated.begin() + dim + 1, count);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < x.getRank(); ++i)
    dims.push_back(i <= dim ? i : i + 1);
  c.yield(c.b.reshape(c.b.broadcastInDims(x, dims, repeated), c.resultSizes()));
}

/// Elements [start, start + size) along one dimension.
Tensor sliceDim(OpContext &c, const Tensor &x, int64_t dim, ExprAttr start,
                ExprAttr size, int64_t step = 1) {
  Sizes starts(x.getRank(), c.b.expr(0)), sizes = x.sizes;
  SmallVector<int64_t> steps(x.getRank(), 1);
  starts[dim] = start;
  sizes[dim] = size;
  steps[dim] = step;
  return c.b.slice(x, starts, steps, sizes);
}

Tensor rollDim(OpContext &c, const Tensor &x, int64_t dim, int64_t shift) {
  std::optional<int64_t> size = x.sizes[dim].getConstant();
  if (size && *size > 0)
    shift = ((shift % *size) + *size) % *size;
  if (shift == 0 || (size && *size == 0))
    return x;
  if (!size) {
    (void)c.fail("rolling a dimension of unknown size has no kernel");
    return x;
  }
  ExprAttr tail = c.b.expr(shift), head = c.b.expr(*size - shift);
  Tensor last = sliceDim(c, x, dim, head, tail),
         first = sliceDim(c, x, dim, c.b.expr(0), head);
  return concatenate(c, {last, first}, dim, x.sizes);
}

void buildRoll(OpContext &c) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> shifts = c.integers("shifts"), dims = c.integers("dims");
  Sizes sizes = x.sizes;
  if (dims.empty() && shifts.size() == 1) {
    x = c.b.reshape(x, {ExprAttr::product(c.b.context(), x.sizes)});
    return c.yield(c.b.reshape(rollDim(c, x, 0, shifts[0]), sizes));
  }
  if (dims.size() != shifts.size() || x.getRank() == 0)
    return (void)c.fail("expected as many shifts as dimensions");
  for (auto [shift, dim] : llvm::zip_equal(shifts, dims))
    x = rollDim(c, x, c.wrapDim(dim, x.getRank()), shift);
  c.yield(x);
}

void buildFlip(OpContext &c) {
  Tensor x = c.tensor("self");
  for (int64_t dim : c.dims("dims", x.getRank(), /*emptyMeansAll=*/false)) {
    ExprAttr last = ExprAttr::add(x.sizes[dim], c.b.expr(-1));
    x = sliceDim(c, x, dim, last, x.sizes[dim], -1);
  }
  c.yield(x);
}

/// Each element less the one before it.
void buildDiff(OpContext &c) {
  Tensor x = c.tensor("self");
  int64_t dim = c.dim("dim", x.getRank(), -1);
  if (c.integer("n", 1) != 1 || x.getRank() == 0)
    return (void)c.fail("expected a first difference along a dimension");
  Sizes sizes = c.resultSizes(), joined = sizes;
  joined[dim] = ExprAttr::add(sizes[dim], c.b.expr(1));
  SmallVector<Tensor> parts;
  for (StringRef name : {"prepend", "self", "append"})
    if (std::optional<Tensor> part = c.optionalTensor(name))
      parts.push_back(*part);
  for (const Tensor &part : parts)
    if (part.dtype != x.dtype || part.getRank() != x.getRank())
      return (void)c.fail("expected parts of one type and rank");
  if (parts.size() > 1)
    x = concatenate(c, parts, dim, joined);
  Tensor next = sliceDim(c, x, dim, c.b.expr(1), sizes[dim]),
         last = sliceDim(c, x, dim, c.b.expr(0), sizes[dim]);
  if (x.dtype == DType::Bool)
    return c.yield(c.b.bitXor(next, last));
  c.yield(
      c.b.roundTo(c.b.sub(c.b.toOpMath(next), c.b.toOpMath(last)), x.dtype));
}

/// `self` with `source` in place of the elements from `start` on.
void replaceSlice(OpContext &c, const Tensor &self, const Tensor &source,
                  int64_t dim, ExprAttr start) {
  if (source.dtype != self.dtype || source.getRank() != self.getRank())
    return (void)c.fail("expected a source of the type and rank of the tensor");
  BodyBuilder &b = c.b;
  ExprAttr length = source.sizes[dim];
  if (length == self.sizes[dim])
    return c.yield(b.broadcast(source, self.sizes));
  Sizes low(self.getRank(), b.expr(0));
  low[dim] = start;
  Tensor fitted = b.pad(source, Scalar::of(int64_t(0)), low, self.sizes);
  Tensor index = b.iota(dim, self.sizes);
  Tensor isInside = b.bitAnd(
      b.compare(BodyBuilder::Compare::Ge, index, b.size(start, self.sizes)),
      b.compare(BodyBuilder::Compare::Lt, index,
                b.size(ExprAttr::add(start, length), self.sizes)));
  c.yield(b.select(isInside, fitted, self));
}

/// A position counted from the start.
ExprAttr getStart(OpContext &c, StringRef name, ExprAttr size) {
  ExprAttr start = c.expr(name, 0);
  std::optional<int64_t> constant = start.getConstant();
  if (!constant || *constant >= 0)
    return start;
  ExprAttr fromEnd = ExprAttr::add(size, start);
  if (std::optional<int64_t> known = fromEnd.getConstant())
    return c.b.expr(std::max<int64_t>(*known, 0));
  return fromEnd;
}

void buildSliceScatter(OpContext &c) {
  Tensor self = c.tensor("self"), source = c.tensor("src");
  c.ignore({"end"});
  int64_t dim = c.dim("dim", self.getRank(), 0);
  if (c.integer("step", 1) != 1 || self.getRank() == 0)
    return (void)c.fail("writing with a step has no kernel");
  replaceSlice(c, self, source, dim, getStart(c, "start", self.sizes[dim]));
}

void buildSelectScatter(OpContext &c) {
  Tensor self = c.tensor("self"), source = c.tensor("src");
  int64_t dim = c.dim("dim", self.getRank());
  if (c.failed() || self.getRank() == 0)
    return (void)c.fail("expected a tensor with dimensions");
  Sizes unit = self.sizes;
  unit[dim] = c.b.expr(1);
  replaceSlice(c, self, c.b.reshape(source, unit), dim,
               getStart(c, "index", self.sizes[dim]));
}

/// [.., C*r*r, H, W] and [.., C, H*r, W*r], one way or the other.
void buildPixelShuffle(OpContext &c, bool isInverse) {
  Tensor x = c.tensor("self");
  int64_t r = c.integer(isInverse ? "downscale_factor" : "upscale_factor");
  int64_t lead = x.getRank() - 3;
  if (lead < 0 || r < 1)
    return (void)c.fail("expected an image with channels");
  Sizes sizes(x.sizes.begin(), x.sizes.begin() + lead);
  Sizes result = c.resultSizes();
  const Sizes &small = isInverse ? result : x.sizes;
  const Sizes &large = isInverse ? x.sizes : result;
  ExprAttr factor = c.b.expr(r), channels = large[lead];
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  auto push = [&](std::initializer_list<int64_t> dims) {
    for (int64_t dim : dims)
      order.push_back(lead + dim);
  };
  if (isInverse) {
    sizes.append({channels, small[lead + 1], factor, small[lead + 2], factor});
    push({0, 2, 4, 1, 3});
  } else {
    sizes.append({channels, factor, factor, small[lead + 1], small[lead + 2]});
    push({0, 3, 1, 4, 2});
  }
  c.yield(c.b.reshape(c.b.permute(c.b.reshape(x, sizes), order), result));
}
} // namespace

void kfuse::registerRearranging(Registry &registry) {
  registry.add({"cat", "concat", "concatenate"}, buildCat);
  registry.add("stack", buildStack);
  registry.add({"pad", "constant_pad_nd"},
               [](OpContext &c) { buildPad(c, c.string("mode", "constant")); });
  registry.add({"reflection_pad1d", "reflection_pad2d", "reflection_pad3d"},
               [](OpContext &c) { buildPad(c, "reflect"); });
  registry.add({"replication_pad1d", "replication_pad2d", "replication_pad3d"},
               [](OpContext &c) { buildPad(c, "replicate"); });
  registry.add("repeat", [](OpContext &c) { buildRepeat(c, "repeats"); });
  registry.add("tile", [](OpContext &c) { buildRepeat(c, "dims"); });
  registry.add("repeat_interleave.self_int", buildRepeatInterleave);
  registry.add("roll", buildRoll);
  registry.add("flip", buildFlip);
  registry.add("diff", buildDiff);
  registry.add("slice_scatter", buildSliceScatter);
  registry.add("select_scatter", buildSelectScatter);
  registry.add("pixel_shuffle",
               [](OpContext &c) { buildPixelShuffle(c, false); });
  registry.add("pixel_unshuffle",
               [](OpContext &c) { buildPixelShuffle(c, true); });
}
