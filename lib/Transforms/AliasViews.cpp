//===- AliasViews.cpp - ATen operators that return views ------------------===//

#include "AliasViews.h"
#include "kfuse/Analysis/ViewStrides.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::kfuse;

static StringRef getName(AtenOp op) {
  auto [space, rest] = op.getTarget().split("::");
  return space == "aten" ? rest.split('.').first : StringRef();
}

/// Operators that always return views.
static bool isView(StringRef name) {
  static const llvm::StringSet<> names = {"alias",
                                          "as_strided",
                                          "chunk",
                                          "detach",
                                          "diagonal",
                                          "expand",
                                          "expand_as",
                                          "lift_fresh",
                                          "movedim",
                                          "narrow",
                                          "permute",
                                          "select",
                                          "slice",
                                          "split",
                                          "split_with_sizes",
                                          "squeeze",
                                          "swapaxes",
                                          "swapdims",
                                          "t",
                                          "transpose",
                                          "unbind",
                                          "unflatten",
                                          "unfold",
                                          "unsqueeze",
                                          "view",
                                          "view_as",
                                          "numpy_T",
                                          "tensor_split",
                                          "hsplit",
                                          "vsplit",
                                          "detach_",
                                          "requires_grad_"};
  return names.contains(name);
}

/// Operators that return their input, or a view of it, where they can.
static bool isMaybeView(StringRef name) {
  static const llvm::StringSet<> names = {
      "contiguous", "dropout", "flatten", "reshape", "reshape_as", "ravel",
      "to",         "type_as", "real",    "imag",    "expand_copy"};
  return names.contains(name);
}

static bool isStatic(LayoutAttr layout) {
  auto isConstant = [](ExprAttr expr) {
    return expr.getConstant().has_value();
  };
  return llvm::all_of(layout.getSizes(), isConstant) &&
         llvm::all_of(layout.getStrides(), isConstant);
}

/// What an operator does with a layout that is known to the last number.
static std::optional<ViewKind> getStaticKind(StringRef name, LayoutAttr source,
                                             LayoutAttr result) {
  bool isView = false;
  if (name == "contiguous")
    isView = source.isContiguous();
  else if (name == "reshape" || name == "reshape_as" || name == "flatten" ||
           name == "ravel")
    isView = computeViewStrides(source.getSizes(), source.getStrides(),
                                result.getSizes())
                 .has_value();
  else
    return std::nullopt;
  return isView ? ViewKind::Alias : ViewKind::None;
}

ViewKind kfuse::getViewKind(AtenOp op) {
  StringRef name = getName(op);
  if (op.getOperands().empty() || op.getNumResults() == 0)
    return ViewKind::None;
  auto source = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!source || !result || !getLayout(source) || !getLayout(result))
    return ViewKind::None;
  if (isView(name))
    return source.getElementType() == result.getElementType()
               ? ViewKind::Alias
               : ViewKind::Unclear;
  if (!isMaybeView(name))
    return ViewKind::None;
  // Another element type: a copy.
  if (source.getElementType() != result.getElementType())
    return ViewKind::None;
  if (name == "dropout")
    if (auto train = dyn_cast_or_null<BoolAttr>(op.getArg("train")))
      return train.getValue() ? ViewKind::None : ViewKind::Alias;
  if (isStatic(getLayout(source)) && !op.getArg("memory_format"))
    if (std::optional<ViewKind> kind =
            getStaticKind(name, getLayout(source), getLayout(result)))
      return *kind;
  if (getLayout(source).isContiguous() && getLayout(result).isContiguous())
    return name == "to" && op.getArg("copy") ? ViewKind::Unclear
                                             : ViewKind::Alias;
  return ViewKind::Unclear;
}

/// Operators whose result has all elements of the source in the same order.
static bool isReshape(StringRef name) {
  static const llvm::StringSet<> names = {
      "alias",      "contiguous", "detach",        "dropout", "flatten",
      "lift_fresh", "reshape",    "squeeze",       "to",      "unsqueeze",
      "view",       "view_as",    "unflatten",     "ravel",   "type_as",
      "reshape_as", "detach_",    "requires_grad_"};
  return names.contains(name);
}

static bool isScatter(StringRef name) {
  return name == "select" || name == "slice";
}

static std::optional<int64_t> getDim(Attribute attr, int64_t rank) {
  auto value = dyn_cast_or_null<IntegerAttr>(attr);
  if (!value || rank == 0)
    return std::nullopt;
  return (value.getInt() + rank) % rank;
}

/// Where each dimension of the result of `op` comes from, when the operator
/// only reorders dimensions.
static std::optional<SmallVector<int64_t>> getPermutation(AtenOp op) {
  StringRef name = getName(op);
  int64_t rank = cast<RankedTensorType>(op.getOperand(0).getType()).getRank();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (name == "t") {
    std::reverse(order.begin(), order.end());
    return order;
  }
  if (name == "transpose") {
    std::optional<int64_t> dim0 = getDim(op.getArg("dim0"), rank);
    std::optional<int64_t> dim1 = getDim(op.getArg("dim1"), rank);
    if (!dim0 || !dim1)
      return std::nullopt;
    std::swap(order[*dim0], order[*dim1]);
    return order;
  }
  auto dims = dyn_cast_or_null<ArrayAttr>(op.getArg("dims"));
  if (name != "permute" || !dims || static_cast<int64_t>(dims.size()) != rank)
    return std::nullopt;
  for (auto [position, attr] : llvm::enumerate(dims)) {
    std::optional<int64_t> dim = getDim(attr, rank);
    if (!dim)
      return std::nullopt;
    order[position] = *dim;
  }
  return order;
}

bool kfuse::canWriteBack(AtenOp op) {
  StringRef name = getName(op);
  if (op.getNumResults() != 1 || (name == "view" && op.getArg("dtype")))
    return false;
  return isReshape(name) || isScatter(name) || getPermutation(op);
}

/// `updated` with the sizes of `source`.
static Value buildReshape(OpBuilder &builder, Location loc, Value source,
                          Value updated) {
  LayoutAttr layout = getLayout(source);
  SmallVector<Attribute> sizes;
  for (ExprAttr size : layout.getSizes()) {
    if (std::optional<int64_t> value = size.getConstant())
      sizes.push_back(builder.getI64IntegerAttr(*value));
    else
      sizes.push_back(size);
  }
  Type type = getTensorType(
      getElementTypeOrSelf(source.getType()),
      LayoutAttr::contiguous(builder.getContext(), layout.getSizes()));
  Attribute args[] = {OperandAttr::get(builder.getContext(), 0),
                      builder.getArrayAttr(sizes)};
  return AtenOp::create(builder, loc, type,
                        builder.getStringAttr("aten::reshape"), updated,
                        builder.getStrArrayAttr({"self", "shape"}),
                        builder.getArrayAttr(args), DenseI64ArrayAttr())
      .getResult(0);
}

/// `updated` with its dimensions in the order of the source of `op`.
static Value buildPermutation(OpBuilder &builder, AtenOp op,
                              ArrayRef<int64_t> order, Value updated) {
  LayoutAttr from = getLayout(updated);
  SmallVector<int64_t> inverse(order.size());
  SmallVector<ExprAttr> sizes(order.size()), strides(order.size());
  for (auto [position, dim] : llvm::enumerate(order)) {
    inverse[dim] = position;
    sizes[dim] = from.getSizes()[position];
    strides[dim] = from.getStrides()[position];
  }
  Type type = getTensorType(
      getElementTypeOrSelf(updated.getType()),
      LayoutAttr::get(builder.getContext(), sizes, strides, from.getOffset()));
  Attribute args[] = {OperandAttr::get(builder.getContext(), 0),
                      builder.getI64ArrayAttr(inverse)};
  return AtenOp::create(builder, op.getLoc(), type,
                        builder.getStringAttr("aten::permute"), updated,
                        builder.getStrArrayAttr({"self", "dims"}),
                        builder.getArrayAttr(args), DenseI64ArrayAttr())
      .getResult(0);
}

/// `source` with the part that `op` views replaced.
static Value buildScatter(OpBuilder &builder, AtenOp op, Value source,
                          Value updated) {
  // The view's arguments after `self` move up by one, behind `src`.
  SmallVector<Attribute> names{builder.getStringAttr("self"),
                               builder.getStringAttr("src")};
  SmallVector<Attribute> args{OperandAttr::get(builder.getContext(), 0),
                              OperandAttr::get(builder.getContext(), 1)};
  SmallVector<Value> operands{source, updated};
  for (auto [name, arg] : llvm::zip(op.getNames(), op.getArgs())) {
    if (cast<StringAttr>(name).getValue() == "self")
      continue;
    names.push_back(name);
    if (auto operand = dyn_cast<OperandAttr>(arg)) {
      args.push_back(OperandAttr::get(builder.getContext(), operands.size()));
      operands.push_back(op.getOperand(operand.getIndex()));
    } else {
      args.push_back(arg);
    }
  }
  StringRef target =
      getName(op) == "select" ? "aten::select_scatter" : "aten::slice_scatter";
  Type type =
      getTensorType(getElementTypeOrSelf(source.getType()),
                    LayoutAttr::contiguous(builder.getContext(),
                                           getLayout(source).getSizes()));
  return AtenOp::create(builder, op.getLoc(), type,
                        builder.getStringAttr(target), operands,
                        builder.getArrayAttr(names), builder.getArrayAttr(args),
                        DenseI64ArrayAttr())
      .getResult(0);
}

Value kfuse::buildWriteBack(OpBuilder &builder, AtenOp op, Value source,
                            Value updated) {
  StringRef name = getName(op);
  if (isScatter(name))
    return buildScatter(builder, op, source, updated);
  if (auto order = getPermutation(op))
    return buildPermutation(builder, op, *order, updated);
  return buildReshape(builder, op.getLoc(), source, updated);
}
