//===- TileOps.cpp - operations of tiled kernels --------------------------===//

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Checks what loads and stores share; `packet` is what moves.
template <typename OpTy>
static LogicalResult verifyAccess(OpTy op, Type packet) {
  if (auto vector = dyn_cast<VectorType>(packet))
    if (vector.getRank() != 1)
      return op.emitOpError()
             << "expected a scalar or a vector of rank 1, found " << packet;
  if (!llvm::isPowerOf2_64(op.getAlignment()))
    return op.emitOpError() << "expected a power of two as alignment, found "
                            << op.getAlignment();
  if (static_cast<bool>(op.getLow()) != static_cast<bool>(op.getHigh()))
    return op.emitOpError() << "expected both ends of the valid range";
  return success();
}

LogicalResult TileLoadOp::verify() {
  return verifyAccess(*this, getResult().getType());
}

LogicalResult TileStoreOp::verify() {
  return verifyAccess(*this, getValue().getType());
}

LogicalResult ThreadReduceOp::verify() {
  if (getValues().getTypes() != getResultTypes())
    return emitOpError() << "expected results of the types of the values";
  int64_t group = getCount() * getStep();
  if (getCount() <= 0 || getStep() <= 0 || getThreads() % group != 0)
    return emitOpError() << "expected count * step to divide the "
                         << getThreads() << " threads, found " << getCount()
                         << " * " << getStep();
  bool shuffles = getStep() == 1 && getCount() <= 32;
  if (shuffles && !llvm::isPowerOf2_64(getCount()))
    return emitOpError() << "expected a power of two as count of a group of at "
                            "most 32 neighbours, found "
                         << getCount();
  if (!shuffles && group != static_cast<int64_t>(getThreads()))
    return emitOpError() << "expected a group of more than 32 threads to be "
                            "the whole block";
  Block &block = getCombiner().front();
  if (block.getNumArguments() != 2 * getNumOperands())
    return emitOpError() << "expected " << 2 * getNumOperands()
                         << " arguments of the combiner, found "
                         << block.getNumArguments();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError() << "expected the combiner to yield the result types";
  return success();
}
