//===- TileFusionsTranspose.cpp - kernels that transpose ------------------===//
/// Pointwise fusions with operands that are contiguous along another dimension
/// than the results: a block loads a square tile of each such operand along
/// that dimension, exchanges it through shared memory, and goes on along the
/// results' innermost dimension.

#include "TileFusionsEmit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

namespace {
class TransposeEmitter {
public:
  explicit TransposeEmitter(Emitter &emitter)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        indices(emitter.indices), schedule(emitter.schedule),
        lanes(indices.getLanes()), size(32 * lanes),
        depth(schedule.getThreads() / 32) {}

  FailureOr<LaunchShape> emit();

private:
  LogicalResult findDims();
  LogicalResult probe(SmallVector<Index> &atoms,
                      std::vector<Emitter::Access> &accesses);
  void setUp();
  Coord makeCoord(const Index &outer, const Index &inner);
  unsigned makeMask(Value packet, ExprAttr packetSize, Value single,
                    ExprAttr singleSize);
  LogicalResult loadTiles();
  LogicalResult storeTiles();
  LogicalResult exchange();

  ExprAttr getSize(int64_t first, int64_t last) const {
    return emitter.getProduct(ArrayRef(sizes).slice(first, last - first + 1));
  }
  Value constant(int64_t value) { return indices.getInt(value); }
  template <typename OpTy>
  Value make(Value lhs, Value rhs) {
    return builder.createOrFold<OpTy>(loc, lhs, rhs);
  }

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexBuilder &indices;
  ScheduleAttr schedule;
  /// Lanes of a packet, side of the square tile, rows a block holds at once.
  int64_t lanes, size, depth;
  /// The results' dimensions in memory order and their sizes.
  SmallVector<int64_t> order;
  SmallVector<ExprAttr> sizes;
  /// In memory order, the dimensions along which packets of results (inner)
  /// and of transposed operands (outer) lie.
  int64_t innerFirst = 0, innerLast = 0, outerFirst = 0, outerLast = 0;
  SmallVector<unsigned> transposed;
  ExprAttr innerSize, outerSize;
  /// Block and thread: origins of the tile, place within it.
  Value innerOrigin, outerOrigin, x, y;
  Index batch;
  /// Packets of each transposed operand, by row of the tile.
  std::vector<SmallVector<Packet>> tiles;
};
} // namespace

/// Finds what the loads' offsets are in terms of one position a dimension.
LogicalResult TransposeEmitter::probe(SmallVector<Index> &atoms,
                                      std::vector<Emitter::Access> &accesses) {
  emitter.pushScope();
  Coord coord;
  for (ExprAttr dim : sizes) {
    atoms.push_back(indices.makeAtom(Atom::Uniform, {constant(0)}, dim, false));
    coord.push_back({1, atoms.back()});
  }
  coord = emitter.permute(coord, sizes, order);
  emitter.accesses = &accesses;
  LogicalResult result = success();
  for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
    if (failed(emitter.prefetch(emitter.getYielded(i), coord, 0)))
      result = failure();
  emitter.accesses = nullptr;
  emitter.popScope();
  return result;
}

/// The factor of an atom in an offset.
static ExprAttr getStride(IndexBuilder &indices, const Index &offset,
                          const Index &atom) {
  for (auto &[term, coefficient] : offset.terms)
    if (term == atom.terms.front().first)
      return coefficient;
  return indices.getExpr(0);
}

LogicalResult TransposeEmitter::findDims() {
  LayoutAttr layout = emitter.getResultLayout(0);
  for (unsigned i = 1; i < emitter.fusion->getNumResults(); ++i)
    if (emitter.getResultLayout(i) != layout)
      return emitter.fail("results of different layouts");
  order = getMemoryOrder(layout);
  SmallVector<ExprAttr> strides;
  for (int64_t dim : order) {
    sizes.push_back(layout.getSizes()[dim]);
    strides.push_back(layout.getStrides()[dim]);
  }
  int64_t last = sizes.size() - 1;
  while (last > 0 && sizes[last].isConstant(1))
    --last;
  if (last < 1 || !strides[last].isConstant(1))
    return emitter.fail("results without two dimensions");
  SmallVector<Index> atoms;
  std::vector<Emitter::Access> accesses;
  if (failed(probe(atoms, accesses)))
    return failure();
  std::optional<int64_t> outer;
  for (Emitter::Access &access : accesses) {
    ExprAttr inner = getStride(indices, access.offset, atoms[last]);
    if (inner.isConstant(0) || inner.isConstant(1))
      continue;
    for (int64_t dim = 0; dim < last; ++dim) {
      if (!getStride(indices, access.offset, atoms[dim]).isConstant(1) ||
          sizes[dim].isConstant(1))
        continue;
      if ((outer && *outer != dim) ||
          llvm::is_contained(transposed, access.operand))
        return emitter.fail("operands that are transposed differently");
      outer = dim;
      transposed.push_back(access.operand);
    }
  }
  if (!outer)
    return emitter.fail("no transposed operand");
  // Its tile stands for every load of an operand.
  for (unsigned operand : transposed)
    if (llvm::count_if(accesses, [&](Emitter::Access &access) {
          return access.operand == operand;
        }) > 1)
      return emitter.fail("an operand that is read transposed and as it lies");
  // Neighbouring dimensions that every tensor walks as one.
  auto merges = [&](int64_t dim) {
    auto isOne = [&](ExprAttr wide, ExprAttr narrow) {
      return wide == ExprAttr::mul(narrow, sizes[dim + 1]);
    };
    return isOne(strides[dim], strides[dim + 1]) &&
           llvm::all_of(accesses, [&](Emitter::Access &access) {
             return isOne(getStride(indices, access.offset, atoms[dim]),
                          getStride(indices, access.offset, atoms[dim + 1]));
           });
  };
  outerFirst = outerLast = *outer;
  while (outerFirst > 0 && merges(outerFirst - 1))
    --outerFirst;
  innerFirst = last;
  innerLast = sizes.size() - 1;
  while (innerFirst - 1 > outerLast && merges(innerFirst - 1))
    --innerFirst;
  innerSize = getSize(innerFirst, innerLast);
  outerSize = getSize(outerFirst, outerLast);
  return success();
}

void TransposeEmitter::setUp() {
  Value thread = emitter.getThreadId();
  x = make<arith::MulIOp>(make<arith::RemUIOp>(thread, constant(32)),
                          constant(lanes));
  y = make<arith::DivUIOp>(thread, constant(32));
  Value block = emitter.getBlockId();
  Value innerTiles = indices.getSize(ExprAttr::ceilDiv(innerSize, size));
  Value outerTiles = indices.getSize(ExprAttr::ceilDiv(outerSize, size));
  Value rest = make<arith::DivUIOp>(block, innerTiles);
  innerOrigin = make<arith::MulIOp>(make<arith::RemUIOp>(block, innerTiles),
                                    constant(size));
  outerOrigin = make<arith::MulIOp>(make<arith::RemUIOp>(rest, outerTiles),
                                    constant(size));
  Value number = make<arith::DivUIOp>(rest, outerTiles);
  ExprAttr count = indices.getExpr(1);
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim)
    if ((dim < outerFirst || dim > outerLast) && dim < innerFirst)
      count = ExprAttr::mul(count, sizes[dim]);
  batch = indices.makeAtom(Atom::Uniform, {number}, count, false, false,
                           /*safe=*/true);
}

/// The results' coordinate of a packet.
Coord TransposeEmitter::makeCoord(const Index &outer, const Index &inner) {
  // Dimensions before and between: parts of the batch.
  SmallVector<ExprAttr> rest;
  for (int64_t dim = 0; dim < innerFirst; ++dim)
    if (dim < outerFirst || dim > outerLast)
      rest.push_back(sizes[dim]);
  Coord parts = emitter.getFlat(rest, batch);
  for (size_t i = 1; i < rest.size(); ++i)
    emitter.splitAt(parts, rest, i);
  Coord coord;
  size_t next = 0;
  for (int64_t dim = 0; dim < innerFirst; ++dim) {
    if (dim == outerFirst)
      coord.push_back({outerLast - outerFirst + 1, outer});
    else if (dim < outerFirst || dim > outerLast)
      coord.push_back({1, parts[next++].index});
  }
  coord.push_back({innerLast - innerFirst + 1, inner});
  return emitter.permute(coord, sizes, order);
}

/// `packet` begins a packet along a dimension of `packetSize`, `single` is the
/// position along the other.
unsigned TransposeEmitter::makeMask(Value packet, ExprAttr packetSize,
                                    Value single, ExprAttr singleSize) {
  Mask mask;
  auto isWhole = [&](ExprAttr expr) {
    return expr.getConstant().value_or(1) % size == 0;
  };
  if (!isWhole(packetSize)) {
    Value left = make<arith::SubIOp>(indices.getSize(packetSize), packet);
    left = make<arith::MinSIOp>(left, constant(lanes));
    Type i32 = builder.getI32Type();
    if (left.getType() != i32)
      left = builder.createOrFold<arith::TruncIOp>(loc, i32, left);
    mask.low =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    mask.high = left;
    mask.whole =
        indices.getAlignment(indices.getConstant(packetSize), lanes) == lanes;
  }
  if (!isWhole(singleSize))
    mask.predicate =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, single,
                              indices.getSize(singleSize));
  return mask.high || mask.predicate ? emitter.addMask(mask) : 0;
}

LogicalResult TransposeEmitter::loadTiles() {
  auto kind = lanes == 1 ? Atom::Uniform : Atom::Contiguous;
  Value outerAt = make<arith::AddIOp>(outerOrigin, x);
  Index outer = indices.makeAtom(kind, {outerAt}, outerSize, true);
  tiles.resize(transposed.size());
  for (int64_t row = 0; row < size; row += depth) {
    Value innerAt =
        make<arith::AddIOp>(innerOrigin, make<arith::AddIOp>(y, constant(row)));
    Index inner = indices.makeAtom(Atom::Uniform, {innerAt}, innerSize, false,
                                   false, /*safe=*/true);
    unsigned mask = makeMask(outerAt, outerSize, innerAt, innerSize);
    std::vector<Emitter::Access> accesses;
    emitter.accesses = &accesses;
    Coord coord = makeCoord(outer, inner);
    for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i)
      if (failed(emitter.prefetch(emitter.getYielded(i), coord, mask)))
        return failure();
    emitter.accesses = nullptr;
    for (auto [operand, packets] : llvm::zip(transposed, tiles)) {
      auto it = llvm::find_if(accesses, [&, operand = operand](auto &access) {
        return access.operand == operand;
      });
      if (it == accesses.end())
        return emitter.fail("a transposed operand that is not loaded");
      packets.push_back(it->packet);
    }
  }
  return success();
}

/// Static shared memory that every architecture gives a block.
static constexpr int64_t maxSharedBytes = 48 * 1024;

LogicalResult TransposeEmitter::exchange() {
  int64_t bytes = 0;
  for (SmallVector<Packet> &packets : tiles) {
    Type element = getElementTypeOrSelf(packets.front().value.getType());
    bytes += size * (size + 1) *
             std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
  }
  if (bytes > maxSharedBytes)
    return emitter.fail("tiles that do not fit shared memory");
  for (SmallVector<Packet> &packets : tiles) {
    SmallVector<Value> values;
    for (Packet packet : packets)
      values.push_back(emitter.splat(packet));
    SmallVector<Type> types = llvm::to_vector(ValueRange(values).getTypes());
    auto moved = TileExchangeOp::create(builder, loc, types, values,
                                        schedule.getThreads(), size);
    for (auto [packet, value] : llvm::zip(packets, moved.getResults()))
      packet = {value, lanes == 1};
  }
  return success();
}

LogicalResult TransposeEmitter::storeTiles() {
  auto kind = lanes == 1 ? Atom::Uniform : Atom::Contiguous;
  Value innerAt = make<arith::AddIOp>(innerOrigin, x);
  Index inner = indices.makeAtom(kind, {innerAt}, innerSize, true);
  for (int64_t row = 0, j = 0; row < size; row += depth, ++j) {
    Value outerAt =
        make<arith::AddIOp>(outerOrigin, make<arith::AddIOp>(y, constant(row)));
    Index outer = indices.makeAtom(Atom::Uniform, {outerAt}, outerSize, false,
                                   false, /*safe=*/true);
    unsigned mask = makeMask(innerAt, innerSize, outerAt, outerSize);
    for (auto [operand, packets] : llvm::zip(transposed, tiles))
      emitter.replacements[operand] = packets[j];
    Coord coord = makeCoord(outer, inner);
    for (unsigned i = 0; i < emitter.fusion->getNumResults(); ++i) {
      FailureOr<Packet> packet =
          emitter.evaluate(emitter.getYielded(i), coord, mask);
      if (failed(packet) || failed(emitter.store(i, *packet, coord, mask)))
        return failure();
    }
  }
  return success();
}

FailureOr<LaunchShape> TransposeEmitter::emit() {
  if (failed(findDims()))
    return failure();
  setUp();
  if (failed(loadTiles()) || failed(exchange()) || failed(storeTiles()))
    return failure();
  ExprAttr one = indices.getExpr(1);
  ExprAttr grid = ExprAttr::mul(ExprAttr::ceilDiv(innerSize, size),
                                ExprAttr::ceilDiv(outerSize, size));
  for (auto &[atom, coefficient] : batch.terms)
    grid = ExprAttr::mul(grid, atom->bound);
  return LaunchShape{{grid, one, one}, schedule.getThreads()};
}

FailureOr<LaunchShape> tile::emitTranspose(Emitter &emitter) {
  return TransposeEmitter(emitter).emit();
}
