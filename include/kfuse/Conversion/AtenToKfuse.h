//===- AtenToKfuse.h - which ATen operations are captured -------*- C++ -*-===//
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_H
#define KFUSE_CONVERSION_ATENTOKFUSE_H

#include "mlir/Support/LLVM.h"

namespace mlir::kfuse {

/// Sorted names of the operators that `convert-aten-to-kfuse` knows: with an
/// overload (`aten::max.dim`) or for all overloads without an entry of their
/// own (`aten::add`). The names live as long as the process.
SmallVector<StringRef> getCapturedOps();

} // namespace mlir::kfuse

#endif
