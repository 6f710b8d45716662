//===- Reductions.cpp - sums, extrema, moments, norms ---------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

ExprAttr kfuse::countElements(BodyBuilder &b, const Tensor &x,
                              ArrayRef<int64_t> dims) {
  ExprAttr count = b.expr(1);
  for (int64_t dim : dims)
    count = ExprAttr::mul(count, x.sizes[dim]);
  return count;
}

Sizes kfuse::keepDims(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims) {
  Sizes sizes = x.sizes;
  for (int64_t dim : dims)
    sizes[dim] = b.expr(1);
  return sizes;
}

Tensor kfuse::spread(BodyBuilder &b, const Tensor &reduced, const Tensor &x,
                     ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  if (dims.empty())
    return reduced;
  return b.broadcastInDims(reduced, kept, x.sizes);
}

Tensor kfuse::countAsFloat(BodyBuilder &b, const Tensor &like, ExprAttr count) {
  if (std::optional<int64_t> known = count.getConstant())
    return b.constant(like, Scalar::of(*known));
  return b.cast(b.size(count, like.sizes), like.dtype);
}

Tensor kfuse::mean(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims) {
  Tensor sum = b.reduce(ReduceKind::Sum, x, dims);
  return b.div(sum, countAsFloat(b, sum, countElements(b, x, dims)));
}

Moments kfuse::computeMoments(BodyBuilder &b, const Tensor &x,
                              ArrayRef<int64_t> dims) {
  Moments moments;
  moments.mean = mean(b, x, dims);
  moments.centered = b.sub(x, spread(b, moments.mean, x, dims));
  moments.squares = b.reduce(ReduceKind::Sum,
                             b.mul(moments.centered, moments.centered), dims);
  return moments;
}

namespace {
using C = BodyBuilder::Compare;

/// Rounds to `dtype`, restores the dimensions that were kept, and gives it.
void yieldReduced(OpContext &c, const Tensor &x, DType dtype) {
  Tensor rounded = c.b.roundTo(x, dtype);
  c.yield(c.b.reshape(rounded, c.resultSizes(c.getResults().size())));
}

SmallVector<int64_t> readDims(OpContext &c, const Tensor &x) {
  c.ignore({"keepdim"});
  return c.dims("dim", x.getRank(), /*emptyMeansAll=*/true);
}

/// Sums and products: of integers in 64 bits.
void buildAccumulation(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  DType dtype =
      c.dtype("dtype").value_or(isFloat(x.dtype) ? x.dtype : DType::I64);
  Tensor wide = c.b.toOpMath(c.b.cast(x, dtype));
  yieldReduced(c, c.b.reduce(kind, wide, dims), dtype);
}

/// The sum times the reciprocal of the count, as ATen's kernel has it.
void buildMean(OpContext &c) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  DType dtype = c.dtype("dtype").value_or(x.dtype);
  if (!isFloat(dtype))
    return (void)c.fail("the mean of integers is not defined");
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(b.cast(x, dtype));
  Tensor sum = b.reduce(ReduceKind::Sum, wide, dims);
  Tensor count = countAsFloat(b, sum, countElements(b, wide, dims));
  Tensor factor = b.div(b.constant(sum, 1.0), count);
  yieldReduced(c, b.mul(sum, factor), dtype);
}

Tensor reduceExtreme(BodyBuilder &b, const Tensor &x, ReduceKind kind,
                     ArrayRef<int64_t> dims) {
  if (x.dtype == DType::Bool)
    kind = kind == ReduceKind::Max ? ReduceKind::Or : ReduceKind::And;
  return b.reduce(kind, x, dims);
}

bool mayBeEmpty(BodyBuilder &b, const Tensor &x, ArrayRef<int64_t> dims) {
  return countElements(b, x, dims).isConstant(0);
}

void buildExtreme(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  if (mayBeEmpty(c.b, x, dims))
    return (void)c.fail("an empty tensor has no extreme element");
  yieldReduced(c, reduceExtreme(c.b, c.b.toOpMath(x), kind, dims), x.dtype);
}

/// Positions are counted in row-major order of what is reduced. Bools are
/// compared as bytes.
Tensor buildPosition(BodyBuilder &b, const Tensor &x, ReduceKind kind,
                     ArrayRef<int64_t> dims) {
  Tensor wide = x.dtype == DType::Bool ? b.cast(x, DType::U8) : b.toOpMath(x);
  if (dims.empty())
    return b.full(0.0, DType::I64, x.sizes);
  return b.argReduce(kind, wide, dims);
}

void buildExtremeWithPosition(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims;
  int64_t dim = c.dim("dim", x.getRank());
  c.ignore({"keepdim"});
  if (x.getRank() > 0)
    dims.push_back(dim);
  yieldReduced(c, reduceExtreme(c.b, c.b.toOpMath(x), kind, dims), x.dtype);
  yieldReduced(c, buildPosition(c.b, x, kind, dims), DType::I64);
}

void buildArgExtreme(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  if (mayBeEmpty(c.b, x, dims))
    return (void)c.fail("an empty tensor has no extreme element");
  yieldReduced(c, buildPosition(c.b, x, kind, dims), DType::I64);
}

void buildLogical(OpContext &c, ReduceKind kind) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  Tensor flags = c.b.reduce(kind, c.b.cast(x, DType::Bool), dims);
  // Bytes give bytes.
  yieldReduced(c, c.b.cast(flags, c.resultDType()), c.resultDType());
}

void buildCountNonzero(OpContext &c) {
  Tensor x = c.tensor("self");
  Tensor ones = c.b.cast(c.b.cast(x, DType::Bool), DType::I64);
  yieldReduced(c, c.b.reduce(ReduceKind::Sum, ones, readDims(c, x)),
               DType::I64);
}

/// Divides by the count less the correction, by 0 where that is negative.
Tensor buildVariance(OpContext &c, const Moments &moments, ExprAttr count) {
  double correction = c.has("unbiased") ? double(c.flag("unbiased", true))
                                        : c.real("correction", 1.0);
  BodyBuilder &b = c.b;
  Tensor n = countAsFloat(b, moments.squares, count);
  Tensor divisor = b.sub(n, b.constant(n, correction));
  Tensor zero = b.constant(n, 0.0);
  divisor = b.select(b.compare(C::Gt, divisor, zero), divisor, zero);
  return b.div(moments.squares, divisor);
}

void buildVar(OpContext &c, bool isRoot, bool withMean) {
  Tensor x = c.tensor("self");
  if (!isFloat(x.dtype))
    return (void)c.fail("the variance of integers is not defined");
  SmallVector<int64_t> dims = readDims(c, x);
  Tensor wide = c.b.toOpMath(x);
  Moments moments = computeMoments(c.b, wide, dims);
  Tensor result = buildVariance(c, moments, countElements(c.b, x, dims));
  if (isRoot)
    result = c.b.unary<math::SqrtOp>(result);
  yieldReduced(c, result, x.dtype);
  if (withMean)
    yieldReduced(c, moments.mean, x.dtype);
}

void buildLogSumExp(OpContext &c) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  DType dtype = isFloat(x.dtype) ? x.dtype : DType::F32;
  BodyBuilder &b = c.b;
  Tensor wide = b.toOpMath(b.cast(x, dtype));
  Tensor high = b.reduce(ReduceKind::Max, wide, dims);
  Tensor infinity = b.constant(high, std::numeric_limits<double>::infinity());
  Tensor shift = b.select(b.compare(C::Eq, b.abs(high), infinity),
                          b.constant(high, 0.0), high);
  Tensor e = b.unary<math::ExpOp>(b.sub(wide, spread(b, shift, wide, dims)));
  Tensor sum = b.reduce(ReduceKind::Sum, e, dims);
  yieldReduced(c, b.add(b.unary<math::LogOp>(sum), shift), dtype);
}

/// The p-norm, accumulated in the computing type.
Tensor buildNormValue(BodyBuilder &b, const Tensor &x, double p,
                      ArrayRef<int64_t> dims) {
  Tensor magnitude = b.abs(x);
  if (std::isinf(p))
    return b.reduce(p > 0 ? ReduceKind::Max : ReduceKind::Min, magnitude, dims);
  if (p == 0.0) {
    Tensor ones = b.cast(b.compare(C::Ne, x, 0.0), x.dtype);
    return b.reduce(ReduceKind::Sum, ones, dims);
  }
  if (p == 1.0)
    return b.reduce(ReduceKind::Sum, magnitude, dims);
  if (p == 2.0)
    return b.unary<math::SqrtOp>(b.reduce(ReduceKind::Sum, b.mul(x, x), dims));
  Tensor powers = b.binary<math::PowFOp>(magnitude, b.constant(x, p));
  Tensor sum = b.reduce(ReduceKind::Sum, powers, dims);
  return b.binary<math::PowFOp>(sum, b.constant(sum, 1.0 / p));
}

void buildNorm(OpContext &c, StringRef exponent) {
  Tensor x = c.tensor("self");
  SmallVector<int64_t> dims = readDims(c, x);
  DType dtype = c.dtype("dtype").value_or(x.dtype);
  double p = c.real(exponent, 2.0);
  if (!isFloat(dtype))
    return (void)c.fail("the norm of integers is not defined");
  Tensor wide = c.b.toOpMath(c.b.cast(x, dtype));
  yieldReduced(c, buildNormValue(c.b, wide, p, dims), dtype);
}

/// Pooling everything into one element is a mean.
void registerExtremes(Registry &registry) {
  for (auto [kind, full, amount, position] :
       {std::tuple(ReduceKind::Max, "max", "amax", "argmax"),
        std::tuple(ReduceKind::Min, "min", "amin", "argmin")}) {
    ReduceKind k = kind;
    registry.add({StringRef(full), StringRef(amount)},
                 [k](OpContext &c) { buildExtreme(c, k); });
    registry.add((Twine(full) + ".dim").str(),
                 [k](OpContext &c) { buildExtremeWithPosition(c, k); });
    registry.add(position, [k](OpContext &c) { buildArgExtreme(c, k); });
  }
}
} // namespace

void kfuse::registerReductions(Registry &registry) {
  registry.add("sum",
               [](OpContext &c) { buildAccumulation(c, ReduceKind::Sum); });
  registry.add("prod",
               [](OpContext &c) { buildAccumulation(c, ReduceKind::Prod); });
  registry.add("mean", buildMean);
  registry.add("any", [](OpContext &c) { buildLogical(c, ReduceKind::Or); });
  registry.add("all", [](OpContext &c) { buildLogical(c, ReduceKind::And); });
  registry.add("count_nonzero", buildCountNonzero);
  registry.add("var", [](OpContext &c) { buildVar(c, false, false); });
  registry.add("std", [](OpContext &c) { buildVar(c, true, false); });
  registry.add("var_mean", [](OpContext &c) { buildVar(c, false, true); });
  registry.add("std_mean", [](OpContext &c) { buildVar(c, true, true); });
  registry.add("logsumexp", buildLogSumExp);
  registry.add("linalg_vector_norm", [](OpContext &c) { buildNorm(c, "ord"); });
  registry.add("norm", [](OpContext &c) { buildNorm(c, "p"); });
  registerExtremes(registry);
}
