//===- LowerThreadReduce.cpp - reductions over threads --------------------===//
/// Warp shuffles for neighbours, shared memory beyond a warp.

#include "LowerTileOps.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
class ThreadReduceLowering {
public:
  ThreadReduceLowering(ThreadReduceOp op, unsigned slot)
      : op(op), builder(op), loc(op.getLoc()), slot(slot) {}

  void lower();

private:
  using Values = SmallVector<Value>;

  Values combine(const Values &lhs, const Values &rhs);
  Values reduceNeighbours(Values values, int64_t count);
  Values reduceBlock(Values values);
  Values reduceStrided(const Values &values);
  Value shuffle(Value value, int64_t distance);
  Value shuffleWord(Value word, int64_t distance);
  Values getSlots(int64_t count);
  Value getElement(Value slot, Type type, Value position);
  Values loadAll(const Values &slots, Value position);
  void storeAll(const Values &slots, Value position, const Values &values);

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value getThread() {
    Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), id);
  }

  ThreadReduceOp op;
  OpBuilder builder;
  Location loc;
  unsigned slot;
};
} // namespace

SmallVector<Value> ThreadReduceLowering::combine(const Values &lhs,
                                                 const Values &rhs) {
  Block &block = op.getCombiner().front();
  Values arguments(lhs);
  arguments.append(rhs.begin(), rhs.end());
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    mapping.map(argument, value);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  Values result;
  for (Value value : block.getTerminator()->getOperands())
    result.push_back(mapping.lookupOrDefault(value));
  return result;
}

Value ThreadReduceLowering::shuffleWord(Value word, int64_t distance) {
  Value all = constant(-1), clamp = constant(31);
  return NVVM::ShflOp::create(builder, loc, word.getType(), all, word,
                              constant(distance), clamp, NVVM::ShflKind::bfly,
                              UnitAttr());
}

/// Moves a value of up to 64 bits as 32-bit words.
Value ThreadReduceLowering::shuffle(Value value, int64_t distance) {
  Type type = value.getType();
  if (type.isF32() || type.isInteger(32))
    return shuffleWord(value, distance);
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width), i32 = builder.getI32Type();
  bool isFloat = isa<FloatType>(type);
  if (isFloat)
    value = arith::BitcastOp::create(builder, loc, bits, value);
  if (width == 64) {
    Value shift =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
    Value low = arith::TruncIOp::create(builder, loc, i32, value);
    Value high = arith::ShRUIOp::create(builder, loc, value, shift);
    high = arith::TruncIOp::create(builder, loc, i32, high);
    low = shuffleWord(low, distance);
    high = shuffleWord(high, distance);
    low = arith::ExtUIOp::create(builder, loc, bits, low);
    high = arith::ExtUIOp::create(builder, loc, bits, high);
    high = arith::ShLIOp::create(builder, loc, high, shift);
    value = arith::OrIOp::create(builder, loc, low, high);
  } else {
    value = arith::ExtUIOp::create(builder, loc, i32, value);
    value = shuffleWord(value, distance);
    value = arith::TruncIOp::create(builder, loc, bits, value);
  }
  return isFloat ? arith::BitcastOp::create(builder, loc, type, value) : value;
}

SmallVector<Value> ThreadReduceLowering::reduceNeighbours(Values values,
                                                          int64_t count) {
  for (int64_t distance = count / 2; distance > 0; distance /= 2) {
    Values others;
    for (Value value : values)
      others.push_back(shuffle(value, distance));
    values = combine(values, others);
  }
  return values;
}

/// One shared array for each value.
SmallVector<Value> ThreadReduceLowering::getSlots(int64_t count) {
  Values result;
  for (auto [i, value] : llvm::enumerate(op.getValues()))
    result.push_back(createSharedArray(builder, op, value.getType(), count,
                                       Twine(slot) + "_" + Twine(i)));
  return result;
}

Value ThreadReduceLowering::getElement(Value slot, Type type, Value position) {
  return LLVM::GEPOp::create(builder, loc, slot.getType(), type, slot,
                             ArrayRef<LLVM::GEPArg>{position});
}

SmallVector<Value> ThreadReduceLowering::loadAll(const Values &slots,
                                                 Value position) {
  Values result;
  for (auto [from, value] : llvm::zip(slots, op.getValues())) {
    Value at = getElement(from, value.getType(), position);
    result.push_back(LLVM::LoadOp::create(builder, loc, value.getType(), at));
  }
  return result;
}

void ThreadReduceLowering::storeAll(const Values &slots, Value position,
                                    const Values &values) {
  for (auto [to, value] : llvm::zip(slots, values))
    LLVM::StoreOp::create(builder, loc, value,
                          getElement(to, value.getType(), position));
}

SmallVector<Value> ThreadReduceLowering::reduceBlock(Values values) {
  int64_t warps = op.getCount() / 32;
  values = reduceNeighbours(std::move(values), 32);
  Values slots = getSlots(warps);
  Value thread = getThread();
  Value lane = arith::RemUIOp::create(builder, loc, thread, constant(32));
  Value warp = arith::DivUIOp::create(builder, loc, thread, constant(32));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        lane, constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst, false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeAll(slots, warp, values);
  }
  gpu::BarrierOp::create(builder, loc);
  values = loadAll(slots, constant(0));
  for (int64_t i = 1; i < warps; ++i)
    values = combine(values, loadAll(slots, constant(i)));
  return values;
}

SmallVector<Value> ThreadReduceLowering::reduceStrided(const Values &values) {
  int64_t step = op.getStep();
  Values slots = getSlots(op.getThreads());
  Value thread = getThread();
  storeAll(slots, thread, values);
  gpu::BarrierOp::create(builder, loc);
  Value column = arith::RemUIOp::create(builder, loc, thread, constant(step));
  Values result = loadAll(slots, column);
  for (int64_t i = 1, e = op.getCount(); i < e; ++i) {
    Value at = arith::AddIOp::create(builder, loc, column, constant(i * step));
    result = combine(result, loadAll(slots, at));
  }
  return result;
}

void ThreadReduceLowering::lower() {
  Values values = llvm::to_vector(op.getValues());
  if (op.getStep() != 1)
    values = reduceStrided(values);
  else if (op.getCount() <= 32)
    values = reduceNeighbours(values, op.getCount());
  else
    values = reduceBlock(values);
  op.replaceAllUsesWith(values);
  op.erase();
}

void kfuse::lowerThreadReduce(ThreadReduceOp op, unsigned slot) {
  ThreadReduceLowering(op, slot).lower();
}
