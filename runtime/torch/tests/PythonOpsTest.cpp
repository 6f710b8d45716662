//===- PythonOpsTest.cpp - Scalar operators -------------------------------===//
/// \file
/// `python::` targets follow Python's arithmetic.

#include "ProviderHarness.h"

#include <gtest/gtest.h>

#include <limits>

using namespace kfuse::test;

namespace {

/// Runs `python::<target>` on `args` and returns the scalar; a kind of -1 means
/// that it failed.
KfuseScalar eval(const std::string &target, std::vector<KfuseScalar> args) {
  std::vector<Arg> arguments;
  for (size_t i = 0; i < args.size(); ++i)
    arguments.push_back(named("operand", scalar(static_cast<int64_t>(i))));
  Call call("python::" + target, "", arguments);
  if (call.run({}, args) != 0) {
    KfuseScalar failed = {};
    failed.kind = -1;
    return failed;
  }
  return call.results[0].scalar;
}

int64_t evalInt(const std::string &target, int64_t a, int64_t b) {
  KfuseScalar out = eval(target, {intScalar(a), intScalar(b)});
  EXPECT_NE(out.kind, KFUSE_SCALAR_FLOAT);
  EXPECT_NE(out.kind, -1);
  return out.value.i;
}

} // namespace

TEST(PythonOps, DivisionRoundsDown) {
  EXPECT_EQ(evalInt("_operator.floordiv", -7, 2), -4);
  EXPECT_EQ(evalInt("_operator.floordiv", 7, -2), -4);
  EXPECT_EQ(evalInt("_operator.mod", -7, 3), 2);
  EXPECT_EQ(evalInt("_operator.mod", 7, -3), -2);
  EXPECT_EQ(eval("_operator.truediv", {intScalar(7), intScalar(2)}).value.f,
            3.5);
  EXPECT_EQ(eval("_operator.floordiv", {floatScalar(-7), intScalar(2)}).value.f,
            -4.0);
}

TEST(PythonOps, ArithmeticKeepsIntsApartFromFloats) {
  EXPECT_EQ(evalInt("_operator.add", 2, 3), 5);
  EXPECT_EQ(evalInt("_operator.pow", -3, 3), -27);
  KfuseScalar sum = eval("_operator.add", {intScalar(2), floatScalar(0.5)});
  EXPECT_EQ(sum.kind, KFUSE_SCALAR_FLOAT);
  EXPECT_EQ(sum.value.f, 2.5);
  EXPECT_EQ(eval("math.trunc", {floatScalar(-2.7)}).value.i, -2);
  EXPECT_EQ(eval("math.floor", {floatScalar(-2.2)}).value.i, -3);
  EXPECT_EQ(eval("builtins.round", {floatScalar(2.5)}).value.i, 2);
  EXPECT_EQ(eval("torch.sym_float", {intScalar(3)}).value.f, 3.0);
}

TEST(PythonOps, ComparisonsAndChoice) {
  EXPECT_EQ(eval("_operator.le", {intScalar(2), floatScalar(2)}).kind,
            KFUSE_SCALAR_BOOL);
  EXPECT_EQ(evalInt("_operator.lt", 2, 2), 0);
  EXPECT_EQ(evalInt("torch.sym_max", 4, -9), 4);
  EXPECT_EQ(evalInt("torch.sym_min", 4, -9), -9);
  EXPECT_EQ(
      eval("torch.sym_ite", {intScalar(0), intScalar(5), intScalar(6)}).value.i,
      6);
}

TEST(PythonOps, ErrorsAreReported) {
  auto max = intScalar(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(eval("_operator.add", {max, intScalar(1)}).kind, -1);
  EXPECT_EQ(eval("_operator.mul", {max, intScalar(2)}).kind, -1);
  EXPECT_EQ(eval("_operator.floordiv", {max, intScalar(0)}).kind, -1);
  EXPECT_EQ(eval("math.floor", {floatScalar(1e300)}).kind, -1);
  EXPECT_EQ(eval("_operator.no_such", {max}).kind, -1);
}
