//===- FusionGroup.h - a set of fusions seen as one -------------*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_FUSIONGROUP_H
#define KFUSE_ANALYSIS_FUSIONGROUP_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::kfuse {

/// Marks a fusion whose result is its operand's storage under another layout;
/// it costs nothing and is copied into the groups that need it.
inline constexpr StringLiteral kViewAttrName = "kfuse.view";

/// True for a fusion that only views its operand.
inline bool isViewFusion(Operation *op) {
  return isa_and_nonnull<FusionOp>(op) && op->hasAttr(kViewAttrName);
}

/// Fusions of one block that are, or might be, merged. Views between members
/// belong to the group too, without being members. Refers to the IR, which
/// must not change while the group is in use.
class FusionGroup {
public:
  /// `members` may be in any order; they are kept in program order.
  explicit FusionGroup(ArrayRef<FusionOp> members);

  ArrayRef<FusionOp> getMembers() const { return members; }
  bool contains(Operation *op) const { return memberSet.contains(op); }

  /// The member that computes `value`, directly or through views; null for a
  /// value from outside.
  FusionOp getProducer(Value value) const;

  /// Values from outside that the members read, without repetition.
  ArrayRef<Value> getInputs() const { return inputs; }
  /// Results of members that something outside reads.
  ArrayRef<Value> getOutputs() const { return outputs; }

private:
  bool isReadOutside(Value value) const;

  SmallVector<FusionOp> members;
  llvm::SmallPtrSet<Operation *, 8> memberSet;
  SmallVector<Value> inputs, outputs;
};

} // namespace mlir::kfuse

#endif
