//===- Logic.cpp - logical and bitwise operations, shifts -----------------===//

#include "Pointwise.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
using C = BodyBuilder::Compare;
using Combine = Tensor (BodyBuilder::*)(const Tensor &, const Tensor &);

void addLogical(Registry &registry, StringRef name, Combine combine) {
  registry.add(name, [combine](OpContext &c) {
    Tensor x = c.tensor("self"), y = c.tensor("other");
    Sizes sizes = c.resultSizes();
    Tensor lhs = c.b.broadcast(c.b.cast(x, DType::Bool), sizes);
    Tensor rhs = c.b.broadcast(c.b.cast(y, DType::Bool), sizes);
    c.yield((c.b.*combine)(lhs, rhs));
  });
}

void addBitwise(Registry &registry, std::initializer_list<StringRef> names,
                Combine combine) {
  registry.add(names, [combine](OpContext &c) {
    Operand lhs = getOperand(c, "self"), rhs = getOperand(c, "other");
    DType common = getCommonType({lhs, rhs});
    if (isFloat(common))
      return (void)c.fail("bitwise operations need integers");
    c.yield((c.b.*combine)(prepare(c, lhs, common), prepare(c, rhs, common)));
  });
}

/// Shifts by less than nothing or by more than the width have a value: 0, or
/// all sign bits.
void buildShift(OpContext &c, bool isLeft) {
  Operand lhs = getOperand(c, "self"), rhs = getOperand(c, "other");
  DType common = getCommonType({lhs, rhs});
  if (isFloat(common) || common == DType::Bool)
    return (void)c.fail("shifts need integers");
  BodyBuilder &b = c.b;
  Tensor x = prepare(c, lhs, common), y = prepare(c, rhs, common);
  int64_t width =
      getBodyElementType(b.context(), common).getIntOrFloatBitWidth();
  Tensor out = b.compare(C::Ge, y, static_cast<double>(width));
  if (!isUnsigned(common))
    out = b.bitOr(out, b.compare(C::Lt, y, 0.0));
  Tensor zero = b.constant(x, 0.0);
  if (isLeft || isUnsigned(common)) {
    Tensor amount = b.select(out, zero, y);
    Tensor shifted = isLeft ? b.binary<arith::ShLIOp>(x, amount)
                            : b.binary<arith::ShRUIOp>(x, amount);
    return c.yield(b.select(out, zero, shifted));
  }
  Tensor last = b.constant(x, static_cast<double>(width - 1));
  c.yield(b.binary<arith::ShRSIOp>(x, b.select(out, last, y)));
}
} // namespace

void kfuse::registerLogic(Registry &registry) {
  addLogical(registry, "logical_and", &BodyBuilder::bitAnd);
  addLogical(registry, "logical_or", &BodyBuilder::bitOr);
  addLogical(registry, "logical_xor", &BodyBuilder::bitXor);
  registry.add("logical_not",
               [](OpContext &c) { c.yield(c.b.logicalNot(c.tensor("self"))); });
  addBitwise(registry, {"bitwise_and", "__and__"}, &BodyBuilder::bitAnd);
  addBitwise(registry, {"bitwise_or", "__or__"}, &BodyBuilder::bitOr);
  addBitwise(registry, {"bitwise_xor", "__xor__"}, &BodyBuilder::bitXor);
  registry.add("bitwise_not", [](OpContext &c) {
    Tensor x = c.tensor("self");
    if (isFloat(x.dtype))
      return (void)c.fail("bitwise operations need integers");
    Scalar ones = Scalar::of(int64_t(x.dtype == DType::Bool ? 1 : -1));
    c.yield(c.b.bitXor(x, c.b.constant(x, ones)));
  });
  registry.add({"bitwise_left_shift", "__lshift__"},
               [](OpContext &c) { buildShift(c, /*isLeft=*/true); });
  registry.add({"bitwise_right_shift", "__rshift__"},
               [](OpContext &c) { buildShift(c, /*isLeft=*/false); });
}
