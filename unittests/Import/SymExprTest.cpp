//===- SymExprTest.cpp - the srepr parser ---------------------------------===//
/// \file
/// Known functions, unknown functions and text that is not an expression.

#include "kfuse/Import/SymExpr.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

static std::string str(const char *text) {
  Result<SymExpr> expr = parseSymExpr(text);
  return expr ? expr->str() : "error: " + expr.message();
}

TEST(SymExprTest, KnownFunctions) {
  EXPECT_EQ(str("Integer(7)"), "7");
  EXPECT_EQ(str("Integer(-9223372036854775808)"), "-9223372036854775808");
  EXPECT_EQ(str("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(str("Add(Symbol('s0', positive=True), Integer(-1))"), "(s0 + -1)");
  EXPECT_EQ(str("Mul(Integer(2), FloorDiv(Symbol('a'), Integer(2)))"),
            "(2 * (a // 2))");
  EXPECT_EQ(str("Max(Integer(1), Min(Symbol('a'), Symbol('b')))"),
            "max(1, min(a, b))");
  EXPECT_EQ(str("PythonMod(Symbol('a'), Integer(4))"), "(a % 4)");
  EXPECT_EQ(str("Pow(Symbol('a'), Integer(2))"), "(a * a)");
}

TEST(SymExprTest, UnknownFunctionsAreKept) {
  Result<SymExpr> expr =
      parseSymExpr("GreaterThan(Symbol('u0', integer=True), Integer(0))");
  ASSERT_TRUE(expr);
  EXPECT_EQ(expr->kind, SymExpr::Kind::Other);
  EXPECT_FALSE(expr->isInteger());
  EXPECT_EQ(expr->str(), "GreaterThan(u0, 0)");
  EXPECT_EQ(str("Float('0.5', precision=53)"), "Float(0.5)");
  EXPECT_EQ(str("int_oo"), "int_oo");
}

TEST(SymExprTest, Errors) {
  EXPECT_EQ(str(""), "error: expected an expression at column 1 in expression "
                     "''");
  EXPECT_NE(str("Add(Integer(1)").find("expected ')'"), std::string::npos);
  EXPECT_NE(str("Integer(9223372036854775808)").find("outside of 64 bits"),
            std::string::npos);
  EXPECT_NE(str("Integer(1))").find("unexpected text"), std::string::npos);
  EXPECT_NE(str("Mod(Integer(1))").find("wrong number of operands"),
            std::string::npos);
  std::string deep;
  for (int i = 0; i < 1000; ++i)
    deep += "Add(";
  EXPECT_NE(str(deep.c_str()).find("nesting deeper"), std::string::npos);
}
