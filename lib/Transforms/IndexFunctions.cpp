//===- IndexFunctions.cpp - tensors that follow from their indices --------===//

#include "IndexFunctions.h"
#include "kfuse/Transforms/SideEffects.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::kfuse;

using MaybeFunction = std::optional<IndexFunction>;

namespace {
/// Computes the function of one operation's result.
class Evaluator {
public:
  Evaluator(AtenOp op, IndexFunctions &functions)
      : op(op), functions(functions), context(op.getContext()),
        name(getOperatorName(op.getTarget())),
        sizes(getLayout(op.getResult(0)).getSizes()) {}

  MaybeFunction evaluate();

private:
  MaybeFunction fill(ExprAttr value) const;
  MaybeFunction arange();
  MaybeFunction expand(MaybeFunction function) const;
  MaybeFunction unsqueeze(MaybeFunction function);
  MaybeFunction slice(MaybeFunction function);
  MaybeFunction combine(MaybeFunction lhs, const MaybeFunction &rhs,
                        int64_t sign);
  MaybeFunction compare(const MaybeFunction &lhs, const MaybeFunction &rhs);
  MaybeFunction conjunction(const MaybeFunction &lhs,
                            const MaybeFunction &rhs) const;
  MaybeFunction difference(MaybeFunction function);
  MaybeFunction prefixSum(MaybeFunction function);
  MaybeFunction gather();
  MaybeFunction convert(const MaybeFunction &function) const;

  MaybeFunction getOperand(StringRef argument, bool isBooleanWanted = false);
  std::optional<int64_t> getInteger(StringRef argument, int64_t missing) const;
  std::optional<int64_t> getDim(StringRef argument, int64_t missing) const;
  ExprAttr number(int64_t value) const {
    return ExprAttr::constant(context, value);
  }
  bool isBoolean(Value value) const {
    return cast<RankedTensorType>(value.getType())
        .getElementType()
        .isInteger(1);
  }

  AtenOp op;
  IndexFunctions &functions;
  MLIRContext *context;
  StringRef name;
  ArrayRef<ExprAttr> sizes;
};
} // namespace

std::optional<bool> IndexFunction::getTruth() const {
  std::optional<int64_t> start = constant.getConstant();
  if (!start)
    return std::nullopt;
  bool grows = llvm::all_of(coefficients, [](ExprAttr expr) {
    return expr.getConstant().value_or(-1) >= 0;
  });
  bool falls = llvm::all_of(coefficients, [](ExprAttr expr) {
    return expr.getConstant().value_or(1) <= 0;
  });
  if (grows && *start >= 0)
    return true;
  if (falls && *start < 0)
    return false;
  return std::nullopt;
}

MaybeFunction Evaluator::fill(ExprAttr value) const {
  return IndexFunction{SmallVector<ExprAttr>(sizes.size(), number(0)), value};
}

std::optional<int64_t> Evaluator::getInteger(StringRef argument,
                                             int64_t missing) const {
  Attribute attr = AtenOp(op).getArg(argument);
  if (!attr)
    return missing;
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue().getBitWidth() == 1
               ? integer.getValue().getZExtValue()
               : integer.getInt();
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return boolean.getValue();
  return std::nullopt;
}

std::optional<int64_t> Evaluator::getDim(StringRef argument,
                                         int64_t missing) const {
  auto dim = getInteger(argument, missing);
  int64_t rank = sizes.size();
  if (!dim || *dim < -rank || *dim >= rank)
    return std::nullopt;
  return *dim < 0 ? *dim + rank : *dim;
}

/// A tensor or a number, as it is broadcast to the result's rank. Functions of
/// booleans are no numbers: a tensor has to be of the wanted kind.
MaybeFunction Evaluator::getOperand(StringRef argument, bool isBooleanWanted) {
  if (Value value = op.getArgValue(argument)) {
    if (!getLayout(value) || isBoolean(value) != isBooleanWanted)
      return std::nullopt;
    return expand(functions.find(value));
  }
  auto integer = getInteger(argument, 0);
  if (!integer || !op.getArg(argument))
    return std::nullopt;
  return fill(number(*integer));
}

MaybeFunction Evaluator::arange() {
  if (op.getNumOperands())
    return std::nullopt;
  auto start = getInteger("start", 0), step = getInteger("step", 1);
  if (!start || !step)
    return std::nullopt;
  return IndexFunction{{number(sizes[0].isConstant(1) ? 0 : *step)},
                       number(*start)};
}

/// Broadcasts to the sizes of the result.
MaybeFunction Evaluator::expand(MaybeFunction function) const {
  if (!function || function->coefficients.size() > sizes.size())
    return std::nullopt;
  function->coefficients.insert(function->coefficients.begin(),
                                sizes.size() - function->coefficients.size(),
                                number(0));
  return function;
}

MaybeFunction Evaluator::unsqueeze(MaybeFunction function) {
  auto dim = getDim("dim", 0);
  if (!function || !dim || function->coefficients.size() + 1 != sizes.size())
    return std::nullopt;
  function->coefficients.insert(function->coefficients.begin() + *dim,
                                number(0));
  return function;
}

MaybeFunction Evaluator::slice(MaybeFunction function) {
  auto dim = getDim("dim", 0);
  Attribute startAttr = op.getArg("start");
  auto start =
      isa_and_nonnull<UnitAttr>(startAttr) ? 0 : getInteger("start", 0);
  auto step = getInteger("step", 1);
  if (!function || !dim || !start || *start < 0 || !step || *step < 1 ||
      function->coefficients.size() != sizes.size())
    return std::nullopt;
  ExprAttr &coefficient = function->coefficients[*dim];
  function->constant =
      ExprAttr::add(function->constant, ExprAttr::mul(coefficient, *start));
  coefficient =
      sizes[*dim].isConstant(1) ? number(0) : ExprAttr::mul(coefficient, *step);
  return function;
}

MaybeFunction Evaluator::combine(MaybeFunction lhs, const MaybeFunction &rhs,
                                 int64_t sign) {
  if (!lhs || !rhs || getInteger("alpha", 1) != 1)
    return std::nullopt;
  for (auto [left, right] :
       llvm::zip_equal(lhs->coefficients, rhs->coefficients))
    left = ExprAttr::add(left, ExprAttr::mul(right, sign));
  lhs->constant =
      ExprAttr::add(lhs->constant, ExprAttr::mul(rhs->constant, sign));
  return lhs;
}

MaybeFunction Evaluator::compare(const MaybeFunction &lhs,
                                 const MaybeFunction &rhs) {
  bool isBelow = name == "le" || name == "lt";
  MaybeFunction distance =
      isBelow ? combine(rhs, lhs, -1) : combine(lhs, rhs, -1);
  if (!distance)
    return std::nullopt;
  if (name == "eq" || name == "ne") {
    auto constant = distance->constant.getConstant();
    if (!distance->isConstant() || !constant)
      return std::nullopt;
    return fill(number((*constant == 0) == (name == "eq") ? 0 : -1));
  }
  if (name == "lt" || name == "gt")
    distance->constant = ExprAttr::add(distance->constant, number(-1));
  return distance;
}

MaybeFunction Evaluator::conjunction(const MaybeFunction &lhs,
                                     const MaybeFunction &rhs) const {
  for (auto [one, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    auto truth = one ? one->getTruth() : std::nullopt;
    if (truth)
      return *truth ? other : one;
  }
  return std::nullopt;
}

/// Differences of neighbours; what stands in front has to continue the line.
MaybeFunction Evaluator::difference(MaybeFunction function) {
  auto dim = getDim("dim", -1);
  if (!function || !dim || getInteger("n", 1) != 1 || op.getArg("append") ||
      function->coefficients.size() != sizes.size())
    return std::nullopt;
  ExprAttr slope = function->coefficients[*dim];
  if (op.getArg("prepend")) {
    MaybeFunction first = getOperand("prepend");
    if (!first || first->constant != ExprAttr::add(function->constant,
                                                   ExprAttr::mul(slope, -1)))
      return std::nullopt;
    function->coefficients[*dim] = number(0);
    if (first->coefficients != function->coefficients)
      return std::nullopt;
    auto type = cast<RankedTensorType>(op.getArgValue("prepend").getType());
    if (type.getDimSize(*dim) != 1)
      return std::nullopt;
  }
  return fill(slope);
}

MaybeFunction Evaluator::prefixSum(MaybeFunction function) {
  auto dim = getDim("dim", -1);
  Value self = op.getArgValue("self");
  if (!function || !dim || !self || !function->isConstant())
    return std::nullopt;
  if (isBoolean(self)) {
    auto truth = function->getTruth();
    if (!truth)
      return std::nullopt;
    function->constant = number(*truth);
  }
  ExprAttr step = function->constant;
  function->coefficients[*dim] = sizes[*dim].isConstant(1) ? number(0) : step;
  return function;
}

/// `self[indices]` with an index for every dimension, none of them negative.
MaybeFunction Evaluator::gather() {
  Value self = op.getArgValue("self");
  auto indices = dyn_cast_or_null<ArrayAttr>(op.getArg("indices"));
  MaybeFunction function = self ? functions.find(self) : std::nullopt;
  if (!function || !indices)
    return std::nullopt;
  if (function->isConstant())
    return fill(function->constant);
  if (indices.size() != function->coefficients.size())
    return std::nullopt;
  MaybeFunction result = fill(function->constant);
  for (auto [coefficient, attr] :
       llvm::zip_equal(function->coefficients, indices)) {
    auto operand = dyn_cast<OperandAttr>(attr);
    if (!operand)
      return std::nullopt;
    Value value = op.getOperand(operand.getIndex());
    if (!getLayout(value) || isBoolean(value))
      return std::nullopt;
    MaybeFunction index = expand(functions.find(value));
    if (!index || index->getTruth() != true)
      return std::nullopt;
    for (auto [sum, part] :
         llvm::zip_equal(result->coefficients, index->coefficients))
      sum = ExprAttr::add(sum, ExprAttr::mul(part, coefficient));
    result->constant = ExprAttr::add(
        result->constant, ExprAttr::mul(index->constant, coefficient));
  }
  return result;
}

/// Between types: a function of booleans stays one only as booleans.
MaybeFunction Evaluator::convert(const MaybeFunction &function) const {
  Value self = AtenOp(op).getArgValue("self");
  if (!function || !self ||
      isBoolean(self) != isBoolean(AtenOp(op).getResult(0)))
    return std::nullopt;
  return expand(function);
}

MaybeFunction Evaluator::evaluate() {
  static const llvm::StringSet<> kept = {
      "to",         "_to_copy", "clone",          "alias",
      "contiguous", "detach",   "lift_fresh_copy"};
  Value self = op.getArgValue("self");
  bool isTensor = self && getLayout(self);
  if (name == "arange")
    return arange();
  if (name == "new_ones" || name == "ones" || name == "ones_like")
    return fill(number(isBoolean(op.getResult(0)) ? 0 : 1));
  if (name == "zeros" || name == "new_zeros" || name == "zeros_like")
    return fill(number(isBoolean(op.getResult(0)) ? -1 : 0));
  if (!isTensor)
    return std::nullopt;
  if (name == "index")
    return gather();
  bool isOfBooleans = isBoolean(self);
  if (name == "__and__" || name == "bitwise_and" || name == "logical_and") {
    if (!op.getArgValue("other"))
      return std::nullopt;
    return conjunction(getOperand("self", /*isBooleanWanted=*/true),
                       getOperand("other", /*isBooleanWanted=*/true));
  }
  MaybeFunction function = functions.find(self);
  if (kept.contains(name))
    return convert(function);
  if (name == "expand")
    return expand(function);
  if (name == "unsqueeze")
    return unsqueeze(function);
  if (name == "slice")
    return slice(function);
  if (name == "cumsum")
    return prefixSum(function);
  if (isOfBooleans)
    return std::nullopt;
  if (name == "diff")
    return difference(function);
  if (name == "add" || name == "sub")
    return combine(getOperand("self"), getOperand("other"),
                   name == "add" ? 1 : -1);
  static const llvm::StringSet<> comparisons = {"eq", "ne", "lt",
                                                "le", "gt", "ge"};
  if (comparisons.contains(name))
    return compare(getOperand("self"), getOperand("other"));
  return std::nullopt;
}

MaybeFunction IndexFunctions::compute(AtenOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !getLayout(op.getResult(0)) ||
      !type.getElementType().isInteger() ||
      !(type.getElementType().isInteger(1) ||
        type.getElementType().isInteger(64)))
    return std::nullopt;
  return Evaluator(op, *this).evaluate();
}

MaybeFunction IndexFunctions::find(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  auto op = value.getDefiningOp<AtenOp>();
  MaybeFunction function =
      op && op.getNumResults() == 1 ? compute(op) : std::nullopt;
  known[value] = function;
  return function;
}
