//===- Elementwise.cpp - arithmetic of the evaluator ----------------------===//

#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

namespace {

template <typename T>
T maximumOf(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == 0 && y == 0)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename T>
T minimumOf(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == 0 && y == 0)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

/// A function of one float in the precision of `T`; nothing for others.
template <typename T>
std::optional<T> applyUnary(StringRef name, T x) {
  using Function = T (*)(T);
  static const std::pair<StringRef, Function> functions[] = {
      {"arith.negf", [](T v) { return -v; }},
      {"math.absf", [](T v) { return std::fabs(v); }},
      {"math.sqrt", [](T v) { return std::sqrt(v); }},
      {"math.rsqrt", [](T v) { return T(1) / std::sqrt(v); }},
      {"math.exp", [](T v) { return std::exp(v); }},
      {"math.exp2", [](T v) { return std::exp2(v); }},
      {"math.expm1", [](T v) { return std::expm1(v); }},
      {"math.log", [](T v) { return std::log(v); }},
      {"math.log2", [](T v) { return std::log2(v); }},
      {"math.log10", [](T v) { return std::log10(v); }},
      {"math.log1p", [](T v) { return std::log1p(v); }},
      {"math.sin", [](T v) { return std::sin(v); }},
      {"math.cos", [](T v) { return std::cos(v); }},
      {"math.tan", [](T v) { return std::tan(v); }},
      {"math.asin", [](T v) { return std::asin(v); }},
      {"math.acos", [](T v) { return std::acos(v); }},
      {"math.atan", [](T v) { return std::atan(v); }},
      {"math.sinh", [](T v) { return std::sinh(v); }},
      {"math.cosh", [](T v) { return std::cosh(v); }},
      {"math.tanh", [](T v) { return std::tanh(v); }},
      {"math.asinh", [](T v) { return std::asinh(v); }},
      {"math.acosh", [](T v) { return std::acosh(v); }},
      {"math.atanh", [](T v) { return std::atanh(v); }},
      {"math.erf", [](T v) { return std::erf(v); }},
      {"math.erfc", [](T v) { return std::erfc(v); }},
      {"math.ceil", [](T v) { return std::ceil(v); }},
      {"math.floor", [](T v) { return std::floor(v); }},
      {"math.trunc", [](T v) { return std::trunc(v); }},
      {"math.roundeven", [](T v) { return std::nearbyint(v); }}};
  for (auto [known, function] : functions)
    if (known == name)
      return function(x);
  return std::nullopt;
}

template <typename T>
std::optional<T> applyBinary(StringRef name, T x, T y) {
  using Function = T (*)(T, T);
  static const std::pair<StringRef, Function> functions[] = {
      {"arith.addf", [](T a, T b) { return a + b; }},
      {"arith.subf", [](T a, T b) { return a - b; }},
      {"arith.mulf", [](T a, T b) { return a * b; }},
      {"arith.divf", [](T a, T b) { return a / b; }},
      {"arith.remf", [](T a, T b) { return std::fmod(a, b); }},
      {"arith.maximumf", maximumOf<T>},
      {"arith.minimumf", minimumOf<T>},
      {"arith.maxnumf", [](T a, T b) { return std::fmax(a, b); }},
      {"arith.minnumf", [](T a, T b) { return std::fmin(a, b); }},
      {"math.powf", [](T a, T b) { return std::pow(a, b); }},
      {"math.atan2", [](T a, T b) { return std::atan2(a, b); }},
      {"math.copysign", [](T a, T b) { return std::copysign(a, b); }}};
  for (auto [known, function] : functions)
    if (known == name)
      return function(x, y);
  return std::nullopt;
}

/// One element of a float operation of at most three operands.
template <typename T>
std::optional<double> applyFloat(StringRef name, ArrayRef<double> x) {
  if (x.size() == 1)
    return applyUnary<T>(name, static_cast<T>(x[0]));
  if (x.size() == 2)
    return applyBinary<T>(name, static_cast<T>(x[0]), static_cast<T>(x[1]));
  if (x.size() == 3 && name == "math.fma")
    return std::fma(static_cast<T>(x[0]), static_cast<T>(x[1]),
                    static_cast<T>(x[2]));
  return std::nullopt;
}

std::optional<int64_t> applyInteger(StringRef name, int64_t x, int64_t y,
                                    unsigned width) {
  uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  uint64_t ux = static_cast<uint64_t>(x) & mask;
  uint64_t uy = static_cast<uint64_t>(y) & mask;
  if (name == "arith.addi")
    return static_cast<int64_t>(ux + uy);
  if (name == "arith.subi")
    return static_cast<int64_t>(ux - uy);
  if (name == "arith.muli")
    return static_cast<int64_t>(ux * uy);
  if (name == "arith.andi")
    return x & y;
  if (name == "arith.ori")
    return x | y;
  if (name == "arith.xori")
    return x ^ y;
  if (name == "arith.maxsi")
    return std::max(x, y);
  if (name == "arith.minsi")
    return std::min(x, y);
  if (name == "arith.maxui")
    return ux > uy ? x : y;
  if (name == "arith.minui")
    return ux < uy ? x : y;
  bool shifts = uy < width;
  if (name == "arith.shli" && shifts)
    return static_cast<int64_t>(ux << uy);
  if (name == "arith.shrui" && shifts)
    return static_cast<int64_t>(ux >> uy);
  if (name == "arith.shrsi" && shifts)
    return x >> uy;
  if (uy == 0)
    return std::nullopt;
  if (name == "arith.divui")
    return static_cast<int64_t>(ux / uy);
  if (name == "arith.remui")
    return static_cast<int64_t>(ux % uy);
  if (y == -1 && x == INT64_MIN)
    return std::nullopt;
  if (name == "arith.divsi")
    return x / y;
  if (name == "arith.remsi")
    return x % y;
  return std::nullopt;
}

bool compareFloats(arith::CmpFPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return x == y;
  case arith::CmpFPredicate::UNE:
    return x != y;
  case arith::CmpFPredicate::OLT:
    return x < y;
  case arith::CmpFPredicate::OLE:
    return x <= y;
  case arith::CmpFPredicate::OGT:
    return x > y;
  case arith::CmpFPredicate::OGE:
    return x >= y;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  default:
    llvm_unreachable("capture writes no other comparison");
  }
}

bool compareIntegers(arith::CmpIPredicate predicate, int64_t x, int64_t y,
                     unsigned width) {
  uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  return arith::applyCmpPredicate(
      predicate, APInt(64, static_cast<uint64_t>(x) & mask).trunc(width),
      APInt(64, static_cast<uint64_t>(y) & mask).trunc(width));
}

LogicalResult evaluateFloat(Operation *op,
                            ArrayRef<const DenseTensor *> operands,
                            DenseTensor &result) {
  bool isSingle = result.elementType.isF32();
  if (!isSingle && !result.elementType.isF64())
    return failure();
  StringRef name = op->getName().getStringRef();
  SmallVector<double> values(operands.size());
  for (size_t i = 0; i < result.data.size(); ++i) {
    for (auto [value, operand] : llvm::zip_equal(values, operands))
      value = operand->data[i].real;
    std::optional<double> computed = isSingle
                                         ? applyFloat<float>(name, values)
                                         : applyFloat<double>(name, values);
    if (!computed)
      return failure();
    result.data[i].real = *computed;
  }
  return success();
}

LogicalResult evaluateInteger(Operation *op,
                              ArrayRef<const DenseTensor *> operands,
                              DenseTensor &result) {
  unsigned width = result.elementType.getIntOrFloatBitWidth();
  StringRef name = op->getName().getStringRef();
  if (name == "math.absi" && operands.size() == 1) {
    for (auto [out, in] : llvm::zip_equal(result.data, operands[0]->data))
      out.integer = wrapToType(
          in.integer < 0 ? static_cast<int64_t>(0 - uint64_t(in.integer))
                         : in.integer,
          result.elementType);
    return success();
  }
  if (operands.size() != 2)
    return failure();
  for (size_t i = 0; i < result.data.size(); ++i) {
    std::optional<int64_t> computed =
        applyInteger(name, operands[0]->data[i].integer,
                     operands[1]->data[i].integer, width);
    if (!computed)
      return failure();
    result.data[i].integer = wrapToType(*computed, result.elementType);
  }
  return success();
}

LogicalResult evaluateCompare(Operation *op,
                              ArrayRef<const DenseTensor *> operands,
                              DenseTensor &result) {
  auto floats = dyn_cast<arith::CmpFOp>(op);
  auto integers = dyn_cast<arith::CmpIOp>(op);
  if (!floats && !integers)
    return failure();
  unsigned width = operands[0]->elementType.getIntOrFloatBitWidth();
  for (size_t i = 0; i < result.data.size(); ++i) {
    Element x = operands[0]->data[i], y = operands[1]->data[i];
    result.data[i].integer =
        floats ? compareFloats(floats.getPredicate(), x.real, y.real)
               : compareIntegers(integers.getPredicate(), x.integer, y.integer,
                                 width);
  }
  return success();
}
} // namespace

LogicalResult
reference::evaluateElementwise(Operation *op,
                               ArrayRef<const DenseTensor *> operands,
                               DenseTensor &result) {
  result.data.resize(result.getNumElements());
  if (isa<arith::SelectOp>(op)) {
    for (size_t i = 0; i < result.data.size(); ++i)
      result.data[i] = operands[operands[0]->data[i].integer ? 1 : 2]->data[i];
    return success();
  }
  if (succeeded(evaluateCompare(op, operands, result)))
    return success();
  if (isa<FloatType>(result.elementType))
    return evaluateFloat(op, operands, result);
  return evaluateInteger(op, operands, result);
}

LogicalResult reference::evaluateConversion(Operation *op,
                                            const DenseTensor &operand,
                                            DenseTensor &result) {
  Type from = operand.elementType, to = result.elementType;
  unsigned width = from.getIntOrFloatBitWidth();
  uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  result.data.resize(operand.data.size());
  for (auto [in, out] : llvm::zip_equal(operand.data, result.data)) {
    uint64_t bits = static_cast<uint64_t>(in.integer) & mask;
    if (isa<arith::ExtFOp, RoundOp>(op))
      out.real = roundToType(in.real, to);
    else if (isa<arith::SIToFPOp>(op))
      out.real = to.isF32() ? static_cast<float>(in.integer)
                            : static_cast<double>(in.integer);
    else if (isa<arith::UIToFPOp>(op))
      out.real =
          to.isF32() ? static_cast<float>(bits) : static_cast<double>(bits);
    else if (isa<arith::FPToSIOp>(op))
      // Out of range is what x86 gives: the smallest integer.
      out.integer = std::abs(in.real) < 0x1p63
                        ? wrapToType(static_cast<int64_t>(in.real), to)
                        : wrapToType(INT64_MIN, to);
    else if (isa<arith::ExtSIOp, arith::TruncIOp>(op))
      out.integer = wrapToType(in.integer, to);
    else if (isa<arith::ExtUIOp>(op))
      out.integer = wrapToType(static_cast<int64_t>(bits), to);
    else if (isa<arith::BitcastOp>(op) && from.isF32())
      out.integer = static_cast<int32_t>(
          llvm::bit_cast<uint32_t>(static_cast<float>(in.real)));
    else if (isa<arith::BitcastOp>(op) && from.isF64())
      out.integer = llvm::bit_cast<int64_t>(in.real);
    else
      return failure();
  }
  return success();
}
