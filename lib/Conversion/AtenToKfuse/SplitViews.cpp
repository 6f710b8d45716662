//===- SplitViews.cpp - operations that return several views --------------===//
/// split, chunk, unbind and their kin become one slice or select for each of
/// their results, as a fusion that only views has one result.

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

bool kfuse::expandSplitView(AtenOp op) {
  StringRef name = op.getTarget().split('.').first;
  bool isUnbind = name == "aten::unbind";
  static const StringRef splits[] = {
      "aten::split",        "aten::split_with_sizes",
      "aten::chunk",        "aten::unsafe_split",
      "aten::unsafe_chunk", "aten::unsafe_split_with_sizes",
      "aten::tensor_split"};
  if (!isUnbind && !llvm::is_contained(splits, name))
    return false;
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
