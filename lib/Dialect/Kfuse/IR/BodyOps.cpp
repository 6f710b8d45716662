//===- BodyOps.cpp - operations of fusion bodies --------------------------===//
/// Verifiers: each checks what the op's description states about shapes.

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::kfuse;

#define GET_OP_CLASSES
#include "kfuse/Dialect/Kfuse/IR/KfuseOps.cpp.inc"

/// The result type must be the plain type with these sizes.
static LogicalResult verifySizes(Operation *op, ArrayAttr sizes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType expected =
      getPlainType(type.getElementType(), getExprs(sizes));
  if (type != expected)
    return op->emitOpError()
           << "expected result type " << expected << ", found " << type;
  return success();
}

static LogicalResult verifySameElementType(Operation *op, Type lhs, Type rhs) {
  if (getElementTypeOrSelf(lhs) != getElementTypeOrSelf(rhs))
    return op->emitOpError()
           << "expected equal element types, found " << lhs << " and " << rhs;
  return success();
}

static LogicalResult verifyCount(Operation *op, StringRef what, size_t found,
                                 size_t expected) {
  if (found != expected)
    return op->emitOpError()
           << "expected " << expected << " " << what << ", found " << found;
  return success();
}

static bool isCompatible(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

LogicalResult FullOp::verify() {
  if (failed(verifySameElementType(*this, getValue().getType(), getType())))
    return failure();
  return verifySizes(*this, getSizes());
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.getElementType().isInteger(64))
    return emitOpError() << "expected an i64 result, found " << type;
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError() << "expected a dimension below " << type.getRank()
                         << ", found " << dim;
  return verifySizes(*this, getSizes());
}

LogicalResult RoundOp::verify() {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(getValue().getType()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(getType()));
  if (!from || !to || to.getWidth() >= from.getWidth())
    return emitOpError() << "expected a conversion to a narrower float type, "
                            "found "
                         << getValue().getType() << " to " << getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifySameElementType(*this, source, result)) ||
      failed(verifyCount(*this, "dims", getDims().size(), source.getRank())))
    return failure();
  int64_t previous = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= previous || dim >= result.getRank())
      return emitOpError() << "expected increasing dims below "
                           << result.getRank() << ", found " << dim;
    previous = dim;
    int64_t size = source.getDimSize(i);
    if (size != 1 && !isCompatible(size, result.getDimSize(dim)))
      return emitOpError() << "expected size 1 or " << result.getDimSize(dim)
                           << " in dimension " << i << ", found " << size;
  }
  return verifySizes(*this, getSizes());
}

LogicalResult PermuteOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifySameElementType(*this, source, result)) ||
      failed(verifyCount(*this, "positions", getPermutation().size(),
                         source.getRank())))
    return failure();
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, sorted.size())))
    return emitOpError() << "expected a permutation of the dimensions";
  for (auto [i, from] : llvm::enumerate(getPermutation()))
    if (source.getDimSize(from) != result.getDimSize(i))
      return emitOpError() << "expected size " << source.getDimSize(from)
                           << " in dimension " << i << " of the result, found "
                           << result.getDimSize(i);
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifySameElementType(*this, source, result)))
    return failure();
  if (source.hasStaticShape() && result.hasStaticShape() &&
      source.getNumElements() != result.getNumElements())
    return emitOpError() << "expected " << source.getNumElements()
                         << " elements, found " << result.getNumElements();
  return verifySizes(*this, getSizes());
}

LogicalResult SliceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  size_t rank = source.getRank();
  if (failed(verifySameElementType(*this, source, getType())) ||
      failed(verifyCount(*this, "starts", getStarts().size(), rank)) ||
      failed(verifyCount(*this, "steps", getSteps().size(), rank)) ||
      failed(verifyCount(*this, "sizes", getSizes().size(), rank)))
    return failure();
  if (llvm::is_contained(getSteps(), 0))
    return emitOpError() << "expected steps other than 0";
  return verifySizes(*this, getSizes());
}

LogicalResult ConcatOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (getSources().empty())
    return emitOpError() << "expected at least one source";
  int64_t dim = getDim();
  if (dim < 0 || dim >= result.getRank())
    return emitOpError() << "expected a dimension below " << result.getRank()
                         << ", found " << dim;
  for (Value source : getSources()) {
    auto type = cast<RankedTensorType>(source.getType());
    if (failed(verifySameElementType(*this, type, result)) ||
        failed(verifyCount(*this, "dimensions in each source", type.getRank(),
                           result.getRank())))
      return failure();
    for (int64_t i = 0; i < result.getRank(); ++i)
      if (i != dim && !isCompatible(type.getDimSize(i), result.getDimSize(i)))
        return emitOpError()
               << "expected size " << result.getDimSize(i) << " in dimension "
               << i << " of each source, found " << type.getDimSize(i);
  }
  return verifySizes(*this, getSizes());
}

LogicalResult PadOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  size_t rank = source.getRank();
  if (failed(verifySameElementType(*this, source, getType())) ||
      failed(verifySameElementType(*this, source, getFill().getType())) ||
      failed(verifyCount(*this, "low paddings", getLow().size(), rank)) ||
      failed(verifyCount(*this, "sizes", getSizes().size(), rank)))
    return failure();
  return verifySizes(*this, getSizes());
}

/// Checks `dim` and the index type that take and gather share.
static LogicalResult verifyIndexing(Operation *op, RankedTensorType source,
                                    RankedTensorType indices, int64_t dim) {
  if (dim < 0 || dim >= source.getRank())
    return op->emitOpError() << "expected a dimension below "
                             << source.getRank() << ", found " << dim;
  if (!indices.getElementType().isSignlessInteger())
    return op->emitOpError()
           << "expected integer indices, found " << indices.getElementType();
  return verifySameElementType(op, source, op->getResult(0).getType());
}

LogicalResult TakeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(verifyIndexing(*this, source, indices, getDim())))
    return failure();
  return verifyCount(*this, "result dimensions",
                     cast<RankedTensorType>(getType()).getRank(),
                     source.getRank() - 1 + indices.getRank());
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(verifyIndexing(*this, source, indices, getDim())))
    return failure();
  return verifyCount(*this, "index dimensions", indices.getRank(),
                     source.getRank());
}

static LogicalResult verifyReduction(Operation *op, RankedTensorType source,
                                     RankedTensorType result,
                                     ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(source.getShape());
  int64_t previous = source.getRank();
  for (int64_t dim : llvm::reverse(dims)) {
    if (dim < 0 || dim >= previous)
      return op->emitOpError()
             << "expected increasing dims below " << source.getRank();
    previous = dim;
    shape.erase(shape.begin() + dim);
  }
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError() << "expected the result to lack the dims of the "
                                "source that are reduced, found "
                             << result;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (failed(verifySameElementType(*this, source, getType())))
    return failure();
  return verifyReduction(*this, source, cast<RankedTensorType>(getType()),
                         getDims());
}

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError() << "expected kind max or min";
  auto result = cast<RankedTensorType>(getType());
  if (!result.getElementType().isInteger(64))
    return emitOpError() << "expected an i64 result, found " << result;
  return verifyReduction(*this, cast<RankedTensorType>(getSource().getType()),
                         result, getDims());
}
