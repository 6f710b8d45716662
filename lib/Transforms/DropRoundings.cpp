//===- DropRoundings.cpp - the `fused` numerics contract ------------------===//

#include "DropRoundings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Operations that only move elements of their first operand.
static bool isMovement(Operation *op) {
  return isa<BroadcastOp, PermuteOp, ReshapeOp, SliceOp>(op);
}

/// Users for which a rounded and an unrounded value may differ by more than a
/// rounding.
static bool isSensitive(Operation *op) {
  return isa<arith::CmpFOp, ArgReduceOp, arith::FPToSIOp, arith::FPToUIOp,
             math::FloorOp, math::CeilOp, math::RoundEvenOp, math::RoundOp,
             math::TruncOp, YieldOp>(op);
}

/// Collects the widenings that end each path from `value`, through movement;
/// false when something else reads it.
static bool collectWidenings(Value value, Type wide,
                             SmallVectorImpl<Operation *> &widenings,
                             SmallVectorImpl<Operation *> &movements) {
  for (Operation *user : value.getUsers()) {
    if (isMovement(user)) {
      movements.push_back(user);
      if (!collectWidenings(user->getResult(0), wide, widenings, movements))
        return false;
      continue;
    }
    if (!isa<arith::ExtFOp>(user) ||
        getElementTypeOrSelf(user->getResult(0).getType()) != wide)
      return false;
    if (llvm::any_of(user->getUsers(), isSensitive))
      return false;
    widenings.push_back(user);
  }
  return true;
}

/// True when the broadcast repeats its operand along a dimension.
static bool isRepeating(BroadcastOp op) {
  auto dropUnits = [](Value value) {
    SmallVector<int64_t> shape;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
      if (size != 1)
        shape.push_back(size);
    return shape;
  };
  return dropUnits(op.getSource()) != dropUnits(op.getResult());
}

/// Values that a reduction left, before they are repeated for each element.
/// They are few: rounding them as eager execution does costs nothing.
static DenseSet<Value> collectReducedValues(Block &body) {
  DenseSet<Value> reduced;
  for (Operation &op : body.without_terminator()) {
    bool isReduced = isa<ReduceOp, ArgReduceOp>(op);
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      isReduced =
          reduced.contains(broadcast.getSource()) && !isRepeating(broadcast);
    else if (!isReduced)
      isReduced = llvm::any_of(op.getOperands(), [&](Value operand) {
        return reduced.contains(operand);
      });
    if (isReduced)
      reduced.insert(op.getResults().begin(), op.getResults().end());
  }
  return reduced;
}

static void dropRounding(RoundOp round) {
  Value wide = round.getValue();
  Type element = getElementTypeOrSelf(wide.getType());
  SmallVector<Operation *> widenings, movements;
  if (round.getExplicitCast() ||
      !collectWidenings(round.getResult(), element, widenings, movements))
    return;
  for (Operation *movement : movements) {
    auto type = cast<RankedTensorType>(movement->getResult(0).getType());
    movement->getResult(0).setType(type.clone(element));
  }
  round.getResult().replaceAllUsesWith(wide);
  for (Operation *widening : widenings) {
    widening->getResult(0).replaceAllUsesWith(widening->getOperand(0));
    widening->erase();
  }
  round.erase();
}

void kfuse::dropRoundings(FusionOp fusion) {
  DenseSet<Value> reduced = collectReducedValues(fusion.getBody().front());
  SmallVector<RoundOp> rounds;
  fusion.getBody().walk([&](RoundOp round) {
    if (!reduced.contains(round.getResult()))
      rounds.push_back(round);
  });
  // Users first: a later rounding that goes may make an earlier value's users
  // plain arithmetic, never the other way round.
  for (RoundOp round : llvm::reverse(rounds))
    dropRounding(round);
}
