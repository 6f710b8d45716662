//===- MbarrierTest.cpp - barrier objects in shared memory ----------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
class Mbarrier : public SimulatorFixture {
protected:
  /// Thread 0 initializes @b for `count` arrivals, all of the block meet, then
  /// `body` runs.
  void use(int count, const std::string &body, Shape shape = {});
};
} // namespace

static const std::string globals =
    sharedWords(64) + "llvm.mlir.global internal @b() {addr_space = 3 : i32, "
                      "alignment = 8 : i64} : !llvm.array<2 x i64>\n";

void Mbarrier::use(int count, const std::string &body, Shape shape) {
  buffers = {Buffer::output(shape.block)};
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %b = llvm.mlir.addressof @b : !llvm.ptr<3>\n"
      "  %ticks = llvm.mlir.constant(1000 : i32) : i32\n"
      "  %count = llvm.mlir.constant(" +
          std::to_string(count) +
          " : i32) : i32\n"
          "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
          "  llvm.cond_br %isFirst, ^init, ^ready\n"
          "^init:\n"
          "  nvvm.mbarrier.init %b, %count : !llvm.ptr<3>, i32\n"
          "  llvm.br ^ready\n"
          "^ready:\n"
          "  nvvm.barrier\n" +
          body,
      shape, globals);
}

static const std::string mine = wordAddress("%mine", "%s", "%tid", 3);
static const std::string writeMine =
    mine + "  llvm.store %tid, %mine : i32, !llvm.ptr<3>\n";
static const std::string waitForIt = "  nvvm.mbarrier.try_wait.parity %b, %c0, "
                                     "%ticks : !llvm.ptr<3>, i32, i32\n";
static const std::string readFar =
    "  %far = llvm.mlir.constant(32 : i32) : i32\n"
    "  %partner = llvm.xor %tid, %far : i32\n" +
    wordAddress("%its", "%s", "%partner", 3) +
    "  %v = llvm.load %its : !llvm.ptr<3> -> i32\n" + storeByThread;
static const std::string arrive =
    "  %state = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64\n";
static const std::string storeOne =
    "  %v = llvm.mlir.constant(1 : i32) : i32\n" + std::string(storeByThread);

TEST_F(Mbarrier, OrdersWhatArrivalsRelease) {
  for (uint64_t seed : {0, 1, 2}) {
    use(64, writeMine + arrive + waitForIt + readFar, {1, 64, 0, seed});
    EXPECT_EQ(kinds(), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(buffers[0].words[t], t ^ 32);
  }
}

TEST_F(Mbarrier, RelaxedArrivalsReleaseNothing) {
  use(64,
      writeMine +
          "  nvvm.mbarrier.arrive %b {relaxed = true} : !llvm.ptr<3>\n" +
          waitForIt + readFar,
      {1, 64});
  EXPECT_EQ(kinds(), "race");
}

TEST_F(Mbarrier, TestsAStateUntilItIsOver) {
  use(64,
      writeMine + arrive +
          "  llvm.br ^test\n"
          "^test:\n"
          "  %over = nvvm.mbarrier.test.wait %b, %state : !llvm.ptr<3>, i64 -> "
          "i1\n"
          "  llvm.cond_br %over, ^done, ^test\n"
          "^done:\n" +
          readFar,
      {1, 64, 0, 3});
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[5], 37u);
}

TEST_F(Mbarrier, TriesAParity) {
  use(64,
      writeMine + arrive +
          "  llvm.br ^test\n"
          "^test:\n"
          "  %over = nvvm.mbarrier.try_wait %b, %c0 : !llvm.ptr<3>, i32 -> i1\n"
          "  llvm.cond_br %over, ^done, ^test\n"
          "^done:\n" +
          readFar,
      {1, 64});
  EXPECT_EQ(kinds(), "");
}

TEST_F(Mbarrier, SpinsForEver) {
  use(65,
      arrive +
          "  llvm.br ^test\n"
          "^test:\n"
          "  %over = nvvm.mbarrier.test.wait %b, %state : !llvm.ptr<3>, "
          "i64 -> i1\n"
          "  llvm.cond_br %over, ^done, ^test\n"
          "^done:\n" +
          storeOne,
      {1, 64});
  ASSERT_EQ(of(KFUSE_SIM_DEADLOCK).size(), 1u);
  EXPECT_EQ(of(KFUSE_SIM_DEADLOCK)[0].message,
            "64 of 64 threads wait for ever for an mbarrier: its phase 0 lacks "
            "1 of 65 arrivals and 0 bytes");
}

TEST_F(Mbarrier, HasTooManyArrivals) {
  use(31, arrive + storeOne);
  // The phase ends with the 31st; one more is fine, a whole phase more is not.
  EXPECT_EQ(kinds(), "");
  use(2, "  %three = nvvm.mbarrier.arrive %b, %c3 : !llvm.ptr<3> -> i64\n" +
             storeOne);
  ASSERT_FALSE(of(KFUSE_SIM_BARRIER).empty());
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "arrives 3 times where its phase 0 lacks 2 of 2 arrivals and 0 "
            "bytes");
}

TEST_F(Mbarrier, DropsArrivals) {
  // Phase 0 takes two arrivals, later ones one.
  use(2, "  llvm.cond_br %isFirst, ^drop, ^done\n"
         "^drop:\n"
         "  %d = nvvm.mbarrier.arrive_drop %b : !llvm.ptr<3> -> i64\n"
         "  %e = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64\n"
         "  %f = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64\n"
         "  nvvm.mbarrier.try_wait.parity %b, %c1, %ticks : !llvm.ptr<3>, i32, "
         "i32\n"
         "  llvm.br ^done\n"
         "^done:\n" +
             storeOne);
  EXPECT_EQ(kinds(), "");
}

TEST_F(Mbarrier, CountsBytes) {
  use(1, "  llvm.cond_br %isFirst, ^expect, ^done\n"
         "^expect:\n"
         "  nvvm.mbarrier.arrive.expect_tx %b, %c4 : !llvm.ptr<3>, i32\n"
         "  nvvm.mbarrier.complete_tx %b, %c4 : !llvm.ptr<3>, i32\n"
         "  llvm.br ^done\n"
         "^done:\n" +
             waitForIt + storeOne);
  EXPECT_EQ(kinds(), "");
}

TEST_F(Mbarrier, LapsAThread) {
  // Thread 1 waits for phase 0; thread 0 ends it and the next at once.
  use(1, "  %isSecond = llvm.icmp \"eq\" %tid, %c1 : i32\n"
         "  llvm.cond_br %isSecond, ^waitForIt, ^other\n"
         "^waitForIt:\n" +
             waitForIt +
             "  llvm.br ^done\n"
             "^other:\n"
             "  %lag = llvm.icmp \"eq\" %tid, %c2 : i32\n"
             "  llvm.cond_br %lag, ^end, ^done\n"
             "^end:\n"
             "  %d = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64\n"
             "  %e = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64\n"
             "  llvm.br ^done\n"
             "^done:\n" +
             storeOne);
  ASSERT_EQ(of(KFUSE_SIM_BARRIER).size(), 1u);
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "a thread that waits for phase 0 finds phase 2: the mbarrier has "
            "lapped it");
}

TEST_F(Mbarrier, IsWrittenOver) {
  use(32, "  llvm.store %tid, %b : i32, !llvm.ptr<3>\n"
          "  nvvm.barrier\n" +
              arrive + storeOne);
  ASSERT_FALSE(of(KFUSE_SIM_BARRIER).empty());
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "something has written over the mbarrier");
}

TEST_F(Mbarrier, IsGoneAfterInval) {
  use(32, "  llvm.cond_br %isFirst, ^inval, ^done\n"
          "^inval:\n"
          "  nvvm.mbarrier.inval %b : !llvm.ptr<3>\n"
          "  llvm.br ^done\n"
          "^done:\n"
          "  nvvm.barrier\n" +
              arrive + storeOne);
  ASSERT_FALSE(of(KFUSE_SIM_BARRIER).empty());
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "there is no initialized mbarrier");
}

TEST_F(Mbarrier, IsInitializedTwice) {
  use(32, "  llvm.cond_br %isFirst, ^again, ^done\n"
          "^again:\n"
          "  nvvm.mbarrier.init %b, %count : !llvm.ptr<3>, i32\n"
          "  llvm.br ^done\n"
          "^done:\n" +
              storeOne);
  EXPECT_EQ(kinds(), "barrier");
}
