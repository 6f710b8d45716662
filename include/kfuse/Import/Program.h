//===- Program.h - an exported program as plain data ------------*- C++ -*-===//
/// \file
/// What `torch.export.save` (torch 2.9 and newer) writes, decoded: schema major
/// 8. Field for field the program of the archive, with tags checked and
/// symbolic expressions parsed. Plain values; copy and move freely. Weight
/// bytes are borrowed from `Program::archive`.

#ifndef KFUSE_IMPORT_PROGRAM_H
#define KFUSE_IMPORT_PROGRAM_H

#include "kfuse/Import/Archive.h"
#include "kfuse/Import/SymExpr.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mlir::kfuse::pt2 {

/// Element types. The numbers are those of the archive (not those of c10).
enum class DType : uint8_t {
  U8 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  C32 = 9,
  C64 = 10,
  C128 = 11,
  Bool = 12,
  BF16 = 13,
  U16 = 28,
  F8E4M3FN = 29,
  F8E5M2 = 30,
  F8E4M3FNUZ = 31,
  F8E5M2FNUZ = 32,
  F8E8M0FNU = 33,
  U32 = 34,
  U64 = 35,
};

/// Bytes of one element.
unsigned getByteSize(DType dtype);
/// kfuse's name: `f32`, `bf16`, `u8`, `bool`, `c64`, ...
const char *getName(DType dtype);
/// Nothing when the number is unknown.
std::optional<DType> getDType(int64_t archiveNumber);

/// `Strided` is the only layout that kfuse reads.
enum class Layout : uint8_t { Strided = 7 };

struct Device {
  /// "cpu", "cuda", ...
  std::string type;
  std::optional<int64_t> index;
};

/// A size, stride or symbolic integer. Constant or an expression.
struct SymInt {
  SymExpr expr;
  /// Value at export time, when known.
  std::optional<int64_t> hint;

  bool isConstant() const { return expr.kind == SymExpr::Kind::Integer; }
  /// Only for constants.
  int64_t getValue() const { return expr.value; }
};

/// Type of a tensor. Strides and offset count elements.
struct TensorMeta {
  DType dtype = DType::F32;
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides;
  SymInt offset;
  bool requiresGrad = false;
  Device device;
};

/// A symbolic number where an operand list mixes names and constants: `name`
/// is empty for a constant.
struct SymArg {
  std::string name;
  int64_t intValue = 0;
  double floatValue = 0;
  bool boolValue = false;
};

enum class ArgKind : uint8_t {
  None,
  Tensor,          ///< names[0]
  Tensors,         ///< names
  OptionalTensor,  ///< names[0], empty for none
  OptionalTensors, ///< names, each empty for none
  NestedTensors,   ///< items, each Tensors
  Int,             ///< intValue
  Ints,            ///< ints
  IntLists,        ///< items, each Ints
  Float,           ///< floatValue
  Floats,          ///< floats
  FloatLists,      ///< items, each Floats
  Complex,         ///< floatValue, imagValue
  Bool,            ///< intValue 0 or 1
  Bools,           ///< ints
  String,          ///< names[0]
  Strings,         ///< names
  SymInt,          ///< syms[0]
  SymInts,         ///< syms
  SymFloat,        ///< syms[0]
  SymFloats,       ///< syms
  SymBool,         ///< syms[0]
  SymBools,        ///< syms
  ScalarType,      ///< dtype
  MemoryFormat,    ///< intValue: 1 contiguous, 2 and 3 channels last, 4 keep
  Layout,          ///< intValue, the archive's number: 7 is strided
  Device,          ///< device
  Graph,           ///< names[0], graph
  CustomObj,       ///< names[0] value, names[1] class
  Operator,        ///< names[0]
  Map,             ///< names are keys, items are values
};

/// The archive's tag, for instance `as_sym_ints`.
const char *getTag(ArgKind kind);

struct Graph;

/// One operand or result. Which members are used depends on `kind`.
struct Argument {
  ArgKind kind = ArgKind::None;
  DType dtype = DType::F32;
  int64_t intValue = 0;
  double floatValue = 0;
  double imagValue = 0;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> names;
  std::vector<SymArg> syms;
  std::vector<Argument> items;
  Device device;
  std::shared_ptr<const Graph> graph;
};

/// An operand with its schema name (empty for higher-order operators).
struct NamedArgument {
  std::string name;
  Argument value;
  bool keyword = false;
};

struct Node {
  /// `torch.ops.aten.add.Tensor`, `_operator.mul`, `#ns:name`, ...
  std::string target;
  /// From the archive, or the first result's name in archives without it.
  std::string name;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  /// Where in the model it came from: `L__self__,,Model;L__self__layer,...`.
  std::string moduleStack;
  std::string torchFn;
  /// The node this one was decomposed from, as JSON; often empty.
  std::string fromNode;
};

struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::unordered_map<std::string, TensorMeta> tensors;
  std::unordered_map<std::string, SymInt> symInts;
  std::unordered_map<std::string, SymInt> symBools;
  std::unordered_map<std::string, SymInt> symFloats;
  bool singleTensorReturn = false;
};

struct InputSpec {
  enum class Kind {
    User,
    Parameter,
    Buffer,
    TensorConstant,
    CustomObj,
    Token,
    Constant,
  };
  Kind kind = Kind::User;
  /// The graph input. For `Constant` the value the input must have.
  Argument arg;
  /// Name of the parameter, buffer, constant or (for `Constant`) argument.
  std::string target;
  bool persistent = true;
};

struct OutputSpec {
  enum class Kind {
    User,
    Loss,
    BufferMutation,
    ParameterMutation,
    UserInputMutation,
    GradientToParameter,
    GradientToUserInput,
    Token,
  };
  Kind kind = Kind::User;
  Argument arg;
  /// What is written back to: a buffer, a parameter or a user input.
  std::string target;
};

/// Bounds of a symbol, both inclusive; nothing when unbounded.
struct SymbolRange {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

/// A weight or constant: a strided view of a record of the archive.
struct Payload {
  /// Full name, `layer.0.weight`.
  std::string name;
  bool isConstant = false;
  bool isParameter = false;
  /// Custom objects are pickled; their bytes are of no use to kfuse.
  bool pickled = false;
  /// Absent for custom objects.
  std::optional<TensorMeta> meta;
  /// Name of the record in the archive. Payloads that share storage share it.
  std::string record;
  /// Name of the member that the record is, `model/data/weights/weight_0`.
  std::string path;
  /// The whole record; null when the archive has no such record.
  const Member *member = nullptr;
};

struct Program {
  int64_t schemaMajor = 0;
  int64_t schemaMinor = 0;
  std::string torchVersion;
  /// The name of the model inside the archive, normally `model`.
  std::string modelName;
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  /// Keyed by symbol name; torch also lists derived expressions such as
  /// `2*s0`.
  std::unordered_map<std::string, SymbolRange> ranges;
  /// Python expressions that held at export time, for messages only.
  std::vector<std::string> guards;
  /// Nesting of inputs and results as pytree JSON, and the argument names.
  std::string inSpec;
  std::string outSpec;
  std::vector<std::string> argNames;
  /// Keyed by full name.
  std::unordered_map<std::string, Payload> payloads;
  /// Things the reader tolerated.
  std::vector<std::string> warnings;
  /// Keeps the payload bytes alive.
  std::shared_ptr<const Archive> archive;
};

} // namespace mlir::kfuse::pt2

#endif // KFUSE_IMPORT_PROGRAM_H
