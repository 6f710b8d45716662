//===- BarrierTest.cpp - barriers of a block ------------------------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
using Barrier = SimulatorFixture;
} // namespace

static const std::string mine = wordAddress("%mine", "%s", "%tid", 3);
// Each thread stores its number; then, after `between`, reads that of the
// thread 32 away.
static std::string exchange(const std::string &between) {
  return "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n" + mine +
         "  llvm.store %tid, %mine : i32, !llvm.ptr<3>\n" + between +
         "  %far = llvm.mlir.constant(32 : i32) : i32\n"
         "  %partner = llvm.xor %tid, %far : i32\n" +
         wordAddress("%its", "%s", "%partner", 3) +
         "  %v = llvm.load %its : !llvm.ptr<3> -> i32\n" + storeByThread;
}

TEST_F(Barrier, OrdersSharedMemory) {
  for (uint64_t seed : {0, 1, 2}) {
    buffers = {Buffer::output(64)};
    run(exchange("  nvvm.barrier\n"), {1, 64, 0, seed}, sharedWords(64));
    EXPECT_EQ(kinds(), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(buffers[0].words[t], t ^ 32);
  }
}

TEST_F(Barrier, IsMissed) {
  buffers = {Buffer::output(64)};
  run(exchange(""), {1, 64}, sharedWords(64));
  EXPECT_FALSE(of(KFUSE_SIM_RACE).empty());
  // In order, the first warp reads before the second writes.
  EXPECT_FALSE(of(KFUSE_SIM_UNINITIALIZED).empty());
}

TEST_F(Barrier, OfAWarpDoesNotOrderOthers) {
  buffers = {Buffer::output(64)};
  run(exchange("  nvvm.bar.warp.sync %all : i32\n"), {1, 64}, sharedWords(64));
  EXPECT_FALSE(of(KFUSE_SIM_RACE).empty());
}

TEST_F(Barrier, NamedOnesAreApart) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
  buffers = {Buffer::output(128)};
  const std::string two =
      "  %sixtyfour = llvm.mlir.constant(64 : i32) : i32\n"
      "  %pair = llvm.udiv %tid, %sixtyfour : i32\n"
      "  %id = llvm.add %pair, %c1 : i32\n"
      "  nvvm.barrier id = %id number_of_threads = %sixtyfour\n";
  run(exchange(two), {1, 128, 0, 1}, sharedWords(128));
  EXPECT_EQ(kinds(), "");
}

TEST_F(Barrier, ArrivalsReleaseWithoutWaiting) {
  // Warp 0 writes and arrives, warp 1 waits and reads.
  const std::string body =
      "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %n = llvm.mlir.constant(64 : i32) : i32\n"
      "  %width = llvm.mlir.constant(32 : i32) : i32\n"
      "  %isWriter = llvm.icmp \"ult\" %tid, %width : i32\n"
      "  %lane = llvm.urem %tid, %width : i32\n" +
      wordAddress("%mine", "%s", "%lane", 3) +
      "  llvm.cond_br %isWriter, ^bb1, ^bb2\n"
      "^bb1:\n"
      "  llvm.store %lane, %mine : i32, !llvm.ptr<3>\n"
      "  ARRIVE\n"
      "  llvm.br ^bb3\n"
      "^bb2:\n"
      "  nvvm.barrier id = %c3 number_of_threads = %n\n"
      "  %v = llvm.load %mine : !llvm.ptr<3> -> i32\n" +
      wordAddress("%at", "%p0", "%lane") +
      "  llvm.store %v, %at : i32, !llvm.ptr<1>\n"
      "  llvm.br ^bb3\n"
      "^bb3:\n";
  auto with = [&](const std::string &arrive) {
    std::string text = body;
    return text.replace(text.find("ARRIVE"), 6, arrive);
  };
  for (uint64_t seed : {0, 1, 2}) {
    buffers = {Buffer::output(32)};
    run(with("nvvm.barrier.arrive id = %c3 number_of_threads = %n"),
        {1, 64, 0, seed}, sharedWords(32));
    EXPECT_EQ(kinds(), "");
    EXPECT_EQ(buffers[0].words[7], 7u);
  }
  run(with("nvvm.barrier.arrive id = %c4 number_of_threads = %n"), {1, 64},
      sharedWords(32));
  EXPECT_EQ(kinds(), "deadlock");
  EXPECT_NE(found[0].message.find("32 of 64"), std::string::npos)
      << found[0].message;
}

TEST_F(Barrier, ReductionsOfPredicates) {
  // Threads with an odd number of 48.
  struct Case {
    const char *name;
    const char *predicate;
    uint32_t expected;
  };
  for (const Case &one : {Case{"popc", "%odd", 24},
                          {"and", "%odd", 0},
                          {"or", "%odd", 1},
                          {"popc", "%c0", 0},
                          {"and", "%c1", 1},
                          {"or", "%c0", 0}}) {
    buffers = {Buffer::output(48)};
    run(std::string("  %odd = llvm.and %tid, %c1 : i32\n"
                    "  %v = nvvm.barrier #nvvm.reduction<") +
            one.name + "> " + one.predicate + " -> i32\n" + storeByThread,
        {1, 48, 0, 1});
    EXPECT_EQ(kinds(), "");
    EXPECT_EQ(buffers[0].words, std::vector<uint32_t>(48, one.expected))
        << one.name << " " << one.predicate;
  }
}

TEST_F(Barrier, ThreadsThatExitedAreNotWaitedFor) {
  // Only odd threads of 64 stay; all of them have the predicate.
  for (uint64_t seed : {0, 1, 2, 3}) {
    buffers = {Buffer::output(64, KFUSE_ACCESS_READ_WRITE)};
    run("  %odd = llvm.and %tid, %c1 : i32\n"
        "  %stays = llvm.icmp \"eq\" %odd, %c1 : i32\n"
        "  llvm.cond_br %stays, ^bb1, ^bb2\n"
        "^bb1:\n"
        "  %v = nvvm.barrier #nvvm.reduction<and> %c1 -> i32\n" +
            std::string(storeByThread) + "  llvm.br ^bb2\n^bb2:\n",
        {1, 64, 0, seed});
    EXPECT_EQ(kinds(), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(buffers[0].words[t], t % 2) << "seed " << seed;
  }
}

TEST_F(Barrier, SiblingsOfOneWarpAtOtherPlacesDiverge) {
  buffers = {};
  run("  %odd = llvm.and %tid, %c1 : i32\n"
      "  %isOdd = llvm.icmp \"eq\" %odd, %c1 : i32\n"
      "  llvm.cond_br %isOdd, ^bb1, ^bb2\n"
      "^bb1:\n  nvvm.barrier\n  llvm.br ^bb3\n"
      "^bb2:\n  nvvm.barrier\n  llvm.br ^bb3\n^bb3:\n",
      {1, 32});
  ASSERT_EQ(kinds(), "divergence");
  EXPECT_NE(found[0].other, "");
}

TEST_F(Barrier, CountsMustAgreeAndBeWarps) {
  buffers = {};
  run("  %n = llvm.mlir.constant(40 : i32) : i32\n"
      "  nvvm.barrier id = %c1 number_of_threads = %n\n",
      {1, 64});
  EXPECT_NE(kinds().find("barrier"), std::string::npos);
  run("  %sixteen = llvm.mlir.constant(16 : i32) : i32\n"
      "  %n = llvm.mlir.constant(32 : i32) : i32\n"
      "  nvvm.barrier id = %sixteen number_of_threads = %n\n",
      {1, 32});
  ASSERT_EQ(kinds(), "barrier");
  EXPECT_NE(found[0].message.find("below 16, found 16"), std::string::npos);
}

TEST_F(Barrier, DeadlocksNameThePlaceAndTheThreads) {
  buffers = {};
  run("  %width = llvm.mlir.constant(32 : i32) : i32\n"
      "  %n = llvm.mlir.constant(64 : i32) : i32\n"
      "  %isFirst = llvm.icmp \"ult\" %tid, %width : i32\n"
      "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
      "^bb1:\n  nvvm.barrier id = %c1 number_of_threads = %n\n"
      "  llvm.br ^bb2\n^bb2:\n",
      {1, 64});
  ASSERT_EQ(kinds(), "deadlock");
  EXPECT_NE(found[0].message.find("32 of 64 threads wait for ever"),
            std::string::npos)
      << found[0].message;
  EXPECT_NE(found[0].place.find("nvvm.barrier"), std::string::npos);
}

TEST_F(Barrier, HalvesOfAWarpAtTwoBarriersDiverge) {
  // Of each of two warps the halves go to barriers of their own.
  buffers = {};
  run("  %n = llvm.mlir.constant(32 : i32) : i32\n"
      "  %half = llvm.mlir.constant(16 : i32) : i32\n"
      "  %bit = llvm.and %tid, %half : i32\n"
      "  %isLow = llvm.icmp \"eq\" %bit, %c0 : i32\n"
      "  llvm.cond_br %isLow, ^bb1, ^bb2\n"
      "^bb1:\n  nvvm.barrier id = %c1 number_of_threads = %n\n"
      "  llvm.br ^bb3\n"
      "^bb2:\n  nvvm.barrier id = %c2 number_of_threads = %n\n"
      "  llvm.br ^bb3\n^bb3:\n",
      {1, 64});
  EXPECT_EQ(kinds(), "divergence");
}

TEST_F(Barrier, WarpsThatAreNotFullCountAsWhole) {
  buffers = {};
  for (uint64_t seed : {0, 1}) {
    run("  %n = llvm.mlir.constant(64 : i32) : i32\n"
        "  nvvm.barrier id = %c1 number_of_threads = %n\n"
        "  nvvm.barrier id = %c1 number_of_threads = %n\n",
        {1, 48, 0, seed});
    EXPECT_EQ(kinds(), "");
  }
}
