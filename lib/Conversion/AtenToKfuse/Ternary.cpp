//===- Ternary.cpp - choices, limits and combinations of three ------------===//

#include "Pointwise.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;

std::optional<Operand> getLimit(OpContext &c, StringRef name) {
  if (!c.has(name))
    return std::nullopt;
  return getOperand(c, name);
}

/// NaN stays, a value equal to a limit stays, and the upper limit wins.
Tensor clampToNumbers(OpContext &c, Tensor x, std::optional<Tensor> low,
                      std::optional<Tensor> high) {
  if (low)
    x = c.b.select(c.b.compare(C::Lt, x, *low), *low, x);
  if (high)
    x = c.b.select(c.b.compare(C::Gt, x, *high), *high, x);
  return x;
}

bool isNaNNumber(const std::optional<Operand> &operand) {
  return operand && !operand->tensor && std::isnan(operand->scalar.real);
}

void buildClampBetween(OpContext &c, std::optional<Operand> low,
                       std::optional<Operand> high) {
  Tensor self = c.tensor("self");
  if (isNaNNumber(low) || isNaNNumber(high))
    return (void)c.fail("a limit is NaN");
  SmallVector<Operand> operands{Operand{self, {}}};
  bool byTensor = false;
  for (const auto &limit : {low, high})
    if (limit) {
      operands.push_back(*limit);
      byTensor |= limit->tensor.has_value();
    }
  DType common = getCommonType(operands);
  if (operands.size() == 1)
    return (void)c.fail("expected a limit");
  Tensor x = prepare(c, self, common);
  std::optional<Tensor> lowValue, highValue;
  if (low)
    lowValue = prepare(c, *low, common);
  if (high)
    highValue = prepare(c, *high, common);
  if (!byTensor)
    return c.yield(
        c.b.roundTo(clampToNumbers(c, x, lowValue, highValue), common));
  // NaN in any operand wins.
  if (lowValue)
    x = c.b.maximum(x, *lowValue);
  if (highValue)
    x = c.b.minimum(x, *highValue);
  c.yield(c.b.roundTo(x, common));
}

void buildWhere(OpContext &c) {
  Tensor condition = c.b.cast(c.tensor("condition"), DType::Bool);
  Operand lhs = getOperand(c, "self"), rhs = getOperand(c, "other");
  DType common = getCommonType({lhs, rhs});
  condition = c.b.broadcast(condition, c.resultSizes());
  c.yield(c.b.select(condition, prepareUnwidened(c, lhs, common),
                     prepareUnwidened(c, rhs, common)));
}

void buildMaskedFill(OpContext &c) {
  Tensor self = c.tensor("self"), mask = c.tensor("mask");
  Operand value = getOperand(c, "value");
  Tensor condition =
      c.b.broadcast(c.b.cast(mask, DType::Bool), c.resultSizes());
  c.yield(c.b.select(condition, prepareUnwidened(c, value, self.dtype),
                     prepareUnwidened(c, Operand{self, {}}, self.dtype)));
}

/// `self + value * tensor1 * tensor2`, or with a quotient.
void buildAddC(OpContext &c, bool isQuotient) {
  Operand self = getOperand(c, "self"), lhs = getOperand(c, "tensor1"),
          rhs = getOperand(c, "tensor2");
  Scalar value = c.scalar("value", Scalar::of(int64_t(1)));
  DType common = getCommonType({self, lhs, rhs});
  if (isQuotient && !isFloat(common))
    return (void)c.fail("addcdiv of integers is not defined");
  BodyBuilder &b = c.b;
  Tensor a = prepare(c, self, common), x = prepare(c, lhs, common),
         y = prepare(c, rhs, common), alpha = b.constant(a, value);
  Tensor result = isQuotient ? fma(b, alpha, b.div(x, y), a)
                             : fma(b, b.mul(alpha, x), y, a);
  c.yield(b.roundTo(result, common));
}

/// From the nearer end, which makes both ends exact.
void buildLerp(OpContext &c) {
  Operand self = getOperand(c, "self"), end = getOperand(c, "end"),
          weight = getOperand(c, "weight");
  DType common = getCommonType({self, end});
  if (!isFloat(common))
    return (void)c.fail("lerp needs floats");
  BodyBuilder &b = c.b;
  Tensor x = prepare(c, self, common), y = prepare(c, end, common),
         w = prepare(c, weight, common), one = b.constant(x, 1.0);
  Tensor span = b.sub(y, x);
  Tensor fromStart = fma(b, w, span, x);
  Tensor fromEnd = fma(b, b.neg(span), b.sub(one, w), y);
  Tensor isNear = b.compare(C::Lt, b.abs(w), 0.5);
  c.yield(b.roundTo(b.select(isNear, fromStart, fromEnd), common));
}

double getLargest(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return std::numeric_limits<double>::max();
  case DType::BF16:
    return 0x1.fep127;
  case DType::F16:
    return 65504.0;
  default:
    return std::numeric_limits<float>::max();
  }
}

void buildNanToNum(OpContext &c) {
  Tensor self = c.tensor("self");
  double largest = getLargest(self.dtype);
  double nan = c.real("nan", 0.0), high = c.real("posinf", largest),
         low = c.real("neginf", -largest);
  if (!isFloat(self.dtype))
    return c.yield(self);
  BodyBuilder &b = c.b;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor x = b.toOpMath(self);
  Tensor result = b.select(b.isNaN(x), b.constant(x, nan), x);
  result = b.select(b.compare(C::Eq, x, infinity), b.constant(x, high), result);
  result = b.select(b.compare(C::Eq, x, -infinity), b.constant(x, low), result);
  c.yield(b.roundTo(result, self.dtype));
}
} // namespace

void kfuse::registerTernary(Registry &registry) {
  registry.add({"clamp", "clip"}, [](OpContext &c) {
    buildClampBetween(c, getLimit(c, "min"), getLimit(c, "max"));
  });
  registry.add("clamp_min", [](OpContext &c) {
    buildClampBetween(c, getLimit(c, "min"), std::nullopt);
  });
  registry.add("clamp_max", [](OpContext &c) {
    buildClampBetween(c, std::nullopt, getLimit(c, "max"));
  });
  registry.add("where", buildWhere);
  registry.add("masked_fill", buildMaskedFill);
  registry.add("addcmul", [](OpContext &c) { buildAddC(c, false); });
  registry.add("addcdiv", [](OpContext &c) { buildAddC(c, true); });
  registry.add("lerp", buildLerp);
  registry.add("nan_to_num", buildNanToNum);
}
