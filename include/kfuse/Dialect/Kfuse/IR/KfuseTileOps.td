//===- KfuseTileOps.td - operations of tiled kernels ------------*- tablegen -*-===//
//
// Each is one thread's view of work on a tile and lowers one to one. A packet
// is what one thread takes from consecutive positions: a scalar or a vector.

def Kfuse_TileLoadOp : Kfuse_Op<"tile_load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead]>]> {
  let summary = "One thread's load of a packet from global memory";
  let description = [{
    Loads the packet that starts at element `offsets[0] + offsets[1] + ...`
    after `pointer`; each offset is an i32 or i64 (sign-extended on its own, so
    that a 64-bit row offset and a 32-bit offset within the row stay apart).
    `alignment` is the byte alignment of the packet's address.

    Where `if` is false nothing is loaded and the result is zero. With `valid`
    only the elements `low <= i < high` are loaded, the others are zero;
    `whole` promises that either all or none are valid. A `covered` load has any
    alignment of elements and may read aligned 16-byte granules (smaller packets:
    granules of their size) as long as each holds a valid element; elements
    that are not valid are then undefined; `phase` is how many elements the
    address lies after the start of a granule, where that is known. `fresh`
    reads what other blocks have written during the launch.
    `kfuse-mask-tails` removes `if`, `valid` and `covered`; the loads of granules
    that it makes keep the attribute `kfuse.granule`, which tells the simulator
    that what surrounds the elements may be read.

    Example: `%v = kfuse.tile_load %p[%row, %c] valid %lo to %hi
    {alignment = 16} : !llvm.ptr<1>, i64, i32 -> vector<8xbf16>`
  }];
  let arguments = (ins AnyType:$pointer, Variadic<AnySignlessInteger>:$offsets,
    Optional<I1>:$predicate, Optional<I32>:$low, Optional<I32>:$high, Optional<I32>:$phase,
    DefaultValuedAttr<I64Attr, "1">:$alignment, UnitAttr:$whole, UnitAttr:$covered, UnitAttr:$fresh);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $pointer `[` $offsets `]` (`if` $predicate^)? (`valid` $low^ `to` $high)?
      (`phase` $phase^)? attr-dict `:` type($pointer) (`,` type($offsets)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kfuse_TileStoreOp : Kfuse_Op<"tile_store", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite]>]> {
  let summary = "One thread's store of a packet to global memory";
  let description = [{
    The twin of `kfuse.tile_load`: elements that are not valid are not written.
  }];
  let arguments = (ins AnyType:$value, AnyType:$pointer, Variadic<AnySignlessInteger>:$offsets,
    Optional<I1>:$predicate, Optional<I32>:$low, Optional<I32>:$high,
    DefaultValuedAttr<I64Attr, "1">:$alignment, UnitAttr:$whole);
  let assemblyFormat = [{
    $value `,` $pointer `[` $offsets `]` (`if` $predicate^)? (`valid` $low^ `to` $high)?
      attr-dict `:` type($value) `,` type($pointer) (`,` type($offsets)^)?
  }];
  let hasVerifier = 1;
}

def Kfuse_ThreadReduceOp : Kfuse_Op<"thread_reduce", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Combines a value over threads of a block";
  let description = [{
    Threads whose numbers are equal modulo `step` and after division by
    `step * count` form a group; each gets the combination of the group's
    values, in a fixed order. The block's threads must all arrive. The region
    combines two lists of values (the first half of its arguments is the list
    of the lower thread) and yields one; it must be associative.

    Groups of at most 32 neighbours use warp shuffles, larger ones a slot of
    shared memory that belongs to this operation and one barrier: it may run
    only once in a kernel.
  }];
  let arguments = (ins Variadic<AnyType>:$values, I64Attr:$threads, I64Attr:$count, I64Attr:$step);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $values `)` `threads` $threads `count` $count `step` $step $combiner attr-dict
      `:` functional-type($values, $results)
  }];
  let hasVerifier = 1;
}

def Kfuse_TileExchangeOp : Kfuse_Op<"tile_exchange", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Transposes a square tile of packets through shared memory";
  let description = [{
    The block holds a `size` x `size` tile, 32 threads wide: packet j of thread
    t lies in row `t / 32 + j * (threads / 32)` and begins at column
    `t mod 32 * lanes`. Result j is the packet at the same place of the
    transposed tile. The block's threads must all arrive; it may run only once
    in a kernel.
  }];
  let arguments = (ins Variadic<AnyType>:$values, I64Attr:$threads, I64Attr:$size);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    `(` $values `)` `threads` $threads `size` $size attr-dict
      `:` functional-type($values, $results)
  }];
}

def Kfuse_TileShiftOp : Kfuse_Op<"tile_shift", [Pure, AllTypesMatch<["low", "high", "result"]>]> {
  let summary = "Part of two neighbouring packets";
  let description = [{
    The packet that begins `by` elements (0 <= by < lanes) after the first of
    `low`, where `high` follows `low`: a misaligned packet from two aligned
    loads.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$low, AnyVectorOfNonZeroRank:$high, I32:$by);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$low `,` $high `by` $by attr-dict `:` type($result)";
}

def Kfuse_SplitArriveOp : Kfuse_Op<"split_arrive", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Whether this block is the last of those that share a reduction";
  let description = [{
    The block's threads must all arrive; each learns whether `count` - 1 other
    blocks have arrived at the 32-bit ticket at element `offset` after
    `tickets`, which was zero before the launch. What thread 0 of those blocks
    wrote before they arrived can then be read by `fresh` loads.
  }];
  let arguments = (ins AnyType:$tickets, AnySignlessInteger:$offset, I64Attr:$count);
  let results = (outs I1:$is_last);
  let assemblyFormat = [{
    $tickets `[` $offset `]` `of` $count attr-dict `:` type($tickets) `,` type($offset)
  }];
}

def Kfuse_CheckIndexOp : Kfuse_Op<"check_index", [MemoryEffects<[MemWrite]>]> {
  let summary = "Traps when an index of a take or gather is out of range";
  let description = [{ The launch fails, as ATen's CUDA kernels do. }];
  let arguments = (ins I1:$in_range);
  let assemblyFormat = "$in_range attr-dict";
}
