// RUN: kfuse-opt %s -kfuse-tile-fusions -split-input-file | FileCheck %s

// Packets of the matrix are found from the flat position; a packet of the bias
// may begin again in the middle and is then loaded element by element.
// CHECK-LABEL: func.func @pointwise
// CHECK: kfuse.launch "[[NAME:pointwise_pointwise_[0-9a-f]+]]"
// CHECK-SAME: #kfuse.variant<@[[NAME]]::@[[NAME]]_0, tensors = [0, 1, 2], scalars = [], grid = [<1>, <1>, <1>], block = 256, shared_bytes = 0, guards = [<"aligned", 0, 16>, <"aligned", 1, 16>, <"aligned", 2, 16>]>
// CHECK: gpu.module @[[NAME]]
// CHECK: gpu.func @[[NAME]]_0(%[[A:.*]]: !llvm.ptr<1>, %[[B:.*]]: !llvm.ptr<1>, %[[C:.*]]: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: %[[E:.*]] = arith.addi
// CHECK: %[[BEGINS:.*]] = arith.cmpi slt, %[[E]]
// CHECK: scf.if %[[BEGINS]]
// CHECK: kfuse.tile_load %[[A]][%[[E]]] valid %{{.*}} to %{{.*}} {alignment = 16 : i64, covered} : !llvm.ptr<1>, i32 -> vector<4xf32>
// CHECK: scf.if %{{.*}} -> (vector<4xf32>)
// CHECK: kfuse.tile_load %[[B]][%{{.*}}] valid %{{.*}} to %{{.*}} {alignment = 4 : i64, covered}
// CHECK: } else {
// CHECK: kfuse.tile_load %[[B]][%{{.*}}] if %{{.*}} {alignment = 4 : i64}
// CHECK: kfuse.tile_store %{{.*}}, %[[C]][%[[E]]] valid
// CHECK: {kfuse.tail}
// CHECK: gpu.func @[[NAME]]_1
// CHECK: kfuse.tile_load %{{.*}} : !llvm.ptr<1>, i32 -> f32
func.func @pointwise(%x0: tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>, %x1: tensor<33xf32, #kfuse.layout<[33], [1]>>) -> (tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<pointwise>, schedules = [#kfuse.schedule<kind = "pointwise", vector = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>, <"aligned", 2, 16>>, #kfuse.schedule<kind = "pointwise">]} : (tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>, tensor<33xf32, #kfuse.layout<[33], [1]>>) -> (tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>) body {
  ^bb0(%a0: tensor<17x33xf32>, %a1: tensor<33xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<17>, #kfuse.expr<33>] : tensor<33xf32> -> tensor<17x33xf32>
    %o = arith.addf %a0, %b : tensor<17x33xf32>
    kfuse.yield %o : tensor<17x33xf32>
  } generic {
  ^bb0(%a0: tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>, %a1: tensor<33xf32, #kfuse.layout<[33], [1]>>):
    %1 = kfuse.aten "aten::pointwise"(%a0, %a1) : (tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>, tensor<33xf32, #kfuse.layout<[33], [1]>>) -> (tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>)
    kfuse.yield %1 : tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>
  }
  return %r : tensor<17x33xf32, #kfuse.layout<[17, 33], [33, 1]>>
}

// -----

// Symbolic sizes are parameters, once each; the divisibility that a guard gives
// makes packets of the bias.
// CHECK-LABEL: func.func @dynamic
// CHECK: scalars = [<s0 * s1>, <s1>], grid = [<(s0 * s1) ceildiv 1024>, <1>, <1>]
// CHECK: gpu.func @{{.*}}(%{{.*}}: !llvm.ptr<1>, %[[B:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: kfuse.tile_load %[[B]][%{{.*}}] {alignment = 16 : i64} : !llvm.ptr<1>, i32 -> vector<4xf32>
func.func @dynamic(%x0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, %x1: tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<pointwise>, schedules = [#kfuse.schedule<kind = "pointwise", vector = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>, <"aligned", 2, 16>, <"divisible", s1, 4>>, #kfuse.schedule<kind = "pointwise", index_bits = 64>]} : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) body {
  ^bb0(%a0: tensor<?x?xf32>, %a1: tensor<?xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : tensor<?xf32> -> tensor<?x?xf32>
    %o = arith.addf %a0, %b : tensor<?x?xf32>
    kfuse.yield %o : tensor<?x?xf32>
  } generic {
  ^bb0(%a0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, %a1: tensor<?xf32, #kfuse.layout<[s1], [1]>>):
    %1 = kfuse.aten "aten::dynamic"(%a0, %a1) : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>)
    kfuse.yield %1 : tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
  }
  return %r : tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
}

// -----

// Each reduction is one over packets, lanes and threads; the row is loaded once.
// CHECK-LABEL: func.func @row
// CHECK: grid = [<16384>, <1>, <1>], block = 128
// CHECK: gpu.func
// CHECK-COUNT-4: kfuse.tile_load %{{.*}}[%{{.*}}, %{{.*}}] {alignment = 16 : i64} : !llvm.ptr<1>, i64, i32 -> vector<8xbf16>
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK-NOT: kfuse.tile_load
// CHECK: kfuse.thread_reduce(%{{.*}}) threads 128 count 128 step 1
// CHECK: math.exp
// CHECK: kfuse.thread_reduce
// CHECK-COUNT-4: kfuse.tile_store
// CHECK: gpu.return
// The catch-all walks the row.
// CHECK: gpu.func
// CHECK: scf.for
// CHECK: kfuse.thread_reduce(%{{.*}}) threads 256 count 256 step 1
// CHECK: scf.for
// CHECK: scf.for
// CHECK: kfuse.tile_store
func.func @row(%x0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", threads = 128, vector = 8, unroll = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>>, #kfuse.schedule<kind = "row", loop = true>]} : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) body {
  ^bb0(%a0: tensor<16384x4096xbf16>):
    %e = arith.extf %a0 : tensor<16384x4096xbf16> to tensor<16384x4096xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<16384x4096xf32> -> tensor<16384xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4096>] : tensor<16384xf32> -> tensor<16384x4096xf32>
    %d = arith.subf %e, %mb : tensor<16384x4096xf32>
    %x = math.exp %d : tensor<16384x4096xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<16384x4096xf32> -> tensor<16384xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4096>] : tensor<16384xf32> -> tensor<16384x4096xf32>
    %q = arith.divf %x, %sb : tensor<16384x4096xf32>
    %o = kfuse.round %q : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
    kfuse.yield %o : tensor<16384x4096xbf16>
  } generic {
  ^bb0(%a0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>):
    %1 = kfuse.aten "aten::row"(%a0) : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>)
    kfuse.yield %1 : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>
  }
  return %r : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>
}

// -----

// Packets along the kept dimension, rows of a block combined at the end.
// CHECK-LABEL: func.func @column
// CHECK: scf.for
// CHECK: kfuse.tile_load {{.*}} -> vector<4xf32>
// CHECK: kfuse.thread_reduce(%{{.*}}) threads 128 count 4 step 32
// CHECK: kfuse.tile_store %{{.*}} if %
func.func @column(%x0: tensor<1000x256xf32, #kfuse.layout<[1000, 256], [256, 1]>>) -> (tensor<256xf32, #kfuse.layout<[256], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<column>, schedules = [#kfuse.schedule<kind = "column", threads = 128, vector = 4, rows = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>>, #kfuse.schedule<kind = "column", rows = 8>]} : (tensor<1000x256xf32, #kfuse.layout<[1000, 256], [256, 1]>>) -> (tensor<256xf32, #kfuse.layout<[256], [1]>>) body {
  ^bb0(%a0: tensor<1000x256xf32>):
    %o = kfuse.reduce <sum> %a0 dims [0] : tensor<1000x256xf32> -> tensor<256xf32>
    kfuse.yield %o : tensor<256xf32>
  } generic {
  ^bb0(%a0: tensor<1000x256xf32, #kfuse.layout<[1000, 256], [256, 1]>>):
    %1 = kfuse.aten "aten::column"(%a0) : (tensor<1000x256xf32, #kfuse.layout<[1000, 256], [256, 1]>>) -> (tensor<256xf32, #kfuse.layout<[256], [1]>>)
    kfuse.yield %1 : tensor<256xf32, #kfuse.layout<[256], [1]>>
  }
  return %r : tensor<256xf32, #kfuse.layout<[256], [1]>>
}

// -----

// CHECK-LABEL: func.func @transpose
// CHECK: kfuse.tile_load {{.*}} -> vector<2xf32>
// CHECK: kfuse.tile_exchange
// CHECK: kfuse.tile_store
func.func @transpose(%x0: tensor<128x64xf32, #kfuse.layout<[128, 64], [64, 1]>>) -> (tensor<64x128xf32, #kfuse.layout<[64, 128], [128, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<pointwise>, schedules = [#kfuse.schedule<kind = "transpose", vector = 2, guards = <"aligned", 0, 8>, <"aligned", 1, 8>>, #kfuse.schedule<kind = "pointwise">]} : (tensor<128x64xf32, #kfuse.layout<[128, 64], [64, 1]>>) -> (tensor<64x128xf32, #kfuse.layout<[64, 128], [128, 1]>>) body {
  ^bb0(%a0: tensor<128x64xf32>):
    %t = kfuse.permute %a0 [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
    %o = math.exp %t : tensor<64x128xf32>
    kfuse.yield %o : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<128x64xf32, #kfuse.layout<[128, 64], [64, 1]>>):
    %1 = kfuse.aten "aten::transpose"(%a0) : (tensor<128x64xf32, #kfuse.layout<[128, 64], [64, 1]>>) -> (tensor<64x128xf32, #kfuse.layout<[64, 128], [128, 1]>>)
    kfuse.yield %1 : tensor<64x128xf32, #kfuse.layout<[64, 128], [128, 1]>>
  }
  return %r : tensor<64x128xf32, #kfuse.layout<[64, 128], [128, 1]>>
}

// -----

// What cannot be compiled stays as it is and says why.
// CHECK-LABEL: func.func @refused
// CHECK: kfuse.fusion
// CHECK-SAME: kfuse.refused = "a constant tensor with different elements"
func.func @refused() -> (tensor<2xf32, #kfuse.layout<[2], [1]>>) {
  %r = kfuse.fusion() {kind = #kfuse.fusion_kind<pointwise>, schedules = [#kfuse.schedule<kind = "pointwise">]} : () -> (tensor<2xf32, #kfuse.layout<[2], [1]>>) body {
  ^bb0():
    %o = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    kfuse.yield %o : tensor<2xf32>
  } generic {
  ^bb0():
    %1 = kfuse.aten "aten::refused"() : () -> (tensor<2xf32, #kfuse.layout<[2], [1]>>)
    kfuse.yield %1 : tensor<2xf32, #kfuse.layout<[2], [1]>>
  }
  return %r : tensor<2xf32, #kfuse.layout<[2], [1]>>
}

// -----

// A reduction's result used in another row cannot be computed in one pass.
// CHECK-LABEL: func.func @other_row
// CHECK: kfuse.refused = "a reduction's result is used in another row"
func.func @other_row(%x0: tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>) -> (tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", loop = true>]} : (tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>) -> (tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>) body {
  ^bb0(%a0: tensor<8x8xf32>):
    %s = kfuse.reduce <sum> %a0 dims [1] : tensor<8x8xf32> -> tensor<8xf32>
    %b = kfuse.broadcast %s dims [1] sizes [#kfuse.expr<8>, #kfuse.expr<8>] : tensor<8xf32> -> tensor<8x8xf32>
    %o = arith.addf %a0, %b : tensor<8x8xf32>
    kfuse.yield %o : tensor<8x8xf32>
  } generic {
  ^bb0(%a0: tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>):
    %1 = kfuse.aten "aten::other_row"(%a0) : (tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>) -> (tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>)
    kfuse.yield %1 : tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>
  }
  return %r : tensor<8x8xf32, #kfuse.layout<[8, 8], [8, 1]>>
}

// -----

// The output has the shape of what is reduced, and shares nothing else with it:
// its elements are taken where the reduction is.
// CHECK-LABEL: func.func @column_of_another
// CHECK: kfuse.launch "column
// CHECK-NOT: kfuse.fallback_reason
func.func @column_of_another(%x0: tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>, %x1: tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>) -> (tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<column>, schedules = [#kfuse.schedule<kind = "column">]} : (tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>, tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>) -> (tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>) body {
  ^bb0(%a0: tensor<2x49x33xf32>, %a1: tensor<2x49x33xf32>):
    %s = kfuse.reduce <sum> %a0 dims [1] : tensor<2x49x33xf32> -> tensor<2x33xf32>
    %b = kfuse.broadcast %s dims [0, 2] sizes [#kfuse.expr<2>, #kfuse.expr<49>, #kfuse.expr<33>] : tensor<2x33xf32> -> tensor<2x49x33xf32>
    %o = arith.mulf %b, %a1 : tensor<2x49x33xf32>
    kfuse.yield %o : tensor<2x49x33xf32>
  } generic {
  ^bb0(%a0: tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>, %a1: tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>):
    %1 = kfuse.aten "aten::column_of_another"(%a0, %a1) : (tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>, tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>) -> (tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>)
    kfuse.yield %1 : tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>
  }
  return %r : tensor<2x49x33xf32, #kfuse.layout<[2, 49, 33], [1617, 33, 1]>>
}

// -----

// Without guards on alignment a row's packets begin where its results are
// aligned at run time; other tensors are read at any alignment.
// CHECK-LABEL: func.func @anywhere
// CHECK: grid = [<8>, <1>, <1>], block = 64, shared_bytes = 0>]
// CHECK: gpu.func @{{.*}}(%[[X:.*]]: !llvm.ptr<1>, %[[W:.*]]: !llvm.ptr<1>, %[[OUT:.*]]: !llvm.ptr<1>)
// CHECK: llvm.ptrtoint %[[OUT]]
// CHECK: %[[PHASE:.*]] = arith.andi
// CHECK: %[[HEAD:.*]] = arith.minsi
// CHECK: %[[EDGE:.*]] = arith.select %{{.*}} : i32
// All packets of a tensor have one phase; single elements are at the ends.
// CHECK: llvm.ptrtoint %[[X]]
// CHECK: %[[X_PHASE:.*]] = arith.andi
// CHECK: kfuse.tile_load %[[X]][{{[^]]*}}] phase %[[X_PHASE]] {alignment = 4 : i64, covered}
// CHECK: kfuse.tile_load %[[X]][{{[^]]*}}] if %{{.*}} phase %[[X_PHASE]] {alignment = 4 : i64, covered}
// CHECK: kfuse.tile_load %[[X]][%{{.*}}, %[[EDGE]]] if %{{.*}} {{.*}} -> f32
// The weight is on its way before threads wait for each other.
// CHECK: kfuse.tile_load %[[W]]{{.*}} {alignment = 4 : i64, covered}
// CHECK: kfuse.thread_reduce
// CHECK: kfuse.tile_store %{{.*}}, %[[OUT]]{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: kfuse.tile_store %{{.*}}, %[[OUT]]{{.*}} if %{{.*}} {alignment = 4 : i64} : f32
// The scalar variant is never reached.
// CHECK-NOT: gpu.func
func.func @anywhere(%x0: tensor<8x301xf32, #kfuse.layout<[8, 301], [303, 1]>>, %x1: tensor<301xf32, #kfuse.layout<[301], [1]>>) -> (tensor<8x301xf32, #kfuse.layout<[8, 301], [301, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", threads = 64, vector = 4, unroll = 2, shift = true>, #kfuse.schedule<kind = "row", loop = true>]} : (tensor<8x301xf32, #kfuse.layout<[8, 301], [303, 1]>>, tensor<301xf32, #kfuse.layout<[301], [1]>>) -> (tensor<8x301xf32, #kfuse.layout<[8, 301], [301, 1]>>) body {
  ^bb0(%a0: tensor<8x301xf32>, %a1: tensor<301xf32>):
    %m = kfuse.reduce <max> %a0 dims [1] : tensor<8x301xf32> -> tensor<8xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<8>, #kfuse.expr<301>] : tensor<8xf32> -> tensor<8x301xf32>
    %wb = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<8>, #kfuse.expr<301>] : tensor<301xf32> -> tensor<8x301xf32>
    %d = arith.subf %a0, %mb : tensor<8x301xf32>
    %o = arith.mulf %d, %wb : tensor<8x301xf32>
    kfuse.yield %o : tensor<8x301xf32>
  } generic {
  ^bb0(%a0: tensor<8x301xf32, #kfuse.layout<[8, 301], [303, 1]>>, %a1: tensor<301xf32, #kfuse.layout<[301], [1]>>):
    %1 = kfuse.aten "aten::anywhere"(%a0, %a1) : (tensor<8x301xf32, #kfuse.layout<[8, 301], [303, 1]>>, tensor<301xf32, #kfuse.layout<[301], [1]>>) -> (tensor<8x301xf32, #kfuse.layout<[8, 301], [301, 1]>>)
    kfuse.yield %1 : tensor<8x301xf32, #kfuse.layout<[8, 301], [301, 1]>>
  }
  return %r : tensor<8x301xf32, #kfuse.layout<[8, 301], [301, 1]>>
}

// -----

// Rows that share a row of a mask: row / 4 times the same stride is not what
// the shift aligns.
// CHECK-LABEL: func.func @shared_mask
// CHECK: gpu.func @{{.*}}(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[M:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: kfuse.tile_load %[[X]]{{.*}} {alignment = 16 : i64}
// CHECK: kfuse.tile_load %[[M]]{{.*}} {alignment = 4 : i64, covered}
// CHECK: gpu.return
func.func @shared_mask(%x0: tensor<2x4x131xf32, #kfuse.layout<[2, 4, 131], [524, 131, 1]>>, %x1: tensor<2x131xf32, #kfuse.layout<[2, 131], [131, 1]>>) -> (tensor<2x4xf32, #kfuse.layout<[2, 4], [4, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", threads = 32, vector = 4, unroll = 2, shift = true, guards = <"aligned", 0, 16>, <"aligned", 1, 16>>, #kfuse.schedule<kind = "row", loop = true>]} : (tensor<2x4x131xf32, #kfuse.layout<[2, 4, 131], [524, 131, 1]>>, tensor<2x131xf32, #kfuse.layout<[2, 131], [131, 1]>>) -> (tensor<2x4xf32, #kfuse.layout<[2, 4], [4, 1]>>) body {
  ^bb0(%a0: tensor<2x4x131xf32>, %a1: tensor<2x131xf32>):
    %b = kfuse.broadcast %a1 dims [0, 2] sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<131>] : tensor<2x131xf32> -> tensor<2x4x131xf32>
    %x = arith.addf %a0, %b : tensor<2x4x131xf32>
    %m = kfuse.reduce <max> %x dims [2] : tensor<2x4x131xf32> -> tensor<2x4xf32>
    kfuse.yield %m : tensor<2x4xf32>
  } generic {
  ^bb0(%a0: tensor<2x4x131xf32, #kfuse.layout<[2, 4, 131], [524, 131, 1]>>, %a1: tensor<2x131xf32, #kfuse.layout<[2, 131], [131, 1]>>):
    %1 = kfuse.aten "aten::shared_mask"(%a0, %a1) : (tensor<2x4x131xf32, #kfuse.layout<[2, 4, 131], [524, 131, 1]>>, tensor<2x131xf32, #kfuse.layout<[2, 131], [131, 1]>>) -> (tensor<2x4xf32, #kfuse.layout<[2, 4], [4, 1]>>)
    kfuse.yield %1 : tensor<2x4xf32, #kfuse.layout<[2, 4], [4, 1]>>
  }
  return %r : tensor<2x4xf32, #kfuse.layout<[2, 4], [4, 1]>>
}

// -----

// Whole packets begin within the row: a channel is never that of a negative
// column.
// CHECK-LABEL: func.func @channels_of_odd_rows
// CHECK: gpu.func
// CHECK: %[[FITS:.*]] = arith.cmpi sle
// CHECK: arith.divui %{{.*}}, %c49
// CHECK: kfuse.tile_load %{{.*}} -> f32
// CHECK: gpu.return
func.func @channels_of_odd_rows(%x0: tensor<4x3x49xf32, #kfuse.layout<[4, 3, 49], [147, 49, 1]>>, %x1: tensor<3xf32, #kfuse.layout<[3], [1]>>) -> (tensor<4xf32, #kfuse.layout<[4], [1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", threads = 32, vector = 4, unroll = 2, shift = true>]} : (tensor<4x3x49xf32, #kfuse.layout<[4, 3, 49], [147, 49, 1]>>, tensor<3xf32, #kfuse.layout<[3], [1]>>) -> (tensor<4xf32, #kfuse.layout<[4], [1]>>) body {
  ^bb0(%a0: tensor<4x3x49xf32>, %a1: tensor<3xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<4>, #kfuse.expr<3>, #kfuse.expr<49>] : tensor<3xf32> -> tensor<4x3x49xf32>
    %x = arith.mulf %a0, %b : tensor<4x3x49xf32>
    %m = kfuse.reduce <max> %x dims [1, 2] : tensor<4x3x49xf32> -> tensor<4xf32>
    kfuse.yield %m : tensor<4xf32>
  } generic {
  ^bb0(%a0: tensor<4x3x49xf32, #kfuse.layout<[4, 3, 49], [147, 49, 1]>>, %a1: tensor<3xf32, #kfuse.layout<[3], [1]>>):
    %1 = kfuse.aten "aten::channels"(%a0, %a1) : (tensor<4x3x49xf32, #kfuse.layout<[4, 3, 49], [147, 49, 1]>>, tensor<3xf32, #kfuse.layout<[3], [1]>>) -> (tensor<4xf32, #kfuse.layout<[4], [1]>>)
    kfuse.yield %1 : tensor<4xf32, #kfuse.layout<[4], [1]>>
  }
  return %r : tensor<4xf32, #kfuse.layout<[4], [1]>>
}

// -----

// The last block of a row combines the parts that all left in scratch memory.
// CHECK-LABEL: func.func @split
// CHECK: kfuse.launch {{.*}}kfuse.scratch_bytes = 272 : i64
// CHECK-SAME: tensors = [0, 1, 2], scalars = [], grid = [<64>, <1>, <1>], block = 128, shared_bytes = 0>
// CHECK: gpu.func @{{.*}}(%{{.*}}: !llvm.ptr<1>, %[[OUT:[a-z0-9]+]]: !llvm.ptr<1>, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK: scf.for
// CHECK: kfuse.thread_reduce
// CHECK: llvm.getelementptr %[[SCRATCH]][16]
// CHECK: kfuse.tile_store %{{.*}} if %
// CHECK: %[[LAST:.*]] = kfuse.split_arrive %[[SCRATCH]][%{{.*}}] of 64
// CHECK: scf.if %[[LAST]]
// CHECK: kfuse.tile_load {{.*}} fresh
// CHECK: kfuse.thread_reduce
// CHECK: kfuse.tile_store %{{.*}}, %[[OUT]]
func.func @split(%x0: tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<f32, #kfuse.layout<[], []>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>, schedules = [#kfuse.schedule<kind = "row", threads = 128, vector = 4, unroll = 4, loop = true, shift = true, split = 64>, #kfuse.schedule<kind = "row", loop = true>]} : (tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<f32, #kfuse.layout<[], []>>) body {
  ^bb0(%a0: tensor<1048577xf32>):
    %s = kfuse.reduce <sum> %a0 dims [0] : tensor<1048577xf32> -> tensor<f32>
    kfuse.yield %s : tensor<f32>
  } generic {
  ^bb0(%a0: tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>):
    %1 = kfuse.aten "aten::sum"(%a0) : (tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<f32, #kfuse.layout<[], []>>)
    kfuse.yield %1 : tensor<f32, #kfuse.layout<[], []>>
  }
  return %r : tensor<f32, #kfuse.layout<[], []>>
}
