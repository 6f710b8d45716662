//===- TensorCopyTest.cpp - bulk and tensor copies ------------------------===//
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
class TensorCopy : public SimulatorFixture {
protected:
  /// Loads the box at the coordinates, and stores the words of shared memory
  /// that it covers one by one to buffer 0.
  void load(const KfuseSimTensorMap &map, const std::string &coordinates,
            uint32_t words, Shape shape = {});
  /// Stores 4 rows of 8 words, the numbers from 0, to buffer 0.
  void store(const std::string &coordinates, const std::string &fence,
             const std::string &end, KfuseSimTiming timing = KFUSE_SIM_LATE,
             const std::string &operation = "");
};
} // namespace

static const std::string globals =
    sharedWords(1024, 1024) +
    "llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 8 : "
    "i64} : i64\n";

static std::string number(const std::string &name, int64_t value) {
  return "  %" + name + " = llvm.mlir.constant(" + std::to_string(value) +
         " : i32) : i32\n";
}

static const std::string setUp =
    "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
    "  %b = llvm.mlir.addressof @b : !llvm.ptr<3>\n"
    "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n" +
    number("c5", 5) + number("m1", -1) + number("m2", -2);

/// What thread 0 does.
static std::string first(const std::string &body, const std::string &name) {
  return "  llvm.cond_br %isFirst, ^" + name + ", ^after_" + name + "\n^" +
         name + ":\n" + body + "  llvm.br ^after_" + name + "\n^after_" + name +
         ":\n";
}

/// A map over buffer `buffer` of words, innermost dimension first.
static KfuseSimTensorMap makeMap(std::vector<uint64_t> sizes,
                                 std::vector<uint32_t> box,
                                 KfuseSimSwizzle swizzle = 0, int buffer = 1) {
  KfuseSimTensorMap map = {};
  map.dtype = KFUSE_I32;
  map.rank = static_cast<uint32_t>(sizes.size());
  uint64_t stride = 4;
  for (size_t d = 0; d < sizes.size(); ++d) {
    map.sizes[d] = sizes[d];
    map.box[d] = box[d];
    stride *= sizes[d];
    if (d + 1 < sizes.size())
      map.strides[d] = stride;
  }
  map.swizzle = swizzle;
  map.reserved = buffer;
  return map;
}

static std::vector<uint32_t> numbers(size_t count) {
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i)
    words[i] = static_cast<uint32_t>(i + 1);
  return words;
}

static const std::string initialize =
    "  nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32\n"
    "  nvvm.fence.mbarrier.init\n";
static const std::string waitForIt =
    "  nvvm.mbarrier.try_wait.parity %b, %c0, %all : !llvm.ptr<3>, i32, i32\n";

void TensorCopy::load(const KfuseSimTensorMap &map,
                      const std::string &coordinates, uint32_t words,
                      Shape shape) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < map.rank; ++d)
    count *= map.sizes[d];
  buffers = {Buffer::output(words), Buffer(numbers(count), KFUSE_ACCESS_READ)};
  shape.block = words;
  shape.maps = {map};
  run(setUp + number("bytes", words * 4) + first(initialize, "init") +
          "  nvvm.barrier\n" +
          first("  nvvm.mbarrier.arrive.expect_tx %b, %bytes : !llvm.ptr<3>, "
                "i32\n"
                "  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %m0, "
                "%b, box [" +
                    coordinates +
                    "] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr\n",
                "load") +
          waitForIt + wordAddress("%mine", "%s", "%tid", 3) +
          "  %v = llvm.load %mine : !llvm.ptr<3> -> i32\n" + storeByThread,
      shape, globals);
}

TEST_F(TensorCopy, LoadsOneDimension) {
  for (KfuseSimTiming timing :
       {KFUSE_SIM_LATE, KFUSE_SIM_EARLY, KFUSE_SIM_RANDOM}) {
    Shape shape;
    shape.timing = timing;
    load(makeMap({40}, {32}), "%c3", 32, shape);
    EXPECT_EQ(kinds(), "");
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(buffers[0].words[i], i + 4);
  }
}

TEST_F(TensorCopy, FillsWhatIsOutside) {
  // Rows 1 before the first to 2, columns 2 before the first to 5.
  load(makeMap({12, 5}, {8, 4}), "%m2, %m1", 32);
  EXPECT_EQ(kinds(), "");
  for (uint32_t row = 0; row < 4; ++row)
    for (uint32_t column = 0; column < 8; ++column)
      EXPECT_EQ(buffers[0].words[row * 8 + column],
                row < 1 || column < 2 ? 0 : (row - 1) * 12 + column - 2 + 1);
}

TEST_F(TensorCopy, FillsWithNaN) {
  KfuseSimTensorMap map = makeMap({12, 5}, {8, 4});
  map.dtype = KFUSE_F32;
  map.isNanFill = 1;
  load(map, "%c5, %c4", 32);
  EXPECT_EQ(buffers[0].words[0], 4u * 12 + 5 + 1);
  EXPECT_EQ(buffers[0].words[7], 0x7FFFFFFFu);
  EXPECT_EQ(buffers[0].words[8], 0x7FFFFFFFu);
}

TEST_F(TensorCopy, LoadsFiveDimensions) {
  load(makeMap({8, 3, 4, 3, 2}, {4, 2, 2, 2, 1}), "%c4, %c1, %c2, %c0, %c1",
       32);
  EXPECT_EQ(kinds(), "");
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t x0 = i % 4 + 4, x1 = i / 4 % 2 + 1, x2 = i / 8 % 2 + 2,
             x3 = i / 16;
    EXPECT_EQ(buffers[0].words[i],
              x0 + 8 * (x1 + 3 * (x2 + 4 * (x3 + 3 * 1))) + 1);
  }
}

TEST_F(TensorCopy, TakesEverySecondRow) {
  KfuseSimTensorMap map = makeMap({8, 9}, {8, 8});
  map.steps[1] = 2;
  load(map, "%c0, %c1", 32);
  EXPECT_EQ(kinds(), "");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(buffers[0].words[i], i % 8 + 8 * (1 + 2 * (i / 8)) + 1);
}

TEST_F(TensorCopy, Swizzles) {
  // 16-byte pieces of a row of 128 bytes change places by the row's number.
  for (KfuseSimSwizzle swizzle : {1, 2, 3}) {
    uint32_t columns = 4u << swizzle, rows = 512 / columns;
    load(makeMap({columns, rows}, {columns, rows}, swizzle), "%c0, %c0", 512);
    EXPECT_EQ(kinds(), "");
    for (uint32_t i = 0; i < 512; ++i) {
      uint32_t at = i * 4, line = at / 128 % 8, pieces = 1u << swizzle;
      uint32_t from = at ^ (line & (pieces - 1)) << 4;
      EXPECT_EQ(buffers[0].words[i], from / 4 + 1);
    }
  }
}

TEST_F(TensorCopy, MulticastsToTheCluster) {
  buffers = {Buffer::output(64), Buffer(numbers(64), KFUSE_ACCESS_READ)};
  Shape shape = {2, 32};
  shape.cluster = 2;
  shape.maps = {makeMap({64}, {32})};
  const std::string sync = "  nvvm.cluster.arrive\n  nvvm.cluster.wait\n";
  // The first block loads for both.
  run(setUp + number("bytes", 128) +
          "  %both = llvm.mlir.constant(3 : i16) : i16\n" +
          first(initialize, "init") + sync +
          first("  nvvm.mbarrier.arrive.expect_tx %b, %bytes : !llvm.ptr<3>, "
                "i32\n",
                "expect") +
          "  %isFirstBlock = llvm.icmp \"eq\" %cta, %c0 : i32\n"
          "  %isLoader = llvm.and %isFirst, %isFirstBlock : i1\n"
          "  llvm.cond_br %isLoader, ^load, ^loaded\n"
          "^load:\n"
          "  %g = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr\n"
          "  %to = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<7>\n"
          "  nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %m0, %b, "
          "box [%c2] multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr\n"
          "  llvm.br ^loaded\n"
          "^loaded:\n" +
          waitForIt + wordAddress("%mine", "%s", "%tid", 3) +
          "  %v = llvm.load %mine : !llvm.ptr<3> -> i32\n" + number("w", 32) +
          "  %skip = llvm.mul %cta, %w : i32\n"
          "  %index = llvm.add %skip, %tid : i32\n" +
          wordAddress("%at", "%p0", "%index") +
          "  llvm.store %v, %at : i32, !llvm.ptr<1>\n" + sync,
      shape, globals);
  EXPECT_EQ(kinds(), "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(buffers[0].words[i], i % 32 + 3);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static const std::string proxyFence =
    "  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
    "#nvvm.shared_space<cta>}\n";
static const std::string commit = "  nvvm.cp.async.bulk.commit.group\n";
static const std::string waitForReads =
    "  nvvm.cp.async.bulk.wait_group 0 {read}\n";

void TensorCopy::store(const std::string &coordinates, const std::string &fence,
                       const std::string &end, KfuseSimTiming timing,
                       const std::string &operation) {
  buffers = {Buffer(std::vector<uint32_t>(60, 100))};
  Shape shape;
  shape.timing = timing;
  shape.maps = {makeMap({12, 5}, {8, 4}, 0, 0)};
  std::string copy =
      operation.empty()
          ? "nvvm.cp.async.bulk.tensor.global.shared.cta %m0, %s, box [" +
                coordinates + "] : !llvm.ptr, !llvm.ptr<3>"
          : "nvvm.cp.async.bulk.tensor.reduce %m0, %s, box [" + coordinates +
                "] {redKind = #nvvm.tma_redux_kind<" + operation +
                ">} : !llvm.ptr, !llvm.ptr<3>";
  run(setUp + wordAddress("%mine", "%s", "%tid", 3) +
          "  llvm.store %tid, %mine : i32, !llvm.ptr<3>\n" + fence +
          "  nvvm.barrier\n" + first("  " + copy + "\n" + end, "store"),
      shape, globals);
}

TEST_F(TensorCopy, StoresWhatIsInside) {
  for (KfuseSimTiming timing :
       {KFUSE_SIM_LATE, KFUSE_SIM_EARLY, KFUSE_SIM_RANDOM}) {
    store("%c5, %c2", proxyFence, commit + waitForReads, timing);
    EXPECT_EQ(kinds(), "");
    for (uint32_t i = 0; i < 60; ++i) {
      uint32_t row = i / 12, column = i % 12;
      bool isIn = row >= 2 && column >= 5;
      EXPECT_EQ(buffers[0].words[i], isIn ? (row - 2) * 8 + column - 5 : 100u);
    }
  }
}

TEST_F(TensorCopy, AddsToWhatIsThere) {
  store("%c0, %c0", proxyFence, commit + waitForReads, KFUSE_SIM_LATE, "add");
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words[13], 100u + 9);
  EXPECT_EQ(buffers[0].words[8], 100u);
}

TEST_F(TensorCopy, StoresWithoutAFence) {
  for (KfuseSimTiming timing : {KFUSE_SIM_LATE, KFUSE_SIM_EARLY}) {
    store("%c0, %c0", "", commit + waitForReads, timing);
    EXPECT_EQ(kinds(), "async");
    EXPECT_NE(found[0].message.find("no fence.proxy.async"), std::string::npos);
  }
}

TEST_F(TensorCopy, ExitsBeforeTheStoreIsRead) {
  store("%c0, %c0", proxyFence, commit);
  EXPECT_EQ(kinds(), "async");
  store("%c0, %c0", proxyFence, waitForReads);
  ASSERT_EQ(kinds(), "async");
  EXPECT_EQ(found[0].message,
            "the thread exits with bulk copies that it has not committed");
}

TEST_F(TensorCopy, OverwritesWhatAStoreReads) {
  const std::string again = "  llvm.store %c1, %s : i32, !llvm.ptr<3>\n";
  store("%c0, %c0", proxyFence, commit + again + waitForReads);
  EXPECT_EQ(kinds(), "race");
  store("%c0, %c0", proxyFence, commit + waitForReads + again);
  EXPECT_EQ(kinds(), "");
}

TEST_F(TensorCopy, ReadsBackBeforeTheFullWait) {
  const std::string read = "  %got = llvm.load %p0 : !llvm.ptr<1> -> i32\n"
                           "  llvm.store %got, %s : i32, !llvm.ptr<3>\n";
  store("%c0, %c0", proxyFence, commit + waitForReads + read);
  EXPECT_EQ(kinds(), "race");
  store("%c0, %c0", proxyFence,
        commit + "  nvvm.cp.async.bulk.wait_group 0\n" + read);
  EXPECT_EQ(kinds(), "");
}

//===----------------------------------------------------------------------===//
// Bulk copies and maps
//===----------------------------------------------------------------------===//

TEST_F(TensorCopy, BulkCopiesGoBothWays) {
  for (KfuseSimTiming timing : {KFUSE_SIM_LATE, KFUSE_SIM_EARLY}) {
    buffers = {Buffer::output(32), Buffer(numbers(32), KFUSE_ACCESS_READ)};
    Shape shape;
    shape.timing = timing;
    run(setUp + number("bytes", 128) +
            first(initialize +
                      "  nvvm.mbarrier.arrive.expect_tx %b, %bytes : "
                      "!llvm.ptr<3>, i32\n"
                      "  nvvm.cp.async.bulk.shared.cluster.global %s, %p1, %b, "
                      "%bytes : !llvm.ptr<3>, !llvm.ptr<1>\n" +
                      waitForIt +
                      "  nvvm.cp.async.bulk.global.shared.cta %p0, %s, %bytes "
                      ": !llvm.ptr<1>, !llvm.ptr<3>\n" +
                      commit + waitForReads,
                  "copy"),
        shape, globals);
    EXPECT_EQ(kinds(), "");
    EXPECT_EQ(buffers[0].words, numbers(32));
  }
}

TEST_F(TensorCopy, CopiesToAnotherBlock) {
  // Each block gives its words to the other one.
  buffers = {Buffer::output(64)};
  Shape shape = {2, 32};
  shape.cluster = 2;
  const std::string sync = "  nvvm.cluster.arrive\n  nvvm.cluster.wait\n";
  run(setUp + number("bytes", 128) + number("w", 32) +
          "  %skip = llvm.mul %cta, %w : i32\n"
          "  %index = llvm.add %skip, %tid : i32\n" +
          wordAddress("%mine", "%s", "%tid", 3) +
          "  llvm.store %index, %mine : i32, !llvm.ptr<3>\n" + proxyFence +
          first(initialize + "  nvvm.mbarrier.arrive.expect_tx %b, %bytes : "
                             "!llvm.ptr<3>, i32\n",
                "init") +
          sync +
          "  %other = llvm.xor %cta, %c1 : i32\n"
          "  %far = llvm.getelementptr %s[64] : (!llvm.ptr<3>) -> "
          "!llvm.ptr<3>, i32\n"
          "  %to = nvvm.mapa %far, %other : !llvm.ptr<3> -> !llvm.ptr<7>\n"
          "  %its = nvvm.mapa %b, %other : !llvm.ptr<3> -> !llvm.ptr<7>\n"
          "  %generic = llvm.addrspacecast %its : !llvm.ptr<7> to !llvm.ptr\n"
          "  %bar = llvm.addrspacecast %generic : !llvm.ptr to !llvm.ptr<3>\n" +
          first("  nvvm.cp.async.bulk.shared.cluster.shared.cta %to, %s, %bar, "
                "%bytes : !llvm.ptr<7>, !llvm.ptr<3>\n",
                "copy") +
          waitForIt + wordAddress("%got", "%far", "%tid", 3) +
          "  %v = llvm.load %got : !llvm.ptr<3> -> i32\n" +
          wordAddress("%at", "%p0", "%index") +
          "  llvm.store %v, %at : i32, !llvm.ptr<1>\n" + sync,
      shape, globals);
  EXPECT_EQ(kinds(), "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(buffers[0].words[i], i ^ 32);
}

TEST_F(TensorCopy, NobodyWaitsForALoad) {
  for (KfuseSimTiming timing : {KFUSE_SIM_LATE, KFUSE_SIM_EARLY}) {
    buffers = {Buffer(numbers(32), KFUSE_ACCESS_READ)};
    Shape shape;
    shape.timing = timing;
    run(setUp + number("bytes", 128) +
            first(initialize +
                      "  nvvm.mbarrier.arrive.expect_tx %b, %bytes : "
                      "!llvm.ptr<3>, i32\n"
                      "  nvvm.cp.async.bulk.shared.cluster.global %s, %p0, %b, "
                      "%bytes : !llvm.ptr<3>, !llvm.ptr<1>\n",
                  "copy"),
        shape, globals);
    EXPECT_EQ(kinds(), "async");
  }
}

TEST_F(TensorCopy, NeedsAlignedPlaces) {
  load(makeMap({40}, {32}), "%c0", 32);
  EXPECT_EQ(kinds(), "");
  buffers = {Buffer(std::vector<uint32_t>(60, 1))};
  Shape shape;
  shape.maps = {makeMap({12, 5}, {8, 4}, 0, 0)};
  run(setUp + wordAddress("%off", "%s", "%c4", 3) +
          first("  nvvm.cp.async.bulk.tensor.global.shared.cta %m0, %off, box "
                "[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>\n" +
                    commit + waitForReads,
                "store"),
      shape, globals);
  EXPECT_EQ(of(KFUSE_SIM_MISALIGNED).size(), 1u);
}

TEST_F(TensorCopy, MapIsWrong) {
  KfuseDeviceError error = {};
  alignas(64) char to[128];
  auto wrong = [&](auto change) {
    KfuseSimTensorMap map = makeMap({12, 5}, {8, 4});
    map.structSize = sizeof(map);
    map.address = reinterpret_cast<void *>(1024);
    change(map);
    return kfuse_sim_encode_tensor_map(&map, to, &error)
               ? std::string(error.message)
               : "";
  };
  EXPECT_EQ(wrong([](auto &) {}), "");
  EXPECT_EQ(wrong([](auto &map) { map.strides[0] = 40; }),
            "expected a stride of dimension 1 that is a multiple of 16 below "
            "2^40, found 40");
  EXPECT_EQ(wrong([](auto &map) { map.box[0] = 6; }),
            "expected rows of a box that are a multiple of 16 bytes, found 24");
  EXPECT_EQ(wrong([](auto &map) { map.box[1] = 257; }),
            "expected a box of dimension 1 of 1 to 256, found 257");
  EXPECT_EQ(wrong([](auto &map) {
              map.box[0] = 12;
              map.swizzle = KFUSE_SIM_SWIZZLE_32;
            }),
            "expected rows of a box of at most the swizzle's 32 bytes, found "
            "48");
  EXPECT_EQ(wrong([](auto &map) { map.rank = 6; }),
            "expected 1 to 5 dimensions, found 6");
  EXPECT_EQ(wrong([](auto &map) { map.structSize = 1; }),
            "expected a description of 144 bytes");
}
