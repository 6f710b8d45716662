//===- MaskTails.h - parts of kfuse-mask-tails ------------------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_MASKTAILS_H
#define KFUSE_LIB_TRANSFORMS_MASKTAILS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// Replaces a covered load by loads of aligned granules.
void maskCoveredLoad(TileLoadOp op);

} // namespace mlir::kfuse

#endif
