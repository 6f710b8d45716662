//===- MaskTails.cpp - partial tiles made safe ----------------------------===//
/// Loads and stores lose `if` and `valid`: what may be partial becomes a branch
/// to a whole access or to one access an element.

#include "MaskTails.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace mlir::kfuse {
#define GEN_PASS_DEF_MASKTAILSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

static int64_t getLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

namespace {
/// Builds conditions; a null value is true.
class Conditions {
public:
  Conditions(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value both(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs);
  }
  /// low <= lane, for the low end of a range.
  Value begins(Value low, int64_t lane) {
    APInt value;
    if (matchPattern(low, m_ConstantInt(&value)) && value.sle(lane))
      return {};
    return compare(arith::CmpIPredicate::sle, low, lane);
  }
  Value ends(Value high, int64_t lane) {
    APInt value;
    if (matchPattern(high, m_ConstantInt(&value)) && value.sgt(lane))
      return {};
    return compare(arith::CmpIPredicate::sgt, high, lane);
  }
  template <typename OpTy>
  Value isValid(OpTy op, int64_t lane) {
    return both(op.getPredicate(),
                both(begins(op.getLow(), lane), ends(op.getHigh(), lane)));
  }
  /// Whether some element may be valid.
  template <typename OpTy>
  Value isAny(OpTy op, int64_t lanes) {
    return both(op.getPredicate(),
                both(begins(op.getLow(), lanes - 1), ends(op.getHigh(), 0)));
  }
  template <typename OpTy>
  Value isFull(OpTy op, int64_t lanes) {
    return both(op.getPredicate(),
                both(begins(op.getLow(), 0), ends(op.getHigh(), lanes - 1)));
  }

private:
  Value compare(arith::CmpIPredicate predicate, Value value, int64_t with) {
    Value constant = arith::ConstantOp::create(builder, loc,
                                               builder.getI32IntegerAttr(with));
    return arith::CmpIOp::create(builder, loc, predicate, value, constant);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

/// The offsets of an element of a packet.
static SmallVector<Value> getElementOffsets(OpBuilder &builder, Location loc,
                                            ValueRange offsets, int64_t lane) {
  SmallVector<Value> result = llvm::to_vector(offsets);
  Value step = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(result.back().getType(), lane));
  result.back() = builder.createOrFold<arith::AddIOp>(loc, result.back(), step);
  return result;
}

static int64_t getElementBytes(Type type) {
  return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1);
}

/// A load that happens where `condition` holds and is zero elsewhere.
static Value loadIf(OpBuilder &builder, Location loc, Type type,
                    Value condition, Value pointer, ValueRange offsets,
                    int64_t alignment) {
  if (!condition)
    return TileLoadOp::create(builder, loc, type, pointer, offsets, Value(),
                              Value(), Value(), Value(), alignment);
  auto branch = scf::IfOp::create(builder, loc, type, condition, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value value =
      TileLoadOp::create(builder, loc, type, pointer, offsets, Value(), Value(),
                         Value(), Value(), alignment);
  scf::YieldOp::create(builder, loc, value);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

static void maskLoad(TileLoadOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  Type type = op.getResult().getType();
  int64_t lanes = getLanes(type);
  bool isOnePiece = !op.getHigh() || op.getWhole() || lanes == 1;
  if (isOnePiece) {
    Value condition =
        op.getHigh() ? conditions.isValid(op, 0) : op.getPredicate();
    op.replaceAllUsesWith(loadIf(builder, loc, type, condition, op.getPointer(),
                                 op.getOffsets(), op.getAlignment()));
    op.erase();
    return;
  }
  Type element = cast<VectorType>(type).getElementType();
  Value isFull = conditions.isFull(op, lanes);
  if (!isFull) {
    op.replaceAllUsesWith(loadIf(builder, loc, type, Value(), op.getPointer(),
                                 op.getOffsets(), op.getAlignment()));
    op.erase();
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, type, isFull, true);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value full =
      TileLoadOp::create(builder, loc, type, op.getPointer(), op.getOffsets(),
                         Value(), Value(), Value(), Value(), op.getAlignment());
  scf::YieldOp::create(builder, loc, full);
  builder.setInsertionPointToStart(branch.elseBlock());
  // Packets with nothing in them skip the elements.
  Value some = conditions.isAny(op, lanes);
  scf::IfOp partly;
  if (some) {
    partly = scf::IfOp::create(builder, loc, type, some, true);
    scf::YieldOp::create(builder, loc, partly.getResult(0));
    builder.setInsertionPointToStart(partly.elseBlock());
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    scf::YieldOp::create(builder, loc, zero);
    builder.setInsertionPointToStart(partly.thenBlock());
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(loadIf(
        builder, loc, element, conditions.isValid(op, lane), op.getPointer(),
        getElementOffsets(builder, loc, op.getOffsets(), lane),
        getElementBytes(element)));
  Value partial = vector::FromElementsOp::create(builder, loc, type, elements);
  scf::YieldOp::create(builder, loc, partial);
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

static void storeIf(OpBuilder &builder, Location loc, Value value,
                    Value condition, Value pointer, ValueRange offsets,
                    int64_t alignment) {
  if (!condition) {
    TileStoreOp::create(builder, loc, value, pointer, offsets, Value(), Value(),
                        Value(), alignment);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, condition, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  TileStoreOp::create(builder, loc, value, pointer, offsets, Value(), Value(),
                      Value(), alignment);
}

static void maskStore(TileStoreOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  Value value = op.getValue();
  int64_t lanes = getLanes(value.getType());
  if (!op.getHigh() || op.getWhole() || lanes == 1) {
    Value condition =
        op.getHigh() ? conditions.isValid(op, 0) : op.getPredicate();
    storeIf(builder, loc, value, condition, op.getPointer(), op.getOffsets(),
            op.getAlignment());
    op.erase();
    return;
  }
  Value isFull = conditions.isFull(op, lanes);
  if (!isFull) {
    storeIf(builder, loc, value, Value(), op.getPointer(), op.getOffsets(),
            op.getAlignment());
    op.erase();
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, isFull, true);
  builder.setInsertionPointToStart(branch.thenBlock());
  TileStoreOp::create(builder, loc, value, op.getPointer(), op.getOffsets(),
                      Value(), Value(), Value(), op.getAlignment());
  builder.setInsertionPointToStart(branch.elseBlock());
  // Packets with nothing in them skip the elements.
  if (Value some = conditions.isAny(op, lanes)) {
    auto partly = scf::IfOp::create(builder, loc, some, false);
    builder.setInsertionPointToStart(partly.thenBlock());
  }
  Type element = cast<VectorType>(value.getType()).getElementType();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value one = vector::ExtractOp::create(builder, loc, value, lane);
    storeIf(builder, loc, one, conditions.isValid(op, lane), op.getPointer(),
            getElementOffsets(builder, loc, op.getOffsets(), lane),
            getElementBytes(element));
  }
  op.erase();
}

/// Removes the range from 0 to `high` from the tile operations in `block`.
static void dropRanges(Block &block, Value high) {
  block.walk([high](Operation *op) {
    auto drop = [high](auto access) {
      if (access.getHigh() != high || !matchPattern(access.getLow(), m_Zero()))
        return;
      access.getLowMutable().clear();
      access.getHighMutable().clear();
    };
    if (auto load = dyn_cast<TileLoadOp>(op))
      drop(load);
    else if (auto store = dyn_cast<TileStoreOp>(op))
      drop(store);
  });
}

/// A branch whose packets share one range becomes two versions: full packets
/// without any masks, and the rest.
static void versionTail(scf::IfOp tail) {
  tail->removeAttr("kfuse.tail");
  Value high;
  int64_t lanes = 1;
  tail.thenBlock()->walk([&](TileStoreOp store) {
    if (store.getHigh()) {
      high = store.getHigh();
      lanes = std::max(lanes, getLanes(store.getValue().getType()));
    }
  });
  if (!high || lanes == 1)
    return;
  Operation *definition = high.getDefiningOp();
  OpBuilder builder(tail.getContext());
  builder.setInsertionPointAfter(definition);
  Conditions conditions(builder, tail.getLoc());
  Value isFull = conditions.ends(high, lanes - 1);
  Block *block = tail.thenBlock();
  auto versions = scf::IfOp::create(builder, tail.getLoc(), isFull, true);
  // What follows the branch moves into its else part; a clone without ranges
  // is the then part.
  Block *partial = versions.elseBlock();
  partial->getOperations().splice(partial->begin(), block->getOperations(),
                                  std::next(Block::iterator(versions)),
                                  std::prev(block->end()));
  builder.setInsertionPointToStart(versions.thenBlock());
  IRMapping mapping;
  for (Operation &op : partial->without_terminator())
    builder.clone(op, mapping);
  dropRanges(*versions.thenBlock(), high);
}

namespace {
class MaskTails : public kfuse::impl::MaskTailsPassBase<MaskTails> {
public:
  void runOnOperation() override {
    SmallVector<scf::IfOp> tails;
    getOperation().walk([&](scf::IfOp branch) {
      if (branch->hasAttr("kfuse.tail"))
        tails.push_back(branch);
    });
    for (scf::IfOp tail : tails)
      versionTail(tail);
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<TileLoadOp>(op)) {
        if (load.getPredicate() || load.getHigh() || load.getCovered())
          accesses.push_back(op);
      } else if (auto store = dyn_cast<TileStoreOp>(op)) {
        if (store.getPredicate() || store.getHigh())
          accesses.push_back(op);
      }
    });
    for (Operation *access : accesses) {
      auto load = dyn_cast<TileLoadOp>(access);
      if (load && load.getCovered())
        maskCoveredLoad(load);
      else if (load)
        maskLoad(load);
      else
        maskStore(cast<TileStoreOp>(access));
    }
  }
};
} // namespace
