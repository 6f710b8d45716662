//===- Npy.h - .npy files of the evaluator ----------------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_EVAL_NPY_H
#define KFUSE_TOOLS_KFUSE_EVAL_NPY_H

#include "kfuse/Reference/Evaluator.h"
#include "llvm/Support/Error.h"

namespace mlir::kfuse {

/// Reads a row-major array as a tensor of `elementType` (signless); what
/// counts is the width: bf16 is stored as 16-bit integers.
llvm::Expected<reference::DenseTensor> readNpy(StringRef path,
                                               Type elementType);

llvm::Error writeNpy(StringRef path, const reference::DenseTensor &tensor);

} // namespace mlir::kfuse

#endif
