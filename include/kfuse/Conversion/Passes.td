//===- Passes.td - conversion passes ----------------------------*- tablegen -*-===//
#ifndef KFUSE_CONVERSION_PASSES_TD
#define KFUSE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAtenToKfusePass : Pass<"convert-aten-to-kfuse", "::mlir::func::FuncOp"> {
  let summary = "Capture ATen operations as single-operation fusions";
  let description = [{
    Each `kfuse.aten` that kfuse understands becomes a `kfuse.fusion` whose
    `body` computes it and whose `generic` is the operation itself. A fusion
    that only renames elements, with a result whose recorded layout is that
    part of its operand's storage, carries the attribute `kfuse.view`. Lists of
    views (`split`, `unbind`) are taken apart first. Every rounding of eager
    execution is written out: as `kfuse.round explicit` where the program
    converts, as `kfuse.round` at the end of each operation.

    The others stay. `kfuse.fallback_class` (`library`, `unsupported`) and
    `kfuse.fallback_reason` on the operation, and a remark of category
    `kfuse-fallback`, say why. An operation is captured only when every
    argument was understood and each result has the recorded type.

    Form needed: no operation writes to its operands. Example:
    ```mlir
    %1 = kfuse.aten "aten::exp"(%0) {args = [#kfuse.operand<0>], names = ["self"]} : (tensor<8xf32, #l>) -> tensor<8xf32, #l>
    // becomes
    %1 = kfuse.fusion(%0) : (tensor<8xf32, #l>) -> tensor<8xf32, #l> body {
    ^bb0(%a: tensor<8xf32>):
      %2 = math.exp %a : tensor<8xf32>
      kfuse.yield %2 : tensor<8xf32>
    } generic {
    ^bb0(%a: tensor<8xf32, #l>):
      %2 = kfuse.aten "aten::exp"(%a) {args = [#kfuse.operand<0>], names = ["self"]} : (tensor<8xf32, #l>) -> tensor<8xf32, #l>
      kfuse.yield %2 : tensor<8xf32, #l>
    }
    ```
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
