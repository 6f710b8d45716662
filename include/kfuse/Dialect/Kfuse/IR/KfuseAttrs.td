//===- KfuseAttrs.td - attributes of the kfuse dialect ----------*- tablegen -*-===//
#ifndef KFUSE_DIALECT_KFUSE_IR_KFUSEATTRS_TD
#define KFUSE_DIALECT_KFUSE_IR_KFUSEATTRS_TD

include "kfuse/Dialect/Kfuse/IR/KfuseDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"

class Kfuse_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Kfuse_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def Kfuse_ExprKind : I32EnumAttr<"ExprKind", "kind of a symbolic expression", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Symbol", 1, "symbol">,
    I32EnumAttrCase<"Add", 2, "add">,
    I32EnumAttrCase<"Mul", 3, "mul">,
    I32EnumAttrCase<"FloorDiv", 4, "floordiv">,
    I32EnumAttrCase<"CeilDiv", 5, "ceildiv">,
    I32EnumAttrCase<"Mod", 6, "mod">,
    I32EnumAttrCase<"Min", 7, "min">,
    I32EnumAttrCase<"Max", 8, "max">]> {
  let cppNamespace = "::mlir::kfuse";
  let genSpecializedAttr = 0;
}

def Kfuse_ExprAttr : Kfuse_Attr<"Expr", "expr"> {
  let summary = "Symbolic integer expression over the sizes of a program";
  let description = [{
    A 64-bit integer expression of constants and size symbols: sums, products,
    `floordiv`, `ceildiv`, `mod`, `min` and `max` (affine expressions have
    neither of the last two). Sums and products are flattened, sorted and have
    at most one constant, so that equal polynomials are usually the same
    attribute. Divisions round towards minus infinity (`ceildiv`: plus) and
    divisors are positive. Use the static helpers, which simplify; the plain
    getter does not.

    Example: `#kfuse.expr<s0 * 128 + 1>`, `#kfuse.expr<min(s0, 8) floordiv 2>`.
  }];
  let parameters = (ins
    "::mlir::kfuse::ExprKind":$kind,
    "int64_t":$value,
    StringRefParameter<"symbol name">:$name,
    OptionalArrayRefParameter<"::mlir::kfuse::ExprAttr">:$operands);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static ExprAttr constant(::mlir::MLIRContext *context, int64_t value);
    static ExprAttr symbol(::mlir::MLIRContext *context, ::llvm::StringRef name);
    /// Simplifying builders.
    static ExprAttr add(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr sub(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr mul(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr mul(ExprAttr lhs, int64_t rhs);
    static ExprAttr floorDiv(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr ceilDiv(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr ceilDiv(ExprAttr lhs, int64_t rhs);
    static ExprAttr mod(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr min(ExprAttr lhs, ExprAttr rhs);
    static ExprAttr max(ExprAttr lhs, ExprAttr rhs);
    /// Product of all, 1 for none.
    static ExprAttr product(::mlir::MLIRContext *context, ::llvm::ArrayRef<ExprAttr> factors);
    /// The value of a constant expression.
    std::optional<int64_t> getConstant() const;
    bool isConstant(int64_t value) const { return getConstant() == value; }
    /// Largest constant known to divide the expression for every value of the
    /// symbols; 0 for the constant 0.
    int64_t getKnownDivisor() const;
    /// Calls `fn` for each symbol name in the expression.
    void walkSymbols(::llvm::function_ref<void(::llvm::StringRef)> fn) const;
    /// Value with the symbols given by `lookup`; nothing when a symbol is
    /// unknown or the arithmetic overflows.
    std::optional<int64_t> evaluate(
        ::llvm::function_ref<std::optional<int64_t>(::llvm::StringRef)> lookup) const;
    /// Prints the bare infix form, without `#kfuse.expr<>`.
    void printInfix(::llvm::raw_ostream &os) const;
    static ::mlir::FailureOr<ExprAttr> parseInfix(::mlir::AsmParser &parser);
  }];
}

def Kfuse_LayoutAttr : Kfuse_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Symbolic sizes, strides and storage offset of a tensor";
  let description = [{
    Encoding of every tensor type outside fusion bodies. Sizes and strides are
    in elements, one per dimension; the offset is that of element 0 in its
    storage. A static dimension of the type equals its size.

    Example: `tensor<?x128xbf16, #kfuse.layout<[s0, 128], [128, 1]>>`
    (offset 0 is not printed), with offset `#kfuse.layout<[8], [1], s0 * 2>`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::mlir::kfuse::ExprAttr">:$sizes,
    OptionalArrayRefParameter<"::mlir::kfuse::ExprAttr">:$strides,
    "::mlir::kfuse::ExprAttr":$offset);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Row-major layout with offset 0.
    static LayoutAttr contiguous(::mlir::MLIRContext *context, ::llvm::ArrayRef<ExprAttr> sizes);
    bool isContiguous() const;
    int64_t getRank() const { return getSizes().size(); }
    ExprAttr getNumElements() const;
  }];
}

def Kfuse_OperandAttr : Kfuse_Attr<"Operand", "operand"> {
  let summary = "Stands for an SSA operand in a list of arguments";
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Kfuse_TorchAttr : Kfuse_Attr<"Torch", "torch"> {
  let summary = "Argument of a kind that only PyTorch has";
  let description = [{
    `kind` is one of `device` (value `cpu`, `cuda:0`), `memory_format`
    (`contiguous_format`, `channels_last`, `channels_last_3d`,
    `preserve_format`), `layout` (`strided`, ...) or `complex` (`1.0,2.0`).
  }];
  let parameters = (ins StringRefParameter<>:$kind, StringRefParameter<>:$value);
  let assemblyFormat = "`<` $kind `,` $value `>`";
}

def Kfuse_FusionKind : I32EnumAttr<"FusionKind", "shape of the loops of a fusion", [
    I32EnumAttrCase<"Pointwise", 0, "pointwise">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">]> {
  let cppNamespace = "::mlir::kfuse";
  let genSpecializedAttr = 0;
}

def Kfuse_ReduceKind : I32EnumAttr<"ReduceKind", "combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Or", 4, "or">,
    I32EnumAttrCase<"And", 5, "and">]> {
  let cppNamespace = "::mlir::kfuse";
  let genSpecializedAttr = 0;
}

def Kfuse_GuardAttr : Kfuse_Attr<"Guard", "guard"> {
  let summary = "Condition that a kernel variant needs";
  let description = [{
    `aligned`: the address of element 0 of tensor `tensor` (operands first,
    then results) is a multiple of `bytes`. `divisible`: `lhs` is a multiple of
    `bytes`. `le`: `lhs` <= `rhs`.

    Example: `#kfuse.guard<"aligned", 0, 16>`,
    `#kfuse.guard<"divisible", s0, 8>`, `#kfuse.guard<"le", s0, 4096>`.
  }];
  let parameters = (ins StringRefParameter<>:$kind, "int64_t":$tensor, "int64_t":$bytes,
      "::mlir::kfuse::ExprAttr":$lhs, "::mlir::kfuse::ExprAttr":$rhs);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static GuardAttr aligned(::mlir::MLIRContext *context, int64_t tensor, int64_t bytes);
    static GuardAttr divisible(ExprAttr expr, int64_t by);
    static GuardAttr le(ExprAttr lhs, ExprAttr rhs);
    bool isAligned() const { return getKind() == "aligned"; }
    bool isDivisible() const { return getKind() == "divisible"; }
    bool isLe() const { return getKind() == "le"; }
  }];
}

def Kfuse_ScheduleAttr : Kfuse_Attr<"Schedule", "schedule"> {
  let summary = "How one variant of a fusion is tiled";
  let description = [{
    Written by `kfuse-plan-schedules` (or by hand), obeyed by
    `kfuse-tile-fusions`.

    - `kind`: `pointwise`, `row`, `column` or `transpose`.
    - `threads`: threads of a block.
    - `vector`: elements a thread takes from consecutive positions at once.
    - `unroll`: such packets a thread holds at a time.
    - `rows`: rows (or row groups) a block works on at a time.
    - `loop`: the reduced extent is walked in chunks and inputs are read once
      per reduction level; otherwise the whole row lives in registers.
    - `shift`: packets are aligned to addresses, not to row starts; the first
      and last packet of a row are partial. With guards on alignment, rows lie
      one after the other from an aligned start; without, packets are aligned
      in the first result (or operand, where results are one value a row) at
      run time.
    - `index_bits`: 32 or 64, width of element offsets within a tensor.
    - `split`: blocks that share one row through a scratch buffer; the last one
      to arrive combines their parts in order. `row` kind with `loop` only, and
      only for results that are one value a row.
    - `guards`: conditions that the variant needs; none for the catch-all.
  }];
  let parameters = (ins
    StringRefParameter<>:$kind,
    DefaultValuedParameter<"int64_t", "256">:$threads,
    DefaultValuedParameter<"int64_t", "1">:$vector,
    DefaultValuedParameter<"int64_t", "1">:$unroll,
    DefaultValuedParameter<"int64_t", "1">:$rows,
    DefaultValuedParameter<"bool", "false">:$loop,
    DefaultValuedParameter<"bool", "false">:$shift,
    DefaultValuedParameter<"int64_t", "32">:$index_bits,
    DefaultValuedParameter<"int64_t", "1">:$split,
    OptionalArrayRefParameter<"::mlir::kfuse::GuardAttr">:$guards);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kfuse_VariantAttr : Kfuse_Attr<"Variant", "variant"> {
  let summary = "One kernel of a launch with the conditions it needs";
  let description = [{
    `kernel` names a kernel in a `gpu.module`; its parameters are one pointer
    for each entry of `tensors` (operands first, then results, of the launch,
    then its scratch memory, `kfuse.scratch_bytes` long and zero at first)
    and one 64-bit integer for each of `scalars`. `grid` has three expressions,
    `block` is threads along x, `shared_bytes` is dynamic shared memory.
  }];
  let parameters = (ins
    "::mlir::SymbolRefAttr":$kernel,
    OptionalArrayRefParameter<"int64_t">:$tensors,
    OptionalArrayRefParameter<"::mlir::kfuse::ExprAttr">:$scalars,
    ArrayRefParameter<"::mlir::kfuse::ExprAttr">:$grid,
    "int64_t":$block,
    "int64_t":$shared_bytes,
    OptionalArrayRefParameter<"::mlir::kfuse::GuardAttr">:$guards);
  let assemblyFormat = [{
    `<` $kernel `,` `tensors` `=` `[` (`]`) : ($tensors^ `]`)? `,`
      `scalars` `=` `[` (`]`) : ($scalars^ `]`)? `,`
      `grid` `=` `[` $grid `]` `,` `block` `=` $block `,` `shared_bytes` `=` $shared_bytes
      (`,` `guards` `=` `[` $guards^ `]`)? `>`
  }];
}

#endif
