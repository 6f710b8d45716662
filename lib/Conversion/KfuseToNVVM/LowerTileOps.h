//===- LowerTileOps.h - tile operations to LLVM and GPU ops -----*- C++ -*-===//
#ifndef KFUSE_LIB_CONVERSION_LOWERTILEOPS_H
#define KFUSE_LIB_CONVERSION_LOWERTILEOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Support/LLVM.h"

namespace mlir::kfuse {

/// Rewrites every kfuse operation in `module` into LLVM, NVVM, gpu, scf and
/// arith operations. Fails with a diagnostic on an operation that must have
/// been removed before (a load with `valid`).
LogicalResult lowerTileOps(gpu::GPUModuleOp module);

/// Shared memory of `count` elements that belongs to `op` alone; `name` is
/// made unique by the kernel's name.
Value createSharedArray(OpBuilder &builder, Operation *op, Type element,
                        int64_t count, const Twine &name);

class TileExchangeOp;
void lowerTileExchange(TileExchangeOp op, unsigned slot);

class TileShiftOp;
/// Lowers the shift to word selections and funnel shifts.
void lowerTileShift(TileShiftOp op);
/// Rewrites math operations that kfuse computes itself: correctly rounded
/// square roots, and, unless `isEager`, tanh where one is added to it and
/// divisions of a packet by one number.
void lowerMath(gpu::GPUModuleOp module, bool isEager);

class ThreadReduceOp;
/// Lowers one reduction over threads; `slot` makes shared memory names unique.
void lowerThreadReduce(ThreadReduceOp op, unsigned slot);

} // namespace mlir::kfuse

#endif
