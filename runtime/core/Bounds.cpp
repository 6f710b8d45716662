//===- Bounds.cpp - the largest values of expressions ---------------------===//
///
/// \file
/// Interval arithmetic over a table of expressions. Limits that leave 64 bits
/// become INT64_MIN and INT64_MAX, which stand for "no bound". Results may be
/// wider than what can occur, never narrower.
///
#include "Bounds.h"

#include <algorithm>

namespace kfuse {

static int64_t saturate(__int128 value) {
  if (value >= INT64_MAX)
    return INT64_MAX;
  return value <= -INT64_MAX ? INT64_MIN : static_cast<int64_t>(value);
}

static bool isOpen(int64_t limit) {
  return limit == INT64_MIN || limit == INT64_MAX;
}

static int64_t addLimits(int64_t lhs, int64_t rhs) {
  if (isOpen(lhs))
    return lhs;
  return isOpen(rhs) ? rhs : saturate(static_cast<__int128>(lhs) + rhs);
}

static int64_t mulLimits(int64_t lhs, int64_t rhs) {
  // The sign decides for open limits; zero times anything is zero.
  return saturate(static_cast<__int128>(lhs) * rhs);
}

/// The quotient rounded down or up; open limits stay open.
static int64_t divideLimit(ExprOp op, int64_t limit, int64_t divisor) {
  int64_t result = 0;
  if (isOpen(limit) || !applyExprOp(op, limit, divisor, result))
    return limit;
  return result;
}

static Interval apply(ExprOp op, Interval lhs, Interval rhs) {
  switch (op) {
  case ExprOp::Add:
    return {addLimits(lhs.min, rhs.min), addLimits(lhs.max, rhs.max)};
  case ExprOp::Mul: {
    auto [low, high] =
        std::minmax({mulLimits(lhs.min, rhs.min), mulLimits(lhs.min, rhs.max),
                     mulLimits(lhs.max, rhs.min), mulLimits(lhs.max, rhs.max)});
    return {low, high};
  }
  case ExprOp::Min:
    return {std::min(lhs.min, rhs.min), std::min(lhs.max, rhs.max)};
  case ExprOp::Max:
    return {std::max(lhs.min, rhs.min), std::max(lhs.max, rhs.max)};
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv: {
    if (rhs.min <= 0)
      return {INT64_MIN, INT64_MAX};
    // The largest quotient has the divisor that brings it furthest from 0.
    int64_t low = lhs.min < 0 ? rhs.min : rhs.max;
    int64_t high = lhs.max < 0 ? rhs.max : rhs.min;
    return {divideLimit(op, lhs.min, low), divideLimit(op, lhs.max, high)};
  }
  case ExprOp::Mod:
    if (rhs.min <= 0)
      return {INT64_MIN, INT64_MAX};
    if (lhs.min >= 0)
      return {0, std::min(lhs.max, rhs.max - 1)};
    return {0, rhs.max - 1};
  case ExprOp::Constant:
  case ExprOp::Symbol:
    break;
  }
  return {INT64_MIN, INT64_MAX};
}

std::vector<Interval> boundExpressions(const ExpressionTable &table,
                                       const std::vector<Interval> &symbols) {
  std::vector<Interval> result;
  for (size_t i = 0; i < table.size(); ++i) {
    const ExpressionTable::Node &node = table[static_cast<ExprId>(i)];
    if (node.op == ExprOp::Constant)
      result.push_back({node.value, node.value});
    else if (node.op == ExprOp::Symbol)
      result.push_back(symbols[node.value]);
    else
      result.push_back(apply(node.op, result[node.lhs], result[node.rhs]));
  }
  return result;
}

} // namespace kfuse
