//===- MemoryTest.cpp - bounds, poison and unwritten memory ---------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
using Memory = SimulatorFixture;
} // namespace

static const std::string copyWord =
    wordAddress("%from", "%p1", "%tid") +
    "  %v = llvm.load %from : !llvm.ptr<1> -> i32\n" + storeByThread;

TEST_F(Memory, WithinBoundsNothingIsFound) {
  buffers = {Buffer::output(32), Buffer(std::vector<uint32_t>(32, 7))};
  run(copyWord);
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words, std::vector<uint32_t>(32, 7));
}

TEST_F(Memory, ReadsBeyondATensorFindPoison) {
  buffers = {Buffer::output(32),
             Buffer(std::vector<uint32_t>(32, 7), KFUSE_ACCESS_READ)};
  buffers[1].sizes = {30};
  run(copyWord);
  ASSERT_EQ(kinds(), "out-of-bounds");
  EXPECT_EQ(found[0].argument, 1);
  EXPECT_EQ(found[0].address, 120u);
  EXPECT_EQ(found[0].count, 2);
  EXPECT_EQ(buffers[0].words[29], 7u);
  EXPECT_EQ(buffers[0].words[30], ~0u);
}

TEST_F(Memory, WritesBeyondATensorGoNowhere) {
  buffers = {Buffer(std::vector<uint32_t>(32, 5)),
             Buffer(std::vector<uint32_t>(32, 7))};
  buffers[0].sizes = {16};
  run(copyWord);
  ASSERT_EQ(kinds(), "out-of-bounds");
  EXPECT_EQ(found[0].count, 16);
  EXPECT_EQ(buffers[0].words[15], 7u);
  EXPECT_EQ(buffers[0].words[16], 5u);
}

TEST_F(Memory, NextTensorIsOutOfBoundsToo) {
  // Parameter 0's address, one element before parameter 1's tensor.
  std::vector<uint32_t> both(64, 3);
  buffers = {Buffer(both)};
  buffers[0].sizes = {32};
  run("  %far = llvm.mlir.constant(-1 : i32) : i32\n" +
          wordAddress("%at", "%p0", "%far") +
          "  llvm.store %c1, %at : i32, !llvm.ptr<1>\n",
      {1, 1});
  ASSERT_EQ(kinds(), "out-of-bounds");
  EXPECT_EQ(static_cast<int64_t>(found[0].address), -4);
}

TEST_F(Memory, WritesToInputsAreFound) {
  buffers = {Buffer(std::vector<uint32_t>(32, 5), KFUSE_ACCESS_READ),
             Buffer(std::vector<uint32_t>(32, 7))};
  run(copyWord);
  ASSERT_EQ(kinds(), "out-of-bounds");
  EXPECT_NE(found[0].message.find("only reads"), std::string::npos);
  EXPECT_EQ(buffers[0].words[0], 5u);
}

TEST_F(Memory, GapsOfStridedTensorsAreOutOfBounds) {
  // Rows of 3 of 4: thread 3 reads the first gap.
  buffers = {Buffer::output(8, KFUSE_ACCESS_READ_WRITE),
             Buffer(std::vector<uint32_t>(8, 7), KFUSE_ACCESS_READ)
                 .as(KFUSE_I32, {2, 3}, {4, 1})};
  run(copyWord, {1, 7});
  ASSERT_EQ(kinds(), "out-of-bounds");
  EXPECT_EQ(found[0].thread.thread[0], 3);
  EXPECT_EQ(found[0].count, 1);
  EXPECT_NE(found[0].message.find("between the elements"), std::string::npos);
}

TEST_F(Memory, GapsOfStridedOutputsAreNotAskedFor) {
  buffers = {Buffer::output(8).as(KFUSE_I32, {2, 3}, {4, 1})};
  run("  %isGap = llvm.icmp \"eq\" %tid, %c3 : i32\n"
      "  llvm.cond_br %isGap, ^bb2, ^bb1\n^bb1:\n"
      "  %v = llvm.add %tid, %c0 : i32\n" +
          std::string(storeByThread) + "  llvm.br ^bb2\n^bb2:\n",
      {1, 7});
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[3], 0u) << "the gap is not poisoned";
}

TEST_F(Memory, BroadcastTensorsHaveOneElement) {
  buffers = {Buffer::output(4),
             Buffer({7, 8}, KFUSE_ACCESS_READ).as(KFUSE_I32, {4}, {0})};
  run(wordAddress("%second", "%p1", "%c1") +
          "  %w = llvm.load %p1 : !llvm.ptr<1> -> i32\n"
          "  %x = llvm.load %second : !llvm.ptr<1> -> i32\n"
          "  %v = llvm.add %w, %c0 : i32\n" +
          storeByThread,
      {1, 4});
  EXPECT_EQ(kinds(), "out-of-bounds");
  EXPECT_EQ(buffers[0].words[3], 7u);
}

TEST_F(Memory, EmptyTensorsMayNotBeTouched) {
  buffers = {Buffer({1}).as(KFUSE_I32, {0, 4}, {4, 1})};
  run("  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n", {1, 1});
  // What is loaded and not used is loaded nevertheless.
  EXPECT_EQ(kinds(), "out-of-bounds");
}

TEST_F(Memory, UnwrittenOutputsAreCountedInBytes) {
  buffers = {Buffer::output(34), Buffer(std::vector<uint32_t>(32, 7))};
  run(copyWord);
  ASSERT_EQ(kinds(), "unwritten-output");
  EXPECT_EQ(found[0].argument, 0);
  EXPECT_EQ(found[0].address, 128u);
  EXPECT_EQ(found[0].count, 8);
  EXPECT_EQ(buffers[0].words[33], ~0u) << "poison";
}

TEST_F(Memory, OneByteOfAWordIsEnoughToBeUnwritten) {
  buffers = {Buffer::output(1)};
  run("  %v = llvm.mlir.constant(5 : i16) : i16\n"
      "  llvm.store %v, %p0 : i16, !llvm.ptr<1>\n",
      {1, 1});
  ASSERT_EQ(kinds(), "unwritten-output");
  EXPECT_EQ(found[0].count, 2);
}

TEST_F(Memory, ReadsOfScratchThatNobodyWrote) {
  buffers = {Buffer::output(32), Buffer::output(32, KFUSE_ACCESS_SCRATCH)};
  run(copyWord);
  ASSERT_EQ(kinds(), "uninitialized-read");
  EXPECT_EQ(found[0].argument, 1);
  EXPECT_EQ(buffers[0].words[0], ~0u);
}

TEST_F(Memory, TwoThreadsInOneWordDoNotRace) {
  // Byte stores of four threads to a word, then the same with 16 bits.
  for (auto [type, block, expected] :
       {std::tuple<const char *, uint32_t, const char *>{"i8", 4, ""},
        {"i16", 4, "race"}}) {
    buffers = {Buffer::output(2, KFUSE_ACCESS_READ_WRITE)};
    run("  %at = llvm.getelementptr %p0[%tid] : (!llvm.ptr<1>, i32) -> "
        "!llvm.ptr<1>, i8\n"
        "  %v = llvm.trunc %tid : i32 to " +
            std::string(type) +
            "\n  llvm.store %v, %at {alignment = 1 : i64}"
            " : " +
            type + ", !llvm.ptr<1>\n",
        {1, block});
    EXPECT_EQ(kinds(), expected);
  }
}

TEST_F(Memory, TwoReadersDoNotRaceAWriterDoes) {
  buffers = {Buffer::output(64, KFUSE_ACCESS_READ_WRITE), Buffer({7})};
  run("  %v = llvm.load %p1 : !llvm.ptr<1> -> i32\n" +
          std::string(storeByThread),
      {2, 32});
  // Both blocks write the same words.
  EXPECT_EQ(kinds(), "race");
  EXPECT_EQ(found[0].argument, 0);
  EXPECT_EQ(found[0].count, 32);
}

TEST_F(Memory, FastRunsLookForBoundsOnly) {
  buffers = {Buffer::output(64), Buffer({7})};
  Shape shape = {2, 32};
  shape.isFast = true;
  run("  %v = llvm.load %p1 : !llvm.ptr<1> -> i32\n" +
          std::string(storeByThread),
      shape);
  EXPECT_EQ(kinds(), "");
  run(wordAddress("%far", "%p1", "%c1") +
          "  %v = llvm.load %far : !llvm.ptr<1> -> i32\n" + storeByThread,
      shape);
  EXPECT_EQ(kinds(), "out-of-bounds");
}

//===----------------------------------------------------------------------===//
// Alignment and granules
//===----------------------------------------------------------------------===//

TEST_F(Memory, PromisedAlignmentIsChecked) {
  for (auto [alignment, expected] :
       {std::pair<const char *, const char *>{"8", ""}, {"16", "misaligned"}}) {
    buffers = {Buffer::output(8), Buffer(std::vector<uint32_t>(8, 7))};
    size_t address = reinterpret_cast<size_t>(buffers[1].words.data());
    ASSERT_EQ(address % 16, 0u);
    run("  %i = llvm.mul %tid, %c2 : i32\n" +
            wordAddress("%from", "%p1", "%i") +
            wordAddress("%to", "%p0", "%i") +
            "  %v = llvm.load %from {alignment = " + alignment +
            " : i64} : !llvm.ptr<1> -> vector<2xi32>\n"
            "  llvm.store %v, %to {alignment = 8 : i64} : vector<2xi32>, "
            "!llvm.ptr<1>\n",
        {1, 4});
    EXPECT_EQ(kinds(), expected);
  }
}

// One granule of 16 bytes at word `n0` of a buffer.
static const std::string loadGranule =
    "  %i = llvm.trunc %n0 : i64 to i32\n" + wordAddress("%from", "%p1", "%i") +
    "  %v = llvm.load %from {alignment = 16 : i64, kfuse.granule} : "
    "!llvm.ptr<1> -> vector<4xi32>\n"
    "  llvm.store %v, %p0 {alignment = 4 : i64} : vector<4xi32>, "
    "!llvm.ptr<1>\n";

TEST_F(Memory, GranulesMayReachBeyondATensor) {
  // Words 3 to 8 of 12 are the tensor: it begins in the middle of a granule.
  alignas(16) static const uint32_t unused = 0;
  (void)unused;
  for (auto [word, expected] : {std::pair<int64_t, const char *>{-3, ""},
                                {1, ""},
                                {5, ""},
                                {9, "out-of-bounds"},
                                {-7, "out-of-bounds"}}) {
    std::vector<uint32_t> words(20);
    for (uint32_t i = 0; i < 20; ++i)
      words[i] = i;
    buffers = {Buffer::output(4),
               Buffer(words, KFUSE_ACCESS_READ).as(KFUSE_I32, {6}, {1})};
    ASSERT_EQ(reinterpret_cast<size_t>(buffers[1].words.data()) % 16, 0u);
    buffers[1].skip = 7 * 4;
    Shape shape = {1, 1};
    shape.numbers = {word};
    run(loadGranule, shape);
    EXPECT_EQ(kinds(), expected) << word;
    if (*expected == 0) {
      EXPECT_EQ(buffers[0].words[0], static_cast<uint32_t>(7 + word));
    }
  }
}

TEST_F(Memory, GranulesThatHoldOnlyGapsAreOutOfBounds) {
  // Two rows of 4 words, 8 apart.
  for (auto [word, expected] : {std::pair<int64_t, const char *>{0, ""},
                                {4, "out-of-bounds"},
                                {8, ""}}) {
    buffers = {Buffer::output(4),
               Buffer(std::vector<uint32_t>(16, 1), KFUSE_ACCESS_READ)
                   .as(KFUSE_I32, {2, 4}, {8, 1})};
    Shape shape = {1, 1};
    shape.numbers = {word};
    run(loadGranule, shape);
    EXPECT_EQ(kinds(), expected) << word;
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static std::string touchShared(const std::string &type) {
  return "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
         "  %i = llvm.trunc %n0 : i64 to i32\n" +
         wordAddress("%at", "%s", "%i", 3) +
         "  %v = llvm.mlir.constant(dense<0> : vector<4xi32>) : "
         "vector<4xi32>\n"
         "  %w = llvm.extractelement %v[%c0 : i32] : vector<4xi32>\n"
         "  llvm.store " +
         (type == "i32" ? "%w" : "%v") +
         ", %at {alignment = 4 : i64} : " + type + ", !llvm.ptr<3>\n";
}

TEST_F(Memory, SharedVariablesHaveBoundsOfTheirOwn) {
  const std::string two =
      sharedWords(4) +
      "llvm.mlir.global internal @t() {addr_space = 3 : i32} : !llvm.array<8 "
      "x i32>\n";
  const std::string useBoth = "  %t = llvm.mlir.addressof @t : !llvm.ptr<3>\n"
                              "  llvm.store %c0, %t : i32, !llvm.ptr<3>\n";
  for (auto [word, type, expected] :
       {std::tuple<int64_t, const char *, const char *>{0, "i32", ""},
        {3, "i32", ""},
        {4, "i32", "out-of-bounds"}, // that of the next variable
        {0, "vector<4xi32>", ""},
        {1, "vector<4xi32>", "out-of-bounds"},
        {-1, "i32", "out-of-bounds"}}) {
    buffers = {};
    Shape shape = {1, 1};
    shape.numbers = {word};
    run(touchShared(type) + useBoth, shape, two);
    EXPECT_EQ(kinds(), expected) << word << " " << type;
  }
}

TEST_F(Memory, DynamicSharedMemoryIsAsLargeAsTheLaunchSays) {
  const std::string dynamic =
      "llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 16 : "
      "i64} : !llvm.array<0 x i32>\n";
  for (auto [word, expected] :
       {std::pair<int64_t, const char *>{15, ""}, {16, "out-of-bounds"}}) {
    buffers = {};
    Shape shape = {1, 1, 64};
    shape.numbers = {word};
    run(touchShared("i32"), shape, dynamic);
    EXPECT_EQ(kinds(), expected) << word;
  }
}

TEST_F(Memory, SharedMemoryIsNewForEachBlock) {
  // Only block 0 writes; block 1 reads what nobody of its own wrote.
  buffers = {Buffer::output(2)};
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %isFirst = llvm.icmp \"eq\" %cta, %c0 : i32\n"
      "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
      "^bb1:\n  llvm.store %c4, %s : i32, !llvm.ptr<3>\n  llvm.br ^bb2\n"
      "^bb2:\n  %v = llvm.load %s : !llvm.ptr<3> -> i32\n" +
          wordAddress("%at", "%p0", "%cta") +
          "  llvm.store %v, %at : i32, !llvm.ptr<1>\n",
      {2, 1}, sharedWords(1));
  ASSERT_EQ(kinds(), "uninitialized-read");
  EXPECT_EQ(found[0].thread.block[0], 1);
  EXPECT_EQ(buffers[0].words, (std::vector<uint32_t>{4, ~0u}));
}

//===----------------------------------------------------------------------===//
// Atomic loads and stores
//===----------------------------------------------------------------------===//

TEST_F(Memory, AtomicStoresReadNothing) {
  buffers = {Buffer::output(1)};
  run("  llvm.store %c1, %p0 atomic release {alignment = 4 : i64} : i32, "
      "!llvm.ptr<1>\n",
      {1, 1});
  EXPECT_EQ(kinds(), "");
}

TEST_F(Memory, AtomicLoadsWriteNothing) {
  const std::string load =
      "  %v = llvm.load %p1 atomic acquire {alignment = 4 : i64} : "
      "!llvm.ptr<1> -> i32\n" +
      std::string(storeByThread);
  // From a tensor that is only read, beside others that read it.
  buffers = {Buffer::output(2, KFUSE_ACCESS_READ_WRITE),
             Buffer({7}, KFUSE_ACCESS_READ)};
  run(load, {1, 2});
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[1], 7u);
  // It does not race with a plain read.
  buffers = {Buffer::output(2, KFUSE_ACCESS_READ_WRITE), Buffer({7})};
  run(load + "  %w = llvm.load %p1 : !llvm.ptr<1> -> i32\n", {1, 2});
  EXPECT_EQ(kinds(), "");
  // What it loads has to be written like any other.
  buffers = {Buffer::output(2, KFUSE_ACCESS_READ_WRITE),
             Buffer::output(1, KFUSE_ACCESS_SCRATCH)};
  run(load, {1, 1});
  EXPECT_EQ(kinds(), "uninitialized-read");
}

TEST_F(Memory, ThreeElementsOfAVectorAreThree) {
  buffers = {Buffer({1, 2, 3}, KFUSE_ACCESS_READ), Buffer::output(3)};
  run("  %v = llvm.load %p0 {alignment = 4 : i64} : !llvm.ptr<1> -> "
      "vector<3xi32>\n"
      "  llvm.store %v, %p1 {alignment = 4 : i64} : vector<3xi32>, "
      "!llvm.ptr<1>\n",
      {1, 1});
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[1].words, (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(Memory, ParametersOfFunctionsAreNotThoseOfTheKernel) {
  buffers = {Buffer({7}, KFUSE_ACCESS_READ), Buffer::output(1)};
  run("  %v = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
      "  llvm.call @set(%p1, %v) : (!llvm.ptr<1>, i32) -> ()\n",
      {1, 1},
      "llvm.func internal @set(%to: !llvm.ptr<1>, %v: i32) {\n"
      "  llvm.store %v, %to : i32, !llvm.ptr<1>\n  llvm.return\n}\n");
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[1].words[0], 7u);
}

TEST_F(Memory, AsManyElementsAsPlacesMayStillHaveGaps) {
  // 9 elements, 3 of them different, at bytes 0, 16 and 32 of 36.
  buffers = {Buffer(std::vector<uint32_t>(9, 1), KFUSE_ACCESS_READ)
                 .as(KFUSE_I32, {3, 3}, {0, 4}),
             Buffer::output(1)};
  run("  %at = llvm.getelementptr %p0[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, "
      "i32\n"
      "  %v = llvm.load %at : !llvm.ptr<1> -> i32\n"
      "  llvm.store %v, %p1 : i32, !llvm.ptr<1>\n",
      {1, 1});
  EXPECT_EQ(kinds(), "out-of-bounds");
}

TEST_F(Memory, DynamicSharedMemoryIsAlignedAsItSays) {
  buffers = {};
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  llvm.store %c1, %s : i32, !llvm.ptr<3>\n"
      "  %d = llvm.mlir.addressof @d : !llvm.ptr<3>\n"
      "  llvm.store %c1, %d {alignment = 1024 : i64} : i32, !llvm.ptr<3>\n",
      {1, 1, 64},
      sharedWords(1) +
          "llvm.mlir.global external @d() {addr_space = 3 : i32, alignment = "
          "1024 : i64} : !llvm.array<0 x i8>\n");
  EXPECT_EQ(kinds(), "");
}
