//===- PTX.h - PTX and cubins of kernels ------------------------*- C++ -*-===//
#ifndef KFUSE_TARGET_PTX_H
#define KFUSE_TARGET_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kfuse::target {

struct PTXOptions {
  /// Architecture: sm_80, sm_90a, sm_100 (see TargetInfo).
  std::string arch = "sm_90a";
  /// Path of the pinned libdevice.10.bc; needed by kernels that call math
  /// functions.
  std::string libdevicePath;
  /// Optimization level of LLVM, 0 to 3.
  int optLevel = 3;
};

/// Compiles a `gpu.module` in the LLVM and NVVM dialects to PTX. libdevice is
/// linked from the given path and from nowhere else. The module's context must
/// have the LLVM IR translations of the builtin, gpu, LLVM and NVVM dialects.
/// On failure a diagnostic was emitted at the module. Thread-safe for modules
/// of different contexts.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     const PTXOptions &options);

/// Runs `ptxasPath` on `ptx` and returns the cubin. Temporary files are made in
/// the system's directory for them and removed. `log`, if given, receives what
/// ptxas says about registers and memory. The error holds ptxas's message.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx,
                                        llvm::StringRef arch,
                                        llvm::StringRef ptxasPath,
                                        std::string *log = nullptr);

} // namespace kfuse::target

#endif
