//===- TileFusionsEmit.h - emits the kernel of one variant ------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEFUSIONSEMIT_H
#define KFUSE_LIB_TRANSFORMS_TILEFUSIONSEMIT_H

#include "TileFusionsIndex.h"
#include "kfuse/Analysis/BodyShapes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::kfuse::tile {

/// One or more consecutive dimensions of a tensor and the row-major position
/// within them.
struct Group {
  int64_t rank;
  Index index;
};
/// Where a packet lies in a tensor: groups that cover the dimensions in order.
/// Groups are split only where an operation looks inside.
using Coord = SmallVector<Group, 4>;

/// What one thread holds of a value: a scalar when all lanes are the same (or
/// there is one lane), else a vector with an element a lane.
struct Packet {
  Value value;
  bool uniform = false;
};

/// Which lanes of a packet exist. Null values mean no condition.
struct Mask {
  /// Lanes low <= l < high; `whole`: all of them or none.
  Value low, high;
  bool whole = false;
  /// A condition for all lanes, and one for each.
  Value predicate;
  SmallVector<Value> lanes;
};

/// Emits the body of a fusion into a kernel. Values are computed on demand at
/// a coordinate and remembered for the scope (loop, branch) they are in.
class Emitter {
public:
  Emitter(FusionOp fusion, const BodyShapes &shapes, ScheduleAttr schedule,
          gpu::GPUFuncOp kernel, OpBuilder &builder, const Facts &facts,
          unsigned lanes);

  OpBuilder &builder;
  Location loc;
  FusionOp fusion;
  const BodyShapes &shapes;
  ScheduleAttr schedule;
  IndexBuilder indices;

  /// Why emission failed, for the remark.
  std::string error;
  LogicalResult fail(const Twine &why);

  Block &getBody() { return fusion.getBody().front(); }
  Value getYielded(unsigned result) {
    return getBody().getTerminator()->getOperand(result);
  }
  /// The pointer to a tensor (operands first, then results, then scratch
  /// memory).
  Value getPointer(int64_t tensor) {
    return kernel.getBody().front().getArgument(tensor);
  }
  LayoutAttr getResultLayout(unsigned result) {
    return getLayout(fusion.getResult(result).getType());
  }

  /// The packet of `value` at `coord`. Loads obey the mask; lanes that are
  /// masked off hold anything.
  FailureOr<Packet> evaluate(Value value, const Coord &coord, unsigned mask);
  /// Emits now the loads from operands that `value` needs at `coord`, so that
  /// all are under way before anything waits for one.
  LogicalResult prefetch(Value value, const Coord &coord, unsigned mask);
  /// A load that `prefetch` came by.
  struct Access {
    unsigned operand;
    Index offset;
    Packet packet;
  };
  /// Where given, `prefetch` adds what it loads.
  std::vector<Access> *accesses = nullptr;
  /// Packets that stand for the loads of some operands.
  DenseMap<unsigned, Packet> replacements;
  LogicalResult store(unsigned result, Packet packet, const Coord &coord,
                      unsigned mask);

  /// Number of a mask; 0 is no mask.
  unsigned addMask(Mask mask);
  /// The mask with a further condition for all lanes.
  unsigned addPredicate(unsigned mask, Value predicate);
  /// i1 per lane (scalar if uniform or one lane) of a mask, null for none.
  Packet getMaskBits(unsigned mask);

  /// Declares the value of a reduction's result: valid where its flat position
  /// is `position`.
  void setReduced(Value value, const Index &position, Packet packet) {
    reduced[value] = {position, packet};
  }
  /// What `shift` promises: which packets are aligned.
  struct Shift {
    SmallVector<const Atom *> columns;
    /// A uniform column that differs from them by whole packets.
    Index base;
    /// row * stride + column is a multiple of the lanes; only the column, where
    /// there is one row and `row` is null.
    const Atom *row = nullptr;
    ExprAttr stride;
    /// Or, where set, the address of this tensor's element `start` + column is.
    std::optional<int64_t> anchor;
    Index start;
  };
  Shift shift;

  void pushScope();
  void popScope();

  Coord getFlat(ArrayRef<ExprAttr> sizes, const Index &index) const;
  /// The row-major position of the whole coordinate.
  Index flatten(const Coord &coord, ArrayRef<ExprAttr> sizes) const;
  /// Makes `dim` start a group.
  void splitAt(Coord &coord, ArrayRef<ExprAttr> sizes, int64_t dim);
  Coord permute(Coord coord, ArrayRef<ExprAttr> sizes,
                ArrayRef<int64_t> permutation);
  Coord reshape(const Coord &coord, ArrayRef<ExprAttr> from,
                ArrayRef<ExprAttr> to);
  /// The distance of a coordinate from element 0 of a tensor.
  Index getOffset(Coord coord, ArrayRef<ExprAttr> sizes,
                  ArrayRef<ExprAttr> strides);
  ExprAttr getProduct(ArrayRef<ExprAttr> sizes) const {
    return ExprAttr::product(builder.getContext(), sizes);
  }

  Value getThreadId();
  Value getBlockId();
  Value splat(Packet packet);
  Value getScalar(ExprAttr expr);
  /// Scalar expressions in the order of the kernel's parameters.
  ArrayRef<ExprAttr> getScalars() const { return scalars; }
  /// Removes unused parameters; the tensors that stay.
  SmallVector<int64_t> finishParameters();

private:
  FailureOr<Packet> compute(Value value, const Coord &coord, unsigned mask);
  FailureOr<Packet> computeElementwise(Operation *op, const Coord &coord,
                                       unsigned mask);
  FailureOr<Packet> computeIota(IotaOp op, Coord coord);
  FailureOr<Packet> computeConcat(ConcatOp op, Coord coord, unsigned mask);
  FailureOr<Packet> computePad(PadOp op, Coord coord, unsigned mask);
  FailureOr<Packet> computeTake(TakeOp op, Coord coord, unsigned mask);
  FailureOr<Packet> computeGather(GatherOp op, Coord coord, unsigned mask);
  FailureOr<Packet> computeConstant(Attribute attr, Type elementType);
  Coord broadcastCoord(BroadcastOp op, Coord coord);
  Coord sliceCoord(SliceOp op, Coord coord);
  Index lookUp(Packet position, ExprAttr size, unsigned mask);
  /// The bits low <= index < low + size of a dimension, narrowed to `mask`.
  unsigned addRange(const Index &index, ExprAttr low, ExprAttr size,
                    unsigned mask, Packet &bits);
  Packet selectPacket(Packet condition, Packet onTrue, Packet onFalse);

  int64_t getPacketAlignment(const Index &offset, int64_t tensor,
                             int64_t elementBytes);
  FailureOr<Packet> load(unsigned operand, const Coord &coord, unsigned mask);
  /// What is left of an offset without what `shift` aligns; nothing when it
  /// is not such an offset.
  std::optional<Index> dropShifted(const Index &offset, int64_t tensor) const;
  Value loadLanes(Type stored, Value pointer, const Index &offset,
                  const Mask &mask, int64_t bytes);
  Value loadConsecutive(Type stored, Value pointer, const Index &offset,
                        const Mask &mask, int64_t bytes, int64_t alignment);
  Value getCommonPhase(Value pointer, const Index &offset, int64_t bytes);
  Value loadSplit(Type stored, Value pointer, const Index &offset,
                  const Mask &mask, const Atom &splitting, int64_t bytes);
  Value loadPair(Type stored, Value pointer, const Index &offset,
                 const Mask &mask, ArrayRef<Value> isNext, int64_t bytes);
  /// Whether any lane is valid, of those where `except` does not hold.
  Value getUniformPredicate(const Mask &mask, bool safe,
                            ArrayRef<Value> except = {});
  Value getLanePredicate(const Mask &mask, unsigned lane);
  Value andPredicates(Value lhs, Value rhs);
  Value emitLoad(Type type, Value pointer, ValueRange offsets, Value predicate,
                 const Mask *range, int64_t alignment);

  struct Reduced {
    Index position;
    Packet packet;
  };
  DenseMap<Value, Reduced> reduced;
  bool prefetching = false;
  std::vector<Mask> masks{1};
  std::vector<std::map<SmallVector<uintptr_t>, Packet>> memo{1};
  gpu::GPUFuncOp kernel;
  SmallVector<ExprAttr> scalars;
  DenseMap<Attribute, Value> scalarValues;
  Value threadId, blockId;
};

/// What a kind's emitter tells about the launch.
struct LaunchShape {
  SmallVector<ExprAttr, 3> grid;
  int64_t block;
  int64_t scratchBytes = 0;
};

/// Dimensions of a layout from the outermost to the innermost in memory when
/// it is dense, else in logical order.
SmallVector<int64_t> getMemoryOrder(LayoutAttr layout);

/// The emitters of the kinds: fill the (empty) kernel.
FailureOr<LaunchShape> emitPointwise(Emitter &emitter);
FailureOr<LaunchShape> emitTranspose(Emitter &emitter);
/// Row and column kinds.
FailureOr<LaunchShape> emitReduction(Emitter &emitter);

} // namespace mlir::kfuse::tile

#endif
