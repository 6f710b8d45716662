//===- Translate.h - kernels to host code ----------------------*- C++ -*-===//
///
/// \file
/// Turns a `gpu.module` in the LLVM and NVVM dialects into LLVM IR for the
/// host, in which everything that touches memory or other threads calls the
/// machine.
///
#ifndef KFUSE_LIB_SIMULATOR_TRANSLATE_TRANSLATE_H
#define KFUSE_LIB_SIMULATOR_TRANSLATE_TRANSLATE_H

#include "../Machine/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace kfuse::sim {

struct TranslatedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> code;
  /// Without entries; the function of kernel `k` is `kfuse_sim_entry.k`.
  std::vector<Kernel> kernels;
};

/// Reports what it does not know as errors of the operations.
mlir::FailureOr<TranslatedModule> translate(mlir::gpu::GPUModuleOp module);

/// Prefix of the functions that run one thread.
constexpr const char *entryPrefix = "kfuse_sim_entry.";

/// State of one translation, for the handlers of operations.
class Translator {
public:
  Translator(mlir::ModuleOp module, std::vector<Site> &sites);

  mlir::OpBuilder builder;
  mlir::Type i1, i8, i16, i32, i64, f32, pointer;

  mlir::Value constant(mlir::Operation *at, int64_t value,
                       mlir::Type type = {});
  /// Calls an operation of the machine; `result` may be null. The builder
  /// stands before `at`.
  mlir::Value call(mlir::Operation *at, llvm::StringRef name, mlir::Type result,
                   mlir::ValueRange arguments);
  /// Number of the operation's site, as a constant.
  mlir::Value site(mlir::Operation *op);
  Site &siteOf(mlir::Operation *op);
  /// The same for an operation that need not have one.
  mlir::Value siteFor(mlir::Operation *op);
  /// The bits of a value of at most 64 bits as an integer of `type`, and back.
  mlir::Value toBits(mlir::Operation *at, mlir::Value value, mlir::Type type);
  mlir::Value fromBits(mlir::Operation *at, mlir::Value bits, mlir::Type type);
  /// Memory of the current thread for a value of `type`, made at its function's
  /// start.
  mlir::Value slot(mlir::Operation *at, mlir::Type type);
  static void replace(mlir::Operation *op, mlir::ValueRange values);
  static void erase(mlir::Operation *op) { op->erase(); }

private:
  mlir::ModuleOp module;
  std::vector<Site> &sites;
};

/// Translates one operation, or fails after an error.
using Handler = mlir::LogicalResult (*)(Translator &, mlir::Operation *);
using Handlers = llvm::StringMap<Handler>;
void addMemoryHandlers(Handlers &handlers);
void addThreadHandlers(Handlers &handlers);
void addAsyncHandlers(Handlers &handlers);
void addMatrixHandlers(Handlers &handlers);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_TRANSLATE_TRANSLATE_H
