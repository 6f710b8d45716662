//===- Expression.cpp - symbolic integer expressions ----------------------===//
#include "Expression.h"

#include <algorithm>

namespace kfuse {

bool applyExprOp(ExprOp op, int64_t lhs, int64_t rhs, int64_t &result) {
  switch (op) {
  case ExprOp::Add:
    return !__builtin_add_overflow(lhs, rhs, &result);
  case ExprOp::Mul:
    return !__builtin_mul_overflow(lhs, rhs, &result);
  case ExprOp::Min:
    result = std::min(lhs, rhs);
    return true;
  case ExprOp::Max:
    result = std::max(lhs, rhs);
    return true;
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv:
  case ExprOp::Mod:
    break;
  case ExprOp::Constant:
  case ExprOp::Symbol:
    return false;
  }
  if (rhs == 0 || (rhs == -1 && lhs == INT64_MIN))
    return false;
  int64_t quotient = lhs / rhs, rest = lhs % rhs;
  bool sameSign = (rest < 0) == (rhs < 0);
  if (op == ExprOp::FloorDiv)
    result = rest && !sameSign ? quotient - 1 : quotient;
  else if (op == ExprOp::CeilDiv)
    result = rest && sameSign ? quotient + 1 : quotient;
  else
    result = rest && !sameSign ? rest + rhs : rest;
  return true;
}

ExprId ExpressionTable::insert(Node node) {
  auto key = std::make_tuple(node.op, node.lhs, node.rhs, node.value);
  auto [it, isNew] = unique.emplace(key, static_cast<ExprId>(nodes.size()));
  if (isNew)
    nodes.push_back(node);
  return it->second;
}

ExprId ExpressionTable::constant(int64_t value) {
  return insert({ExprOp::Constant, false, -1, -1, value});
}

ExprId ExpressionTable::symbol(int32_t number) {
  return insert({ExprOp::Symbol, false, -1, -1, number});
}

std::optional<int64_t> ExpressionTable::getConstant(ExprId id) const {
  if (nodes[id].op != ExprOp::Constant)
    return std::nullopt;
  return nodes[id].value;
}

Result<ExprId> ExpressionTable::apply(ExprOp op, ExprId lhs, ExprId rhs) {
  auto left = getConstant(lhs), right = getConstant(rhs);
  if (left && right) {
    int64_t value;
    if (!applyExprOp(op, *left, *right, value))
      return makeError(KFUSE_BAD_PACKAGE,
                       "a constant expression overflows or divides by zero");
    return constant(value);
  }
  return insert({op, false, lhs, rhs, 0});
}

void ExpressionTable::markDynamic(const std::vector<char> &isDynamic) {
  dynamicNodes.clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node &node = nodes[i];
    if (node.op == ExprOp::Symbol)
      node.isDynamic = isDynamic[node.value];
    else if (node.op != ExprOp::Constant)
      node.isDynamic = nodes[node.lhs].isDynamic || nodes[node.rhs].isDynamic;
    if (node.isDynamic)
      dynamicNodes.push_back(static_cast<ExprId>(i));
  }
}

Status ExpressionTable::evaluateNode(ExprId id, const int64_t *symbols,
                                     int64_t *values) const {
  const Node &node = nodes[id];
  if (node.op == ExprOp::Constant) {
    values[id] = node.value;
  } else if (node.op == ExprOp::Symbol) {
    values[id] = symbols[node.value];
  } else if (!applyExprOp(node.op, values[node.lhs], values[node.rhs],
                          values[id])) {
    return makeError(KFUSE_GUARD_FAILED,
                     "a size expression overflows or divides by zero for these "
                     "inputs (operands %lld and %lld)",
                     static_cast<long long>(values[node.lhs]),
                     static_cast<long long>(values[node.rhs]));
  }
  return Status();
}

Status ExpressionTable::evaluateStatic(const int64_t *symbols,
                                       int64_t *values) const {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].isDynamic)
      KFUSE_TRY(evaluateNode(static_cast<ExprId>(i), symbols, values));
  return Status();
}

Status ExpressionTable::evaluateDynamic(const int64_t *symbols,
                                        const char *known, int64_t *values,
                                        char *valid) const {
  for (ExprId id : dynamicNodes) {
    const Node &node = nodes[id];
    if (valid[id])
      continue;
    bool ready = node.op == ExprOp::Symbol ? known[node.value]
                                           : valid[node.lhs] && valid[node.rhs];
    if (!ready)
      continue;
    KFUSE_TRY(evaluateNode(id, symbols, values));
    valid[id] = 1;
  }
  return Status();
}

std::string
ExpressionTable::toString(ExprId id,
                          const std::vector<std::string> &names) const {
  const Node &node = nodes[id];
  if (node.op == ExprOp::Constant)
    return std::to_string(node.value);
  if (node.op == ExprOp::Symbol)
    return names[node.value];
  std::string lhs = toString(node.lhs, names), rhs = toString(node.rhs, names);
  switch (node.op) {
  case ExprOp::Min:
    return "min(" + lhs + ", " + rhs + ")";
  case ExprOp::Max:
    return "max(" + lhs + ", " + rhs + ")";
  case ExprOp::Add:
    return "(" + lhs + " + " + rhs + ")";
  case ExprOp::Mul:
    return lhs + " * " + rhs;
  case ExprOp::FloorDiv:
    return "(" + lhs + " floordiv " + rhs + ")";
  case ExprOp::CeilDiv:
    return "(" + lhs + " ceildiv " + rhs + ")";
  default:
    return "(" + lhs + " mod " + rhs + ")";
  }
}

} // namespace kfuse
