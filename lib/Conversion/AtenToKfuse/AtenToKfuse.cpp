//===- AtenToKfuse.cpp - capture ATen operations as fusions ---------------===//
/// Each operation that the registry knows becomes a fusion of its own. Nothing
/// is captured unless all of its arguments were understood and its results
/// have the recorded types.

#include "Registry.h"
#include "SplitViews.h"
#include "kfuse/Analysis/FusionGroup.h"
#include "kfuse/Conversion/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include <thread>

namespace mlir::kfuse {
#define GEN_PASS_DEF_CONVERTATENTOKFUSEPASS
#include "kfuse/Conversion/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// Class and reason of an operation that stays as it is.
constexpr StringLiteral kClassAttr = "kfuse.fallback_class";
constexpr StringLiteral kReasonAttr = "kfuse.fallback_reason";

/// Turns one operation into a fusion.
class Capture {
public:
  explicit Capture(AtenOp op) : op(op) {}

  /// Replaces the operation, or says why not.
  LogicalResult run(std::string &reason);

private:
  LogicalResult collect(std::string &reason);
  LogicalResult buildBody(const BodyFunction &function, std::string &reason);
  LogicalResult checkResult(Tensor &value, unsigned index, std::string &reason);
  void buildGeneric();
  Attribute remap(Attribute attr);

  AtenOp op;
  FusionOp fusion;
  SmallVector<Value> operands;         ///< of the fusion, without repetition
  SmallVector<unsigned> resultIndices; ///< results of `op` that are read
  bool isView = false;
};

/// Elements of one result must not share a place in memory.
bool overlaps(LayoutAttr layout) {
  for (auto [size, stride] :
       llvm::zip_equal(layout.getSizes(), layout.getStrides()))
    if (stride.isConstant(0) && !size.isConstant(1) && !size.isConstant(0))
      return true;
  return false;
}

LogicalResult Capture::collect(std::string &reason) {
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()) && getLayout(operand) &&
        !llvm::is_contained(operands, operand))
      operands.push_back(operand);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (!isa<RankedTensorType>(result.getType()) || !getLayout(result)) {
      reason = "a result is no tensor with a layout";
      return failure();
    }
    if (!result.use_empty())
      resultIndices.push_back(i);
  }
  if (op.getNumResults() == 0) {
    reason = "there is no result";
    return failure();
  }
  if (resultIndices.empty())
    resultIndices.push_back(0);
  return success();
}

LogicalResult Capture::checkResult(Tensor &value, unsigned index,
                                   std::string &reason) {
  auto type = cast<RankedTensorType>(op.getResult(index).getType());
  llvm::raw_string_ostream os(reason);
  if (getDType(type.getElementType()) != value.dtype ||
      value.value.getType() != getBodyType(type)) {
    os << "expected result " << index << " of type " << value.value.getType()
       << ", found " << type;
    return failure();
  }
  return success();
}

LogicalResult Capture::buildBody(const BodyFunction &function,
                                 std::string &reason) {
  Block &block = fusion.getBody().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Value> arguments;
  for (Value operand : operands)
    block.addArgument(getBodyType(cast<RankedTensorType>(operand.getType())),
                      operand.getLoc());
  for (Value operand : op.getOperands()) {
    auto it = llvm::find(operands, operand);
    arguments.push_back(it == operands.end()
                            ? Value()
                            : block.getArgument(it - operands.begin()));
  }
  OpContext context(op, builder, arguments);
  function(context);
  std::string unread = context.getUnreadArgument();
  if (!context.failed() && !unread.empty())
    (void)context.fail("argument '" + unread + "' is not understood");
  if (!context.failed() && context.getResults().size() != op.getNumResults())
    (void)context.fail("expected " + Twine(op.getNumResults()) +
                       " results, found " + Twine(context.getResults().size()));
  if (context.failed()) {
    reason = context.getReason().str();
    return failure();
  }
  // Whoever copies a view copies what its first operand needs, no more.
  isView = context.isView() && operands.size() == 1;
  SmallVector<Value> yielded;
  for (unsigned index : resultIndices) {
    Tensor value = context.getResults()[index];
    if (failed(checkResult(value, index, reason)))
      return failure();
    if (!isView && overlaps(getLayout(op.getResult(index)))) {
      reason = "elements of the result overlap";
      return failure();
    }
    yielded.push_back(value.value);
  }
  YieldOp::create(builder, op.getLoc(), yielded);
  return success();
}

/// References to operands of the original, in terms of the fusion's: symbolic
/// integers become expressions, since only tensors enter a fusion.
Attribute Capture::remap(Attribute attr) {
  MLIRContext *context = op.getContext();
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    SmallVector<Attribute> elements;
    for (Attribute element : list)
      elements.push_back(remap(element));
    return ArrayAttr::get(context, elements);
  }
  auto operand = dyn_cast<OperandAttr>(attr);
  if (!operand)
    return attr;
  Value value = op.getOperands()[operand.getIndex()];
  auto it = llvm::find(operands, value);
  if (it == operands.end()) {
    ExprAttr expr = getExpr(value);
    return expr ? Attribute(expr) : Attribute();
  }
  return OperandAttr::get(context, it - operands.begin());
}

void Capture::buildGeneric() {
  Block &block = fusion.getGeneric().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  for (Value operand : operands)
    block.addArgument(operand.getType(), operand.getLoc());
  auto copy = AtenOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getTargetAttr(),
      block.getArguments(), op.getNamesAttr(),
      cast<ArrayAttr>(remap(op.getArgs())), op.getResultGroupsAttr());
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<Value> yielded;
  for (unsigned index : resultIndices)
    yielded.push_back(copy.getResult(index));
  YieldOp::create(builder, op.getLoc(), yielded);
}

/// True when the fusion obeys the rules of its operations. A program whose
/// sizes contradict each other is not captured; what is wrong with the body is
/// of no use to anyone.
bool isValid(FusionOp fusion) {
  std::thread::id self = std::this_thread::get_id();
  ScopedDiagnosticHandler silence(fusion.getContext(), [&](Diagnostic &) {
    return success(std::this_thread::get_id() == self);
  });
  return succeeded(verify(fusion));
}

LogicalResult Capture::run(std::string &reason) {
  const BodyFunction *function = Registry::get().find(op.getTarget());
  if (!function) {
    StringRef known = getKnownReason(op.getTarget());
    reason = known.empty() ? "the operation has no kernel" : known.str();
    return failure();
  }
  if (op.getArg("out")) {
    reason = "results are written to an argument";
    return failure();
  }
  if (failed(collect(reason)))
    return failure();
  // The generic form needs all integers as expressions.
  for (Value operand : op.getOperands())
    if (!llvm::is_contained(operands, operand) && !getExpr(operand)) {
      reason = "an operand is neither a tensor nor an expression of sizes";
      return failure();
    }
  SmallVector<Type> types;
  for (unsigned index : resultIndices)
    types.push_back(op.getResult(index).getType());
  OpBuilder builder(op);
  fusion = FusionOp::create(builder, op.getLoc(), types, operands,
                            FusionKindAttr(), ArrayAttr());
  if (failed(buildBody(*function, reason))) {
    fusion.erase();
    return failure();
  }
  buildGeneric();
  if (!isValid(fusion)) {
    fusion.erase();
    reason = "sizes or types of arguments and results do not fit together";
    return failure();
  }
  if (isView)
    fusion->setAttr(kViewAttrName, builder.getUnitAttr());
  for (auto [index, result] :
       llvm::zip_equal(resultIndices, fusion.getResults()))
    op.getResult(index).replaceAllUsesWith(result);
  op.erase();
  return success();
}

struct ConvertAtenToKfusePass
    : kfuse::impl::ConvertAtenToKfusePassBase<ConvertAtenToKfusePass> {
  void runOnOperation() override {
    collectOps([](AtenOp op) { expandViews(op); });
    collectOps([&](AtenOp op) { convert(op); });
  }

private:
  /// Calls `visit` for each operation of the program; it may be erased.
  void collectOps(llvm::function_ref<void(AtenOp)> visit) {
    SmallVector<AtenOp> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<FusionOp>(op))
        return WalkResult::skip();
      if (auto aten = dyn_cast<AtenOp>(op))
        ops.push_back(aten);
      return WalkResult::advance();
    });
    for (AtenOp op : ops)
      visit(op);
  }

  void convert(AtenOp op) {
    if (isNoise(op.getTarget()))
      return;
    if (isLibraryOp(op.getTarget()))
      return keep(op, "library", "a library call is the planned way");
    std::string reason;
    if (failed(Capture(op).run(reason)))
      keep(op, "unsupported", reason);
  }

  void keep(AtenOp op, StringRef fallbackClass, StringRef reason) {
    Builder b(&getContext());
    op->setAttr(kClassAttr, b.getStringAttr(fallbackClass));
    op->setAttr(kReasonAttr, b.getStringAttr(reason));
    remark::missed(op.getLoc(), remark::RemarkOpts::name("not-captured")
                                    .category("kfuse-fallback")
                                    .function(getOperation().getName()))
        << remark::metric("op", op.getTarget().str())
        << remark::metric("class", fallbackClass.str())
        << remark::reason("{0}", reason.str());
  }
};
} // namespace
