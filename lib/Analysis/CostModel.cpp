//===- CostModel.cpp - what a group of fusions costs ----------------------===//

#include "kfuse/Analysis/CostModel.h"
#include "kfuse/Analysis/BodyShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Hint for a symbol without a narrower range.
static constexpr int64_t kDefaultHint = 512;

SizeHints::SizeHints(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto symbols =
      module ? module->getAttrOfType<ArrayAttr>("kfuse.symbols") : ArrayAttr();
  if (!symbols)
    return;
  for (auto symbol : symbols.getAsRange<DictionaryAttr>()) {
    auto name = symbol.getAs<StringAttr>("name");
    if (!name)
      continue;
    int64_t hint = kDefaultHint;
    if (auto max = symbol.getAs<IntegerAttr>("max"))
      hint = std::min(hint, max.getInt());
    if (auto min = symbol.getAs<IntegerAttr>("min"))
      hint = std::max(hint, min.getInt());
    hints[name.getValue()] = hint;
  }
}

double SizeHints::evaluate(ExprAttr expr) const {
  std::optional<int64_t> value =
      expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
        auto it = hints.find(name);
        return it == hints.end() ? kDefaultHint : it->second;
      });
  return value ? std::max<double>(*value, 0) : 1e18;
}

/// Bytes of the distinct elements of a tensor: an expanded dimension repeats
/// the same ones.
static double getBytes(Value value, const SizeHints &hints) {
  LayoutAttr layout = getLayout(value);
  double bytes = llvm::divideCeil(
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), 8);
  for (auto [size, stride] :
       llvm::zip_equal(layout.getSizes(), layout.getStrides()))
    if (!stride.isConstant(0))
      bytes *= hints.evaluate(size);
  return bytes;
}

/// Instructions for one element, roughly.
static double getWeight(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<math::TanhOp, math::ErfOp, math::PowFOp>([](auto) { return 20.0; })
      .Case<math::SinOp, math::CosOp, math::TanOp, math::AtanOp, math::Atan2Op,
            math::AcosOp, math::AsinOp>([](auto) { return 25.0; })
      .Case<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
            math::Log10Op, math::Log1pOp>([](auto) { return 10.0; })
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp, arith::RemFOp,
            arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return 10.0; })
      .Case<arith::ConstantOp, FullOp, SizeOp, BroadcastOp, PermuteOp, SliceOp>(
          [](auto) { return 0.0; })
      .Case<ReshapeOp, ConcatOp, PadOp, TakeOp, GatherOp>(
          [](auto) { return 4.0; })
      .Default([](Operation *) { return 1.0; });
}

namespace {
/// Walks a group backwards and counts how often each value is computed.
class WorkCounter {
public:
  WorkCounter(const FusionGroup &group, const SizeHints &hints)
      : group(group), hints(hints) {}

  double count() {
    for (Value output : group.getOutputs())
      raise(getYielded(output),
            hints.evaluate(getLayout(output).getNumElements()));
    double flops = 0;
    for (FusionOp member : llvm::reverse(group.getMembers()))
      flops += countMember(member);
    return flops;
  }

private:
  static Value getYielded(Value result) {
    auto producer = cast<FusionOp>(result.getDefiningOp());
    return producer.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(result).getResultNumber());
  }

  void raise(Value value, double times) {
    double &current = counts[value];
    current = std::max(current, times);
  }

  double countMember(FusionOp fusion) {
    FailureOr<BodyShapes> shapes = BodyShapes::compute(fusion);
    double flops = 0;
    Block &body = fusion.getBody().front();
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      double times = 0;
      for (Value result : op.getResults())
        times = std::max(times, counts.lookup(result));
      // A reduction works on each element that it reads.
      if (isa<ReduceOp, ArgReduceOp>(op) && succeeded(shapes))
        times = hints.evaluate(shapes->getNumElements(op.getOperand(0)));
      flops += times * getWeight(&op);
      for (Value operand : op.getOperands())
        raise(operand, times);
    }
    for (auto [operand, argument] :
         llvm::zip_equal(fusion.getOperands(), body.getArguments()))
      passToProducer(operand, counts.lookup(argument));
    return flops;
  }

  /// Hands a count to the member that computes `operand`, through views.
  void passToProducer(Value operand, double times) {
    if (!group.getProducer(operand))
      return;
    while (!group.contains(operand.getDefiningOp()))
      operand = operand.getDefiningOp()->getOperand(0);
    raise(getYielded(operand), times);
  }

  const FusionGroup &group;
  const SizeHints &hints;
  DenseMap<Value, double> counts;
};
} // namespace

FusionCost kfuse::estimateCost(const FusionGroup &group,
                               const TargetInfo &target,
                               const SizeHints &hints) {
  FusionCost cost;
  for (Value input : group.getInputs())
    cost.bytes += getBytes(input, hints);
  for (Value output : group.getOutputs())
    cost.bytes += getBytes(output, hints);
  cost.flops = WorkCounter(group, hints).count();
  double memory = cost.bytes / target.memoryBytesPerMicrosecond;
  double compute = cost.flops / target.flopsPerMicrosecond;
  cost.microseconds =
      std::max(memory, compute) + target.launchNanoseconds / 1000.0;
  return cost;
}
