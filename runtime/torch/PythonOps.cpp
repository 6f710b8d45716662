//===- PythonOps.cpp - Scalar operators of exported graphs ----------------===//
/// \file
/// Python arithmetic on ints (64-bit, overflow is an error), floats and bools.

#include "PythonOps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

using c10::IValue;

namespace kfuse::aten {
namespace {

using Args = std::vector<IValue>;

[[noreturn]] void fail(const char *what) { throw std::invalid_argument(what); }
[[noreturn]] void overflow() {
  throw std::overflow_error("the result does not fit in 64 bits");
}

bool isFloat(const IValue &v) { return v.isDouble(); }

int64_t asInt(const IValue &v) {
  if (v.isInt())
    return v.toInt();
  if (v.isBool())
    return v.toBool() ? 1 : 0;
  fail("expected an int or a bool");
}

double asFloat(const IValue &v) {
  return v.isDouble() ? v.toDouble() : static_cast<double>(asInt(v));
}

bool truth(const IValue &v) {
  return v.isDouble() ? v.toDouble() != 0.0 : asInt(v) != 0;
}

void expectArgs(const Args &args, size_t count) {
  if (args.size() != count)
    throw std::invalid_argument("expected " + std::to_string(count) +
                                " operands, found " +
                                std::to_string(args.size()));
}

bool anyFloat(const Args &args) {
  return std::any_of(args.begin(), args.end(), isFloat);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    fail("division by zero");
  if (b == -1) {
    if (a == std::numeric_limits<int64_t>::min())
      overflow();
    return -a;
  }
  int64_t q = a / b;
  return (a % b != 0 && (a % b < 0) != (b < 0)) ? q - 1 : q;
}

int64_t pyMod(int64_t a, int64_t b) {
  if (b == 0)
    fail("modulo by zero");
  if (b == -1)
    return 0;
  int64_t r = a % b;
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

double pyMod(double a, double b) {
  if (b == 0.0)
    fail("modulo by zero");
  double r = std::fmod(a, b);
  if (r == 0.0)
    return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

int64_t intPow(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      overflow();
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      overflow();
  }
  return result;
}

IValue add(const Args &args) {
  expectArgs(args, 2);
  if (anyFloat(args))
    return asFloat(args[0]) + asFloat(args[1]);
  int64_t result = 0;
  if (__builtin_add_overflow(asInt(args[0]), asInt(args[1]), &result))
    overflow();
  return result;
}

IValue sub(const Args &args) {
  expectArgs(args, 2);
  if (anyFloat(args))
    return asFloat(args[0]) - asFloat(args[1]);
  int64_t result = 0;
  if (__builtin_sub_overflow(asInt(args[0]), asInt(args[1]), &result))
    overflow();
  return result;
}

IValue mul(const Args &args) {
  expectArgs(args, 2);
  if (anyFloat(args))
    return asFloat(args[0]) * asFloat(args[1]);
  int64_t result = 0;
  if (__builtin_mul_overflow(asInt(args[0]), asInt(args[1]), &result))
    overflow();
  return result;
}

IValue trueDiv(const Args &args) {
  expectArgs(args, 2);
  double divisor = asFloat(args[1]);
  if (divisor == 0.0)
    fail("division by zero");
  return asFloat(args[0]) / divisor;
}

IValue floorDivide(const Args &args) {
  expectArgs(args, 2);
  if (!anyFloat(args))
    return floorDiv(asInt(args[0]), asInt(args[1]));
  double a = asFloat(args[0]), b = asFloat(args[1]);
  if (b == 0.0)
    fail("division by zero");
  // Python derives the quotient from the exact remainder, not from a / b.
  double quotient = (a - pyMod(a, b)) / b;
  double rounded = std::floor(quotient);
  return quotient - rounded > 0.5 ? rounded + 1.0 : rounded;
}

IValue mod(const Args &args) {
  expectArgs(args, 2);
  if (anyFloat(args))
    return pyMod(asFloat(args[0]), asFloat(args[1]));
  return pyMod(asInt(args[0]), asInt(args[1]));
}

IValue power(const Args &args) {
  expectArgs(args, 2);
  if (anyFloat(args) || asInt(args[1]) < 0)
    return std::pow(asFloat(args[0]), asFloat(args[1]));
  return intPow(asInt(args[0]), asInt(args[1]));
}

IValue negate(const Args &args) {
  expectArgs(args, 1);
  if (isFloat(args[0]))
    return -asFloat(args[0]);
  int64_t result = 0;
  if (__builtin_sub_overflow(int64_t(0), asInt(args[0]), &result))
    overflow();
  return result;
}

IValue positive(const Args &args) {
  expectArgs(args, 1);
  return isFloat(args[0]) ? args[0] : IValue(asInt(args[0]));
}

IValue absolute(const Args &args) {
  expectArgs(args, 1);
  if (isFloat(args[0]))
    return std::fabs(asFloat(args[0]));
  return asInt(args[0]) < 0 ? negate(args) : IValue(asInt(args[0]));
}

//===----------------------------------------------------------------------===//
// Rounding and conversions
//===----------------------------------------------------------------------===//

IValue toInt(double value) {
  // 2^63 is exact in double; the largest int64 is not.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
    overflow();
  return static_cast<int64_t>(value);
}

template <double (*Round)(double)>
IValue roundWith(const Args &args) {
  expectArgs(args, 1);
  return isFloat(args[0]) ? toInt(Round(asFloat(args[0])))
                          : IValue(asInt(args[0]));
}
double roundFloor(double v) { return std::floor(v); }
double roundCeil(double v) { return std::ceil(v); }
double roundTrunc(double v) { return std::trunc(v); }
double roundEven(double v) { return std::nearbyint(v); }

template <double (*Fn)(double)>
IValue mathFn(const Args &args) {
  expectArgs(args, 1);
  return Fn(asFloat(args[0]));
}
double pySqrt(double v) {
  if (v < 0)
    fail("square root of a negative number");
  return std::sqrt(v);
}
double pyLog2(double v) {
  if (v <= 0)
    fail("logarithm of a number that is not positive");
  return std::log2(v);
}

IValue symFloat(const Args &args) {
  expectArgs(args, 1);
  return asFloat(args[0]);
}

IValue symInt(const Args &args) {
  expectArgs(args, 1);
  return isFloat(args[0]) ? toInt(std::trunc(asFloat(args[0])))
                          : IValue(asInt(args[0]));
}

//===----------------------------------------------------------------------===//
// Comparison, logic, choice
//===----------------------------------------------------------------------===//

/// Below, equal or above as -1, 0, 1; 2 when unordered.
int compare(const IValue &a, const IValue &b) {
  if (isFloat(a) || isFloat(b)) {
    double x = asFloat(a), y = asFloat(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  }
  int64_t x = asInt(a), y = asInt(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

template <bool (*Test)(int)>
IValue comparison(const Args &args) {
  expectArgs(args, 2);
  return Test(compare(args[0], args[1]));
}
bool isEq(int c) { return c == 0; }
bool isNe(int c) { return c != 0; }
bool isLt(int c) { return c == -1; }
bool isLe(int c) { return c == -1 || c == 0; }
bool isGt(int c) { return c == 1; }
bool isGe(int c) { return c == 1 || c == 0; }

/// torch's sym_max and sym_min: a float as soon as any operand is one.
template <int Wanted>
IValue choose(const Args &args) {
  if (args.empty())
    fail("expected at least one operand, found none");
  IValue best = args[0];
  for (const IValue &v : args)
    if (compare(v, best) == Wanted)
      best = v;
  return anyFloat(args) ? IValue(asFloat(best)) : IValue(asInt(best));
}

template <int64_t (*Fn)(int64_t, int64_t)>
IValue bitOp(const Args &args) {
  expectArgs(args, 2);
  int64_t result = Fn(asInt(args[0]), asInt(args[1]));
  if (args[0].isBool() && args[1].isBool())
    return result != 0;
  return result;
}
int64_t bitAnd(int64_t a, int64_t b) { return a & b; }
int64_t bitOr(int64_t a, int64_t b) { return a | b; }
int64_t bitXor(int64_t a, int64_t b) { return a ^ b; }

IValue leftShift(const Args &args) {
  expectArgs(args, 2);
  int64_t by = asInt(args[1]);
  if (by < 0)
    fail("negative shift count");
  if (by > 62)
    overflow();
  return mul({args[0], IValue(int64_t(1) << by)});
}

IValue rightShift(const Args &args) {
  expectArgs(args, 2);
  int64_t by = asInt(args[1]);
  if (by < 0)
    fail("negative shift count");
  return asInt(args[0]) >> std::min<int64_t>(by, 63);
}

IValue logicalNot(const Args &args) {
  expectArgs(args, 1);
  return !truth(args[0]);
}

IValue symIte(const Args &args) {
  expectArgs(args, 3);
  return truth(args[0]) ? args[1] : args[2];
}

constexpr std::string_view prefix = "python::";

using Table = std::unordered_map<std::string_view, PythonOp>;

const Table &table() {
  static const Table ops = {
      {"_operator.add", add},
      {"_operator.sub", sub},
      {"_operator.mul", mul},
      {"_operator.truediv", trueDiv},
      {"_operator.floordiv", floorDivide},
      {"_operator.mod", mod},
      {"_operator.pow", power},
      {"_operator.neg", negate},
      {"_operator.pos", positive},
      {"_operator.abs", absolute},
      {"_operator.eq", comparison<isEq>},
      {"_operator.ne", comparison<isNe>},
      {"_operator.lt", comparison<isLt>},
      {"_operator.le", comparison<isLe>},
      {"_operator.gt", comparison<isGt>},
      {"_operator.ge", comparison<isGe>},
      {"_operator.and_", bitOp<bitAnd>},
      {"_operator.or_", bitOp<bitOr>},
      {"_operator.xor", bitOp<bitXor>},
      {"_operator.lshift", leftShift},
      {"_operator.rshift", rightShift},
      {"_operator.not_", logicalNot},
      {"math.trunc", roundWith<roundTrunc>},
      {"math.floor", roundWith<roundFloor>},
      {"math.ceil", roundWith<roundCeil>},
      {"builtins.round", roundWith<roundEven>},
      {"builtins.abs", absolute},
      {"builtins.int", symInt},
      {"builtins.float", symFloat},
      {"builtins.max", choose<1>},
      {"builtins.min", choose<-1>},
      {"math.sqrt", mathFn<pySqrt>},
      {"math.log2", mathFn<pyLog2>},
      {"torch.sym_max", choose<1>},
      {"torch.sym_min", choose<-1>},
      {"torch.sym_float", symFloat},
      {"torch.sym_int", symInt},
      {"torch.sym_not", logicalNot},
      {"torch.sym_ite", symIte},
      {"torch._sym_sqrt", mathFn<pySqrt>},
      {"torch._sym_log2", mathFn<pyLog2>},
  };
  return ops;
}

} // namespace

bool isPythonTarget(std::string_view target) {
  return target.substr(0, prefix.size()) == prefix;
}

PythonOp findPythonOp(std::string_view target) {
  if (!isPythonTarget(target))
    return nullptr;
  auto it = table().find(target.substr(prefix.size()));
  return it == table().end() ? nullptr : it->second;
}

} // namespace kfuse::aten
