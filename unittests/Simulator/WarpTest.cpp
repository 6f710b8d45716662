//===- WarpTest.cpp - what lanes of a warp do together --------------------===//
///
/// \file
/// Each operation against what the PTX ISA says of it, computed here lane by
/// lane from the CUDA programming guide's description rather than from its
/// pseudocode.
///
#include "SimulatorFixture.h"

#include <cstring>
#include <limits>
#include <random>

using namespace kfuse::sim::test;

namespace {
class Warp : public SimulatorFixture {
protected:
  std::vector<uint32_t> makeInputs(uint32_t seed, uint32_t mask = ~0u) {
    std::mt19937 engine(seed);
    std::vector<uint32_t> values(32);
    for (uint32_t &value : values)
      value = engine() & mask;
    return values;
  }
  /// One operation on %x, the lane's word of buffer 1; its i32 result is %v.
  std::vector<uint32_t> apply(std::vector<uint32_t> input,
                              const std::string &operation,
                              std::vector<int64_t> numbers = {}) {
    buffers = {Buffer::output(32, KFUSE_ACCESS_READ_WRITE),
               Buffer(std::move(input), KFUSE_ACCESS_READ)};
    Shape shape = {1, 32, 0, 1};
    shape.numbers = std::move(numbers);
    run(wordAddress("%from", "%p1", "%tid") +
            "  %x = llvm.load %from : !llvm.ptr<1> -> i32\n" + operation +
            storeByThread,
        shape);
    return buffers[0].words;
  }
};
} // namespace

static const std::string clamp = "  %offset = llvm.trunc %n0 : i64 to i32\n"
                                 "  %clamp = llvm.trunc %n1 : i64 to i32\n";

static std::string shuffle(const char *kind) {
  return clamp + "  %v = nvvm.shfl.sync " + kind +
         " %all, %x, %offset, %clamp : i32 -> i32\n";
}

TEST_F(Warp, ShufflesWithinGroupsOfEveryWidth) {
  std::vector<uint32_t> input = makeInputs(1);
  for (int32_t width : {32, 16, 8, 4, 2, 1}) {
    int32_t groups = (32 - width) << 8;
    for (int32_t by : {0, 1, 2, 3, 7, 16, 31}) {
      auto found = [&](const char *kind, int32_t limit) {
        return apply(input, shuffle(kind), {by, limit | groups});
      };
      std::vector<uint32_t> up = found("up", 0), down = found("down", 31),
                            across = found("bfly", 31), at = found("idx", 31);
      for (int32_t lane = 0; lane < 32; ++lane) {
        int32_t first = lane / width * width, end = first + width;
        bool canUp = lane - by >= first, canDown = lane + by < end;
        EXPECT_EQ(up[lane], input[canUp ? lane - by : lane]);
        EXPECT_EQ(down[lane], input[canDown ? lane + by : lane]);
        // Earlier groups may be read, later ones not.
        bool canCross = (lane ^ by) < end;
        EXPECT_EQ(across[lane], input[canCross ? lane ^ by : lane]);
        EXPECT_EQ(at[lane], input[first + by % width]);
      }
    }
  }
}

TEST_F(Warp, ShufflesSayWhetherTheyReachedALane) {
  for (int32_t by : {0, 5, 31}) {
    std::vector<uint32_t> found =
        apply(makeInputs(2),
              clamp + "  %pair = nvvm.shfl.sync down %all, %x, %offset, %clamp "
                      "{return_value_and_is_valid} : i32 -> !llvm.struct<(i32, "
                      "i1)>\n"
                      "  %p = llvm.extractvalue %pair[1] : !llvm.struct<(i32, "
                      "i1)>\n"
                      "  %v = llvm.zext %p : i1 to i32\n",
              {by, 31});
    for (int32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(found[lane], lane + by < 32);
  }
}

TEST_F(Warp, ShufflesOfFloatsKeepTheirBits) {
  std::vector<uint32_t> input = makeInputs(3);
  std::vector<uint32_t> found =
      apply(input, "  %f = llvm.bitcast %x : i32 to f32\n"
                   "  %c31 = llvm.mlir.constant(31 : i32) : i32\n"
                   "  %g = nvvm.shfl.sync bfly %all, %f, %c1, %c31 : f32 -> "
                   "f32\n"
                   "  %v = llvm.bitcast %g : f32 to i32\n");
  for (int32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], input[lane ^ 1]);
}

TEST_F(Warp, ReadingALaneThatTakesNoPartIsFound) {
  // Lanes 0 to 15 shuffle with a mask of themselves and reach beyond it.
  buffers = {Buffer::output(32, KFUSE_ACCESS_READ_WRITE)};
  run("  %half = llvm.mlir.constant(16 : i32) : i32\n"
      "  %mask = llvm.mlir.constant(65535 : i32) : i32\n"
      "  %c31 = llvm.mlir.constant(31 : i32) : i32\n"
      "  %isLow = llvm.icmp \"ult\" %tid, %half : i32\n"
      "  llvm.cond_br %isLow, ^bb1, ^bb2\n"
      "^bb1:\n"
      "  %v = nvvm.shfl.sync down %mask, %tid, %c1, %c31 : i32 -> i32\n" +
      std::string(storeByThread) + "  llvm.br ^bb2\n^bb2:\n");
  ASSERT_EQ(kinds(), "divergence");
  EXPECT_EQ(found[0].thread.thread[0], 15);
}

TEST_F(Warp, AMaskWithoutTheLaneIsFound) {
  buffers = {Buffer::output(32, KFUSE_ACCESS_READ_WRITE)};
  run("  %c31 = llvm.mlir.constant(31 : i32) : i32\n"
      "  %v = nvvm.shfl.sync idx %c1, %tid, %c0, %c31 : i32 -> i32\n" +
      std::string(storeByThread));
  EXPECT_EQ(kinds(), "divergence");
}

TEST_F(Warp, LanesThatLeaveAreFound) {
  buffers = {};
  run("  %last = llvm.mlir.constant(31 : i32) : i32\n"
      "  %leaves = llvm.icmp \"eq\" %tid, %last : i32\n"
      "  llvm.cond_br %leaves, ^bb2, ^bb1\n"
      "^bb1:\n  nvvm.bar.warp.sync %all : i32\n  llvm.br ^bb2\n^bb2:\n");
  EXPECT_EQ(kinds(), "divergence");
}

TEST_F(Warp, LanesAtOtherOperationsAreFound) {
  buffers = {};
  run("  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
      "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
      "^bb1:\n  nvvm.bar.warp.sync %all : i32\n  llvm.br ^bb3\n"
      "^bb2:\n  nvvm.bar.warp.sync %all : i32\n  llvm.br ^bb3\n^bb3:\n");
  EXPECT_EQ(kinds(), "divergence");
}

TEST_F(Warp, Votes) {
  struct Case {
    std::vector<uint32_t> input;
    uint32_t ballot;
  };
  std::vector<uint32_t> some(32, 0);
  some[3] = some[31] = 1;
  for (const Case &one : {Case{some, 0x80000008},
                          {std::vector<uint32_t>(32, 1), ~0u},
                          {std::vector<uint32_t>(32, 0), 0u}}) {
    auto vote = [&](const char *kind, bool isWord) {
      return apply(one.input,
                   std::string("  %p = llvm.icmp \"ne\" %x, %c0 : i32\n"
                               "  %w = nvvm.vote.sync ") +
                       kind + " %all, %p -> " +
                       (isWord ? "i32\n  %v = llvm.add %w, %c0 : i32\n"
                               : "i1\n  %v = llvm.zext %w : i1 to i32\n"));
    };
    bool isAny = one.ballot != 0, isAll = one.ballot == ~0u;
    EXPECT_EQ(vote("ballot", true), std::vector<uint32_t>(32, one.ballot));
    EXPECT_EQ(vote("any", false), std::vector<uint32_t>(32, isAny));
    EXPECT_EQ(vote("all", false), std::vector<uint32_t>(32, isAll));
    EXPECT_EQ(vote("uni", false), std::vector<uint32_t>(32, isAll || !isAny));
  }
}

TEST_F(Warp, Matches) {
  std::vector<uint32_t> input = makeInputs(4, 7);
  std::vector<uint32_t> found =
      apply(input, "  %v = nvvm.match.sync any %all, %x : i32 -> i32\n");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t same = 0;
    for (uint32_t other = 0; other < 32; ++other)
      same |= uint32_t(input[other] == input[lane]) << other;
    EXPECT_EQ(found[lane], same);
  }
  const std::string all =
      "  %pair = nvvm.match.sync all %all, %x : i32 -> !llvm.struct<(i32, "
      "i1)>\n"
      "  %m = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>\n"
      "  %p = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>\n"
      "  %q = llvm.zext %p : i1 to i32\n"
      "  %v = llvm.xor %m, %q : i32\n";
  EXPECT_EQ(apply(input, all), std::vector<uint32_t>(32, 0));
  EXPECT_EQ(apply(std::vector<uint32_t>(32, 9), all),
            std::vector<uint32_t>(32, ~0u ^ 1));
}

TEST_F(Warp, ElectsOneLane) {
  std::vector<uint32_t> found =
      apply(makeInputs(5), "  %p = nvvm.elect.sync -> i1\n"
                           "  %v = llvm.zext %p : i1 to i32\n");
  EXPECT_EQ(std::count(found.begin(), found.end(), 1u), 1);
}

TEST_F(Warp, ReductionsOfIntegers) {
  std::vector<uint32_t> input = makeInputs(6);
  struct Case {
    const char *name;
    uint32_t (*combine)(uint32_t, uint32_t);
  };
  const Case cases[] = {
      {"add", [](uint32_t a, uint32_t b) { return a + b; }},
      {"and", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"umin", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
      {"umax", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
      {"min",
       [](uint32_t a, uint32_t b) {
         return uint32_t(std::min(int32_t(a), int32_t(b)));
       }},
      {"max", [](uint32_t a, uint32_t b) {
         return uint32_t(std::max(int32_t(a), int32_t(b)));
       }}};
  for (const Case &one : cases) {
    uint32_t expected = input[0];
    for (uint32_t lane = 1; lane < 32; ++lane)
      expected = one.combine(expected, input[lane]);
    EXPECT_EQ(apply(input, std::string("  %v = nvvm.redux.sync ") + one.name +
                               " %x, %all : i32 -> i32\n"),
              std::vector<uint32_t>(32, expected))
        << one.name;
  }
}

TEST_F(Warp, ReductionsOfFloatsSkipNanAndOrderZeros) {
  auto bits = [](float value) {
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
  };
  auto reduce = [&](const char *name, const std::vector<uint32_t> &input) {
    return apply(input, std::string("  %f = llvm.bitcast %x : i32 to f32\n"
                                    "  %g = nvvm.redux.sync ") +
                            name +
                            " %f, %all : f32 -> f32\n"
                            "  %v = llvm.bitcast %g : f32 to i32\n");
  };
  std::vector<uint32_t> input(32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    input[lane] = bits(static_cast<float>(lane) - 9.5f);
  input[0] = input[31] = bits(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(reduce("fmin", input)[5], bits(-8.5f));
  EXPECT_EQ(reduce("fmax", input)[5], bits(20.5f));
  // -0 is below +0, in whatever order they come.
  for (uint32_t at : {0u, 13u, 31u}) {
    std::vector<uint32_t> zeros(32, bits(0.0f));
    zeros[at] = bits(-0.0f);
    EXPECT_EQ(reduce("fmin", zeros)[5], bits(-0.0f)) << at;
    std::vector<uint32_t> negative(32, bits(-0.0f));
    negative[at] = bits(0.0f);
    EXPECT_EQ(reduce("fmax", negative)[5], bits(0.0f)) << at;
  }
}

TEST_F(Warp, ItsBarrierOrdersMemory) {
  const std::string head = "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n" +
                           wordAddress("%mine", "%s", "%tid", 3) +
                           "  llvm.store %tid, %mine : i32, !llvm.ptr<3>\n";
  const std::string tail = "  %partner = llvm.xor %tid, %c1 : i32\n" +
                           wordAddress("%its", "%s", "%partner", 3) +
                           "  %v = llvm.load %its : !llvm.ptr<3> -> i32\n" +
                           storeByThread;
  buffers = {Buffer::output(32)};
  run(head + "  nvvm.bar.warp.sync %all : i32\n" + tail, {1, 32, 0, 3},
      sharedWords(32));
  EXPECT_EQ(kinds(), "");
  // A shuffle brings lanes together and orders nothing.
  run(head +
          "  %c31 = llvm.mlir.constant(31 : i32) : i32\n"
          "  %u = nvvm.shfl.sync bfly %all, %tid, %c1, %c31 : i32 -> i32\n" +
          tail,
      {1, 32, 0, 3}, sharedWords(32));
  EXPECT_EQ(kinds(), "race");
}
