//===- MaskTailsCovered.cpp - misaligned packets from aligned granules ----===//
/// A covered load becomes loads of the aligned granules that hold its elements,
/// each only where it holds a valid one, and a shift in registers by the
/// distance that the address has at run time.

#include "MaskTails.h"
#include "TileAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::kfuse;

Value tile::getPhase(OpBuilder &builder, Location loc, Value pointer,
                     ValueRange offsets, int64_t bytes, int64_t modulus) {
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  // Only the low bits matter.
  Value at =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
  at = arith::TruncIOp::create(builder, loc, i32, at);
  if (bytes > 1)
    at = arith::ShRUIOp::create(builder, loc, at,
                                constant(llvm::Log2_64(bytes)));
  for (Value offset : offsets) {
    if (offset.getType() != i32)
      offset = builder.createOrFold<arith::TruncIOp>(loc, i32, offset);
    at = arith::AddIOp::create(builder, loc, at, offset);
  }
  return arith::AndIOp::create(builder, loc, at, constant(modulus - 1));
}

namespace {
class CoveredLoad {
public:
  explicit CoveredLoad(TileLoadOp op)
      : op(op), builder(op), loc(op.getLoc()),
        type(cast<VectorType>(op.getResult().getType())),
        bytes(std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1)),
        packet(type.getNumElements() * bytes),
        granule(tile::getGranule(packet)), each(granule / bytes) {}

  void lower();

private:
  Value loadGranule(int64_t number);
  Value getCondition(int64_t number);
  Value getPart(int64_t number, ArrayRef<Value> granules);
  void moveToFirstUse();

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value both(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs);
  }
  /// The lane at which a granule begins.
  Value getBegin(int64_t number) {
    Value begin = constant(number * each);
    return by ? builder.createOrFold<arith::SubIOp>(loc, begin, by) : begin;
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  TileLoadOp op;
  OpBuilder builder;
  Location loc;
  VectorType type;
  /// Bytes of an element, of the packet and of a granule; elements of a
  /// granule.
  int64_t bytes, packet, granule, each;
  /// Elements between the first granule and the packet; null when known to be
  /// none.
  Value by;
};
} // namespace

/// Whether the granule holds a valid element; null where that is known.
Value CoveredLoad::getCondition(int64_t number) {
  int64_t last = packet / granule - (by ? 0 : 1);
  if (!op.getHigh()) {
    bool isExtra = number == packet / granule;
    return both(op.getPredicate(),
                isExtra ? compare(arith::CmpIPredicate::ne, by, constant(0))
                        : Value());
  }
  Value low = op.getLow(), high = op.getHigh();
  if (!matchPattern(low, m_Zero()))
    low = builder.createOrFold<arith::MaxSIOp>(loc, low, constant(0));
  high = builder.createOrFold<arith::MinSIOp>(loc, high,
                                              constant(type.getNumElements()));
  if (number != 0)
    low = builder.createOrFold<arith::MaxSIOp>(loc, low, getBegin(number));
  if (number != last)
    high =
        builder.createOrFold<arith::MinSIOp>(loc, high, getBegin(number + 1));
  return both(op.getPredicate(), compare(arith::CmpIPredicate::slt, low, high));
}

Value CoveredLoad::loadGranule(int64_t number) {
  auto part = VectorType::get(each, type.getElementType());
  Value condition = getCondition(number);
  SmallVector<Value> offsets(op.getOffsets().begin(), op.getOffsets().end());
  if (by || number != 0)
    offsets.push_back(getBegin(number));
  auto load = [&]() -> Value {
    auto load = TileLoadOp::create(builder, loc, part, op.getPointer(), offsets,
                                   Value(), Value(), Value(), Value(), granule);
    load->setAttr(kGranuleAttrName, builder.getUnitAttr());
    return load;
  };
  if (!condition)
    return load();
  auto branch = scf::IfOp::create(builder, loc, part, condition, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  // Whatever the registers hold: none of it is used.
  Value anything = LLVM::UndefOp::create(builder, loc, part);
  scf::YieldOp::create(builder, loc, anything);
  return branch.getResult(0);
}

Value CoveredLoad::getPart(int64_t number, ArrayRef<Value> granules) {
  if (!by)
    return granules[number];
  return TileShiftOp::create(builder, loc, granules[number],
                             granules[number + 1], by);
}

/// Shifts wait for the loads: further loads shall be under way before.
void CoveredLoad::moveToFirstUse() {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  if (first)
    builder.setInsertionPoint(first);
}

void CoveredLoad::lower() {
  if (op.getAlignment() < static_cast<uint64_t>(granule))
    by = op.getPhase() ? op.getPhase()
                       : tile::getPhase(builder, loc, op.getPointer(),
                                        op.getOffsets(), bytes, each);
  int64_t count = packet / granule;
  SmallVector<Value> granules;
  for (int64_t i = 0; i < count + (by ? 1 : 0); ++i)
    granules.push_back(loadGranule(i));
  moveToFirstUse();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(getPart(i, granules));
  for (int64_t lanes = 2 * each; parts.size() > 1; lanes *= 2) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    SmallVector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += 2)
      joined.push_back(vector::ShuffleOp::create(builder, loc, parts[i],
                                                 parts[i + 1], order));
    parts = std::move(joined);
  }
  Value result = parts.front();
  op.replaceAllUsesWith(result);
  op.erase();
}

void kfuse::maskCoveredLoad(TileLoadOp op) { CoveredLoad(op).lower(); }
