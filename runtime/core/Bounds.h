//===- Bounds.h - the largest values of expressions ------------*- C++ -*-===//
///
/// \file
/// From what symbols may be to what expressions may be, so that memory can be
/// set aside beforehand.
///
#ifndef KFUSE_RUNTIME_CORE_BOUNDS_H
#define KFUSE_RUNTIME_CORE_BOUNDS_H

#include "Expression.h"

namespace kfuse {

/// All values from `min` to `max`; INT64_MIN and INT64_MAX are no bounds.
struct Interval {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

/// An interval for each node of the table. `symbols` has one for each symbol.
std::vector<Interval> boundExpressions(const ExpressionTable &table,
                                       const std::vector<Interval> &symbols);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_BOUNDS_H
