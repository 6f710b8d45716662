//===- Divisions.cpp - division, remainders -------------------------------===//
/// As in ATen's CUDA kernels: a float divided by a Python number is multiplied
/// by its reciprocal, and floor division is made of fmod.

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;

/// A quotient and remainder of integers that are defined for every divisor: by
/// 0 it is what the division by 1 gives, and the smallest number by -1 wraps.
struct IntegerDivision {
  Tensor quotient, remainder;

  IntegerDivision(BodyBuilder &b, const Tensor &x, const Tensor &y) {
    Tensor one = b.constant(y, 1.0);
    Tensor unsafe = b.compare(C::Eq, y, 0.0);
    if (isUnsigned(y.dtype)) {
      Tensor divisor = b.select(unsafe, one, y);
      quotient = b.div(x, divisor);
      remainder = b.rem(x, divisor);
      return;
    }
    Tensor negated = b.compare(C::Eq, y, -1.0);
    Tensor divisor = b.select(b.bitOr(unsafe, negated), one, y);
    quotient = b.div(x, divisor);
    quotient = b.select(negated, b.neg(x), quotient);
    remainder = b.rem(x, divisor);
  }
};

Tensor isNegative(BodyBuilder &b, const Tensor &x) {
  return b.compare(C::Lt, x, 0.0);
}

/// True where both are not zero and differ in sign.
Tensor needsCorrection(BodyBuilder &b, const Tensor &remainder,
                       const Tensor &divisor) {
  return b.bitAnd(b.compare(C::Ne, remainder, 0.0),
                  b.bitXor(isNegative(b, remainder), isNegative(b, divisor)));
}

Tensor floorDivideIntegers(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  IntegerDivision division(b, x, y);
  if (isUnsigned(x.dtype))
    return division.quotient;
  Tensor less = b.sub(division.quotient, b.constant(x, 1.0));
  return b.select(needsCorrection(b, division.remainder, y), less,
                  division.quotient);
}

/// Elementwise rounding to the type of the operands in between, as ATen's
/// arithmetic on half types has it; explicit, for what follows are steps.
Tensor settle(BodyBuilder &b, const Tensor &x, DType common) {
  return b.cast(b.cast(x, common), x.dtype);
}

/// `inverse` is 1 / y where y is a Python number.
Tensor floorDivideFloats(BodyBuilder &b, const Tensor &x, const Tensor &y,
                         std::optional<Tensor> inverse, DType common) {
  auto divide = [&](const Tensor &value) {
    return inverse ? b.mul(value, *inverse) : b.div(value, y);
  };
  bool settles = !inverse && isHalf(common);
  auto step = [&](const Tensor &value) {
    return settles ? settle(b, value, common) : value;
  };
  Tensor one = b.constant(x, 1.0), zero = b.constant(x, 0.0);
  Tensor mod = b.rem(x, y);
  Tensor quotient = step(divide(step(b.sub(x, mod))));
  quotient = b.select(needsCorrection(b, mod, y), step(b.sub(quotient, one)),
                      quotient);
  Tensor floor = b.unary<math::FloorOp>(quotient);
  Tensor above = b.compare(C::Gt, b.sub(quotient, floor), 0.5);
  floor = b.select(above, b.add(floor, one), floor);
  Tensor signedZero = b.binary<math::CopySignOp>(zero, divide(x));
  Tensor result = b.select(b.compare(C::Ne, quotient, 0.0), floor, signedZero);
  return b.select(b.compare(C::Eq, y, 0.0), b.div(x, y), result);
}

struct DivisionOperands {
  DType common;
  Tensor x, y;
  std::optional<Tensor> inverse;

  DivisionOperands(OpContext &c, bool toFloat) {
    Operand lhs = getOperand(c, "self"), rhs = getOperand(c, "other");
    common = getCommonType({lhs, rhs}, toFloat);
    x = prepare(c, lhs, common);
    y = prepare(c, rhs, common);
    if (rhs.tensor || !isFloat(common))
      return;
    if (rhs.expr) {
      inverse = c.b.div(c.b.constant(y, 1.0), y);
      return;
    }
    double number = isFloat(rhs.scalar.dtype)
                        ? rhs.scalar.real
                        : static_cast<double>(rhs.scalar.integer);
    double reciprocal =
        common == DType::F64 ? 1.0 / number : 1.0f / static_cast<float>(number);
    inverse = c.b.constant(x, reciprocal);
  }
};

Tensor divide(BodyBuilder &b, const DivisionOperands &operands) {
  return operands.inverse ? b.mul(operands.x, *operands.inverse)
                          : b.div(operands.x, operands.y);
}

void buildFloorDivide(OpContext &c) {
  DivisionOperands operands(c, /*toFloat=*/false);
  Tensor result = isFloat(operands.common)
                      ? floorDivideFloats(c.b, operands.x, operands.y,
                                          operands.inverse, operands.common)
                      : floorDivideIntegers(c.b, operands.x, operands.y);
  if (operands.common == DType::Bool)
    return (void)c.fail("bool tensors cannot be floor-divided");
  c.yield(c.b.roundTo(result, operands.common));
}

void buildTruncDivide(OpContext &c) {
  DivisionOperands operands(c, /*toFloat=*/false);
  if (operands.common == DType::Bool)
    return (void)c.fail("bool tensors cannot be divided by truncation");
  Tensor result;
  if (isFloat(operands.common)) {
    Tensor quotient = divide(c.b, operands);
    if (!operands.inverse && isHalf(operands.common))
      quotient = settle(c.b, quotient, operands.common);
    result = c.b.unary<math::TruncOp>(quotient);
  } else {
    result = IntegerDivision(c.b, operands.x, operands.y).quotient;
  }
  c.yield(c.b.roundTo(result, operands.common));
}

void buildDivide(OpContext &c) {
  std::string mode = c.string("rounding_mode", "");
  if (mode == "floor")
    return buildFloorDivide(c);
  if (mode == "trunc")
    return buildTruncDivide(c);
  DivisionOperands operands(c, /*toFloat=*/true);
  c.yield(c.b.roundTo(divide(c.b, operands), operands.common));
}

Tensor buildRemainder(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  Tensor mod =
      isFloat(x.dtype) ? b.rem(x, y) : IntegerDivision(b, x, y).remainder;
  if (isUnsigned(x.dtype))
    return mod;
  return b.select(needsCorrection(b, mod, y), b.add(mod, y), mod);
}

Tensor buildFmod(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  return isFloat(x.dtype) ? b.rem(x, y) : IntegerDivision(b, x, y).remainder;
}
} // namespace

void kfuse::registerDivisions(Registry &registry) {
  registry.add({"div", "divide", "true_divide"}, buildDivide);
  registry.add("floor_divide", buildFloorDivide);
  addBinary(registry, "remainder", false, buildRemainder);
  addBinary(registry, "fmod", false, buildFmod);
}
