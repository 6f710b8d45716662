//===- AtenSchema.h - schemas of PyTorch operators --------------*- C++ -*-===//
/// \file
/// Names, types and defaults of the arguments of every `aten` and `prims`
/// operator. Exported programs leave out arguments that have their default, so
/// whoever reads a node needs this. No LLVM types, no state: thread-safe.

#ifndef KFUSE_IMPORT_ATENSCHEMA_H
#define KFUSE_IMPORT_ATENSCHEMA_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::kfuse {

/// Type of an argument or result: `Tensor?[]` is a list whose elements are
/// optional, `SymInt[2]?` an optional list of two.
struct AtenType {
  enum class Kind {
    Tensor,
    Int,
    SymInt,
    Float,
    Complex,
    Scalar,
    Bool,
    String,
    /// The remaining ones are enumerations and handles of PyTorch.
    ScalarType,
    MemoryFormat,
    Layout,
    Device,
    Generator,
    Other,
  };
  Kind kind = Kind::Other;
  bool isList = false;
  /// Of a list such as `int[2]`: a single value stands for that many.
  unsigned listSize = 0;
  bool isElementOptional = false;
  bool isOptional = false;
};

/// Value of an argument that was left out.
struct AtenDefault {
  enum class Kind { None, Bool, Int, Float, String, Ints, Floats };
  Kind kind = Kind::None;
  /// 0 or 1 for Bool. dtypes, layouts and memory formats are c10's numbers.
  int64_t intValue = 0;
  double floatValue = 0;
  std::string text;
  std::vector<int64_t> ints;
  std::vector<double> floats;
};

struct AtenArgument {
  std::string_view name;
  AtenType type;
  /// Nothing when the argument must be given.
  std::optional<AtenDefault> defaultValue;
  bool isKeywordOnly = false;
  /// The operator writes to it.
  bool isWritten = false;
  /// The alias set, for instance `a`; results of the same set may be views of
  /// this argument. Empty when there is none. An argument whose set is `a -> *`
  /// (inputs of `split`) has the set `a`.
  std::string_view aliasSet;
};

struct AtenReturn {
  std::string_view name;
  AtenType type;
  bool isWritten = false;
  std::string_view aliasSet;
};

struct AtenSchema {
  /// `aten::add.Tensor`; the default overload has no dot.
  std::string_view name;
  std::vector<AtenArgument> arguments;
  std::vector<AtenReturn> returns;

  /// Index of an argument, or -1.
  int findArgument(std::string_view argument) const;
  /// True when any argument is written.
  bool mutates() const;
  /// True when a result shares storage with an argument it does not write.
  bool isView() const;
};

/// The schema of `aten::add.Tensor`, `aten::relu`, `prims::...`; nothing when
/// the table does not have the operator. Parses one line, about a microsecond.
std::optional<AtenSchema> lookupAtenSchema(std::string_view name);

/// Number of operators in the table.
unsigned getAtenSchemaCount();
/// Name of one, in sorted order.
std::string_view getAtenSchemaName(unsigned index);

} // namespace mlir::kfuse

#endif // KFUSE_IMPORT_ATENSCHEMA_H
