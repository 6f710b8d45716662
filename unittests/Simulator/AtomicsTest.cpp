//===- AtomicsTest.cpp - values of atomics --------------------------------===//
#include "SimulatorFixture.h"

#include <cstring>
#include <functional>
#include <limits>

using namespace kfuse::sim::test;

namespace {
class Atomics : public SimulatorFixture {
protected:
  /// One thread applies `operation` to a value in memory; gives the bits after
  /// it and, in `before`, what the operation returned.
  uint64_t apply(const std::string &operation, const std::string &type,
                 uint64_t memory, uint64_t operand) {
    int width = std::stoi(type.substr(type.find_first_of("0123456789")));
    auto words = [](uint64_t value) {
      return std::vector<uint32_t>{static_cast<uint32_t>(value),
                                   static_cast<uint32_t>(value >> 32)};
    };
    buffers = {Buffer(words(memory)), Buffer(words(0)),
               Buffer(words(operand), KFUSE_ACCESS_READ)};
    run("  %x = llvm.load %p2 : !llvm.ptr<1> -> " + type +
            "\n  %old = llvm.atomicrmw " + operation +
            " %p0, %x monotonic : !llvm.ptr<1>, " + type +
            "\n  llvm.store %old, %p1 : " + type + ", !llvm.ptr<1>\n",
        {1, 1});
    EXPECT_EQ(kinds(), "");
    before = read(buffers[1], width);
    return read(buffers[0], width);
  }
  static uint64_t read(const Buffer &buffer, int width) {
    uint64_t value;
    memcpy(&value, buffer.words.data(), 8);
    return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
  }

  uint64_t before = 0;
};
} // namespace

TEST_F(Atomics, IntegersOfEveryWidth) {
  using Function = std::function<uint64_t(uint64_t, uint64_t, int)>;
  auto toSigned = [](uint64_t value, int width) {
    return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
  };
  const std::pair<const char *, Function> cases[] = {
      {"xchg", [](uint64_t, uint64_t b, int) { return b; }},
      {"add", [](uint64_t a, uint64_t b, int) { return a + b; }},
      {"sub", [](uint64_t a, uint64_t b, int) { return a - b; }},
      {"_and", [](uint64_t a, uint64_t b, int) { return a & b; }},
      {"nand", [](uint64_t a, uint64_t b, int) { return ~(a & b); }},
      {"_or", [](uint64_t a, uint64_t b, int) { return a | b; }},
      {"_xor", [](uint64_t a, uint64_t b, int) { return a ^ b; }},
      {"umax", [](uint64_t a, uint64_t b, int) { return std::max(a, b); }},
      {"umin", [](uint64_t a, uint64_t b, int) { return std::min(a, b); }},
      {"max", [&](uint64_t a, uint64_t b,
                  int w) { return toSigned(a, w) > toSigned(b, w) ? a : b; }},
      {"min", [&](uint64_t a, uint64_t b,
                  int w) { return toSigned(a, w) < toSigned(b, w) ? a : b; }},
      {"uinc_wrap",
       [](uint64_t a, uint64_t b, int) { return a >= b ? 0 : a + 1; }},
      {"udec_wrap", [](uint64_t a, uint64_t b, int) {
         return a == 0 || a > b ? b : a - 1;
       }}};
  const uint64_t values[] = {0, 1, 5, 0x8B3C9A7E00F1807Bull, ~uint64_t(0)};
  for (int width : {8, 16, 32, 64})
    for (const auto &[name, function] : cases)
      for (uint64_t a : values)
        for (uint64_t b : {values[2], values[3]}) {
          uint64_t mask =
              width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
          uint64_t found = apply(name, "i" + std::to_string(width), a, b);
          EXPECT_EQ(found, function(a & mask, b & mask, width) & mask)
              << name << " i" << width << " " << a << " " << b;
          EXPECT_EQ(before, a & mask) << name;
        }
}

template <typename T>
static uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}

TEST_F(Atomics, FloatsOfEveryType) {
  EXPECT_EQ(apply("fadd", "f32", bitsOf(1.5f), bitsOf(2.25f)), bitsOf(3.75f));
  EXPECT_EQ(before, bitsOf(1.5f));
  EXPECT_EQ(apply("fsub", "f32", bitsOf(1.5f), bitsOf(2.25f)), bitsOf(-0.75f));
  EXPECT_EQ(apply("fmax", "f32", bitsOf(1.5f), bitsOf(-2.0f)), bitsOf(1.5f));
  EXPECT_EQ(apply("fmin", "f32", bitsOf(1.5f), bitsOf(-2.0f)), bitsOf(-2.0f));
  EXPECT_EQ(apply("fadd", "f64", bitsOf(0.1), bitsOf(0.2)), bitsOf(0.1 + 0.2));
  // f16: 1 + 2^-11 is a tie; 1 + 3 * 2^-11 too.
  EXPECT_EQ(apply("fadd", "f16", 0x3C00, 0x1000), 0x3C00u);
  EXPECT_EQ(apply("fadd", "f16", 0x3C00, 0x1600), 0x3C02u);
  EXPECT_EQ(apply("fadd", "f16", 0x7BFF, 0x7BFF), 0x7C00u);
  // bf16: 1 + 2^-8 is a tie, 1 + 3 * 2^-8 too.
  EXPECT_EQ(apply("fadd", "bf16", 0x3F80, 0x3B80), 0x3F80u);
  EXPECT_EQ(apply("fadd", "bf16", 0x3F80, 0x3C40), 0x3F82u);
  EXPECT_EQ(apply("fadd", "bf16", 0x7F7F, 0x7F7F), 0x7F80u);
}

TEST_F(Atomics, CompareAndExchange) {
  for (auto [compare, result] : {std::pair<int, uint32_t>{7, 9}, {8, 7}}) {
    buffers = {Buffer({7}), Buffer({0, 0})};
    run("  %cmp = llvm.mlir.constant(" + std::to_string(compare) +
            " : i32) : i32\n"
            "  %new = llvm.mlir.constant(9 : i32) : i32\n"
            "  %pair = llvm.cmpxchg %p0, %cmp, %new acq_rel monotonic : "
            "!llvm.ptr<1>, i32\n"
            "  %old = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>\n"
            "  %ok = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>\n"
            "  %done = llvm.zext %ok : i1 to i32\n" +
            wordAddress("%second", "%p1", "%c1") +
            "  llvm.store %old, %p1 : i32, !llvm.ptr<1>\n"
            "  llvm.store %done, %second : i32, !llvm.ptr<1>\n",
        {1, 1});
    EXPECT_EQ(kinds(), "");
    EXPECT_EQ(buffers[0].words[0], result);
    EXPECT_EQ(buffers[1].words,
              (std::vector<uint32_t>{7, uint32_t(compare == 7)}));
  }
}

TEST_F(Atomics, OfAllThreadsAddUp) {
  for (uint64_t seed : {0, 1, 2}) {
    buffers = {Buffer({0})};
    run("  %old = llvm.atomicrmw add %p0, %tid monotonic : !llvm.ptr<1>, i32\n",
        {3, 64, 0, seed});
    EXPECT_EQ(kinds(), "");
    EXPECT_EQ(buffers[0].words[0], 3u * 64 * 63 / 2);
  }
}

TEST_F(Atomics, InSharedMemory) {
  buffers = {Buffer::output(64)};
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
      "  llvm.cond_br %isFirst, ^bb1, ^bb2\n"
      "^bb1:\n  llvm.store %c0, %s : i32, !llvm.ptr<3>\n  llvm.br ^bb2\n"
      "^bb2:\n  nvvm.barrier\n"
      "  %old = llvm.atomicrmw add %s, %c1 monotonic : !llvm.ptr<3>, i32\n"
      "  nvvm.barrier\n"
      "  %v = llvm.load %s : !llvm.ptr<3> -> i32\n" +
          std::string(storeByThread),
      {1, 64, 0, 1}, sharedWords(1));
  EXPECT_EQ(kinds(), "");
  EXPECT_EQ(buffers[0].words, std::vector<uint32_t>(64, 64));
}
