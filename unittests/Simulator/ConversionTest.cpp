//===- ConversionTest.cpp - conversions and bits of PTX -------------------===//
#include "Exact.h"

#include <gtest/gtest.h>

using namespace kfuse::sim::test;

//===----------------------------------------------------------------------===//
// To integers
//===----------------------------------------------------------------------===//

/// A finite float rounded to an integer by its bits, then clamped.
template <typename To, typename From>
static To roundAndSaturate(From value, Mode mode) {
  int exponent = 0;
  constexpr int digits = std::numeric_limits<From>::digits;
  auto mantissa =
      static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), digits));
  exponent -= digits;
  if (exponent > 66)
    return value < 0 ? std::numeric_limits<To>::min()
                     : std::numeric_limits<To>::max();
  __int128 whole;
  if (exponent >= 0) {
    whole = mantissa * (static_cast<__int128>(1) << exponent);
  } else {
    int shift = std::min(-exponent, 100);
    __int128 unit = static_cast<__int128>(1) << shift;
    __int128 rest = ((mantissa % unit) + unit) % unit; // from the floor
    whole = (mantissa - rest) / unit;
    bool isUp = mode == Mode::Up || (mode == Mode::Zero && value < 0);
    if (mode == Mode::Nearest)
      isUp = 2 * rest > unit || (2 * rest == unit && whole % 2 != 0);
    whole += rest != 0 && isUp;
  }
  __int128 least = std::numeric_limits<To>::min();
  __int128 most = std::numeric_limits<To>::max();
  return static_cast<To>(whole < least ? least : whole > most ? most : whole);
}

template <typename To, typename From>
static void checkToInteger(const std::string &stem) {
  constexpr bool isWide = sizeof(To) == 8 || sizeof(From) == 8;
  constexpr From infinity = std::numeric_limits<From>::infinity();
  for (const NamedMode &mode : allModes) {
    auto *convert = getMath<To(From)>("nvvm." + stem + "." + mode.name);
    ASSERT_TRUE(convert) << stem;
    auto check = [&](From value) {
      EXPECT_EQ(convert(value), (roundAndSaturate<To>(value, mode.mode)))
          << stem << "." << mode.name << " of " << value;
    };
    Numbers<From> next;
    for (int i = 0; i < 2000; ++i)
      check(next(70));
    for (From value : {From(0.5), From(1.5), From(2.5), From(0.49999997)})
      check(value), check(-value);
    // Around each end of the integer's range.
    From end = std::ldexp(From(1), std::numeric_limits<To>::digits);
    for (From value :
         {end, below(end), above(end), -end, below(-end), above(-end), 2 * end})
      check(value);
    EXPECT_EQ(convert(infinity), std::numeric_limits<To>::max()) << stem;
    EXPECT_EQ(convert(-infinity), std::numeric_limits<To>::min()) << stem;
    To ofNan = isWide ? To(uint64_t(1) << (sizeof(To) * 8 - 1)) : To(0);
    EXPECT_EQ(convert(std::numeric_limits<From>::quiet_NaN()), ofNan) << stem;
  }
}
TEST(Conversion, ToIntegersSaturates) {
  checkToInteger<int32_t, float>("f2i");
  checkToInteger<uint32_t, float>("f2ui");
  checkToInteger<int64_t, float>("f2ll");
  checkToInteger<uint64_t, float>("f2ull");
  checkToInteger<int32_t, double>("d2i");
  checkToInteger<uint32_t, double>("d2ui");
  checkToInteger<int64_t, double>("d2ll");
  checkToInteger<uint64_t, double>("d2ull");
}

//===----------------------------------------------------------------------===//
// From integers, to narrower numbers
//===----------------------------------------------------------------------===//

template <typename To, typename From>
static void checkFromInteger(const std::string &stem) {
  std::mt19937_64 engine(5);
  for (const NamedMode &mode : allModes) {
    auto *convert = getMath<To(From)>("nvvm." + stem + "." + mode.name);
    ASSERT_TRUE(convert) << stem;
    auto check = [&](From value) {
      To found = convert(value);
      EXPECT_TRUE(isRounding(found, mode.mode,
                             [&](Wide at) { return signOf(Wide(value) - at); }))
          << stem << "." << mode.name << " of " << value;
      EXPECT_FALSE(value == 0 && std::signbit(found)) << stem << mode.name;
    };
    for (int i = 0; i < 2000; ++i)
      check(static_cast<From>(engine() >> engine() % 64));
    for (From value :
         {From(0), From(1), From(-1), std::numeric_limits<From>::min(),
          std::numeric_limits<From>::max()})
      check(value);
  }
}
TEST(Conversion, FromIntegersIsAnExactRounding) {
  checkFromInteger<float, int32_t>("i2f");
  checkFromInteger<float, uint32_t>("ui2f");
  checkFromInteger<float, int64_t>("ll2f");
  checkFromInteger<float, uint64_t>("ull2f");
  checkFromInteger<double, int32_t>("i2d");
  checkFromInteger<double, uint32_t>("ui2d");
  checkFromInteger<double, int64_t>("ll2d");
  checkFromInteger<double, uint64_t>("ull2d");
}

TEST(Conversion, DoublesToFloats) {
  Numbers<double> next;
  for (const NamedMode &mode : allModes) {
    auto *narrow = getMath<float(double)>(std::string("nvvm.d2f.") + mode.name);
    ASSERT_TRUE(narrow);
    // Subnormal results too.
    for (int i = 0; i < 4000; ++i) {
      double value = next(140);
      if (std::abs(value) > 1e38)
        continue;
      EXPECT_TRUE(isRounding(narrow(value), mode.mode,
                             [&](Wide at) { return signOf(Wide(value) - at); }))
          << mode.name << " of " << value;
    }
  }
}

/// All bf16 patterns, and what lies between them, from their definition.
TEST(Conversion, FloatsToBrainFloatsTieToEven) {
  auto *narrow = getMath<float(float)>("__truncsfbf2");
  ASSERT_TRUE(narrow);
  auto convert = [&](uint32_t bits) {
    float value, result;
    memcpy(&value, &bits, 4);
    result = narrow(value);
    memcpy(&bits, &result, 4);
    return bits & 0xFFFF;
  };
  for (uint32_t high = 0; high < 0x10000; ++high) {
    bool isFinite = (high & 0x7F80) != 0x7F80;
    uint32_t bits = high << 16;
    if (!isFinite) {
      bool isInfinite = (high & 0x7F) == 0;
      EXPECT_EQ(convert(bits), isInfinite ? high : 0x7FFF);
      continue;
    }
    EXPECT_EQ(convert(bits), high);
    EXPECT_EQ(convert(bits | 0x7FFF), high);
    EXPECT_EQ(convert(bits | 0x8000), high + (high & 1));
    EXPECT_EQ(convert(bits | 0x8001), high + 1);
  }
}

TEST(Conversion, FloatsToHalves) {
  auto *narrow = getMath<uint16_t(float)>("nvvm.f2h.rn");
  EXPECT_EQ(narrow(1.0f), 0x3C00);
  EXPECT_EQ(narrow(1.0f + 0x1p-11f), 0x3C00);            // a tie, to even
  EXPECT_EQ(narrow(1.0f + 0x1p-10f + 0x1p-11f), 0x3C02); // a tie, to even
  EXPECT_EQ(narrow(65519.0f), 0x7BFF);
  EXPECT_EQ(narrow(65520.0f), 0x7C00);
  EXPECT_EQ(narrow(0x1p-24f), 0x0001);
  EXPECT_EQ(narrow(0x1p-25f), 0x0000);
  EXPECT_EQ(narrow(-0x1.8p-25f), 0x8001);
}

//===----------------------------------------------------------------------===//
// Words and bits
//===----------------------------------------------------------------------===//

TEST(Bits, HighProducts) {
  EXPECT_EQ(getMath<int32_t(int32_t, int32_t)>("nvvm.mulhi.i")(-3, 1 << 30),
            -1);
  EXPECT_EQ(getMath<uint32_t(uint32_t, uint32_t)>("nvvm.mulhi.ui")(~0u, ~0u),
            0xFFFFFFFEu);
  EXPECT_EQ(
      getMath<int64_t(int64_t, int64_t)>("nvvm.mulhi.ll")(INT64_MIN, INT64_MIN),
      int64_t(1) << 62);
  EXPECT_EQ(
      getMath<uint64_t(uint64_t, uint64_t)>("nvvm.mulhi.ull")(~0ull, ~0ull),
      ~1ull);
}

TEST(Bits, SumOfAbsoluteDifference) {
  auto *sad = getMath<uint32_t(int32_t, int32_t, uint32_t)>("nvvm.sad.i");
  auto *sadU = getMath<uint32_t(uint32_t, uint32_t, uint32_t)>("nvvm.sad.ui");
  EXPECT_EQ(sad(-5, 7, 100), 112u);
  EXPECT_EQ(sad(INT32_MAX, INT32_MIN, 0), ~0u);
  EXPECT_EQ(sadU(5, ~0u, 1), 0xFFFFFFFBu);
}

TEST(Bits, PermutesBytes) {
  auto *permute = getMath<uint32_t(uint32_t, uint32_t, uint32_t)>("nvvm.prmt");
  uint32_t a = 0x03827100, b = 0x87068504; // byte i of both is about i
  EXPECT_EQ(permute(a, b, 0x3210), a);
  EXPECT_EQ(permute(a, b, 0x7654), b);
  EXPECT_EQ(permute(a, b, 0x0123), 0x00718203u);
  EXPECT_EQ(permute(a, b, 0x5410), 0x85047100u);
  // Bit 3 of a selector spreads the sign of its byte.
  EXPECT_EQ(permute(a, b, 0xFEDC), 0xFF00FF00u);
  EXPECT_EQ(permute(a, b, 0xBA98), 0x00FF0000u);
  // Only four bits of each count.
  EXPECT_EQ(permute(a, b, 0xABCD3210), a);
}

TEST(Bits, HalvesOfDoubles) {
  auto *high = getMath<uint32_t(double)>("nvvm.d2i.hi");
  auto *low = getMath<uint32_t(double)>("nvvm.d2i.lo");
  auto *join = getMath<double(uint32_t, uint32_t)>("nvvm.lohi.i2d");
  double value = -1.2345e-67;
  EXPECT_EQ(join(low(value), high(value)), value);
  EXPECT_EQ(high(1.0), 0x3FF00000u);
  EXPECT_EQ(low(1.0), 0u);
}

TEST(Bits, ShiftToTheTop) {
  auto *shift = getMath<uint32_t(uint32_t)>("nvvm.bfind.shiftamt");
  EXPECT_EQ(shift(0), ~0u);
  EXPECT_EQ(shift(1), 31u);
  EXPECT_EQ(shift(0x80000000), 0u);
  EXPECT_EQ(shift(0x00FF0000), 8u);
}
