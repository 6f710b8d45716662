//===- HostCodeTest.cpp - where LLVM on the host differs from PTX ---------===//
///
/// \file
/// Divisions, conversions and roundings that LLVM leaves open or the host does
/// otherwise, as kernels compute them.
///
#include "SimulatorFixture.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace kfuse::sim::test;

namespace {
class HostCode : public SimulatorFixture {
protected:
  /// What one thread computes of %n0 and %n1 (i64) as %v, of a type of `width`
  /// bits.
  uint64_t compute(const std::string &body, const std::string &type, uint64_t a,
                   uint64_t b = 0) {
    buffers = {Buffer({0, 0})};
    Shape shape = {1, 1};
    shape.numbers = {static_cast<int64_t>(a), static_cast<int64_t>(b)};
    run(body + "  llvm.store %v, %p0 {alignment = 1 : i64} : " + type +
            ", !llvm.ptr<1>\n",
        shape);
    return buffers[0].words[0] | uint64_t(buffers[0].words[1]) << 32;
  }
  int64_t divide(const char *operation, int64_t a, int64_t b) {
    return static_cast<int64_t>(
        compute(std::string("  %v = llvm.") + operation + " %n0, %n1 : i64\n",
                "i64", a, b));
  }
  /// Converts an f64.
  uint64_t convert(const std::string &operation, const std::string &to,
                   double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return compute("  %d = llvm.bitcast %n0 : i64 to f64\n  %v = llvm." +
                       operation + " %d : f64 to " + to + "\n",
                   to, bits);
  }
};
} // namespace

TEST_F(HostCode, DivisionsThatTrapOnTheHostDoNot) {
  EXPECT_EQ(divide("sdiv", 7, 0), -1);
  EXPECT_EQ(divide("udiv", 7, 0), -1);
  EXPECT_EQ(divide("srem", 7, 0), 7);
  EXPECT_EQ(divide("urem", 7, 0), 7);
  EXPECT_EQ(divide("sdiv", INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(divide("srem", INT64_MIN, -1), 0);
  EXPECT_EQ(divide("sdiv", -7, 2), -3);
  EXPECT_EQ(divide("srem", -7, 2), -1);
}

TEST_F(HostCode, ConversionsToIntegersSaturate) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  auto toSigned = [&](double value) {
    return static_cast<int32_t>(convert("fptosi", "i32", value));
  };
  EXPECT_EQ(toSigned(1e20), INT32_MAX);
  EXPECT_EQ(toSigned(-1e20), INT32_MIN);
  EXPECT_EQ(toSigned(-1.9), -1);
  EXPECT_EQ(toSigned(nan), INT32_MIN);
  EXPECT_EQ(static_cast<int64_t>(convert("fptosi", "i64", 1e30)), INT64_MAX);
  EXPECT_EQ(static_cast<int64_t>(convert("fptosi", "i64", nan)), INT64_MIN);
  EXPECT_EQ(convert("fptoui", "i64", -5.0), 0u);
  EXPECT_EQ(convert("fptoui", "i64", 1e30), ~uint64_t(0));
  // From f32 to 32 bits NaN is 0.
  EXPECT_EQ(compute("  %i = llvm.trunc %n0 : i64 to i32\n"
                    "  %f = llvm.bitcast %i : i32 to f32\n"
                    "  %v = llvm.fptosi %f : f32 to i32\n",
                    "i32", 0x7FC00000),
            0u);
}

/// The bf16 or f16 nearest to a number, ties to even, from its definition.
static double roundTo(double value, int digits, int least) {
  int exponent = 0;
  std::frexp(value, &exponent);
  double unit = std::ldexp(1.0, std::max(exponent - digits, least));
  return std::nearbyint(value / unit) * unit;
}

TEST_F(HostCode, DoublesRoundOnceToNarrowTypes) {
  auto toBrain = [&](double value) {
    auto bits = static_cast<uint32_t>(convert("fptrunc", "bf16", value)) << 16;
    float result;
    memcpy(&result, &bits, 4);
    return static_cast<double>(result);
  };
  auto toHalf = [&](double value) {
    auto bits = static_cast<uint16_t>(convert("fptrunc", "f16", value));
    _Float16 result;
    memcpy(&result, &bits, 2);
    return static_cast<double>(result);
  };
  // Above a tie by less than an f32 can say: rounding twice goes down.
  EXPECT_EQ(toBrain(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(toBrain(1 + 0x1p-8), 1.0);
  EXPECT_EQ(toBrain(1 + 3 * 0x1p-8 - 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(toBrain(-1 - 0x1p-8 - 0x1p-40), -1 - 0x1p-7);
  EXPECT_EQ(toBrain(0x1p-133 * 0.75), 0x1p-133); // subnormal
  EXPECT_TRUE(std::isinf(toBrain(1e300)));
  EXPECT_EQ(toHalf(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(toHalf(1 + 0x1p-11), 1.0);
  EXPECT_EQ(toHalf(0x1p-24 * 0.75), 0x1p-24);
  EXPECT_TRUE(std::isinf(toHalf(65520)));
  std::mt19937_64 engine(3);
  for (int i = 0; i < 40; ++i) {
    double value = std::ldexp(static_cast<double>(engine() >> 11),
                              static_cast<int>(engine() % 24) - 64);
    EXPECT_EQ(toBrain(value), roundTo(value, 8, -133)) << value;
    EXPECT_EQ(toHalf(value), roundTo(value, 11, -24)) << value;
  }
}

TEST_F(HostCode, NothingIsContracted) {
  // a * b + c with a product that does not fit: fused it would be -2^-60.
  double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
  uint64_t bits[2];
  memcpy(&bits[0], &a, 8);
  memcpy(&bits[1], &b, 8);
  uint64_t found = compute("  %a = llvm.bitcast %n0 : i64 to f64\n"
                           "  %b = llvm.bitcast %n1 : i64 to f64\n"
                           "  %c = llvm.mlir.constant(-1.0 : f64) : f64\n"
                           "  %p = llvm.fmul %a, %b : f64\n"
                           "  %v = llvm.fadd %p, %c : f64\n",
                           "f64", bits[0], bits[1]);
  double result;
  memcpy(&result, &found, 8);
  EXPECT_EQ(result, 0);
}

TEST_F(HostCode, UnknownOperationsAreNamed) {
  std::string text = "gpu.module @m {\nllvm.func @k() attributes {gpu.kernel, "
                     "nvvm.kernel} {\n  \"nvvm.breakpoint\"() : () -> ()\n"
                     "  llvm.return\n}\n}\n";
  std::string message = tryRun(text, {1, 32});
  EXPECT_NE(message.find("does not know this operation"), std::string::npos)
      << message;
  std::string assembly =
      "gpu.module @m {\nllvm.func @k() attributes {gpu.kernel, nvvm.kernel} "
      "{\n  llvm.inline_asm has_side_effects \"nanosleep.u32 20;\", \"\" : () "
      "-> ()\n  llvm.return\n}\n}\n";
  message = tryRun(assembly, {1, 32});
  EXPECT_NE(message.find("nanosleep.u32 20;"), std::string::npos) << message;
}
