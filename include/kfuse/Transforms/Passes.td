//===- Passes.td - transformation passes ------------------------*- tablegen -*-===//
#ifndef KFUSE_TRANSFORMS_PASSES_TD
#define KFUSE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FunctionalizePass : Pass<"kfuse-functionalize", "::mlir::func::FuncOp"> {
  let summary = "Turn in-place operations into functional twins";
  let description = [{
    Replaces in-place `kfuse.aten` operations (`aten::add_.Tensor`) by their
    functional twins and rewrites later uses of the written value and of all
    its views. Writes through views are scattered back into the base. What is
    written into an argument is returned as a mutation (`kfuse.mutates`).

    An operation that cannot be proven safe (unknown aliasing, overlapping
    views) makes the function keep its in-place operations: they stay, in
    program order, and run as generic operations; a remark says why.
    Assertions on dtype, sizes and strides (`_assert_tensor_metadata`) go: the
    types state them.

    Form needed: `import`. Form left: the same without the in-place operations
    that are understood. Numeric effect: none.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def SpecializeLibraryCallsPass : Pass<"kfuse-specialize-library-calls", "::mlir::func::FuncOp"> {
  let summary = "Give library calls the operands that they are fastest with";
  let description = [{
    Boolean masks of `scaled_dot_product_attention` become additive ones of the
    query's type (0 or -inf), once for all calls that share a mask; their rows
    are dense and start at multiples of 8 elements. The library then neither
    converts nor pads the mask at each call, and no stride of the mask keeps it
    from its fused implementations. A mask that follows from the indices alone
    goes where it hides nothing, and becomes `is_causal` where it is that.

    The bias of `linear`, `addmm` and convolutions becomes an addition where only kernels read
    the sum. 16-bit results of `linear` whose rows are no multiple of 16 bytes are
    computed with a padded weight, where there are many rows. `linear` of rows in
    row-major order becomes the `mm` or `addmm` of matrices that ATen makes of it
    at each call.

    Nothing happens under `numerics=eager`: other implementations round
    differently.

    Masks stay as they are in a function with operations that write to their
    operands. Form needed and left: `functionalize`.
  }];
  let options = [Option<"numerics", "numerics", "std::string", "\"fused\"",
    "numerics contract: eager, fused or fast">];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def PlanFusionPass : Pass<"kfuse-plan-fusion", "::mlir::func::FuncOp"> {
  let summary = "Decide which fusions are merged";
  let description = [{
    Gives each `kfuse.fusion` the attribute `kfuse.group`, the number of the
    group that it is merged into, and `kfuse.group_kind`. Merges are tried in
    the order of their estimated gain (time unfused minus time fused, a
    priority queue), refused with a reason where they are illegal, and stop
    where nothing gains. Every decision is a remark of category `kfuse-fusion`.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"",
    "architecture whose constants the cost model uses">];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def FormFusionsPass : Pass<"kfuse-form-fusions", "::mlir::func::FuncOp"> {
  let summary = "Merge fusions as planned";
  let description = [{
    Merges the fusions with equal `kfuse.group` into one, views between them
    included, and sets `kind`. Under `numerics=fused` (and `fast`) implicit
    roundings of values that are neither stored nor compared are dropped; users
    of a stored value read the rounded one.
  }];
  let options = [Option<"numerics", "numerics", "std::string", "\"fused\"",
    "numerics contract: eager, fused or fast">];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def AssignLayoutsPass : Pass<"kfuse-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Choose the physical order of what fusions compute";
  let description = [{
    Results whose recorded strides are a permutation of row-major order become
    row-major where the fusion that writes them, or one that reads them, works
    row by row, and where only fusions and matrix products read them. The
    recorded strides stay where something outside could see them: results of the
    program, views, library calls whose own results follow their operands.

    Form needed: fusions with a `kind`. Form left: the same. Numeric effect:
    none.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def PlanSchedulesPass : Pass<"kfuse-plan-schedules", "::mlir::ModuleOp"> {
  let summary = "Choose the variants of each fusion";
  let description = [{
    Gives each fusion with a `kind` its `schedules`, best first; the last has
    no guards and is right for every shape, stride and alignment in range.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"",
    "architecture whose constants are used">];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

def TileFusionsPass : Pass<"kfuse-tile-fusions", "::mlir::ModuleOp"> {
  let summary = "Turn scheduled fusions into kernels and launches";
  let description = [{
    Each variant of a fusion becomes a kernel of loops over tile loads, vector
    arithmetic, reductions and tile stores in a `gpu.module`; the fusion
    becomes a `kfuse.launch`.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def MaskTailsPass : Pass<"kfuse-mask-tails", "::mlir::ModuleOp"> {
  let summary = "Make partial tiles safe";
  let description = [{
    Tile loads and stores that may be partial become a full-packet path and an
    element-wise path; the others lose their predicate.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def PlanMemoryPass : Pass<"kfuse-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place intermediate results in one arena";
  let description = [{
    Gives each result of a launch that is not returned an offset in the arena
    (attribute `kfuse.arena`, one expression a result) and the function the
    arena's size (`kfuse.arena_size`). Values that are not alive at the same
    time share bytes.
  }];
  let dependentDialects = ["::mlir::kfuse::KfuseDialect"];
}

#endif
