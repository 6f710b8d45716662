//===- TileFusionsEmit.cpp - emits the kernel of one variant --------------===//
/// Masks, loads, stores and parameters; values are in TileFusionsValues.cpp.

#include "TileFusionsEmit.h"
#include "TileAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

Emitter::Emitter(FusionOp fusion, const BodyShapes &shapes,
                 ScheduleAttr schedule, gpu::GPUFuncOp kernel,
                 OpBuilder &builder, const Facts &facts, unsigned lanes)
    : builder(builder), loc(fusion.getLoc()), fusion(fusion), shapes(shapes),
      schedule(schedule),
      indices(builder, loc, schedule.getIndexBits(), lanes, facts,
              [this](ExprAttr expr) { return getScalar(expr); }),
      kernel(kernel) {}

LogicalResult Emitter::fail(const Twine &why) {
  if (error.empty())
    error = why.str();
  return failure();
}

void Emitter::pushScope() {
  memo.emplace_back();
  indices.pushScope();
}

void Emitter::popScope() {
  memo.pop_back();
  indices.popScope();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Value Emitter::getScalar(ExprAttr expr) {
  auto [it, inserted] = scalarValues.try_emplace(expr);
  if (inserted) {
    Type i64 = builder.getI64Type();
    if (auto value = expr.getConstant()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&kernel.getBody().front());
      it->second = arith::ConstantOp::create(builder, loc,
                                             builder.getI64IntegerAttr(*value));
    } else {
      it->second = kernel.getBody().front().addArgument(i64, loc);
      scalars.push_back(expr);
    }
  }
  return it->second;
}

SmallVector<int64_t> Emitter::finishParameters() {
  Block &entry = kernel.getBody().front();
  // The last pointer is that of scratch memory.
  int64_t tensors = fusion->getNumOperands() + fusion->getNumResults() + 1;
  SmallVector<int64_t> used;
  for (int64_t i = 0; i < tensors; ++i)
    if (!entry.getArgument(i).use_empty())
      used.push_back(i);
  entry.eraseArguments([&](BlockArgument argument) {
    return argument.getArgNumber() < tensors && argument.use_empty();
  });
  kernel.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  return used;
}

Value Emitter::getThreadId() {
  if (!threadId) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    threadId =
        arith::IndexCastOp::create(builder, loc, indices.getIndexType(), id);
  }
  return threadId;
}

Value Emitter::getBlockId() {
  if (!blockId) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    blockId =
        arith::IndexCastOp::create(builder, loc, indices.getIndexType(), id);
  }
  return blockId;
}

//===----------------------------------------------------------------------===//
// Packets and masks
//===----------------------------------------------------------------------===//

Value Emitter::splat(Packet packet) {
  if (!packet.uniform || indices.getLanes() == 1)
    return packet.value;
  auto type = VectorType::get(indices.getLanes(), packet.value.getType());
  return builder.createOrFold<vector::BroadcastOp>(loc, type, packet.value);
}

Value Emitter::andPredicates(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs);
}

unsigned Emitter::addMask(Mask mask) {
  masks.push_back(std::move(mask));
  return masks.size() - 1;
}

unsigned Emitter::addPredicate(unsigned number, Value predicate) {
  Mask mask = masks[number];
  mask.predicate = andPredicates(mask.predicate, predicate);
  return addMask(mask);
}

Value Emitter::getLanePredicate(const Mask &mask, unsigned lane) {
  Value result = mask.predicate;
  if (!mask.lanes.empty())
    result = andPredicates(result, mask.lanes[lane]);
  if (!mask.high)
    return result;
  Value at =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(lane));
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      at, mask.high);
  Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                      mask.low, at);
  return andPredicates(result, andPredicates(above, below));
}

Value Emitter::getUniformPredicate(const Mask &mask, bool safe,
                                   ArrayRef<Value> except) {
  Value result = mask.predicate;
  if (mask.high && !safe) {
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       mask.low, mask.high);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    Value count = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(indices.getLanes()));
    Value begun = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        zero, mask.high);
    Value ends = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       mask.low, count);
    result = andPredicates(result, andPredicates(some, begun));
    result = andPredicates(result, ends);
  }
  Value any, yes;
  for (auto [i, lane] : llvm::enumerate(mask.lanes)) {
    Value counts = lane;
    if (!except.empty()) {
      if (!yes)
        yes =
            arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      Value others = builder.createOrFold<arith::XOrIOp>(loc, except[i], yes);
      counts = andPredicates(counts, others);
    }
    any = any ? builder.createOrFold<arith::OrIOp>(loc, any, counts) : counts;
  }
  return andPredicates(result, any);
}

Packet Emitter::getMaskBits(unsigned number) {
  const Mask mask = masks[number];
  if (!mask.high && !mask.predicate && mask.lanes.empty())
    return {};
  if (mask.lanes.empty() && (mask.whole || !mask.high))
    return {getLanePredicate(mask, 0), true};
  SmallVector<Value> bits;
  for (unsigned lane = 0; lane < indices.getLanes(); ++lane)
    bits.push_back(getLanePredicate(mask, lane));
  if (bits.size() == 1)
    return {bits[0], true};
  auto type = VectorType::get(indices.getLanes(), builder.getI1Type());
  return {vector::FromElementsOp::create(builder, loc, type, bits), false};
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Bytes of an element in memory.
static int64_t getElementBytes(Type type) {
  return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1);
}

std::optional<Index> Emitter::dropShifted(const Index &offset,
                                          int64_t tensor) const {
  bool hasColumn = false, hasRow = false;
  Index rest = indices.getConstant(offset.constant), start = rest;
  for (auto &[atom, coefficient] : offset.terms) {
    bool isColumn = llvm::is_contained(shift.columns, atom);
    if (isColumn && coefficient.isConstant(1)) {
      hasColumn = true;
      continue;
    }
    start.terms.push_back({atom, coefficient});
    if (atom == shift.row && coefficient == shift.stride)
      hasRow = true;
    else
      rest.terms.push_back({atom, coefficient});
  }
  if (!hasColumn)
    return std::nullopt;
  if (shift.anchor)
    return tensor == shift.anchor && start == shift.start
               ? std::optional(indices.getConstant(0))
               : std::nullopt;
  // A single row begins at the aligned start of the tensor.
  return hasRow || !shift.row ? std::optional(rest) : std::nullopt;
}

int64_t Emitter::getPacketAlignment(const Index &offset, int64_t tensor,
                                    int64_t elementBytes) {
  int64_t pointer = elementBytes;
  for (GuardAttr guard : schedule.getGuards())
    if (guard.isAligned() && guard.getTensor() == tensor)
      pointer = std::max(pointer, guard.getBytes());
  int64_t lanes = indices.getLanes();
  // The address of row * stride + column, or that sum, is a multiple of the
  // lanes by construction.
  std::optional<Index> shifted = dropShifted(offset, tensor);
  if (shifted && shift.anchor)
    pointer = lanes * elementBytes;
  Index rest = shifted.value_or(offset);
  int64_t aligned = indices.getAlignment(rest, lanes) * elementBytes;
  int64_t result = std::min({aligned, pointer, int64_t(16)});
  return result & -result;
}

Value Emitter::emitLoad(Type type, Value pointer, ValueRange offsets,
                        Value predicate, const Mask *range, int64_t alignment) {
  return TileLoadOp::create(builder, loc, type, pointer, offsets, predicate,
                            range ? range->low : Value(),
                            range ? range->high : Value(), Value(), alignment,
                            range && range->whole);
}

Value Emitter::loadLanes(Type stored, Value pointer, const Index &offset,
                         const Mask &mask, int64_t bytes) {
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < indices.getLanes(); ++lane)
    elements.push_back(emitLoad(stored, pointer,
                                indices.getOffsets(offset, lane),
                                getLanePredicate(mask, lane), nullptr, bytes));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get(indices.getLanes(), stored), elements);
}

/// A packet of consecutive elements: as a whole where its alignment is known
/// and no lane is missing, else from aligned granules.
Value Emitter::loadConsecutive(Type stored, Value pointer, const Index &offset,
                               const Mask &mask, int64_t bytes,
                               int64_t alignment) {
  SmallVector<Value> offsets = indices.getOffsets(offset, 0);
  Type type = VectorType::get(indices.getLanes(), stored);
  int64_t granule = getGranule(indices.getLanes() * bytes);
  const Mask *range = mask.high ? &mask : nullptr;
  Value phase;
  if (alignment < granule)
    phase = getCommonPhase(pointer, offset, bytes);
  auto load = emitLoad(type, pointer, offsets, mask.predicate, range, alignment)
                  .getDefiningOp<TileLoadOp>();
  load.setCovered(alignment < granule || (range && !range->whole));
  if (phase)
    load.getPhaseMutable().assign(phase);
  return load;
}

/// The phase of packets that differ by whole packets only: one computation for
/// all of them, and the same for all threads. Null for others.
Value Emitter::getCommonPhase(Value pointer, const Index &offset,
                              int64_t bytes) {
  int64_t modulus = getGranule(indices.getLanes() * bytes) / bytes;
  Index rest = indices.getConstant(offset.constant);
  for (auto &term : offset.terms) {
    Index part = indices.getConstant(0);
    part.terms.push_back(term);
    if (llvm::is_contained(shift.columns, term.first)) {
      rest = indices.add(rest, indices.scale(shift.base, term.second));
      continue;
    }
    if (indices.getAlignment(part, modulus) == modulus)
      continue;
    if (term.first->kind != Atom::Uniform)
      return {};
    rest = indices.add(rest, part);
  }
  return getPhase(builder, loc, pointer, indices.getOffsets(rest, 0), bytes,
                  modulus);
}

/// Lanes that follow each other in two parts: most packets have no second one.
Value Emitter::loadSplit(Type stored, Value pointer, const Index &offset,
                         const Mask &mask, const Atom &splitting,
                         int64_t bytes) {
  int64_t lanes = indices.getLanes();
  Value count =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(lanes));
  Value inOnePiece = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, splitting.split, count);
  auto branch = scf::IfOp::create(builder, loc, VectorType::get(lanes, stored),
                                  inOnePiece, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value whole = loadConsecutive(stored, pointer, offset, mask, bytes, bytes);
  scf::YieldOp::create(builder, loc, whole);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value each = loadLanes(stored, pointer, offset, mask, bytes);
  scf::YieldOp::create(builder, loc, each);
  return branch.getResult(0);
}

/// Lanes that have only two different elements: lane 0's, and the last lane's
/// where `isNext`.
Value Emitter::loadPair(Type stored, Value pointer, const Index &offset,
                        const Mask &mask, ArrayRef<Value> isNext,
                        int64_t bytes) {
  unsigned lanes = indices.getLanes();
  Value some;
  for (unsigned lane = 1; lane < lanes; ++lane) {
    Value needed = andPredicates(isNext[lane], getLanePredicate(mask, lane));
    some =
        some ? builder.createOrFold<arith::OrIOp>(loc, some, needed) : needed;
  }
  // Only where a lane of the first part needs it: a lane of the second one may
  // be in the tensor where lane 0 is not.
  Value first =
      emitLoad(stored, pointer, indices.getOffsets(offset, 0),
               getUniformPredicate(mask, indices.isSafe(offset), isNext),
               nullptr, bytes);
  Value next = emitLoad(stored, pointer, indices.getOffsets(offset, lanes - 1),
                        some, nullptr, bytes);
  auto bits = VectorType::get(lanes, builder.getI1Type());
  Value condition = vector::FromElementsOp::create(builder, loc, bits, isNext);
  return arith::SelectOp::create(builder, loc, condition, splat({next, true}),
                                 splat({first, true}));
}

/// Whether a dimension that offsets do not depend on may have no elements.
static bool mayBeEmptyByStride(LayoutAttr layout) {
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    if (stride.isConstant(0) && size.getConstant().value_or(0) == 0)
      return true;
  return false;
}

FailureOr<Packet> Emitter::load(unsigned operand, const Coord &coord,
                                unsigned maskNumber) {
  if (auto it = replacements.find(operand); it != replacements.end())
    return it->second;
  BlockArgument argument = getBody().getArgument(operand);
  LayoutAttr layout = getLayout(fusion.getOperand(operand).getType());
  Type element = cast<RankedTensorType>(argument.getType()).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64 ||
      (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16))
    return FailureOr<Packet>(fail("loads of this element type"));
  bool isBool = element.isInteger(1);
  Type stored = isBool ? builder.getI8Type() : element;
  Value pointer = kernel.getBody().front().getArgument(operand);
  Index offset = getOffset(coord, layout.getSizes(), layout.getStrides());
  Mask mask = masks[maskNumber];
  int64_t bytes = getElementBytes(stored);
  unsigned lanes = indices.getLanes();
  // Granules of less than a word are not shifted.
  bool canVectorize = mask.lanes.empty() && lanes * bytes >= 4;
  const Atom *splitting = getSplittingAtom(offset);
  Packet result;
  // What may be read without asking is there only if the tensor has elements.
  bool isSafe = indices.isSafe(offset) && !mayBeEmptyByStride(layout);
  if (indices.isUniform(offset)) {
    Value predicate = getUniformPredicate(mask, isSafe);
    result = {emitLoad(stored, pointer, indices.getOffsets(offset, 0),
                       predicate, nullptr, bytes),
              true};
  } else if (indices.getStep(offset) == 1 && canVectorize) {
    result.value = loadConsecutive(stored, pointer, offset, mask, bytes,
                                   getPacketAlignment(offset, operand, bytes));
  } else if (splitting && canVectorize) {
    result.value = loadSplit(stored, pointer, offset, mask, *splitting, bytes);
  } else if (const Atom *stepping = getSteppingAtom(offset)) {
    result.value =
        loadPair(stored, pointer, offset, mask, stepping->isNext, bytes);
  } else {
    result.value = loadLanes(stored, pointer, offset, mask, bytes);
  }
  if (isBool) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(result.value.getType()));
    result.value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         result.value, zero);
  }
  if (accesses)
    accesses->push_back({operand, offset, result});
  return result;
}

LogicalResult Emitter::store(unsigned number, Packet packet, const Coord &coord,
                             unsigned maskNumber) {
  LayoutAttr layout = getResultLayout(number);
  unsigned tensor = fusion->getNumOperands() + number;
  Value pointer = kernel.getBody().front().getArgument(tensor);
  Index offset = getOffset(coord, layout.getSizes(), layout.getStrides());
  Value value = packet.value;
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isInteger(1)) {
    Type byte = builder.getI8Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      byte = vector.clone(byte);
    value = arith::ExtUIOp::create(builder, loc, byte, value);
    element = builder.getI8Type();
  }
  int64_t bytes = getElementBytes(element);
  const Mask mask = masks[maskNumber];
  auto emit = [&](Value what, ValueRange offsets, Value predicate, bool ranged,
                  int64_t alignment) {
    TileStoreOp::create(builder, loc, what, pointer, offsets, predicate,
                        ranged ? mask.low : Value(),
                        ranged ? mask.high : Value(), alignment,
                        ranged && mask.whole);
  };
  if (indices.isUniform(offset)) {
    if (!packet.uniform && indices.getLanes() > 1)
      return fail("a store of different lanes to one place");
    emit(value, indices.getOffsets(offset, 0),
         getUniformPredicate(mask, indices.isSafe(offset)), false, bytes);
    return success();
  }
  value = splat({value, packet.uniform});
  if (indices.getStep(offset) == 1 && mask.lanes.empty()) {
    SmallVector<Value> offsets = indices.getOffsets(offset, 0);
    int64_t alignment = getPacketAlignment(offset, tensor, bytes);
    bool isRanged = static_cast<bool>(mask.high);
    int64_t granule = getGranule(indices.getLanes() * bytes);
    if (alignment >= granule) {
      emit(value, offsets, mask.predicate, isRanged, alignment);
      return success();
    }
    // Results are rarely misaligned: whole packets where they are not.
    Value phase =
        getPhase(builder, loc, pointer, offsets, bytes, granule / bytes);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    Value isAligned = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, phase, zero);
    auto branch = scf::IfOp::create(builder, loc, isAligned, true);
    OpBuilder::InsertionGuard guard(builder);
    for (bool aligned : {true, false}) {
      builder.setInsertionPointToStart(aligned ? branch.thenBlock()
                                               : branch.elseBlock());
      emit(value, offsets, mask.predicate, isRanged, aligned ? granule : bytes);
    }
    return success();
  }
  for (unsigned lane = 0; lane < indices.getLanes(); ++lane) {
    Value one = vector::ExtractOp::create(builder, loc, value, lane);
    emit(one, indices.getOffsets(offset, lane), getLanePredicate(mask, lane),
         false, bytes);
  }
  return success();
}
