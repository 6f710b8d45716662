//===- MarkMutations.h - which arguments a program writes to ----*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_MARKMUTATIONS_H
#define KFUSE_LIB_COMPILER_MARKMUTATIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::kfuse {

/// Gives arguments that in-place operators of an `import` form write to,
/// directly or through views, the unit attribute `kfuse.mutated`: the runtime
/// must give such weights memory of their own.
void markMutatedArguments(ModuleOp module);

} // namespace mlir::kfuse

#endif
