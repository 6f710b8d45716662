//===- MarkExactLaunches.cpp - launches that round nothing ----------------===//

#include "MarkExactLaunches.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::kfuse;

static bool holdsFloats(Type type) {
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return llvm::any_of(structure.getBody(), holdsFloats);
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return holdsFloats(array.getElementType());
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Operations that hand floating-point numbers on as they are, choose among
/// them, or convert them as every implementation must.
static bool isExactOnFloats(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::BitcastOp, LLVM::SelectOp,
             LLVM::FCmpOp, LLVM::ExtractElementOp, LLVM::InsertElementOp,
             LLVM::ShuffleVectorOp, LLVM::ExtractValueOp, LLVM::InsertValueOp,
             LLVM::ConstantOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp,
             LLVM::BrOp, LLVM::CondBrOp, LLVM::SwitchOp, LLVM::FNegOp,
             LLVM::FAbsOp, LLVM::CopySignOp, LLVM::FPExtOp, LLVM::FPTruncOp,
             LLVM::SIToFPOp, LLVM::UIToFPOp, LLVM::FPToSIOp, LLVM::FPToUIOp,
             LLVM::MaximumOp, LLVM::MinimumOp, LLVM::MaxNumOp, LLVM::MinNumOp,
             LLVM::IsFPClass, NVVM::ShflOp>(op);
}

static bool isExact(Operation *kernel) {
  return !kernel
              ->walk([](Operation *op) {
                bool hasFloats =
                    llvm::any_of(op->getOperandTypes(), holdsFloats) ||
                    llvm::any_of(op->getResultTypes(), holdsFloats);
                // Assembly may compute floats in integer registers.
                if (isa<LLVM::InlineAsmOp>(op) ||
                    (hasFloats && !isExactOnFloats(op)))
                  return WalkResult::interrupt();
                return WalkResult::advance();
              })
              .wasInterrupted();
}

void kfuse::markExactLaunches(ModuleOp module) {
  SymbolTableCollection symbols;
  module.walk([&](LaunchOp op) {
    bool areExact = llvm::all_of(
        op.getVariants().getAsRange<VariantAttr>(), [&](VariantAttr variant) {
          Operation *kernel =
              symbols.lookupSymbolIn(module, variant.getKernel());
          return kernel && isExact(kernel);
        });
    if (areExact && !op.getVariants().empty())
      op->setAttr("kfuse.exact", UnitAttr::get(op.getContext()));
  });
}
