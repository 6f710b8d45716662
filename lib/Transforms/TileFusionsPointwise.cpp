//===- TileFusionsPointwise.cpp - kernels of pointwise fusions ------------===//
/// A thread takes packets of consecutive elements, in memory order of the
/// result.

#include "TileFusionsEmit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

SmallVector<int64_t> tile::getMemoryOrder(LayoutAttr layout) {
  int64_t rank = layout.getRank();
  SmallVector<int64_t> logical = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (layout.isContiguous())
    return logical;
  SmallVector<int64_t> inner, unit;
  ExprAttr expected = ExprAttr::constant(layout.getContext(), 1);
  SmallVector<bool> used(rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    if ((used[dim] = layout.getSizes()[dim].isConstant(1)))
      unit.push_back(dim);
  while (static_cast<int64_t>(inner.size() + unit.size()) < rank) {
    int64_t found = -1;
    for (int64_t dim = rank - 1; dim >= 0 && found < 0; --dim)
      if (!used[dim] && layout.getStrides()[dim] == expected)
        found = dim;
    if (found < 0)
      return logical;
    used[found] = true;
    inner.push_back(found);
    expected = ExprAttr::mul(expected, layout.getSizes()[found]);
  }
  unit.append(inner.rbegin(), inner.rend());
  return unit;
}

/// The coordinate of a result whose elements in memory order begin at `index`.
static Coord getResultCoord(Emitter &emitter, unsigned result,
                            const Index &index) {
  LayoutAttr layout = emitter.getResultLayout(result);
  SmallVector<int64_t> order = getMemoryOrder(layout);
  SmallVector<ExprAttr> sizes;
  for (int64_t dim : order)
    sizes.push_back(layout.getSizes()[dim]);
  return emitter.permute(emitter.getFlat(sizes, index), sizes, order);
}

static LogicalResult storeResults(Emitter &emitter, ArrayRef<unsigned> results,
                                  const Index &index, unsigned mask) {
  std::vector<std::pair<Coord, Packet>> packets;
  for (unsigned result : results) {
    Coord coord = getResultCoord(emitter, result, index);
    FailureOr<Packet> packet =
        emitter.evaluate(emitter.getYielded(result), coord, mask);
    if (failed(packet))
      return failure();
    packets.push_back({coord, *packet});
  }
  for (auto [result, packet] : llvm::zip(results, packets))
    if (failed(emitter.store(result, packet.second, packet.first, mask)))
      return failure();
  return success();
}

/// Emits the packet that begins at element `at` for results of `count`
/// elements.
static LogicalResult emitPacket(Emitter &emitter, ArrayRef<unsigned> results,
                                ExprAttr count, Value at, int64_t perBlock) {
  OpBuilder &builder = emitter.builder;
  int64_t lanes = emitter.indices.getLanes();
  Index index = emitter.indices.makeAtom(
      lanes == 1 ? Atom::Uniform : Atom::Contiguous, {at}, count, true);
  if (count.getConstant().value_or(1) % perBlock == 0)
    return storeResults(emitter, results, index, 0);
  Value end = emitter.indices.getSize(count);
  Value begins = arith::CmpIOp::create(builder, emitter.loc,
                                       arith::CmpIPredicate::slt, at, end);
  auto branch = scf::IfOp::create(builder, emitter.loc, begins, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.pushScope();
  unsigned mask = 0;
  if (emitter.indices.getAlignment(emitter.indices.getConstant(count), lanes) !=
      lanes) {
    branch->setAttr("kfuse.tail", builder.getUnitAttr());
    Value left =
        arith::SubIOp::create(builder, emitter.loc, end, at).getResult();
    Value most = emitter.indices.getInt(lanes);
    left = arith::MinSIOp::create(builder, emitter.loc, left, most);
    Type i32 = builder.getI32Type();
    if (left.getType() != i32)
      left = arith::TruncIOp::create(builder, emitter.loc, i32, left);
    Mask tail;
    tail.low = arith::ConstantOp::create(builder, emitter.loc,
                                         builder.getI32IntegerAttr(0));
    tail.high = left;
    mask = emitter.addMask(tail);
  }
  LogicalResult result = storeResults(emitter, results, index, mask);
  emitter.popScope();
  return result;
}

FailureOr<LaunchShape> tile::emitPointwise(Emitter &emitter) {
  ScheduleAttr schedule = emitter.schedule;
  OpBuilder &builder = emitter.builder;
  int64_t lanes = emitter.indices.getLanes();
  int64_t perPass = schedule.getThreads() * lanes;
  int64_t perBlock = perPass * schedule.getUnroll();
  // Results of different sizes are computed one after the other.
  llvm::MapVector<ExprAttr, SmallVector<unsigned>> bySize;
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
    bySize[emitter.getResultLayout(i).getNumElements()].push_back(i);
  auto multiply = [&](Value value, int64_t by) {
    return builder.createOrFold<arith::MulIOp>(emitter.loc, value,
                                               emitter.indices.getInt(by));
  };
  Value block = multiply(emitter.getBlockId(), perBlock);
  Value thread = multiply(emitter.getThreadId(), lanes);
  Value first = arith::AddIOp::create(builder, emitter.loc, block, thread);
  ExprAttr largest = bySize.front().first;
  for (auto &[count, results] : bySize) {
    largest = ExprAttr::max(largest, count);
    for (int64_t pass = 0; pass < schedule.getUnroll(); ++pass) {
      Value at = builder.createOrFold<arith::AddIOp>(
          emitter.loc, first, emitter.indices.getInt(pass * perPass));
      // Blocks past the end of the smaller results find nothing to do.
      int64_t whole = bySize.size() == 1 ? perBlock : INT64_MAX;
      if (failed(emitPacket(emitter, results, count, at, whole)))
        return failure();
    }
  }
  ExprAttr one = emitter.indices.getExpr(1);
  return LaunchShape{{ExprAttr::ceilDiv(largest, perBlock), one, one},
                     schedule.getThreads()};
}
