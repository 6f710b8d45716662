//===- CopyTest.cpp - cp.async and its groups -----------------------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
class Copy : public SimulatorFixture {
protected:
  /// Each lane copies 16 bytes to its place, and after `wait` stores the first
  /// word of what the lane beside it has copied.
  void copy(const std::string &wait, const std::string &bytes = "",
            KfuseSimTiming timing = KFUSE_SIM_LATE);
};
} // namespace

static std::vector<uint32_t> numbers(size_t count) {
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i)
    words[i] = static_cast<uint32_t>(i + 1);
  return words;
}

static const std::string commit = "  nvvm.cp.async.commit.group\n";
static const std::string syncAll = "  nvvm.bar.warp.sync %all : i32\n";

void Copy::copy(const std::string &wait, const std::string &bytes,
                KfuseSimTiming timing) {
  buffers = {Buffer::output(32), Buffer(numbers(128), KFUSE_ACCESS_READ)};
  Shape shape;
  shape.timing = timing;
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %first = llvm.shl %tid, %c2 : i32\n" +
          wordAddress("%to", "%s", "%first", 3) +
          wordAddress("%from", "%p1", "%first") +
          "  %half = llvm.mlir.constant(8 : i32) : i32\n"
          "  nvvm.cp.async.shared.global %to, %from, 16, cache = cg" +
          bytes + " : !llvm.ptr<3>, !llvm.ptr<1>" +
          (bytes.empty() ? "" : ", i32") + "\n" + wait +
          "  %beside = llvm.xor %first, %c4 : i32\n"
          "  %word = llvm.or %beside, %c3 : i32\n" +
          wordAddress("%read", "%s", "%word", 3) +
          "  %v = llvm.load %read : !llvm.ptr<3> -> i32\n" + storeByThread,
      shape, sharedWords(128));
}

TEST_F(Copy, IsThereAfterWaitAndBarrier) {
  for (KfuseSimTiming timing :
       {KFUSE_SIM_LATE, KFUSE_SIM_EARLY, KFUSE_SIM_RANDOM}) {
    copy(commit + "  nvvm.cp.async.wait.group 0\n" + syncAll, "", timing);
    EXPECT_EQ(kinds(), "");
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(buffers[0].words[lane], (lane ^ 1) * 4 + 4);
  }
}

TEST_F(Copy, FillsWithZeros) {
  copy(commit + "  nvvm.cp.async.wait.group 0\n" + syncAll, ", %half");
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[3], 0u);
}

TEST_F(Copy, IsNotThereBeforeTheWait) {
  for (KfuseSimTiming timing : {KFUSE_SIM_LATE, KFUSE_SIM_EARLY}) {
    copy(commit + "  nvvm.cp.async.wait.group 1\n" + syncAll, "", timing);
    EXPECT_EQ(kinds(), "race, async");
    EXPECT_EQ(buffers[0].words[0], timing == KFUSE_SIM_LATE ? ~0u : 8u);
  }
}

TEST_F(Copy, OfAnotherLaneNeedsABarrier) {
  copy(commit + "  nvvm.cp.async.wait.group 0\n");
  EXPECT_FALSE(of(KFUSE_SIM_RACE).empty());
}

TEST_F(Copy, IsNeverCommitted) {
  copy("  nvvm.cp.async.wait.group 0\n" + syncAll);
  ASSERT_FALSE(of(KFUSE_SIM_ASYNC).empty());
  EXPECT_EQ(of(KFUSE_SIM_ASYNC)[0].message,
            "the thread exits with copies that it has not committed");
}

TEST_F(Copy, ArrivesAtAnMbarrier) {
  buffers = {Buffer::output(32), Buffer(numbers(128), KFUSE_ACCESS_READ)};
  const std::string globals =
      sharedWords(128) + "llvm.mlir.global internal @b() {addr_space = 3 : "
                         "i32, alignment = 8 : i64} : i64\n";
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %b = llvm.mlir.addressof @b : !llvm.ptr<3>\n"
      "  %threads = llvm.mlir.constant(32 : i32) : i32\n"
      "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
      "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
      "^bb1:\n"
      "  nvvm.mbarrier.init %b, %threads : !llvm.ptr<3>, i32\n"
      "  llvm.br ^bb2\n"
      "^bb2:\n" +
          syncAll + "  %first = llvm.shl %tid, %c2 : i32\n" +
          wordAddress("%to", "%s", "%first", 3) +
          wordAddress("%from", "%p1", "%first") +
          "  nvvm.cp.async.shared.global %to, %from, 16, cache = ca : "
          "!llvm.ptr<3>, !llvm.ptr<1>\n"
          "  nvvm.cp.async.mbarrier.arrive %b {noinc = true} : !llvm.ptr<3>\n"
          "  nvvm.mbarrier.try_wait.parity %b, %c0, %threads : !llvm.ptr<3>, "
          "i32, i32\n"
          "  %beside = llvm.xor %first, %c4 : i32\n" +
          wordAddress("%read", "%s", "%beside", 3) +
          "  %v = llvm.load %read : !llvm.ptr<3> -> i32\n" + storeByThread +
          "  nvvm.cp.async.commit.group\n"
          "  nvvm.cp.async.wait.group 0\n",
      {}, globals);
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[0], 5u);
}
