//===- GemmTest.cpp - a warp-specialized GEMM, by its numbers -------------===//
///
/// \file
/// The kernels of test/Simulator/Inputs on shapes with tails, bit for
/// bit. Faults in them are planted by test/Simulator/plant_faults.py.
///
#include "SimulatorFixture.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

using namespace kfuse::sim::test;

namespace {
class Gemm : public SimulatorFixture {
protected:
  /// The number of wrong elements.
  int64_t run(const std::string &name, int64_t m, int64_t n, int64_t k,
              Shape shape);
};
} // namespace

static std::string readKernel(const std::string &name) {
  std::ifstream file(KFUSE_TEST_INPUTS "/gemm-" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static float fromBrain(const std::vector<uint32_t> &words, int64_t i) {
  uint32_t bits = words[i / 2] >> 16 * (i % 2) << 16;
  float number;
  memcpy(&number, &bits, 4);
  return number;
}

static float roundToBrain(float number) {
  uint32_t bits;
  memcpy(&bits, &number, 4);
  bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
  memcpy(&number, &bits, 4);
  return number;
}

/// Multiples of 1/8 up to 1, whose products and sums f32 has.
static Buffer makeNumbers(int64_t rows, int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(rows * columns / 2);
  for (uint32_t &word : words)
    for (int half = 0; half < 2; ++half) {
      float number = (static_cast<int>(random() % 17) - 8) / 8.0f;
      uint32_t bits;
      memcpy(&bits, &number, 4);
      word |= bits >> 16 << 16 * half;
    }
  return Buffer(words, KFUSE_ACCESS_READ)
      .as(KFUSE_BF16, {rows, columns}, {columns, 1});
}

static KfuseSimTensorMap makeMap(int buffer, int64_t rows, int64_t columns,
                                 uint32_t boxRows) {
  KfuseSimTensorMap map = {};
  map.dtype = KFUSE_BF16;
  map.rank = 2;
  map.sizes[0] = columns;
  map.sizes[1] = rows;
  map.strides[0] = columns * 2;
  map.box[0] = 64;
  map.box[1] = boxRows;
  map.swizzle = KFUSE_SIM_SWIZZLE_128;
  map.reserved = buffer;
  return map;
}

int64_t Gemm::run(const std::string &name, int64_t m, int64_t n, int64_t k,
                  Shape shape) {
  bool isPingPong = name == "ping-pong";
  Buffer d = Buffer::output(m * n / 2).as(KFUSE_BF16, {m, n}, {n, 1});
  buffers = {makeNumbers(m, k, 1), makeNumbers(n, k, 2), d,
             makeNumbers(1, n, 3)};
  shape.block = 384;
  shape.sharedBytes = isPingPong ? 81968 : 106544;
  shape.maps = {makeMap(0, m, k, isPingPong ? 64 : 128), makeMap(1, n, k, 32),
                makeMap(2, m, n, 16)};
  shape.numbers = {m, n, k};
  shape.order = "mmmp";
  EXPECT_EQ(tryRun(readKernel(name), shape, "gemm"), "");
  int64_t wrong = 0;
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      float sum = fromBrain(buffers[3].words, column);
      for (int64_t i = 0; i < k; ++i)
        sum += fromBrain(buffers[0].words, row * k + i) *
               fromBrain(buffers[1].words, column * k + i);
      wrong +=
          fromBrain(buffers[2].words, row * n + column) != roundToBrain(sum);
    }
  return wrong;
}

TEST_F(Gemm, IsRightOnTails) {
  struct Extent {
    int64_t m, n, k;
    uint32_t grid;
  };
  for (const char *name : {"cooperative", "ping-pong"})
    for (Extent at : {Extent{130, 72, 72, 2}, Extent{64, 8, 200, 2},
                      Extent{304, 136, 328, 4}})
      for (KfuseSimTiming timing :
           {KFUSE_SIM_LATE, KFUSE_SIM_EARLY, KFUSE_SIM_RANDOM}) {
        Shape shape = {at.grid};
        shape.timing = timing;
        shape.seed = 5;
        EXPECT_EQ(run(name, at.m, at.n, at.k, shape), 0)
            << name << " " << at.m << " " << timing;
        EXPECT_EQ(kinds(), "") << name << " " << at.m << " " << timing;
      }
}

// The ring has three stages of 64 columns: one round, one less than the stages,
// as many, one more, each with and without a tail. (Tensor maps of no columns
// do not exist.)
TEST_F(Gemm, RingsOfEveryTripCount) {
  for (const char *name : {"cooperative", "ping-pong"})
    for (int64_t rounds : {1, 2, 3, 4})
      for (int64_t tail : {0, 24})
        for (uint64_t seed : {0, 7}) {
          Shape shape = {2};
          shape.timing = seed ? KFUSE_SIM_RANDOM : KFUSE_SIM_LATE;
          shape.seed = seed;
          int64_t k = rounds * 64 - tail;
          EXPECT_EQ(run(name, 130, 72, k, shape), 0) << name << " " << k;
          EXPECT_EQ(kinds(), "") << name << " " << k;
        }
}

TEST_F(Gemm, IsFast) {
  auto start = std::chrono::steady_clock::now();
  Shape shape = {2};
  EXPECT_EQ(run("cooperative", 256, 64, 512, shape), 0);
  EXPECT_EQ(kinds(), "");
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time.count(), 5.0);
}
