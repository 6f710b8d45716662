//===- SymExpr.h - symbolic sizes of exported programs ----------*- C++ -*-===//
/// \file
/// Expression trees read from `sympy.srepr` text, which is how exported
/// programs spell sizes that depend on the input, for instance
/// `Add(Symbol('s0', positive=True, integer=True), Integer(1))`.

#ifndef KFUSE_IMPORT_SYMEXPR_H
#define KFUSE_IMPORT_SYMEXPR_H

#include "kfuse/Import/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::kfuse::pt2 {

/// An integer expression. All arithmetic is on int64.
struct SymExpr {
  enum class Kind {
    Integer,
    Symbol,
    Add,
    Mul,
    /// Rounds towards minus infinity.
    FloorDiv,
    /// Has the sign of the divisor.
    Mod,
    Min,
    Max,
    /// A function kfuse has no integer form for (comparisons, floats, ...).
    /// `name` is its sympy name and `operands` are its arguments.
    Other,
  };

  Kind kind = Kind::Integer;
  int64_t value = 0;
  /// Of a symbol or an `Other`.
  std::string name;
  std::vector<SymExpr> operands;

  static SymExpr integer(int64_t value);
  static SymExpr symbol(std::string name);

  /// False when an `Other` occurs anywhere.
  bool isInteger() const;
  /// Readable form, `(s0 + 1) // 2`; used in messages.
  std::string str() const;
  bool operator==(const SymExpr &other) const;
};

/// Parses `sympy.srepr` text. Errors: syntax, integers outside int64, nesting
/// deeper than 200. Unknown functions are not an error (see `Kind::Other`).
Result<SymExpr> parseSymExpr(std::string_view text);

} // namespace mlir::kfuse::pt2

#endif // KFUSE_IMPORT_SYMEXPR_H
