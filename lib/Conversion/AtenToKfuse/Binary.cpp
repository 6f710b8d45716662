//===- Binary.cpp - elementwise functions of two operands -----------------===//

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;

bool isOne(const Scalar &value) {
  return isFloat(value.dtype) ? value.real == 1.0 : value.integer == 1;
}

/// `self + alpha * other`, `sign` -1 for subtraction.
void buildSum(OpContext &c, StringRef lhsName, StringRef rhsName, int sign) {
  Operand lhs = getOperand(c, lhsName), rhs = getOperand(c, rhsName);
  Scalar alpha = c.scalar("alpha", Scalar::of(int64_t(1)));
  DType common = getCommonType({lhs, rhs});
  if (common == DType::Bool && sign < 0)
    return (void)c.fail("bool tensors cannot be subtracted");
  Tensor x = prepare(c, lhs, common), y = prepare(c, rhs, common);
  if (isOne(alpha))
    return c.yield(
        c.b.roundTo(sign > 0 ? c.b.add(x, y) : c.b.sub(x, y), common));
  // The product and the sum are one instruction in ATen's kernel.
  alpha.integer *= sign;
  alpha.real *= sign;
  c.yield(c.b.roundTo(fma(c.b, y, c.b.constant(y, alpha), x), common));
}

/// sqrt(x^2 + y^2) without overflow.
Tensor buildHypot(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  if (x.dtype == DType::F32) {
    Tensor wideX = b.cast(x, DType::F64), wideY = b.cast(y, DType::F64);
    Tensor sum = fma(b, wideX, wideX, b.mul(wideY, wideY));
    Tensor root = b.cast(b.unary<math::SqrtOp>(sum), DType::F32);
    // Infinity wins over NaN.
    Tensor infinity = b.constant(x, std::numeric_limits<double>::infinity());
    Tensor any = b.bitOr(b.compare(C::Eq, b.abs(x), infinity),
                         b.compare(C::Eq, b.abs(y), infinity));
    return b.select(any, infinity, root);
  }
  Tensor high = b.fmax(b.abs(x), b.abs(y)), low = b.fmin(b.abs(x), b.abs(y));
  Tensor ratio = b.div(low, high), one = b.constant(x, 1.0);
  Tensor root = b.mul(high, b.unary<math::SqrtOp>(fma(b, ratio, ratio, one)));
  // Infinity wins over NaN, NaN over the rest; 0 / 0 is no ratio.
  Tensor infinity = b.constant(x, std::numeric_limits<double>::infinity());
  Tensor result =
      b.select(b.compare(C::Eq, high, 0.0), b.constant(x, 0.0), root);
  result = b.select(b.bitOr(b.isNaN(x), b.isNaN(y)), b.add(x, y), result);
  return b.select(b.compare(C::Eq, high, infinity), infinity, result);
}

Tensor buildLogAddExp(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  Tensor high = b.maximum(x, y);
  Tensor e = b.unary<math::ExpOp>(b.neg(b.abs(b.sub(x, y))));
  Tensor sum = b.add(high, b.unary<math::Log1pOp>(e));
  Tensor infinity = b.constant(x, std::numeric_limits<double>::infinity());
  Tensor same =
      b.bitAnd(b.compare(C::Eq, b.abs(x), infinity), b.compare(C::Eq, x, y));
  return b.select(same, x, sum);
}

/// x * log(y), 0 where x is 0 and y is a number.
Tensor buildXLogY(BodyBuilder &b, const Tensor &x, const Tensor &y) {
  Tensor product = b.mul(x, b.unary<math::LogOp>(y));
  Tensor zero = b.constant(x, 0.0);
  Tensor result = b.select(b.compare(C::Eq, x, zero), zero, product);
  return b.select(b.isNaN(y), y, result);
}

void registerExtrema(Registry &registry) {
  auto maximum = [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
    return b.maximum(x, y);
  };
  auto minimum = [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
    return b.minimum(x, y);
  };
  addBinary(registry, "maximum", false, maximum);
  addBinary(registry, "max.other", false, maximum);
  addBinary(registry, "minimum", false, minimum);
  addBinary(registry, "min.other", false, minimum);
  addBinary(registry, "fmax", false,
            [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
              return b.fmax(x, y);
            });
  addBinary(registry, "fmin", false,
            [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
              return b.fmin(x, y);
            });
}

void registerComparisons(Registry &registry) {
  static const std::pair<StringRef, C> kinds[] = {{"eq", C::Eq}, {"ne", C::Ne},
                                                  {"lt", C::Lt}, {"le", C::Le},
                                                  {"gt", C::Gt}, {"ge", C::Ge}};
  for (auto [name, kind] : kinds)
    addBinary(registry, name, false,
              [kind = kind](BodyBuilder &b, const Tensor &x, const Tensor &y) {
                return b.compare(kind, x, y);
              });
}
} // namespace

void kfuse::registerBinary(Registry &registry) {
  registry.add("add", [](OpContext &c) { buildSum(c, "self", "other", 1); });
  registry.add("sub", [](OpContext &c) { buildSum(c, "self", "other", -1); });
  registry.add({"subtract"},
               [](OpContext &c) { buildSum(c, "self", "other", -1); });
  registry.add("rsub", [](OpContext &c) { buildSum(c, "other", "self", -1); });
  auto mul = [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
    return b.mul(x, y);
  };
  addBinary(registry, "mul", false, mul);
  addBinary(registry, "multiply", false, mul);
  addBinary(registry, "atan2", true,
            [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
              return b.binary<math::Atan2Op>(x, y);
            });
  addBinary(registry, "copysign", true,
            [](BodyBuilder &b, const Tensor &x, const Tensor &y) {
              return b.binary<math::CopySignOp>(x, y);
            });
  addBinary(registry, "hypot", false, buildHypot);
  addBinary(registry, "logaddexp", false, buildLogAddExp);
  addBinary(registry, "xlogy", true, buildXLogY);
  registerExtrema(registry);
  registerComparisons(registry);
}
