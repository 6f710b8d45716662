//===- OperatorsTest.cpp - Results, aliases, failures ---------------------===//
/// \file
/// What operators return and how they fail.

#include "ProviderHarness.h"

#include <gtest/gtest.h>

using namespace kfuse::test;
using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;

extern "C" const KfuseProviderTable *kfuse_provider_get(uint32_t version);

TEST(Operators, InPlaceWritesTheCallersMemory) {
  auto x = floats({1, 2, 3}, {3});
  Call add("aten::add_", "Scalar", {tensor(0), number(1)});
  ASSERT_EQ(add.run({x.arg()}), 0) << add.message();
  EXPECT_EQ(x.data, Floats({2, 3, 4}));
  EXPECT_EQ(add.results[0].tensor.data, x.data.data());
}

TEST(Operators, SeveralResults) {
  auto x = floats({1, 5, 3, 4, 2, 6}, {2, 3});
  Call max("aten::max", "dim", {tensor(0), number(1)},
           {KFUSE_RETURN_ONE, KFUSE_RETURN_ONE});
  ASSERT_EQ(max.run({x.arg()}), 0) << max.message();
  EXPECT_EQ(max.asFloats(0), Floats({5, 6}));
  EXPECT_EQ(max.asLongs(1), Longs({1, 2}));

  Call unused("aten::max", "dim", {tensor(0), number(1)},
              {KFUSE_RETURN_ONE, KFUSE_RETURN_NONE});
  ASSERT_EQ(unused.run({x.arg()}), 0) << unused.message();
  EXPECT_EQ(unused.results[1].kind, KFUSE_RESULT_NONE);
  EXPECT_EQ(unused.results[1].handle, nullptr);
}

TEST(Operators, ListsAreFlattened) {
  auto x = floats({1, 2, 3, 4, 5}, {5});
  Call split("aten::split", "Tensor", {tensor(0), number(2)}, {3});
  ASSERT_EQ(split.run({x.arg()}), 0) << split.message();
  EXPECT_EQ(split.asFloats(2), Floats({5}));
  EXPECT_EQ(split.results[1].tensor.data, x.data.data() + 2);

  Call wrong("aten::split", "Tensor", {tensor(0), number(2)}, {2});
  EXPECT_EQ(wrong.run({x.arg()}), KFUSE_PROVIDER_BAD_ARG);
  EXPECT_NE(wrong.message().find("list of 2"), std::string::npos);
  EXPECT_EQ(wrong.results[0].handle, nullptr);
}

TEST(Operators, NumbersAsResults) {
  auto x = floats({2.5}, {});
  Call item("aten::_local_scalar_dense", "", {tensor(0)});
  ASSERT_EQ(item.run({x.arg()}), 0) << item.message();
  EXPECT_EQ(item.results[0].kind, KFUSE_RESULT_SCALAR);
  EXPECT_EQ(item.results[0].scalar.kind, KFUSE_SCALAR_FLOAT);
  EXPECT_EQ(item.results[0].scalar.value.f, 2.5);

  auto matrix = floats(Floats(6), {2, 3});
  Call size("aten::sym_size", "int", {tensor(0), number(1)});
  ASSERT_EQ(size.run({matrix.arg()}), 0) << size.message();
  EXPECT_EQ(size.results[0].scalar.value.i, 3);
}

TEST(Operators, OperatorsWithoutResults) {
  Call check("aten::_assert_scalar", "", {boolean(true), string("fine")}, {});
  EXPECT_EQ(check.run(), 0) << check.message();
  Call fails("aten::_assert_scalar", "", {boolean(false), string("too small")},
             {});
  EXPECT_EQ(fails.run(), KFUSE_PROVIDER_FAILED);
  EXPECT_NE(fails.message().find("too small"), std::string::npos);
}

TEST(Operators, FailuresNameTheOperatorAndItsShapes) {
  auto a = floats(Floats(6), {2, 3}), b = floats(Floats(8), {2, 4});
  Call mm("aten::mm", "", {tensor(0), tensor(1)});
  EXPECT_EQ(mm.run({a.arg(), b.arg()}), KFUSE_PROVIDER_FAILED);
  EXPECT_NE(mm.message().find("aten::mm(self: Float[2, 3], mat2: Float[2, 4])"),
            std::string::npos)
      << mm.message();
  EXPECT_EQ(mm.message().find('\n'), std::string::npos) << mm.message();
}

TEST(Operators, EmptyAndZeroDimensionalTensors) {
  auto empty = floats({}, {0, 4});
  KfuseTensorArg arg = empty.arg();
  arg.tensor.data = nullptr;
  Call sum("aten::sum", "dim_IntList", {tensor(0), list({number(0)})});
  ASSERT_EQ(sum.run({arg}), 0) << sum.message();
  EXPECT_EQ(sum.asFloats(), Floats({0, 0, 0, 0}));

  Call relu("aten::relu", "", {tensor(0)});
  ASSERT_EQ(relu.run({arg}), 0) << relu.message();
  EXPECT_EQ(relu.sizes(), Longs({0, 4}));
}

TEST(Operators, LazyConjugatesAreMaterialized) {
  HostTensor<float> x = floats({1, 2}, {});
  x.dtype = KFUSE_C64;
  Call conj("aten::_conj", "", {tensor(0)});
  ASSERT_EQ(conj.run({x.arg()}), 0) << conj.message();
  const auto *pair = static_cast<const float *>(conj.results[0].tensor.data);
  EXPECT_EQ(pair[1], -2.0f);
}

TEST(Operators, WrapEmptyAndCopy) {
  const KfuseProviderTable *table = kfuse_provider_get(KFUSE_PROVIDER_VERSION);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(kfuse_provider_get(KFUSE_PROVIDER_VERSION + 1), nullptr);
  KfuseProviderConfig config = {{KFUSE_CPU, 0}};
  KfuseProvider *provider = nullptr;
  KfuseProviderError error = {};
  ASSERT_EQ(table->create(&config, &provider, &error), 0) << error.message;

  auto x = floats({1, 2, 3, 4}, {2, 2});
  KfuseTensorArg from = x.arg();
  ASSERT_EQ(table->wrap(provider, &from, &from.handle, &error), 0);
  int64_t strides[] = {1, 2};
  KfuseTensor like = from.tensor;
  like.data = nullptr;
  like.strides = strides;
  KfuseResult result = {};
  ASSERT_EQ(table->empty(provider, &like, nullptr, &result, &error), 0);
  EXPECT_EQ(result.tensor.strides[1], 2);
  KfuseTensorArg to = {};
  to.tensor = result.tensor;
  ASSERT_EQ(table->copy(provider, &to, &from, nullptr, &error), 0);
  const auto *data = static_cast<const float *>(result.tensor.data);
  EXPECT_EQ(data[1], 3.0f);
  table->release(provider, result.handle);
  table->release(provider, from.handle);
  table->destroy(provider);
}

TEST(Operators, AbsentDevicesAreRefused) {
  const KfuseProviderTable *table = kfuse_provider_get(KFUSE_PROVIDER_VERSION);
  KfuseProviderConfig config = {{KFUSE_CUDA, 100}};
  KfuseProvider *provider = nullptr;
  KfuseProviderError error = {};
  EXPECT_EQ(table->create(&config, &provider, &error),
            KFUSE_PROVIDER_NO_DEVICE);
  EXPECT_EQ(provider, nullptr);
}
