//===- SplitViews.cpp - views with several results or operands ------------===//
/// split, chunk, unbind, meshgrid and their kin become one view for each of
/// their results, and view_as a view of given sizes: a fusion that only views
/// has one operand and one result.

#include "SplitViews.h"
#include "OpContext.h"

using namespace mlir;
using namespace mlir::kfuse;

static int64_t getDim(AtenOp op, int64_t rank) {
  auto attr = dyn_cast_or_null<IntegerAttr>(op.getArg("dim"));
  int64_t dim = attr ? attr.getInt() : 0;
  return dim < 0 ? dim + rank : dim;
}

static Value createPart(OpBuilder &b, AtenOp op, Value self, Type type,
                        StringRef target, ArrayRef<StringRef> names,
                        ArrayRef<Attribute> args) {
  auto part = AtenOp::create(b, op.getLoc(), type, b.getStringAttr(target),
                             self, b.getStrArrayAttr(names),
                             b.getArrayAttr(args), DenseI64ArrayAttr());
  return part.getResult(0);
}

static Attribute getExprOrInt(OpBuilder &b, ExprAttr expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return b.getI64IntegerAttr(*constant);
  return expr;
}

/// Slices that follow one another along the dimension.
static void expandSplit(OpBuilder &b, AtenOp op, Value self, int64_t dim) {
  ExprAttr start = ExprAttr::constant(b.getContext(), 0);
  Attribute operand = OperandAttr::get(b.getContext(), 0);
  for (Value result : op.getResults()) {
    ExprAttr end = ExprAttr::add(start, getLayout(result).getSizes()[dim]);
    if (!result.use_empty())
      result.replaceAllUsesWith(
          createPart(b, op, self, result.getType(), "aten::slice.Tensor",
                     {"self", "dim", "start", "end"},
                     {operand, b.getI64IntegerAttr(dim), getExprOrInt(b, start),
                      getExprOrInt(b, end)}));
    start = end;
  }
}

static void expandUnbind(OpBuilder &b, AtenOp op, Value self, int64_t dim) {
  Attribute operand = OperandAttr::get(b.getContext(), 0);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty())
      result.replaceAllUsesWith(createPart(
          b, op, self, result.getType(), "aten::select.int",
          {"self", "dim", "index"},
          {operand, b.getI64IntegerAttr(dim), b.getI64IntegerAttr(i)}));
}

static bool expandParts(AtenOp op, bool isUnbind) {
  Value self = op.getArgValue("self");
  LayoutAttr layout = self ? getLayout(self) : LayoutAttr();
  if (!layout)
    return false;
  int64_t dim = getDim(op, layout.getRank());
  if (dim < 0 || dim >= layout.getRank())
    return false;
  int64_t rank = layout.getRank() - (isUnbind ? 1 : 0);
  for (Value result : op.getResults())
    if (!getLayout(result) || getLayout(result).getRank() != rank)
      return false;
  OpBuilder b(op);
  if (isUnbind)
    expandUnbind(b, op, self, dim);
  else
    expandSplit(b, op, self, dim);
  op.erase();
  return true;
}

static Attribute getSizes(OpBuilder &b, ArrayRef<ExprAttr> sizes) {
  SmallVector<Attribute> attrs;
  for (ExprAttr size : sizes)
    attrs.push_back(getExprOrInt(b, size));
  return b.getArrayAttr(attrs);
}

/// view_as and its kin take the sizes of another tensor; the recorded result
/// has them too.
static bool expandViewAs(AtenOp op, StringRef target) {
  Value self = op.getArgValue("self");
  if (!self || op.getNumResults() != 1 || !getLayout(self) ||
      !getLayout(op.getResult(0)))
    return false;
  OpBuilder b(op);
  Value result = op.getResult(0);
  Attribute operand = OperandAttr::get(b.getContext(), 0);
  StringRef sizes = target == "aten::reshape" ? "shape" : "size";
  result.replaceAllUsesWith(
      createPart(b, op, self, result.getType(), target, {"self", sizes},
                 {operand, getSizes(b, getLayout(result).getSizes())}));
  op.erase();
  return true;
}

/// Each vector along its own dimension of the grid; `xy` swaps the first two.
static bool expandMeshgrid(AtenOp op) {
  if (op.getNumOperands() != op.getNumResults() || op.getNumResults() == 0)
    return false;
  auto indexing = dyn_cast_or_null<StringAttr>(op.getArg("indexing"));
  bool isSwapped = indexing && indexing.getValue() == "xy";
  int64_t rank = op.getNumResults();
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperands(), op.getResults()))
    if (!getLayout(operand) || getLayout(operand).getRank() > 1 ||
        !getLayout(result) || getLayout(result).getRank() != rank)
      return false;
  OpBuilder b(op);
  Attribute self = OperandAttr::get(b.getContext(), 0);
  for (auto [i, operand, result] :
       llvm::enumerate(op.getOperands(), op.getResults())) {
    if (result.use_empty())
      continue;
    int64_t dim = isSwapped && rank > 1 && i < 2 ? 1 - i : i;
    LayoutAttr grid = getLayout(result);
    SmallVector<ExprAttr> sizes(rank, ExprAttr::constant(b.getContext(), 1));
    SmallVector<ExprAttr> strides(rank, grid.getStrides()[dim]);
    sizes[dim] = grid.getSizes()[dim];
    Type column =
        getTensorType(getElementTypeOrSelf(operand.getType()),
                      LayoutAttr::get(b.getContext(), sizes, strides,
                                      getLayout(operand).getOffset()));
    Value reshaped = createPart(b, op, operand, column, "aten::view",
                                {"self", "size"}, {self, getSizes(b, sizes)});
    result.replaceAllUsesWith(createPart(b, op, reshaped, result.getType(),
                                         "aten::expand", {"self", "size"},
                                         {self, getSizes(b, grid.getSizes())}));
  }
  op.erase();
  return true;
}

bool kfuse::expandViews(AtenOp op) {
  StringRef name = op.getTarget().split('.').first;
  if (name == "aten::unbind")
    return expandParts(op, /*isUnbind=*/true);
  static const StringRef splits[] = {
      "aten::split",        "aten::split_with_sizes",
      "aten::chunk",        "aten::unsafe_split",
      "aten::unsafe_chunk", "aten::unsafe_split_with_sizes",
      "aten::tensor_split"};
  if (llvm::is_contained(splits, name))
    return expandParts(op, /*isUnbind=*/false);
  if (name == "aten::meshgrid")
    return expandMeshgrid(op);
  if (name == "aten::view_as" || name == "aten::reshape_as")
    return expandViewAs(op, "aten::reshape");
  if (name == "aten::expand_as")
    return expandViewAs(op, "aten::expand");
  return false;
}
