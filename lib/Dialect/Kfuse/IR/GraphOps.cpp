//===- GraphOps.cpp - operations of the program graph ---------------------===//

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::kfuse;

//===----------------------------------------------------------------------===//
// AtenOp
//===----------------------------------------------------------------------===//

Attribute AtenOp::getArg(StringRef name) {
  for (auto [key, value] : llvm::zip(getNames(), getArgs()))
    if (cast<StringAttr>(key).getValue() == name)
      return value;
  return {};
}

Value AtenOp::getArgValue(StringRef name) {
  if (auto operand = dyn_cast_or_null<OperandAttr>(getArg(name)))
    return getOperands()[operand.getIndex()];
  return {};
}

/// Checks that operand references are in range, in lists too.
static LogicalResult verifyArgument(AtenOp op, Attribute attr) {
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    for (Attribute element : list)
      if (failed(verifyArgument(op, element)))
        return failure();
    return success();
  }
  auto operand = dyn_cast<OperandAttr>(attr);
  if (operand && operand.getIndex() >= op.getOperands().size())
    return op.emitOpError()
           << "argument refers to operand " << operand.getIndex()
           << ", but there are only " << op.getOperands().size();
  return success();
}

LogicalResult AtenOp::verify() {
  if (!getTarget().contains("::"))
    return emitOpError() << "expected a target such as 'aten::add.Tensor', "
                            "found '"
                         << getTarget() << "'";
  if (getNames().size() != getArgs().size())
    return emitOpError() << "expected as many names as args, found "
                         << getNames().size() << " and " << getArgs().size();
  for (Attribute attr : getArgs())
    if (failed(verifyArgument(*this, attr)))
      return failure();
  if (!getResultGroups())
    return success();
  int64_t count = 0;
  for (int64_t group : getResultGroupsAttr().asArrayRef())
    count += group == -1 ? 1 : std::max<int64_t>(group, 0);
  if (count != static_cast<int64_t>(getNumResults()))
    return emitOpError() << "result_groups describe " << count
                         << " values, found " << getNumResults() << " results";
  return success();
}

//===----------------------------------------------------------------------===//
// FusionOp and LaunchOp
//===----------------------------------------------------------------------===//

/// Checks one region of a fusion: `convert` maps an operand or result type to
/// the type that the region's argument or yielded value must have.
static LogicalResult
verifyRegion(Operation *op, Region &region, StringRef name,
             llvm::function_ref<Type(RankedTensorType)> convert) {
  Block &block = region.front();
  if (block.getNumArguments() != op->getNumOperands())
    return op->emitOpError()
           << "expected " << op->getNumOperands() << " arguments of '" << name
           << "', found " << block.getNumArguments();
  for (auto [index, argument, operand] :
       llvm::enumerate(block.getArguments(), op->getOperands())) {
    Type expected = convert(cast<RankedTensorType>(operand.getType()));
    if (argument.getType() != expected)
      return op->emitOpError() << "expected argument " << index << " of '"
                               << name << "' to have type " << expected
                               << ", found " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != op->getNumResults())
    return op->emitOpError() << "expected '" << name << "' to yield "
                             << op->getNumResults() << " values";
  for (auto [index, value, result] :
       llvm::enumerate(yield.getOperands(), op->getResults())) {
    Type expected = convert(cast<RankedTensorType>(result.getType()));
    if (value.getType() != expected)
      return op->emitOpError()
             << "expected value " << index << " yielded by '" << name
             << "' to have type " << expected << ", found " << value.getType();
  }
  return success();
}

static LogicalResult verifyLayouts(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (!getLayout(type))
      return op->emitOpError()
             << "expected operands with a layout, found " << type;
  for (Type type : op->getResultTypes())
    if (!getLayout(type))
      return op->emitOpError()
             << "expected results with a layout, found " << type;
  return success();
}

/// Shapes and element types must agree; what layout a generic operation
/// returns is its own business (the runtime copies when it differs).
static Type dropEncoding(RankedTensorType type) { return type; }

LogicalResult FusionOp::verify() {
  if (failed(verifyLayouts(*this)) ||
      failed(verifyRegion(
          *this, getBody(), "body",
          [](RankedTensorType type) -> Type { return getBodyType(type); })))
    return failure();
  return verifyRegion(*this, getGeneric(), "generic", dropEncoding);
}

void FusionOp::getAsmResultNames(OpAsmSetValueNameFn setName) {}

LogicalResult LaunchOp::verify() {
  if (failed(verifyLayouts(*this)))
    return failure();
  if (getVariants().empty())
    return emitOpError() << "expected at least one variant";
  for (Attribute attr : getVariants())
    if (!isa<VariantAttr>(attr))
      return emitOpError() << "expected #kfuse.variant, found " << attr;
  if (!cast<VariantAttr>(getVariants().getValue().back()).getGuards().empty())
    return emitOpError() << "expected the last variant to have no guards";
  return verifyRegion(*this, getGeneric(), "generic", dropEncoding);
}
