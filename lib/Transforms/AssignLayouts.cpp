//===- AssignLayouts.cpp - physical order of what fusions compute ---------===//
/// Eager PyTorch lets the result of an element-wise operation take the strides
/// of its operands, so that one transposition at the start of a model gives all
/// that follows transposed rows. Values that only kernels and products read
/// need not be like that.

#include "kfuse/Analysis/FusionGroup.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

/// Library calls whose results have the same strides whatever those of their
/// operands, and that read rows best.
static bool isProduct(AtenOp op) {
  static constexpr StringLiteral targets[] = {
      "aten::linear", "aten::addmm", "aten::mm", "aten::bmm", "aten::matmul"};
  return llvm::is_contained(targets, op.getTarget());
}

static bool isRowFusion(Operation *op) {
  auto fusion = dyn_cast<FusionOp>(op);
  return fusion && fusion.getKind() == FusionKind::Row;
}

/// True when the strides are those of row-major order in another order of the
/// dimensions, without gaps.
static bool isPermuted(LayoutAttr layout) {
  if (layout.isContiguous() || !layout.getOffset().isConstant(0))
    return false;
  MLIRContext *context = layout.getContext();
  SmallVector<unsigned> left;
  for (auto [dim, size] : llvm::enumerate(layout.getSizes()))
    if (!size.isConstant(1))
      left.push_back(dim);
  ExprAttr expected = ExprAttr::constant(context, 1);
  while (!left.empty()) {
    auto *next = llvm::find_if(left, [&](unsigned dim) {
      return layout.getStrides()[dim] == expected;
    });
    if (next == left.end())
      return false;
    expected = ExprAttr::mul(expected, layout.getSizes()[*next]);
    left.erase(next);
  }
  return true;
}

/// True when an operation behind the fusion looks at the storage of an operand
/// rather than at its elements.
static bool readsStorage(FusionOp fusion) {
  return llvm::any_of(fusion.getGeneric().getOps<AtenOp>(), [](AtenOp op) {
    return op.getTarget().starts_with("aten::as_strided");
  });
}

/// True when rows along the last dimension are spread out in memory, a kernel
/// works row by row, and nobody depends on the strides.
static bool wantsRows(OpResult result) {
  LayoutAttr layout = getLayout(result);
  if (!layout || layout.getRank() == 0 || result.use_empty() ||
      !isPermuted(layout))
    return false;
  bool isRow = isRowFusion(result.getOwner());
  for (Operation *user : result.getUsers()) {
    auto aten = dyn_cast<AtenOp>(user);
    auto fusion = dyn_cast<FusionOp>(user);
    if (fusion ? isViewFusion(fusion) || readsStorage(fusion)
               : !(aten && isProduct(aten)))
      return false;
    isRow |= isRowFusion(user);
  }
  return isRow;
}

/// Gives `result` the type, and its names in the generic forms of the producer
/// and the users.
static void setType(OpResult result, Type type) {
  result.setType(type);
  auto producer = cast<FusionOp>(result.getOwner());
  Operation *yield = producer.getGeneric().front().getTerminator();
  yield->getOperand(result.getResultNumber()).setType(type);
  for (OpOperand &use : result.getUses())
    if (auto user = dyn_cast<FusionOp>(use.getOwner()))
      user.getGeneric()
          .front()
          .getArgument(use.getOperandNumber())
          .setType(type);
}

/// True when the generic form names the result once, and computes it itself.
static bool hasOwnGenericValue(OpResult result) {
  auto producer = cast<FusionOp>(result.getOwner());
  Operation *yield = producer.getGeneric().front().getTerminator();
  Value value = yield->getOperand(result.getResultNumber());
  return value.getDefiningOp<AtenOp>() &&
         llvm::count(yield->getOperands(), value) == 1;
}

namespace {
struct AssignLayoutsPass
    : kfuse::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  void runOnOperation() override {
    getOperation().walk([&](FusionOp fusion) {
      if (isViewFusion(fusion))
        return;
      for (OpResult result : fusion->getResults())
        if (wantsRows(result) && hasOwnGenericValue(result))
          assign(result);
    });
  }

private:
  void assign(OpResult result) {
    auto type = cast<RankedTensorType>(result.getType());
    LayoutAttr rows =
        LayoutAttr::contiguous(&getContext(), getLayout(result).getSizes());
    setType(result, getTensorType(type.getElementType(), rows));
    remark::passed(result.getLoc(), remark::RemarkOpts::name("rows")
                                        .category("kfuse-layout")
                                        .function(getOperation().getName()))
        << remark::reason("kernels read and write it row by row");
  }
};
} // namespace
