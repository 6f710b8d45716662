//===- PackageLedger.h - what the compiler decided --------------*- C++ -*-===//
#ifndef KFUSE_LIB_TARGET_PACKAGELEDGER_H
#define KFUSE_LIB_TARGET_PACKAGELEDGER_H

#include "kfuse/Target/Package.h"

namespace mlir::kfuse {

/// `ledger.json`: what each launch is made of and predicted to cost, what was
/// left to PyTorch and why, and every decision of the passes.
llvm::json::Object makeLedger(const PackageContents &contents);

} // namespace mlir::kfuse

#endif
