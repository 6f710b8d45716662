//===- TileFusionsIndex.h - index arithmetic of kernels ---------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEFUSIONSINDEX_H
#define KFUSE_LIB_TRANSFORMS_TILEFUSIONSINDEX_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>

namespace mlir::kfuse::tile {

struct Atom;

/// A position as a sum of multiples of atoms and a constant. Sorted by atom,
/// without zero coefficients: equal sums of the same atoms are equal.
struct Index {
  SmallVector<std::pair<const Atom *, ExprAttr>, 2> terms;
  ExprAttr constant;

  /// A comparable key: ids and attribute addresses (used for lookup only, so
  /// that nothing depends on their order).
  void appendKey(SmallVectorImpl<uintptr_t> &key) const;
  bool operator==(const Index &other) const {
    return terms == other.terms && constant == other.constant;
  }
};

/// A run-time integer, not negative where it is used.
struct Atom {
  enum Kind {
    Uniform,    ///< the same for all lanes of a packet
    Contiguous, ///< lane l is lane 0 plus l
    PerLane     ///< one value a lane
  };
  Kind kind;
  unsigned id;
  /// Lane 0's value, or each lane's; of the index type.
  SmallVector<Value> values;
  /// Exclusive upper bound of all lanes that are used.
  ExprAttr bound;
  /// Contiguous: lane 0 is a multiple of the number of lanes.
  bool aligned = false;
  /// Products with this are formed in 64 bits (a row number).
  bool wide = false;
  /// In range even where a packet is outside the domain.
  bool safe = false;
  /// Set on both results of a division: `dividend` = quotient * divisor +
  /// remainder.
  std::shared_ptr<Index> dividend;
  ExprAttr divisor;
  bool isQuotient = false;
  /// Lanes in two parts: for each lane whether it is in the second one, and
  /// how many (i32) are in the first. Lanes of a part are equal, or follow each
  /// other where `wraps` (a remainder that begins again at 0).
  SmallVector<Value> isNext;
  Value split;
  bool wraps = false;
};

/// The one atom with two values when it alone makes lanes differ, else null.
const Atom *getSteppingAtom(const Index &index);
/// The one atom that wraps when it alone makes lanes differ, else null. (Where
/// a row of a strided tensor ends within a packet, the next one may be far
/// away: loads in a branch would keep waiting for memory.)
const Atom *getSplittingAtom(const Index &index);

/// Facts that the guards of a variant give.
class Facts {
public:
  void addDivisible(ExprAttr expr, int64_t by) { divisible[expr] = by; }
  void addAtLeast(ExprAttr expr, int64_t least) { atLeast[expr] = least; }
  /// Whether `expr` is known to be at least `value`.
  bool isAtLeast(ExprAttr expr, int64_t value) const {
    return expr.getConstant().value_or(atLeast.lookup(expr)) >= value;
  }
  /// A constant that divides `expr`; 0 for the constant 0.
  int64_t getDivisor(ExprAttr expr) const;

private:
  DenseMap<Attribute, int64_t> divisible, atLeast;
};

/// Builds indices and the arithmetic that computes them.
class IndexBuilder {
public:
  /// `getScalar` gives the run-time value (i64) of a symbolic expression.
  IndexBuilder(OpBuilder &builder, Location loc, unsigned indexBits,
               unsigned lanes, const Facts &facts,
               std::function<Value(ExprAttr)> getScalar)
      : builder(builder), loc(loc), indexBits(indexBits), lanes(lanes),
        facts(facts), getScalar(std::move(getScalar)) {}

  MLIRContext *getContext() const { return builder.getContext(); }
  unsigned getLanes() const { return lanes; }
  Type getIndexType() const { return builder.getIntegerType(indexBits); }
  ExprAttr getExpr(int64_t value) const {
    return ExprAttr::constant(getContext(), value);
  }

  Index getConstant(ExprAttr value) const { return {{}, value}; }
  Index getConstant(int64_t value) const { return {{}, getExpr(value)}; }
  /// The index that is one atom.
  Index makeAtom(Atom::Kind kind, ArrayRef<Value> values, ExprAttr bound,
                 bool aligned = false, bool wide = false, bool safe = false);

  Index add(const Index &lhs, const Index &rhs) const;
  Index scale(const Index &index, ExprAttr factor) const;
  Index addConstant(const Index &index, ExprAttr value) const;
  /// Quotient and remainder of an index below `bound` by `divisor`.
  std::pair<Index, Index> divide(const Index &index, ExprAttr divisor,
                                 ExprAttr bound);
  /// Replaces quotient * divisor + remainder by what was divided.
  Index recombine(const Index &index) const;

  bool isUniform(const Index &index) const;
  /// True when no lane of the index leaves its range even outside the domain.
  bool isSafe(const Index &index) const;
  /// The constant distance of neighbouring lanes, when there is one.
  std::optional<int64_t> getStep(const Index &index) const;
  /// The power of two up to `limit` that provably divides lane 0.
  int64_t getAlignment(const Index &index, int64_t limit) const;

  /// The value of one lane, of the index type.
  Value getLane(const Index &index, unsigned lane);
  /// Offsets whose sum is a lane's value: a 64-bit one of the wide terms, if
  /// any, then one of the index type.
  SmallVector<Value> getOffsets(const Index &index, unsigned lane);

  /// A symbolic size as a value of the index type.
  Value getSize(ExprAttr expr);
  Value getInt(int64_t value);

  void pushScope() { divisions.emplace_back(); }
  void popScope() { divisions.pop_back(); }

private:
  std::optional<std::pair<Index, Index>>
  divideSymbolically(const Index &index, ExprAttr divisor) const;
  std::pair<Index, Index> divideAtRunTime(const Index &index, ExprAttr divisor,
                                          ExprAttr bound);
  Value sumTerms(const Index &index, unsigned lane, bool wide, Type type);
  Value getCoefficient(ExprAttr expr, Type type);

  OpBuilder &builder;
  Location loc;
  unsigned indexBits;
  unsigned lanes;
  const Facts &facts;
  std::function<Value(ExprAttr)> getScalar;
  std::vector<std::unique_ptr<Atom>> atoms;
  /// Results of divisions, innermost scope last.
  std::vector<std::map<SmallVector<uintptr_t>, std::pair<Index, Index>>>
      divisions{1};
};

} // namespace mlir::kfuse::tile

#endif
