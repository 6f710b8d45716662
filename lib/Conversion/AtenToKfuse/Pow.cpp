//===- Pow.cpp - powers ---------------------------------------------------===//

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// x^n by repeated squaring; wraps.
Tensor buildIntegerPower(BodyBuilder &b, Tensor x, int64_t n) {
  Tensor result = b.constant(x, 1.0);
  for (; n > 0; n >>= 1) {
    if (n & 1)
      result = b.mul(result, x);
    if (n > 1)
      x = b.mul(x, x);
  }
  return result;
}

/// The exponents that ATen's kernel treats one by one.
std::optional<Tensor> buildSpecialPower(BodyBuilder &b, const Tensor &x,
                                        double exponent, DType common) {
  // Products of half types are rounded one by one.
  auto settle = [&](const Tensor &value) {
    return b.cast(b.roundTo(value, common), x.dtype);
  };
  Tensor one = b.constant(x, 1.0);
  if (exponent == 0.0)
    return one;
  if (exponent == 1.0)
    return x;
  if (exponent == 0.5)
    return b.unary<math::SqrtOp>(x);
  if (exponent == -0.5)
    return b.unary<math::RsqrtOp>(x);
  if (exponent == 2.0)
    return b.mul(x, x);
  if (exponent == 3.0)
    return b.mul(settle(b.mul(x, x)), x);
  if (exponent == -1.0)
    return b.div(one, x);
  if (exponent == -2.0)
    return b.div(one, settle(b.mul(x, x)));
  return std::nullopt;
}

void buildScalarPower(OpContext &c, const Operand &base, const Scalar &scalar) {
  DType common = getCommonType({base, Operand{std::nullopt, scalar}});
  Tensor x = prepare(c, base, common);
  if (!isFloat(common)) {
    if (scalar.integer < 0)
      return (void)c.fail("integers have no negative integer powers");
    return c.yield(
        c.b.roundTo(buildIntegerPower(c.b, x, scalar.integer), common));
  }
  double exponent =
      isFloat(scalar.dtype) ? scalar.real : static_cast<double>(scalar.integer);
  if (std::optional<Tensor> special =
          buildSpecialPower(c.b, x, exponent, common))
    return c.yield(c.b.roundTo(*special, common));
  // The kernel takes the exponent in the tensor's own type.
  Tensor y = c.b.toOpMath(c.b.full(exponent, common, x.sizes));
  c.yield(c.b.roundTo(c.b.binary<math::PowFOp>(x, y), common));
}

void buildPower(OpContext &c) {
  Operand base = getOperand(c, "self"), exponent = getOperand(c, "exponent");
  if (exponent.expr)
    return (void)c.fail("a size as exponent has no kernel");
  if (!exponent.tensor)
    return buildScalarPower(c, base, exponent.scalar);
  DType common = getCommonType({base, exponent});
  if (!isFloat(common))
    return (void)c.fail("integer powers of integer tensors have no kernel");
  Tensor x = prepare(c, base, common), y = prepare(c, exponent, common);
  c.yield(c.b.roundTo(c.b.binary<math::PowFOp>(x, y), common));
}

/// Always in f64.
void buildFloatPower(OpContext &c) {
  Operand base = getOperand(c, "self"), exponent = getOperand(c, "exponent");
  Tensor x = prepare(c, base, DType::F64), y = prepare(c, exponent, DType::F64);
  if (!exponent.tensor && !exponent.expr)
    if (std::optional<Tensor> special = buildSpecialPower(
            c.b, x,
            isFloat(exponent.scalar.dtype)
                ? exponent.scalar.real
                : static_cast<double>(exponent.scalar.integer),
            DType::F64))
      return c.yield(*special);
  c.yield(c.b.binary<math::PowFOp>(x, y));
}

/// self * 2^other in the type of `self`; the power of an integer is f32.
void buildLdexp(OpContext &c) {
  Tensor self = c.tensor("self"), other = c.tensor("other");
  DType powerType = isFloat(other.dtype) ? other.dtype : DType::F32;
  Tensor exponent = c.b.toOpMath(c.b.cast(other, powerType));
  Tensor power = c.b.roundTo(
      c.b.binary<math::PowFOp>(c.b.constant(exponent, 2.0), exponent),
      powerType);
  Operand lhs{self, {}}, rhs{power, {}};
  DType common = getCommonType({lhs, rhs});
  Tensor product = c.b.mul(prepare(c, lhs, common), prepare(c, rhs, common));
  c.yield(c.b.roundTo(product, c.resultDType()));
}
} // namespace

void kfuse::registerPow(Registry &registry) {
  registry.add("pow", buildPower);
  registry.add("float_power", buildFloatPower);
  registry.add("ldexp", buildLdexp);
}
