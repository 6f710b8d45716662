//===- HostOps.cpp - arithmetic on scalars --------------------------------===//
#include "HostOps.h"

#include "Expression.h"

#include <cmath>

namespace kfuse {

static KfuseScalar makeInt(int64_t value) {
  KfuseScalar scalar = {};
  scalar.value.i = value;
  return scalar;
}
static KfuseScalar makeBool(bool value) {
  KfuseScalar scalar = makeInt(value);
  scalar.kind = KFUSE_SCALAR_BOOL;
  return scalar;
}
static KfuseScalar makeFloat(double value) {
  KfuseScalar scalar = {};
  scalar.kind = KFUSE_SCALAR_FLOAT;
  scalar.value.f = value;
  return scalar;
}
static bool isFloat(const KfuseScalar &scalar) {
  return scalar.kind == KFUSE_SCALAR_FLOAT;
}
static double toDouble(const KfuseScalar &scalar) {
  return isFloat(scalar) ? scalar.value.f : static_cast<double>(scalar.value.i);
}
static bool isTrue(const KfuseScalar &scalar) {
  return isFloat(scalar) ? scalar.value.f != 0 : scalar.value.i != 0;
}

static Result<KfuseScalar> floatToInt(double value) {
  if (!(value > -9.3e18 && value < 9.2e18))
    return makeError(KFUSE_GUARD_FAILED, "%g does not fit an integer", value);
  return makeInt(static_cast<int64_t>(value));
}

static Result<KfuseScalar> callUnary(const std::string &name,
                                     const KfuseScalar &a) {
  if (name == "_operator.neg" || name == "_operator.pos") {
    if (name == "_operator.pos")
      return KfuseScalar(a);
    if (isFloat(a))
      return makeFloat(-a.value.f);
    int64_t value;
    if (!applyExprOp(ExprOp::Mul, a.value.i, -1, value))
      return makeError(KFUSE_GUARD_FAILED, "overflow");
    return makeInt(value);
  }
  if (name == "_operator.not_" || name == "torch.sym_not")
    return makeBool(!isTrue(a));
  if (name == "torch.sym_float" || name == "builtins.float")
    return makeFloat(toDouble(a));
  if (name == "math.sqrt" || name == "torch._sym_sqrt")
    return makeFloat(std::sqrt(toDouble(a)));
  bool isTruncation =
      name == "math.trunc" || name == "torch.sym_int" || name == "builtins.int";
  bool isRounding = isTruncation || name == "math.floor" ||
                    name == "math.ceil" || name == "builtins.round";
  if (isRounding) {
    if (!isFloat(a))
      return makeInt(a.value.i);
    double value = a.value.f;
    if (isTruncation)
      return floatToInt(std::trunc(value));
    if (name == "math.floor")
      return floatToInt(std::floor(value));
    if (name == "math.ceil")
      return floatToInt(std::ceil(value));
    return floatToInt(std::nearbyint(value));
  }
  return makeError(KFUSE_UNSUPPORTED, "unknown function of one scalar");
}

static std::optional<bool> compare(const std::string &name, double a,
                                   double b) {
  if (name == "eq")
    return a == b;
  if (name == "ne")
    return a != b;
  if (name == "lt")
    return a < b;
  if (name == "le")
    return a <= b;
  if (name == "gt")
    return a > b;
  if (name == "ge")
    return a >= b;
  return std::nullopt;
}

static std::optional<bool> compareInts(const std::string &name, int64_t a,
                                       int64_t b) {
  // -1, 0 or 1 compare like the integers do, without rounding them.
  return compare(name, a < b ? -1 : a > b, 0);
}

static Result<KfuseScalar> callFloat(const std::string &name, double a,
                                     double b) {
  if (name == "add")
    return makeFloat(a + b);
  if (name == "sub")
    return makeFloat(a - b);
  if (name == "mul")
    return makeFloat(a * b);
  if (name == "pow")
    return makeFloat(std::pow(a, b));
  if (name == "max")
    return makeFloat(b > a ? b : a);
  if (name == "min")
    return makeFloat(b < a ? b : a);
  if (name == "floordiv" || name == "mod") {
    if (b == 0)
      return makeError(KFUSE_GUARD_FAILED, "division by zero");
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
      rest += b;
    return makeFloat(name == "mod" ? rest : std::floor((a - rest) / b + 0.5));
  }
  return makeError(KFUSE_UNSUPPORTED, "unknown function of two scalars");
}

static Result<KfuseScalar> callInt(const std::string &name, int64_t a,
                                   int64_t b) {
  int64_t value = 0;
  bool isDone = false;
  if (name == "add")
    isDone = applyExprOp(ExprOp::Add, a, b, value);
  else if (name == "sub")
    isDone = !__builtin_sub_overflow(a, b, &value);
  else if (name == "mul")
    isDone = applyExprOp(ExprOp::Mul, a, b, value);
  else if (name == "floordiv")
    isDone = applyExprOp(ExprOp::FloorDiv, a, b, value);
  else if (name == "mod")
    isDone = applyExprOp(ExprOp::Mod, a, b, value);
  else if (name == "max" || name == "min")
    isDone =
        applyExprOp(name == "max" ? ExprOp::Max : ExprOp::Min, a, b, value);
  else if (name == "pow" && b >= 0) {
    value = 1;
    isDone = b < 64 || (a >= -1 && a <= 1);
    for (int64_t i = 0; isDone && i < (b < 64 ? b : 64 + b % 2); ++i)
      isDone = applyExprOp(ExprOp::Mul, value, a, value);
  } else
    return makeError(KFUSE_UNSUPPORTED, "unknown function of two scalars");
  if (!isDone)
    return makeError(KFUSE_GUARD_FAILED, "overflow or division by zero");
  return makeInt(value);
}

static Result<KfuseScalar> callBinary(const std::string &qualified,
                                      const KfuseScalar &a,
                                      const KfuseScalar &b) {
  std::string name = qualified.substr(qualified.rfind('.') + 1);
  if (name == "and_")
    return makeBool(isTrue(a) && isTrue(b));
  if (name == "or_")
    return makeBool(isTrue(a) || isTrue(b));
  if (name == "sym_max" || name == "sym_min")
    name = name.substr(4);
  bool areFloats = isFloat(a) || isFloat(b);
  auto order = areFloats ? compare(name, toDouble(a), toDouble(b))
                         : compareInts(name, a.value.i, b.value.i);
  if (order)
    return makeBool(*order);
  if (name == "truediv") {
    if (toDouble(b) == 0)
      return makeError(KFUSE_GUARD_FAILED, "division by zero");
    return makeFloat(toDouble(a) / toDouble(b));
  }
  if (areFloats)
    return callFloat(name, toDouble(a), toDouble(b));
  return callInt(name, a.value.i, b.value.i);
}

Result<KfuseScalar> callHostFunction(const std::string &name,
                                     const std::vector<KfuseScalar> &operands) {
  if (operands.size() == 1)
    return callUnary(name, operands[0]);
  if (operands.size() == 2)
    return callBinary(name, operands[0], operands[1]);
  if (operands.size() == 3 && name == "torch.sym_ite")
    return KfuseScalar(operands[isTrue(operands[0]) ? 1 : 2]);
  return makeError(KFUSE_UNSUPPORTED, "unknown function of %zu scalars",
                   operands.size());
}

} // namespace kfuse
