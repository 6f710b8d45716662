//===- LowerTileOps.h - tile operations to LLVM and GPU ops -----*- C++ -*-===//
#ifndef KFUSE_LIB_CONVERSION_LOWERTILEOPS_H
#define KFUSE_LIB_CONVERSION_LOWERTILEOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"

namespace mlir::kfuse {

/// Rewrites every kfuse operation in `module` into LLVM, NVVM, gpu, scf and
/// arith operations. Fails with a diagnostic on an operation that must have
/// been removed before (a load with `valid`).
LogicalResult lowerTileOps(gpu::GPUModuleOp module);

class TileShiftOp;
/// Lowers the shift to word selections and funnel shifts.
void lowerTileShift(TileShiftOp op);
/// Rewrites math operations that kfuse computes itself: correctly rounded
/// square roots, and, if `shortTanh`, tanh where one is added to it.
void lowerMath(gpu::GPUModuleOp module, bool shortTanh);

class ThreadReduceOp;
/// Lowers one reduction over threads; `slot` makes shared memory names unique.
void lowerThreadReduce(ThreadReduceOp op, unsigned slot);

} // namespace mlir::kfuse

#endif
