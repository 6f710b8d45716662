//===- Math.cpp - arithmetic of PTX ---------------------------------------===//
///
/// \file
/// What `llvm.nvvm.` intrinsics compute (PTX ISA 9.7.3 and 9.7.9). Roundings
/// are exact. The hardware's approximations are not known bit for bit: here
/// they are the correctly rounded function, from which hardware differs by at
/// most what the ISA states (ex2, lg2 2 ulp, rcp 1, rsqrt and sqrt 2, sin and
/// cos 2^-20.9 absolute, tanh 2^-11 relative).
///
#include "Numbers.h"
#include "Operations.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kfuse::sim {

namespace {
template <typename To, typename From>
To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// Sets the rounding of the host while it lives.
class Rounding {
public:
  explicit Rounding(int mode) : before(fegetround()) { fesetround(mode); }
  ~Rounding() { fesetround(before); }

private:
  int before;
};

float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}
template <bool Ftz, typename T>
T flushIf(T value) {
  if constexpr (Ftz && std::is_same_v<T, float>)
    return flush(value);
  return value;
}

// Operations of one rounding mode. The barrier keeps the compiler from moving
// the arithmetic out of the mode.
template <typename T>
T keep(T value) {
  asm volatile("" : "+x"(value));
  return value;
}

template <int Mode, bool Ftz, typename T>
T add(T a, T b) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(keep(flushIf<Ftz>(a)) + keep(flushIf<Ftz>(b))));
}
template <int Mode, bool Ftz, typename T>
T sub(T a, T b) {
  return add<Mode, Ftz, T>(a, -b);
}
template <int Mode, bool Ftz, typename T>
T mul(T a, T b) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(keep(flushIf<Ftz>(a)) * keep(flushIf<Ftz>(b))));
}
template <int Mode, bool Ftz, typename T>
T div(T a, T b) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(keep(flushIf<Ftz>(a)) / keep(flushIf<Ftz>(b))));
}
template <int Mode, bool Ftz, typename T>
T fma(T a, T b, T c) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(std::fma(
      keep(flushIf<Ftz>(a)), keep(flushIf<Ftz>(b)), keep(flushIf<Ftz>(c)))));
}
template <int Mode, bool Ftz, typename T>
T root(T a) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(std::sqrt(keep(flushIf<Ftz>(a)))));
}
template <int Mode, bool Ftz, typename T>
T reciprocal(T a) {
  return div<Mode, Ftz, T>(T(1), a);
}
template <int Mode, bool Ftz>
float narrow(double a) {
  Rounding rounding(Mode);
  return flushIf<Ftz>(keep(static_cast<float>(keep(a))));
}

template <int Mode, typename T>
T roundTo(T a) {
  Rounding rounding(Mode);
  return keep(std::nearbyint(keep(a)));
}
/// cvt to an integer: saturates; NaN gives 0, or the sign bit when either side
/// has 64 bits.
template <int Mode, bool Ftz, typename To, typename From>
To toInteger(From value) {
  value = flushIf<Ftz>(value);
  constexpr bool isWide = sizeof(From) == 8 || sizeof(To) == 8;
  if (value != value)
    return isWide ? To(uint64_t(1) << (sizeof(To) * 8 - 1)) : To(0);
  value = roundTo<Mode>(value);
  auto low = static_cast<From>(std::numeric_limits<To>::min());
  // 2^n, which the largest integer rounds up to.
  From high = std::ldexp(From(1), std::numeric_limits<To>::digits);
  if (value < low)
    return std::numeric_limits<To>::min();
  if (value >= high)
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}
template <int Mode, typename To, typename From>
To fromInteger(From value) {
  Rounding rounding(Mode);
  asm volatile("" : "+r"(value));
  return keep(static_cast<To>(value));
}

// Approximations, from the correctly rounded function.
template <bool Ftz>
float through(float a, double (*function)(double)) {
  return flushIf<Ftz>(
      static_cast<float>(function(static_cast<double>(flushIf<Ftz>(a)))));
}
double inverseRoot(double a) { return 1.0 / std::sqrt(a); }
double inverse(double a) { return 1.0 / a; }
template <bool Ftz>
float ex2(float a) {
  return through<Ftz>(a, std::exp2);
}
template <bool Ftz>
float lg2(float a) {
  return through<Ftz>(a, std::log2);
}
template <bool Ftz>
float sine(float a) {
  return through<Ftz>(a, std::sin);
}
template <bool Ftz>
float cosine(float a) {
  return through<Ftz>(a, std::cos);
}
template <bool Ftz>
float rsqrt(float a) {
  return through<Ftz>(a, inverseRoot);
}
template <bool Ftz>
float rcpNear(float a) {
  return through<Ftz>(a, inverse);
}
template <bool Ftz>
float rootNear(float a) {
  return through<Ftz>(a, std::sqrt);
}
template <bool Ftz>
float divNear(float a, float b) {
  return div<FE_TONEAREST, Ftz, float>(a, b);
}
float tanhNear(float a) { return through<false>(a, std::tanh); }
double rsqrtDouble(double a) { return 1.0 / std::sqrt(a); }
double rsqrtDoubleFlushed(double a) {
  return rsqrtDouble(std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0, a)
                                                        : a);
}
/// rcp.approx.ftz.f64 keeps the upper word (PTX ISA 9.7.3.14).
double rcpDouble(double a) {
  uint64_t bits = bitsOf<uint64_t>(1.0 / a);
  double value = bitsOf<double>(bits & 0xFFFFFFFF00000000);
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value)
                                                : value;
}

template <bool Ftz>
float larger(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  if (a == b)
    return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}
template <bool Ftz>
float smaller(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  if (a == b)
    return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
float size(float a) { return flush(std::fabs(a)); }
float lower(float a) { return std::floor(flush(a)); }
float upper(float a) { return std::ceil(flush(a)); }
template <bool Ftz>
float saturate(float a) {
  a = flushIf<Ftz>(a);
  return a != a || a < 0 ? 0 : a > 1 ? 1 : a;
}

// Integers and bits.
uint32_t highOf(double a) { return bitsOf<uint64_t>(a) >> 32; }
uint32_t lowOf(double a) { return static_cast<uint32_t>(bitsOf<uint64_t>(a)); }
double join(uint32_t low, uint32_t high) {
  return bitsOf<double>(uint64_t(high) << 32 | low);
}
int32_t mulHigh(int32_t a, int32_t b) { return int64_t(a) * b >> 32; }
uint32_t mulHighU(uint32_t a, uint32_t b) { return uint64_t(a) * b >> 32; }
int64_t mulHighL(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<__int128>(a) * b >> 64);
}
uint64_t mulHighUL(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
uint32_t sad(int32_t a, int32_t b, uint32_t c) {
  return c + (a < b ? uint32_t(b) - uint32_t(a) : uint32_t(a) - uint32_t(b));
}
uint32_t sadU(uint32_t a, uint32_t b, uint32_t c) {
  return c + (a < b ? b - a : a - b);
}
/// prmt.b32 in its generic mode.
uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t chosen = selector >> (4 * i) & 15;
    auto byte = static_cast<uint8_t>(bytes >> (8 * (chosen & 7)));
    if (chosen & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}
/// Left shift that brings the highest set bit to the top; all ones for 0.
uint32_t shiftToTop(uint32_t a) { return a ? __builtin_clz(a) : ~0u; }
uint16_t narrowToHalf(float a) {
  return bitsOf<uint16_t>(static_cast<_Float16>(a));
}
uint16_t toHalfFlushed(float a) { return narrowToHalf(flush(a)); }

/// bf16 comes back in the low half of a vector register.
float truncateToBrain(float a) { return bitsToFloat(toBrain(a)); }
} // namespace

template <typename Function>
static void add(OperationTable &table, const char *name, Function *function) {
  table.emplace_back(name, reinterpret_cast<void *>(function));
}

// The directed roundings of every operation; those to nearest that flush.
#define FOR_EACH_MODE(DO)                                                      \
  DO("rm", FE_DOWNWARD)                                                        \
  DO("rp", FE_UPWARD) DO("rz", FE_TOWARDZERO) DO("rn", FE_TONEAREST)

static void addArithmetic(OperationTable &table) {
#define ADD(M, MODE)                                                           \
  add(table, "nvvm.add." M ".f", add<MODE, false, float>);                     \
  add(table, "nvvm.add." M ".ftz.f", add<MODE, true, float>);                  \
  add(table, "nvvm.add." M ".d", add<MODE, false, double>);                    \
  add(table, "nvvm.sub." M ".f", sub<MODE, false, float>);                     \
  add(table, "nvvm.sub." M ".ftz.f", sub<MODE, true, float>);                  \
  add(table, "nvvm.sub." M ".d", sub<MODE, false, double>);                    \
  add(table, "nvvm.mul." M ".f", mul<MODE, false, float>);                     \
  add(table, "nvvm.mul." M ".ftz.f", mul<MODE, true, float>);                  \
  add(table, "nvvm.mul." M ".d", mul<MODE, false, double>);                    \
  add(table, "nvvm.div." M ".f", div<MODE, false, float>);                     \
  add(table, "nvvm.div." M ".ftz.f", div<MODE, true, float>);                  \
  add(table, "nvvm.div." M ".d", div<MODE, false, double>);                    \
  add(table, "nvvm.fma." M ".f", fma<MODE, false, float>);                     \
  add(table, "nvvm.fma." M ".ftz.f", fma<MODE, true, float>);                  \
  add(table, "nvvm.fma." M ".d", fma<MODE, false, double>);                    \
  add(table, "nvvm.sqrt." M ".f", root<MODE, false, float>);                   \
  add(table, "nvvm.sqrt." M ".ftz.f", root<MODE, true, float>);                \
  add(table, "nvvm.sqrt." M ".d", root<MODE, false, double>);                  \
  add(table, "nvvm.rcp." M ".f", reciprocal<MODE, false, float>);              \
  add(table, "nvvm.rcp." M ".ftz.f", reciprocal<MODE, true, float>);           \
  add(table, "nvvm.rcp." M ".d", reciprocal<MODE, false, double>);             \
  add(table, "nvvm.d2f." M, narrow<MODE, false>);                              \
  add(table, "nvvm.d2f." M ".ftz", narrow<MODE, true>);
  FOR_EACH_MODE(ADD)
#undef ADD
}

static void addConversions(OperationTable &table) {
#define ADD(M, MODE)                                                           \
  add(table, "nvvm.f2i." M, toInteger<MODE, false, int32_t, float>);           \
  add(table, "nvvm.f2i." M ".ftz", toInteger<MODE, true, int32_t, float>);     \
  add(table, "nvvm.f2ui." M, toInteger<MODE, false, uint32_t, float>);         \
  add(table, "nvvm.f2ui." M ".ftz", toInteger<MODE, true, uint32_t, float>);   \
  add(table, "nvvm.f2ll." M, toInteger<MODE, false, int64_t, float>);          \
  add(table, "nvvm.f2ll." M ".ftz", toInteger<MODE, true, int64_t, float>);    \
  add(table, "nvvm.f2ull." M, toInteger<MODE, false, uint64_t, float>);        \
  add(table, "nvvm.f2ull." M ".ftz", toInteger<MODE, true, uint64_t, float>);  \
  add(table, "nvvm.d2i." M, toInteger<MODE, false, int32_t, double>);          \
  add(table, "nvvm.d2ui." M, toInteger<MODE, false, uint32_t, double>);        \
  add(table, "nvvm.d2ll." M, toInteger<MODE, false, int64_t, double>);         \
  add(table, "nvvm.d2ull." M, toInteger<MODE, false, uint64_t, double>);       \
  add(table, "nvvm.i2f." M, fromInteger<MODE, float, int32_t>);                \
  add(table, "nvvm.ui2f." M, fromInteger<MODE, float, uint32_t>);              \
  add(table, "nvvm.ll2f." M, fromInteger<MODE, float, int64_t>);               \
  add(table, "nvvm.ull2f." M, fromInteger<MODE, float, uint64_t>);             \
  add(table, "nvvm.i2d." M, fromInteger<MODE, double, int32_t>);               \
  add(table, "nvvm.ui2d." M, fromInteger<MODE, double, uint32_t>);             \
  add(table, "nvvm.ll2d." M, fromInteger<MODE, double, int64_t>);              \
  add(table, "nvvm.ull2d." M, fromInteger<MODE, double, uint64_t>);
  FOR_EACH_MODE(ADD)
#undef ADD
}
#undef FOR_EACH_MODE

static void addApproximations(OperationTable &table) {
#define ADD(NAME, FUNCTION)                                                    \
  add(table, "nvvm." NAME ".f", FUNCTION<false>);                              \
  add(table, "nvvm." NAME ".ftz.f", FUNCTION<true>);
  ADD("ex2.approx", ex2)
  ADD("lg2.approx", lg2)
  ADD("sin.approx", sine)
  ADD("cos.approx", cosine)
  ADD("rsqrt.approx", rsqrt)
  ADD("rcp.approx", rcpNear)
  ADD("sqrt.approx", rootNear)
  ADD("div.approx", divNear)
#undef ADD
  add(table, "nvvm.tanh.approx.f", tanhNear);
  add(table, "nvvm.rsqrt.approx.d", rsqrtDouble);
  add(table, "nvvm.rsqrt.approx.ftz.d", rsqrtDoubleFlushed);
  add(table, "nvvm.rcp.approx.ftz.d", rcpDouble);
}

void addMathOperations(OperationTable &table) {
  addArithmetic(table);
  addConversions(table);
  addApproximations(table);
  add(table, "nvvm.fmax.ftz.f", larger<true>);
  add(table, "nvvm.fmin.ftz.f", smaller<true>);
  add(table, "nvvm.fabs.ftz.f", size);
  add(table, "nvvm.floor.ftz.f", lower);
  add(table, "nvvm.ceil.ftz.f", upper);
  add(table, "nvvm.saturate.f", saturate<false>);
  add(table, "nvvm.saturate.ftz.f", saturate<true>);
  add(table, "nvvm.d2i.hi", highOf);
  add(table, "nvvm.d2i.lo", lowOf);
  add(table, "nvvm.lohi.i2d", join);
  add(table, "nvvm.mulhi.i", mulHigh);
  add(table, "nvvm.mulhi.ui", mulHighU);
  add(table, "nvvm.mulhi.ll", mulHighL);
  add(table, "nvvm.mulhi.ull", mulHighUL);
  add(table, "nvvm.sad.i", sad);
  add(table, "nvvm.sad.ui", sadU);
  add(table, "nvvm.prmt", permute);
  add(table, "nvvm.bfind.shiftamt", shiftToTop);
  add(table, "nvvm.f2h.rn", narrowToHalf);
  add(table, "nvvm.f2h.rn.ftz", toHalfFlushed);
  add(table, "__truncsfbf2", truncateToBrain);
}

} // namespace kfuse::sim
