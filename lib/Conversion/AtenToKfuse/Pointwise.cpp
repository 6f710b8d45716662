//===- Pointwise.cpp - operands of elementwise operations -----------------===//

#include "Pointwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

Operand kfuse::getOperand(OpContext &c, StringRef name) {
  if (c.isTensor(name))
    return {c.tensor(name), {}};
  if (isa_and_nonnull<ExprAttr, OperandAttr>(c.op.getArg(name)))
    return {std::nullopt, Scalar::of(int64_t(0)), c.expr(name)};
  return {std::nullopt, c.scalar(name)};
}

DType kfuse::getCommonType(ArrayRef<Operand> operands, bool toFloat) {
  Promotion promotion;
  for (const Operand &operand : operands)
    if (operand.tensor)
      promotion.addTensor(operand.tensor->dtype, operand.tensor->getRank() > 0);
    else
      promotion.addScalar(operand.scalar.dtype);
  DType common = promotion.get();
  return toFloat && !isFloat(common) ? DType::F32 : common;
}

/// A Python number in type `dtype`.
static Tensor buildNumber(OpContext &c, const Operand &operand, DType dtype) {
  Sizes sizes = c.resultSizes();
  return operand.expr ? c.b.cast(c.b.size(operand.expr, sizes), dtype)
                      : c.b.full(operand.scalar, dtype, sizes);
}

Tensor kfuse::prepareUnwidened(OpContext &c, const Operand &operand,
                               DType common) {
  if (!operand.tensor)
    return buildNumber(c, operand, common);
  return c.b.broadcast(c.b.cast(*operand.tensor, common), c.resultSizes());
}

Tensor kfuse::prepare(OpContext &c, const Operand &operand, DType common) {
  // A Python number is not rounded to a half type before it is used.
  if (!operand.tensor)
    return buildNumber(c, operand, getOpMath(common));
  Tensor wide = c.b.toOpMath(c.b.cast(*operand.tensor, common));
  return c.b.broadcast(wide, c.resultSizes());
}

Tensor kfuse::prepare(OpContext &c, const Tensor &tensor, DType common) {
  return prepare(c, Operand{tensor, {}}, common);
}

Tensor kfuse::fma(BodyBuilder &b, const Tensor &x, const Tensor &y,
                  const Tensor &z) {
  if (!isFloat(x.dtype))
    return b.add(b.mul(x, y), z);
  Value result =
      math::FmaOp::create(b.builder(), b.location(), x.value, y.value, z.value);
  return {result, x.dtype, x.sizes};
}

Tensor kfuse::sigmoid(BodyBuilder &b, const Tensor &x) {
  Tensor one = b.constant(x, 1.0);
  return b.div(one, b.add(one, b.unary<math::ExpOp>(b.neg(x))));
}

void kfuse::addUnary(Registry &registry, StringRef name, UnaryType type,
                     UnaryFunction function) {
  registry.add(name, [type, function](OpContext &c) {
    Tensor x = c.tensor(c.has("self") ? "self" : "input");
    DType common = x.dtype;
    if (type == UnaryType::Float && !isFloat(common))
      common = DType::F32;
    c.yield(c.b.roundTo(function(c, prepare(c, x, common)), common));
  });
}

void kfuse::addBinary(Registry &registry, StringRef name, bool toFloat,
                      BinaryFunction function) {
  registry.add(name, [toFloat, function](OpContext &c) {
    Operand lhs = getOperand(c, "self"), rhs = getOperand(c, "other");
    DType common = getCommonType({lhs, rhs}, toFloat);
    Tensor result =
        function(c.b, prepare(c, lhs, common), prepare(c, rhs, common));
    c.yield(result.dtype == getOpMath(common) ? c.b.roundTo(result, common)
                                              : result);
  });
}
