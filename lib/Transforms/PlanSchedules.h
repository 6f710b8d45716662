//===- PlanSchedules.h - variants of a fusion -------------------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_PLANSCHEDULES_H
#define KFUSE_LIB_TRANSFORMS_PLANSCHEDULES_H

#include "kfuse/Analysis/BodyShapes.h"
#include "kfuse/Analysis/TargetInfo.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse::schedule {

/// A schedule while it is being planned.
struct Plan {
  std::string kind = "pointwise";
  int64_t threads = 256;
  int64_t vector = 1;
  int64_t unroll = 1;
  int64_t rows = 1;
  bool loop = false;
  bool shift = false;
  /// Pointers may have any alignment: no guards on them.
  bool anywhere = false;
  int64_t indexBits = 32;
  int64_t split = 1;
  SmallVector<GuardAttr> guards;

  ScheduleAttr build(MLIRContext *context) const;
};

/// Elements to whose multiples the first of shifted packets is aligned: a
/// packet, or for longer rows a 32-byte sector.
inline int64_t getShiftUnit(ExprAttr columns, int64_t lanes) {
  int64_t count = columns.getConstant().value_or(0);
  return count >= 128 * lanes && count % lanes != 0 ? 2 * lanes : lanes;
}

/// What planning needs to know of a fusion's tensors.
class Tensors {
public:
  Tensors(FusionOp fusion, const TargetInfo &target);

  MLIRContext *getContext() const { return fusion->getContext(); }
  FusionOp getFusion() const { return fusion; }
  const TargetInfo &getTarget() const { return target; }
  ArrayRef<LayoutAttr> getLayouts() const { return layouts; }
  ExprAttr getExpr(int64_t value) const {
    return ExprAttr::constant(getContext(), value);
  }

  /// Lanes of a packet: 16 bytes of the narrowest tensor with `elements`
  /// elements, at most 32 of the widest.
  int64_t getLanes(ExprAttr elements) const;
  /// Bytes of the tensors that are read or written, where they are known.
  int64_t getKnownBytes() const;
  /// Guards that pointers allow packets of `lanes` elements.
  void addAlignment(Plan &plan, int64_t lanes) const;
  /// Whether innermost sizes are multiples of `lanes`; adds guards for those
  /// that are not known, fails when one is known not to be.
  bool addInnerDivisible(Plan &plan, int64_t lanes) const;
  /// Guards that innermost sizes hold a packet.
  void addInnerAtLeast(Plan &plan, int64_t lanes) const;
  /// Chooses 32-bit offsets and adds the guards they need. False when they can
  /// never be used. With `rowsApart` rows have 64-bit offsets.
  bool useNarrowOffsets(Plan &plan, ExprAttr elements, bool rowsApart) const;

private:
  SmallVector<ExprAttr> getInnermost() const;

  FusionOp fusion;
  const TargetInfo &target;
  SmallVector<LayoutAttr> layouts;
  SmallVector<int64_t> widths; // bytes of an element
};

/// Adds a guard unless it is known to hold; false when it is known not to.
bool addLe(Plan &plan, ExprAttr lhs, int64_t rhs);
bool addDivisible(Plan &plan, ExprAttr expr, int64_t by);

SmallVector<Plan> planPointwise(const Tensors &tensors);
/// `rows` results of `columns` reduced elements each.
SmallVector<Plan> planRow(const Tensors &tensors, ExprAttr rows,
                          ExprAttr columns);
SmallVector<Plan> planColumn(const Tensors &tensors, ExprAttr rows,
                             ExprAttr columns, ExprAttr innermost);

} // namespace mlir::kfuse::schedule

#endif
