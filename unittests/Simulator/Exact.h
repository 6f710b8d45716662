//===- Exact.h - roundings checked against exact numbers -------*- C++ -*-===//
///
/// \file
/// Whether a result is the rounding of an exact value in one of PTX's modes.
/// Exact values are not made: a functor compares them with a candidate, in
/// 113-bit arithmetic that is exact for the operands that the tests choose.
///
#ifndef KFUSE_UNITTESTS_SIMULATOR_EXACT_H
#define KFUSE_UNITTESTS_SIMULATOR_EXACT_H

#include "Machine/Operations.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace kfuse::sim::test {

/// 113 bits of precision.
using Wide = __float128;

enum class Mode { Nearest, Zero, Down, Up };
struct NamedMode {
  const char *name; ///< as in the names of operations
  Mode mode;
};
constexpr NamedMode allModes[] = {{"rn", Mode::Nearest},
                                  {"rz", Mode::Zero},
                                  {"rm", Mode::Down},
                                  {"rp", Mode::Up}};

inline int signOf(Wide value) { return (value > 0) - (value < 0); }

template <typename T>
T above(T value) {
  return std::nextafter(value, std::numeric_limits<T>::infinity());
}
template <typename T>
T below(T value) {
  return std::nextafter(value, -std::numeric_limits<T>::infinity());
}

/// `compare(c)` is the sign of the exact value minus c.
template <typename T, typename Compare>
bool isRounding(T result, Mode mode, const Compare &compare) {
  if (mode == Mode::Zero)
    mode = compare(0) > 0 ? Mode::Down : Mode::Up;
  Wide low = below(result), at = result, high = above(result);
  if (mode == Mode::Down)
    return compare(at) >= 0 && compare(high) < 0;
  if (mode == Mode::Up)
    return compare(at) <= 0 && compare(low) > 0;
  // Ties go to the even of both neighbours.
  int under = compare((low + at) / 2), over = compare((at + high) / 2);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  Bits bits;
  memcpy(&bits, &result, sizeof(T));
  bool isEven = bits % 2 == 0;
  return (under > 0 || (under == 0 && isEven)) &&
         (over < 0 || (over == 0 && isEven));
}

/// The machine's function of that name, for the caller's signature.
template <typename Function>
Function *getMath(const std::string &name) {
  static const OperationTable table = [] {
    OperationTable operations;
    addMathOperations(operations);
    return operations;
  }();
  for (auto [known, address] : table)
    if (name == known)
      return reinterpret_cast<Function *>(address);
  return nullptr;
}

/// Numbers with exponents of -range to range, seldom round ones.
template <typename T>
class Numbers {
public:
  T operator()(int range) {
    uint64_t bits = engine();
    // Few bits often: ties and exact results come up.
    int kept = bits % 4 == 0 ? 3 : std::numeric_limits<T>::digits - 1;
    uint64_t mask = (uint64_t(1) << kept) - 1;
    T mantissa = 1 + std::ldexp(static_cast<T>(engine() & mask), -kept);
    T value = std::ldexp(mantissa,
                         static_cast<int>(engine() % (2 * range + 1)) - range);
    return bits >> 63 ? -value : value;
  }

private:
  std::mt19937_64 engine{7};
};

} // namespace kfuse::sim::test

#endif // KFUSE_UNITTESTS_SIMULATOR_EXACT_H
