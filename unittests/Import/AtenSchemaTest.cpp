//===- AtenSchemaTest.cpp - the table of operator schemas -----------------===//
/// \file
/// Lookup, types, defaults and alias annotations.

#include "kfuse/Import/AtenSchema.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::kfuse;

TEST(AtenSchemaTest, EveryLineParses) {
  ASSERT_GT(getAtenSchemaCount(), 3500u);
  for (unsigned i = 0; i < getAtenSchemaCount(); ++i) {
    std::string_view name = getAtenSchemaName(i);
    EXPECT_TRUE(lookupAtenSchema(name)) << name;
    if (i > 0)
      EXPECT_LT(getAtenSchemaName(i - 1), name);
  }
}

TEST(AtenSchemaTest, FindsOverloads) {
  auto add = lookupAtenSchema("aten::add.Tensor");
  ASSERT_TRUE(add);
  ASSERT_EQ(add->arguments.size(), 3u);
  EXPECT_EQ(add->findArgument("alpha"), 2);
  EXPECT_EQ(add->findArgument("beta"), -1);
  EXPECT_TRUE(add->arguments[2].isKeywordOnly);
  EXPECT_EQ(add->arguments[2].type.kind, AtenType::Kind::Scalar);
  ASSERT_TRUE(add->arguments[2].defaultValue);
  EXPECT_EQ(add->arguments[2].defaultValue->intValue, 1);
  EXPECT_FALSE(add->mutates());
  EXPECT_TRUE(lookupAtenSchema("aten::relu"));
  EXPECT_TRUE(lookupAtenSchema("aten::relu.default"));
  EXPECT_FALSE(lookupAtenSchema("aten::no_such_operator"));
  EXPECT_FALSE(lookupAtenSchema(""));
}

TEST(AtenSchemaTest, KnowsWritesAndViews) {
  auto inPlace = lookupAtenSchema("aten::add_.Tensor");
  ASSERT_TRUE(inPlace);
  EXPECT_TRUE(inPlace->mutates());
  EXPECT_TRUE(inPlace->arguments[0].isWritten);
  EXPECT_FALSE(inPlace->isView());
  EXPECT_EQ(inPlace->returns[0].aliasSet, "a");
  auto view = lookupAtenSchema("aten::view");
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->isView());
  EXPECT_FALSE(view->mutates());
  auto split = lookupAtenSchema("aten::split.Tensor");
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->isView());
  EXPECT_EQ(split->arguments[0].aliasSet, "a");
  EXPECT_TRUE(split->returns[0].type.isList);
}

TEST(AtenSchemaTest, ReadsTypesAndDefaults) {
  auto pool = lookupAtenSchema("aten::max_pool2d");
  ASSERT_TRUE(pool);
  const AtenArgument &padding = pool->arguments[pool->findArgument("padding")];
  EXPECT_EQ(padding.type.listSize, 2u);
  EXPECT_EQ(padding.defaultValue->ints, (std::vector<int64_t>{0, 0}));
  const AtenArgument &stride = pool->arguments[pool->findArgument("stride")];
  EXPECT_EQ(stride.defaultValue->kind, AtenDefault::Kind::Ints);
  EXPECT_TRUE(stride.defaultValue->ints.empty());

  auto index = lookupAtenSchema("aten::index.Tensor");
  ASSERT_TRUE(index);
  EXPECT_TRUE(index->arguments[1].type.isList);
  EXPECT_TRUE(index->arguments[1].type.isElementOptional);
  EXPECT_FALSE(index->arguments[1].type.isOptional);

  auto sum = lookupAtenSchema("aten::sum.dim_IntList");
  ASSERT_TRUE(sum);
  EXPECT_TRUE(sum->arguments[1].type.isOptional);
  EXPECT_FALSE(sum->arguments[1].defaultValue);
  EXPECT_EQ(sum->arguments[2].defaultValue->kind, AtenDefault::Kind::Bool);
  EXPECT_EQ(sum->arguments[3].defaultValue->kind, AtenDefault::Kind::None);

  auto gelu = lookupAtenSchema("aten::gelu");
  ASSERT_TRUE(gelu);
  EXPECT_EQ(gelu->arguments[1].defaultValue->text, "none");
  auto rrelu = lookupAtenSchema("aten::rrelu");
  ASSERT_TRUE(rrelu);
  EXPECT_EQ(rrelu->arguments[2].defaultValue->floatValue, 1.0 / 3);
  auto topk = lookupAtenSchema("aten::topk");
  ASSERT_TRUE(topk);
  EXPECT_EQ(topk->returns.size(), 2u);
  EXPECT_EQ(topk->returns[1].name, "indices");
  auto flash = lookupAtenSchema("aten::batch_norm");
  ASSERT_TRUE(flash);
  EXPECT_EQ(flash->arguments.size(), 9u);
}
