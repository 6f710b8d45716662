//===- TileFusionsReduction.cpp - kernels of reducing fusions -------------===//
/// Row kind: the threads of a row take packets along the reduced elements.
/// Column kind: packets lie along the kept elements, threads one above the
/// other take different reduced elements.

#include "TileFusionsReduction.h"
#include "PlanSchedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

namespace {
/// The packets at one place: coordinates and which lanes exist.
struct Place {
  ReductionCoords coords;
  Index column;
  unsigned mask;
};

class ReductionEmitter {
public:
  ReductionEmitter(Emitter &emitter, Reductions reductions)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        indices(emitter.indices), schedule(emitter.schedule),
        reductions(std::move(reductions)),
        isColumn(schedule.getKind() == "column"), lanes(indices.getLanes()) {}

  FailureOr<LaunchShape> emit();

private:
  void setUpRow();
  void setUpColumn();
  Place makePlace(Value position, bool hasTail, bool hasHead);
  void addHead(Mask &mask, Value position);
  void addTail(Mask &mask, Value left);
  LogicalResult emitInRegisters();
  LogicalResult emitLoops();
  LogicalResult accumulate(const SmallVector<Combiner> &level, Place &place,
                           SmallVectorImpl<Value> &state);
  void finishLevel(const SmallVector<Combiner> &level, ValueRange state);
  SmallVector<Value> getNeutral(const SmallVector<Combiner> &level);
  SmallVector<Value> reduceLanes(const SmallVector<Combiner> &level,
                                 ValueRange state);
  SmallVector<Value> reduceThreads(const SmallVector<Combiner> &level,
                                   ValueRange state);
  Value getPositions(const Index &column);
  LogicalResult storePlace(Place &place);
  LogicalResult storePerRow();
  FailureOr<SmallVector<Value>> forEachChunk(
      SmallVector<Value> state,
      llvm::function_ref<LogicalResult(Place &, SmallVectorImpl<Value> &)> fn);

  Value constant(int64_t value) { return indices.getInt(value); }
  template <typename OpTy>
  Value make(Value lhs, Value rhs) {
    return builder.createOrFold<OpTy>(loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexBuilder &indices;
  ScheduleAttr schedule;
  Reductions reductions;
  bool isColumn;
  int64_t lanes;
  /// Threads that share a row (row kind), or lie side by side (column kind).
  int64_t width;
  Index row;
  /// First column of the thread and the distance to its next packet.
  Value first;
  int64_t stride;
  /// Column kind: lanes past the last row. Row kind with several rows a block:
  /// whether the row exists.
  Mask rowMask;
  /// Shifted packets: whether there is a row after this one.
  Value hasRowAfter;
  /// Whether this thread stores the results that have one value a row.
  Value isLeader;
  /// Some place of the row, for what does not depend on the column.
  std::optional<Place> anyPlace;
};
} // namespace

void ReductionEmitter::setUpRow() {
  int64_t rowsPerBlock = schedule.getRows();
  width = schedule.getThreads() / rowsPerBlock;
  Value thread = emitter.getThreadId();
  Value number = emitter.getBlockId();
  if (rowsPerBlock > 1) {
    Value within = make<arith::DivUIOp>(thread, constant(width));
    thread = make<arith::RemUIOp>(thread, constant(width));
    number = make<arith::AddIOp>(
        make<arith::MulIOp>(number, constant(rowsPerBlock)), within);
    if (reductions.rows.getConstant().value_or(1) % rowsPerBlock != 0) {
      // Threads past the last row repeat it and store nothing, so that all
      // take part in shuffles.
      Value end = indices.getSize(reductions.rows);
      rowMask.predicate = compare(arith::CmpIPredicate::slt, number, end);
      number =
          make<arith::MinSIOp>(number, make<arith::SubIOp>(end, constant(1)));
    }
  }
  row = reductions.rows.isConstant(1)
            ? indices.getConstant(0)
            : indices.makeAtom(Atom::Uniform, {number}, reductions.rows, false,
                               /*wide=*/true, /*safe=*/true);
  first = make<arith::MulIOp>(thread, constant(lanes));
  stride = width * lanes;
  isLeader = compare(arith::CmpIPredicate::eq, thread, constant(0));
  if (!schedule.getShift())
    return;
  if (!reductions.rows.isConstant(1)) {
    Value last =
        indices.getSize(ExprAttr::sub(reductions.rows, indices.getExpr(1)));
    hasRowAfter = compare(arith::CmpIPredicate::slt, number, last);
  }
  // The packet that holds the row's first element begins before it.
  Value start =
      make<arith::MulIOp>(number, indices.getSize(reductions.columns));
  Value over = make<arith::RemUIOp>(
      start, constant(schedule::getShiftUnit(reductions.columns, lanes)));
  first = make<arith::SubIOp>(first, over);
}

void ReductionEmitter::setUpColumn() {
  int64_t depth = schedule.getRows();
  width = schedule.getThreads() / depth;
  Value thread = emitter.getThreadId();
  Value x = make<arith::RemUIOp>(thread, constant(width));
  first = make<arith::DivUIOp>(thread, constant(width));
  stride = depth;
  Value at = make<arith::AddIOp>(
      make<arith::MulIOp>(emitter.getBlockId(), constant(width * lanes)),
      make<arith::MulIOp>(x, constant(lanes)));
  row = indices.makeAtom(lanes == 1 ? Atom::Uniform : Atom::Contiguous, {at},
                         reductions.rows, true);
  if (reductions.rows.getConstant().value_or(1) % (width * lanes) != 0)
    addTail(rowMask, make<arith::SubIOp>(indices.getSize(reductions.rows), at));
  rowMask.whole = indices.getAlignment(indices.getConstant(reductions.rows),
                                       lanes) == lanes;
  isLeader = compare(arith::CmpIPredicate::eq, first, constant(0));
}

/// Lanes at or after `left` do not exist.
void ReductionEmitter::addTail(Mask &mask, Value left) {
  Type i32 = builder.getI32Type();
  if (left.getType() != i32) {
    left = make<arith::MinSIOp>(left, constant(lanes));
    left = builder.createOrFold<arith::TruncIOp>(loc, i32, left);
  }
  mask.low =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  mask.high = left;
}

/// Lanes before the row's first element do not exist.
void ReductionEmitter::addHead(Mask &mask, Value position) {
  Type i32 = builder.getI32Type();
  Value before = make<arith::SubIOp>(constant(0), position);
  before = make<arith::MaxSIOp>(before, constant(0));
  if (before.getType() != i32)
    before = builder.createOrFold<arith::TruncIOp>(loc, i32, before);
  mask.low = before;
  if (!mask.high)
    mask.high = arith::ConstantOp::create(builder, loc,
                                          builder.getI32IntegerAttr(lanes));
}

/// The packet at reduced position `position`. `hasTail`: it may end after the
/// last element; `hasHead`: shifted packets only, it may begin before the
/// first.
Place ReductionEmitter::makePlace(Value position, bool hasTail, bool hasHead) {
  Mask mask;
  Index column;
  Value end = indices.getSize(reductions.columns);
  if (isColumn) {
    mask = rowMask;
    if (hasTail)
      mask.predicate = compare(arith::CmpIPredicate::slt, position, end);
    column = indices.makeAtom(Atom::Uniform, {position}, reductions.columns,
                              false, false, /*safe=*/true);
  } else {
    bool shift = schedule.getShift();
    column = indices.makeAtom(lanes == 1 ? Atom::Uniform : Atom::Contiguous,
                              {position}, reductions.columns, !shift);
    if (shift)
      emitter.addShift(column, reductions.columns, hasRowAfter);
    if (hasTail) {
      addTail(mask, make<arith::SubIOp>(end, position));
      mask.whole = !shift &&
                   indices.getAlignment(indices.getConstant(reductions.columns),
                                        lanes) == lanes;
    }
    if (shift && hasHead)
      addHead(mask, position);
  }
  bool hasMask = mask.high || mask.predicate;
  return Place{ReductionCoords(emitter, reductions, row, column), column,
               hasMask ? emitter.addMask(mask) : 0};
}

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

/// Makes the results of a level known to the evaluation of later values.
void ReductionEmitter::finishLevel(const SmallVector<Combiner> &level,
                                   ValueRange state) {
  SmallVector<Value> values = llvm::to_vector(state);
  if (!isColumn && lanes > 1)
    values = reduceLanes(level, values);
  values = reduceThreads(level, values);
  unsigned at = 0;
  for (const Combiner &combiner : level) {
    Value value = values[at + (combiner.hasPosition() ? 1 : 0)];
    emitter.setReduced(combiner.getOp()->getResult(0), row,
                       {value, !isColumn || lanes == 1});
    at += combiner.hasPosition() ? 2 : 1;
  }
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
    int64_t end = (packet + 1) * stride;
    // Shifted packets lie up to a packet before their place.
    bool hasTail = !columns || end > *columns;
    places.push_back(makePlace(at, hasTail, packet == 0));
  }
  for (Place &place : places)
    for (const Combiner &combiner : reductions.levels.front())
      if (failed(emitter.prefetch(combiner.getSource(),
                                  place.coords.getSource(combiner),
                                  place.mask)))
        return failure();
  for (const SmallVector<Combiner> &level : reductions.levels) {
    SmallVector<Value> state = getNeutral(level);
    for (Place &place : places)
      if (failed(accumulate(level, place, state)))
        return failure();
    finishLevel(level, state);
  }
  for (Place &place : places)
    if (failed(storePlace(place)))
      return failure();
  return storePerRow();
}

/// Walks the reduced extent in chunks of `unroll` packets a thread.
FailureOr<SmallVector<Value>> ReductionEmitter::forEachChunk(
    SmallVector<Value> state,
    llvm::function_ref<LogicalResult(Place &, SmallVectorImpl<Value> &)> fn) {
  int64_t unroll = schedule.getUnroll();
  Value end = indices.getSize(reductions.columns);
  auto loop = scf::ForOp::create(builder, loc, first, end,
                                 constant(stride * unroll), state);
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
    finishLevel(level, *state);
  }
  bool hasFull = false;
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
    hasFull |= !anyPlace->coords.isPerRow(i);
  if (hasFull &&
      failed(forEachChunk({}, [&](Place &place, SmallVectorImpl<Value> &) {
        return storePlace(place);
      })))
    return failure();
  return storePerRow();
}

FailureOr<LaunchShape> ReductionEmitter::emit() {
  isColumn ? setUpColumn() : setUpRow();
  anyPlace.emplace(makePlace(first, false, false));
  bool loops = isColumn || schedule.getLoop();
  if (failed(loops ? emitLoops() : emitInRegisters()))
    return failure();
  ExprAttr one = indices.getExpr(1);
  int64_t perBlock = isColumn ? width * lanes : schedule.getRows();
  return LaunchShape{{ExprAttr::ceilDiv(reductions.rows, perBlock), one, one},
                     schedule.getThreads()};
}

FailureOr<LaunchShape> tile::emitReduction(Emitter &emitter) {
  FailureOr<Reductions> reductions = findReductions(emitter);
  if (failed(reductions))
    return failure();
  return ReductionEmitter(emitter, std::move(*reductions)).emit();
}
