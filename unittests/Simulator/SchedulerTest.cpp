//===- SchedulerTest.cpp - order of threads, limits, registers ------------===//
#include "SimulatorFixture.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace kfuse::sim::test;

namespace {
using Scheduler = SimulatorFixture;
} // namespace

// Each thread notes when its turn came.
static const std::string takeTickets =
    "  %v = llvm.atomicrmw add %p1, %c1 monotonic : !llvm.ptr<1>, i32\n" +
    std::string(storeByThread);

static std::vector<uint32_t> upTo(uint32_t count) {
  std::vector<uint32_t> list(count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

TEST_F(Scheduler, SeedZeroRunsInOrder) {
  buffers = {Buffer::output(64), Buffer({0})};
  run(takeTickets, {1, 64});
  EXPECT_EQ(buffers[0].words, upTo(64));
  EXPECT_EQ(kinds(), "");
}

TEST_F(Scheduler, OneSeedOneOrderOtherSeedsOthers) {
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed : {1, 1, 2, 3}) {
    buffers = {Buffer::output(64), Buffer({0})};
    run(takeTickets, {1, 64, 0, seed});
    std::vector<uint32_t> order = buffers[0].words;
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, upTo(64)) << "every thread has one turn";
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST_F(Scheduler, SeedsChangeTheOrderOfBlocks) {
  std::set<uint32_t> first;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    buffers = {Buffer::output(4), Buffer({0})};
    run("  %v = llvm.atomicrmw add %p1, %c1 monotonic : !llvm.ptr<1>, i32\n" +
            wordAddress("%at", "%p0", "%cta") +
            "  llvm.store %v, %at : i32, !llvm.ptr<1>\n",
        {4, 1, 0, seed});
    EXPECT_EQ(kinds(), "");
    first.insert(
        std::find(buffers[0].words.begin(), buffers[0].words.end(), 0) -
        buffers[0].words.begin());
  }
  EXPECT_GT(first.size(), 1u);
}

TEST_F(Scheduler, RegistersOfThreadsAndLanes) {
  struct Case {
    const char *name;
    uint32_t (*expected)(uint32_t thread);
  };
  const Case cases[] = {
      {"tid.x", [](uint32_t t) { return t; }},
      {"ntid.x", [](uint32_t) { return 48u; }},
      {"laneid", [](uint32_t t) { return t % 32; }},
      {"warpid", [](uint32_t t) { return t / 32; }},
      {"warpsize", [](uint32_t) { return 32u; }},
      {"lanemask.eq", [](uint32_t t) { return 1u << t % 32; }},
      {"lanemask.lt", [](uint32_t t) { return (1u << t % 32) - 1; }},
      {"lanemask.le",
       [](uint32_t t) { return (1u << t % 32) - 1 + (1u << t % 32); }},
      {"lanemask.gt", [](uint32_t t) { return ~0u << t % 32 << 1; }},
      {"lanemask.ge", [](uint32_t t) { return ~0u << t % 32; }},
      {"cluster.ctarank", [](uint32_t) { return 0u; }},
      {"nctaid.x", [](uint32_t) { return 1u; }}};
  for (const Case &one : cases) {
    buffers = {Buffer::output(48)};
    run(std::string("  %v = nvvm.read.ptx.sreg.") + one.name + " : i32\n" +
            storeByThread,
        {1, 48});
    for (uint32_t t = 0; t < 48; ++t)
      EXPECT_EQ(buffers[0].words[t], one.expected(t)) << one.name << " " << t;
  }
}

TEST_F(Scheduler, GivesUpAfterTooManySwitches) {
  // Waits for a word that nobody changes.
  buffers = {Buffer({0})};
  Shape shape = {1, 1};
  shape.maxSwitches = 1000;
  run("  llvm.br ^bb1\n"
      "^bb1:\n"
      "  %v = llvm.load volatile %p0 : !llvm.ptr<1> -> i32\n"
      "  %wait = llvm.icmp \"eq\" %v, %c0 : i32\n"
      "  llvm.cond_br %wait, ^bb1, ^bb2\n"
      "^bb2:\n",
      shape);
  ASSERT_EQ(of(KFUSE_SIM_DEADLOCK).size(), 1u);
  EXPECT_NE(found[0].message.find("more than allowed"), std::string::npos);
}

TEST_F(Scheduler, GivesUpOnALoopThatMeetsNobody) {
  buffers = {Buffer({0})};
  Shape shape = {1, 1};
  shape.maxSwitches = 1000;
  run("  llvm.br ^bb1\n"
      "^bb1:\n"
      "  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
      "  %wait = llvm.icmp \"eq\" %v, %c0 : i32\n"
      "  llvm.cond_br %wait, ^bb1, ^bb2\n"
      "^bb2:\n",
      shape);
  ASSERT_EQ(kinds(), "deadlock");
  EXPECT_NE(found[0].place.find("llvm.load"), std::string::npos);
}

TEST_F(Scheduler, TheClockGoesOn) {
  buffers = {Buffer::output(1)};
  run("  %begin = nvvm.read.ptx.sreg.clock : i32\n"
      "  llvm.br ^bb1\n"
      "^bb1:\n"
      "  %now = nvvm.read.ptx.sreg.clock : i32\n"
      "  %passed = llvm.sub %now, %begin : i32\n"
      "  %most = llvm.mlir.constant(100 : i32) : i32\n"
      "  %wait = llvm.icmp \"ult\" %passed, %most : i32\n"
      "  llvm.cond_br %wait, ^bb1, ^bb2\n"
      "^bb2:\n"
      "  llvm.store %c1, %p0 : i32, !llvm.ptr<1>\n",
      {1, 1});
  EXPECT_EQ(kinds(), "");
}

TEST_F(Scheduler, SpinningThreadsLetOthersRun) {
  for (uint64_t seed : {0, 1, 2}) {
    // Thread 0 waits until thread 1 has stored.
    buffers = {Buffer({0})};
    run("  %first = llvm.icmp \"eq\" %tid, %c0 : i32\n"
        "  llvm.cond_br %first, ^bb1, ^bb2\n"
        "^bb1:\n"
        "  %v = llvm.load %p0 atomic monotonic {alignment = 4 : i64} : "
        "!llvm.ptr<1> -> i32\n"
        "  %wait = llvm.icmp \"eq\" %v, %c0 : i32\n"
        "  llvm.cond_br %wait, ^bb1, ^bb3\n"
        "^bb2:\n"
        "  llvm.store %c1, %p0 atomic monotonic {alignment = 4 : i64} : i32, "
        "!llvm.ptr<1>\n"
        "  llvm.br ^bb3\n"
        "^bb3:\n",
        {1, 2, 0, seed});
    EXPECT_EQ(kinds(), "") << "seed " << seed;
  }
}

TEST_F(Scheduler, ATrapEndsTheLaunch) {
  buffers = {Buffer::output(1)};
  run("  %v = llvm.add %c1, %c2 : i32\n"
      "  %second = llvm.icmp \"eq\" %cta, %c1 : i32\n"
      "  llvm.cond_br %second, ^bb1, ^bb2\n"
      "^bb1:\n"
      "  \"llvm.intr.trap\"() : () -> ()\n"
      "  llvm.br ^bb2\n"
      "^bb2:\n",
      {2, 1});
  // What nobody could write any more is no finding.
  ASSERT_EQ(kinds(), "trap");
  EXPECT_EQ(found[0].thread.block[0], 1);
}

TEST_F(Scheduler, RefusesLaunchesThatNoDeviceTakes) {
  std::string text = "gpu.module @m {\nllvm.func @k() attributes {gpu.kernel, "
                     "nvvm.kernel, nvvm.maxntid = array<i32: 64>} {\n  "
                     "llvm.return\n}\n}\n";
  EXPECT_EQ(tryRun(text, {1, 64}), "");
  EXPECT_NE(tryRun(text, {1, 96}).find("at most 64 threads"),
            std::string::npos);
  EXPECT_NE(tryRun(text, {0, 32}).find("grid"), std::string::npos);
  EXPECT_NE(tryRun(text, {1, 32, 228 << 10}).find("227 KiB"),
            std::string::npos);
  EXPECT_NE(tryRun(text, {1u << 31, 32}).find("blocks along x"),
            std::string::npos);
  std::string large =
      "gpu.module @m {\nllvm.mlir.global internal @s() {addr_space = 3 : i32} "
      ": !llvm.array<12289 x i32>\nllvm.func @k() attributes {gpu.kernel, "
      "nvvm.kernel} {\n  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n  "
      "llvm.return\n}\n}\n";
  EXPECT_NE(tryRun(large, {1, 32}).find("48 KiB"), std::string::npos);
  buffers = {Buffer({0})};
  EXPECT_NE(tryRun(text, {1, 32}).find("expected 0 parameters"),
            std::string::npos);
}
