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
                                   op.getAlignment(), op.getFresh());
  if (Attribute granule = op->getAttr(kGranuleAttrName))
    load->setAttr(kGranuleAttrName, granule);
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

/// Thread 0 takes a ticket; shared memory tells the others what it saw.
static void lowerSplitArrive(SplitArriveOp op, unsigned slot) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value shared = createSharedArray(builder, op, i32, 1, Twine(slot));
  Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  id = arith::IndexCastOp::create(builder, loc, i32, id);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        id, constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst, false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value ticket =
        getAddress(builder, loc, op.getTickets(), op.getOffset(), i32);
    auto fence = [&] {
      LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel,
                            "device");
    };
    fence();
    Value old = LLVM::AtomicRMWOp::create(
        builder, loc, LLVM::AtomicBinOp::add, ticket, constant(1),
        LLVM::AtomicOrdering::monotonic, "device");
    fence();
    LLVM::StoreOp::create(builder, loc, old, shared);
  }
  gpu::BarrierOp::create(builder, loc);
  Value seen = LLVM::LoadOp::create(builder, loc, i32, shared);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       seen, constant(op.getCount() - 1));
  op.replaceAllUsesWith(isLast);
  op.erase();
}

LogicalResult kfuse::lowerTileOps(gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<TileLoadOp, TileStoreOp, ThreadReduceOp, CheckIndexOp, RoundOp,
            TileExchangeOp, TileShiftOp, SplitArriveOp>(op))
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
    } else if (auto arrive = dyn_cast<SplitArriveOp>(op)) {
      lowerSplitArrive(arrive, slot++);
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
