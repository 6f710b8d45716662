//===- Unary.cpp - elementwise functions of one tensor --------------------===//

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

template <typename OpTy>
void addMath(Registry &registry, StringRef name) {
  addUnary(registry, name, UnaryType::Float,
           [](OpContext &c, const Tensor &x) { return c.b.unary<OpTy>(x); });
}

/// Roundings to integral values leave integers alone.
template <typename OpTy>
void addRounding(Registry &registry, StringRef name) {
  addUnary(registry, name, UnaryType::Same, [](OpContext &c, const Tensor &x) {
    return isFloat(x.dtype) ? c.b.unary<OpTy>(x) : x;
  });
}

Tensor buildSign(OpContext &c, const Tensor &x) {
  using C = BodyBuilder::Compare;
  if (x.dtype == DType::Bool)
    return x;
  // (0 < x) - (x < 0): zero for NaN.
  Tensor zero = c.b.constant(x, 0.0), one = c.b.constant(x, 1.0);
  Tensor positive = c.b.compare(C::Lt, zero, x);
  Tensor result = c.b.select(positive, one, zero);
  if (isUnsigned(x.dtype))
    return result;
  return c.b.select(c.b.compare(C::Lt, x, zero), c.b.constant(x, -1.0), result);
}

/// Round half to even, at a power of ten when `decimals` is given.
Tensor buildRound(OpContext &c, const Tensor &x) {
  int64_t decimals = c.integer("decimals", 0);
  if (!isFloat(x.dtype)) {
    if (decimals != 0)
      (void)c.fail("rounding of integers to decimals has no kernel");
    return x;
  }
  if (decimals == 0)
    return c.b.unary<math::RoundEvenOp>(x);
  Tensor ten = c.b.constant(x, std::pow(10.0, std::abs(decimals)));
  if (decimals > 0)
    return c.b.div(c.b.unary<math::RoundEvenOp>(c.b.mul(x, ten)), ten);
  return c.b.mul(c.b.unary<math::RoundEvenOp>(c.b.div(x, ten)), ten);
}

Tensor buildSignBit(OpContext &c, const Tensor &x) {
  using C = BodyBuilder::Compare;
  if (!isFloat(x.dtype))
    return c.b.compare(C::Lt, x, 0.0);
  DType bits = x.dtype == DType::F64 ? DType::I64 : DType::I32;
  Value value = arith::BitcastOp::create(c.b.builder(), c.b.location(),
                                         c.b.type(bits, x.sizes), x.value);
  return c.b.compare(C::Lt, Tensor{value, bits, x.sizes}, 0.0);
}

/// log(x / (1 - x)), with x kept away from 0 and 1 by `eps`.
Tensor buildLogit(OpContext &c, const Tensor &x) {
  using C = BodyBuilder::Compare;
  Tensor one = c.b.constant(x, 1.0), z = x;
  if (std::optional<Scalar> eps = c.optionalScalar("eps")) {
    Tensor low = c.b.constant(x, *eps), high = c.b.sub(one, low);
    z = c.b.select(c.b.compare(C::Lt, x, low), low,
                   c.b.select(c.b.compare(C::Gt, x, high), high, x));
  }
  return c.b.unary<math::LogOp>(c.b.div(z, c.b.sub(one, z)));
}

/// Registers a test of `self` for a property that integers do not have.
void addTest(Registry &registry, StringRef name, bool ofIntegers,
             UnaryFunction function) {
  registry.add(name, [ofIntegers, function](OpContext &c) {
    Tensor x = c.tensor("self");
    if (isFloat(x.dtype))
      return c.yield(function(c, prepare(c, x, x.dtype)));
    c.yield(c.b.full(ofIntegers, DType::Bool, c.resultSizes()));
  });
}

void registerTests(Registry &registry) {
  using C = BodyBuilder::Compare;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  addTest(registry, "isnan", false,
          [](OpContext &c, const Tensor &x) { return c.b.isNaN(x); });
  addTest(registry, "isinf", false, [=](OpContext &c, const Tensor &x) {
    return c.b.compare(C::Eq, c.b.abs(x), infinity);
  });
  addTest(registry, "isposinf", false, [=](OpContext &c, const Tensor &x) {
    return c.b.compare(C::Eq, x, infinity);
  });
  addTest(registry, "isneginf", false, [=](OpContext &c, const Tensor &x) {
    return c.b.compare(C::Eq, x, -infinity);
  });
  addTest(registry, "isfinite", true, [=](OpContext &c, const Tensor &x) {
    return c.b.compare(C::Lt, c.b.abs(x), infinity);
  });
  registry.add("signbit", [](OpContext &c) {
    Tensor x = c.tensor("self");
    c.yield(buildSignBit(c, prepare(c, x, x.dtype)));
  });
}

void registerMath(Registry &registry) {
  addMath<math::SqrtOp>(registry, "sqrt");
  addMath<math::RsqrtOp>(registry, "rsqrt");
  addMath<math::ExpOp>(registry, "exp");
  addMath<math::Exp2Op>(registry, "exp2");
  addMath<math::ExpM1Op>(registry, "expm1");
  addMath<math::LogOp>(registry, "log");
  addMath<math::Log2Op>(registry, "log2");
  addMath<math::Log10Op>(registry, "log10");
  addMath<math::Log1pOp>(registry, "log1p");
  addMath<math::SinOp>(registry, "sin");
  addMath<math::CosOp>(registry, "cos");
  addMath<math::TanOp>(registry, "tan");
  addMath<math::AsinOp>(registry, "asin");
  addMath<math::AcosOp>(registry, "acos");
  addMath<math::AtanOp>(registry, "atan");
  addMath<math::SinhOp>(registry, "sinh");
  addMath<math::CoshOp>(registry, "cosh");
  addMath<math::TanhOp>(registry, "tanh");
  addMath<math::AsinhOp>(registry, "asinh");
  addMath<math::AcoshOp>(registry, "acosh");
  addMath<math::AtanhOp>(registry, "atanh");
  addMath<math::ErfOp>(registry, "erf");
  addMath<math::ErfcOp>(registry, "erfc");
  addRounding<math::CeilOp>(registry, "ceil");
  addRounding<math::FloorOp>(registry, "floor");
  addRounding<math::TruncOp>(registry, "trunc");
  addRounding<math::TruncOp>(registry, "fix");
}

} // namespace

void kfuse::registerUnary(Registry &registry) {
  registerMath(registry);
  registerTests(registry);
  addUnary(registry, "abs", UnaryType::Same,
           [](OpContext &c, const Tensor &x) { return c.b.abs(x); });
  addUnary(registry, "neg", UnaryType::Same,
           [](OpContext &c, const Tensor &x) { return c.b.neg(x); });
  addUnary(registry, "positive", UnaryType::Same,
           [](OpContext &c, const Tensor &x) { return x; });
  addUnary(registry, "sign", UnaryType::Same, buildSign);
  addUnary(registry, "sgn", UnaryType::Same, buildSign);
  addUnary(registry, "round", UnaryType::Same, buildRound);
  addUnary(registry, "frac", UnaryType::Same,
           [](OpContext &c, const Tensor &x) {
             return c.b.sub(x, c.b.unary<math::TruncOp>(x));
           });
  addUnary(registry, "square", UnaryType::Same,
           [](OpContext &c, const Tensor &x) { return c.b.mul(x, x); });
  addUnary(registry, "reciprocal", UnaryType::Float,
           [](OpContext &c, const Tensor &x) {
             return c.b.div(c.b.constant(x, 1.0), x);
           });
  addUnary(registry, "sigmoid", UnaryType::Float,
           [](OpContext &c, const Tensor &x) { return sigmoid(c.b, x); });
  addUnary(registry, "logit", UnaryType::Float, buildLogit);
  addUnary(registry, "deg2rad", UnaryType::Float,
           [](OpContext &c, const Tensor &x) {
             return c.b.mul(x, c.b.constant(x, M_PI / 180.0));
           });
  addUnary(registry, "rad2deg", UnaryType::Float,
           [](OpContext &c, const Tensor &x) {
             return c.b.mul(x, c.b.constant(x, 180.0 / M_PI));
           });
}
