//===- kfuse-eval.cpp - run captured programs on the CPU ------------------===//
/// Runs each function of a captured program with the reference evaluator. The
/// inputs of function `f` are DIR/f.in0.npy, ..., its results DIR/f.out0.npy,
/// ... Prints one line for each function.

#include "Npy.h"
#include "kfuse/Conversion/AtenToKfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

static std::string getPath(StringRef dir, func::FuncOp function, StringRef what,
                           size_t index) {
  SmallString<128> path(dir);
  llvm::sys::path::append(path, function.getName() + "." + what +
                                    llvm::Twine(index) + ".npy");
  return path.str().str();
}

static std::string evaluateOne(func::FuncOp function, StringRef dir) {
  std::string message;
  ScopedDiagnosticHandler handler(function.getContext(), [&](Diagnostic &d) {
    message += d.str();
    return success();
  });
  std::vector<DenseTensor> inputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType)
      return "expected tensor inputs";
    llvm::Expected<DenseTensor> input =
        readNpy(getPath(dir, function, "in", i),
                getBodyType(tensorType).getElementType());
    if (!input)
      return llvm::toString(input.takeError());
    inputs.push_back(std::move(*input));
  }
  FailureOr<SmallVector<DenseTensor>> results =
      evaluateFunction(function, inputs);
  if (failed(results))
    return message.empty() ? "cannot be evaluated" : message;
  for (auto [i, result] : llvm::enumerate(*results))
    if (llvm::Error error = writeNpy(getPath(dir, function, "out", i), result))
      return llvm::toString(std::move(error));
  return {};
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::init("-"),
                                   llvm::cl::desc("<captured program>"));
  llvm::cl::opt<std::string> dir("dir", llvm::cl::init("."),
                                 llvm::cl::desc("folder of the .npy files"));
  llvm::cl::opt<bool> listOps(
      "list-ops", llvm::cl::desc("print the ATen operators that are captured"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "kfuse reference evaluator\n");

  if (listOps) {
    for (StringRef name : getCapturedOps())
      llvm::outs() << name << "\n";
    return 0;
  }
  DialectRegistry registry;
  registry.insert<KfuseDialect, func::FuncDialect, arith::ArithDialect,
                  math::MathDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(input, ParserConfig(&context));
  if (!module)
    return 1;
  bool isClean = true;
  for (auto function : module->getOps<func::FuncOp>()) {
    std::string error = evaluateOne(function, dir);
    isClean &= error.empty();
    llvm::outs() << function.getName() << ": " << (error.empty() ? "ok" : error)
                 << "\n";
  }
  return isClean ? 0 : 2;
}
