//===- LowerTileOps.cpp - tile operations to LLVM and GPU ops -------------===//

#include "LowerTileOps.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::kfuse;

/// The address of a packet: one step for each offset.
static Value getAddress(OpBuilder &builder, Location loc, Value pointer,
                        ValueRange offsets, Type element) {
  for (Value offset : offsets)
    pointer = LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                                  pointer, ArrayRef<LLVM::GEPArg>{offset});
  return pointer;
}

static LogicalResult checkUnmasked(Operation *op, Value predicate, Value high) {
  if (predicate || high)
    return op->emitError()
           << "expected kfuse-mask-tails to have removed 'if' and 'valid'";
  return success();
}

static LogicalResult lowerLoad(TileLoadOp op) {
  if (failed(checkUnmasked(op, op.getPredicate(), op.getHigh())))
    return failure();
  OpBuilder builder(op);
  Type type = op.getResult().getType();
  Value address = getAddress(builder, op.getLoc(), op.getPointer(),
                             op.getOffsets(), getElementTypeOrSelf(type));
  auto load = LLVM::LoadOp::create(builder, op.getLoc(), type, address,
                                   op.getAlignment());
  op.replaceAllUsesWith(load.getResult());
  op.erase();
  return success();
}

static LogicalResult lowerStore(TileStoreOp op) {
  if (failed(checkUnmasked(op, op.getPredicate(), op.getHigh())))
    return failure();
  OpBuilder builder(op);
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Value address = getAddress(builder, op.getLoc(), op.getPointer(),
                             op.getOffsets(), element);
  LLVM::StoreOp::create(builder, op.getLoc(), op.getValue(), address,
                        op.getAlignment());
  op.erase();
  return success();
}

static void lowerCheckIndex(CheckIndexOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value bad = arith::XOrIOp::create(builder, loc, op.getInRange(), yes);
  auto branch = scf::IfOp::create(builder, loc, bad, false);
  builder.setInsertionPointToStart(branch.thenBlock());
  LLVM::Trap::create(builder, loc);
  op.erase();
}

LogicalResult kfuse::lowerTileOps(gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<TileLoadOp, TileStoreOp, ThreadReduceOp, CheckIndexOp, RoundOp,
            TileExchangeOp, TileShiftOp>(op))
      ops.push_back(op);
  });
  unsigned slot = 0;
  for (Operation *op : ops) {
    OpBuilder builder(op);
    if (auto load = dyn_cast<TileLoadOp>(op)) {
      if (failed(lowerLoad(load)))
        return failure();
    } else if (auto store = dyn_cast<TileStoreOp>(op)) {
      if (failed(lowerStore(store)))
        return failure();
    } else if (auto reduce = dyn_cast<ThreadReduceOp>(op)) {
      lowerThreadReduce(reduce, slot++);
    } else if (auto exchange = dyn_cast<TileExchangeOp>(op)) {
      lowerTileExchange(exchange, slot++);
    } else if (auto check = dyn_cast<CheckIndexOp>(op)) {
      lowerCheckIndex(check);
    } else if (auto round = dyn_cast<RoundOp>(op)) {
      // No upstream fold runs after this.
      round.replaceAllUsesWith(arith::TruncFOp::create(builder, op->getLoc(),
                                                       round.getType(),
                                                       round.getValue())
                                   .getResult());
      op->erase();
    } else {
      lowerTileShift(cast<TileShiftOp>(op));
    }
  }
  return success();
}
