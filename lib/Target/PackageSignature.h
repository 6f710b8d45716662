//===- PackageSignature.h - inputs, outputs and weights ---------*- C++ -*-===//
/// \file
/// What the arguments and results of a program mean, read from the attributes
/// that import left on the function. Both programs of a package have the same.

#ifndef KFUSE_LIB_TARGET_PACKAGESIGNATURE_H
#define KFUSE_LIB_TARGET_PACKAGESIGNATURE_H

#include "kfuse/Target/Package.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::kfuse {

/// Where an argument gets its value.
struct ArgumentRole {
  enum class Kind { Input, Weight };
  Kind kind = Kind::Input;
  /// Index among the inputs or weights of the manifest.
  int64_t index = 0;
  /// Name of the symbol that a scalar input sets; empty for tensors.
  std::string symbol;
};

struct ResultRole {
  /// The result is written back to this argument; -1 for an output.
  int64_t mutatedArgument = -1;
  /// Index among the outputs of the manifest.
  int64_t output = -1;
};

class Signature {
public:
  /// Reads the only public function of `module`. Errors: no such function,
  /// attributes that are missing or of the wrong kind.
  static FailureOr<Signature> read(ModuleOp module);

  func::FuncOp getFunction() const { return function; }
  ArrayRef<ArgumentRole> getArguments() const { return arguments; }
  ArrayRef<ResultRole> getResults() const { return results; }
  /// True for a symbol whose value is known before the first step.
  bool isBound(StringRef symbol) const { return bound.contains(symbol); }
  bool isBound(ExprAttr expr) const;
  /// Range of a symbol as `min` and `max` of a `SYMBOL`.
  void addRange(llvm::json::Object &symbol, StringRef name) const;
  /// Device that the program was exported on: `cpu`, `cuda:0`.
  StringRef getDevice() const { return device; }
  /// Results of the manifest that are not tensors: one entry an output, null
  /// for those that the function returns.
  ArrayRef<Attribute> getFixedOutputs() const { return fixedOutputs; }
  int64_t getNumOutputs() const { return fixedOutputs.size(); }

  /// The manifest without `targets`, and with the weights' sources as given by
  /// `getSource(record)`.
  FailureOr<llvm::json::Object> makeManifest(
      llvm::function_ref<FailureOr<llvm::json::Value>(StringRef)> getSource)
      const;

private:
  LogicalResult readArguments();
  LogicalResult readResults();
  void bindSymbols();
  bool bindDimension(int64_t input, int64_t dim, ExprAttr size, bool affine);
  FailureOr<llvm::json::Array> makeInputs() const;
  llvm::json::Array makeOutputs() const;
  FailureOr<llvm::json::Value>
  makeWeight(unsigned argument,
             llvm::function_ref<FailureOr<llvm::json::Value>(StringRef)>
                 getSource) const;

  // Operation handles have no const methods.
  mutable ModuleOp module;
  mutable func::FuncOp function;
  std::string device = "cpu";
  std::vector<ArgumentRole> arguments;
  std::vector<ResultRole> results;
  std::vector<Attribute> fixedOutputs;
  llvm::json::Array symbols;
  llvm::StringSet<> bound;
};

} // namespace mlir::kfuse

#endif
