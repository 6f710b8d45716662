//===- PackageProgram.h - plan.json and generic.json ------------*- C++ -*-===//
#ifndef KFUSE_LIB_TARGET_PACKAGEPROGRAM_H
#define KFUSE_LIB_TARGET_PACKAGEPROGRAM_H

#include "PackageSignature.h"
#include <map>

namespace mlir::kfuse {

/// Members with device code: by kernel, then by architecture.
using KernelFiles = std::map<std::string, std::map<std::string, std::string>>;

/// Turns a function into a program of docs/Package.md.
class ProgramWriter {
public:
  /// Both are borrowed.
  ProgramWriter(const Signature &signature, bool isPlan,
                const KernelFiles &files)
      : signature(signature), isPlan(isPlan), files(files) {}

  FailureOr<llvm::json::Object> write();

private:
  /// What a value of the function is in the package: a tensor or a symbol.
  struct Reference {
    int64_t tensor = -1;
    std::string symbol;
    /// Of a symbol: it may stand in expressions.
    bool isInt = false;
  };
  using Values = DenseMap<Value, Reference>;

  LogicalResult addArguments();
  LogicalResult writeBlock(Block &block, llvm::json::Array &steps,
                           bool inGeneric);
  LogicalResult writeStep(Operation &op, llvm::json::Array &steps,
                          bool inGeneric);
  LogicalResult writeAten(AtenOp op, llvm::json::Array &steps, bool inGeneric);
  LogicalResult writeView(ViewOp op, llvm::json::Array &steps);
  LogicalResult writeLaunch(LaunchOp op, llvm::json::Array &steps);
  FailureOr<int64_t> addScratch(LaunchOp op);
  LogicalResult writeGeneric(LaunchOp op, llvm::json::Array &steps);
  /// Launches whose sizes are known too late, and fusions without a kernel,
  /// run as what they were made of.
  LogicalResult inlineGeneric(Operation *op, Region &generic, StringRef reason,
                              llvm::json::Array &steps);
  bool isReady(LaunchOp op) const;
  LogicalResult writeReturn(Operation *op);

  llvm::json::Value writeVariant(LaunchOp op, VariantAttr variant,
                                 unsigned number);
  int64_t addKernel(LaunchOp op, VariantAttr variant, unsigned number);
  FailureOr<llvm::json::Value> writeValue(AtenOp op, Attribute attr);
  FailureOr<llvm::json::Value> writeResult(AtenOp op, Value result);
  llvm::json::Value writeTorch(TorchAttr attr);
  LogicalResult defineSymbol(AtenOp op, OpResult result, StringRef name);
  void defineSizeSymbols(int64_t tensor, RankedTensorType type);

  int64_t addTensor(RankedTensorType type, llvm::json::Value storage,
                    StringRef name = "");
  llvm::json::Value getOutputStorage(Value value);
  /// Index of the tensor of `value`.
  FailureOr<int64_t> getTensor(Operation *op, Value value);

  const Signature &signature;
  bool isPlan;
  const KernelFiles &files;
  Values values;
  llvm::StringSet<> defined;
  llvm::StringMap<int64_t> kernelIndex;
  /// Outputs whose memory some launch writes to.
  SmallVector<bool> outputTaken;
  /// Reason for running a launch's operations one by one, while inlining.
  StringRef inlineReason;
  unsigned counter = 0;

  llvm::json::Array symbols, tensors, kernels, outputs, mutations;
};

} // namespace mlir::kfuse

#endif
