//===- SpecializeLibraryCalls.cpp - operands that libraries take as is ----===//
/// Rewrites the operands of library calls so that the library needs no
/// conversions of its own, and takes the implementation that it is fastest
/// with. What is added are ordinary operations, captured and fused like others.

#include "LibraryCalls.h"
#include "kfuse/Transforms/Passes.h"
#include "kfuse/Transforms/SideEffects.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_SPECIALIZELIBRARYCALLSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

Value kfuse::createCall(OpBuilder &builder, Location loc, StringRef target,
                        ValueRange operands, ArrayRef<StringRef> names,
                        ArrayRef<Attribute> args, Type type) {
  SmallVector<Attribute> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.push_back(OperandAttr::get(builder.getContext(), i));
  llvm::append_range(values, args);
  return AtenOp::create(builder, loc, type, builder.getStringAttr(target),
                        operands, builder.getStrArrayAttr(names),
                        builder.getArrayAttr(values), DenseI64ArrayAttr())
      .getResult(0);
}

AtenOp kfuse::replaceArgument(AtenOp call, StringRef name, StringRef flag) {
  OpBuilder builder(call);
  SmallVector<Value> operands;
  SmallVector<Attribute> names, args;
  for (auto [key, arg] : llvm::zip_equal(call.getNames(), call.getArgs())) {
    StringRef given = cast<StringAttr>(key).getValue();
    if (given == name || given == flag)
      continue;
    names.push_back(key);
    if (auto operand = dyn_cast<OperandAttr>(arg)) {
      args.push_back(OperandAttr::get(call.getContext(), operands.size()));
      operands.push_back(call.getOperand(operand.getIndex()));
    } else {
      args.push_back(arg);
    }
  }
  if (!flag.empty()) {
    names.push_back(builder.getStringAttr(flag));
    args.push_back(builder.getBoolAttr(true));
  }
  auto changed = AtenOp::create(
      builder, call.getLoc(), call.getResultTypes(), call.getTargetAttr(),
      operands, builder.getArrayAttr(names), builder.getArrayAttr(args),
      call.getResultGroupsAttr());
  call.getResult(0).replaceAllUsesWith(changed.getResult(0));
  call.erase();
  return changed;
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
    SmallVector<AtenOp> calls;
    // A mask is made once for all calls that read it, where it is computed.
    bool areMasksConstant = true;
    getOperation().walk([&](AtenOp op) {
      calls.push_back(op);
      areMasksConstant &= !mayWrite(op);
    });
    for (AtenOp op : calls) {
      if (op.getTarget() == "aten::scaled_dot_product_attention") {
        if (areMasksConstant)
          masks.specialize(op);
      } else if (op.getTarget() == "aten::linear" ||
                 op.getTarget() == "aten::addmm")
        specializeLinear(op);
      else if (op.getTarget().starts_with("aten::conv"))
        specializeConvolution(op);
    }
    masks.finish();
  }
};
} // namespace
