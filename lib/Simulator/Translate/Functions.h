//===- Functions.h - what functions of kernels may hold --------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_TRANSLATE_FUNCTIONS_H
#define KFUSE_LIB_SIMULATOR_TRANSLATE_FUNCTIONS_H

#include "../Machine/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kfuse::sim {

/// Whether an operation does the same on the host as in a kernel: one of LLVM
/// that touches no memory.
bool isPlain(mlir::Operation *op);

/// Errors for calls, variables and stacks that the simulator cannot run.
mlir::LogicalResult
checkFunctions(mlir::ModuleOp module,
               const llvm::DenseMap<mlir::Operation *, Kernel *> &kernels);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_TRANSLATE_FUNCTIONS_H
