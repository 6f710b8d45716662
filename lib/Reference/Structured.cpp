//===- Structured.cpp - shape and index operations of the evaluator -------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

void reference::forEachPosition(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> position(shape.size(), 0);
  while (true) {
    visit(position);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    for (; dim >= 0; --dim) {
      if (++position[dim] < shape[dim])
        break;
      position[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

int64_t reference::linearize(ArrayRef<int64_t> position,
                             ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [at, size] : llvm::zip_equal(position, shape))
    index = index * size + at;
  return index;
}

namespace {

/// Fills `result` with the elements of `source` that `map` names; it returns
/// false where there is none.
bool gatherElements(
    const DenseTensor &source, DenseTensor &result,
    llvm::function_ref<bool(ArrayRef<int64_t>, SmallVectorImpl<int64_t> &)>
        map) {
  bool isComplete = true;
  result.data.clear();
  forEachPosition(result.shape, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> from(source.shape.size(), 0);
    bool exists = map(position, from);
    for (auto [at, size] : llvm::zip_equal(from, source.shape))
      exists &= at >= 0 && at < size;
    isComplete &= exists;
    result.data.push_back(exists ? source.data[linearize(from, source.shape)]
                                 : Element{0.0});
  });
  return isComplete;
}

LogicalResult evaluateBroadcast(BroadcastOp op, const DenseTensor &source,
                                DenseTensor &result) {
  bool isComplete =
      gatherElements(source, result,
                     [&](ArrayRef<int64_t> at, SmallVectorImpl<int64_t> &from) {
                       for (auto [i, dim] : llvm::enumerate(op.getDims()))
                         from[i] = source.shape[i] == 1 ? 0 : at[dim];
                       return true;
                     });
  return isComplete ? success()
                    : op.emitOpError() << "reads beyond its operand";
}

LogicalResult evaluatePermute(PermuteOp op, const DenseTensor &source,
                              DenseTensor &result) {
  for (auto [i, from] : llvm::enumerate(op.getPermutation()))
    result.shape[i] = source.shape[from];
  gatherElements(source, result,
                 [&](ArrayRef<int64_t> at, SmallVectorImpl<int64_t> &from) {
                   for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
                     from[dim] = at[i];
                   return true;
                 });
  return success();
}

LogicalResult evaluateSlice(SliceOp op, const DenseTensor &source,
                            const Symbols &symbols, DenseTensor &result) {
  FailureOr<SmallVector<int64_t>> starts =
      evaluate(op, op.getStarts(), symbols);
  if (failed(starts))
    return failure();
  bool isComplete =
      gatherElements(source, result,
                     [&](ArrayRef<int64_t> at, SmallVectorImpl<int64_t> &from) {
                       for (auto [i, step] : llvm::enumerate(op.getSteps()))
                         from[i] = (*starts)[i] + at[i] * step;
                       return true;
                     });
  return isComplete ? success()
                    : op.emitOpError() << "reads beyond its operand";
}

LogicalResult evaluatePad(PadOp op, const DenseTensor &source,
                          const DenseTensor &fill, const Symbols &symbols,
                          DenseTensor &result) {
  FailureOr<SmallVector<int64_t>> low = evaluate(op, op.getLow(), symbols);
  if (failed(low))
    return failure();
  forEachPosition(result.shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from(at);
    bool exists = true;
    for (auto [position, pad, size] :
         llvm::zip_equal(from, *low, source.shape)) {
      position -= pad;
      exists &= position >= 0 && position < size;
    }
    result.data.push_back(exists ? source.data[linearize(from, source.shape)]
                                 : fill.data[0]);
  });
  return success();
}

LogicalResult evaluateConcat(ConcatOp op, ArrayRef<const DenseTensor *> sources,
                             DenseTensor &result) {
  int64_t dim = op.getDim(), total = 0;
  for (const DenseTensor *source : sources)
    total += source->shape[dim];
  if (total != result.shape[dim])
    return op.emitOpError() << "expected parts of " << result.shape[dim]
                            << " together, found " << total;
  forEachPosition(result.shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from(at);
    const DenseTensor *const *source = sources.begin();
    for (; from[dim] >= (*source)->shape[dim]; ++source)
      from[dim] -= (*source)->shape[dim];
    result.data.push_back((*source)->data[linearize(from, (*source)->shape)]);
  });
  return success();
}
} // namespace

LogicalResult reference::evaluateShapeOp(Operation *op,
                                         ArrayRef<const DenseTensor *> operands,
                                         const Symbols &symbols,
                                         DenseTensor &result) {
  if (auto size = dyn_cast<SizeOp>(op)) {
    FailureOr<int64_t> value = evaluate(op, size.getExpr(), symbols);
    if (failed(value))
      return failure();
    result.data.push_back({});
    result.data[0].integer = *value;
    return success();
  }
  if (isa<FullOp>(op)) {
    result.data.assign(result.getNumElements(), operands[0]->data[0]);
    return success();
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    forEachPosition(result.shape, [&](ArrayRef<int64_t> at) {
      result.data.push_back({});
      result.data.back().integer = at[iota.getDim()];
    });
    return success();
  }
  if (isa<ReshapeOp>(op)) {
    result.data = operands[0]->data;
    return static_cast<int64_t>(result.data.size()) == result.getNumElements()
               ? success()
               : op->emitOpError() << "changes the number of elements";
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return evaluateBroadcast(broadcast, *operands[0], result);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return evaluatePermute(permute, *operands[0], result);
  if (auto slice = dyn_cast<SliceOp>(op))
    return evaluateSlice(slice, *operands[0], symbols, result);
  if (auto pad = dyn_cast<PadOp>(op))
    return evaluatePad(pad, *operands[0], *operands[1], symbols, result);
  if (auto concat = dyn_cast<ConcatOp>(op))
    return evaluateConcat(concat, operands, result);
  return failure();
}

LogicalResult
reference::evaluateIndexing(Operation *op,
                            ArrayRef<const DenseTensor *> operands,
                            DenseTensor &result) {
  auto take = dyn_cast<TakeOp>(op);
  auto gather = dyn_cast<GatherOp>(op);
  const DenseTensor &source = *operands[0], &indices = *operands[1];
  int64_t dim = take ? take.getDim() : gather.getDim();
  size_t count = indices.shape.size();
  result.shape.clear();
  if (gather) {
    result.shape = indices.shape;
  } else {
    result.shape.append(source.shape.begin(), source.shape.begin() + dim);
    result.shape.append(indices.shape);
    result.shape.append(source.shape.begin() + dim + 1, source.shape.end());
  }
  auto read = [&](ArrayRef<int64_t> at) {
    int64_t index = indices.data[linearize(at, indices.shape)].integer;
    return index < 0 ? index + source.shape[dim] : index;
  };
  bool isComplete = gatherElements(
      source, result,
      [&](ArrayRef<int64_t> at, SmallVectorImpl<int64_t> &from) {
        if (gather) {
          llvm::copy(at, from.begin());
          from[dim] = read(at);
          return true;
        }
        for (int64_t i = 0; i < static_cast<int64_t>(from.size()); ++i)
          from[i] = i < dim ? at[i] : i > dim ? at[i + count - 1] : 0;
        from[dim] = read(at.slice(dim, count));
        return true;
      });
  return isComplete ? success() : op->emitOpError() << "index out of range";
}
