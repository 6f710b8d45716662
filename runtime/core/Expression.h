//===- Expression.h - symbolic integer expressions -------------*- C++ -*-===//
///
/// \file
/// All expressions of a program in one table of binary nodes, each after its
/// operands and none twice. Evaluating the table in order gives every value;
/// a value is looked up by its node.
///
#ifndef KFUSE_RUNTIME_CORE_EXPRESSION_H
#define KFUSE_RUNTIME_CORE_EXPRESSION_H

#include "Status.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace kfuse {

using ExprId = int32_t;

enum class ExprOp : uint8_t {
  Constant,
  Symbol,
  Add,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max
};

/// Applies a binary operator; nothing on overflow or division by zero.
bool applyExprOp(ExprOp op, int64_t lhs, int64_t rhs, int64_t &result);

class ExpressionTable {
public:
  struct Node {
    ExprOp op;
    bool isDynamic;  ///< needs a symbol that gets its value during the run
    ExprId lhs, rhs; ///< operands of binary nodes
    int64_t value;   ///< the constant, or the symbol's number
  };

  ExprId constant(int64_t value);
  ExprId symbol(int32_t number);
  /// Constants are folded; fails when that overflows.
  Result<ExprId> apply(ExprOp op, ExprId lhs, ExprId rhs);

  size_t size() const { return nodes.size(); }
  const Node &operator[](ExprId id) const { return nodes[id]; }
  std::optional<int64_t> getConstant(ExprId id) const;

  /// Marks the nodes that use the symbols for which `isDynamic` is set.
  void markDynamic(const std::vector<char> &isDynamic);
  /// Evaluates all static nodes. `symbols` has a value for each symbol;
  /// `values` one place for each node.
  Status evaluateStatic(const int64_t *symbols, int64_t *values) const;
  /// Evaluates the dynamic nodes that can be by now. `known` tells which
  /// symbols have values, `valid` which nodes.
  Status evaluateDynamic(const int64_t *symbols, const char *known,
                         int64_t *values, char *valid) const;
  /// Infix form with the symbols' names, for messages.
  std::string toString(ExprId id, const std::vector<std::string> &names) const;

private:
  ExprId insert(Node node);
  Status evaluateNode(ExprId id, const int64_t *symbols, int64_t *values) const;

  std::vector<Node> nodes;
  std::vector<ExprId> dynamicNodes;
  std::map<std::tuple<ExprOp, ExprId, ExprId, int64_t>, ExprId> unique;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_EXPRESSION_H
