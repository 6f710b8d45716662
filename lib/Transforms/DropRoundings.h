//===- DropRoundings.h - the `fused` numerics contract ----------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_DROPROUNDINGS_H
#define KFUSE_LIB_TRANSFORMS_DROPROUNDINGS_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"

namespace mlir::kfuse {

/// Drops the implicit roundings in `fusion`'s body whose value is only used
/// in wider arithmetic: not stored, compared, converted to an integer, or
/// searched for an extreme position. Explicit casts stay, and so do the
/// roundings of what a reduction leaves for a row.
void dropRoundings(FusionOp fusion);

} // namespace mlir::kfuse

#endif
