//===- Activations.cpp - activation functions -----------------------------===//
/// The formulas are those of ATen's CUDA kernels, so that the far tails, signed
/// zeros and infinities come out alike.

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;

/// `x < low ? low : x`: keeps NaN, and -0 where the bound is 0.
Tensor clampLow(BodyBuilder &b, const Tensor &x, double low) {
  Tensor bound = b.constant(x, low);
  return b.select(b.compare(C::Lt, x, bound), bound, x);
}
Tensor clampHigh(BodyBuilder &b, const Tensor &x, double high) {
  Tensor bound = b.constant(x, high);
  return b.select(b.compare(C::Gt, x, bound), bound, x);
}

Tensor buildGelu(OpContext &c, const Tensor &x) {
  BodyBuilder &b = c.b;
  std::string mode = c.string("approximate", "none");
  Tensor half = b.constant(x, 0.5), one = b.constant(x, 1.0);
  if (mode == "none") {
    Tensor scaled = b.mul(x, b.constant(x, M_SQRT1_2));
    Tensor erf = b.unary<math::ErfOp>(scaled);
    return b.mul(b.mul(x, half), b.add(one, erf));
  }
  if (mode != "tanh")
    (void)c.fail("expected gelu approximation none or tanh, found " + mode);
  Tensor cube = b.mul(b.mul(x, x), x);
  Tensor sum = fma(b, b.constant(x, 0.044715), cube, x);
  Tensor inner = b.mul(b.constant(x, M_SQRT2 * M_2_SQRTPI * 0.5), sum);
  Tensor tanh = b.unary<math::TanhOp>(inner);
  return b.mul(b.mul(half, x), b.add(one, tanh));
}

/// min(max(x + 3, 0), 6)
Tensor buildHardGate(BodyBuilder &b, const Tensor &x) {
  return clampHigh(b, clampLow(b, b.add(x, b.constant(x, 3.0)), 0.0), 6.0);
}

Tensor buildElu(BodyBuilder &b, const Tensor &x, double alpha, double scale,
                double inputScale) {
  auto round = [](double value) { return static_cast<float>(value); };
  // ATen multiplies the two numbers in the computing type.
  double negative = x.dtype == DType::F64
                        ? alpha * scale
                        : static_cast<double>(round(alpha) * round(scale));
  Tensor scaled = inputScale == 1.0 ? x : b.mul(x, b.constant(x, inputScale));
  Tensor low = b.mul(b.unary<math::ExpM1Op>(scaled), b.constant(x, negative));
  Tensor high = scale == 1.0 ? x : b.mul(x, b.constant(x, scale));
  return b.select(b.compare(C::Gt, x, 0.0), high, low);
}

Tensor buildSoftplus(OpContext &c, const Tensor &x) {
  BodyBuilder &b = c.b;
  Tensor beta = b.constant(x, c.real("beta", 1.0));
  Tensor scaled = b.mul(x, beta);
  Tensor soft =
      b.div(b.unary<math::Log1pOp>(b.unary<math::ExpOp>(scaled)), beta);
  return b.select(b.compare(C::Gt, scaled, c.real("threshold", 20.0)), x, soft);
}

Tensor buildLogSigmoid(OpContext &c, const Tensor &x) {
  BodyBuilder &b = c.b;
  Tensor zero = b.constant(x, 0.0);
  Tensor low = b.minimum(zero, x);
  Tensor e = b.unary<math::ExpOp>(b.neg(b.abs(x)));
  return b.sub(low, b.unary<math::Log1pOp>(e));
}

void registerSmooth(Registry &registry) {
  addUnary(registry, "gelu", UnaryType::Same, buildGelu);
  addUnary(registry, "silu", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             BodyBuilder &b = c.b;
             Tensor e = b.unary<math::ExpOp>(b.neg(x));
             return b.div(x, b.add(b.constant(x, 1.0), e));
           });
  addUnary(registry, "mish", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             BodyBuilder &b = c.b;
             Tensor soft = b.unary<math::Log1pOp>(b.unary<math::ExpOp>(x));
             return b.mul(x, b.unary<math::TanhOp>(soft));
           });
  addUnary(registry, "softplus", UnaryType::Same, buildSoftplus);
  addUnary(registry, "log_sigmoid", UnaryType::Same, buildLogSigmoid);
  addUnary(registry, "elu", UnaryType::Same, [](OpContext &c, const Tensor &x) {
    return buildElu(c.b, x, c.real("alpha", 1.0), c.real("scale", 1.0),
                    c.real("input_scale", 1.0));
  });
  addUnary(registry, "celu", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             double alpha = c.real("alpha", 1.0);
             return buildElu(c.b, x, alpha, 1.0, 1.0 / alpha);
           });
  addUnary(registry, "selu", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             return buildElu(c.b, x, 1.6732632423543772848170429916717,
                             1.0507009873554804934193349852946, 1.0);
           });
}

void registerPiecewise(Registry &registry) {
  addUnary(registry, "relu", UnaryType::Same,
           [](OpContext &c, const Tensor &x) { return clampLow(c.b, x, 0.0); });
  addUnary(registry, "relu6", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             return clampHigh(c.b, clampLow(c.b, x, 0.0), 6.0);
           });
  addUnary(
      registry, "hardtanh", UnaryType::Same, [](OpContext &c, const Tensor &x) {
        double low = c.real("min_val", -1.0);
        return clampHigh(c.b, clampLow(c.b, x, low), c.real("max_val", 1.0));
      });
  addUnary(registry, "hardsigmoid", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             return c.b.mul(buildHardGate(c.b, x), c.b.constant(x, 1.0 / 6.0));
           });
  addUnary(registry, "hardswish", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             Tensor product = c.b.mul(x, buildHardGate(c.b, x));
             return c.b.mul(product, c.b.constant(x, 1.0 / 6.0));
           });
  addUnary(registry, "leaky_relu", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             Tensor slope = c.b.constant(x, c.real("negative_slope", 0.01));
             return c.b.select(c.b.compare(C::Gt, x, 0.0), x,
                               c.b.mul(x, slope));
           });
  addUnary(registry, "threshold", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             Tensor limit = c.b.constant(x, c.scalar("threshold"));
             Tensor value = c.b.constant(x, c.scalar("value"));
             return c.b.select(c.b.compare(C::Le, x, limit), value, x);
           });
}

/// One slope for all, or one for each channel (dimension 1).
void buildPrelu(OpContext &c) {
  Tensor self = c.tensor("self"), weight = c.tensor("weight");
  Sizes sizes = c.resultSizes();
  Tensor x = prepare(c, self, self.dtype);
  Tensor slope = c.b.toOpMath(weight);
  if (weight.getRank() == 1 && self.getRank() > 1 &&
      !weight.sizes[0].isConstant(1))
    slope = c.b.broadcastInDims(slope, {1}, sizes);
  else
    slope = c.b.broadcast(slope, sizes);
  Tensor low = c.b.mul(slope, x);
  c.yield(
      c.b.roundTo(c.b.select(c.b.compare(C::Gt, x, 0.0), x, low), self.dtype));
}

/// The first half along a dimension, gated by the second.
void buildGlu(OpContext &c) {
  Tensor x = c.tensor("self");
  int64_t dim = c.dim("dim", x.getRank(), -1);
  Sizes sizes = c.resultSizes();
  if (c.failed() || x.getRank() == 0)
    return (void)c.fail("expected a tensor with dimensions");
  Sizes starts(x.getRank(), c.b.expr(0));
  SmallVector<int64_t> steps(x.getRank(), 1);
  Tensor wide = c.b.toOpMath(x);
  Tensor a = c.b.slice(wide, starts, steps, sizes);
  starts[dim] = sizes[dim];
  Tensor gate = c.b.slice(wide, starts, steps, sizes);
  c.yield(c.b.roundTo(c.b.mul(a, sigmoid(c.b, gate)), x.dtype));
}
} // namespace

void kfuse::registerActivations(Registry &registry) {
  registerSmooth(registry);
  registerPiecewise(registry);
  registry.add({"prelu", "_prelu_kernel"}, buildPrelu);
  registry.add("glu", buildGlu);
}
