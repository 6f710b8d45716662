//===- PlanFusion.cpp - decide which fusions are merged -------------------===//

#include "kfuse/Analysis/CostModel.h"
#include "kfuse/Analysis/FusionLegality.h"
#include "kfuse/Transforms/Passes.h"
#include "kfuse/Transforms/SideEffects.h"
#include "mlir/IR/Remarks.h"
#include <queue>

namespace mlir::kfuse {
#define GEN_PASS_DEF_PLANFUSIONPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

static constexpr StringLiteral kCategory = "kfuse-fusion";
static constexpr StringLiteral kCycle =
    "something between them needs the one and feeds the other";

namespace {
/// A group while the plan is made.
struct Group {
  SmallVector<FusionOp> members;
  FusionCost cost;
  FusionKind kind = FusionKind::Pointwise;
  /// Grows with each merge; a queued candidate of an older state is stale.
  unsigned version = 0;
  bool alive = true;
  bool legal = true;
};

struct Candidate {
  double gain;
  unsigned lhs, rhs, lhsVersion, rhsVersion;
  FusionCost cost;
  FusionKind kind;
  /// Best gain first; program order breaks ties, for reproducible plans.
  bool operator<(const Candidate &other) const {
    if (gain != other.gain)
      return gain < other.gain;
    return std::tie(lhs, rhs) > std::tie(other.lhs, other.rhs);
  }
};

class Planner {
public:
  Planner(Block &block, const TargetInfo &target)
      : block(block), target(target), hints(block.getParentOp()) {}

  void run();

private:
  void createGroups();
  void considerNeighbors(unsigned index);
  void consider(unsigned lhs, unsigned rhs);
  void reportIllegal(unsigned lhs, unsigned rhs, StringRef reason);
  void merge(const Candidate &candidate);
  void writePlan();

  /// Groups that read or compute what `group` reads or computes.
  llvm::SetVector<unsigned> getNeighbors(const Group &group);
  void collectReaders(Value value, llvm::SetVector<unsigned> &found);

  /// A group as planned so far, or an operation outside of all groups: what
  /// will run as one. Numbered as the groups, then the operations.
  unsigned getUnit(Operation *op) const;
  void createUnits();
  /// Orders the units so that each comes before those that read it.
  void rankUnits();
  void mergeUnits(unsigned into, unsigned from);
  /// True when something else needs the one group and is needed by the other.
  bool makesCycle(unsigned lhs, unsigned rhs);

  Block &block;
  const TargetInfo &target;
  SizeHints hints;
  std::vector<Group> groups;
  DenseMap<Operation *, unsigned> groupOf;
  /// Units of operations without a group.
  DenseMap<Operation *, unsigned> units;
  /// Units that read a unit, through views too, and the order of the units.
  std::vector<llvm::SetVector<unsigned>> readers;
  std::vector<unsigned> ranks;
  /// Number of operations with side effects before each fusion: fusions are
  /// not moved across them.
  DenseMap<Operation *, unsigned> segmentOf;
  std::priority_queue<Candidate> queue;
};
} // namespace

void Planner::createGroups() {
  unsigned segment = 0;
  for (Operation &op : block) {
    segment += hasSideEffects(&op);
    auto fusion = dyn_cast<FusionOp>(op);
    if (!fusion || isViewFusion(fusion))
      continue;
    segmentOf[fusion] = segment;
    groupOf[fusion] = groups.size();
    Group group;
    group.members.push_back(fusion);
    FusionGroup view(group.members);
    std::string reason;
    FailureOr<FusionDomain> domain = checkFusion(view, reason);
    group.legal = succeeded(domain);
    if (group.legal) {
      group.kind = domain->kind;
      group.cost = estimateCost(view, target, hints);
    } else {
      remark::failed(fusion.getLoc(),
                     remark::RemarkOpts::name("no-kernel").category(kCategory))
          << remark::reason("{0}", reason);
      fusion->setAttr("kfuse.refused",
                      StringAttr::get(fusion.getContext(), reason));
    }
    groups.push_back(std::move(group));
  }
}

void Planner::collectReaders(Value value, llvm::SetVector<unsigned> &found) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto it = groupOf.find(user); it != groupOf.end())
        found.insert(it->second);
      else if (isViewFusion(user))
        worklist.push_back(user->getResult(0));
    }
  }
}

/// The value that `value` views.
static Value skipViews(Value value) {
  while (isViewFusion(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

llvm::SetVector<unsigned> Planner::getNeighbors(const Group &group) {
  // A value with very many readers says little about who belongs together.
  constexpr size_t kMaxReaders = 32;
  llvm::SetVector<unsigned> found;
  auto addReaders = [&](Value value) {
    llvm::SetVector<unsigned> readers;
    collectReaders(value, readers);
    if (readers.size() <= kMaxReaders)
      found.insert(readers.begin(), readers.end());
  };
  for (FusionOp member : group.members) {
    for (Value result : member.getResults())
      addReaders(result);
    for (Value operand : member.getOperands()) {
      addReaders(operand);
      Operation *def = skipViews(operand).getDefiningOp();
      if (auto it = groupOf.find(def); it != groupOf.end())
        found.insert(it->second);
    }
  }
  return found;
}

void Planner::considerNeighbors(unsigned index) {
  for (unsigned neighbor : getNeighbors(groups[index]))
    if (neighbor != index)
      consider(std::min(index, neighbor), std::max(index, neighbor));
}

unsigned Planner::getUnit(Operation *op) const {
  auto it = groupOf.find(op);
  return it == groupOf.end() ? units.lookup(op) : it->second;
}

void Planner::createUnits() {
  unsigned next = groups.size();
  for (Operation &op : block) {
    if (isViewFusion(&op))
      continue;
    if (!groupOf.count(&op))
      units[&op] = next++;
  }
  readers.resize(next);
  ranks.resize(next);
  for (Operation &op : block) {
    if (isViewFusion(&op))
      continue;
    for (Value operand : op.getOperands())
      if (Operation *def = skipViews(operand).getDefiningOp())
        readers[getUnit(def)].insert(getUnit(&op));
  }
  rankUnits();
}

void Planner::rankUnits() {
  // In reverse: a unit is done once all that read it are.
  std::vector<char> state(readers.size(), 0);
  unsigned rank = readers.size();
  SmallVector<std::pair<unsigned, unsigned>> stack;
  for (unsigned root = 0, e = readers.size(); root < e; ++root) {
    if (state[root])
      continue;
    stack.push_back({root, 0});
    state[root] = 1;
    while (!stack.empty()) {
      auto &[unit, position] = stack.back();
      if (position == readers[unit].size()) {
        ranks[unit] = --rank;
        stack.pop_back();
        continue;
      }
      unsigned reader = readers[unit][position++];
      if (!state[reader]) {
        state[reader] = 1;
        stack.push_back({reader, 0});
      }
    }
  }
}

void Planner::mergeUnits(unsigned into, unsigned from) {
  for (llvm::SetVector<unsigned> &targets : readers)
    if (targets.remove(from))
      targets.insert(into);
  llvm::SetVector<unsigned> moved = std::move(readers[from]);
  readers[from].clear();
  readers[into].insert(moved.begin(), moved.end());
  readers[into].remove(into);
  rankUnits();
}

bool Planner::makesCycle(unsigned lhs, unsigned rhs) {
  // What lies on a path between the two ranks between them.
  if (ranks[lhs] > ranks[rhs])
    std::swap(lhs, rhs);
  llvm::DenseSet<unsigned> seen;
  SmallVector<unsigned> worklist;
  for (unsigned reader : readers[lhs])
    if (reader != rhs)
      worklist.push_back(reader);
  while (!worklist.empty()) {
    unsigned unit = worklist.pop_back_val();
    if (unit == rhs)
      return true;
    if (ranks[unit] > ranks[rhs] || !seen.insert(unit).second)
      continue;
    worklist.append(readers[unit].begin(), readers[unit].end());
  }
  return false;
}

void Planner::reportIllegal(unsigned lhs, unsigned rhs, StringRef reason) {
  remark::missed(groups[rhs].members.front().getLoc(),
                 remark::RemarkOpts::name("illegal").category(kCategory))
      << remark::reason("{0}", reason) << remark::metric("with", lhs)
      << remark::metric("group", rhs);
}

void Planner::consider(unsigned lhs, unsigned rhs) {
  Group &left = groups[lhs], &right = groups[rhs];
  if (!left.alive || !right.alive || !left.legal || !right.legal)
    return;
  if (segmentOf[left.members.front()] != segmentOf[right.members.front()])
    return;
  SmallVector<FusionOp> members(left.members);
  llvm::append_range(members, right.members);
  FusionGroup merged(members);
  std::string reason;
  FailureOr<FusionDomain> domain = checkFusion(merged, reason);
  if (succeeded(domain) && makesCycle(lhs, rhs)) {
    domain = failure();
    reason = kCycle.str();
  }
  if (failed(domain))
    return reportIllegal(lhs, rhs, reason);
  FusionCost cost = estimateCost(merged, target, hints);
  double gain =
      left.cost.microseconds + right.cost.microseconds - cost.microseconds;
  if (gain <= 0) {
    remark::missed(
        right.members.front().getLoc(),
        remark::RemarkOpts::name("not-profitable").category(kCategory))
        << remark::metric("with", lhs) << remark::metric("group", rhs)
        << remark::metric("fused_us", cost.microseconds)
        << remark::metric("gain_us", gain);
    return;
  }
  queue.push({gain, lhs, rhs, left.version, right.version, cost, domain->kind});
}

void Planner::merge(const Candidate &candidate) {
  Group &left = groups[candidate.lhs], &right = groups[candidate.rhs];
  remark::passed(right.members.front().getLoc(),
                 remark::RemarkOpts::name("merged").category(kCategory))
      << remark::metric("with", candidate.lhs)
      << remark::metric("group", candidate.rhs)
      << remark::metric("fused_us", candidate.cost.microseconds)
      << remark::metric("gain_us", candidate.gain)
      << remark::metric("bytes", candidate.cost.bytes);
  for (FusionOp member : right.members) {
    left.members.push_back(member);
    groupOf[member] = candidate.lhs;
  }
  left.cost = candidate.cost;
  left.kind = candidate.kind;
  ++left.version;
  right.alive = false;
  mergeUnits(candidate.lhs, candidate.rhs);
  considerNeighbors(candidate.lhs);
}

void Planner::writePlan() {
  OpBuilder builder(block.getParentOp()->getContext());
  int64_t number = 0;
  for (Group &group : groups) {
    if (!group.alive || !group.legal)
      continue;
    for (FusionOp member : group.members) {
      member->setAttr("kfuse.group", builder.getI64IntegerAttr(number));
      member->setAttr("kfuse.group_kind",
                      FusionKindAttr::get(builder.getContext(), group.kind));
    }
    ++number;
  }
}

void Planner::run() {
  createGroups();
  createUnits();
  for (unsigned i = 0, e = groups.size(); i < e; ++i)
    for (unsigned neighbor : getNeighbors(groups[i]))
      if (neighbor > i)
        consider(i, neighbor);
  while (!queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    Group &left = groups[candidate.lhs], &right = groups[candidate.rhs];
    if (!left.alive || !right.alive || left.version != candidate.lhsVersion ||
        right.version != candidate.rhsVersion)
      continue;
    // Merges of others since may have closed a path between the two.
    if (makesCycle(candidate.lhs, candidate.rhs))
      reportIllegal(candidate.lhs, candidate.rhs, kCycle);
    else
      merge(candidate);
  }
  writePlan();
}

namespace {
struct PlanFusionPass : kfuse::impl::PlanFusionPassBase<PlanFusionPass> {
  using PlanFusionPassBase::PlanFusionPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::lookup(arch);
    if (!target) {
      getOperation().emitError()
          << "unknown architecture '" << arch << "', expected one of sm_80, "
          << "sm_90a, sm_100";
      return signalPassFailure();
    }
    for (Block &block : getOperation().getBody())
      Planner(block, *target).run();
  }
};
} // namespace
