//===- AttentionMasks.cpp - additive masks for attention ------------------===//

#include "LibraryCalls.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Elements that the rows of a mask start at multiples of: what ATen's
/// memory-efficient attention asks of a mask that it does not copy first
/// (aten/src/ATen/native/transformers/attention.cpp, preprocess_mask).
static constexpr int64_t kMaskRowAlignment = 8;

/// The mask without the repetitions along its leading dimensions.
static Value shrink(OpBuilder &builder, Value mask) {
  ExprAttr one = ExprAttr::constant(builder.getContext(), 1);
  for (int64_t dim = 0; dim + 2 < getLayout(mask).getRank(); ++dim) {
    LayoutAttr layout = getLayout(mask);
    // A size that is not known may be 0.
    bool isRepeated = layout.getSizes()[dim].getConstant().value_or(0) > 1;
    if (!layout.getStrides()[dim].isConstant(0) || !isRepeated)
      continue;
    SmallVector<ExprAttr> sizes(layout.getSizes());
    sizes[dim] = one;
    auto type =
        getTensorType(cast<RankedTensorType>(mask.getType()).getElementType(),
                      LayoutAttr::get(builder.getContext(), sizes,
                                      layout.getStrides(), layout.getOffset()));
    Attribute args[] = {builder.getI64IntegerAttr(dim),
                        builder.getI64IntegerAttr(0),
                        builder.getI64IntegerAttr(1)};
    mask = createCall(builder, mask.getLoc(), "aten::slice.Tensor", mask,
                      {"self", "dim", "start", "end"}, args, type);
  }
  return mask;
}

/// 0 where the mask is true and -inf elsewhere, in `type`. Rows start at
/// multiples of the alignment.
static Value convert(OpBuilder &builder, Value mask, FloatType type) {
  MLIRContext *context = builder.getContext();
  SmallVector<ExprAttr> sizes(getLayout(mask).getSizes());
  SmallVector<ExprAttr> padded = sizes;
  padded.back() = ExprAttr::mul(
      ExprAttr::ceilDiv(sizes.back(), kMaskRowAlignment), kMaskRowAlignment);
  SmallVector<ExprAttr> strides(
      LayoutAttr::contiguous(context, padded).getStrides());
  LayoutAttr layout =
      LayoutAttr::get(context, sizes, strides, ExprAttr::constant(context, 0));
  double infinity = std::numeric_limits<double>::infinity();
  Attribute args[] = {builder.getF64FloatAttr(0),
                      builder.getF64FloatAttr(-infinity)};
  bool isWide = type.isF32();
  Value value = createCall(
      builder, mask.getLoc(), "aten::where.Scalar", mask,
      {"condition", "self", "other"}, args,
      getTensorType(builder.getF32Type(),
                    isWide ? layout : LayoutAttr::contiguous(context, sizes)));
  if (isWide)
    return value;
  return createCall(builder, mask.getLoc(), "aten::_to_copy", value,
                    {"self", "dtype"}, {TypeAttr::get(type)},
                    getTensorType(type, layout));
}

Value AttentionMasks::getAdditive(Value mask, FloatType type, Location loc) {
  Value &known = additive[{mask, type}];
  if (known)
    return known;
  OpBuilder builder(mask.getContext());
  builder.setInsertionPointAfterValue(mask);
  LayoutAttr layout = getLayout(mask);
  Value narrow = shrink(builder, mask);
  Value value = convert(builder, narrow, type);
  if (narrow != mask) {
    SmallVector<ExprAttr> strides(getLayout(value).getStrides());
    SmallVector<Attribute> sizes;
    for (auto [dim, size] : llvm::enumerate(layout.getSizes())) {
      sizes.push_back(size);
      if (getLayout(value).getSizes()[dim] != size)
        strides[dim] = ExprAttr::constant(mask.getContext(), 0);
    }
    LayoutAttr wide = LayoutAttr::get(mask.getContext(), layout.getSizes(),
                                      strides, getLayout(value).getOffset());
    value =
        createCall(builder, loc, "aten::expand", value, {"self", "size"},
                   {builder.getArrayAttr(sizes)}, getTensorType(type, wide));
  }
  return known = value;
}

/// True when query `i` sees key `j` exactly for `j <= i`.
static bool isCausal(const IndexFunction &function) {
  ArrayRef<ExprAttr> coefficients = function.coefficients;
  return coefficients.size() >= 2 && function.constant.isConstant(0) &&
         coefficients.back().isConstant(-1) &&
         coefficients.drop_back().back().isConstant(1) &&
         llvm::all_of(coefficients.drop_back(2), [](ExprAttr coefficient) {
           return coefficient.isConstant(0);
         });
}

bool AttentionMasks::dropMask(AtenOp call, Value mask) {
  std::optional<IndexFunction> function = functions.find(mask);
  if (!function)
    return false;
  bool hidesNothing = function->getTruth() == true;
  if (!hidesNothing && !isCausal(*function))
    return false;
  remark::passed(call.getLoc(),
                 remark::RemarkOpts::name("no-mask").category("kfuse-library"))
      << remark::metric("op", call.getTarget().str())
      << remark::reason("{0}", hidesNothing
                                   ? "the mask is true everywhere"
                                   : "the mask is causal whatever the inputs");
  replaceArgument(call, "attn_mask", hidesNothing ? "" : "is_causal");
  dropped.insert(mask);
  return true;
}

void AttentionMasks::finish() {
  // Operations whose values are known, and nothing else: others may define
  // sizes, too.
  llvm::SetVector<AtenOp> computed;
  auto add = [&](Value value) {
    auto op = value.getDefiningOp<AtenOp>();
    if (op && functions.find(value))
      computed.insert(op);
  };
  llvm::for_each(dropped, add);
  for (size_t i = 0; i < computed.size(); ++i)
    llvm::for_each(AtenOp(computed[i])->getOperands(), add);
  SmallVector<AtenOp> ops = computed.takeVector();
  llvm::sort(ops,
             [](AtenOp lhs, AtenOp rhs) { return rhs->isBeforeInBlock(lhs); });
  for (AtenOp op : ops)
    if (op->use_empty())
      op.erase();
}

void AttentionMasks::specialize(AtenOp call) {
  Value query = call.getArgValue("query"), mask = call.getArgValue("attn_mask");
  if (!query || !mask || !getLayout(mask) || !getLayout(query))
    return;
  auto maskType = cast<RankedTensorType>(mask.getType());
  auto type = dyn_cast<FloatType>(
      cast<RankedTensorType>(query.getType()).getElementType());
  if (!maskType.getElementType().isInteger(1) || maskType.getRank() < 2 ||
      !type || !(type.isF32() || type.isBF16() || type.isF16()) ||
      dropMask(call, mask))
    return;
  Value value = getAdditive(mask, type, call.getLoc());
  // The same value may be another operand too.
  for (auto [name, arg] : llvm::zip_equal(call.getNames(), call.getArgs()))
    if (cast<StringAttr>(name) == "attn_mask")
      call->setOperand(cast<OperandAttr>(arg).getIndex(), value);
  remark::passed(
      call.getLoc(),
      remark::RemarkOpts::name("additive-mask").category("kfuse-library"))
      << remark::metric("op", call.getTarget().str())
      << remark::reason("the boolean mask is converted once for all calls");
}
