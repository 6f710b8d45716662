//===- TileFusionsReductionCoords.cpp - structure of reducing fusions -----===//

#include "TileFusionsReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

static ArrayRef<int64_t> getReducedDims(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getDims();
  return cast<ArgReduceOp>(op).getDims();
}

/// Kept dimensions, then reduced ones.
static SmallVector<int64_t> getKeptFirst(Operation *op, int64_t rank) {
  ArrayRef<int64_t> reduced = getReducedDims(op);
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(reduced, dim))
      order.push_back(dim);
  order.append(reduced.begin(), reduced.end());
  return order;
}

FailureOr<Reductions> tile::findReductions(Emitter &emitter) {
  Reductions result;
  DenseMap<Value, size_t> levels; // levels of reductions a value needs
  for (Operation &op : emitter.getBody().without_terminator()) {
    size_t level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    if (isa<ReduceOp, ArgReduceOp>(op)) {
      ArrayRef<ExprAttr> sizes = emitter.shapes.getSizes(op.getOperand(0));
      SmallVector<ExprAttr> reduced;
      for (int64_t dim : getReducedDims(&op))
        reduced.push_back(sizes[dim]);
      ExprAttr columns = emitter.getProduct(reduced);
      ExprAttr rows = emitter.shapes.getNumElements(op.getResult(0));
      if (result.rows && (result.rows != rows || result.columns != columns))
        return FailureOr<Reductions>(
            emitter.fail("reductions of different extents"));
      result.rows = rows;
      result.columns = columns;
      if (level >= result.levels.size())
        result.levels.resize(level + 1);
      result.levels[level].emplace_back(&op);
      ++level;
    }
    levels[op.getResult(0)] = level;
  }
  if (!result.rows)
    return FailureOr<Reductions>(emitter.fail("no reduction in the body"));
  return result;
}

ReductionCoords::ReductionCoords(Emitter &emitter, const Reductions &reductions,
                                 Index row, Index column)
    : emitter(emitter), reductions(reductions), row(std::move(row)),
      column(std::move(column)) {
  for (auto &level : reductions.levels) {
    for (const Combiner &combiner : level) {
      ArrayRef<ExprAttr> sizes = emitter.shapes.getSizes(combiner.getSource());
      int64_t rank = sizes.size();
      SmallVector<int64_t> order = getKeptFirst(combiner.getOp(), rank);
      int64_t kept = rank - getReducedDims(combiner.getOp()).size();
      SmallVector<ExprAttr> ordered;
      for (int64_t dim : order)
        ordered.push_back(sizes[dim]);
      Coord coord;
      if (kept > 0)
        coord.push_back({kept, this->row});
      if (kept < rank)
        coord.push_back({rank - kept, this->column});
      setCoord(combiner.getSource(), emitter.permute(coord, ordered, order));
      Value result = combiner.getOp()->getResult(0);
      setCoord(result,
               emitter.getFlat(emitter.shapes.getSizes(result), this->row));
    }
  }
  // Values are few steps away from a reduction; stop when nothing is new.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : emitter.getBody().without_terminator())
      changed |= propagate(op);
  }
}

bool ReductionCoords::setCoord(Value value, Coord coord) {
  return coords.try_emplace(value, std::move(coord)).second;
}

/// Whether nothing is repeated.
static bool onlyAddsUnitDims(BroadcastOp op, const BodyShapes &shapes) {
  ArrayRef<ExprAttr> from = shapes.getSizes(op.getSource());
  SmallVector<ExprAttr> rest = llvm::to_vector(shapes.getSizes(op.getResult()));
  for (auto [size, dim] : llvm::zip(from, op.getDims())) {
    if (rest[dim] != size)
      return false;
    rest[dim] = ExprAttr::constant(op.getContext(), 1);
  }
  return llvm::all_of(rest, [](ExprAttr size) { return size.isConstant(1); });
}

bool ReductionCoords::propagate(Operation &op) {
  Value result = op.getResult(0);
  if (!isa<RankedTensorType>(result.getType()) || op.getNumOperands() == 0)
    return false;
  auto known = coords.find(result);
  const BodyShapes &shapes = emitter.shapes;
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    Value source = permute.getSource();
    SmallVector<int64_t> inverse(permute.getPermutation().size());
    for (auto [i, dim] : llvm::enumerate(permute.getPermutation()))
      inverse[dim] = i;
    if (known != coords.end() && !coords.contains(source))
      return setCoord(source,
                      emitter.permute(known->second, shapes.getSizes(result),
                                      permute.getPermutation()));
    if (auto from = coords.find(source);
        from != coords.end() && known == coords.end())
      return setCoord(
          result,
          emitter.permute(from->second, shapes.getSizes(source), inverse));
    return false;
  }
  auto broadcast = dyn_cast<BroadcastOp>(op);
  bool isReshape =
      isa<ReshapeOp>(op) || (broadcast && onlyAddsUnitDims(broadcast, shapes));
  if (isReshape) {
    Value source = op.getOperand(0);
    auto from = coords.find(source);
    if ((known == coords.end()) == (from == coords.end()))
      return false;
    auto sizes = shapes.getSizes(result), sourceSizes = shapes.getSizes(source);
    return known == coords.end()
               ? setCoord(result,
                          emitter.reshape(from->second, sourceSizes, sizes))
               : setCoord(source,
                          emitter.reshape(known->second, sizes, sourceSizes));
  }
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op.getDialect()) &&
      !isa<RoundOp>(op))
    return false;
  // All tensors of an elementwise operation lie at the same place.
  std::optional<Coord> coord;
  SmallVector<Value> values{result};
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      values.push_back(operand);
  for (Value value : values)
    if (auto it = coords.find(value); it != coords.end() && !coord)
      coord = it->second;
  bool changed = false;
  for (Value value : values)
    if (coord)
      changed |= setCoord(value, *coord);
  return changed;
}

bool ReductionCoords::dependsOnColumn(const Index &index) const {
  return llvm::any_of(index.terms, [&](auto &term) {
    return (!column.terms.empty() && term.first == column.terms[0].first) ||
           (term.first->dividend && dependsOnColumn(*term.first->dividend));
  });
}

std::optional<Coord> ReductionCoords::getResult(unsigned result) {
  Value value = emitter.getYielded(result);
  if (auto it = coords.find(value); it != coords.end())
    return it->second;
  ArrayRef<ExprAttr> sizes = emitter.shapes.getSizes(value);
  ExprAttr count = emitter.getProduct(sizes);
  // An output that shares nothing with what is reduced but its shape takes its
  // element from the place that the reduction is at.
  for (auto &level : reductions.levels)
    for (const Combiner &combiner : level)
      if (emitter.shapes.getSizes(combiner.getSource()) == sizes)
        return coords.at(combiner.getSource());
  // Any order that visits each element once will do: what reads a reduction's
  // result in the wrong row is refused.
  if (count == ExprAttr::mul(reductions.rows, reductions.columns))
    return emitter.getFlat(
        sizes, emitter.indices.add(
                   emitter.indices.scale(row, reductions.columns), column));
  if (count == reductions.rows)
    return emitter.getFlat(sizes, row);
  return std::nullopt;
}

bool ReductionCoords::isPerRow(unsigned result) {
  std::optional<Coord> coord = getResult(result);
  return coord && llvm::none_of(*coord, [&](const Group &group) {
           return dependsOnColumn(group.index);
         });
}
