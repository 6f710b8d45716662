//===- Reduction.cpp - reductions of the evaluator ------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

namespace {

/// True when `x` comes before `y`; NaN comes before every number.
bool isBefore(ReduceKind kind, Element x, Element y, Type type,
              bool isUnsigned) {
  if (isa<FloatType>(type)) {
    if (std::isnan(x.real) || std::isnan(y.real))
      return std::isnan(x.real) && !std::isnan(y.real);
    return kind == ReduceKind::Max ? x.real > y.real : x.real < y.real;
  }
  int64_t lhs = x.integer, rhs = y.integer;
  if (isUnsigned) {
    unsigned width = type.getIntOrFloatBitWidth();
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    uint64_t ulhs = static_cast<uint64_t>(lhs) & mask;
    uint64_t urhs = static_cast<uint64_t>(rhs) & mask;
    return kind == ReduceKind::Max ? ulhs > urhs : ulhs < urhs;
  }
  return kind == ReduceKind::Max ? lhs > rhs : lhs < rhs;
}

Element getNeutral(ReduceKind kind, Type type, bool isUnsigned) {
  Element result{};
  bool isFloat = isa<FloatType>(type);
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    break;
  case ReduceKind::Prod:
    if (isFloat)
      result.real = 1.0;
    else
      result.integer = 1;
    break;
  case ReduceKind::And:
    result.integer = width == 1 ? 1 : -1;
    break;
  case ReduceKind::Max:
  case ReduceKind::Min: {
    bool isMax = kind == ReduceKind::Max;
    if (isFloat)
      result.real = isMax ? -INFINITY : INFINITY;
    else if (isUnsigned)
      result.integer = isMax ? 0 : -1;
    else
      result.integer = (isMax ? APInt::getSignedMinValue(width)
                              : APInt::getSignedMaxValue(width))
                           .getSExtValue();
    break;
  }
  }
  return result;
}

Element combine(ReduceKind kind, Element x, Element y, Type type,
                bool isUnsigned) {
  Element result{};
  bool isFloat = isa<FloatType>(type);
  auto wrapped = [&](uint64_t value) {
    return wrapToType(static_cast<int64_t>(value), type);
  };
  switch (kind) {
  case ReduceKind::Sum:
    if (isFloat)
      result.real = x.real + y.real;
    else
      result.integer = wrapped(uint64_t(x.integer) + uint64_t(y.integer));
    return result;
  case ReduceKind::Prod:
    if (isFloat)
      result.real = roundToType(x.real * y.real, type);
    else
      result.integer = wrapped(uint64_t(x.integer) * uint64_t(y.integer));
    return result;
  case ReduceKind::Or:
    result.integer = x.integer | y.integer;
    return result;
  case ReduceKind::And:
    result.integer = x.integer & y.integer;
    return result;
  case ReduceKind::Max:
  case ReduceKind::Min:
    return isBefore(kind, y, x, type, isUnsigned) ? y : x;
  }
  llvm_unreachable("all kinds are handled");
}

/// Calls `visit` with the number of the result element and the row-major
/// position along `dims` of each element of `source`.
void forEachReduced(const DenseTensor &source, ArrayRef<int64_t> dims,
                    llvm::function_ref<void(int64_t, int64_t, Element)> visit) {
  size_t next = 0;
  forEachPosition(source.shape, [&](ArrayRef<int64_t> at) {
    int64_t kept = 0, reduced = 0;
    for (auto [dim, position] : llvm::enumerate(at)) {
      bool isReduced = llvm::is_contained(dims, static_cast<int64_t>(dim));
      int64_t &index = isReduced ? reduced : kept;
      index = index * source.shape[dim] + position;
    }
    visit(kept, reduced, source.data[next++]);
  });
}
} // namespace

LogicalResult reference::evaluateReduction(Operation *op,
                                           const DenseTensor &source,
                                           DenseTensor &result) {
  auto reduce = dyn_cast<ReduceOp>(op);
  auto arg = dyn_cast<ArgReduceOp>(op);
  ArrayRef<int64_t> dims = reduce ? reduce.getDims() : arg.getDims();
  ReduceKind kind = reduce ? reduce.getKind() : arg.getKind();
  bool isUnsigned = reduce ? reduce.getIsUnsigned() : arg.getIsUnsigned();
  Type type = source.elementType;
  result.shape.clear();
  for (auto [dim, size] : llvm::enumerate(source.shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      result.shape.push_back(size);
  // Sums of floats are kept in double: the reference has no order of its own.
  std::vector<Element> best(result.getNumElements(),
                            getNeutral(kind, type, isUnsigned));
  std::vector<int64_t> positions(best.size(), -1);
  forEachReduced(source, dims, [&](int64_t kept, int64_t at, Element value) {
    if (reduce) {
      best[kept] = combine(kind, best[kept], value, type, isUnsigned);
    } else if (positions[kept] < 0 ||
               isBefore(kind, value, best[kept], type, isUnsigned)) {
      best[kept] = value;
      positions[kept] = at;
    }
  });
  result.data.resize(best.size());
  for (auto [i, element] : llvm::enumerate(result.data)) {
    element = best[i];
    if (arg)
      element.integer = positions[i];
    else if (isa<FloatType>(type))
      element.real = roundToType(element.real, type);
  }
  return success();
}
