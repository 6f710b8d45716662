//===- SpecializeLibraryCalls.cpp - operands that libraries take as is ----===//
/// Rewrites the operands of library calls so that the library needs no
/// conversions of its own, and takes the implementation that it is fastest
/// with. What is added are ordinary operations, captured and fused like others.

#include "kfuse/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_SPECIALIZELIBRARYCALLSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

/// Elements that the rows of a mask start at multiples of: what ATen's
/// memory-efficient attention asks of a mask that it does not copy first
/// (aten/src/ATen/native/transformers/attention.cpp, preprocess_mask).
static constexpr int64_t kMaskRowAlignment = 8;

namespace {
/// Gives attention additive masks instead of boolean ones.
///
/// ATen turns a boolean mask into an additive one at each call, and looks at
/// the strides of what it was given before that: a mask that is broadcast along
/// the keys sends it to the unfused implementation. Here each mask is turned
/// once, dense in its last two dimensions, for all calls that read it.
class AttentionMasks {
public:
  void specialize(AtenOp call);

private:
  Value getAdditive(Value mask, FloatType type, Location loc);
  Value shrink(OpBuilder &builder, Value mask);
  Value convert(OpBuilder &builder, Value mask, FloatType type);

  DenseMap<std::pair<Value, Type>, Value> additive;
};
} // namespace

static AtenOp createCall(OpBuilder &builder, Location loc, StringRef target,
                         Value self, ArrayRef<StringRef> names,
                         ArrayRef<Attribute> args, Type type) {
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> values{OperandAttr::get(context, 0)};
  llvm::append_range(values, args);
  return AtenOp::create(builder, loc, type, builder.getStringAttr(target), self,
                        builder.getStrArrayAttr(names),
                        builder.getArrayAttr(values), DenseI64ArrayAttr());
}

/// The mask without the repetitions along its leading dimensions.
Value AttentionMasks::shrink(OpBuilder &builder, Value mask) {
  ExprAttr one = ExprAttr::constant(builder.getContext(), 1);
  for (int64_t dim = 0; dim + 2 < getLayout(mask).getRank(); ++dim) {
    LayoutAttr layout = getLayout(mask);
    if (!layout.getStrides()[dim].isConstant(0) ||
        layout.getSizes()[dim].isConstant(1))
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
                      {"self", "dim", "start", "end"}, args, type)
               .getResult(0);
  }
  return mask;
}

/// 0 where the mask is true and -inf elsewhere, in `type`. Rows start at
/// multiples of the alignment.
Value AttentionMasks::convert(OpBuilder &builder, Value mask, FloatType type) {
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
  Value value =
      createCall(builder, mask.getLoc(), "aten::where.Scalar", mask,
                 {"condition", "self", "other"}, args,
                 getTensorType(builder.getF32Type(),
                               isWide ? layout
                                      : LayoutAttr::contiguous(context, sizes)))
          .getResult(0);
  if (isWide)
    return value;
  return createCall(builder, mask.getLoc(), "aten::_to_copy", value,
                    {"self", "dtype"}, {TypeAttr::get(type)},
                    getTensorType(type, layout))
      .getResult(0);
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
    value = createCall(builder, loc, "aten::expand", value, {"self", "size"},
                       {builder.getArrayAttr(sizes)}, getTensorType(type, wide))
                .getResult(0);
  }
  return known = value;
}

void AttentionMasks::specialize(AtenOp call) {
  Value query = call.getArgValue("query"), mask = call.getArgValue("attn_mask");
  if (!query || !mask || !getLayout(mask) || !getLayout(query))
    return;
  auto maskType = cast<RankedTensorType>(mask.getType());
  auto type = dyn_cast<FloatType>(
      cast<RankedTensorType>(query.getType()).getElementType());
  if (!maskType.getElementType().isInteger(1) || maskType.getRank() < 2 ||
      !type || !(type.isF32() || type.isBF16() || type.isF16()))
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

namespace {
struct SpecializeLibraryCallsPass
    : kfuse::impl::SpecializeLibraryCallsPassBase<SpecializeLibraryCallsPass> {
  using SpecializeLibraryCallsPassBase::SpecializeLibraryCallsPassBase;

  void runOnOperation() override {
    // Another implementation of the library's rounds differently.
    if (numerics == "eager")
      return;
    AttentionMasks masks;
    getOperation().walk([&](AtenOp op) {
      if (op.getTarget() == "aten::scaled_dot_product_attention")
        masks.specialize(op);
    });
  }
};
} // namespace
