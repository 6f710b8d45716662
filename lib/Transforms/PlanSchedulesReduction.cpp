//===- PlanSchedulesReduction.cpp - variants of reducing fusions ----------===//

#include "PlanSchedules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::schedule;

/// Values a thread may hold of a row: beyond this, too few threads fit.
static constexpr int64_t maxHeld = 64;

namespace {
class RowPlanner {
public:
  RowPlanner(const Tensors &tensors, ExprAttr rows, ExprAttr columns)
      : tensors(tensors), rows(rows), columns(columns),
        elements(ExprAttr::mul(rows, columns)),
        lanes(tensors.getLanes(elements)), held(maxHeld) {
    // Each further tensor of full size that is read takes registers too.
    int64_t full = 0;
    FusionOp fusion = tensors.getFusion();
    for (Type type : fusion->getOperandTypes())
      full += getLayout(type).getNumElements() == elements;
    if (full > 2)
      held /= 2;
  }

  SmallVector<Plan> plan() {
    addSplit();
    if (auto count = columns.getConstant())
      planStatic(*count);
    else
      planDynamic();
    addCatchAll();
    return std::move(plans);
  }

private:
  void planStatic(int64_t count);
  void planDynamic();
  void addSplit();
  void addCatchAll();
  bool isDense() const;
  bool hasWholeRows() const;
  bool addCommon(Plan &plan);
  void addWarpRows(Plan plan, int64_t packets);
  void addBlockRow(Plan plan, int64_t packets);
  void addInRegisters(Plan plan, int64_t packets);
  void addPackets(Plan plan, int64_t count);
  Plan makeLoop(int64_t vector) const;

  const Tensors &tensors;
  ExprAttr rows, columns, elements;
  int64_t lanes, held;
  SmallVector<Plan> plans;
};
} // namespace

/// Whether all tensors of full size are stored row after row.
bool RowPlanner::isDense() const {
  return llvm::all_of(tensors.getLayouts(), [&](LayoutAttr layout) {
    return layout.getNumElements() != elements || layout.isContiguous();
  });
}

/// Whether the rows of all tensors of full size are stretches of memory, which
/// may begin anywhere.
bool RowPlanner::hasWholeRows() const {
  return llvm::all_of(tensors.getLayouts(), [&](LayoutAttr layout) {
    if (layout.getNumElements() != elements)
      return true;
    ExprAttr run = tensors.getExpr(1);
    for (int64_t dim = layout.getRank() - 1; dim >= 0 && run != columns;
         --dim) {
      ExprAttr size = layout.getSizes()[dim];
      if (!size.isConstant(1) && layout.getStrides()[dim] != run)
        return false;
      run = ExprAttr::mul(run, size);
    }
    return run == columns;
  });
}

/// Narrow offsets and, for packets, alignment (unless `anywhere`: packets find
/// their place at run time); false when impossible.
bool RowPlanner::addCommon(Plan &plan) {
  plan.kind = "row";
  if (!tensors.useNarrowOffsets(plan, columns, true) ||
      !addLe(plan, rows, INT32_MAX - (1 << 10)))
    return false;
  if (plan.vector > 1 && !plan.anywhere)
    tensors.addAlignment(plan, plan.vector);
  return true;
}

/// Several rows a block, each by a warp or a part of one.
void RowPlanner::addWarpRows(Plan plan, int64_t packets) {
  int64_t width = 32, best = 0;
  // The widest split that wastes least.
  // Single elements of shifted rows need a thread each.
  int64_t least = plan.shift ? 2 * plan.vector : 1;
  for (int64_t candidate = 32; candidate >= least; candidate /= 2) {
    int64_t each = llvm::divideCeil(packets, candidate);
    if (each * plan.vector > held / 2 && candidate != 32)
      break;
    int64_t used = 1000 * packets / (each * candidate) - 20 * each;
    if (used > best) {
      best = used;
      width = candidate;
    }
  }
  plan.threads = 128;
  plan.rows = plan.threads / width;
  plan.unroll = llvm::divideCeil(packets, width);
  if (addCommon(plan))
    plans.push_back(plan);
}

void RowPlanner::addBlockRow(Plan plan, int64_t packets) {
  // About four packets a thread, 64 to 256 threads, few idle lanes.
  int64_t most = std::max<int64_t>(held / plan.vector, 1), best = INT64_MAX;
  for (int64_t each = 1; each <= most; ++each) {
    int64_t threads = llvm::alignTo(llvm::divideCeil(packets, each), 32);
    if (threads < 64 || threads > 512)
      continue;
    int64_t cost = threads * each * (100 + 5 * std::abs(each - 4));
    if (threads > 256)
      cost += cost / 4;
    if (cost < best) {
      best = cost;
      plan.threads = threads;
      plan.unroll = each;
    }
  }
  if (best != INT64_MAX && addCommon(plan))
    plans.push_back(plan);
}

void RowPlanner::addInRegisters(Plan plan, int64_t packets) {
  if (packets <= 32 * std::max<int64_t>(held / 2 / plan.vector, 1))
    addWarpRows(std::move(plan), packets);
  else
    addBlockRow(std::move(plan), packets);
}

Plan RowPlanner::makeLoop(int64_t vector) const {
  Plan plan;
  plan.loop = true;
  plan.vector = vector;
  int64_t count = columns.getConstant().value_or(1 << 14);
  plan.threads = count >= 1 << 15 ? 512 : 256;
  // Few rows leave most of the chip empty anyway: as many threads as possible.
  int64_t few = tensors.getTarget().multiprocessors;
  if (rows.getConstant().value_or(few) < few && count >= 1 << 14)
    plan.threads = 1024;
  plan.unroll = 4;
  return plan;
}

/// Rows of `count` elements in packets: in registers, or in loops when they are
/// too long.
void RowPlanner::addPackets(Plan plan, int64_t count) {
  size_t before = plans.size();
  // Whole packets only; the first may be the second of its unit.
  int64_t packets = count / lanes;
  if (plan.shift)
    packets += getShiftUnit(columns, lanes) / lanes - 1;
  addInRegisters(plan, packets);
  if (plans.size() != before)
    return;
  Plan loop = makeLoop(lanes);
  loop.shift = plan.shift;
  loop.anywhere = plan.anywhere;
  if (addCommon(loop))
    plans.push_back(loop);
}

void RowPlanner::planStatic(int64_t count) {
  if (count == 0)
    return;
  Plan plan;
  plan.vector = lanes;
  // Rows that begin at a packet, or else packets that begin before the row.
  bool isLong = count >= 16 * lanes;
  bool aligned = lanes > 1 && count % lanes == 0;
  plan.shift = lanes > 1 && !aligned && isDense() && isLong;
  if (aligned || plan.shift)
    addPackets(plan, count);
  // Rows that begin anywhere.
  if (lanes > 1 && isLong && hasWholeRows()) {
    plan.shift = plan.anywhere = true;
    addPackets(plan, count);
  }
  // Misaligned pointers are rare: only where there is no packet at all.
  if (plans.empty() && count <= 32 * 32)
    addInRegisters(Plan(), count);
}

/// Few long rows leave most of the chip empty: several blocks share each, as
/// long as every one has a few rounds of loads.
void RowPlanner::addSplit() {
  std::optional<int64_t> few = rows.getConstant(),
                         count = columns.getConstant();
  bool onlyPerRow =
      llvm::all_of(tensors.getFusion()->getResultTypes(), [&](Type type) {
        return getLayout(type).getNumElements() == rows;
      });
  if (!few || *few == 0 || lanes == 1 || !onlyPerRow || !hasWholeRows())
    return;
  Plan plan = makeLoop(lanes);
  plan.shift = plan.anywhere = true;
  plan.threads = 512;
  int64_t chunk = plan.threads * lanes * plan.unroll;
  plan.split =
      std::min(plan.threads, 4 * tensors.getTarget().multiprocessors / *few);
  plan.split = std::min(plan.split, count.value_or(16 * chunk) / chunk);
  if (plan.split < 4)
    return;
  if (!count)
    plan.guards.push_back(
        GuardAttr::le(tensors.getExpr(plan.split * chunk), columns));
  Plan wide = plan;
  bool isNarrow = addCommon(plan);
  if (isNarrow)
    plans.push_back(plan);
  if (isNarrow && plan.guards == wide.guards)
    return;
  wide.kind = "row";
  wide.indexBits = 64;
  plans.push_back(wide);
}

void RowPlanner::planDynamic() {
  auto add = [&](Plan plan, int64_t most) {
    if (plan.vector > 1 && !plan.shift &&
        !addDivisible(plan, columns, plan.vector))
      return;
    if (most != 0)
      addLe(plan, columns, most);
    if (addCommon(plan))
      plans.push_back(plan);
  };
  Plan warp;
  warp.threads = 128;
  warp.rows = 4;
  warp.unroll = 4;
  Plan block;
  block.threads = 256;
  block.unroll = 4;
  Plan single = warp;
  single.unroll = 8;
  if (lanes > 1) {
    warp.vector = block.vector = lanes;
    add(warp, 32 * 4 * lanes);
    add(block, 256 * 4 * lanes);
    add(makeLoop(lanes), 0);
  }
  add(single, 32 * 8);
  if (lanes == 1 || !hasWholeRows())
    return add(makeLoop(1), 0);
  Plan loop = makeLoop(lanes);
  for (Plan *plan : {&warp, &block, &loop})
    plan->shift = plan->anywhere = true;
  add(warp, 32 * 4 * lanes);
  add(block, 256 * 4 * lanes);
  add(loop, 0);
}

void RowPlanner::addCatchAll() {
  Plan plan = makeLoop(1);
  plan.unroll = 1;
  int64_t count = columns.getConstant().value_or(1 << 14);
  if (count <= 256) {
    plan.threads = 128;
    plan.rows = 4;
  }
  Plan narrow = plan;
  if (addCommon(narrow) && narrow.guards.empty()) {
    plans.push_back(narrow);
    return;
  }
  plan.kind = "row";
  plan.indexBits = 64;
  plans.push_back(plan);
}

SmallVector<Plan> schedule::planRow(const Tensors &tensors, ExprAttr rows,
                                    ExprAttr columns) {
  return RowPlanner(tensors, rows, columns).plan();
}

SmallVector<Plan> schedule::planColumn(const Tensors &tensors, ExprAttr rows,
                                       ExprAttr columns, ExprAttr innermost) {
  SmallVector<Plan> plans;
  ExprAttr elements = ExprAttr::mul(rows, columns);
  Plan plan;
  plan.kind = "column";
  int64_t count = rows.getConstant().value_or(4096);
  // Few columns: narrower packets and taller blocks give more blocks.
  auto getBlocks = [&](int64_t vector) {
    return llvm::divideCeil(count, 32 * vector);
  };
  int64_t lanes = tensors.getLanes(elements);
  int64_t width = tensors.getTarget().packetBytes / lanes;
  int64_t wanted = tensors.getTarget().multiprocessors;
  while (lanes > 1 && static_cast<int64_t>(getBlocks(lanes)) < wanted * 3 / 4)
    lanes /= 2;
  bool isNarrow = static_cast<int64_t>(getBlocks(lanes)) < 2 * wanted;
  plan.threads = isNarrow ? 1024 : 512;
  plan.rows = plan.threads / 32;
  // 64 bytes on their way for each thread, as long as there are rounds of them.
  int64_t reduced = columns.getConstant().value_or(1 << 20);
  plan.unroll = std::clamp<int64_t>(64 / (lanes * width), 4, 16);
  while (plan.unroll > 4 && reduced < 2 * plan.rows * plan.unroll)
    plan.unroll /= 2;
  if (reduced < 4 * plan.rows) {
    plan.threads = 128;
    plan.rows = 4;
  }
  auto addWide = [&](bool anywhere) {
    Plan wide = plan;
    wide.vector = lanes;
    wide.anywhere = anywhere;
    if (!anywhere && !addDivisible(wide, innermost, lanes))
      return;
    if (anywhere && !innermost.getConstant())
      wide.guards.push_back(GuardAttr::le(tensors.getExpr(lanes), innermost));
    if (anywhere && innermost.getConstant().value_or(lanes) < lanes)
      return;
    Plan huge = wide;
    huge.indexBits = 64;
    if (!tensors.useNarrowOffsets(wide, elements, false))
      wide = huge;
    if (!anywhere)
      tensors.addAlignment(wide, lanes);
    plans.push_back(wide);
  };
  if (lanes > 1) {
    addWide(false);
    // Where packets are less than a word there is nothing to shift.
    if (lanes * width >= 4)
      addWide(true);
  }
  Plan narrow = plan;
  bool possible = tensors.useNarrowOffsets(narrow, elements, false);
  if (possible)
    plans.push_back(narrow);
  if (!possible || !narrow.guards.empty()) {
    plan.indexBits = 64;
    plans.push_back(plan);
  }
  return plans;
}
