//===- FusionGroup.cpp - a set of fusions seen as one ---------------------===//

#include "kfuse/Analysis/FusionGroup.h"

using namespace mlir;
using namespace mlir::kfuse;

FusionGroup::FusionGroup(ArrayRef<FusionOp> ops)
    : members(ops.begin(), ops.end()) {
  llvm::sort(members, [](FusionOp lhs, FusionOp rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  for (FusionOp member : members)
    memberSet.insert(member);
  llvm::SetVector<Value> seen;
  for (FusionOp member : members) {
    for (Value operand : member.getOperands())
      if (!getProducer(operand))
        seen.insert(operand);
    for (Value result : member.getResults())
      if (isReadOutside(result))
        outputs.push_back(result);
  }
  inputs = seen.takeVector();
}

FusionOp FusionGroup::getProducer(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (memberSet.contains(op))
      return cast<FusionOp>(op);
    if (!isViewFusion(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

bool FusionGroup::isReadOutside(Value value) const {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (memberSet.contains(user))
        continue;
      if (!isViewFusion(user))
        return true;
      worklist.push_back(user->getResult(0));
    }
  }
  return false;
}
