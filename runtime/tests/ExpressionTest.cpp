//===- ExpressionTest.cpp - symbolic expressions --------------------------===//
#include "Expression.h"
#include "HostOps.h"

#include <gtest/gtest.h>

using namespace kfuse;

static int64_t eval(ExprOp op, int64_t lhs, int64_t rhs) {
  int64_t value = 0;
  EXPECT_TRUE(applyExprOp(op, lhs, rhs, value));
  return value;
}

TEST(Expression, DivisionRounds) {
  EXPECT_EQ(eval(ExprOp::FloorDiv, -7, 2), -4);
  EXPECT_EQ(eval(ExprOp::FloorDiv, 7, -2), -4);
  EXPECT_EQ(eval(ExprOp::CeilDiv, 7, 2), 4);
  EXPECT_EQ(eval(ExprOp::CeilDiv, -7, 2), -3);
  EXPECT_EQ(eval(ExprOp::CeilDiv, -7, -2), 4);
  EXPECT_EQ(eval(ExprOp::Mod, -7, 3), 2);
  EXPECT_EQ(eval(ExprOp::Mod, 7, -3), -2);
  EXPECT_EQ(eval(ExprOp::FloorDiv, INT64_MIN, 1), INT64_MIN);
}

TEST(Expression, OverflowIsAnError) {
  int64_t value;
  EXPECT_FALSE(applyExprOp(ExprOp::Add, INT64_MAX, 1, value));
  EXPECT_FALSE(applyExprOp(ExprOp::Mul, INT64_MAX, 2, value));
  EXPECT_FALSE(applyExprOp(ExprOp::FloorDiv, 1, 0, value));
  EXPECT_FALSE(applyExprOp(ExprOp::FloorDiv, INT64_MIN, -1, value));
}

TEST(Expression, TableSharesAndFolds) {
  ExpressionTable table;
  ExprId s0 = table.symbol(0);
  ExprId a = *table.apply(ExprOp::Mul, s0, table.constant(4));
  ExprId b = *table.apply(ExprOp::Mul, s0, table.constant(4));
  EXPECT_EQ(a, b);
  ExprId folded =
      *table.apply(ExprOp::Add, table.constant(2), table.constant(3));
  EXPECT_EQ(table.getConstant(folded), 5);
  EXPECT_FALSE(
      table.apply(ExprOp::Mod, table.constant(2), table.constant(0)).ok());
  std::vector<int64_t> values(table.size());
  int64_t symbols[] = {6};
  ASSERT_TRUE(table.evaluateStatic(symbols, values.data()).ok());
  EXPECT_EQ(values[a], 24);
}

TEST(Expression, DynamicNodesWaitForTheirSymbols) {
  ExpressionTable table;
  ExprId sum = *table.apply(ExprOp::Add, table.symbol(0), table.symbol(1));
  table.markDynamic({0, 1});
  EXPECT_TRUE(table[sum].isDynamic);
  std::vector<int64_t> values(table.size());
  std::vector<char> valid(table.size());
  int64_t symbols[] = {3, 0};
  char known[] = {1, 0};
  ASSERT_TRUE(table.evaluateStatic(symbols, values.data()).ok());
  for (size_t i = 0; i < table.size(); ++i)
    valid[i] = !table[static_cast<ExprId>(i)].isDynamic;
  ASSERT_TRUE(
      table.evaluateDynamic(symbols, known, values.data(), valid.data()).ok());
  EXPECT_FALSE(valid[sum]);
  symbols[1] = 4;
  known[1] = 1;
  ASSERT_TRUE(
      table.evaluateDynamic(symbols, known, values.data(), valid.data()).ok());
  EXPECT_TRUE(valid[sum]);
  EXPECT_EQ(values[sum], 7);
}

static KfuseScalar intScalar(int64_t value) {
  KfuseScalar scalar = {};
  scalar.value.i = value;
  return scalar;
}

TEST(HostOps, PythonSemantics) {
  auto floordiv =
      callHostFunction("_operator.floordiv", {intScalar(-7), intScalar(2)});
  ASSERT_TRUE(floordiv.ok());
  EXPECT_EQ(floordiv->value.i, -4);
  auto truediv =
      callHostFunction("_operator.truediv", {intScalar(7), intScalar(2)});
  ASSERT_TRUE(truediv.ok());
  EXPECT_EQ(truediv->kind, KFUSE_SCALAR_FLOAT);
  EXPECT_EQ(truediv->value.f, 3.5);
  auto trunc = callHostFunction("math.trunc", {*truediv});
  ASSERT_TRUE(trunc.ok());
  EXPECT_EQ(trunc->value.i, 3);
  auto less = callHostFunction(
      "_operator.lt", {intScalar(INT64_MAX - 1), intScalar(INT64_MAX)});
  ASSERT_TRUE(less.ok());
  EXPECT_EQ(less->value.i, 1);
  EXPECT_FALSE(
      callHostFunction("_operator.mod", {intScalar(1), intScalar(0)}).ok());
  EXPECT_FALSE(callHostFunction("os.system", {intScalar(1)}).ok());
}
