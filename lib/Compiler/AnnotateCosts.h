//===- AnnotateCosts.h - predicted cost of each fusion ----------*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_ANNOTATECOSTS_H
#define KFUSE_LIB_COMPILER_ANNOTATECOSTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::kfuse {

/// Gives each fusion of a `fuse` form the dictionary `kfuse.cost` with the cost
/// model's `flops` and `microseconds` on `arch`, for the ledger.
void annotateCosts(ModuleOp module, StringRef arch);

} // namespace mlir::kfuse

#endif
