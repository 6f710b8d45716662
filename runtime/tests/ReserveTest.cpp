//===- ReserveTest.cpp - memory from the caller, and beforehand -----------===//
#include "Bounds.h"
#include "Fixture.h"

#include <cstdlib>
#include <map>

using namespace kfuse;
using namespace kfuse::test;

namespace {
/// Counts what it gives and takes back.
struct Allocator {
  KfuseAllocator table() {
    KfuseAllocator result = {};
    result.user = this;
    result.allocate = [](void *user, int64_t bytes, KfuseDevice, void *stream) {
      auto &self = *static_cast<Allocator *>(user);
      if (self.isExhausted)
        return static_cast<void *>(nullptr);
      ++self.calls;
      self.lastStream = stream;
      auto *block = static_cast<char *>(
          aligned_alloc(256, (bytes + self.shift + 255) / 256 * 256));
      self.live[block + self.shift] = bytes;
      return static_cast<void *>(block + self.shift);
    };
    result.release = [](void *user, void *pointer, int64_t bytes, KfuseDevice,
                        void *stream) {
      auto &self = *static_cast<Allocator *>(user);
      self.lastStream = stream;
      EXPECT_EQ(self.live.at(static_cast<char *>(pointer)), bytes);
      self.live.erase(static_cast<char *>(pointer));
      free(static_cast<char *>(pointer) - self.shift);
    };
    return result;
  }
  std::map<char *, int64_t> live;
  void *lastStream = nullptr;
  int calls = 0;
  int shift = 0;
  bool isExhausted = false;
};

/// x + b goes through the arena.
PackageBuilder withArena() {
  PackageBuilder builder;
  builder.plan["tensors"][2]["storage"] = {{"arena", 0}};
  Json launch = builder.plan["steps"][0], again = launch;
  launch["outputs"] = {2};
  again["inputs"] = {2, 1};
  again["id"] = "l_again";
  launch["generic"] = Json::array({builder.plan["steps"][0]["generic"][0]});
  again["generic"] = Json::array({builder.plan["steps"][0]["generic"][1]});
  builder.plan["steps"] = {launch, again};
  builder.plan["arena_bytes"] = {
      "mul", {"ceildiv", Json::array({"mul", "s0", 16}), 256}, 256};
  return builder;
}

class Reserve : public ::testing::TestWithParam<bool> {
protected:
  KfuseStatus run(Opened &opened, int64_t rows, void *stream = nullptr) {
    Matrix x(rows, opened.device());
    KfuseArg in = x.arg(), out = {};
    return kfuse_run(opened.context, &in, 1, &out, 1, stream);
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Places, Reserve, ::testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "device" : "cpu";
                         });

static KfuseModelOptions planOptions() {
  KfuseModelOptions options = {};
  options.program = KFUSE_PROGRAM_PLAN;
  return options;
}

TEST_P(Reserve, MemoryComesFromTheCaller) {
  Allocator allocator;
  KfuseAllocator table = allocator.table();
  int first = 0, second = 0;
  {
    Opened opened(withArena(), GetParam(), planOptions());
    ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
    int before = getFakeDeviceCounts().allocations;
    ASSERT_EQ(kfuse_context_set_allocator(opened.context, &table), KFUSE_OK);
    ASSERT_EQ(run(opened, 3, &first), KFUSE_OK) << kfuse_last_error();
    EXPECT_EQ(allocator.live.size(), 2u) << "the arena and the output";
    EXPECT_EQ(allocator.lastStream, &first);
    ASSERT_EQ(run(opened, 60, &first), KFUSE_OK);
    EXPECT_EQ(allocator.live.size(), 2u);
    EXPECT_EQ(getFakeDeviceCounts().allocations, before);
    EXPECT_EQ(kfuse_context_set_allocator(opened.context, nullptr),
              KFUSE_INVALID_ARGUMENT);
    ASSERT_EQ(run(opened, 60, &second), KFUSE_OK);
  }
  EXPECT_EQ(allocator.live.size(), 0u);
  EXPECT_EQ(allocator.lastStream, &second) << "where it was used last";
}

TEST_P(Reserve, ComplainsAboutTheCallersMemory) {
  Allocator allocator;
  KfuseAllocator table = allocator.table();
  Opened opened(withArena(), GetParam(), planOptions());
  ASSERT_EQ(kfuse_context_set_allocator(opened.context, &table), KFUSE_OK);
  allocator.isExhausted = true;
  EXPECT_EQ(run(opened, 3), KFUSE_OUT_OF_MEMORY);
  allocator.isExhausted = false;
  allocator.shift = 8;
  EXPECT_EQ(run(opened, 3), KFUSE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(kfuse_last_error()).find("a multiple of 256"),
            std::string::npos);
  EXPECT_EQ(allocator.live.size(), 0u);
  allocator.shift = 0;
  EXPECT_EQ(run(opened, 3), KFUSE_OK) << kfuse_last_error();
  table.release = nullptr;
  EXPECT_EQ(kfuse_context_set_allocator(opened.context, &table),
            KFUSE_INVALID_ARGUMENT);
}

TEST_P(Reserve, NothingGrowsAfterwards) {
  Allocator allocator;
  KfuseAllocator table = allocator.table();
  Opened opened(withArena(), GetParam(), planOptions());
  ASSERT_EQ(kfuse_context_set_allocator(opened.context, &table), KFUSE_OK);
  ASSERT_EQ(kfuse_context_reserve(opened.context, nullptr, 1, nullptr),
            KFUSE_OK)
      << kfuse_last_error();
  EXPECT_EQ(allocator.calls, 2);
  for (auto &[block, bytes] : allocator.live)
    EXPECT_EQ(bytes, 64 * 16) << "s0 is at most 64, a row has 16 bytes";
  for (int64_t rows : {1, 64, 17}) {
    ASSERT_EQ(run(opened, rows), KFUSE_OK) << kfuse_last_error();
    EXPECT_EQ(countersOf(opened).bytesAllocated, 0);
  }
  EXPECT_EQ(allocator.calls, 2);
}

TEST_P(Reserve, WithinLimits) {
  Allocator allocator;
  KfuseAllocator table = allocator.table();
  PackageBuilder builder = withArena();
  builder.manifest["symbols"][0].erase("max");
  Opened opened(builder, GetParam(), planOptions());
  ASSERT_EQ(kfuse_context_set_allocator(opened.context, &table), KFUSE_OK);
  EXPECT_EQ(kfuse_context_reserve(opened.context, nullptr, 0, nullptr),
            KFUSE_INVALID_ARGUMENT);
  int64_t limit = -1;
  EXPECT_EQ(kfuse_context_reserve(opened.context, &limit, 0, nullptr),
            KFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(allocator.calls, 0);
  limit = 10;
  ASSERT_EQ(kfuse_context_reserve(opened.context, &limit, 0, nullptr),
            KFUSE_OK);
  ASSERT_EQ(allocator.live.size(), 1u) << "no outputs";
  EXPECT_EQ(allocator.live.begin()->second, 256);
  // Beyond the limits memory grows as ever.
  EXPECT_EQ(run(opened, 100), KFUSE_OK) << kfuse_last_error();
}

TEST(Bounds, CoverWhatExpressionsCanBe) {
  ExpressionTable table;
  ExprId a = table.symbol(0), b = table.symbol(1), two = table.constant(2);
  auto apply = [&](ExprOp op, ExprId lhs, ExprId rhs) {
    return *table.apply(op, lhs, rhs);
  };
  std::vector<ExprId> wanted = {
      apply(ExprOp::Add, a, b),
      apply(ExprOp::Mul, a, b),
      apply(ExprOp::Add, a, apply(ExprOp::Mul, b, table.constant(-1))),
      apply(ExprOp::FloorDiv, b, two),
      apply(ExprOp::CeilDiv, b, two),
      apply(ExprOp::FloorDiv, b, a),
      apply(ExprOp::Mod, b, a),
      apply(ExprOp::Min, a, b),
      apply(ExprOp::Max, a, b)};
  std::vector<Interval> bounds = boundExpressions(table, {{1, 5}, {-3, 7}});
  std::vector<std::pair<int64_t, int64_t>> expected = {
      {-2, 12}, {-15, 35}, {-6, 8}, {-2, 3}, {-1, 4},
      {-3, 7},  {0, 4},    {-3, 5}, {1, 7}};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(bounds[wanted[i]].min, expected[i].first) << i;
    EXPECT_EQ(bounds[wanted[i]].max, expected[i].second) << i;
  }
  bounds = boundExpressions(table, {{1, INT64_MAX}, {0, INT64_MAX}});
  EXPECT_EQ(bounds[wanted[0]].max, INT64_MAX);
  EXPECT_EQ(bounds[wanted[1]].max, INT64_MAX);
  EXPECT_EQ(bounds[wanted[2]].max, INT64_MAX);
  EXPECT_EQ(bounds[wanted[2]].min, INT64_MIN);
  EXPECT_EQ(bounds[wanted[3]].max, INT64_MAX);
}

TEST(Trace, RangesOfARunAndItsSteps) {
  Opened opened(PackageBuilder(), true);
  std::string seen;
  KfuseTracer tracer = {};
  tracer.user = &seen;
  tracer.begin = [](void *user, const char *name) {
    *static_cast<std::string *>(user) += std::string("(") + name;
  };
  tracer.end = [](void *user) { *static_cast<std::string *>(user) += ")"; };
  ASSERT_EQ(kfuse_context_trace(opened.context, &tracer), KFUSE_OK);
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(seen, "(test(l_add_mul))");
  seen.clear();
  ASSERT_EQ(kfuse_model_kill(opened.model, "l_add_mul", 1), KFUSE_OK);
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(seen, "(test(l_add_mul(aten::add.Tensor)(aten::mul.Scalar)))");
  seen.clear();
  ASSERT_EQ(kfuse_context_trace(opened.context, nullptr), KFUSE_OK);
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(seen, "");
  tracer.end = nullptr;
  EXPECT_EQ(kfuse_context_trace(opened.context, &tracer),
            KFUSE_INVALID_ARGUMENT);
}
