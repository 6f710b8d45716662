//===- KfuseDialect.td - the kfuse dialect ----------------------*- tablegen -*-===//
#ifndef KFUSE_DIALECT_KFUSE_IR_KFUSEDIALECT_TD
#define KFUSE_DIALECT_KFUSE_IR_KFUSEDIALECT_TD

include "mlir/IR/OpBase.td"

def Kfuse_Dialect : Dialect {
  let name = "kfuse";
  let cppNamespace = "::mlir::kfuse";
  let summary = "Fusions of ATen operations and the kernels made of them";
  let description = [{
    The dialect holds what upstream MLIR lacks: operations of an exported
    PyTorch program (`kfuse.aten`), fusions that carry both the code to compile
    and the ATen operations that it replaces (`kfuse.fusion`), shape and index
    operations of fusion bodies, and the thin tile operations that kernels are
    made of. Elementwise arithmetic is `arith` and `math` on tensors.

    Outside of a fusion's `body`, every tensor type has a `#kfuse.layout`
    encoding with symbolic sizes, strides and storage offset. Inside `body`,
    tensors are plain; symbolic sizes appear as attributes of the operations
    that change a shape.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif
