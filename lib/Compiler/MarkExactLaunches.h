//===- MarkExactLaunches.h - launches that round nothing --------*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_MARKEXACTLAUNCHES_H
#define KFUSE_LIB_COMPILER_MARKEXACTLAUNCHES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::kfuse {

/// Gives launches the unit attribute `kfuse.exact` when their kernels, after
/// the phase `lower`, do no arithmetic on floating-point numbers: they move,
/// select and convert values, so that their results are those of the operators
/// that they replace, bit for bit but for signs of zero and kinds of NaN.
void markExactLaunches(ModuleOp module);

} // namespace mlir::kfuse

#endif
