//===- MathTest.cpp - arithmetic of PTX against exact numbers -------------===//
#include "Exact.h"

#include <gtest/gtest.h>

using namespace kfuse::sim::test;

namespace {
/// Arithmetic of one type; `letter` ends the names of its operations.
template <typename T>
struct Typed {
  static std::string name(const char *operation, const NamedMode &mode) {
    return std::string("nvvm.") + operation + "." + mode.name +
           (sizeof(T) == 4 ? ".f" : ".d");
  }
  /// Exponents for which sums are exact in 113 bits.
  static constexpr int sumRange = sizeof(T) == 4 ? 40 : 28;
};
} // namespace

constexpr int rounds = 4000;

template <typename T>
static void checkSums() {
  for (const NamedMode &mode : allModes) {
    Numbers<T> next;
    auto *add = getMath<T(T, T)>(Typed<T>::name("add", mode));
    auto *sub = getMath<T(T, T)>(Typed<T>::name("sub", mode));
    ASSERT_TRUE(add && sub);
    for (int i = 0; i < rounds; ++i) {
      T a = next(Typed<T>::sumRange), b = next(Typed<T>::sumRange);
      auto sum = [&](Wide c) { return signOf(Wide(a) + Wide(b) - c); };
      EXPECT_TRUE(isRounding(add(a, b), mode.mode, sum))
          << mode.name << " " << a << " + " << b;
      EXPECT_TRUE(isRounding(sub(a, -b), mode.mode, sum))
          << mode.name << " " << a << " - " << -b;
    }
  }
}
TEST(Math, SumsAreExactRoundings) {
  checkSums<float>();
  checkSums<double>();
}

template <typename T>
static void checkProducts() {
  for (const NamedMode &mode : allModes) {
    Numbers<T> next;
    auto *mul = getMath<T(T, T)>(Typed<T>::name("mul", mode));
    auto *div = getMath<T(T, T)>(Typed<T>::name("div", mode));
    auto *rcp = getMath<T(T)>(Typed<T>::name("rcp", mode));
    auto *root = getMath<T(T)>(Typed<T>::name("sqrt", mode));
    ASSERT_TRUE(mul && div && rcp && root);
    for (int i = 0; i < rounds; ++i) {
      T a = next(30), b = next(30), c = std::abs(b);
      EXPECT_TRUE(
          isRounding(mul(a, b), mode.mode,
                     [&](Wide at) { return signOf(Wide(a) * Wide(b) - at); }))
          << mode.name << " " << a << " * " << b;
      auto quotient = [&](Wide n, T d) {
        return [=](Wide at) { return signOf(n - at * Wide(d)) * signOf(d); };
      };
      EXPECT_TRUE(isRounding(div(a, b), mode.mode, quotient(a, b)))
          << mode.name << " " << a << " / " << b;
      EXPECT_TRUE(isRounding(rcp(b), mode.mode, quotient(1, b)))
          << mode.name << " 1 / " << b;
      EXPECT_TRUE(isRounding(
          root(c), mode.mode,
          [&](Wide at) { return at < 0 ? 1 : signOf(Wide(c) - at * at); }))
          << mode.name << " root of " << c;
    }
  }
}
TEST(Math, ProductsQuotientsAndRootsAreExactRoundings) {
  checkProducts<float>();
  checkProducts<double>();
}

template <typename T>
static void checkFused() {
  for (const NamedMode &mode : allModes) {
    Numbers<T> next;
    auto *fma = getMath<T(T, T, T)>(Typed<T>::name("fma", mode));
    ASSERT_TRUE(fma);
    // A product of two f64 has 106 bits: the addend may add few.
    int range = sizeof(T) == 4 ? 20 : 2;
    for (int i = 0; i < rounds; ++i) {
      T a = next(range), b = next(range), c = next(range);
      if (i % 3 == 0)
        c = -static_cast<T>(Wide(a) * Wide(b)); // what is left of cancelling
      EXPECT_TRUE(isRounding(
          fma(a, b, c), mode.mode,
          [&](Wide at) { return signOf(Wide(a) * Wide(b) + Wide(c) - at); }))
          << mode.name << " " << a << " * " << b << " + " << c;
    }
  }
}
TEST(Math, FusedMultiplyAddRoundsOnce) {
  checkFused<float>();
  checkFused<double>();
}

TEST(Math, OverflowsByTheMode) {
  float most = std::numeric_limits<float>::max();
  float infinity = std::numeric_limits<float>::infinity();
  auto add = [&](const char *mode, float a) {
    return getMath<float(float, float)>(std::string("nvvm.add.") + mode +
                                        ".f")(a, a);
  };
  EXPECT_EQ(add("rn", most), infinity);
  EXPECT_EQ(add("rz", most), most);
  EXPECT_EQ(add("rm", most), most);
  EXPECT_EQ(add("rp", most), infinity);
  EXPECT_EQ(add("rz", -most), -most);
  EXPECT_EQ(add("rm", -most), -infinity);
  EXPECT_EQ(add("rp", -most), -most);
  auto narrow = [](const char *mode, double a) {
    return getMath<float(double)>(std::string("nvvm.d2f.") + mode)(a);
  };
  EXPECT_EQ(narrow("rn", 1e300), infinity);
  EXPECT_EQ(narrow("rz", 1e300), most);
  EXPECT_EQ(narrow("rm", 1e300), most);
  EXPECT_EQ(narrow("rp", -1e300), -most);
}

TEST(Math, SignOfZeroFollowsTheMode) {
  for (const NamedMode &mode : allModes) {
    auto *add =
        getMath<double(double, double)>(Typed<double>::name("add", mode));
    EXPECT_EQ(std::signbit(add(1, -1)), mode.mode == Mode::Down) << mode.name;
    EXPECT_FALSE(std::signbit(add(0, 0))) << mode.name;
    EXPECT_TRUE(std::signbit(add(-0.0, -0.0))) << mode.name;
  }
}

TEST(Math, FlushesSubnormalsWithTheirSigns) {
  float least = std::numeric_limits<float>::min(), tiny = least / 4;
  auto *add = getMath<float(float, float)>("nvvm.add.rn.ftz.f");
  auto *plain = getMath<float(float, float)>("nvvm.add.rn.f");
  EXPECT_EQ(add(tiny, tiny), 0);
  EXPECT_TRUE(std::signbit(add(-tiny, -0.0f)));
  EXPECT_EQ(plain(tiny, tiny), 2 * tiny);
  auto *mul = getMath<float(float, float)>("nvvm.mul.rn.ftz.f");
  EXPECT_EQ(mul(least, 0.5f), 0);
  EXPECT_TRUE(std::signbit(mul(-least, 0.5f)));
  // Operands are flushed before they are used.
  EXPECT_EQ(mul(tiny, 1e30f), 0);
  EXPECT_EQ(getMath<float(float)>("nvvm.rcp.approx.ftz.f")(tiny),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(getMath<float(float)>("nvvm.fabs.ftz.f")(-tiny), 0);
  EXPECT_EQ(getMath<float(float)>("nvvm.ceil.ftz.f")(tiny), 0);
  EXPECT_EQ(getMath<float(double)>("nvvm.d2f.rn.ftz")(1e-40), 0);
  EXPECT_NE(getMath<float(double)>("nvvm.d2f.rn")(1e-40), 0);
}

TEST(Math, LargerAndSmallerPreferNumbersAndOrderZeros) {
  auto *larger = getMath<float(float, float)>("nvvm.fmax.ftz.f");
  auto *smaller = getMath<float(float, float)>("nvvm.fmin.ftz.f");
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto *function : {larger, smaller}) {
    EXPECT_EQ(function(nan, 2), 2);
    EXPECT_EQ(function(2, nan), 2);
    EXPECT_TRUE(std::isnan(function(nan, nan)));
  }
  EXPECT_FALSE(std::signbit(larger(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(larger(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(smaller(-0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(smaller(0.0f, -0.0f)));
  EXPECT_EQ(larger(-3, 2), 2);
  EXPECT_EQ(smaller(-3, 2), -3);
}

TEST(Math, SaturatesToTheUnitInterval) {
  auto *saturate = getMath<float(float)>("nvvm.saturate.f");
  float nan = std::numeric_limits<float>::quiet_NaN();
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(saturate(nan), 0);
  EXPECT_EQ(saturate(-infinity), 0);
  EXPECT_EQ(saturate(-0.25f), 0);
  EXPECT_EQ(saturate(0.25f), 0.25f);
  EXPECT_EQ(saturate(1.5f), 1);
  EXPECT_EQ(saturate(infinity), 1);
}

/// Approximations here are the correctly rounded functions, within what the PTX
/// ISA allows the hardware.
TEST(Math, ApproximationsStayWithinTheirBounds) {
  Numbers<float> next;
  auto check = [&](const char *name, int range, double (*exact)(double),
                   double relative, bool isPositive) {
    auto *function = getMath<float(float)>(std::string("nvvm.") + name);
    ASSERT_TRUE(function) << name;
    for (int i = 0; i < 1000; ++i) {
      float at = next(range);
      at = isPositive ? std::abs(at) : at;
      double want = exact(at), bound = relative * std::abs(want);
      EXPECT_NEAR(function(at), want, bound) << name << " of " << at;
    }
  };
  constexpr double ulp = 0x1p-23;
  check("ex2.approx.f", 5, std::exp2, ulp, false);
  check("lg2.approx.f", 20, std::log2, ulp, true);
  check("sqrt.approx.f", 30, std::sqrt, ulp, true);
  check("tanh.approx.f", 4, std::tanh, ulp, false);
  check("sin.approx.f", 2, std::sin, ulp, false);
  check("cos.approx.f", 2, std::cos, ulp, false);
  auto inverse = [](double a) { return 1 / a; };
  auto inverseRoot = [](double a) { return 1 / std::sqrt(a); };
  check("rcp.approx.f", 30, inverse, ulp, false);
  check("rsqrt.approx.f", 30, inverseRoot, ulp, true);
}

TEST(Math, ApproximateReciprocalOfDoublesHasOneWord) {
  auto *reciprocal = getMath<double(double)>("nvvm.rcp.approx.ftz.d");
  double found = reciprocal(3);
  uint64_t bits;
  memcpy(&bits, &found, 8);
  EXPECT_EQ(bits & 0xFFFFFFFF, 0u);
  EXPECT_NEAR(found, 1.0 / 3, 0x1p-20);
}
