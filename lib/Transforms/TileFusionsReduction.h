//===- TileFusionsReduction.h - structure of reducing fusions ---*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEFUSIONSREDUCTION_H
#define KFUSE_LIB_TRANSFORMS_TILEFUSIONSREDUCTION_H

#include "TileFusionsCombine.h"
#include "TileFusionsEmit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::kfuse::tile {

/// The reductions of a fusion by level: those of level n need results of level
/// n - 1. All reduce `columns` elements for each of `rows` results.
struct Reductions {
  std::vector<SmallVector<Combiner>> levels;
  ExprAttr rows, columns;
};

/// Finds the reductions; fails when their extents differ.
FailureOr<Reductions> findReductions(Emitter &emitter);

/// Coordinates of values for row `row` and column `column`, found from the
/// sources of the reductions through elementwise operations, permutes and
/// reshapes.
class ReductionCoords {
public:
  ReductionCoords(Emitter &emitter, const Reductions &reductions, Index row,
                  Index column);

  const Coord &getSource(const Combiner &combiner) const {
    return coords.find(combiner.getSource())->second;
  }
  /// The coordinate of a result; nothing when it has other extents.
  std::optional<Coord> getResult(unsigned result);
  /// Whether a result has one value a row.
  bool isPerRow(unsigned result);

private:
  bool propagate(Operation &op);
  bool setCoord(Value value, Coord coord);
  bool dependsOnColumn(const Index &index) const;

  Emitter &emitter;
  const Reductions &reductions;
  Index row, column;
  DenseMap<Value, Coord> coords;
};

/// The packets at one place: coordinates and which lanes exist.
struct Place {
  ReductionCoords coords;
  Index column;
  unsigned mask;
};

/// Emits the kernel of a reducing fusion.
class ReductionEmitter {
public:
  ReductionEmitter(Emitter &emitter, Reductions reductions)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        indices(emitter.indices), schedule(emitter.schedule),
        reductions(std::move(reductions)),
        isColumn(schedule.getKind() == "column"), lanes(indices.getLanes()) {}

  FailureOr<LaunchShape> emit();

private:
  LogicalResult setUpRow();
  LogicalResult setUpShift(Value number, Value thread);
  Value getPhaseOfRow(Value number, int64_t unit);
  bool setAnchor();
  void setUpColumn();
  Place makePlace(Value position, bool hasTail, bool hasHead);
  void addTail(Mask &mask, Value left);
  LogicalResult emitInRegisters();
  LogicalResult emitLoops();
  LogicalResult emitSplit();
  LogicalResult accumulate(const SmallVector<Combiner> &level, Place &place,
                           SmallVectorImpl<Value> &state);
  FailureOr<SmallVector<Value>> combineBlock(const SmallVector<Combiner> &level,
                                             ValueRange state);
  void setReduced(const SmallVector<Combiner> &level, ValueRange values);
  LogicalResult finishLevel(const SmallVector<Combiner> &level,
                            ValueRange state);
  SmallVector<Value> getNeutral(const SmallVector<Combiner> &level);
  SmallVector<Value> reduceLanes(const SmallVector<Combiner> &level,
                                 ValueRange state);
  LogicalResult addEdge(const SmallVector<Combiner> &level,
                        SmallVectorImpl<Value> &state);
  LogicalResult storeEdge();
  SmallVector<Value> reduceThreads(const SmallVector<Combiner> &level,
                                   ValueRange state);
  Value getPositions(const Index &column);
  LogicalResult prefetchPlace(Place &place);
  LogicalResult storePlace(Place &place);
  LogicalResult storePerRow();
  FailureOr<SmallVector<Value>> forEachChunk(
      SmallVector<Value> state,
      llvm::function_ref<LogicalResult(Place &, SmallVectorImpl<Value> &)> fn);

  Value constant(int64_t value) { return indices.getInt(value); }
  template <typename OpTy>
  Value make(Value lhs, Value rhs) {
    return builder.createOrFold<OpTy>(loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexBuilder &indices;
  ScheduleAttr schedule;
  Reductions reductions;
  bool isColumn;
  int64_t lanes;
  /// Threads that share a row (row kind), or lie side by side (column kind).
  int64_t width;
  Index row;
  /// First column of the thread and the distance to its next packet.
  Value first;
  int64_t stride;
  /// Split rows: this block's number of those that share a row.
  Value part;
  int64_t scratchBytes = 0;
  /// Column kind: lanes past the last row. Row kind with several rows a block:
  /// whether the row exists.
  Mask rowMask;
  /// Whether this thread stores the results that have one value a row.
  Value isLeader;
  /// Some place of the row, for what does not depend on the column.
  std::optional<Place> anyPlace;
  /// Shifted packets: the thread's single element of those that no whole packet
  /// holds.
  std::optional<Place> edge;
};

} // namespace mlir::kfuse::tile

#endif
