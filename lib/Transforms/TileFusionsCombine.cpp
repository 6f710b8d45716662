//===- TileFusionsCombine.cpp - combiners of reductions -------------------===//

#include "TileFusionsCombine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

Combiner::Combiner(Operation *reduction) : op(reduction) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    kind = reduce.getKind();
    isUnsigned = reduce.getIsUnsigned();
  } else {
    kind = cast<ArgReduceOp>(op).getKind();
    isUnsigned = cast<ArgReduceOp>(op).getIsUnsigned();
  }
  // As a signed number, true would be less than false.
  isUnsigned |= getElementTypeOrSelf(getSource().getType()).isInteger(1);
}

TypedAttr Combiner::getNeutralAttr(OpBuilder &builder, Type type) const {
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    switch (kind) {
    case ReduceKind::Prod:
      return builder.getFloatAttr(type, 1.0);
    case ReduceKind::Max:
      return builder.getFloatAttr(type, APFloat::getInf(semantics, true));
    case ReduceKind::Min:
      return builder.getFloatAttr(type, APFloat::getInf(semantics, false));
    default:
      return builder.getFloatAttr(type, 0.0);
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Prod:
    return builder.getIntegerAttr(type, APInt(width, 1));
  case ReduceKind::Max:
    return builder.getIntegerAttr(type, isUnsigned
                                            ? APInt::getZero(width)
                                            : APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return builder.getIntegerAttr(type, isUnsigned || width == 1
                                            ? APInt::getAllOnes(width)
                                            : APInt::getSignedMaxValue(width));
  case ReduceKind::And:
    return builder.getIntegerAttr(type, APInt::getAllOnes(width));
  default:
    return builder.getIntegerAttr(type, APInt::getZero(width));
  }
}

SmallVector<Value> Combiner::getNeutral(OpBuilder &builder, Location loc,
                                        unsigned lanes) const {
  auto make = [&](TypedAttr attr) -> Value {
    if (lanes != 0)
      attr = DenseElementsAttr::get(VectorType::get(lanes, attr.getType()),
                                    Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  Type type = getElementTypeOrSelf(getSource().getType());
  SmallVector<Value> result{make(getNeutralAttr(builder, type))};
  // A real position always wins against the neutral one.
  if (hasPosition())
    result.push_back(make(builder.getI64IntegerAttr(INT64_MAX)));
  return result;
}

Value Combiner::combineValues(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs) const {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  switch (kind) {
  case ReduceKind::Sum:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, lhs, rhs);
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, lhs, rhs);
    if (isUnsigned)
      return arith::MaxUIOp::create(builder, loc, lhs, rhs);
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, lhs, rhs);
    if (isUnsigned)
      return arith::MinUIOp::create(builder, loc, lhs, rhs);
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Or:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("closed enum");
}

/// Whether (rhs, its position) replaces (lhs, its position).
static Value isBetter(OpBuilder &builder, Location loc, bool isMax,
                      bool isUnsigned, ValueRange lhs, ValueRange rhs) {
  auto both = [&](Value a, Value b) -> Value {
    return arith::AndIOp::create(builder, loc, a, b);
  };
  auto either = [&](Value a, Value b) -> Value {
    return arith::OrIOp::create(builder, loc, a, b);
  };
  Value earlier = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        rhs[1], lhs[1]);
  if (!isa<FloatType>(getElementTypeOrSelf(lhs[0].getType()))) {
    auto predicate =
        isUnsigned
            ? (isMax ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult)
            : (isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt);
    Value beats =
        arith::CmpIOp::create(builder, loc, predicate, rhs[0], lhs[0]);
    Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       rhs[0], lhs[0]);
    return either(beats, both(same, earlier));
  }
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b).getResult();
  };
  using P = arith::CmpFPredicate;
  Value lhsIsNaN = compare(P::UNO, lhs[0], lhs[0]);
  Value rhsIsNaN = compare(P::UNO, rhs[0], rhs[0]);
  // "Unordered or greater" is true for a NaN on either side; a NaN on the left
  // may only be replaced by an earlier NaN.
  Value beats = compare(isMax ? P::UGT : P::ULT, rhs[0], lhs[0]);
  Value same =
      either(compare(P::OEQ, rhs[0], lhs[0]), both(lhsIsNaN, rhsIsNaN));
  Value yes = arith::ConstantOp::create(
      builder, loc,
      isa<VectorType>(lhsIsNaN.getType())
          ? TypedAttr(DenseElementsAttr::get(
                cast<VectorType>(lhsIsNaN.getType()), true))
          : TypedAttr(builder.getBoolAttr(true)));
  Value lhsIsNumber = arith::XOrIOp::create(builder, loc, lhsIsNaN, yes);
  return either(both(beats, lhsIsNumber), both(same, earlier));
}

SmallVector<Value> Combiner::combine(OpBuilder &builder, Location loc,
                                     ValueRange lhs, ValueRange rhs) const {
  if (!hasPosition())
    return {combineValues(builder, loc, lhs[0], rhs[0])};
  Value better =
      isBetter(builder, loc, kind == ReduceKind::Max, isUnsigned, lhs, rhs);
  return {arith::SelectOp::create(builder, loc, better, rhs[0], lhs[0]),
          arith::SelectOp::create(builder, loc, better, rhs[1], lhs[1])};
}
