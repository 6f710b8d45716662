//===- TileFusionsReduction.h - structure of reducing fusions ---*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEFUSIONSREDUCTION_H
#define KFUSE_LIB_TRANSFORMS_TILEFUSIONSREDUCTION_H

#include "TileFusionsCombine.h"
#include "TileFusionsEmit.h"

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

} // namespace mlir::kfuse::tile

#endif
