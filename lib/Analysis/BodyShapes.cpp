//===- BodyShapes.cpp - symbolic sizes in a fusion's body -----------------===//

#include "kfuse/Analysis/BodyShapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Sizes that the type states; null entries where it is dynamic.
static SmallVector<ExprAttr> getStaticSizes(RankedTensorType type) {
  SmallVector<ExprAttr> result;
  for (int64_t dim : type.getShape())
    result.push_back(ShapedType::isDynamic(dim)
                         ? ExprAttr()
                         : ExprAttr::constant(type.getContext(), dim));
  return result;
}

FailureOr<BodyShapes> BodyShapes::compute(FusionOp fusion) {
  BodyShapes result;
  Block &body = fusion.getBody().front();
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), fusion.getOperands()))
    result.sizes[argument] = llvm::to_vector(getLayout(operand).getSizes());
  for (Operation &op : body.without_terminator())
    if (failed(result.visit(op)))
      return failure();
  return result;
}

/// The dimensions that a reduction keeps.
static SmallVector<ExprAttr> dropDims(ArrayRef<ExprAttr> sizes,
                                      ArrayRef<int64_t> dims) {
  SmallVector<ExprAttr> result;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      result.push_back(size);
  return result;
}

LogicalResult BodyShapes::visit(Operation &op) {
  if (op.getNumResults() != 1)
    return failure();
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type)
    return success();
  SmallVector<ExprAttr> shape = getStaticSizes(type);
  auto takeOver = [&](ArrayRef<ExprAttr> from) {
    for (auto [to, size] : llvm::zip(shape, from))
      if (!to)
        to = size;
  };
  if (auto attr = op.getAttrOfType<ArrayAttr>("sizes")) {
    takeOver(getExprs(attr));
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    SmallVector<ExprAttr> from;
    for (int64_t dim : permute.getPermutation())
      from.push_back(getSizes(permute.getSource())[dim]);
    takeOver(from);
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    takeOver(dropDims(getSizes(reduce.getSource()), reduce.getDims()));
  } else if (auto reduce = dyn_cast<ArgReduceOp>(op)) {
    takeOver(dropDims(getSizes(reduce.getSource()), reduce.getDims()));
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    takeOver(getSizes(gather.getIndices()));
  } else if (auto take = dyn_cast<TakeOp>(op)) {
    SmallVector<ExprAttr> from = llvm::to_vector(getSizes(take.getSource()));
    ArrayRef<ExprAttr> indices = getSizes(take.getIndices());
    from.erase(from.begin() + take.getDim());
    from.insert(from.begin() + take.getDim(), indices.begin(), indices.end());
    takeOver(from);
  } else {
    for (Value operand : op.getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        takeOver(getSizes(operand));
  }
  if (llvm::is_contained(shape, ExprAttr()))
    return failure();
  sizes[op.getResult(0)] = std::move(shape);
  return success();
}
