//===- Normalizations.cpp - softmax and the norm layers -------------------===//

#include "Pointwise.h"
#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;

enum class SoftmaxKind { Plain, Log, Safe };

void buildSoftmax(OpContext &c, SoftmaxKind kind) {
  Tensor x = c.tensor("self");
  c.ignore({"half_to_float"});
  SmallVector<int64_t> dims{c.dim("dim", x.getRank())};
  if (x.getRank() == 0)
    dims.clear();
  // Only the computing type differs from the input's with `half_to_float`.
  DType dtype = c.resultDType();
  std::optional<DType> asked = c.dtype("dtype");
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(asked ? b.cast(x, *asked) : x);
  if (!isFloat(wide.dtype))
    return (void)c.fail("softmax needs floats");
  Tensor high = b.reduce(ReduceKind::Max, wide, dims);
  Tensor shifted = b.sub(wide, spread(b, high, wide, dims));
  Tensor e = b.unary<math::ExpOp>(shifted);
  Tensor sum = b.reduce(ReduceKind::Sum, e, dims);
  Tensor result;
  if (kind == SoftmaxKind::Log)
    result = b.sub(shifted, spread(b, b.unary<math::LogOp>(sum), wide, dims));
  else
    result = b.div(e, spread(b, sum, wide, dims));
  if (kind == SoftmaxKind::Safe) {
    // A row that is masked altogether gives zeros.
    Tensor masked =
        b.compare(C::Eq, high, -std::numeric_limits<double>::infinity());
    result = b.select(spread(b, masked, wide, dims), b.constant(result, 0.0),
                      result);
  }
  c.yield(b.roundTo(result, dtype));
}

/// The last `count` dimensions of `x`.
SmallVector<int64_t> lastDims(const Tensor &x, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(x.getRank() - count, x.getRank()));
}

std::optional<Tensor> getParameter(OpContext &c, StringRef name,
                                   const Tensor &like, ArrayRef<int64_t> dims) {
  std::optional<Tensor> parameter = c.optionalTensor(name);
  if (!parameter || c.failed())
    return std::nullopt;
  if (parameter->getRank() != static_cast<int64_t>(dims.size())) {
    (void)c.fail("parameter '" + name + "' has an unexpected rank");
    return std::nullopt;
  }
  Tensor wide = c.b.cast(*parameter, like.dtype);
  return c.b.broadcastInDims(wide, dims, like.sizes);
}

/// normalized * weight + bias, in one rounding where both are there.
Tensor applyAffine(BodyBuilder &b, const Tensor &x,
                   const std::optional<Tensor> &weight,
                   const std::optional<Tensor> &bias) {
  if (weight && bias)
    return fma(b, *weight, x, *bias);
  if (weight)
    return b.mul(*weight, x);
  return bias ? b.add(x, *bias) : x;
}

Tensor inverseRoot(BodyBuilder &b, const Tensor &x, double eps) {
  return b.unary<math::RsqrtOp>(b.add(x, b.constant(x, eps)));
}

/// Gives a statistic in the type and shape that the program recorded.
void yieldStatistic(OpContext &c, const Tensor &value) {
  unsigned index = c.getResults().size();
  c.yield(c.b.reshape(c.b.roundTo(value, c.resultDType(index)),
                      c.resultSizes(index)));
}

void buildLayerNorm(OpContext &c) {
  Tensor x = c.tensor("input");
  c.ignore({"cudnn_enable"});
  int64_t count = c.exprs("normalized_shape").size();
  if (!isFloat(x.dtype) || count == 0 || count > x.getRank())
    return (void)c.fail("expected floats and a shape of at most their rank");
  SmallVector<int64_t> dims = lastDims(x, count);
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(x);
  std::optional<Tensor> weight = getParameter(c, "weight", wide, dims);
  std::optional<Tensor> bias = getParameter(c, "bias", wide, dims);
  Moments moments = computeMoments(b, wide, dims);
  Tensor n = countAsFloat(b, moments.squares, countElements(b, x, dims));
  Tensor scale = inverseRoot(b, b.div(moments.squares, n), c.real("eps", 1e-5));
  Tensor normalized = b.mul(spread(b, scale, wide, dims), moments.centered);
  c.yield(b.roundTo(applyAffine(b, normalized, weight, bias), x.dtype));
  if (c.getNumResults() == 1)
    return;
  yieldStatistic(c, moments.mean);
  yieldStatistic(c, scale);
}

void buildRmsNorm(OpContext &c) {
  Tensor x = c.tensor("input");
  int64_t count = c.exprs("normalized_shape").size();
  if (!isFloat(x.dtype) || count == 0 || count > x.getRank())
    return (void)c.fail("expected floats and a shape of at most their rank");
  SmallVector<int64_t> dims = lastDims(x, count);
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(x);
  std::optional<Tensor> weight = getParameter(c, "weight", wide, dims);
  double eps = c.real("eps", wide.dtype == DType::F64
                                 ? std::numeric_limits<double>::epsilon()
                                 : std::numeric_limits<float>::epsilon());
  Tensor scale = inverseRoot(b, mean(b, b.mul(wide, wide), dims), eps);
  Tensor normalized = b.mul(wide, spread(b, scale, wide, dims));
  c.yield(b.roundTo(applyAffine(b, normalized, weight, std::nullopt),
                    c.resultDType()));
  if (c.getNumResults() > 1)
    yieldStatistic(c, scale);
}

/// Normalizes each channel by its own moments: batch_norm in training without
/// running statistics, as weights are standardized with.
void buildChannelNorm(OpContext &c) {
  c.ignore({"momentum", "cudnn_enabled"});
  Tensor x = c.tensor("input");
  if (c.has("running_mean") || c.has("running_var"))
    return (void)c.fail("running statistics in training have no kernel");
  if (!isFloat(x.dtype) || x.getRank() < 2 || c.getNumResults() != 1)
    return (void)c.fail("expected floats with a channel dimension");
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(x);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (dim != 1)
      dims.push_back(dim);
  std::optional<Tensor> weight = getParameter(c, "weight", wide, {1}),
                        bias = getParameter(c, "bias", wide, {1});
  Moments moments = computeMoments(b, wide, dims);
  Tensor count = countAsFloat(b, moments.squares, countElements(b, wide, dims));
  Tensor scale =
      inverseRoot(b, b.div(moments.squares, count), c.real("eps", 1e-5));
  Tensor normalized = b.mul(moments.centered, spread(b, scale, wide, dims));
  c.yield(b.roundTo(applyAffine(b, normalized, weight, bias), x.dtype));
}

/// v * g / |v|, the norm over all dimensions but one.
void buildWeightNorm(OpContext &c) {
  Tensor v = c.tensor("v"), g = c.tensor("g");
  int64_t rank = v.getRank(), kept = c.integer("dim", 0);
  if (c.failed() || !isFloat(v.dtype) || kept >= rank)
    return (void)c.fail("expected floats and one of their dimensions");
  BodyBuilder &b = c.b;
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != kept)
      dims.push_back(dim);
  Tensor wide = b.toOpMath(v);
  Tensor squares = b.reduce(ReduceKind::Sum, b.mul(wide, wide), dims);
  Tensor norm = spread(b, b.unary<math::SqrtOp>(squares), wide, dims);
  Tensor gain = b.broadcast(b.toOpMath(g), wide.sizes);
  c.yield(b.roundTo(b.mul(wide, b.div(gain, norm)), v.dtype));
}

void buildBatchNorm(OpContext &c) {
  if (c.flag("training", false))
    return buildChannelNorm(c);
  c.ignore({"momentum", "cudnn_enabled"});
  Tensor x = c.tensor("input");
  if (!isFloat(x.dtype) || x.getRank() < 2)
    return (void)c.fail("expected floats with a channel dimension");
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(x);
  std::optional<Tensor> weight = getParameter(c, "weight", wide, {1}),
                        bias = getParameter(c, "bias", wide, {1}),
                        average = getParameter(c, "running_mean", wide, {1});
  std::optional<Tensor> variance = c.optionalTensor("running_var");
  double eps = c.real("eps", 1e-5);
  if (!average || !variance)
    return (void)c.fail("expected running statistics");
  Tensor scale = inverseRoot(b, b.cast(*variance, wide.dtype), eps);
  scale = b.broadcastInDims(scale, {1}, wide.sizes);
  Tensor centered = b.sub(wide, *average);
  Tensor scaled = b.mul(weight ? b.mul(*weight, centered) : centered, scale);
  Tensor result = bias ? b.add(scaled, *bias) : scaled;
  c.yield(b.roundTo(result, x.dtype));
  // Statistics of this batch, which there are none of.
  for (unsigned i = 1; i < c.getNumResults(); ++i)
    c.yield(b.full(0.0, c.resultDType(i), c.resultSizes(i)));
}

/// [N, C, ...] seen as [N, groups, C / groups, ...].
Sizes splitChannels(BodyBuilder &b, const Tensor &x, int64_t groups) {
  Sizes sizes{x.sizes[0], b.expr(groups),
              ExprAttr::floorDiv(x.sizes[1], b.expr(groups))};
  sizes.append(x.sizes.begin() + 2, x.sizes.end());
  return sizes;
}

std::optional<Tensor> getChannelParameter(OpContext &c, StringRef name,
                                          const Tensor &split) {
  std::optional<Tensor> parameter = c.optionalTensor(name);
  if (!parameter || c.failed())
    return std::nullopt;
  Tensor grouped = c.b.reshape(c.b.cast(*parameter, split.dtype),
                               {split.sizes[1], split.sizes[2]});
  return c.b.broadcastInDims(grouped, {1, 2}, split.sizes);
}

/// Normalizes each of `groups` groups of channels of each sample.
void buildGrouped(OpContext &c, const Tensor &x, int64_t groups) {
  if (!isFloat(x.dtype) || x.getRank() < 2 || groups < 1)
    return (void)c.fail("expected floats with a channel dimension");
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(x);
  Tensor split = b.reshape(wide, splitChannels(b, x, groups));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(2, split.getRank()));
  std::optional<Tensor> weight = getChannelParameter(c, "weight", split),
                        bias = getChannelParameter(c, "bias", split);
  Moments moments = computeMoments(b, split, dims);
  Tensor n = countAsFloat(b, moments.squares, countElements(b, split, dims));
  Tensor scale = inverseRoot(b, b.div(moments.squares, n), c.real("eps", 1e-5));
  Tensor normalized = b.mul(moments.centered, spread(b, scale, split, dims));
  Tensor result = applyAffine(b, normalized, weight, bias);
  c.yield(b.reshape(b.roundTo(result, x.dtype), x.sizes));
  if (c.getNumResults() == 1)
    return;
  yieldStatistic(c, moments.mean);
  yieldStatistic(c, scale);
}

void buildGroupNorm(OpContext &c) {
  c.ignore({"cudnn_enabled"});
  buildGrouped(c, c.tensor("input"), c.integer("num_groups"));
}

void buildNativeGroupNorm(OpContext &c) {
  c.ignore({"N", "C", "HxW"});
  buildGrouped(c, c.tensor("input"), c.integer("group"));
}

void buildInstanceNorm(OpContext &c) {
  c.ignore({"cudnn_enabled", "momentum", "running_mean", "running_var"});
  Tensor x = c.tensor("input");
  std::optional<int64_t> channels;
  if (x.getRank() > 1)
    channels = x.sizes[1].getConstant();
  if (!c.flag("use_input_stats", true) || !channels)
    return (void)c.fail("expected statistics of the input and a fixed number "
                        "of channels");
  buildGrouped(c, x, *channels);
}
} // namespace

void kfuse::registerNormalizations(Registry &registry) {
  registry.add({"softmax", "_softmax", "special_softmax"},
               [](OpContext &c) { buildSoftmax(c, SoftmaxKind::Plain); });
  registry.add({"log_softmax", "_log_softmax", "special_log_softmax"},
               [](OpContext &c) { buildSoftmax(c, SoftmaxKind::Log); });
  registry.add("_safe_softmax",
               [](OpContext &c) { buildSoftmax(c, SoftmaxKind::Safe); });
  registry.add("_weight_norm", buildWeightNorm);
  registry.add({"layer_norm", "native_layer_norm"}, buildLayerNorm);
  registry.add({"rms_norm", "_fused_rms_norm"}, buildRmsNorm);
  registry.add({"batch_norm", "_native_batch_norm_legit_no_training",
                "native_batch_norm"},
               buildBatchNorm);
  registry.add("group_norm", buildGroupNorm);
  registry.add("native_group_norm", buildNativeGroupNorm);
  registry.add("instance_norm", buildInstanceNorm);
}
