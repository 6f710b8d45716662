//===- PlanSchedules.cpp - variants of fusions ----------------------------===//
/// Structures and numbers come from measurements on the H200: many small
/// independent blocks, whole rows in registers, 16-byte packets.

#include "PlanSchedules.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::schedule;

namespace mlir::kfuse {
#define GEN_PASS_DEF_PLANSCHEDULESPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

static constexpr int64_t maxNarrow = INT32_MAX;

ScheduleAttr Plan::build(MLIRContext *context) const {
  return ScheduleAttr::get(context, StringAttr::get(context, kind).getValue(),
                           threads, vector, unroll, rows, loop, shift,
                           indexBits, split, guards);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

bool schedule::addLe(Plan &plan, ExprAttr lhs, int64_t rhs) {
  if (auto value = lhs.getConstant())
    return *value <= rhs;
  // Only the tightest bound of an expression is worth a check.
  for (GuardAttr &guard : plan.guards) {
    if (!guard.isLe() || guard.getLhs() != lhs)
      continue;
    int64_t old = guard.getRhs().getConstant().value_or(INT64_MAX);
    rhs = std::min(rhs, old);
    guard = GuardAttr::le(lhs, ExprAttr::constant(lhs.getContext(), rhs));
    return true;
  }
  plan.guards.push_back(
      GuardAttr::le(lhs, ExprAttr::constant(lhs.getContext(), rhs)));
  return true;
}

bool schedule::addDivisible(Plan &plan, ExprAttr expr, int64_t by) {
  if (expr.getKnownDivisor() % by == 0)
    return true;
  if (expr.getConstant())
    return false;
  GuardAttr guard = GuardAttr::divisible(expr, by);
  if (!llvm::is_contained(plan.guards, guard))
    plan.guards.push_back(guard);
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Tensors::Tensors(FusionOp fusion, const TargetInfo &target)
    : fusion(fusion), target(target) {
  auto add = [&](Type type) {
    layouts.push_back(getLayout(type));
    Type element = cast<RankedTensorType>(type).getElementType();
    int64_t bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    widths.push_back(std::max<int64_t>(bits / 8, 1));
  };
  for (Type type : fusion->getOperandTypes())
    add(type);
  for (Type type : fusion->getResultTypes())
    add(type);
}

int64_t Tensors::getLanes(ExprAttr elements) const {
  int64_t narrowest = 8, widest = 1;
  for (auto [layout, width] : llvm::zip(layouts, widths)) {
    widest = std::max(widest, width);
    if (layout.getNumElements() == elements)
      narrowest = std::min(narrowest, width);
  }
  int64_t lanes = target.packetBytes / narrowest;
  while (lanes > 1 && lanes * widest > 2 * target.packetBytes)
    lanes /= 2;
  return lanes;
}

int64_t Tensors::getKnownBytes() const {
  int64_t bytes = 0;
  for (auto [layout, width] : llvm::zip(layouts, widths))
    if (auto elements = layout.getNumElements().getConstant())
      bytes += *elements * width;
  return bytes;
}

void Tensors::addAlignment(Plan &plan, int64_t lanes) const {
  for (auto [i, layout] : llvm::enumerate(layouts)) {
    int64_t bytes = std::min(lanes * widths[i], target.packetBytes);
    if (bytes > widths[i] && !layout.getNumElements().isConstant(1))
      plan.guards.push_back(GuardAttr::aligned(getContext(), i, bytes));
  }
}

/// The innermost sizes in memory that are not one.
SmallVector<ExprAttr> Tensors::getInnermost() const {
  SmallVector<ExprAttr> result;
  for (LayoutAttr layout : layouts) {
    for (int64_t dim = layout.getRank() - 1; dim >= 0; --dim) {
      ExprAttr size = layout.getSizes()[dim];
      if (size.isConstant(1) || !layout.getStrides()[dim].isConstant(1))
        continue;
      if (!llvm::is_contained(result, size))
        result.push_back(size);
      break;
    }
  }
  return result;
}

bool Tensors::addInnerDivisible(Plan &plan, int64_t lanes) const {
  return llvm::all_of(getInnermost(), [&](ExprAttr size) {
    return addDivisible(plan, size, lanes);
  });
}

void Tensors::addInnerAtLeast(Plan &plan, int64_t lanes) const {
  for (ExprAttr size : getInnermost())
    if (!size.getConstant())
      plan.guards.push_back(GuardAttr::le(getExpr(lanes), size));
}

/// One more than the largest offset within a layout.
static ExprAttr getExtent(LayoutAttr layout) {
  ExprAttr one = ExprAttr::constant(layout.getContext(), 1);
  if (layout.isContiguous())
    return layout.getNumElements();
  ExprAttr extent = one;
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    extent =
        ExprAttr::add(extent, ExprAttr::mul(ExprAttr::sub(size, one), stride));
  return extent;
}

bool Tensors::useNarrowOffsets(Plan &plan, ExprAttr elements,
                               bool rowsApart) const {
  // Blocks count elements beyond the end up to the size of a block.
  bool possible = addLe(plan, elements, maxNarrow - (1 << 16));
  for (LayoutAttr layout : layouts)
    if (!(rowsApart && layout.isContiguous()))
      possible &= addLe(plan, getExtent(layout), maxNarrow);
  return possible;
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

/// Whether an operand may be contiguous along another dimension than the
/// results are. `kfuse-tile-fusions` looks closer and drops the variant where
/// it is not so.
static bool mayTranspose(FusionOp fusion) {
  for (Operation &op : fusion.getBody().front()) {
    auto permute = dyn_cast<PermuteOp>(op);
    if (permute && permute.getPermutation().back() !=
                       int64_t(permute.getPermutation().size()) - 1)
      return true;
  }
  LayoutAttr result = getLayout(fusion->getResultTypes().front());
  for (Type type : fusion->getOperandTypes()) {
    LayoutAttr layout = getLayout(type);
    if (layout.getNumElements() == result.getNumElements() &&
        (!layout.isContiguous() || !result.isContiguous()) &&
        layout.getStrides() != result.getStrides())
      return true;
  }
  return false;
}

SmallVector<Plan> schedule::planPointwise(const Tensors &tensors) {
  ExprAttr elements;
  for (Type type : tensors.getFusion()->getResultTypes()) {
    ExprAttr count = getLayout(type).getNumElements();
    elements = elements ? ExprAttr::max(elements, count) : count;
  }
  int64_t lanes = tensors.getLanes(elements);
  SmallVector<Plan> plans;
  auto addVectorized = [&](bool divisible, bool anywhere) {
    Plan plan;
    plan.vector = lanes;
    plan.anywhere = anywhere;
    if (!tensors.useNarrowOffsets(plan, elements, false)) {
      plan.indexBits = 64;
      plan.guards.clear();
    }
    if (!anywhere)
      tensors.addAlignment(plan, lanes);
    size_t guards = plan.guards.size();
    if (divisible && (!tensors.addInnerDivisible(plan, lanes) ||
                      plan.guards.size() == guards))
      return;
    if (!divisible)
      tensors.addInnerAtLeast(plan, lanes);
    // Where sizes are not known, odd ones go with misaligned pointers.
    if (!divisible && !anywhere && plan.guards.size() != guards)
      return;
    plans.push_back(plan);
  };
  if (mayTranspose(tensors.getFusion())) {
    // Eight bytes a lane; four where the tiles do not fit shared memory.
    for (int64_t part : {2, 4}) {
      Plan plan;
      plan.kind = "transpose";
      plan.threads = 512;
      plan.vector = std::clamp<int64_t>(lanes / part, 1, 4);
      if (!tensors.useNarrowOffsets(plan, elements, false))
        break;
      tensors.addAlignment(plan, std::max<int64_t>(lanes / 2, 1));
      plans.push_back(plan);
    }
  }
  if (lanes > 1) {
    addVectorized(true, false);
    addVectorized(false, false);
    addVectorized(false, true);
  }
  Plan narrow;
  bool possible = tensors.useNarrowOffsets(narrow, elements, false);
  if (possible)
    plans.push_back(narrow);
  if (!possible || !narrow.guards.empty()) {
    Plan wide;
    wide.indexBits = 64;
    plans.push_back(wide);
  }
  return plans;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The first reduction's kept and reduced extents.
static Operation *getFirstReduction(FusionOp fusion) {
  for (Operation &op : fusion.getBody().front())
    if (isa<ReduceOp, ArgReduceOp>(op))
      return &op;
  return nullptr;
}

static SmallVector<Plan> planReduction(FusionOp fusion, const Tensors &tensors,
                                       const BodyShapes &shapes) {
  Operation *reduction = getFirstReduction(fusion);
  if (!reduction)
    return planPointwise(tensors);
  ArrayRef<ExprAttr> sizes = shapes.getSizes(reduction->getOperand(0));
  auto dims = isa<ReduceOp>(reduction) ? cast<ReduceOp>(reduction).getDims()
                                       : cast<ArgReduceOp>(reduction).getDims();
  ExprAttr columns = tensors.getExpr(1), innermost = tensors.getExpr(1);
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim) {
    if (llvm::is_contained(dims, dim))
      columns = ExprAttr::mul(columns, sizes[dim]);
    else
      innermost = sizes[dim];
  }
  ExprAttr rows = shapes.getNumElements(reduction->getResult(0));
  if (fusion.getKind() == FusionKind::Column)
    return planColumn(tensors, rows, columns, innermost);
  return planRow(tensors, rows, columns);
}

namespace {
class PlanSchedules : public kfuse::impl::PlanSchedulesPassBase<PlanSchedules> {
public:
  using PlanSchedulesPassBase::PlanSchedulesPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::lookup(arch);
    if (!target) {
      getOperation().emitError()
          << "expected a known architecture, found '" << arch << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](FusionOp fusion) {
      if (fusion.getKind() && !fusion.getSchedules())
        plan(fusion, *target);
    });
  }

private:
  void plan(FusionOp fusion, const TargetInfo &target) {
    FailureOr<BodyShapes> shapes = BodyShapes::compute(fusion);
    if (failed(shapes)) {
      remark::missed(fusion.getLoc(), getOptions("kfuse-fallback"))
          << "sizes of the body are unknown";
      return;
    }
    Tensors tensors(fusion, target);
    SmallVector<Plan> plans = fusion.getKind() == FusionKind::Pointwise
                                  ? planPointwise(tensors)
                                  : planReduction(fusion, tensors, *shapes);
    SmallVector<Attribute> schedules;
    for (const Plan &plan : plans)
      schedules.push_back(plan.build(&getContext()));
    fusion.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
    const Plan &best = plans.front();
    remark::passed(fusion.getLoc(), getOptions("kfuse-tiling"))
        << remark::metric("Kind", best.kind)
        << remark::metric("Variants", static_cast<int>(plans.size()))
        << remark::metric("Threads", static_cast<int>(best.threads))
        << remark::metric("Vector", static_cast<int>(best.vector))
        << remark::metric("Unroll", static_cast<int>(best.unroll))
        << remark::metric("Rows", static_cast<int>(best.rows))
        << remark::metric("Bytes", std::to_string(tensors.getKnownBytes()));
  }

  static remark::RemarkOpts getOptions(StringRef category) {
    return remark::RemarkOpts::name("kfuse-plan-schedules").category(category);
  }
};
} // namespace
