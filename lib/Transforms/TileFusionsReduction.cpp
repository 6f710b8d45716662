//===- TileFusionsReduction.cpp - kernels of reducing fusions -------------===//
/// Row kind: the threads of a row take packets along the reduced elements.
/// Column kind: packets lie along the kept elements, threads one above the
/// other take different reduced elements.

#include "TileFusionsReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

SmallVector<Value>
ReductionEmitter::getNeutral(const SmallVector<Combiner> &level) {
  SmallVector<Value> state;
  for (const Combiner &combiner : level)
    llvm::append_range(
        state, combiner.getNeutral(builder, loc, lanes == 1 ? 0 : lanes));
  return state;
}

/// The positions of the lanes as i64.
Value ReductionEmitter::getPositions(const Index &column) {
  SmallVector<Value> result;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value at = indices.getLane(column, lane);
    if (!at.getType().isInteger(64))
      at = builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), at);
    result.push_back(at);
  }
  if (lanes == 1)
    return result.front();
  auto type = VectorType::get(lanes, builder.getI64Type());
  return vector::FromElementsOp::create(builder, loc, type, result);
}

LogicalResult ReductionEmitter::accumulate(const SmallVector<Combiner> &level,
                                           Place &place,
                                           SmallVectorImpl<Value> &state) {
  unsigned at = 0;
  Packet bits = emitter.getMaskBits(place.mask);
  for (const Combiner &combiner : level) {
    Coord coord = place.coords.getSource(combiner);
    FailureOr<Packet> packet =
        emitter.evaluate(combiner.getSource(), coord, place.mask);
    if (failed(packet))
      return failure();
    SmallVector<Value> values{emitter.splat(*packet)};
    if (combiner.hasPosition())
      values.push_back(getPositions(place.column));
    SmallVector<Value> neutral =
        combiner.getNeutral(builder, loc, lanes == 1 ? 0 : lanes);
    if (bits.value)
      for (auto [value, none] : llvm::zip(values, neutral))
        value =
            builder.createOrFold<arith::SelectOp>(loc, bits.value, value, none);
    ValueRange old = ValueRange(state).slice(at, values.size());
    SmallVector<Value> sum = combiner.combine(builder, loc, old, values);
    llvm::copy(sum, state.begin() + at);
    at += values.size();
  }
  return success();
}

/// Row kind: combines the lanes of each state value to a scalar.
SmallVector<Value>
ReductionEmitter::reduceLanes(const SmallVector<Combiner> &level,
                              ValueRange state) {
  SmallVector<Value> result;
  unsigned at = 0;
  for (const Combiner &combiner : level) {
    unsigned count = combiner.hasPosition() ? 2 : 1;
    ValueRange values = state.slice(at, count);
    at += count;
    SmallVector<SmallVector<Value>> parts(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (Value value : values)
        parts[lane].push_back(
            vector::ExtractOp::create(builder, loc, value, lane));
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        parts[lane] =
            combiner.combine(builder, loc, parts[lane], parts[lane + half]);
    llvm::append_range(result, parts[0]);
  }
  return result;
}

SmallVector<Value>
ReductionEmitter::reduceThreads(const SmallVector<Combiner> &level,
                                ValueRange state) {
  int64_t count = isColumn ? schedule.getRows() : width;
  if (count == 1)
    return llvm::to_vector(state);
  SmallVector<Type> types = llvm::to_vector(state.getTypes());
  auto reduce =
      ThreadReduceOp::create(builder, loc, types, state, schedule.getThreads(),
                             count, isColumn ? width : 1);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> argumentTypes(types);
  argumentTypes.append(types);
  Block *block =
      builder.createBlock(&reduce.getCombiner(), {}, argumentTypes,
                          SmallVector<Location>(argumentTypes.size(), loc));
  SmallVector<Value> arguments(block->getArguments().begin(),
                               block->getArguments().end());
  ValueRange lhs = ValueRange(arguments).take_front(types.size());
  ValueRange rhs = ValueRange(arguments).drop_front(types.size());
  SmallVector<Value> result;
  unsigned at = 0;
  for (const Combiner &combiner : level) {
    unsigned size = combiner.hasPosition() ? 2 : 1;
    llvm::append_range(result,
                       combiner.combine(builder, loc, lhs.slice(at, size),
                                        rhs.slice(at, size)));
    at += size;
  }
  YieldOp::create(builder, loc, result);
  return llvm::to_vector(ValueRange(reduce.getResults()));
}

/// Adds the thread's single element to what it has of its packets.
LogicalResult ReductionEmitter::addEdge(const SmallVector<Combiner> &level,
                                        SmallVectorImpl<Value> &state) {
  unsigned at = 0;
  Value exists = emitter.getMaskBits(edge->mask).value;
  for (const Combiner &combiner : level) {
    FailureOr<Packet> packet = emitter.evaluate(
        combiner.getSource(), edge->coords.getSource(combiner), edge->mask);
    if (failed(packet))
      return failure();
    SmallVector<Value> values{packet->value};
    if (combiner.hasPosition()) {
      Value position = indices.getLane(edge->column, 0);
      Type i64 = builder.getI64Type();
      values.push_back(
          position.getType() == i64
              ? position
              : builder.createOrFold<arith::ExtSIOp>(loc, i64, position));
    }
    SmallVector<Value> neutral = combiner.getNeutral(builder, loc, 0);
    for (auto [value, none] : llvm::zip(values, neutral))
      value = builder.createOrFold<arith::SelectOp>(loc, exists, value, none);
    ValueRange old = ValueRange(state).slice(at, values.size());
    SmallVector<Value> sum = combiner.combine(builder, loc, old, values);
    llvm::copy(sum, state.begin() + at);
    at += values.size();
  }
  return success();
}

/// The block's combination of what its threads have.
FailureOr<SmallVector<Value>>
ReductionEmitter::combineBlock(const SmallVector<Combiner> &level,
                               ValueRange state) {
  SmallVector<Value> values = llvm::to_vector(state);
  if (!isColumn && lanes > 1)
    values = reduceLanes(level, values);
  if (edge && failed(addEdge(level, values)))
    return failure();
  return reduceThreads(level, values);
}

/// Makes the results of a level known to the evaluation of later values.
void ReductionEmitter::setReduced(const SmallVector<Combiner> &level,
                                  ValueRange values) {
  unsigned at = 0;
  for (const Combiner &combiner : level) {
    Value value = values[at + (combiner.hasPosition() ? 1 : 0)];
    emitter.setReduced(combiner.getOp()->getResult(0), row,
                       {value, !isColumn || lanes == 1});
    at += combiner.hasPosition() ? 2 : 1;
  }
}

LogicalResult ReductionEmitter::finishLevel(const SmallVector<Combiner> &level,
                                            ValueRange state) {
  FailureOr<SmallVector<Value>> values = combineBlock(level, state);
  if (failed(values))
    return failure();
  setReduced(level, *values);
  return success();
}

/// Few threads have a single element: the others' warps jump.
LogicalResult ReductionEmitter::storeEdge() {
  if (!edge)
    return success();
  Value exists = emitter.getMaskBits(edge->mask).value;
  auto branch = scf::IfOp::create(builder, loc, exists, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.pushScope();
  LogicalResult result = storePlace(*edge);
  emitter.popScope();
  return result;
}

LogicalResult ReductionEmitter::storePlace(Place &place) {
  unsigned storeMask = place.mask;
  if (!isColumn && rowMask.predicate)
    storeMask = emitter.addPredicate(place.mask, rowMask.predicate);
  SmallVector<std::pair<unsigned, Packet>> packets;
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i) {
    if (place.coords.isPerRow(i))
      continue;
    std::optional<Coord> coord = place.coords.getResult(i);
    if (!coord)
      return emitter.fail("a result of other extents");
    FailureOr<Packet> packet =
        emitter.evaluate(emitter.getYielded(i), *coord, place.mask);
    if (failed(packet))
      return failure();
    packets.push_back({i, *packet});
  }
  for (auto &[i, packet] : packets)
    if (failed(emitter.store(i, packet, *place.coords.getResult(i), storeMask)))
      return failure();
  return success();
}

/// Begins the loads that only the results of a place need.
LogicalResult ReductionEmitter::prefetchPlace(Place &place) {
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i) {
    std::optional<Coord> coord = place.coords.getResult(i);
    if (coord && !place.coords.isPerRow(i) &&
        failed(emitter.prefetch(emitter.getYielded(i), *coord, place.mask)))
      return failure();
  }
  return success();
}

LogicalResult ReductionEmitter::storePerRow() {
  ReductionCoords &coords = anyPlace->coords;
  Mask mask = rowMask;
  mask.predicate =
      mask.predicate ? make<arith::AndIOp>(mask.predicate, isLeader) : isLeader;
  unsigned number = emitter.addMask(mask);
  unsigned loadMask = isColumn && rowMask.high ? emitter.addMask(rowMask) : 0;
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i) {
    if (!coords.isPerRow(i))
      continue;
    Coord coord = *coords.getResult(i);
    FailureOr<Packet> packet =
        emitter.evaluate(emitter.getYielded(i), coord, loadMask);
    if (failed(packet) || failed(emitter.store(i, *packet, coord, number)))
      return failure();
  }
  return success();
}

LogicalResult ReductionEmitter::emitInRegisters() {
  std::optional<int64_t> columns = reductions.columns.getConstant();
  std::vector<Place> places;
  for (int64_t packet = 0; packet < schedule.getUnroll(); ++packet) {
    Value at = make<arith::AddIOp>(first, constant(packet * stride));
    // Shifted packets lie up to almost a packet after their place.
    int64_t end = (packet + 1) * stride + (schedule.getShift() ? lanes : 0);
    bool hasTail = !columns || end > *columns;
    places.push_back(makePlace(at, hasTail, packet == 0));
  }
  SmallVector<Place *> loaded;
  for (Place &place : places)
    loaded.push_back(&place);
  if (edge)
    loaded.push_back(&*edge);
  for (Place *place : loaded)
    for (const Combiner &combiner : reductions.levels.front())
      if (failed(emitter.prefetch(combiner.getSource(),
                                  place->coords.getSource(combiner),
                                  place->mask)))
        return failure();
  for (const SmallVector<Combiner> &level : reductions.levels) {
    SmallVector<Value> state = getNeutral(level);
    for (Place &place : places)
      if (failed(accumulate(level, place, state)))
        return failure();
    // Loads do not pass barriers and stores on their own.
    if (&level == &reductions.levels.back() &&
        failed(prefetchPlace(places.front())))
      return failure();
    if (failed(finishLevel(level, state)))
      return failure();
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (i + 1 < places.size() && failed(prefetchPlace(places[i + 1])))
      return failure();
    if (failed(storePlace(places[i])))
      return failure();
  }
  return failed(storeEdge()) ? failure() : storePerRow();
}

/// Walks the reduced extent in chunks of `unroll` packets a thread.
FailureOr<SmallVector<Value>> ReductionEmitter::forEachChunk(
    SmallVector<Value> state,
    llvm::function_ref<LogicalResult(Place &, SmallVectorImpl<Value> &)> fn) {
  int64_t unroll = schedule.getUnroll();
  Value end = indices.getSize(reductions.columns);
  auto loop = scf::ForOp::create(
      builder, loc, first, end, constant(stride * unroll * schedule.getSplit()),
      state);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitter.pushScope();
  SmallVector<Value> inner =
      llvm::to_vector(ValueRange(loop.getRegionIterArgs()));
  bool always =
      reductions.columns.getConstant().value_or(1) % (stride * unroll) == 0 &&
      !schedule.getShift();
  std::vector<Place> places;
  for (int64_t packet = 0; packet < unroll; ++packet) {
    Value at =
        make<arith::AddIOp>(loop.getInductionVar(), constant(packet * stride));
    // In the first packet of a chunk the loop itself is the guard, where
    // packets do not end in the middle.
    bool guarded =
        packet == 0 && !schedule.getShift() &&
        (isColumn ||
         indices.getAlignment(indices.getConstant(reductions.columns), lanes) ==
             lanes);
    places.push_back(makePlace(at, !always && !guarded, true));
  }
  for (Place &place : places)
    if (failed(fn(place, inner)))
      return failure();
  emitter.popScope();
  if (!state.empty())
    scf::YieldOp::create(builder, loc, inner);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

LogicalResult ReductionEmitter::emitLoops() {
  for (const SmallVector<Combiner> &level : reductions.levels) {
    FailureOr<SmallVector<Value>> state = forEachChunk(
        getNeutral(level), [&](Place &place, SmallVectorImpl<Value> &inner) {
          return accumulate(level, place, inner);
        });
    if (failed(state))
      return failure();
    if (failed(finishLevel(level, *state)))
      return failure();
  }
  bool hasFull = false;
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
    hasFull |= !anyPlace->coords.isPerRow(i);
  if (hasFull &&
      failed(forEachChunk({}, [&](Place &place, SmallVectorImpl<Value> &) {
        return storePlace(place);
      })))
    return failure();
  return hasFull && failed(storeEdge()) ? failure() : storePerRow();
}

FailureOr<LaunchShape> ReductionEmitter::emit() {
  if (isColumn)
    setUpColumn();
  else if (failed(setUpRow()))
    return failure();
  anyPlace.emplace(makePlace(first, false, false));
  bool loops = isColumn || schedule.getLoop();
  if (failed(part ? emitSplit() : loops ? emitLoops() : emitInRegisters()))
    return failure();
  ExprAttr one = indices.getExpr(1);
  int64_t perBlock = isColumn ? width * lanes : schedule.getRows();
  ExprAttr blocks = ExprAttr::mul(ExprAttr::ceilDiv(reductions.rows, perBlock),
                                  schedule.getSplit());
  return LaunchShape{{blocks, one, one}, schedule.getThreads(), scratchBytes};
}

FailureOr<LaunchShape> tile::emitReduction(Emitter &emitter) {
  FailureOr<Reductions> reductions = findReductions(emitter);
  if (failed(reductions))
    return failure();
  return ReductionEmitter(emitter, std::move(*reductions)).emit();
}
