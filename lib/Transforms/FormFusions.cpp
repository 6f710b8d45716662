//===- FormFusions.cpp - merge fusions as planned -------------------------===//
/// Obeys `kfuse.group` and `kfuse.group_kind`; see PlanFusion.cpp for how they
/// come about.

#include "DropRoundings.h"
#include "kfuse/Analysis/FusionGroup.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_FORMFUSIONSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

static constexpr StringLiteral kGroupAttr = "kfuse.group";
static constexpr StringLiteral kKindAttr = "kfuse.group_kind";

namespace {
/// Builds one fusion out of a group.
class GroupMerger {
public:
  explicit GroupMerger(ArrayRef<FusionOp> members) : group(members) {}

  /// Creates the merged fusion behind the last member and replaces all members.
  /// Operations between the members that use a result move behind it.
  void merge();

private:
  FusionOp create();
  /// Copies region `index` (0 body, 1 generic) of every member into `merged`.
  void copyRegion(FusionOp merged, unsigned index);
  /// The value in the merged region that stands for `value`; copies the views
  /// that lie between.
  Value getMapped(Value value, unsigned index, OpBuilder &builder,
                  DenseMap<Value, Value> &mapped);
  void copyMember(FusionOp member, unsigned index, OpBuilder &builder,
                  DenseMap<Value, Value> &mapped);
  void moveUsersBehind(FusionOp merged);

  FusionGroup group;
};
} // namespace

FusionOp GroupMerger::create() {
  FusionOp last = group.getMembers().back();
  OpBuilder builder(last);
  builder.setInsertionPointAfter(last);
  SmallVector<Type> types;
  for (Value output : group.getOutputs())
    types.push_back(output.getType());
  SmallVector<Location> locations;
  for (FusionOp member : group.getMembers())
    locations.push_back(member.getLoc());
  auto merged = FusionOp::create(
      builder, FusedLoc::get(builder.getContext(), locations), types,
      SmallVector<Value>(group.getInputs()),
      last->getAttrOfType<FusionKindAttr>(kKindAttr), ArrayAttr());
  for (auto [index, region] : llvm::enumerate(merged->getRegions())) {
    Block &block = region.emplaceBlock();
    for (Value input : group.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      block.addArgument(index == 0 ? getBodyType(type) : type, input.getLoc());
    }
  }
  return merged;
}

void GroupMerger::copyMember(FusionOp member, unsigned index,
                             OpBuilder &builder,
                             DenseMap<Value, Value> &mapped) {
  Block &source = member->getRegion(index).front();
  IRMapping mapping;
  for (auto [argument, operand] :
       llvm::zip_equal(source.getArguments(), member.getOperands()))
    mapping.map(argument, getMapped(operand, index, builder, mapped));
  for (Operation &op : source.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, yielded] : llvm::zip_equal(
           member.getResults(), source.getTerminator()->getOperands()))
    mapped[result] = mapping.lookup(yielded);
}

Value GroupMerger::getMapped(Value value, unsigned index, OpBuilder &builder,
                             DenseMap<Value, Value> &mapped) {
  if (Value known = mapped.lookup(value))
    return known;
  copyMember(cast<FusionOp>(value.getDefiningOp()), index, builder, mapped);
  return mapped.lookup(value);
}

void GroupMerger::copyRegion(FusionOp merged, unsigned index) {
  Block &block = merged->getRegion(index).front();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  DenseMap<Value, Value> mapped;
  for (auto [input, argument] :
       llvm::zip_equal(group.getInputs(), block.getArguments()))
    mapped[input] = argument;
  for (FusionOp member : group.getMembers())
    copyMember(member, index, builder, mapped);
  SmallVector<Value> yielded;
  for (Value output : group.getOutputs())
    yielded.push_back(mapped.lookup(output));
  YieldOp::create(builder, merged.getLoc(), yielded);
}

void GroupMerger::moveUsersBehind(FusionOp merged) {
  SmallVector<Operation *> dependents;
  llvm::SmallPtrSet<Operation *, 16> moved;
  Operation *first = group.getMembers().front();
  for (Operation *op = first; op != merged; op = op->getNextNode()) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def == merged || moved.contains(def);
    });
    if (!depends || group.contains(op))
      continue;
    moved.insert(op);
    dependents.push_back(op);
  }
  Operation *place = merged;
  for (Operation *op : dependents) {
    op->moveAfter(place);
    place = op;
  }
}

/// Erases the views of `value` that nothing reads any more.
static void eraseDeadViews(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (!isViewFusion(user))
      continue;
    eraseDeadViews(user->getResult(0));
    if (user->use_empty())
      user->erase();
  }
}

void GroupMerger::merge() {
  FusionOp merged = create();
  copyRegion(merged, 0);
  copyRegion(merged, 1);
  for (auto [output, result] :
       llvm::zip_equal(group.getOutputs(), merged.getResults())) {
    Value old = output;
    old.replaceAllUsesWith(result);
  }
  moveUsersBehind(merged);
  // Views of members that only members read die with them.
  for (FusionOp member : llvm::reverse(group.getMembers())) {
    for (Value result : member.getResults())
      eraseDeadViews(result);
    member.erase();
  }
}

/// The results of a lone generic region, in place of the fusion.
static void inlineGeneric(FusionOp fusion) {
  OpBuilder builder(fusion);
  IRMapping mapping;
  Block &generic = fusion.getGeneric().front();
  mapping.map(generic.getArguments(), fusion.getOperands());
  Attribute reason = fusion->getAttr("kfuse.refused");
  for (Operation &op : generic.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (reason && isa<AtenOp>(copy))
      copy->setAttr("kfuse.fallback_reason", reason);
  }
  for (auto [result, yielded] : llvm::zip_equal(
           fusion.getResults(), generic.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(yielded));
  fusion.erase();
}

/// What is left of the views after merging: aliases, or nothing.
static void lowerViewFusions(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isViewFusion(&op))
      continue;
    if (!op.use_empty()) {
      OpBuilder builder(&op);
      auto view = ViewOp::create(builder, op.getLoc(), op.getResultTypes()[0],
                                 op.getOperand(0));
      op.getResult(0).replaceAllUsesWith(view);
    }
    op.erase();
  }
}

namespace {
struct FormFusionsPass : kfuse::impl::FormFusionsPassBase<FormFusionsPass> {
  using FormFusionsPassBase::FormFusionsPassBase;

  void runOnOperation() override {
    if (numerics != "eager" && numerics != "fused" && numerics != "fast") {
      getOperation().emitError() << "expected numerics eager, fused or fast, "
                                 << "found '" << numerics << "'";
      return signalPassFailure();
    }
    for (Block &block : getOperation().getBody())
      formBlock(block);
    if (numerics == "eager")
      return;
    getOperation().walk([](FusionOp fusion) { dropRoundings(fusion); });
  }

private:
  void formBlock(Block &block) {
    llvm::MapVector<int64_t, SmallVector<FusionOp>> groups;
    SmallVector<FusionOp> left;
    for (auto fusion : block.getOps<FusionOp>()) {
      if (auto number = fusion->getAttrOfType<IntegerAttr>(kGroupAttr))
        groups[number.getInt()].push_back(fusion);
      else if (!isViewFusion(fusion))
        left.push_back(fusion);
    }
    // Not planned: no kernel can be made of it.
    for (FusionOp fusion : left)
      inlineGeneric(fusion);
    for (auto &[number, members] : groups)
      GroupMerger(members).merge();
    lowerViewFusions(block);
  }
};
} // namespace
