//===- Dialect.cpp - the kfuse dialect ------------------------------------===//
/// Registration and the type helpers that everyone uses.

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

#include "kfuse/Dialect/Kfuse/IR/KfuseDialect.cpp.inc"
#include "kfuse/Dialect/Kfuse/IR/KfuseEnums.cpp.inc"

void KfuseDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "kfuse/Dialect/Kfuse/IR/KfuseOps.cpp.inc"
      >();
}

LayoutAttr kfuse::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

static SmallVector<int64_t> getStaticShape(ArrayRef<ExprAttr> sizes) {
  SmallVector<int64_t> shape;
  for (ExprAttr size : sizes)
    shape.push_back(size.getConstant().value_or(ShapedType::kDynamic));
  return shape;
}

RankedTensorType kfuse::getTensorType(Type elementType, LayoutAttr layout) {
  return RankedTensorType::get(getStaticShape(layout.getSizes()), elementType,
                               layout);
}

RankedTensorType kfuse::getPlainType(Type elementType,
                                     ArrayRef<ExprAttr> sizes) {
  return RankedTensorType::get(getStaticShape(sizes), elementType);
}

RankedTensorType kfuse::getBodyType(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(type.getContext(), integer.getWidth());
  return RankedTensorType::get(type.getShape(), element);
}

SmallVector<ExprAttr> kfuse::getExprs(ArrayAttr exprs) {
  return llvm::to_vector(exprs.getAsRange<ExprAttr>());
}

ArrayAttr kfuse::getExprArray(MLIRContext *context, ArrayRef<ExprAttr> exprs) {
  return ArrayAttr::get(context,
                        SmallVector<Attribute>(exprs.begin(), exprs.end()));
}
