//===- PlanMemory.cpp - place intermediate results in one arena -----------===//
/// Linear scan over the program with symbolic sizes: a value takes a free slot
/// whose size provably covers it, or makes a free slot larger, or adds one.
/// Offsets are sums of slot sizes, so they exist once the scan is over.

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "kfuse/Runtime/ABI.h"
#include "kfuse/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

/// Operators whose results never share memory with an operand. Views, `to`,
/// `contiguous`, `reshape`, eval-mode dropout and in-place operators do;
/// unknown ones might.
static bool alwaysAllocates(AtenOp op) {
  static const llvm::StringSet<> names = {
      "addmm",
      "baddbmm",
      "bmm",
      "mm",
      "mv",
      "dot",
      "linear",
      "matmul",
      "conv1d",
      "conv2d",
      "conv3d",
      "convolution",
      "_convolution",
      "scaled_dot_product_attention",
      "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_efficient_attention",
      "embedding",
      "cat",
      "stack",
      "gather",
      "index_select",
      "topk",
      "sort",
      "argsort",
      "cumsum",
      "max_pool2d",
      "max_pool2d_with_indices",
      "avg_pool2d",
      "layer_norm",
      "native_layer_norm",
      "group_norm",
      "softmax",
      "_softmax",
  };
  StringRef target = op.getTarget();
  if (!target.consume_front("aten::"))
    return false;
  return names.contains(target.split('.').first);
}

/// Bytes from element 0 to the end of the last element.
static ExprAttr getByteSize(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  LayoutAttr layout = getLayout(type);
  Type element = type.getElementType();
  bool isComplex = isa<ComplexType>(element);
  if (isComplex)
    element = cast<ComplexType>(element).getElementType();
  int64_t bytes = std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1) *
                  (isComplex ? 2 : 1);
  // A dense layout, in whatever order of dimensions, spans as many elements
  // as it has.
  ExprAttr span = ExprAttr::constant(context, 1);
  SmallVector<bool> used(layout.getRank(), false);
  for (bool found = true; found;) {
    found = false;
    for (int64_t dim = 0; dim < layout.getRank(); ++dim) {
      if (used[dim] || (layout.getStrides()[dim] != span &&
                        !layout.getSizes()[dim].isConstant(1)))
        continue;
      span = ExprAttr::mul(span, layout.getSizes()[dim]);
      used[dim] = found = true;
    }
  }
  if (llvm::is_contained(used, false)) {
    ExprAttr one = ExprAttr::constant(context, 1);
    span = one;
    for (auto [size, stride] :
         llvm::zip(layout.getSizes(), layout.getStrides()))
      span =
          ExprAttr::add(span, ExprAttr::mul(ExprAttr::sub(size, one), stride));
    span = ExprAttr::max(span, ExprAttr::constant(context, 0));
  }
  return ExprAttr::mul(span, bytes);
}

/// Splits `a * b * 12` into its symbolic factors and 12.
static std::pair<SmallVector<ExprAttr>, int64_t> splitProduct(ExprAttr expr) {
  SmallVector<ExprAttr> factors;
  int64_t coefficient = 1;
  ArrayRef<ExprAttr> operands = expr.getKind() == ExprKind::Mul
                                    ? expr.getOperands()
                                    : ArrayRef<ExprAttr>(expr);
  for (ExprAttr operand : operands) {
    if (std::optional<int64_t> value = operand.getConstant())
      coefficient *= *value;
    else
      factors.push_back(operand);
  }
  return {factors, coefficient};
}

/// Whether sizes lhs <= rhs for every value of the symbols. Sizes are not
/// negative, so comparing products needs equal symbolic factors only.
static bool isKnownLE(ExprAttr lhs, ExprAttr rhs) {
  if (lhs == rhs)
    return true;
  auto [lhsFactors, lhsCoefficient] = splitProduct(lhs);
  auto [rhsFactors, rhsCoefficient] = splitProduct(rhs);
  return lhsFactors == rhsFactors && lhsCoefficient <= rhsCoefficient;
}

namespace {
/// A stretch of the arena that holds one value at a time.
struct Slot {
  ExprAttr bytes;
  /// Position of the last reader of the value in it.
  int64_t busyUntil;
};

struct PlanMemoryPass : kfuse::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override;

private:
  void computeLastUses(Block &block);
  /// Last use of `value` and of everything that may share its memory.
  int64_t getLastUse(Value value) const { return lastUse.lookup(value); }
  size_t chooseSlot(ExprAttr bytes, int64_t begin) const;
  void placeResults(Block &block);
  void placeScratch(LaunchOp launch);
  void writeOffsets();

  DenseMap<Operation *, int64_t> position;
  DenseMap<Value, int64_t> lastUse;
  SmallVector<Slot> slots;
  SmallVector<std::pair<OpResult, size_t>> placed;
  SmallVector<std::pair<LaunchOp, size_t>> placedScratch;
};
} // namespace

/// Walks backwards: by the time an operation is seen, the lives of its results
/// are known, and they extend those of the operands they may alias.
void PlanMemoryPass::computeLastUses(Block &block) {
  int64_t count = 0;
  for (Operation &op : block)
    position[&op] = count++;
  for (Operation &op : llvm::reverse(block)) {
    int64_t end = position[&op];
    auto aten = dyn_cast<AtenOp>(op);
    // What is left of a fusion runs as its ATen operations.
    if (isa<ViewOp, FusionOp>(op) || (aten && !alwaysAllocates(aten)))
      for (Value result : op.getResults())
        end = std::max(end, lastUse.lookup(result));
    for (Value operand : op.getOperands()) {
      int64_t &last = lastUse[operand];
      last = std::max(last, end);
    }
  }
}

/// A result that is returned as it is can be written to the caller's memory.
/// What is written back into an argument at the end cannot: all sources of
/// write-backs must have their values from before the first.
static bool isWrittenToOutput(OpResult result) {
  auto function = result.getOwner()->getParentOfType<func::FuncOp>();
  auto mutates = function->getAttrOfType<ArrayAttr>("kfuse.mutates");
  auto isMutation = [&](int64_t index) {
    auto matches = [&](Attribute attr) {
      auto pair = dyn_cast<ArrayAttr>(attr);
      auto number = pair && !pair.empty() ? dyn_cast<IntegerAttr>(pair[0])
                                          : IntegerAttr();
      return number && number.getInt() == index;
    };
    return function.getResultAttr(index, "kfuse.mutates") ||
           (mutates && llvm::any_of(mutates, matches));
  };
  for (OpOperand &use : result.getUses())
    if (isa<func::ReturnOp>(use.getOwner()) &&
        !isMutation(use.getOperandNumber()) &&
        getLayout(result).getOffset().isConstant(0))
      return true;
  return false;
}

/// The arena is reserved before the first step, so its size cannot depend on
/// a symbol that gets its value later. Symbols of the arguments are known.
static llvm::StringSet<> getArgumentSymbols(func::FuncOp function) {
  llvm::StringSet<> symbols;
  auto insert = [&](StringRef name) { symbols.insert(name); };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (LayoutAttr layout = getLayout(type))
      for (ExprAttr size : layout.getSizes())
        size.walkSymbols(insert);
    if (auto name =
            function.getArgAttrOfType<StringAttr>(index, "kfuse.symbol"))
      insert(name);
  }
  return symbols;
}

/// The smallest free slot that covers `bytes`, else a free one that may grow,
/// else a new one; the first of equal ones.
size_t PlanMemoryPass::chooseSlot(ExprAttr bytes, int64_t begin) const {
  size_t covering = slots.size(), growing = slots.size();
  auto isBetter = [&](ExprAttr lhs, ExprAttr rhs) {
    return lhs != rhs && isKnownLE(lhs, rhs);
  };
  for (auto [index, slot] : llvm::enumerate(slots)) {
    if (slot.busyUntil >= begin)
      continue;
    if (isKnownLE(bytes, slot.bytes) &&
        (covering == slots.size() ||
         isBetter(slot.bytes, slots[covering].bytes)))
      covering = index;
    if (isKnownLE(slot.bytes, bytes) &&
        (growing == slots.size() || isBetter(slots[growing].bytes, slot.bytes)))
      growing = index;
  }
  return covering != slots.size() ? covering : growing;
}

void PlanMemoryPass::placeResults(Block &block) {
  llvm::StringSet<> known = getArgumentSymbols(getOperation());
  for (auto launch : block.getOps<LaunchOp>()) {
    int64_t begin = position[launch];
    for (OpResult result : launch->getResults()) {
      if (isWrittenToOutput(result))
        continue;
      ExprAttr bytes = getByteSize(cast<RankedTensorType>(result.getType()));
      bool isKnown = true;
      bytes.walkSymbols(
          [&](StringRef name) { isKnown &= known.contains(name); });
      if (!isKnown)
        continue;
      size_t index = chooseSlot(bytes, begin);
      if (index == slots.size())
        slots.push_back({bytes, 0});
      Slot &slot = slots[index];
      if (isKnownLE(slot.bytes, bytes))
        slot.bytes = bytes;
      // A result that nobody reads is still written by the kernel.
      slot.busyUntil = std::max(begin, getLastUse(result));
      placed.push_back({result, index});
    }
    placeScratch(launch);
  }
}

/// Scratch memory lives as long as the launch.
void PlanMemoryPass::placeScratch(LaunchOp launch) {
  auto bytes = launch->getAttrOfType<IntegerAttr>("kfuse.scratch_bytes");
  if (!bytes)
    return;
  ExprAttr size = ExprAttr::constant(&getContext(), bytes.getInt());
  int64_t begin = position[launch];
  size_t index = chooseSlot(size, begin);
  if (index == slots.size())
    slots.push_back({size, 0});
  Slot &slot = slots[index];
  if (isKnownLE(slot.bytes, size))
    slot.bytes = size;
  slot.busyUntil = begin;
  placedScratch.push_back({launch, index});
}

void PlanMemoryPass::writeOffsets() {
  MLIRContext *context = &getContext();
  SmallVector<ExprAttr> offsets;
  ExprAttr end = ExprAttr::constant(context, 0);
  for (const Slot &slot : slots) {
    offsets.push_back(end);
    ExprAttr blocks = ExprAttr::ceilDiv(slot.bytes, KFUSE_ARENA_ALIGNMENT);
    end = ExprAttr::add(end, ExprAttr::mul(blocks, KFUSE_ARENA_ALIGNMENT));
  }
  DenseMap<Value, ExprAttr> offsetOf;
  for (auto [result, index] : placed)
    offsetOf[result] = offsets[index];
  getOperation().walk([&](LaunchOp launch) {
    SmallVector<Attribute> attrs;
    for (Value result : launch.getResults()) {
      ExprAttr offset = offsetOf.lookup(result);
      attrs.push_back(offset ? Attribute(offset) : UnitAttr::get(context));
    }
    launch->setAttr("kfuse.arena", ArrayAttr::get(context, attrs));
  });
  for (auto &[launch, index] : placedScratch)
    launch->setAttr("kfuse.scratch_offset", offsets[index]);
  getOperation()->setAttr("kfuse.arena_size", end);
}

void PlanMemoryPass::runOnOperation() {
  if (getOperation().isExternal())
    return;
  // The pass object is reused for the next function.
  position.clear();
  lastUse.clear();
  slots.clear();
  placed.clear();
  placedScratch.clear();
  Block &block = getOperation().getBody().front();
  computeLastUses(block);
  placeResults(block);
  writeOffsets();
}
