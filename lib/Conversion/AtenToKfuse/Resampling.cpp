//===- Resampling.cpp - images of another size ----------------------------===//
/// Source positions are computed as ATen's CUDA kernels do: in f32, or in f64
/// for f64 images.

#include "Registry.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// How one dimension is resampled.
struct Axis {
  int64_t dim;
  ExprAttr from, to;
  std::optional<double> scale; ///< of the result against the source
};

/// The positions of source elements, and what each of them weighs.
struct Taps {
  SmallVector<Tensor> positions, weights;
};

class Resampler {
public:
  /// The last `rank` dimensions are resampled.
  Resampler(OpContext &c, int64_t rank);

  void buildNearest(bool isExact);
  void buildLinear() { buildWeighted(&Resampler::getLinearTaps); }
  void buildCubic() { buildWeighted(&Resampler::getCubicTaps); }

private:
  using TapsOf = Taps (Resampler::*)(const Axis &axis, bool alignCorners);

  void readScales();
  /// Source elements for each of the result along an axis, 0 where unknown.
  int64_t getRepeats(const Axis &axis);
  double getRatio(const Axis &axis, bool alignCorners);
  bool isStatic();
  /// Source positions before rounding down, as a vector of floats.
  Tensor getSource(const Axis &axis, double shift, bool alignCorners);
  Tensor clampPosition(const Tensor &position, const Axis &axis);
  Taps getLinearTaps(const Axis &axis, bool alignCorners);
  Taps getCubicTaps(const Axis &axis, bool alignCorners);
  void buildWeighted(TapsOf getTaps);
  Tensor combine(const Tensor &image, ArrayRef<Taps> taps, size_t axis);

  OpContext &c;
  BodyBuilder &b;
  Tensor x;
  DType math;
  SmallVector<Axis> axes;
};
} // namespace

Resampler::Resampler(OpContext &c, int64_t rank)
    : c(c), b(c.b), x(c.tensor(c.has("input") ? "input" : "self")),
      math(isFloat(x.dtype) ? getOpMath(x.dtype) : DType::F32) {
  c.ignore({"output_size"});
  Sizes sizes = c.resultSizes();
  if (c.failed() || x.getRank() != rank + 2 ||
      static_cast<int64_t>(sizes.size()) != x.getRank()) {
    (void)c.fail("expected images with channels");
    return;
  }
  for (int64_t dim = 2; dim < x.getRank(); ++dim)
    axes.push_back({dim, x.sizes[dim], sizes[dim], std::nullopt});
  readScales();
}

void Resampler::readScales() {
  static constexpr StringLiteral names[] = {"scales_d", "scales_h", "scales_w"};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    StringRef name = axes.size() == 1 ? StringRef("scales")
                                      : StringRef(names[3 - axes.size() + i]);
    if (std::optional<Scalar> scale = c.optionalScalar(name))
      axis.scale = scale->real;
  }
  c.ignore({"scale_factors"});
  auto factors = dyn_cast_or_null<ArrayAttr>(c.op.getArg("scale_factors"));
  if (!factors)
    return;
  for (auto [axis, factor] : llvm::zip(axes, factors))
    if (auto value = dyn_cast<FloatAttr>(factor))
      axis.scale = value.getValueAsDouble();
}

bool Resampler::isStatic() {
  return llvm::all_of(axes, [](const Axis &axis) {
    return axis.from.getConstant() && axis.to.getConstant() &&
           *axis.from.getConstant() > 0;
  });
}

double Resampler::getRatio(const Axis &axis, bool alignCorners) {
  double from = double(*axis.from.getConstant()),
         to = double(*axis.to.getConstant());
  bool isSingle = math == DType::F32;
  if (alignCorners) {
    double ratio = to > 1 ? (from - 1) / (to - 1) : 0.0;
    return isSingle ? double(float(ratio)) : ratio;
  }
  double ratio = axis.scale && *axis.scale > 0 ? 1.0 / *axis.scale : from / to;
  return isSingle ? double(float(ratio)) : ratio;
}

int64_t Resampler::getRepeats(const Axis &axis) {
  std::optional<int64_t> from = axis.from.getConstant(),
                         to = axis.to.getConstant();
  int64_t repeats = 0;
  if (axis.scale)
    repeats = static_cast<int64_t>(*axis.scale);
  else if (from && to && *from > 0)
    repeats = *to / *from;
  bool isWhole = repeats >= 1 && (!axis.scale || *axis.scale == repeats) &&
                 ExprAttr::mul(axis.from, repeats) == axis.to;
  if (!isWhole)
    return 0;
  // The f32 product may fall short of a whole number.
  float ratio = 1.0f / static_cast<float>(repeats);
  int64_t count = to ? *to : int64_t(1) << 16;
  for (int64_t i = 0; i < count; i += repeats)
    if (static_cast<int64_t>(static_cast<float>(i) * ratio) != i / repeats)
      return 0;
  return repeats;
}

Tensor Resampler::getSource(const Axis &axis, double shift, bool alignCorners) {
  Tensor at = b.cast(b.iota(0, {axis.to}), math);
  Tensor ratio = b.constant(at, getRatio(axis, alignCorners));
  if (alignCorners || shift == 0.0)
    return b.mul(at, ratio);
  return b.mul(b.add(at, b.constant(at, shift)), ratio);
}

Tensor Resampler::clampPosition(const Tensor &position, const Axis &axis) {
  double last = double(*axis.from.getConstant() - 1);
  return b.minimum(b.maximum(position, b.constant(position, 0.0)),
                   b.constant(position, last));
}

void Resampler::buildNearest(bool isExact) {
  Tensor result = x;
  if (c.failed())
    return;
  for (const Axis &axis : axes) {
    if (axis.from == axis.to && !axis.scale)
      continue;
    if (int64_t repeats = getRepeats(axis)) {
      Sizes wide = result.sizes, sizes = result.sizes;
      wide.insert(wide.begin() + axis.dim + 1, b.expr(repeats));
      sizes[axis.dim] = axis.to;
      SmallVector<int64_t> dims;
      for (int64_t i = 0; i < result.getRank(); ++i)
        dims.push_back(i <= axis.dim ? i : i + 1);
      result = b.reshape(b.broadcastInDims(result, dims, wide), sizes);
      continue;
    }
    if (!isStatic())
      return (void)c.fail("resampling of symbolic sizes has no kernel");
    Tensor source = getSource(axis, isExact ? 0.5 : 0.0, false);
    Tensor position = b.cast(b.unary<math::FloorOp>(source), DType::I64);
    result = b.take(result, clampPosition(position, axis), axis.dim);
  }
  c.yield(result);
}

Taps Resampler::getLinearTaps(const Axis &axis, bool alignCorners) {
  Tensor source = getSource(axis, 0.5, alignCorners);
  if (!alignCorners)
    source = b.sub(source, b.constant(source, 0.5));
  source = b.maximum(source, b.constant(source, 0.0));
  Tensor first = clampPosition(b.cast(source, DType::I64), axis);
  Tensor second = clampPosition(b.add(first, b.constant(first, 1.0)), axis);
  Tensor right = b.sub(source, b.cast(first, math));
  Tensor left = b.sub(b.constant(right, 1.0), right);
  return {{first, second}, {left, right}};
}

/// The cubic convolution kernel with a = -0.75, at distances below 1 and from
/// 1 to 2.
static Tensor weighNear(BodyBuilder &b, const Tensor &t) {
  Tensor value = b.sub(b.mul(t, b.constant(t, 1.25)), b.constant(t, 2.25));
  return b.add(b.mul(b.mul(value, t), t), b.constant(t, 1.0));
}

static Tensor weighFar(BodyBuilder &b, const Tensor &t) {
  Tensor value = b.add(b.mul(t, b.constant(t, -0.75)), b.constant(t, 3.75));
  value = b.sub(b.mul(value, t), b.constant(t, 6.0));
  return b.add(b.mul(value, t), b.constant(t, 3.0));
}

Taps Resampler::getCubicTaps(const Axis &axis, bool alignCorners) {
  Tensor source = getSource(axis, 0.5, alignCorners);
  if (!alignCorners)
    source = b.sub(source, b.constant(source, 0.5));
  Tensor floor = b.unary<math::FloorOp>(source);
  Tensor base = b.cast(floor, DType::I64), t = b.sub(source, floor);
  Tensor one = b.constant(t, 1.0), rest = b.sub(one, t);
  Taps taps;
  for (double offset : {-1.0, 0.0, 1.0, 2.0})
    taps.positions.push_back(
        clampPosition(b.add(base, b.constant(base, offset)), axis));
  taps.weights = {weighFar(b, b.add(t, one)), weighNear(b, t),
                  weighNear(b, rest), weighFar(b, b.add(rest, one))};
  return taps;
}

/// The weighted sum over all taps of `axis` and of those that follow.
Tensor Resampler::combine(const Tensor &image, ArrayRef<Taps> taps,
                          size_t axis) {
  if (axis == axes.size())
    return b.toOpMath(image);
  std::optional<Tensor> sum;
  for (auto [position, weight] :
       llvm::zip_equal(taps[axis].positions, taps[axis].weights)) {
    int64_t dim = axes[axis].dim;
    Tensor value = combine(b.take(image, position, dim), taps, axis + 1);
    Tensor part = b.mul(b.broadcastInDims(weight, {dim}, value.sizes), value);
    sum = sum ? b.add(*sum, part) : part;
  }
  return *sum;
}

void Resampler::buildWeighted(TapsOf getTaps) {
  bool alignCorners = c.flag("align_corners", false);
  if (c.failed())
    return;
  if (!isFloat(x.dtype) || !isStatic())
    return (void)c.fail("interpolation of symbolic sizes has no kernel");
  SmallVector<Taps> taps;
  for (const Axis &axis : axes)
    taps.push_back((this->*getTaps)(axis, alignCorners));
  c.yield(b.roundTo(combine(x, taps, 0), x.dtype));
}

void kfuse::registerResampling(Registry &registry) {
  for (int64_t rank = 1; rank <= 3; ++rank) {
    std::string suffix = std::to_string(rank) + "d";
    registry.add("upsample_nearest" + suffix, [rank](OpContext &c) {
      Resampler(c, rank).buildNearest(/*isExact=*/false);
    });
    registry.add("_upsample_nearest_exact" + suffix, [rank](OpContext &c) {
      Resampler(c, rank).buildNearest(/*isExact=*/true);
    });
  }
  registry.add("upsample_linear1d",
               [](OpContext &c) { Resampler(c, 1).buildLinear(); });
  registry.add("upsample_bilinear2d",
               [](OpContext &c) { Resampler(c, 2).buildLinear(); });
  registry.add("upsample_trilinear3d",
               [](OpContext &c) { Resampler(c, 3).buildLinear(); });
  registry.add("upsample_bicubic2d",
               [](OpContext &c) { Resampler(c, 2).buildCubic(); });
}
