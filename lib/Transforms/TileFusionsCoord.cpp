//===- TileFusionsCoord.cpp - coordinates through view operations ---------===//
/// From the coordinate of an operation's result to those of its operands.

#include "TileFusionsEmit.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

Coord Emitter::getFlat(ArrayRef<ExprAttr> sizes, const Index &index) const {
  if (sizes.empty())
    return {};
  return {{static_cast<int64_t>(sizes.size()), index}};
}

Index Emitter::flatten(const Coord &coord, ArrayRef<ExprAttr> sizes) const {
  Index result = indices.getConstant(0);
  int64_t dim = 0;
  for (const Group &group : coord) {
    ExprAttr size = getProduct(sizes.slice(dim, group.rank));
    result = indices.add(indices.scale(result, size), group.index);
    dim += group.rank;
  }
  return indices.recombine(result);
}

void Emitter::splitAt(Coord &coord, ArrayRef<ExprAttr> sizes, int64_t dim) {
  int64_t begin = 0;
  for (size_t i = 0; i < coord.size(); begin += coord[i].rank, ++i) {
    int64_t end = begin + coord[i].rank;
    if (dim <= begin || dim >= end)
      continue;
    auto [outer, inner] =
        indices.divide(coord[i].index, getProduct(sizes.slice(dim, end - dim)),
                       getProduct(sizes.slice(begin, end - begin)));
    coord[i] = {dim - begin, outer};
    coord.insert(coord.begin() + i + 1, Group{end - dim, inner});
    return;
  }
}

/// The group that begins at `dim`.
static const Group &getGroupAt(const Coord &coord, int64_t dim) {
  int64_t begin = 0;
  for (const Group &group : coord) {
    if (begin == dim)
      return group;
    begin += group.rank;
  }
  llvm_unreachable("expected a group that begins at the dimension");
}

/// The first dimension of each group.
static SmallVector<int64_t> getBegins(const Coord &coord) {
  SmallVector<int64_t> begins;
  int64_t dim = 0;
  for (const Group &group : coord) {
    begins.push_back(dim);
    dim += group.rank;
  }
  return begins;
}

/// Builds the coordinate of a source whose dimension i is dimension `dims[i]`
/// of the result (-1: position 0). Runs of dimensions that stay together keep
/// their group.
static Coord takeDims(Emitter &emitter, Coord coord, ArrayRef<ExprAttr> sizes,
                      ArrayRef<int64_t> dims) {
  SmallVector<int64_t> begins = getBegins(coord);
  SmallVector<std::pair<int64_t, int64_t>> runs; // first source dim, rank
  for (size_t i = 0; i < dims.size(); ++i) {
    bool joins = i > 0 && dims[i] > 0 && dims[i - 1] >= 0 &&
                 dims[i] == dims[i - 1] + 1 &&
                 !llvm::is_contained(begins, dims[i]);
    if (joins)
      ++runs.back().second;
    else
      runs.push_back({static_cast<int64_t>(i), 1});
  }
  for (auto [first, rank] : runs) {
    if (dims[first] < 0)
      continue;
    emitter.splitAt(coord, sizes, dims[first]);
    emitter.splitAt(coord, sizes, dims[first] + rank);
  }
  Coord result;
  for (auto [first, rank] : runs)
    result.push_back({rank, dims[first] < 0
                                ? emitter.indices.getConstant(0)
                                : getGroupAt(coord, dims[first]).index});
  return result;
}

Coord Emitter::permute(Coord coord, ArrayRef<ExprAttr> sizes,
                       ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return takeDims(*this, std::move(coord), sizes, inverse);
}

Coord Emitter::broadcastCoord(BroadcastOp op, Coord coord) {
  ArrayRef<ExprAttr> from = shapes.getSizes(op.getSource());
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  SmallVector<int64_t> dims(op.getDims());
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from[i].isConstant(1))
      dim = -1;
  return takeDims(*this, std::move(coord), sizes, dims);
}

Coord Emitter::sliceCoord(SliceOp op, Coord coord) {
  ArrayRef<ExprAttr> from = shapes.getSizes(op.getSource());
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  SmallVector<ExprAttr> starts = getExprs(op.getStarts());
  ArrayRef<int64_t> steps = op.getSteps();
  auto isMoved = [&](int64_t dim) {
    return !starts[dim].isConstant(0) || steps[dim] != 1;
  };
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim) {
    // The outermost dimension of a group may be cut short without harm.
    if (isMoved(dim) || sizes[dim] != from[dim])
      splitAt(coord, sizes, dim);
    if (isMoved(dim))
      splitAt(coord, sizes, dim + 1);
  }
  int64_t dim = 0;
  for (Group &group : coord) {
    if (isMoved(dim))
      group.index = indices.addConstant(
          indices.scale(group.index, indices.getExpr(steps[dim])), starts[dim]);
    dim += group.rank;
  }
  return coord;
}

Coord Emitter::reshape(const Coord &coord, ArrayRef<ExprAttr> from,
                       ArrayRef<ExprAttr> to) {
  if (to.empty())
    return {};
  // Groups that begin where a dimension of the other shape begins stay; the
  // rest joins the group before it.
  Coord result;
  int64_t begin = 0, previous = 0;
  for (const Group &group : coord) {
    ExprAttr inner = getProduct(from.drop_front(begin));
    std::optional<int64_t> match;
    for (int64_t j = previous; begin > 0 && j < static_cast<int64_t>(to.size());
         ++j) {
      if (getProduct(to.drop_front(j)) == inner) {
        match = j;
        break;
      }
    }
    ExprAttr size = getProduct(from.slice(begin, group.rank));
    begin += group.rank;
    if (result.empty()) {
      result.push_back({0, group.index});
    } else if (match && *match > previous) {
      result.back().rank = *match - previous;
      previous = *match;
      result.push_back({0, group.index});
    } else {
      result.back().index = indices.recombine(
          indices.add(indices.scale(result.back().index, size), group.index));
    }
  }
  if (result.empty())
    result.push_back({0, indices.getConstant(0)});
  result.back().rank = to.size() - previous;
  return result;
}

Index Emitter::getOffset(Coord coord, ArrayRef<ExprAttr> sizes,
                         ArrayRef<ExprAttr> strides) {
  // Split groups where the strides are not those of one merged dimension.
  int64_t rank = sizes.size();
  for (int64_t dim = rank - 1, next = -1; dim >= 0; --dim) {
    if (sizes[dim].isConstant(1))
      continue;
    if (next >= 0 && strides[dim] != ExprAttr::mul(strides[next], sizes[next]))
      splitAt(coord, sizes, next);
    next = dim;
  }
  Index offset = indices.getConstant(0);
  int64_t begin = 0;
  for (const Group &group : coord) {
    for (int64_t dim = begin + group.rank - 1; dim >= begin; --dim) {
      if (sizes[dim].isConstant(1))
        continue;
      offset = indices.add(offset, indices.scale(group.index, strides[dim]));
      break;
    }
    begin += group.rank;
  }
  return indices.recombine(offset);
}
