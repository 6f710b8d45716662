//===- ArgumentsTest.cpp - Every kind of argument value -------------------===//
/// \file
/// Argument values reach the operator with the meaning Python gives them.

#include "ProviderHarness.h"

#include <gtest/gtest.h>

using namespace kfuse::test;
using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;

TEST(Arguments, DefaultsComeFromTheSchema) {
  auto x = floats({1, 2}, {2}), y = floats({10, 20}, {2});
  Call add("aten::add", "Tensor", {tensor(0), tensor(1)});
  ASSERT_EQ(add.run({x.arg(), y.arg()}), 0) << add.message();
  EXPECT_EQ(add.asFloats(), Floats({11, 22}));

  Call scaled("aten::add", "Tensor",
              {tensor(0), tensor(1), named("alpha", number(3))});
  ASSERT_EQ(scaled.run({x.arg(), y.arg()}), 0) << scaled.message();
  EXPECT_EQ(scaled.asFloats(), Floats({31, 62}));
}

TEST(Arguments, IntAndFloatScalarsPromoteDifferently) {
  auto x = longs({1, 2}, {2});
  Call byInt("aten::mul", "Tensor", {tensor(0), number(2)});
  ASSERT_EQ(byInt.run({x.arg()}), 0) << byInt.message();
  EXPECT_EQ(byInt.results[0].tensor.dtype, KFUSE_I64);
  EXPECT_EQ(byInt.asLongs(), Longs({2, 4}));

  Call byFloat("aten::mul", "Scalar", {tensor(0), real(2.0)});
  ASSERT_EQ(byFloat.run({x.arg()}), 0) << byFloat.message();
  EXPECT_EQ(byFloat.results[0].tensor.dtype, KFUSE_F32);
}

TEST(Arguments, NumbersGivenAsTensorsDoNotPromoteLikeTensors) {
  auto x = floats({1, 2}, {2});
  Call add("aten::add", "Tensor", {tensor(0), real(0.5)});
  ASSERT_EQ(add.run({x.arg()}), 0) << add.message();
  EXPECT_EQ(add.results[0].tensor.dtype, KFUSE_F32);
  EXPECT_EQ(add.asFloats(), Floats({1.5, 2.5}));
}

TEST(Arguments, ScalarsOfTheCallReplaceSizes) {
  auto x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  Call view("aten::view", "",
            {tensor(0), named("size", list({scalar(0), number(-1)}))});
  ASSERT_EQ(view.run({x.arg()}, {intScalar(3)}), 0) << view.message();
  EXPECT_EQ(view.sizes(), Longs({3, 2}));
  ASSERT_EQ(view.run({x.arg()}, {intScalar(1)}), 0) << view.message();
  EXPECT_EQ(view.sizes(), Longs({1, 6}));
  EXPECT_EQ(view.results[0].tensor.data, x.data.data());
}

TEST(Arguments, TensorListsAndOptionalTensorLists) {
  auto x = floats({1, 2}, {2}), y = floats({3}, {1});
  Call cat("aten::cat", "", {list({tensor(0), tensor(1), tensor(0)})});
  ASSERT_EQ(cat.run({x.arg(), y.arg()}), 0) << cat.message();
  EXPECT_EQ(cat.asFloats(), Floats({1, 2, 3, 1, 2}));

  auto table = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  auto columns = longs({2, 0}, {2});
  Call index("aten::index", "Tensor", {tensor(0), list({none(), tensor(1)})});
  ASSERT_EQ(index.run({table.arg(), columns.arg()}), 0) << index.message();
  EXPECT_EQ(index.asFloats(), Floats({3, 1, 6, 4}));
}

TEST(Arguments, EmptyListsTakeTheDeclaredElementType) {
  auto x = floats({1, 2, 3, 4}, {2, 2});
  Call sum("aten::sum", "dim_IntList",
           {tensor(0), list({}), named("keepdim", boolean(true))});
  ASSERT_EQ(sum.run({x.arg()}), 0) << sum.message();
  EXPECT_EQ(sum.asFloats(), Floats({10}));
  EXPECT_EQ(sum.sizes(), Longs({1, 1}));
}

TEST(Arguments, DtypesDevicesAndMemoryFormats) {
  Call arange("aten::arange", "",
              {number(3), named("dtype", dtype(KFUSE_I64)),
               named("device", device({KFUSE_CPU, 0})),
               named("pin_memory", boolean(false))});
  ASSERT_EQ(arange.run(), 0) << arange.message();
  EXPECT_EQ(arange.asLongs(), Longs({0, 1, 2}));

  auto x = floats(Floats(16, 1.0f), {1, 4, 2, 2});
  Call clone(
      "aten::clone", "",
      {tensor(0), named("memory_format", memoryFormat("channels_last"))});
  ASSERT_EQ(clone.run({x.arg()}), 0) << clone.message();
  EXPECT_EQ(clone.results[0].tensor.strides[1], 1);

  Call cast("aten::to", "dtype", {tensor(0), dtype(KFUSE_BF16)});
  ASSERT_EQ(cast.run({x.arg()}), 0) << cast.message();
  EXPECT_EQ(cast.results[0].tensor.dtype, KFUSE_BF16);
}

TEST(Arguments, StringsAndFloats) {
  auto x = floats({-1, 0, 1}, {3});
  Call gelu("aten::gelu", "",
            {tensor(0), named("approximate", string("tanh"))});
  ASSERT_EQ(gelu.run({x.arg()}), 0) << gelu.message();
  EXPECT_NEAR(gelu.asFloats()[2], 0.841192f, 1e-6);

  Call norm("aten::layer_norm", "",
            {tensor(0), list({number(3)}), none(), none(), real(0.0)});
  ASSERT_EQ(norm.run({x.arg()}), 0) << norm.message();
  EXPECT_NEAR(norm.asFloats()[0], -1.2247449f, 1e-6);
}

TEST(Arguments, StridedAndBroadcastMemoryIsReadInPlace) {
  auto x = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  x.strides = {1, 3};
  auto bias = floats({10}, {3, 2});
  bias.strides = {0, 0};
  Call add("aten::add", "Tensor", {tensor(0), tensor(1)});
  ASSERT_EQ(add.run({x.arg(), bias.arg()}), 0) << add.message();
  EXPECT_EQ(add.asFloats(), Floats({11, 14, 12, 15, 13, 16}));
}

TEST(Arguments, TheWholeStorageIsReachableWhenItIsKnown) {
  auto x = floats({0, 1, 2, 3, 4, 5}, {2});
  x.strides = {1};
  KfuseTensorArg arg = x.arg();
  arg.tensor.data = x.data.data() + 4;
  arg.storageOffset = 4;
  arg.storageBytes = 24;
  Call strided("aten::as_strided", "",
               {tensor(0), list({number(3)}), list({number(2)}), number(0)});
  ASSERT_EQ(strided.run({arg}), 0) << strided.message();
  EXPECT_EQ(strided.asFloats(), Floats({0, 2, 4}));
}

TEST(Arguments, BadOnesAreRefusedWithTheirName) {
  Call unknown("aten::no_such_op", "", {});
  EXPECT_EQ(unknown.prepare(0, 0), KFUSE_PROVIDER_NO_OP);
  EXPECT_NE(unknown.message().find("aten::no_such_op"), std::string::npos);

  Call overload("aten::add", "Matrix", {tensor(0), tensor(1)});
  EXPECT_EQ(overload.prepare(2, 0), KFUSE_PROVIDER_NO_OP);

  Call name("aten::relu", "", {named("selff", tensor(0))});
  EXPECT_EQ(name.prepare(1, 0), KFUSE_PROVIDER_NO_OP);
  EXPECT_NE(name.message().find("selff"), std::string::npos);

  Call type("aten::softmax", "int", {tensor(0), string("last")});
  EXPECT_EQ(type.prepare(1, 0), KFUSE_PROVIDER_BAD_ARG);
  EXPECT_NE(type.message().find("'last'"), std::string::npos);

  Call missing("aten::mm", "", {tensor(0)});
  EXPECT_EQ(missing.prepare(1, 0), KFUSE_PROVIDER_BAD_ARG);
  EXPECT_NE(missing.message().find("mat2"), std::string::npos);

  Call range("aten::relu", "", {tensor(1)});
  EXPECT_EQ(range.prepare(1, 0), KFUSE_PROVIDER_BAD_ARG);

  Call returns("aten::relu", "", {tensor(0)},
               {KFUSE_RETURN_ONE, KFUSE_RETURN_ONE});
  EXPECT_EQ(returns.prepare(1, 0), KFUSE_PROVIDER_BAD_ARG);
}
