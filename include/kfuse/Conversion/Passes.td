//===- Passes.td - conversion passes ----------------------------*- tablegen -*-===//
#ifndef KFUSE_CONVERSION_PASSES_TD
#define KFUSE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAtenToKfusePass : Pass<"convert-aten-to-kfuse", "::mlir::func::FuncOp"> {
  let summary = "Capture ATen operations as single-operation fusions";
  let description = [{
    Each `kfuse.aten` that kfuse understands becomes a `kfuse.fusion` whose
    `body` computes it and whose `generic` is the operation itself; views of the
    same storage become `kfuse.view`. The others stay, with a remark that says
    why. Every rounding of eager execution is written out.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertKfuseToNVVMPass : Pass<"convert-kfuse-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM and NVVM dialects";
  let description = [{
    Lowers the tile operations and everything else in a `gpu.module` to the
    LLVM and NVVM dialects; math functions become calls of libdevice. Unless
    `numerics` is `eager`, `1 + tanh(x)` takes a shorter way (its error is that
    of the sum's last place, which eager's has too), and divisions of a packet
    by one number share its reciprocal (correctly rounded but for subnormal
    quotients).

    Form needed: `mask`. Form left: `lower`.
  }];
  let options = [Option<"numerics", "numerics", "std::string", "\"fused\"",
    "numerics contract: eager, fused or fast">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif
