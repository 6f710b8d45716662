//===- OrderTest.cpp - what fences and atomics order ----------------------===//
///
/// \file
/// Blocks that pass data on through a flag or a ticket, with and without what
/// orders them (PTX ISA 8, memory consistency model).
///
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
/// What stands at four places around a flag.
struct Flag {
  std::string beforeStore, store, load, afterLoad;
};

class Order : public SimulatorFixture {
protected:
  /// Block 0 writes data and sets a flag; block 1 waits for it and reads.
  void pass(const Flag &flag, uint64_t seed) {
    buffers = {Buffer::output(1, KFUSE_ACCESS_READ_WRITE), Buffer({0}),
               Buffer::output(1)};
    run("  %isWriter = llvm.icmp \"eq\" %cta, %c0 : i32\n"
        "  llvm.cond_br %isWriter, ^bb1, ^bb2\n"
        "^bb1:\n"
        "  llvm.store %c3, %p0 : i32, !llvm.ptr<1>\n" +
            flag.beforeStore + flag.store + "  llvm.br ^bb4\n^bb2:\n" +
            flag.load +
            "  %isThere = llvm.icmp \"eq\" %f, %c1 : i32\n"
            "  llvm.cond_br %isThere, ^bb3, ^bb2\n^bb3:\n" +
            flag.afterLoad +
            "  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
            "  llvm.store %v, %p2 : i32, !llvm.ptr<1>\n"
            "  llvm.br ^bb4\n^bb4:\n",
        {2, 1, 0, seed});
  }
};
} // namespace

// Blocks run one after another, the writer first with seed 0.
static const std::string fence = "  llvm.fence syncscope(\"device\") acq_rel\n";
static const std::string storeRelaxed =
    "  llvm.store %c1, %p1 atomic syncscope(\"device\") monotonic {alignment = "
    "4 : i64} : i32, !llvm.ptr<1>\n";
static const std::string storeRelease =
    "  llvm.store %c1, %p1 atomic syncscope(\"device\") release {alignment = 4 "
    ": i64} : i32, !llvm.ptr<1>\n";
static const std::string loadRelaxed =
    "  %f = llvm.load %p1 atomic syncscope(\"device\") monotonic {alignment = "
    "4 "
    ": i64} : !llvm.ptr<1> -> i32\n";
static const std::string loadAcquire =
    "  %f = llvm.load %p1 atomic syncscope(\"device\") acquire {alignment = 4 "
    ": i64} : !llvm.ptr<1> -> i32\n";

TEST_F(Order, ReleaseAndAcquire) {
  pass({"", storeRelease, loadAcquire, ""}, 0);
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[2].words[0], 3u);
}

TEST_F(Order, FencesAroundRelaxedAtomics) {
  pass({fence, storeRelaxed, loadRelaxed, fence}, 0);
  EXPECT_EQ(kinds(), "");
  pass({fence, storeRelaxed, loadAcquire, ""}, 0);
  EXPECT_EQ(kinds(), "");
  pass({"", storeRelease, loadRelaxed, fence}, 0);
  EXPECT_EQ(kinds(), "");
}

TEST_F(Order, AFenceOnOneSideIsNotEnough) {
  for (const Flag &flag : {Flag{"", storeRelaxed, loadRelaxed, fence},
                           {fence, storeRelaxed, loadRelaxed, ""},
                           {"", storeRelaxed, loadAcquire, ""},
                           {"", storeRelease, loadRelaxed, ""},
                           {"", storeRelaxed, loadRelaxed, ""}}) {
    pass(flag, 0);
    EXPECT_EQ(kinds(), "race");
  }
}

TEST_F(Order, AFenceOnTheWrongSideOfTheFlagIsNotEnough) {
  pass({"", storeRelaxed + fence, loadAcquire, ""}, 0);
  EXPECT_EQ(kinds(), "race");
  pass({"", storeRelease, fence + loadRelaxed, ""}, 0);
  EXPECT_EQ(kinds(), "race");
}

TEST_F(Order, AFlagThatIsNotAtomicRaces) {
  pass({fence, "  llvm.store %c1, %p1 : i32, !llvm.ptr<1>\n",
        "  %f = llvm.load volatile %p1 : !llvm.ptr<1> -> i32\n", fence},
       0);
  EXPECT_EQ(kinds(), "race");
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

/// Each of four blocks writes its word; the last to take a ticket sums them.
static std::string sumByTicket(const std::string &before,
                               const std::string &after,
                               const std::string &order = "monotonic") {
  std::string body =
      wordAddress("%mine", "%p0", "%cta") +
      "  %one = llvm.add %cta, %c1 : i32\n"
      "  llvm.store %one, %mine : i32, !llvm.ptr<1>\n" +
      before + "  %old = llvm.atomicrmw add %p1, %c1 syncscope(\"device\") " +
      order + " : !llvm.ptr<1>, i32\n" + after +
      "  %isLast = llvm.icmp \"eq\" %old, %c3 : i32\n"
      "  llvm.cond_br %isLast, ^bb1, ^bb2\n^bb1:\n";
  std::string sum = "%c0";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    body += wordAddress("%a" + n, "%p0", "%c" + n) + "  %l" + n +
            " = llvm.load volatile %a" + n + " : !llvm.ptr<1> -> i32\n  %s" +
            n + " = llvm.add " + sum + ", %l" + n + " : i32\n";
    sum = "%s" + n;
  }
  return body + "  llvm.store " + sum +
         ", %p2 : i32, !llvm.ptr<1>\n  llvm.br ^bb2\n^bb2:\n";
}

TEST_F(Order, TicketsPassOnWhatEveryBlockWrote) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    auto reset = [&] {
      buffers = {Buffer::output(4, KFUSE_ACCESS_SCRATCH), Buffer({0}),
                 Buffer::output(1)};
    };
    reset();
    run(sumByTicket(fence, fence), {4, 1, 0, seed});
    EXPECT_EQ(kinds(), "") << seed;
    EXPECT_EQ(buffers[2].words[0], 10u);
    reset();
    run(sumByTicket("", "", "acq_rel"), {4, 1, 0, seed});
    EXPECT_EQ(kinds(), "") << seed;
    for (auto [before, after] : {std::pair<std::string, std::string>{"", fence},
                                 {fence, ""},
                                 {"", ""}}) {
      reset();
      run(sumByTicket(before, after), {4, 1, 0, seed});
      EXPECT_EQ(kinds(), "race") << seed;
    }
  }
}

/// Block 0 releases 1 through the flag; block 1 does `change` to the flag;
/// block 2 acquires it and reads what block 0 wrote.
static std::string relay(const std::string &change) {
  return "  %isFirst = llvm.icmp \"eq\" %cta, %c0 : i32\n"
         "  %isSecond = llvm.icmp \"eq\" %cta, %c1 : i32\n"
         "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
         "^bb1:\n"
         "  llvm.store %c3, %p0 : i32, !llvm.ptr<1>\n" +
         storeRelease +
         "  llvm.br ^bb5\n"
         "^bb2:\n"
         "  llvm.cond_br %isSecond, ^bb3, ^bb4\n"
         "^bb3:\n" +
         change +
         "  llvm.br ^bb5\n"
         "^bb4:\n" +
         loadAcquire +
         "  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
         "  llvm.store %v, %p2 : i32, !llvm.ptr<1>\n"
         "  llvm.br ^bb5\n"
         "^bb5:\n";
}

TEST_F(Order, AStoreToTheFlagEndsWhatItReleased) {
  buffers = {Buffer::output(1, KFUSE_ACCESS_READ_WRITE), Buffer({0}),
             Buffer::output(1, KFUSE_ACCESS_READ_WRITE)};
  // 2, which releases nothing.
  run(relay("  llvm.store %c2, %p1 atomic syncscope(\"device\") monotonic "
            "{alignment = 4 : i64} : i32, !llvm.ptr<1>\n"),
      {3, 1});
  EXPECT_EQ(kinds(), "race");
}

TEST_F(Order, AnAtomicUpdateGoesOnWithWhatWasReleased) {
  buffers = {Buffer::output(1, KFUSE_ACCESS_READ_WRITE), Buffer({0}),
             Buffer::output(1, KFUSE_ACCESS_READ_WRITE)};
  // The flag's value is still that of the release.
  run(relay("  %old = llvm.atomicrmw add %p1, %c1 monotonic : !llvm.ptr<1>, "
            "i32\n"),
      {3, 1});
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[2].words[0], 3u);
}

TEST_F(Order, BlocksAreNotOrderedByRunningOneAfterAnother) {
  buffers = {Buffer::output(1, KFUSE_ACCESS_READ_WRITE)};
  run("  llvm.store %cta, %p0 : i32, !llvm.ptr<1>\n", {2, 1});
  ASSERT_EQ(kinds(), "race");
  EXPECT_NE(found[0].thread.block[0], found[0].otherThread.block[0]);
}

TEST_F(Order, ABarrierPassesOnWhatOneThreadAcquired) {
  // Thread 0 of each block takes the ticket, its block reads after a barrier.
  for (const std::string &after : {fence, std::string()}) {
    buffers = {Buffer::output(2, KFUSE_ACCESS_SCRATCH), Buffer({0}),
               Buffer::output(64, KFUSE_ACCESS_READ_WRITE)};
    run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n" +
            wordAddress("%mine", "%p0", "%cta") +
            "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
            "  llvm.cond_br %isFirst, ^bb1, ^bb2\n^bb1:\n"
            "  llvm.store %c4, %mine : i32, !llvm.ptr<1>\n" +
            fence +
            "  %old = llvm.atomicrmw add %p1, %c1 syncscope(\"device\") "
            "monotonic : !llvm.ptr<1>, i32\n" +
            after +
            "  llvm.store %old, %s : i32, !llvm.ptr<3>\n"
            "  llvm.br ^bb2\n^bb2:\n"
            "  nvvm.barrier\n"
            "  %ticket = llvm.load %s : !llvm.ptr<3> -> i32\n"
            "  %isLast = llvm.icmp \"eq\" %ticket, %c1 : i32\n"
            "  llvm.cond_br %isLast, ^bb3, ^bb4\n^bb3:\n" +
            wordAddress("%second", "%p0", "%c1") +
            "  %a = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
            "  %b = llvm.load %second : !llvm.ptr<1> -> i32\n"
            "  %v = llvm.add %a, %b : i32\n" +
            wordAddress("%at", "%p2", "%tid") +
            "  llvm.store %v, %at : i32, !llvm.ptr<1>\n"
            "  llvm.br ^bb4\n^bb4:\n",
        {2, 64, 0, 1}, sharedWords(1));
    EXPECT_EQ(kinds(), after.empty() ? "race" : "");
    EXPECT_EQ(buffers[2].words[63], 8u);
  }
}

/// `text` with another scope in place of the device's.
static std::string within(const std::string &scope, std::string text) {
  size_t at = text.find("\"device\"");
  return text.replace(at, 8, "\"" + scope + "\"");
}

TEST_F(Order, ScopesOfABlockReachNoOther) {
  for (const Flag &flag :
       {Flag{within("block", fence), storeRelaxed, loadRelaxed, fence},
        {fence, storeRelaxed, loadRelaxed, within("block", fence)},
        {fence, within("block", storeRelaxed), loadRelaxed, fence},
        {fence, storeRelaxed, within("block", loadRelaxed), fence},
        {"", within("block", storeRelease), loadAcquire, ""},
        {"", storeRelease, within("cluster", loadAcquire), ""},
        {within("singlethread", fence), storeRelaxed, loadRelaxed, fence}}) {
    pass(flag, 0);
    EXPECT_NE(kinds().find("race"), std::string::npos)
        << flag.beforeStore << flag.store << flag.load << flag.afterLoad;
  }
}

TEST_F(Order, ScopesOfABlockOrderItsThreads) {
  // Thread 0 writes and adds 1 to a flag; thread 1 waits for it and reads.
  for (const char *scope : {"block", "cluster", "device"})
    for (uint64_t seed : {0, 1, 2}) {
      buffers = {Buffer::output(1, KFUSE_ACCESS_READ_WRITE), Buffer({0}),
                 Buffer::output(1)};
      run("  %isWriter = llvm.icmp \"eq\" %tid, %c0 : i32\n"
          "  llvm.cond_br %isWriter, ^bb1, ^bb2\n"
          "^bb1:\n"
          "  llvm.store %c3, %p0 : i32, !llvm.ptr<1>\n" +
              within("block", fence) + within(scope, storeRelaxed) +
              "  llvm.br ^bb4\n^bb2:\n" + within(scope, loadRelaxed) +
              "  %isThere = llvm.icmp \"eq\" %f, %c1 : i32\n"
              "  llvm.cond_br %isThere, ^bb3, ^bb2\n^bb3:\n" +
              within("block", fence) +
              "  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
              "  llvm.store %v, %p2 : i32, !llvm.ptr<1>\n"
              "  llvm.br ^bb4\n^bb4:\n",
          {1, 2, 0, seed});
      EXPECT_EQ(kinds(), "") << scope << ", seed " << seed;
    }
}

TEST_F(Order, AtomicsInSharedMemoryOrderNoBlocks) {
  // The same address in both blocks, and other memory.
  buffers = {Buffer::output(1)};
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  llvm.store %c0, %s : i32, !llvm.ptr<3>\n"
      "  %a = llvm.atomicrmw add %s, %c1 acq_rel : !llvm.ptr<3>, i32\n"
      "  llvm.store %cta, %p0 : i32, !llvm.ptr<1>\n"
      "  %b = llvm.atomicrmw add %s, %c1 acq_rel : !llvm.ptr<3>, i32\n",
      {2, 1}, sharedWords(1));
  EXPECT_EQ(kinds(), "race");
}
