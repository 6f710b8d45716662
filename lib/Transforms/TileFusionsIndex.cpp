//===- TileFusionsIndex.cpp - index arithmetic of kernels -----------------===//

#include "TileFusionsIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

void Index::appendKey(SmallVectorImpl<uintptr_t> &key) const {
  for (auto &[atom, coefficient] : terms) {
    key.push_back(atom->id);
    key.push_back(
        reinterpret_cast<uintptr_t>(coefficient.getAsOpaquePointer()));
  }
  key.push_back(reinterpret_cast<uintptr_t>(constant.getAsOpaquePointer()));
}

int64_t Facts::getDivisor(ExprAttr expr) const {
  int64_t result = expr.getKnownDivisor();
  if (auto it = divisible.find(expr); it != divisible.end())
    return result == 0 ? 0 : std::lcm(result, it->second);
  if (expr.getKind() == ExprKind::Mul) {
    result = 1;
    for (ExprAttr factor : expr.getOperands()) {
      // Large divisors are of no use; keep the product from overflowing.
      int64_t divisor = getDivisor(factor);
      result = result > (1 << 20)
                   ? result
                   : result * std::min<int64_t>(divisor, 1 << 20);
    }
  } else if (expr.getKind() == ExprKind::Add) {
    result = 0;
    for (ExprAttr term : expr.getOperands())
      result = std::gcd(result, getDivisor(term));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Index IndexBuilder::makeAtom(Atom::Kind kind, ArrayRef<Value> values,
                             ExprAttr bound, bool aligned, bool wide,
                             bool safe) {
  auto atom = std::make_unique<Atom>();
  atom->kind = kind;
  atom->id = atoms.size();
  atom->values.assign(values.begin(), values.end());
  atom->bound = bound;
  atom->aligned = aligned || (kind == Atom::Contiguous && lanes == 1);
  atom->wide = wide;
  atom->safe = safe;
  atoms.push_back(std::move(atom));
  return {{{atoms.back().get(), getExpr(1)}}, getExpr(0)};
}

Index IndexBuilder::add(const Index &lhs, const Index &rhs) const {
  Index result;
  result.constant = ExprAttr::add(lhs.constant, rhs.constant);
  auto *l = lhs.terms.begin(), *r = rhs.terms.begin();
  while (l != lhs.terms.end() || r != rhs.terms.end()) {
    if (r == rhs.terms.end() ||
        (l != lhs.terms.end() && l->first->id < r->first->id)) {
      result.terms.push_back(*l++);
    } else if (l == lhs.terms.end() || r->first->id < l->first->id) {
      result.terms.push_back(*r++);
    } else {
      ExprAttr sum = ExprAttr::add(l->second, r->second);
      if (!sum.isConstant(0))
        result.terms.push_back({l->first, sum});
      ++l;
      ++r;
    }
  }
  return result;
}

Index IndexBuilder::scale(const Index &index, ExprAttr factor) const {
  if (factor.isConstant(0))
    return getConstant(0);
  Index result;
  result.constant = ExprAttr::mul(index.constant, factor);
  for (auto &[atom, coefficient] : index.terms)
    result.terms.push_back({atom, ExprAttr::mul(coefficient, factor)});
  return result;
}

Index IndexBuilder::addConstant(const Index &index, ExprAttr value) const {
  return add(index, getConstant(value));
}

Index IndexBuilder::recombine(const Index &index) const {
  for (auto &[quotient, scale] : index.terms) {
    if (!quotient->isQuotient)
      continue;
    for (auto &[remainder, step] : index.terms) {
      if (remainder->isQuotient || remainder->dividend != quotient->dividend ||
          !remainder->dividend ||
          ExprAttr::mul(step, quotient->divisor) != scale)
        continue;
      Index rest;
      rest.constant = index.constant;
      for (auto &term : index.terms)
        if (term.first != quotient && term.first != remainder)
          rest.terms.push_back(term);
      return recombine(add(rest, this->scale(*quotient->dividend, step)));
    }
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// `lhs / rhs` where it is exact, else null.
static ExprAttr divideExactly(ExprAttr lhs, ExprAttr rhs) {
  if (rhs.isConstant(0))
    return {};
  ExprAttr quotient = ExprAttr::floorDiv(lhs, rhs);
  return ExprAttr::mul(quotient, rhs) == lhs ? quotient : ExprAttr();
}

/// Sizes are not negative; an expression with a negative constant may be.
static bool isNonNegative(ExprAttr expr) {
  if (auto value = expr.getConstant())
    return *value >= 0;
  return llvm::all_of(expr.getOperands(), isNonNegative);
}

std::optional<std::pair<Index, Index>>
IndexBuilder::divideSymbolically(const Index &index, ExprAttr divisor) const {
  Index quotient = getConstant(0), rest = getConstant(0);
  if (ExprAttr q = divideExactly(index.constant, divisor))
    quotient.constant = q;
  else
    rest.constant = index.constant;
  // The largest value of what is left.
  ExprAttr most = rest.constant;
  if (!isNonNegative(rest.constant) || !isNonNegative(quotient.constant))
    return std::nullopt;
  for (auto &[atom, coefficient] : index.terms) {
    if (!isNonNegative(coefficient))
      return std::nullopt;
    if (ExprAttr q = divideExactly(coefficient, divisor)) {
      quotient.terms.push_back({atom, q});
      continue;
    }
    rest.terms.push_back({atom, coefficient});
    most = ExprAttr::add(
        most,
        ExprAttr::mul(coefficient, ExprAttr::sub(atom->bound, getExpr(1))));
  }
  std::optional<int64_t> slack = ExprAttr::sub(divisor, most).getConstant();
  if (!slack || *slack < 1)
    return std::nullopt;
  return std::make_pair(quotient, rest);
}

const Atom *tile::getSteppingAtom(const Index &index) {
  const Atom *result = nullptr;
  for (auto &[atom, coefficient] : index.terms) {
    if (atom->kind == Atom::Uniform)
      continue;
    if (result || atom->isNext.empty() || atom->wraps)
      return nullptr;
    result = atom;
  }
  return result;
}

const Atom *tile::getSplittingAtom(const Index &index) {
  const Atom *result = nullptr;
  for (auto &[atom, coefficient] : index.terms) {
    if (atom->kind == Atom::Uniform)
      continue;
    if (result || !atom->wraps || !coefficient.isConstant(1))
      return nullptr;
    result = atom;
  }
  return result;
}

std::pair<Index, Index> IndexBuilder::divideAtRunTime(const Index &index,
                                                      ExprAttr divisor,
                                                      ExprAttr bound) {
  Value by = getSize(divisor);
  SmallVector<Value> quotients, remainders;
  auto divideLane = [&](unsigned lane) {
    Value value = getLane(index, lane);
    Value quotient = builder.createOrFold<arith::DivUIOp>(loc, value, by);
    Value product = builder.createOrFold<arith::MulIOp>(loc, quotient, by);
    quotients.push_back(quotient);
    remainders.push_back(
        builder.createOrFold<arith::SubIOp>(loc, value, product));
  };
  Atom::Kind quotientKind = Atom::Uniform, remainderKind = Atom::Uniform;
  std::optional<int64_t> step = getStep(index);
  bool wraps = false;
  SmallVector<Value> isNext;
  Value split;
  if (isUniform(index)) {
    divideLane(0);
  } else if (step == 1 && getAlignment(index, lanes) % lanes == 0 &&
             facts.getDivisor(divisor) % lanes == 0) {
    divideLane(0);
    remainderKind = Atom::Contiguous;
  } else if (step == 1 && facts.isAtLeast(divisor, lanes)) {
    // Lanes pass the divisor at most once.
    quotientKind = remainderKind = Atom::PerLane;
    wraps = true;
    divideLane(0);
    Value quotient = quotients[0], remainder = remainders[0];
    split = builder.createOrFold<arith::MinSIOp>(
        loc, builder.createOrFold<arith::SubIOp>(loc, by, remainder),
        getInt(lanes));
    if (!split.getType().isInteger(32))
      split = builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(),
                                                    split);
    isNext.push_back(
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)));
    Value next = builder.createOrFold<arith::AddIOp>(loc, quotient, getInt(1));
    for (unsigned lane = 1; lane < lanes; ++lane) {
      Value at =
          builder.createOrFold<arith::AddIOp>(loc, remainder, getInt(lane));
      Value over = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::uge, at, by);
      isNext.push_back(over);
      Value rest = builder.createOrFold<arith::SubIOp>(loc, at, by);
      remainders.push_back(
          builder.createOrFold<arith::SelectOp>(loc, over, rest, at));
      quotients.push_back(
          builder.createOrFold<arith::SelectOp>(loc, over, next, quotient));
    }
  } else if (const Atom *stepping = getSteppingAtom(index)) {
    // Two different dividends only: lane 0's and the last lane's.
    quotientKind = remainderKind = Atom::PerLane;
    isNext = stepping->isNext;
    split = stepping->split;
    divideLane(0);
    divideLane(lanes - 1);
    auto spread = [&](SmallVector<Value> &values) {
      Value first = values[0], next = values[1];
      values.resize(1);
      for (unsigned lane = 1; lane < lanes; ++lane)
        values.push_back(builder.createOrFold<arith::SelectOp>(
            loc, isNext[lane], next, first));
    };
    spread(quotients);
    spread(remainders);
  } else {
    quotientKind = remainderKind = Atom::PerLane;
    for (unsigned lane = 0; lane < lanes; ++lane)
      divideLane(lane);
  }
  bool wide = llvm::any_of(index.terms, [](auto &t) { return t.first->wide; });
  bool safe = isSafe(index);
  auto dividend = std::make_shared<Index>(index);
  Index quotient =
      makeAtom(quotientKind, quotients, ExprAttr::ceilDiv(bound, divisor),
               false, wide, safe);
  Index remainder = makeAtom(remainderKind, remainders, divisor,
                             remainderKind == Atom::Contiguous, wide, safe);
  for (Index *part : {&quotient, &remainder}) {
    Atom *atom = atoms[part->terms.front().first->id].get();
    atom->dividend = dividend;
    atom->divisor = divisor;
    atom->isQuotient = part == &quotient;
    atom->wraps = wraps && part == &remainder;
    atom->isNext = isNext;
    atom->split = split;
  }
  return {quotient, remainder};
}

std::pair<Index, Index> IndexBuilder::divide(const Index &index,
                                             ExprAttr divisor, ExprAttr bound) {
  if (divisor.isConstant(1))
    return {index, getConstant(0)};
  if (divisor == bound)
    return {getConstant(0), index};
  if (auto result = divideSymbolically(index, divisor))
    return *result;
  SmallVector<uintptr_t> key;
  index.appendKey(key);
  key.push_back(reinterpret_cast<uintptr_t>(divisor.getAsOpaquePointer()));
  for (auto &scope : llvm::reverse(divisions))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  auto result = divideAtRunTime(index, divisor, bound);
  divisions.back()[key] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Facts about lanes
//===----------------------------------------------------------------------===//

bool IndexBuilder::isUniform(const Index &index) const {
  return lanes == 1 || llvm::all_of(index.terms, [](auto &term) {
           return term.first->kind == Atom::Uniform;
         });
}

bool IndexBuilder::isSafe(const Index &index) const {
  return llvm::all_of(index.terms, [](auto &term) { return term.first->safe; });
}

std::optional<int64_t> IndexBuilder::getStep(const Index &index) const {
  int64_t step = 0;
  for (auto &[atom, coefficient] : index.terms) {
    if (atom->kind == Atom::Uniform)
      continue;
    std::optional<int64_t> value = coefficient.getConstant();
    if (atom->kind == Atom::PerLane || !value)
      return std::nullopt;
    step += *value;
  }
  return step;
}

int64_t IndexBuilder::getAlignment(const Index &index, int64_t limit) const {
  int64_t result = std::gcd(limit, facts.getDivisor(index.constant));
  for (auto &[atom, coefficient] : index.terms) {
    int64_t divisor = std::min<int64_t>(facts.getDivisor(coefficient), 1 << 20);
    if (atom->kind == Atom::Contiguous && atom->aligned)
      divisor *= lanes;
    result = std::gcd(result, divisor);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value IndexBuilder::getInt(int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(getIndexType(), value));
}

Value IndexBuilder::getCoefficient(ExprAttr expr, Type type) {
  if (auto value = expr.getConstant())
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, *value));
  Value value = getScalar(expr);
  if (value.getType() == type)
    return value;
  return builder.createOrFold<arith::TruncIOp>(loc, type, value);
}

Value IndexBuilder::getSize(ExprAttr expr) {
  return getCoefficient(expr, getIndexType());
}

Value IndexBuilder::sumTerms(const Index &index, unsigned lane, bool wide,
                             Type type) {
  Value sum;
  auto addValue = [&](Value value) {
    sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, value) : value;
  };
  for (auto &[atom, coefficient] : index.terms) {
    if (atom->wide != wide)
      continue;
    bool perLane = atom->kind == Atom::PerLane;
    Value value = atom->values[perLane ? lane : 0];
    if (value.getType() != type)
      value = builder.createOrFold<arith::ExtSIOp>(loc, type, value);
    if (!coefficient.isConstant(1))
      value = builder.createOrFold<arith::MulIOp>(
          loc, value, getCoefficient(coefficient, type));
    addValue(value);
    if (atom->kind == Atom::Contiguous && lane != 0)
      addValue(getCoefficient(ExprAttr::mul(coefficient, lane), type));
  }
  if (!wide && (!sum || !index.constant.isConstant(0)))
    addValue(getCoefficient(index.constant, type));
  return sum;
}

Value IndexBuilder::getLane(const Index &index, unsigned lane) {
  Type type = getIndexType();
  Value narrow = sumTerms(index, lane, false, type);
  Value wide = sumTerms(index, lane, true, type);
  return wide ? builder.createOrFold<arith::AddIOp>(loc, wide, narrow) : narrow;
}

SmallVector<Value> IndexBuilder::getOffsets(const Index &index, unsigned lane) {
  SmallVector<Value> result;
  if (Value wide = sumTerms(index, lane, true, builder.getI64Type()))
    result.push_back(wide);
  result.push_back(sumTerms(index, lane, false, getIndexType()));
  return result;
}
