//===- TileFusionsReductionSplit.cpp - rows shared by blocks --------------===//
/// Each block leaves its part of a row in scratch memory and takes a ticket;
/// the last one combines the parts, in the order of the blocks.

#include "TileFusionsReduction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

namespace {
/// Parts of one value: an array in scratch memory, a byte for a bit.
class Parts {
public:
  Parts(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type),
        memory(type.isInteger(1) ? builder.getI8Type() : type) {}

  int64_t getBytes() const { return memory.getIntOrFloatBitWidth() / 8; }
  void setBase(Value pointer) { base = pointer; }

  void store(Value value, Value at, Value condition) {
    if (memory != type)
      value = arith::ExtUIOp::create(builder, loc, memory, value);
    TileStoreOp::create(builder, loc, value, base, at, condition, Value(),
                        Value(), getBytes());
  }
  Value load(Value at) {
    auto load = TileLoadOp::create(builder, loc, memory, base, at, Value(),
                                   Value(), Value(), Value(), getBytes());
    load.setFresh(true);
    if (memory == type)
      return load;
    return arith::TruncIOp::create(builder, loc, type, load);
  }

private:
  OpBuilder &builder;
  Location loc;
  Type type, memory;
  Value base;
};
} // namespace

LogicalResult ReductionEmitter::emitSplit() {
  std::optional<int64_t> rows = reductions.rows.getConstant();
  int64_t count = schedule.getSplit();
  if (!rows || reductions.levels.size() != 1 || count > width)
    return emitter.fail("a split of more than one level of reductions");
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
    if (!anyPlace->coords.isPerRow(i))
      return emitter.fail("a split with results of full size");
  const SmallVector<Combiner> &level = reductions.levels.front();
  FailureOr<SmallVector<Value>> state = forEachChunk(
      getNeutral(level), [&](Place &place, SmallVectorImpl<Value> &inner) {
        return accumulate(level, place, inner);
      });
  if (failed(state))
    return failure();
  FailureOr<SmallVector<Value>> values = combineBlock(level, *state);
  if (failed(values))
    return failure();
  // Tickets of the rows, then one array for each value.
  int64_t scratch =
      emitter.fusion->getNumOperands() + emitter.fusion->getNumResults();
  Value pointer = emitter.getPointer(scratch);
  scratchBytes = llvm::alignTo(*rows * 4, 16);
  std::vector<Parts> parts;
  for (Value value : *values) {
    parts.emplace_back(builder, loc, value.getType());
    parts.back().setBase(LLVM::GEPOp::create(
        builder, loc, pointer.getType(), builder.getI8Type(), pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(scratchBytes)}));
    scratchBytes += llvm::alignTo(*rows * count * parts.back().getBytes(), 16);
  }
  Value number = row.terms.empty() ? constant(0) : indices.getLane(row, 0);
  Value begin = make<arith::MulIOp>(number, constant(count));
  for (auto [value, array] : llvm::zip(*values, parts))
    array.store(value, make<arith::AddIOp>(begin, part), isLeader);
  Value isLast = SplitArriveOp::create(builder, loc, pointer, number, count);
  auto branch = scf::IfOp::create(builder, loc, isLast, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.pushScope();
  Value thread = emitter.getThreadId();
  Value exists = compare(arith::CmpIPredicate::slt, thread, constant(count));
  Value at = make<arith::AddIOp>(
      begin, make<arith::MinSIOp>(thread, constant(count - 1)));
  SmallVector<Value> neutral;
  for (const Combiner &combiner : level)
    llvm::append_range(neutral, combiner.getNeutral(builder, loc, 0));
  SmallVector<Value> all;
  for (auto [array, none] : llvm::zip(parts, neutral))
    all.push_back(builder.createOrFold<arith::SelectOp>(loc, exists,
                                                        array.load(at), none));
  setReduced(level, reduceThreads(level, all));
  LogicalResult result = storePerRow();
  emitter.popScope();
  return result;
}
