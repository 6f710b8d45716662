//===- TileFusionsValues.cpp - values of body operations ------------------===//

#include "TileFusionsEmit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

FailureOr<Packet> Emitter::evaluate(Value value, const Coord &coord,
                                    unsigned mask) {
  SmallVector<uintptr_t> key{
      reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()), mask};
  for (const Group &group : coord) {
    key.push_back(group.rank);
    group.index.appendKey(key);
  }
  for (auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  FailureOr<Packet> result = compute(value, coord, mask);
  if (succeeded(result))
    memo.back()[key] = *result;
  return result;
}

LogicalResult Emitter::prefetch(Value value, const Coord &coord,
                                unsigned mask) {
  // What is not a load has a null value in this scope and is forgotten.
  memo.emplace_back();
  prefetching = true;
  LogicalResult result = failure(failed(evaluate(value, coord, mask)));
  prefetching = false;
  auto seen = std::move(memo.back());
  memo.pop_back();
  for (auto &[key, packet] : seen)
    if (packet.value)
      memo.back().insert({key, packet});
  return result;
}

FailureOr<Packet> Emitter::compute(Value value, const Coord &coord,
                                   unsigned mask) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(argument.getArgNumber(), coord, mask);
  if (auto it = reduced.find(value); it != reduced.end()) {
    if (flatten(coord, shapes.getSizes(value)) == it->second.position)
      return it->second.packet;
    return FailureOr<Packet>(
        fail("a reduction's result is used in another row"));
  }
  Operation *op = value.getDefiningOp();
  if (prefetching &&
      (isa<SizeOp, FullOp, tensor::SplatOp, IotaOp, ConcatOp, PadOp, TakeOp,
           GatherOp, ReduceOp, ArgReduceOp, arith::ConstantOp>(op) ||
       !isa<RankedTensorType>(value.getType())))
    return Packet{};
  if (auto size = dyn_cast<SizeOp>(op))
    return Packet{getScalar(size.getExpr()), true};
  if (auto full = dyn_cast<FullOp>(op))
    return evaluate(full.getValue(), {}, 0);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluate(splat.getInput(), {}, 0);
  if (auto iota = dyn_cast<IotaOp>(op))
    return computeIota(iota, coord);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return evaluate(broadcast.getSource(), broadcastCoord(broadcast, coord),
                    mask);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return evaluate(
        permute.getSource(),
        this->permute(coord, shapes.getSizes(value), permute.getPermutation()),
        mask);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return evaluate(reshape.getSource(),
                    this->reshape(coord, shapes.getSizes(value),
                                  shapes.getSizes(reshape.getSource())),
                    mask);
  if (auto slice = dyn_cast<SliceOp>(op))
    return evaluate(slice.getSource(), sliceCoord(slice, coord), mask);
  if (auto concat = dyn_cast<ConcatOp>(op))
    return computeConcat(concat, coord, mask);
  if (auto pad = dyn_cast<PadOp>(op))
    return computePad(pad, coord, mask);
  if (auto take = dyn_cast<TakeOp>(op))
    return computeTake(take, coord, mask);
  if (auto gather = dyn_cast<GatherOp>(op))
    return computeGather(gather, coord, mask);
  if (isa<ReduceOp, ArgReduceOp>(op))
    return FailureOr<Packet>(
        fail("a reduction that its kind does not compute"));
  return computeElementwise(op, coord, mask);
}

FailureOr<Packet> Emitter::computeConstant(Attribute attr, Type elementType) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (dense && !dense.isSplat())
    return FailureOr<Packet>(fail("a constant tensor with different elements"));
  auto scalar =
      dense ? dense.getSplatValue<TypedAttr>() : cast<TypedAttr>(attr);
  return Packet{arith::ConstantOp::create(builder, loc, scalar), true};
}

/// Whether kernels can hold values of the type.
static bool isComputable(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return element.isBF16() || element.isF16() || element.isF32() ||
           element.isF64();
  return element.isSignlessInteger() && element.getIntOrFloatBitWidth() <= 64;
}

static bool isComputable(Operation *op) {
  bool isKnown = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                     op->getDialect()) ||
                 isa<RoundOp>(op);
  // There is no lowering of these.
  bool isLowered = !isa<math::IPowIOp, math::IsNormalOp>(op);
  return isKnown && isLowered && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return isComputable(type); }) &&
         isComputable(op->getResult(0).getType());
}

FailureOr<Packet> Emitter::computeElementwise(Operation *op, const Coord &coord,
                                              unsigned mask) {
  Value value = op->getResult(0);
  Type element = getElementTypeOrSelf(value.getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return computeConstant(constant.getValue(), element);
  if (!isComputable(op))
    return FailureOr<Packet>(fail("operation '" + op->getName().getStringRef() +
                                  "' on these types"));
  SmallVector<Packet> operands;
  bool uniform = true;
  for (Value operand : op->getOperands()) {
    bool isTensor = isa<RankedTensorType>(operand.getType());
    FailureOr<Packet> packet =
        evaluate(operand, isTensor ? coord : Coord(), isTensor ? mask : 0);
    if (failed(packet))
      return failure();
    operands.push_back(*packet);
    uniform &= packet->uniform;
  }
  if (prefetching)
    return Packet{};
  IRMapping mapping;
  for (auto [operand, packet] : llvm::zip(op->getOperands(), operands))
    mapping.map(operand, uniform ? packet.value : splat(packet));
  Operation *clone = builder.clone(*op, mapping);
  bool isVector = !uniform && indices.getLanes() > 1;
  clone->getResult(0).setType(
      isVector ? VectorType::get(indices.getLanes(), element) : element);
  return Packet{clone->getResult(0), uniform};
}

FailureOr<Packet> Emitter::computeIota(IotaOp op, Coord coord) {
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  int64_t dim = op.getDim();
  splitAt(coord, sizes, dim);
  splitAt(coord, sizes, dim + 1);
  int64_t begin = 0;
  const Group *group = coord.begin();
  for (; begin != dim; ++group)
    begin += group->rank;
  Type i64 = builder.getI64Type();
  auto getLane = [&](unsigned lane) {
    Value at = indices.getLane(group->index, lane);
    return at.getType() == i64
               ? at
               : builder.createOrFold<arith::ExtSIOp>(loc, i64, at);
  };
  if (indices.isUniform(group->index))
    return Packet{getLane(0), true};
  SmallVector<Value> lanes;
  for (unsigned lane = 0; lane < indices.getLanes(); ++lane)
    lanes.push_back(getLane(lane));
  return Packet{
      vector::FromElementsOp::create(
          builder, loc, VectorType::get(indices.getLanes(), i64), lanes),
      false};
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

Packet Emitter::selectPacket(Packet condition, Packet onTrue, Packet onFalse) {
  bool uniform = condition.uniform && onTrue.uniform && onFalse.uniform;
  Value lhs = uniform ? onTrue.value : splat(onTrue);
  Value rhs = uniform ? onFalse.value : splat(onFalse);
  Value result =
      builder.createOrFold<arith::SelectOp>(loc, condition.value, lhs, rhs);
  return {result, uniform};
}

unsigned Emitter::addRange(const Index &index, ExprAttr low, ExprAttr size,
                           unsigned number, Packet &bits) {
  unsigned lanes = indices.getLanes();
  ExprAttr high = ExprAttr::add(low, size);
  Value lowValue = indices.getSize(low), highValue = indices.getSize(high);
  auto test = [&](unsigned lane) -> Value {
    Value at = indices.getLane(index, lane);
    Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        at, lowValue);
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        at, highValue);
    return andPredicates(above, below);
  };
  bool inOneRange =
      indices.isUniform(index) ||
      (indices.getStep(index) == 1 &&
       indices.getAlignment(index, lanes) == lanes &&
       indices.getAlignment(indices.getConstant(low), lanes) == lanes &&
       indices.getAlignment(indices.getConstant(high), lanes) == lanes);
  Mask mask = masks[number];
  if (inOneRange) {
    bits = {test(0), true};
    mask.predicate = andPredicates(mask.predicate, bits.value);
    return addMask(mask);
  }
  SmallVector<Value> tests;
  for (unsigned lane = 0; lane < lanes; ++lane)
    tests.push_back(test(lane));
  auto type = VectorType::get(lanes, builder.getI1Type());
  bits = {vector::FromElementsOp::create(builder, loc, type, tests), false};
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (!mask.lanes.empty())
      tests[lane] = andPredicates(tests[lane], mask.lanes[lane]);
  mask.lanes = tests;
  return addMask(mask);
}

/// Makes `dim` a group of its own.
static Group &isolate(Emitter &emitter, Coord &coord, ArrayRef<ExprAttr> sizes,
                      int64_t dim) {
  emitter.splitAt(coord, sizes, dim);
  emitter.splitAt(coord, sizes, dim + 1);
  int64_t begin = 0;
  Group *group = coord.begin();
  for (; begin != dim; ++group)
    begin += group->rank;
  return *group;
}

FailureOr<Packet> Emitter::computeConcat(ConcatOp op, Coord coord,
                                         unsigned mask) {
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  int64_t dim = op.getDim();
  Group &group = isolate(*this, coord, sizes, dim);
  Index index = group.index;
  ExprAttr start = indices.getExpr(0);
  std::optional<Packet> result;
  for (Value source : op.getSources()) {
    ExprAttr size = shapes.getSizes(source)[dim];
    Packet bits;
    unsigned inner = addRange(index, start, size, mask, bits);
    group.index = indices.addConstant(index, ExprAttr::mul(start, -1));
    FailureOr<Packet> part = evaluate(source, coord, inner);
    if (failed(part))
      return failure();
    result = result ? selectPacket(bits, *part, *result) : *part;
    start = ExprAttr::add(start, size);
  }
  if (!result)
    return FailureOr<Packet>(fail("a concat without sources"));
  return *result;
}

FailureOr<Packet> Emitter::computePad(PadOp op, Coord coord, unsigned mask) {
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  ArrayRef<ExprAttr> from = shapes.getSizes(op.getSource());
  std::optional<Packet> inside;
  int64_t dim = 0;
  for (ExprAttr low : getExprs(op.getLow())) {
    int64_t at = dim++;
    if (low.isConstant(0) && sizes[at] == from[at])
      continue;
    Group &group = isolate(*this, coord, sizes, at);
    Packet bits;
    mask = addRange(group.index, low, from[at], mask, bits);
    group.index = indices.addConstant(group.index, ExprAttr::mul(low, -1));
    if (inside) {
      bool uniform = inside->uniform && bits.uniform;
      bits = {builder.createOrFold<arith::AndIOp>(
                  loc, uniform ? bits.value : splat(bits),
                  uniform ? inside->value : splat(*inside)),
              uniform};
    }
    inside = bits;
  }
  FailureOr<Packet> source = evaluate(op.getSource(), coord, mask);
  FailureOr<Packet> fill = evaluate(op.getFill(), {}, 0);
  if (failed(source) || failed(fill))
    return failure();
  return inside ? selectPacket(*inside, *source, *fill) : *source;
}

//===----------------------------------------------------------------------===//
// Indirect loads
//===----------------------------------------------------------------------===//

Index Emitter::lookUp(Packet position, ExprAttr size, unsigned mask) {
  unsigned count = position.uniform ? 1 : indices.getLanes();
  Type type = indices.getIndexType();
  Value limit = getScalar(size);
  SmallVector<Value> lanes;
  Value bad;
  for (unsigned lane = 0; lane < count; ++lane) {
    Value at = position.value;
    if (isa<VectorType>(at.getType()))
      at = vector::ExtractOp::create(builder, loc, at, lane);
    if (!at.getType().isInteger(64))
      at = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), at);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value negative = arith::CmpIOp::create(builder, loc,
                                           arith::CmpIPredicate::slt, at, zero);
    Value wrapped = arith::AddIOp::create(builder, loc, at, limit);
    at = arith::SelectOp::create(builder, loc, negative, wrapped, at);
    Value outside = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::uge, at, limit);
    const Mask &active = masks[mask];
    Value valid = position.uniform ? getUniformPredicate(active, false)
                                   : getLanePredicate(active, lane);
    outside = andPredicates(outside, valid);
    bad = bad ? builder.createOrFold<arith::OrIOp>(loc, bad, outside) : outside;
    lanes.push_back(at.getType() == type
                        ? at
                        : builder.createOrFold<arith::TruncIOp>(loc, type, at));
  }
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value good = arith::XOrIOp::create(builder, loc, bad, yes);
  CheckIndexOp::create(builder, loc, good);
  // Rows of tables are far apart: 64-bit products.
  return indices.makeAtom(count == 1 ? Atom::Uniform : Atom::PerLane, lanes,
                          size, false, /*wide=*/true);
}

FailureOr<Packet> Emitter::computeTake(TakeOp op, Coord coord, unsigned mask) {
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  ExprAttr size = shapes.getSizes(op.getSource())[op.getDim()];
  int64_t dim = op.getDim();
  int64_t rank = shapes.getSizes(op.getIndices()).size();
  splitAt(coord, sizes, dim);
  splitAt(coord, sizes, dim + rank);
  Coord outer, at, inner;
  int64_t begin = 0;
  for (const Group &group : coord) {
    (begin < dim ? outer : begin < dim + rank ? at : inner).push_back(group);
    begin += group.rank;
  }
  FailureOr<Packet> position = evaluate(op.getIndices(), at, mask);
  if (failed(position))
    return failure();
  outer.push_back({1, lookUp(*position, size, mask)});
  outer.append(inner.begin(), inner.end());
  return evaluate(op.getSource(), outer, mask);
}

FailureOr<Packet> Emitter::computeGather(GatherOp op, Coord coord,
                                         unsigned mask) {
  ArrayRef<ExprAttr> sizes = shapes.getSizes(op.getResult());
  ArrayRef<ExprAttr> from = shapes.getSizes(op.getSource());
  int64_t dim = op.getDim();
  FailureOr<Packet> position = evaluate(op.getIndices(), coord, mask);
  if (failed(position))
    return failure();
  // The index may be smaller than the source in the other dimensions.
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != from[i])
      splitAt(coord, sizes, i);
  isolate(*this, coord, sizes, dim).index = lookUp(*position, from[dim], mask);
  return evaluate(op.getSource(), coord, mask);
}
