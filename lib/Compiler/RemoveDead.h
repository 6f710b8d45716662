//===- RemoveDead.h - operators that nothing needs --------------*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_REMOVEDEAD_H
#define KFUSE_LIB_COMPILER_REMOVEDEAD_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::kfuse {

/// Erases calls whose results nobody reads, where the operator's schema says
/// that it only computes results. Form needed: `functionalize`; the exported
/// program, kept for `generic.json`, is not touched.
void removeDeadOperators(ModuleOp module);

} // namespace mlir::kfuse

#endif
