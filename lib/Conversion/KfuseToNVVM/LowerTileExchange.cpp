//===- LowerTileExchange.cpp - tiles transposed in shared memory ----------===//

#include "LowerTileOps.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::kfuse;

Value kfuse::createSharedArray(OpBuilder &builder, Operation *op, Type element,
                               int64_t count, const Twine &name) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  std::string full = (function.getName() + "_shared" + name).str();
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        builder, op->getLoc(), LLVM::LLVMArrayType::get(element, count),
        /*isConstant=*/false, LLVM::Linkage::Internal, full, Attribute(),
        /*alignment=*/16, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(builder, op->getLoc(), global);
}

void kfuse::lowerTileExchange(TileExchangeOp op, unsigned slot) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getValues().front().getType();
  Type element = getElementTypeOrSelf(type), memory = element;
  // One bit takes a byte.
  if (element.isInteger(1))
    memory = builder.getI8Type();
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  // An odd pitch spreads a column over the banks.
  int64_t size = op.getSize(), pitch = size + 1, depth = op.getThreads() / 32;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  auto multiply = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(builder, loc, value, constant(by));
  };
  Value shared =
      createSharedArray(builder, op, memory, size * pitch, Twine(slot));
  Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  id = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), id);
  Value x = arith::RemUIOp::create(builder, loc, id, constant(32));
  Value y = arith::DivUIOp::create(builder, loc, id, constant(32));
  Value across = arith::AddIOp::create(builder, loc, multiply(y, pitch),
                                       multiply(x, lanes));
  Value down =
      arith::AddIOp::create(builder, loc, y, multiply(x, lanes * pitch));
  auto getAddress = [&](Value base, int64_t distance) -> Value {
    Value at = arith::AddIOp::create(builder, loc, base, constant(distance));
    return LLVM::GEPOp::create(builder, loc, shared.getType(), memory, shared,
                               ArrayRef<LLVM::GEPArg>{at});
  };
  for (auto [j, value] : llvm::enumerate(op.getValues())) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value one = value;
      if (vector)
        one = vector::ExtractOp::create(builder, loc, value, lane);
      if (memory != element)
        one = arith::ExtUIOp::create(builder, loc, memory, one);
      LLVM::StoreOp::create(builder, loc, one,
                            getAddress(across, j * depth * pitch + lane));
    }
  }
  gpu::BarrierOp::create(builder, loc);
  SmallVector<Value> results;
  for (int64_t j = 0, e = op.getNumResults(); j < e; ++j) {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value one = LLVM::LoadOp::create(
          builder, loc, memory, getAddress(down, lane * pitch + j * depth));
      if (memory != element)
        one = arith::TruncIOp::create(builder, loc, element, one);
      elements.push_back(one);
    }
    results.push_back(
        vector ? vector::FromElementsOp::create(builder, loc, type, elements)
                     .getResult()
               : elements.front());
  }
  op.replaceAllUsesWith(results);
  op.erase();
}
