//===- Program.h - manifest and programs in memory -------------*- C++ -*-===//
///
/// \file
/// What docs/Package.md describes, checked and indexed. Immutable once read.
///
#ifndef KFUSE_RUNTIME_CORE_PROGRAM_H
#define KFUSE_RUNTIME_CORE_PROGRAM_H

#include "Dtype.h"
#include "Expression.h"

#include <string_view>
#include <unordered_map>

namespace kfuse {

struct Symbol {
  enum class Bind { Deferred, InputDim, InputScalar, Expr, TensorDim, Step };
  std::string name;
  int64_t min = 0;
  int64_t max = INT64_MAX;
  KfuseScalarKind type = KFUSE_SCALAR_INT;
  Bind bind = Bind::Deferred;
  int32_t index = -1; ///< input or tensor
  int32_t dim = -1;
  int64_t mul = 1, add = 0;
  ExprId expr = -1;
  bool isDynamic = false; ///< gets its value during the run
};

struct Layout {
  KfuseDtype dtype = KFUSE_DTYPE_INVALID;
  std::vector<ExprId> sizes;
  std::vector<ExprId> strides;
  int32_t rank() const { return static_cast<int32_t>(sizes.size()); }
};

struct InputSpec {
  enum class Kind { Tensor, Scalar, Constant };
  std::string name;
  Kind kind = Kind::Tensor;
  KfuseScalarKind scalar = KFUSE_SCALAR_INT;
  Layout layout;
  bool isMutated = false;
  int32_t argument = -1; ///< position among the passed inputs
};

struct OutputSpec {
  enum class Kind { Tensor, Scalar, None };
  std::string name;
  Kind kind = Kind::Tensor;
  KfuseScalarKind scalar = KFUSE_SCALAR_INT;
  Layout layout;
  int32_t argument = -1; ///< position among the given outputs
};

/// What a package's programs have in common; a program copies and extends it.
struct Interface {
  ExpressionTable table;
  std::vector<Symbol> symbols;
  std::unordered_map<std::string, int32_t> symbolIndex;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  int32_t inputArguments = 0;
  int32_t outputArguments = 0;

  std::vector<std::string> symbolNames() const;
};

/// A block of weight bytes. `bytes` points into a mapping.
struct WeightStorage {
  std::string file; ///< empty: the package itself
  std::string member;
  int64_t declaredBytes = -1;
  int64_t crc32 = -1;
  bool isMutable = false;
};

struct WeightSpec {
  std::string name;
  KfuseDtype dtype = KFUSE_DTYPE_INVALID;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool isMutable = false;
  int32_t storage = -1;
};

struct Manifest {
  Interface interface;
  std::vector<WeightSpec> weights;
  std::vector<WeightStorage> storages;
  std::string model;
};

enum class StorageKind { Input, Weight, Output, Arena, View, Provider };

struct TensorSpec {
  std::string name;
  Layout layout;
  ExprId offset = -1;
  StorageKind storage = StorageKind::Provider;
  int32_t index = -1;      ///< input, weight, output or viewed tensor
  ExprId arenaOffset = -1; ///< bytes

  // Found by analyzeProgram:
  int32_t root = -1;        ///< the tensor at the end of the chain of views
  bool isDynamic = false;   ///< layout depends on values of the run
  bool needsLayout = false; ///< must have the planned strides
  int32_t firstExtent = -1; ///< of its sizes, then strides, in a frame
  std::vector<int32_t> boundSymbols; ///< symbols bound to a size of it
};

struct KernelBinary {
  std::string arch;
  std::string member;
  std::string entry;
};

struct KernelSpec {
  std::string id;
  std::vector<KernelBinary> binaries;
  int32_t pointers = 0;
  int32_t scalars = 0;
};

struct GuardSpec {
  enum class Kind { Aligned, Divisible, LessEqual };
  Kind kind = Kind::Aligned;
  int32_t tensor = -1;
  int64_t number = 0; ///< bytes or divisor
  ExprId lhs = -1, rhs = -1;
};

struct VariantSpec {
  int32_t kernel = -1;
  std::vector<int32_t> tensors;    ///< numbers in the tensor table
  std::vector<KfuseAccess> access; ///< to each of them; found by analyzeProgram
  std::vector<ExprId> scalars;
  ExprId grid[3] = {-1, -1, -1};
  uint32_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
  std::vector<GuardSpec> guards; ///< tensors are numbers in the tensor table
};

/// An argument value, see KfuseValue. `number` is a tensor for TENSOR; for
/// SCALAR it is an expression, or a symbol when `isSymbol` is set.
struct ValueSpec {
  KfuseValueKind kind = KFUSE_VALUE_NONE;
  bool isSymbol = false;
  bool isModelDevice = false;
  int64_t number = 0;
  double real = 0, imag = 0;
  std::string text;
  KfuseDevice device = {KFUSE_CPU, 0};
  std::vector<ValueSpec> elements;
};

struct ArgumentSpec {
  std::string name;
  ValueSpec value;
};

struct ResultSpec {
  enum class Kind { None, Tensor, Symbol };
  Kind kind = Kind::None;
  int32_t index = -1;
};

struct AtenSpec {
  std::string target;
  std::string overload;
  std::vector<ArgumentSpec> arguments;
  std::vector<ResultSpec> results; ///< flattened
  std::vector<int32_t> returns;    ///< see KfuseOpSpec
  KfuseFallbackClass kind = KFUSE_FALLBACK_UNSUPPORTED;
  std::string reason;
  bool isPython() const { return target.compare(0, 8, "python::") == 0; }
  /// "aten::add.Tensor"
  const std::string &displayName() const { return display; }
  std::string display;
};

struct Step {
  enum class Kind { Launch, Aten, Copy, Fill };
  Kind kind = Kind::Aten;
  int32_t index = -1; ///< launch or aten call
  int32_t to = -1, from = -1;
  uint8_t byte = 0;
  std::vector<int32_t> releases; ///< provider tensors that end here
};

struct LaunchSpec {
  std::string id;
  std::vector<int32_t> inputs, outputs, scratch;
  std::vector<VariantSpec> variants;
  std::vector<Step> generic;
  bool isDynamic = false;
  bool isExact = false; ///< rounds nothing that the operators do not
};

struct ProgramOutput {
  enum class Kind { None, Tensor, Expr, Symbol };
  Kind kind = Kind::None;
  int32_t index = -1;
};

struct MutationSpec {
  bool isInput = false;
  int32_t target = -1;
  int32_t tensor = -1;
};

struct Program {
  bool isGeneric = false;
  Interface interface;
  std::vector<TensorSpec> tensors;
  std::vector<KernelSpec> kernels;
  std::vector<LaunchSpec> launches;
  std::vector<AtenSpec> atens;
  std::vector<Step> steps;
  std::vector<ProgramOutput> outputs;
  std::vector<MutationSpec> mutations;
  ExprId arenaBytes = -1;
  int32_t extentCount = 0;
  bool hasDynamic = false; ///< some symbol gets its value during the run
};

/// Parses manifest.json.
Result<Manifest> readManifest(std::string_view json);
/// Parses plan.json or generic.json and analyzes it.
Result<Program> readProgram(std::string_view json, const Manifest &manifest);
/// Fills in what TensorSpec, Step and Program say is found by analysis.
Status analyzeProgram(Program &program);
/// Part of the analysis: VariantSpec::access.
void findLaunchAccess(Program &program);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_PROGRAM_H
