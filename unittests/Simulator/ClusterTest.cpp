//===- ClusterTest.cpp - clusters and their shared memory -----------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
class Cluster : public SimulatorFixture {
protected:
  /// Each thread writes to its block's shared memory, reads the same word of
  /// the next block's between `before` and `after`, and stores it.
  void exchange(const std::string &before, const std::string &after,
                uint64_t seed = 0);
};
} // namespace

static const std::string syncAll =
    "  nvvm.cluster.arrive\n  nvvm.cluster.wait\n";

void Cluster::exchange(const std::string &before, const std::string &after,
                       uint64_t seed) {
  buffers = {Buffer::output(128)};
  Shape shape = {4, 32, 0, seed};
  shape.cluster = 2;
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %width = llvm.mlir.constant(32 : i32) : i32\n"
      "  %base = llvm.mul %cta, %width : i32\n"
      "  %number = llvm.add %base, %tid : i32\n" +
          wordAddress("%mine", "%s", "%tid", 3) +
          "  llvm.store %number, %mine : i32, !llvm.ptr<3>\n" + before +
          "  %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32\n"
          "  %next = llvm.xor %rank, %c1 : i32\n"
          "  %its = nvvm.mapa %mine, %next : !llvm.ptr<3> -> !llvm.ptr<7>\n"
          "  %v = llvm.load %its : !llvm.ptr<7> -> i32\n" +
          after + wordAddress("%at", "%p0", "%number") +
          "  llvm.store %v, %at : i32, !llvm.ptr<1>\n",
      shape, sharedWords(32));
}

TEST_F(Cluster, ReadsAnotherBlocksSharedMemory) {
  for (uint64_t seed : {0, 1, 2}) {
    exchange(syncAll, syncAll, seed);
    EXPECT_EQ(kinds(), "");
    for (uint32_t i = 0; i < 128; ++i)
      EXPECT_EQ(buffers[0].words[i], i ^ 32);
  }
}

TEST_F(Cluster, ReadsBeforeItIsWritten) {
  exchange("", syncAll);
  EXPECT_FALSE(of(KFUSE_SIM_RACE).empty());
}

TEST_F(Cluster, RelaxedArrivalsReleaseNothing) {
  exchange("  nvvm.cluster.arrive.relaxed\n  nvvm.cluster.wait\n", syncAll);
  EXPECT_EQ(kinds(), "race");
}

TEST_F(Cluster, BlockMayHaveExited) {
  exchange(syncAll, "");
  ASSERT_FALSE(of(KFUSE_SIM_RACE).empty());
  EXPECT_NE(of(KFUSE_SIM_RACE)[0].message.find("may have exited by then"),
            std::string::npos);
}

TEST_F(Cluster, BarrierIsUsedInPairs) {
  exchange("  nvvm.cluster.arrive\n" + syncAll, syncAll);
  ASSERT_FALSE(of(KFUSE_SIM_BARRIER).empty());
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "arrives at the cluster's barrier twice, with no wait in between");
  exchange(syncAll, syncAll + "  nvvm.cluster.wait\n");
  ASSERT_FALSE(of(KFUSE_SIM_BARRIER).empty());
  EXPECT_EQ(of(KFUSE_SIM_BARRIER)[0].message,
            "waits at the cluster's barrier without an arrival");
}

TEST_F(Cluster, BarrierIsMissedByABlock) {
  exchange("  %which = nvvm.read.ptx.sreg.cluster.ctarank : i32\n"
           "  %isFirst = llvm.icmp \"eq\" %which, %c0 : i32\n"
           "  llvm.cond_br %isFirst, ^syncAll, ^on\n"
           "^syncAll:\n" +
               syncAll +
               "  llvm.br ^on\n"
               "^on:\n",
           "  nvvm.cluster.arrive\n  nvvm.cluster.wait\n"
           "  nvvm.cluster.arrive\n  nvvm.cluster.wait\n");
  EXPECT_FALSE(found.empty());
}
