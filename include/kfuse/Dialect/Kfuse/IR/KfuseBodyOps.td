//===- KfuseBodyOps.td - operations of fusion bodies ------------*- tablegen -*-===//
//
// All are pure functions of plain ranked tensors. Where a result's dynamic
// sizes do not follow from its operands, `sizes` gives all of them.

class Kfuse_BodyOp<string mnemonic, list<Trait> traits = []>
    : Kfuse_Op<mnemonic, [Pure] # traits>;

def Kfuse_SizeOp : Kfuse_BodyOp<"size"> {
  let summary = "Value of a symbolic expression";
  let description = [{ Example: `%n = kfuse.size #kfuse.expr<s0 * 128>` gives an i64. }];
  let arguments = (ins Kfuse_ExprAttr:$expr);
  let results = (outs I64:$result);
  let assemblyFormat = "$expr attr-dict";
}

def Kfuse_FullOp : Kfuse_BodyOp<"full"> {
  let summary = "Tensor that holds one scalar everywhere";
  let arguments = (ins AnyType:$value, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `sizes` $sizes attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_IotaOp : Kfuse_BodyOp<"iota"> {
  let summary = "Position along one dimension, as i64";
  let arguments = (ins I64Attr:$dim, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`dim` $dim `sizes` $sizes attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kfuse_RoundOp : Kfuse_BodyOp<"round", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "Rounds to a narrower float type; never folded away";
  let description = [{
    Round-to-nearest-even conversion like `arith.truncf`, but opaque to upstream
    folds, which merge roundings. `explicit` (`explicit_cast`) marks a cast that the program asked
    for; the others are the rounding points of eager execution and may be
    dropped under the `fused` contract where the value is neither stored nor
    compared. Works on scalars, vectors and tensors.
  }];
  let arguments = (ins AnyType:$value, UnitAttr:$explicit_cast);
  let results = (outs AnyType:$result);
  let assemblyFormat = "(`explicit` $explicit_cast^)? $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_BroadcastOp : Kfuse_BodyOp<"broadcast"> {
  let summary = "Repeats a tensor along new or unit dimensions";
  let description = [{
    Dimension i of the operand is dimension `dims[i]` of the result (strictly
    increasing); it has the same size there, or size 1 in the operand. The
    other dimensions of the result are new.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$dims, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` $dims `sizes` $sizes attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_PermuteOp : Kfuse_BodyOp<"permute"> {
  let summary = "Reorders dimensions";
  let description = [{ Dimension i of the result is dimension `permutation[i]` of the operand. }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_ReshapeOp : Kfuse_BodyOp<"reshape"> {
  let summary = "The same elements in row-major order under other sizes";
  let arguments = (ins AnyRankedTensor:$source, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `sizes` $sizes attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_SliceOp : Kfuse_BodyOp<"slice"> {
  let summary = "Regularly spaced part of a tensor";
  let description = [{
    Element i of a dimension of the result is element `start + i * step` of the
    operand. Steps may be negative (flip).
  }];
  let arguments = (ins AnyRankedTensor:$source, ExprArrayAttr:$starts, DenseI64ArrayAttr:$steps,
    ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `starts` $starts `steps` $steps `sizes` $sizes attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kfuse_ConcatOp : Kfuse_BodyOp<"concat"> {
  let summary = "Tensors one after the other along a dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I64Attr:$dim, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sources `dim` $dim `sizes` $sizes attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_PadOp : Kfuse_BodyOp<"pad"> {
  let summary = "A tensor in a larger one filled with a scalar";
  let description = [{
    Element i of the result is element `i - low` of the operand where that
    exists, else `fill`. Negative `low` crops.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyType:$fill, ExprArrayAttr:$low, ExprArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $fill `low` $low `sizes` $sizes attr-dict `:` type($source) `,` type($fill) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kfuse_TakeOp : Kfuse_BodyOp<"take"> {
  let summary = "Whole slices chosen by an index tensor (embedding, index_select)";
  let description = [{
    The dimension `dim` of `source` is replaced by the dimensions of `indices`
    (integer, negative counts from the end). `source` is computed where it is
    looked up, so it depends on no reduction. An index out of range traps as ATen's CUDA kernels do.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `,` $indices `dim` $dim attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_GatherOp : Kfuse_BodyOp<"gather"> {
  let summary = "Elements chosen along one dimension (aten.gather)";
  let description = [{
    The result has the shape of `indices`; its element at i is the element of
    `source` at i with position `dim` replaced by `indices[i]`.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `,` $indices `dim` $dim attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_ReduceOp : Kfuse_BodyOp<"reduce"> {
  let summary = "Combines the elements along some dimensions";
  let description = [{
    The dimensions `dims` (increasing) are removed. Accumulates in the element
    type; `max` and `min` propagate NaN; `is_unsigned` concerns integer max and min.
    An empty reduction gives the neutral element (max, min: lowest, highest).
  }];
  let arguments = (ins AnyRankedTensor:$source, ReduceKindAttr:$kind, DenseI64ArrayAttr:$dims,
    UnitAttr:$is_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $source `dims` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kfuse_ArgReduceOp : Kfuse_BodyOp<"arg_reduce"> {
  let summary = "Position of the first maximum or minimum";
  let description = [{
    Row-major position, as i64, of the first extreme element along `dims`; NaN
    beats every number, the first NaN wins (aten.argmax).
  }];
  let arguments = (ins AnyRankedTensor:$source, ReduceKindAttr:$kind, DenseI64ArrayAttr:$dims,
    UnitAttr:$is_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $source `dims` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}
