//===- KfuseGraphOps.td - operations of the program graph -------*- tablegen -*-===//

def Kfuse_AtenOp : Kfuse_Op<"aten"> {
  let summary = "One node of the exported program";
  let description = [{
    Calls the PyTorch operator `target` (`aten::add.Tensor`; the overload part
    is missing for the default overload; Python operators are
    `python::_operator.add`). `names` has the name of each given argument (empty
    for positional arguments of unknown operators), `args` its value:
    `#kfuse.operand<i>` for a value, an array for a list, `unit` for None, or a
    constant (i64, f64, bool, string, type for a dtype, `#kfuse.torch` for the
    rest, `#kfuse.expr` for a symbolic integer). Arguments that were left out
    have the schema's default.

    `result_groups` has an entry for each declared return: -1 for one value, -2
    for None, n >= 0 for a list of n values. Tensor results have a layout;
    symbolic integers are i64, booleans i1, floats f64.

    Operations stay in program order: any may mutate its inputs.

    Example:
    ```mlir
    %1 = kfuse.aten "aten::add.Tensor"(%a, %b) {args = [#kfuse.operand<0>, #kfuse.operand<1>],
           names = ["self", "other"]} : (tensor<4xf32, ...>, tensor<4xf32, ...>) -> tensor<4xf32, ...>
    ```
  }];
  let arguments = (ins StrAttr:$target, Variadic<AnyType>:$operands,
    DefaultValuedAttr<StrArrayAttr, "{}">:$names, DefaultValuedAttr<ArrayAttr, "{}">:$args,
    OptionalAttr<DenseI64ArrayAttr>:$result_groups);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $target `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Value of the argument `name` as written, null when it was left out.
    ::mlir::Attribute getArg(::llvm::StringRef name);
    /// The SSA value of argument `name`, null when it is not one.
    ::mlir::Value getArgValue(::llvm::StringRef name);
  }];
}

def Kfuse_ViewOp : Kfuse_Op<"view", [Pure]> {
  let summary = "The same storage under another layout";
  let description = [{
    No data moves: the result's layout gives sizes, strides and offset within
    the storage of `source`.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}

def Kfuse_FusionOp : Kfuse_Op<"fusion", [Pure, IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Work to compile, together with the ATen operations it replaces";
  let description = [{
    `body` computes the results with `arith`, `math` and kfuse body operations
    on plain tensors: its arguments and yielded values have the operands' and
    results' shapes and signless element types, without layouts. `generic`
    computes the same results with `kfuse.aten`; its arguments and yielded
    values have the operands' and results' types. Each result's layout is the
    one that the kernel writes.

    `kind` is set when fusions are formed, `schedules` when they are scheduled:
    one `#kfuse.schedule` for each variant, the catch-all last.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands,
    OptionalAttr<FusionKindAttr>:$kind, OptionalAttr<ArrayAttr>:$schedules);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$generic);
  let assemblyFormat = [{
    `(` $operands `)` attr-dict `:` functional-type($operands, $results)
      `body` $body `generic` $generic
  }];
  let hasVerifier = 1;
}

def Kfuse_LaunchOp : Kfuse_Op<"launch", [Pure, IsolatedFromAbove]> {
  let summary = "Launch of a compiled fusion";
  let description = [{
    The first of `variants` whose guards hold is launched; the last has none.
    `generic` is what runs instead when the kernel cannot or must not run.
    `name` is the stable id: hash of body, types and layout class.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyRankedTensor>:$operands, ArrayAttr:$variants,
    OptionalAttr<FusionKindAttr>:$kind);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$generic);
  let assemblyFormat = [{
    $name `(` $operands `)` attr-dict `:` functional-type($operands, $results) `generic` $generic
  }];
  let hasVerifier = 1;
}

def Kfuse_YieldOp : Kfuse_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a region of a fusion with its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}
