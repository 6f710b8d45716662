//===- LowerMath.cpp - math that is not left to libdevice -----------------===//

#include "LowerTileOps.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Calls an intrinsic on each element.
static Value callEach(OpBuilder &builder, Location loc, StringRef name,
                      Value value) {
  auto call = [&](Value element) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, element.getType(),
                                         builder.getStringAttr(name), element)
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return call(value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(call(vector::ExtractOp::create(builder, loc, value, i)));
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

static Value getSplat(OpBuilder &builder, Location loc, Type type,
                      double value) {
  TypedAttr attr =
      builder.getFloatAttr(getElementTypeOrSelf(type), APFloat(float(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Whether the only thing done with tanh(x) is to add one: the error of the
/// short form near zero, 2^-23 absolute, is then one last place of the sum.
static bool isOnlyAddedToOne(math::TanhOp op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto add = dyn_cast<arith::AddFOp>(user);
    if (!add)
      return false;
    Value other = add.getLhs() == op.getResult() ? add.getRhs() : add.getLhs();
    APFloat value(0.0f);
    return matchPattern(other, m_ConstantFloat(&value)) &&
           value.isExactlyValue(1.0);
  });
}

/// tanh(x) = 1 - 2 / (exp(2 |x|) + 1) with x's sign, with the approximations
/// of libdevice's own large-argument path.
static void lowerShortTanh(math::TanhOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value x = op.getOperand();
  Type type = x.getType();
  Value one = getSplat(builder, loc, type, 1.0);
  Value minusTwo = getSplat(builder, loc, type, -2.0);
  Value twoLog2E = getSplat(builder, loc, type, 2.885390043258667);
  // Without the sign: exp(2x) overflows to infinity (giving 1) or vanishes
  // (giving -1).
  Value power = arith::MulFOp::create(builder, loc, x, twoLog2E);
  power = callEach(builder, loc, "llvm.nvvm.ex2.approx.ftz.f32", power);
  Value sum = arith::AddFOp::create(builder, loc, power, one);
  Value inverse = callEach(builder, loc, "llvm.nvvm.rcp.approx.ftz.f", sum);
  Value result = LLVM::FMAOp::create(builder, loc, inverse, minusTwo, one);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The number that all lanes of a divisor are, null when they may differ.
static Value getCommonDivisor(arith::DivFOp op) {
  if (!isa<VectorType>(op.getType()) ||
      !getElementTypeOrSelf(op.getType()).isF32())
    return {};
  auto broadcast = op.getRhs().getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || isa<VectorType>(broadcast.getSource().getType()))
    return {};
  return broadcast.getSource();
}

/// x / s as q = x * r corrected by the remainder, where r = 1 / s is computed
/// once. Divisors whose reciprocal is near the ends of the range divide.
static void lowerCommonDivision(arith::DivFOp op, Value divisor) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Value one = getSplat(builder, loc, divisor.getType(), 1.0);
  Value inverse = arith::DivFOp::create(builder, loc, one, divisor);
  Value size = math::AbsFOp::create(builder, loc, divisor);
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(
        builder, loc, predicate, size,
        getSplat(builder, loc, divisor.getType(), bound));
  };
  Value isOrdinary = arith::AndIOp::create(
      builder, loc, compare(arith::CmpFPredicate::OGT, 0x1p-60),
      compare(arith::CmpFPredicate::OLT, 0x1p60));
  auto branch = scf::IfOp::create(builder, loc, type, isOrdinary, true);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value r = vector::BroadcastOp::create(builder, loc, type, inverse);
  Value negative = arith::NegFOp::create(builder, loc, op.getRhs());
  Value q = arith::MulFOp::create(builder, loc, op.getLhs(), r);
  Value rest = LLVM::FMAOp::create(builder, loc, negative, q, op.getLhs());
  Value corrected = LLVM::FMAOp::create(builder, loc, rest, r, q);
  // An infinite quotient has no remainder, an exact one keeps its sign.
  Value zero = getSplat(builder, loc, type, 0.0);
  Value isInexact = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ONE, rest, zero);
  corrected = arith::SelectOp::create(builder, loc, isInexact, corrected, q);
  scf::YieldOp::create(builder, loc, corrected);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value divided = arith::DivFOp::create(builder, loc, op.getLhs(), op.getRhs());
  scf::YieldOp::create(builder, loc, divided);
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

void kfuse::lowerMath(gpu::GPUModuleOp module, bool isEager) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<math::SqrtOp, math::TanhOp, arith::DivFOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto division = dyn_cast<arith::DivFOp>(op)) {
      Value divisor = getCommonDivisor(division);
      if (!isEager && divisor)
        lowerCommonDivision(division, divisor);
      continue;
    }
    if (auto tanh = dyn_cast<math::TanhOp>(op)) {
      bool isF32 = getElementTypeOrSelf(tanh.getType()).isF32();
      if (!isEager && isF32 && isOnlyAddedToOne(tanh))
        lowerShortTanh(tanh);
      continue;
    }
    // libdevice's square root asks a reflection parameter for the rounding;
    // the intrinsic is correctly rounded.
    OpBuilder builder(op);
    Value root = LLVM::SqrtOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), op->getOperand(0));
    op->replaceAllUsesWith(ValueRange(root));
    op->erase();
  }
}
