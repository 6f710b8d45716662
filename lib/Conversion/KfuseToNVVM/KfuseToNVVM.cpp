//===- KfuseToNVVM.cpp - kernels to the LLVM and NVVM dialects ------------===//

#include "LowerTileOps.h"
#include "kfuse/Conversion/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace mlir::kfuse {
#define GEN_PASS_DEF_CONVERTKFUSETONVVMPASS
#include "kfuse/Conversion/Passes.h.inc"
} // namespace mlir::kfuse

static LogicalResult lowerLoops(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Divisions that round in other ways than towards zero.
static LogicalResult expandDivisions(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<arith::FloorDivSIOp, arith::CeilDivSIOp,
                      arith::CeilDivUIOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult lowerToNVVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  target.addIllegalDialect<arith::ArithDialect, math::MathDialect,
                           vector::VectorDialect, cf::ControlFlowDialect,
                           KfuseDialect>();
  target.addIllegalOp<gpu::GPUFuncOp, gpu::ReturnOp, gpu::ThreadIdOp,
                      gpu::BlockIdOp, gpu::BarrierOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
class ConvertKfuseToNVVM
    : public kfuse::impl::ConvertKfuseToNVVMPassBase<ConvertKfuseToNVVM> {
public:
  using ConvertKfuseToNVVMPassBase::ConvertKfuseToNVVMPassBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    lowerMath(module, /*isEager=*/numerics == "eager");
    if (failed(lowerTileOps(module)) || failed(lowerLoops(module)) ||
        failed(expandDivisions(module)) || failed(lowerToNVVM(module)))
      signalPassFailure();
  }
};
} // namespace
