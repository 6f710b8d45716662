//===- Expr.cpp - symbolic integer expressions ----------------------------===//
/// Simplification, evaluation and the text form of `#kfuse.expr`.

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::kfuse;

static ExprAttr getNode(ExprKind kind, ArrayRef<ExprAttr> operands) {
  return ExprAttr::get(operands.front().getContext(), kind, 0, "", operands);
}

ExprAttr ExprAttr::constant(MLIRContext *context, int64_t value) {
  return get(context, ExprKind::Constant, value, "", {});
}

ExprAttr ExprAttr::symbol(MLIRContext *context, StringRef name) {
  return get(context, ExprKind::Symbol, 0, name, {});
}

std::optional<int64_t> ExprAttr::getConstant() const {
  if (getKind() == ExprKind::Constant)
    return getValue();
  return std::nullopt;
}

/// Total order of expressions that does not depend on addresses, so that
/// output is reproducible.
static bool isBefore(ExprAttr lhs, ExprAttr rhs) {
  if (lhs == rhs)
    return false;
  auto rank = [](ExprAttr e) {
    return std::make_tuple(static_cast<int>(e.getKind()), e.getName(),
                           e.getValue(), e.getOperands().size());
  };
  if (rank(lhs) != rank(rhs))
    return rank(lhs) < rank(rhs);
  return std::lexicographical_compare(
      lhs.getOperands().begin(), lhs.getOperands().end(),
      rhs.getOperands().begin(), rhs.getOperands().end(), isBefore);
}

namespace {
/// A polynomial: sorted factor lists (monomials) with integer coefficients.
struct BeforeAttr {
  bool operator()(const SmallVector<ExprAttr, 2> &lhs,
                  const SmallVector<ExprAttr, 2> &rhs) const {
    return std::lexicographical_compare(lhs.begin(), lhs.end(), rhs.begin(),
                                        rhs.end(), isBefore);
  }
};
using Polynomial = std::map<SmallVector<ExprAttr, 2>, int64_t, BeforeAttr>;
} // namespace

/// Splits a term into its coefficient and sorted factors.
static std::pair<SmallVector<ExprAttr, 2>, int64_t> splitTerm(ExprAttr expr) {
  int64_t coefficient = 1;
  SmallVector<ExprAttr, 2> factors;
  ArrayRef<ExprAttr> operands = expr.getKind() == ExprKind::Mul
                                    ? expr.getOperands()
                                    : ArrayRef<ExprAttr>(expr);
  for (ExprAttr operand : operands) {
    if (std::optional<int64_t> value = operand.getConstant())
      coefficient *= *value;
    else
      factors.push_back(operand);
  }
  llvm::sort(factors, isBefore);
  return {factors, coefficient};
}

static Polynomial getPolynomial(ExprAttr expr) {
  Polynomial result;
  ArrayRef<ExprAttr> terms = expr.getKind() == ExprKind::Add
                                 ? expr.getOperands()
                                 : ArrayRef<ExprAttr>(expr);
  for (ExprAttr term : terms) {
    auto [factors, coefficient] = splitTerm(term);
    result[factors] += coefficient;
  }
  return result;
}

static ExprAttr buildTerm(MLIRContext *context, ArrayRef<ExprAttr> factors,
                          int64_t coefficient) {
  SmallVector<ExprAttr> operands(factors);
  if (operands.empty() || coefficient != 1)
    operands.push_back(ExprAttr::constant(context, coefficient));
  return operands.size() == 1 ? operands.front()
                              : getNode(ExprKind::Mul, operands);
}

static ExprAttr buildPolynomial(MLIRContext *context, const Polynomial &poly) {
  SmallVector<ExprAttr> terms;
  int64_t constantTerm = 0;
  for (auto &[factors, coefficient] : poly) {
    if (factors.empty())
      constantTerm = coefficient;
    else if (coefficient != 0)
      terms.push_back(buildTerm(context, factors, coefficient));
  }
  if (terms.empty() || constantTerm != 0)
    terms.push_back(ExprAttr::constant(context, constantTerm));
  return terms.size() == 1 ? terms.front() : getNode(ExprKind::Add, terms);
}

ExprAttr ExprAttr::add(ExprAttr lhs, ExprAttr rhs) {
  Polynomial result = getPolynomial(lhs);
  for (auto &[factors, coefficient] : getPolynomial(rhs))
    result[factors] += coefficient;
  return buildPolynomial(lhs.getContext(), result);
}

ExprAttr ExprAttr::sub(ExprAttr lhs, ExprAttr rhs) {
  return add(lhs, mul(rhs, -1));
}

ExprAttr ExprAttr::mul(ExprAttr lhs, int64_t rhs) {
  return mul(lhs, constant(lhs.getContext(), rhs));
}

ExprAttr ExprAttr::mul(ExprAttr lhs, ExprAttr rhs) {
  Polynomial result;
  for (auto &[lhsFactors, lhsCoefficient] : getPolynomial(lhs)) {
    for (auto &[rhsFactors, rhsCoefficient] : getPolynomial(rhs)) {
      SmallVector<ExprAttr, 2> factors(lhsFactors);
      factors.append(rhsFactors.begin(), rhsFactors.end());
      llvm::sort(factors, isBefore);
      result[factors] += lhsCoefficient * rhsCoefficient;
    }
  }
  return buildPolynomial(lhs.getContext(), result);
}

ExprAttr ExprAttr::product(MLIRContext *context, ArrayRef<ExprAttr> factors) {
  ExprAttr result = constant(context, 1);
  for (ExprAttr factor : factors)
    result = mul(result, factor);
  return result;
}

static int64_t floorMod(int64_t lhs, int64_t rhs) {
  return lhs - llvm::divideFloorSigned(lhs, rhs) * rhs;
}

/// `lhs / rhs` when each term of the polynomial is divisible, else null.
static ExprAttr divideExactly(ExprAttr lhs, ExprAttr rhs) {
  auto [rhsFactors, rhsCoefficient] = splitTerm(rhs);
  if (rhs.getKind() == ExprKind::Add || rhsCoefficient == 0)
    return ExprAttr();
  Polynomial result;
  for (auto &[factors, coefficient] : getPolynomial(lhs)) {
    SmallVector<ExprAttr, 2> rest(factors);
    for (ExprAttr factor : rhsFactors) {
      auto *it = llvm::find(rest, factor);
      if (it == rest.end())
        return ExprAttr();
      rest.erase(it);
    }
    if (coefficient % rhsCoefficient != 0)
      return ExprAttr();
    result[rest] += coefficient / rhsCoefficient;
  }
  return buildPolynomial(lhs.getContext(), result);
}

ExprAttr ExprAttr::floorDiv(ExprAttr lhs, ExprAttr rhs) {
  if (rhs.isConstant(1))
    return lhs;
  if (lhs == rhs)
    return constant(lhs.getContext(), 1);
  auto lhsValue = lhs.getConstant(), rhsValue = rhs.getConstant();
  if (lhsValue && rhsValue && *rhsValue != 0)
    return constant(lhs.getContext(),
                    llvm::divideFloorSigned(*lhsValue, *rhsValue));
  if (ExprAttr exact = divideExactly(lhs, rhs))
    return exact;
  return getNode(ExprKind::FloorDiv, {lhs, rhs});
}

ExprAttr ExprAttr::ceilDiv(ExprAttr lhs, int64_t rhs) {
  return ceilDiv(lhs, constant(lhs.getContext(), rhs));
}

ExprAttr ExprAttr::ceilDiv(ExprAttr lhs, ExprAttr rhs) {
  if (rhs.isConstant(1))
    return lhs;
  auto lhsValue = lhs.getConstant(), rhsValue = rhs.getConstant();
  if (lhsValue && rhsValue && *rhsValue != 0)
    return constant(lhs.getContext(),
                    llvm::divideCeilSigned(*lhsValue, *rhsValue));
  if (ExprAttr exact = divideExactly(lhs, rhs))
    return exact;
  return getNode(ExprKind::CeilDiv, {lhs, rhs});
}

ExprAttr ExprAttr::mod(ExprAttr lhs, ExprAttr rhs) {
  auto lhsValue = lhs.getConstant(), rhsValue = rhs.getConstant();
  if (lhsValue && rhsValue && *rhsValue != 0)
    return constant(lhs.getContext(), floorMod(*lhsValue, *rhsValue));
  if (rhs.isConstant(1) || divideExactly(lhs, rhs))
    return constant(lhs.getContext(), 0);
  return getNode(ExprKind::Mod, {lhs, rhs});
}

static ExprAttr buildExtremum(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
  if (lhs == rhs)
    return lhs;
  if (auto difference = ExprAttr::sub(lhs, rhs).getConstant())
    return (kind == ExprKind::Min) == (*difference < 0) ? lhs : rhs;
  SmallVector<ExprAttr> operands;
  for (ExprAttr expr : {lhs, rhs}) {
    if (expr.getKind() == kind)
      llvm::append_range(operands, expr.getOperands());
    else
      operands.push_back(expr);
  }
  llvm::sort(operands, isBefore);
  operands.erase(llvm::unique(operands), operands.end());
  return getNode(kind, operands);
}

ExprAttr ExprAttr::min(ExprAttr lhs, ExprAttr rhs) {
  return buildExtremum(ExprKind::Min, lhs, rhs);
}

ExprAttr ExprAttr::max(ExprAttr lhs, ExprAttr rhs) {
  return buildExtremum(ExprKind::Max, lhs, rhs);
}

int64_t ExprAttr::getKnownDivisor() const {
  ArrayRef<ExprAttr> operands = getOperands();
  switch (getKind()) {
  case ExprKind::Constant:
    return std::abs(getValue());
  case ExprKind::Mul: {
    int64_t result = 1;
    for (ExprAttr operand : operands) {
      int64_t divisor = operand.getKnownDivisor();
      if (llvm::MulOverflow(result, divisor, result))
        return 1;
    }
    return result;
  }
  case ExprKind::Add:
  case ExprKind::Min:
  case ExprKind::Max: {
    int64_t result = 0;
    for (ExprAttr operand : operands)
      result = std::gcd(result, operand.getKnownDivisor());
    return result;
  }
  case ExprKind::Symbol:
  case ExprKind::FloorDiv:
  case ExprKind::CeilDiv:
  case ExprKind::Mod:
    return 1;
  }
  llvm_unreachable("closed enum");
}

void ExprAttr::walkSymbols(llvm::function_ref<void(StringRef)> fn) const {
  if (getKind() == ExprKind::Symbol)
    fn(getName());
  for (ExprAttr operand : getOperands())
    operand.walkSymbols(fn);
}

static std::optional<int64_t> combine(ExprKind kind, int64_t lhs, int64_t rhs) {
  int64_t result;
  switch (kind) {
  case ExprKind::Add:
    return llvm::AddOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case ExprKind::Mul:
    return llvm::MulOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case ExprKind::Min:
    return std::min(lhs, rhs);
  case ExprKind::Max:
    return std::max(lhs, rhs);
  case ExprKind::FloorDiv:
  case ExprKind::CeilDiv:
  case ExprKind::Mod:
    if (rhs <= 0)
      return std::nullopt;
    if (kind == ExprKind::Mod)
      return floorMod(lhs, rhs);
    return kind == ExprKind::FloorDiv ? llvm::divideFloorSigned(lhs, rhs)
                                      : llvm::divideCeilSigned(lhs, rhs);
  case ExprKind::Constant:
  case ExprKind::Symbol:
    break;
  }
  llvm_unreachable("not a combining kind");
}

std::optional<int64_t> ExprAttr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> lookup) const {
  if (getKind() == ExprKind::Constant)
    return getValue();
  if (getKind() == ExprKind::Symbol)
    return lookup(getName());
  std::optional<int64_t> result;
  for (ExprAttr operand : getOperands()) {
    std::optional<int64_t> value = operand.evaluate(lookup);
    if (!value)
      return std::nullopt;
    result = result ? combine(getKind(), *result, *value) : value;
    if (!result)
      return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

static StringRef getOperator(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return " + ";
  case ExprKind::Mul:
    return " * ";
  case ExprKind::FloorDiv:
    return " floordiv ";
  case ExprKind::CeilDiv:
    return " ceildiv ";
  case ExprKind::Mod:
    return " mod ";
  default:
    return ", ";
  }
}

void ExprAttr::printInfix(raw_ostream &os) const {
  switch (getKind()) {
  case ExprKind::Constant:
    os << getValue();
    return;
  case ExprKind::Symbol:
    os << getName();
    return;
  case ExprKind::Min:
  case ExprKind::Max:
    os << (getKind() == ExprKind::Min ? "min(" : "max(");
    llvm::interleave(
        getOperands(), [&](ExprAttr operand) { operand.printInfix(os); },
        [&] { os << ", "; });
    os << ')';
    return;
  default:
    break;
  }
  llvm::interleave(
      getOperands(),
      [&](ExprAttr operand) {
        bool tight =
            operand.getOperands().empty() ||
            operand.getKind() == ExprKind::Min ||
            operand.getKind() == ExprKind::Max ||
            (getKind() == ExprKind::Add && operand.getKind() == ExprKind::Mul);
        os << (tight ? "" : "(");
        operand.printInfix(os);
        os << (tight ? "" : ")");
      },
      [&] { os << getOperator(getKind()); });
}

namespace {
/// Recursive-descent parser of the infix form. Precedence: sums, then
/// products and divisions (left to right), then primaries.
class InfixParser {
public:
  explicit InfixParser(AsmParser &parser) : parser(parser) {}

  FailureOr<ExprAttr> parseSum() {
    FailureOr<ExprAttr> result = parseProduct();
    while (succeeded(result)) {
      bool negative = false;
      if (failed(parser.parseOptionalPlus())) {
        // `s0 - 2` is lexed as a minus or as a negative literal.
        if (failed(parser.parseOptionalMinus()))
          return result;
        negative = true;
      }
      FailureOr<ExprAttr> rhs = parseProduct();
      if (failed(rhs))
        return failure();
      result = negative ? ExprAttr::sub(*result, *rhs)
                        : ExprAttr::add(*result, *rhs);
    }
    return result;
  }

private:
  FailureOr<ExprAttr> parseProduct() {
    FailureOr<ExprAttr> result = parsePrimary();
    while (succeeded(result)) {
      StringRef keyword;
      if (succeeded(parser.parseOptionalStar()))
        keyword = "*";
      else if (failed(parser.parseOptionalKeyword(
                   &keyword, {"floordiv", "ceildiv", "mod"})))
        return result;
      FailureOr<ExprAttr> rhs = parsePrimary();
      if (failed(rhs))
        return failure();
      result = keyword == "*"          ? ExprAttr::mul(*result, *rhs)
               : keyword == "floordiv" ? ExprAttr::floorDiv(*result, *rhs)
               : keyword == "ceildiv"  ? ExprAttr::ceilDiv(*result, *rhs)
                                       : ExprAttr::mod(*result, *rhs);
    }
    return result;
  }

  FailureOr<ExprAttr> parsePrimary() {
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<ExprAttr> inner = parseSum();
      if (failed(inner) || failed(parser.parseRParen()))
        return failure();
      return inner;
    }
    int64_t value;
    OptionalParseResult integer = parser.parseOptionalInteger(value);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      return ExprAttr::constant(parser.getContext(), value);
    }
    StringRef name;
    if (failed(parser.parseKeyword(&name)))
      return failure();
    if ((name == "min" || name == "max") &&
        succeeded(parser.parseOptionalLParen()))
      return parseExtremum(name == "min");
    return ExprAttr::symbol(parser.getContext(), name);
  }

  FailureOr<ExprAttr> parseExtremum(bool isMin) {
    FailureOr<ExprAttr> result = parseSum();
    while (succeeded(result) && succeeded(parser.parseOptionalComma())) {
      FailureOr<ExprAttr> rhs = parseSum();
      if (failed(rhs))
        return failure();
      result =
          isMin ? ExprAttr::min(*result, *rhs) : ExprAttr::max(*result, *rhs);
    }
    if (failed(result) || failed(parser.parseRParen()))
      return failure();
    return result;
  }

  AsmParser &parser;
};
} // namespace

FailureOr<ExprAttr> ExprAttr::parseInfix(AsmParser &parser) {
  return InfixParser(parser).parseSum();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess()))
    return {};
  FailureOr<ExprAttr> expr = parseInfix(parser);
  if (failed(expr) || failed(parser.parseGreater()))
    return {};
  return *expr;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printInfix(printer.getStream());
  printer << '>';
}
