//===- TileFusionsReductionSetUp.cpp - who reduces what -------------------===//
/// Rows and columns of blocks and threads, and the masks of their packets.

#include "PlanSchedules.h"
#include "TileAddress.h"
#include "TileFusionsReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

LogicalResult ReductionEmitter::setUpRow() {
  int64_t rowsPerBlock = schedule.getRows();
  width = schedule.getThreads() / rowsPerBlock;
  Value thread = emitter.getThreadId();
  Value number = emitter.getBlockId();
  if (schedule.getSplit() > 1) {
    if (rowsPerBlock != 1 || !schedule.getLoop())
      return emitter.fail("a split of rows that are not one loop of a block");
    part = make<arith::RemUIOp>(number, constant(schedule.getSplit()));
    number = make<arith::DivUIOp>(number, constant(schedule.getSplit()));
  }
  if (rowsPerBlock > 1) {
    Value within = make<arith::DivUIOp>(thread, constant(width));
    thread = make<arith::RemUIOp>(thread, constant(width));
    number = make<arith::AddIOp>(
        make<arith::MulIOp>(number, constant(rowsPerBlock)), within);
    if (reductions.rows.getConstant().value_or(1) % rowsPerBlock != 0) {
      // Threads past the last row repeat it and store nothing, so that all
      // take part in shuffles.
      Value end = indices.getSize(reductions.rows);
      rowMask.predicate = compare(arith::CmpIPredicate::slt, number, end);
      number =
          make<arith::MinSIOp>(number, make<arith::SubIOp>(end, constant(1)));
    }
  }
  row = reductions.rows.isConstant(1)
            ? indices.getConstant(0)
            : indices.makeAtom(Atom::Uniform, {number}, reductions.rows, false,
                               /*wide=*/true, /*safe=*/true);
  first = make<arith::MulIOp>(thread, constant(lanes));
  stride = width * lanes;
  if (part)
    first = make<arith::AddIOp>(
        first,
        make<arith::MulIOp>(part, constant(stride * schedule.getUnroll())));
  isLeader = compare(arith::CmpIPredicate::eq, thread, constant(0));
  return schedule.getShift() ? setUpShift(number, thread) : success();
}

/// Shifted packets are aligned in the first result of full size, or in the
/// first operand where there is none: finds it.
bool ReductionEmitter::setAnchor() {
  // A column of which only the place in offsets matters.
  Index column = indices.makeAtom(lanes == 1 ? Atom::Uniform : Atom::Contiguous,
                                  {constant(0)}, reductions.columns);
  ReductionCoords coords(emitter, reductions, row, column);
  Emitter::Shift &shift = emitter.shift;
  auto accept = [&](int64_t tensor, const Index &offset) {
    shift.start = indices.getConstant(offset.constant);
    for (auto &term : offset.terms) {
      if (term.first == column.terms.front().first) {
        if (!term.second.isConstant(1))
          return false;
        shift.anchor = tensor;
      } else if (term.first->kind == Atom::Uniform) {
        shift.start.terms.push_back(term);
      } else {
        return false;
      }
    }
    return shift.anchor.has_value();
  };
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i) {
    std::optional<Coord> coord = coords.getResult(i);
    LayoutAttr layout = emitter.getResultLayout(i);
    if (coord && !coords.isPerRow(i) &&
        accept(
            emitter.fusion->getNumOperands() + i,
            emitter.getOffset(*coord, layout.getSizes(), layout.getStrides())))
      return true;
  }
  std::vector<Emitter::Access> accesses;
  emitter.pushScope();
  emitter.accesses = &accesses;
  for (const Combiner &combiner : reductions.levels.front())
    (void)emitter.prefetch(combiner.getSource(), coords.getSource(combiner), 0);
  emitter.accesses = nullptr;
  emitter.popScope();
  return llvm::any_of(accesses, [&](const Emitter::Access &access) {
    return accept(access.operand, access.offset);
  });
}

/// Elements between the row's first one and an aligned address before it.
Value ReductionEmitter::getPhaseOfRow(Value number, int64_t unit) {
  bool isProven = llvm::any_of(
      schedule.getGuards(), [](GuardAttr guard) { return guard.isAligned(); });
  if (isProven) {
    if (!row.terms.empty())
      emitter.shift.row = row.terms.front().first;
    emitter.shift.stride = reductions.columns;
    return make<arith::RemUIOp>(
        make<arith::MulIOp>(number, indices.getSize(reductions.columns)),
        constant(unit));
  }
  if (!setAnchor())
    return {};
  int64_t tensor = *emitter.shift.anchor;
  int64_t operands = emitter.fusion->getNumOperands();
  Value value = tensor < operands
                    ? emitter.fusion.getOperand(tensor)
                    : Value(emitter.fusion->getResult(tensor - operands));
  int64_t bits =
      cast<RankedTensorType>(value.getType()).getElementTypeBitWidth();
  Value phase = getPhase(builder, loc, emitter.getPointer(tensor),
                         indices.getOffsets(emitter.shift.start, 0),
                         std::max<int64_t>(bits / 8, 1), unit);
  if (phase.getType() != indices.getIndexType())
    phase = arith::ExtUIOp::create(builder, loc, indices.getIndexType(), phase);
  return phase;
}

/// A row is its aligned packets and, at its two ends, single elements that
/// threads take one each.
LogicalResult ReductionEmitter::setUpShift(Value number, Value thread) {
  if (width < 2 * (lanes - 1))
    return emitter.fail("fewer threads than single elements of a row");
  int64_t unit = schedule::getShiftUnit(reductions.columns, lanes);
  Value phase = getPhaseOfRow(number, unit);
  if (!phase)
    return emitter.fail("rows whose elements are not neighbours");
  // The unit in which the first whole packet lies.
  Value over = make<arith::AndIOp>(
      make<arith::AddIOp>(phase, constant(lanes - 1)), constant(unit - 1));
  Value base = make<arith::SubIOp>(constant(lanes - 1), over);
  first = make<arith::AddIOp>(first, base);
  emitter.shift.base =
      indices.makeAtom(Atom::Uniform, {base}, reductions.columns);
  Value end = indices.getSize(reductions.columns);
  Value head = make<arith::AndIOp>(make<arith::SubIOp>(constant(0), phase),
                                   constant(lanes - 1));
  head = make<arith::MinSIOp>(head, end);
  Value whole =
      make<arith::AndIOp>(make<arith::SubIOp>(end, head), constant(-lanes));
  Value isHead = compare(arith::CmpIPredicate::slt, thread, head);
  Value position = builder.createOrFold<arith::SelectOp>(
      loc, isHead, thread, make<arith::AddIOp>(thread, whole));
  Mask mask;
  mask.predicate = compare(arith::CmpIPredicate::slt, position, end);
  if (part)
    mask.predicate = make<arith::AndIOp>(
        mask.predicate, compare(arith::CmpIPredicate::eq, part, constant(0)));
  Index column =
      indices.makeAtom(Atom::Uniform, {position}, reductions.columns);
  edge.emplace(Place{ReductionCoords(emitter, reductions, row, column), column,
                     emitter.addMask(mask)});
  return success();
}

void ReductionEmitter::setUpColumn() {
  int64_t depth = schedule.getRows();
  width = schedule.getThreads() / depth;
  Value thread = emitter.getThreadId();
  Value x = make<arith::RemUIOp>(thread, constant(width));
  first = make<arith::DivUIOp>(thread, constant(width));
  stride = depth;
  Value at = make<arith::AddIOp>(
      make<arith::MulIOp>(emitter.getBlockId(), constant(width * lanes)),
      make<arith::MulIOp>(x, constant(lanes)));
  row = indices.makeAtom(lanes == 1 ? Atom::Uniform : Atom::Contiguous, {at},
                         reductions.rows, true);
  if (reductions.rows.getConstant().value_or(1) % (width * lanes) != 0)
    addTail(rowMask, make<arith::SubIOp>(indices.getSize(reductions.rows), at));
  rowMask.whole = indices.getAlignment(indices.getConstant(reductions.rows),
                                       lanes) == lanes;
  isLeader = compare(arith::CmpIPredicate::eq, first, constant(0));
}

/// Lanes at or after `left` do not exist.
void ReductionEmitter::addTail(Mask &mask, Value left) {
  Type i32 = builder.getI32Type();
  if (left.getType() != i32) {
    left = make<arith::MinSIOp>(left, constant(lanes));
    left = builder.createOrFold<arith::TruncIOp>(loc, i32, left);
  }
  mask.low =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  mask.high = left;
}

/// The packet at reduced position `position`. `hasTail`: it may end after the
/// last element; `hasHead`: shifted packets only, it may begin before the
/// first. Shifted packets that are not whole do not exist.
Place ReductionEmitter::makePlace(Value position, bool hasTail, bool hasHead) {
  Mask mask;
  Index column;
  Value end = indices.getSize(reductions.columns);
  if (isColumn) {
    mask = rowMask;
    if (hasTail)
      mask.predicate = compare(arith::CmpIPredicate::slt, position, end);
    column = indices.makeAtom(Atom::Uniform, {position}, reductions.columns,
                              false, false, /*safe=*/true);
  } else {
    bool shift = schedule.getShift();
    column = indices.makeAtom(lanes == 1 ? Atom::Uniform : Atom::Contiguous,
                              {position}, reductions.columns, !shift);
    if (shift) {
      emitter.shift.columns.push_back(column.terms.front().first);
      if (hasHead && schedule::getShiftUnit(reductions.columns, lanes) > lanes)
        mask.predicate =
            compare(arith::CmpIPredicate::sge, position, constant(0));
      if (hasTail) {
        Value isWithin =
            compare(arith::CmpIPredicate::sle,
                    make<arith::AddIOp>(position, constant(lanes)), end);
        mask.predicate = mask.predicate
                             ? make<arith::AndIOp>(mask.predicate, isWithin)
                             : isWithin;
      }
    } else if (hasTail) {
      addTail(mask, make<arith::SubIOp>(end, position));
      mask.whole = indices.getAlignment(indices.getConstant(reductions.columns),
                                        lanes) == lanes;
    }
  }
  bool hasMask = mask.high || mask.predicate;
  return Place{ReductionCoords(emitter, reductions, row, column), column,
               hasMask ? emitter.addMask(mask) : 0};
}
