//===- Registration.h - dialects and passes of the compiler -----*- C++ -*-===//
#ifndef KFUSE_COMPILER_REGISTRATION_H
#define KFUSE_COMPILER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::kfuse {

/// Registers every dialect that some phase's IR contains, and the translations
/// to LLVM IR that emission needs.
void registerDialects(DialectRegistry &registry);

/// Registers kfuse's passes, the upstream passes that its pipelines use and
/// one pipeline for each phase. Call once in a process.
void registerPasses();

} // namespace mlir::kfuse

#endif
