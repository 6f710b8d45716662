//===- KfuseOps.td - operations of the kfuse dialect ------------*- tablegen -*-===//
#ifndef KFUSE_DIALECT_KFUSE_IR_KFUSEOPS_TD
#define KFUSE_DIALECT_KFUSE_IR_KFUSEOPS_TD

include "kfuse/Dialect/Kfuse/IR/KfuseAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Kfuse_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kfuse_Dialect, mnemonic, traits>;

def ExprArrayAttr : TypedArrayAttrBase<Kfuse_ExprAttr, "list of symbolic expressions">;
def FusionKindAttr : EnumAttr<Kfuse_Dialect, Kfuse_FusionKind, "fusion_kind"> {
  let assemblyFormat = "`<` $value `>`";
}
def ReduceKindAttr : EnumAttr<Kfuse_Dialect, Kfuse_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

include "kfuse/Dialect/Kfuse/IR/KfuseGraphOps.td"
include "kfuse/Dialect/Kfuse/IR/KfuseBodyOps.td"
include "kfuse/Dialect/Kfuse/IR/KfuseTileOps.td"

#endif
