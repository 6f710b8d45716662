// RUN: kfuse-opt %s -kfuse-plan-schedules | FileCheck %s
// RUN: kfuse-opt %s -kfuse-plan-schedules='arch=sm_80' | FileCheck %s --check-prefix=SM80
// RUN: not kfuse-opt %s -kfuse-plan-schedules='arch=sm_1' 2>&1 | FileCheck %s --check-prefix=ARCH

// ARCH: error: expected a known architecture, found 'sm_1'

// Packets of 16 bytes where the pointers allow, else element by element.
// CHECK-LABEL: func.func @known_sizes
// CHECK: schedules = [#kfuse.schedule<kind = "pointwise", vector = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>, <"aligned", 2, 16>>, #kfuse.schedule<kind = "pointwise", vector = 4>, #kfuse.schedule<kind = "pointwise">]
// SM80-LABEL: func.func @known_sizes
// SM80: vector = 4
func.func @known_sizes(%x0: tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>, %x1: tensor<40xf32, #kfuse.layout<[40], [1]>>) -> (tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>, tensor<40xf32, #kfuse.layout<[40], [1]>>) -> (tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>) body {
  ^bb0(%a0: tensor<64x40xf32>, %a1: tensor<40xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<64>, #kfuse.expr<40>] : tensor<40xf32> -> tensor<64x40xf32>
    %o = arith.addf %a0, %b : tensor<64x40xf32>
    kfuse.yield %o : tensor<64x40xf32>
  } generic {
  ^bb0(%a0: tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>, %a1: tensor<40xf32, #kfuse.layout<[40], [1]>>):
    %1 = kfuse.aten "aten::known_sizes"(%a0, %a1) : (tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>, tensor<40xf32, #kfuse.layout<[40], [1]>>) -> (tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>)
    kfuse.yield %1 : tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>
  }
  return %r : tensor<64x40xf32, #kfuse.layout<[64, 40], [40, 1]>>
}

// Sizes that may be large need a guard for 32-bit offsets; the last variant has
// none.
// CHECK-LABEL: func.func @unknown_sizes
// CHECK: vector = 4, guards = {{.*}}<"divisible", s1, 4>
// CHECK-SAME: #kfuse.schedule<kind = "pointwise", vector = 4, guards = <"le", s0 * s1, 2147418111>, <"le", s1, 2147483647>, <"le", 4, s1>>
// CHECK-SAME: #kfuse.schedule<kind = "pointwise", guards = <"le", s0 * s1, 2147418111>, <"le", s1, 2147483647>>
// CHECK-SAME: #kfuse.schedule<kind = "pointwise", index_bits = 64>]
func.func @unknown_sizes(%x0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, %x1: tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) {
  %r = kfuse.fusion(%x0, %x1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) body {
  ^bb0(%a0: tensor<?x?xf32>, %a1: tensor<?xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : tensor<?xf32> -> tensor<?x?xf32>
    %o = arith.addf %a0, %b : tensor<?x?xf32>
    kfuse.yield %o : tensor<?x?xf32>
  } generic {
  ^bb0(%a0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, %a1: tensor<?xf32, #kfuse.layout<[s1], [1]>>):
    %1 = kfuse.aten "aten::unknown_sizes"(%a0, %a1) : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xf32, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>)
    kfuse.yield %1 : tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
  }
  return %r : tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
}

// A row of 4096 in the registers of 128 threads.
// CHECK-LABEL: func.func @row_in_registers
// CHECK: [#kfuse.schedule<kind = "row", threads = 128, vector = 8, unroll = 4, guards = <"aligned", 0, 16>, <"aligned", 1, 16>>, #kfuse.schedule<kind = "row", threads = 128, vector = 8, unroll = 4, shift = true>, #kfuse.schedule<kind = "row", loop = true>]
func.func @row_in_registers(%x0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) body {
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
    %1 = kfuse.aten "aten::row_in_registers"(%a0) : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>)
    kfuse.yield %1 : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>
  }
  return %r : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>
}

// Short rows share a block.
// CHECK-LABEL: func.func @short_rows
// CHECK: threads = 128, vector = 8, unroll = 3, rows = 8,
func.func @short_rows(%x0: tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>) -> (tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>) -> (tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>) body {
  ^bb0(%a0: tensor<100x384xbf16>):
    %e = arith.extf %a0 : tensor<100x384xbf16> to tensor<100x384xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<100x384xf32> -> tensor<100xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<100>, #kfuse.expr<384>] : tensor<100xf32> -> tensor<100x384xf32>
    %d = arith.subf %e, %mb : tensor<100x384xf32>
    %x = math.exp %d : tensor<100x384xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<100x384xf32> -> tensor<100xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<100>, #kfuse.expr<384>] : tensor<100xf32> -> tensor<100x384xf32>
    %q = arith.divf %x, %sb : tensor<100x384xf32>
    %o = kfuse.round %q : tensor<100x384xf32> -> tensor<100x384xbf16>
    kfuse.yield %o : tensor<100x384xbf16>
  } generic {
  ^bb0(%a0: tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>):
    %1 = kfuse.aten "aten::short_rows"(%a0) : (tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>) -> (tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>)
    kfuse.yield %1 : tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>
  }
  return %r : tensor<100x384xbf16, #kfuse.layout<[100, 384], [384, 1]>>
}

// Rows that do not begin at a packet.
// CHECK-LABEL: func.func @odd_rows
// CHECK: threads = 128, vector = 8, unroll = 4, shift = true,
func.func @odd_rows(%x0: tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) -> (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) -> (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) body {
  ^bb0(%a0: tensor<16384x4095xbf16>):
    %e = arith.extf %a0 : tensor<16384x4095xbf16> to tensor<16384x4095xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<16384x4095xf32> -> tensor<16384xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<16384xf32> -> tensor<16384x4095xf32>
    %d = arith.subf %e, %mb : tensor<16384x4095xf32>
    %x = math.exp %d : tensor<16384x4095xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<16384x4095xf32> -> tensor<16384xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<16384xf32> -> tensor<16384x4095xf32>
    %q = arith.divf %x, %sb : tensor<16384x4095xf32>
    %o = kfuse.round %q : tensor<16384x4095xf32> -> tensor<16384x4095xbf16>
    kfuse.yield %o : tensor<16384x4095xbf16>
  } generic {
  ^bb0(%a0: tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>):
    %1 = kfuse.aten "aten::odd_rows"(%a0) : (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) -> (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>)
    kfuse.yield %1 : tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>
  }
  return %r : tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>
}

// Rows too long for registers are walked.
// CHECK-LABEL: func.func @long_rows
// CHECK: [#kfuse.schedule<kind = "row", threads = 512, vector = 8, unroll = 4, loop = true,
func.func @long_rows(%x0: tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>) -> (tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>) -> (tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>) body {
  ^bb0(%a0: tensor<512x131072xbf16>):
    %e = arith.extf %a0 : tensor<512x131072xbf16> to tensor<512x131072xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<512x131072xf32> -> tensor<512xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<512>, #kfuse.expr<131072>] : tensor<512xf32> -> tensor<512x131072xf32>
    %d = arith.subf %e, %mb : tensor<512x131072xf32>
    %x = math.exp %d : tensor<512x131072xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<512x131072xf32> -> tensor<512xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<512>, #kfuse.expr<131072>] : tensor<512xf32> -> tensor<512x131072xf32>
    %q = arith.divf %x, %sb : tensor<512x131072xf32>
    %o = kfuse.round %q : tensor<512x131072xf32> -> tensor<512x131072xbf16>
    kfuse.yield %o : tensor<512x131072xbf16>
  } generic {
  ^bb0(%a0: tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>):
    %1 = kfuse.aten "aten::long_rows"(%a0) : (tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>) -> (tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>)
    kfuse.yield %1 : tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>
  }
  return %r : tensor<512x131072xbf16, #kfuse.layout<[512, 131072], [131072, 1]>>
}

// CHECK-LABEL: func.func @empty_rows
// CHECK: [#kfuse.schedule<kind = "row", threads = 128, rows = 4, loop = true>]
func.func @empty_rows(%x0: tensor<5x0xf32, #kfuse.layout<[5, 0], [0, 1]>>) -> (tensor<5xf32, #kfuse.layout<[5], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<5x0xf32, #kfuse.layout<[5, 0], [0, 1]>>) -> (tensor<5xf32, #kfuse.layout<[5], [1]>>) body {
  ^bb0(%a0: tensor<5x0xf32>):
    %o = kfuse.reduce <sum> %a0 dims [1] : tensor<5x0xf32> -> tensor<5xf32>
    kfuse.yield %o : tensor<5xf32>
  } generic {
  ^bb0(%a0: tensor<5x0xf32, #kfuse.layout<[5, 0], [0, 1]>>):
    %1 = kfuse.aten "aten::empty_rows"(%a0) : (tensor<5x0xf32, #kfuse.layout<[5, 0], [0, 1]>>) -> (tensor<5xf32, #kfuse.layout<[5], [1]>>)
    kfuse.yield %1 : tensor<5xf32, #kfuse.layout<[5], [1]>>
  }
  return %r : tensor<5xf32, #kfuse.layout<[5], [1]>>
}

// CHECK-LABEL: func.func @columns
// CHECK: [#kfuse.schedule<kind = "column", threads = 1024, unroll = 16, rows = 32>]
func.func @columns(%x0: tensor<16384x4096xf32, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<4096xf32, #kfuse.layout<[4096], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<column>} : (tensor<16384x4096xf32, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<4096xf32, #kfuse.layout<[4096], [1]>>) body {
  ^bb0(%a0: tensor<16384x4096xf32>):
    %o = kfuse.reduce <sum> %a0 dims [0] : tensor<16384x4096xf32> -> tensor<4096xf32>
    kfuse.yield %o : tensor<4096xf32>
  } generic {
  ^bb0(%a0: tensor<16384x4096xf32, #kfuse.layout<[16384, 4096], [4096, 1]>>):
    %1 = kfuse.aten "aten::columns"(%a0) : (tensor<16384x4096xf32, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<4096xf32, #kfuse.layout<[4096], [1]>>)
    kfuse.yield %1 : tensor<4096xf32, #kfuse.layout<[4096], [1]>>
  }
  return %r : tensor<4096xf32, #kfuse.layout<[4096], [1]>>
}

// -----

// Rows of unknown length: packets where they are aligned, else packets that
// find their place at run time; short rows element by element.
// CHECK-LABEL: func.func @unknown_rows
// CHECK: kind = "row", threads = 128, vector = 4, unroll = 4, rows = 4, guards = {{.*}}<"divisible", s1, 4>
// CHECK-SAME: #kfuse.schedule<kind = "row", threads = 128, unroll = 8, rows = 4, guards = <"le", s1, 256>
// CHECK-SAME: #kfuse.schedule<kind = "row", threads = 128, vector = 4, unroll = 4, rows = 4, shift = true, guards = <"le", s1, 512>
// CHECK-SAME: #kfuse.schedule<kind = "row", vector = 4, unroll = 4, shift = true, guards = <"le", s1, 4096>
// CHECK-SAME: #kfuse.schedule<kind = "row", vector = 4, unroll = 4, loop = true, shift = true, guards = <"le", s1, 2147418111>
func.func @unknown_rows(%x0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) -> (tensor<?xf32, #kfuse.layout<[s0], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) -> (tensor<?xf32, #kfuse.layout<[s0], [1]>>) body {
  ^bb0(%a0: tensor<?x?xf32>):
    %s = kfuse.reduce <sum> %a0 dims [1] : tensor<?x?xf32> -> tensor<?xf32>
    kfuse.yield %s : tensor<?xf32>
  } generic {
  ^bb0(%a0: tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>):
    %1 = kfuse.aten "aten::unknown_rows"(%a0) : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) -> (tensor<?xf32, #kfuse.layout<[s0], [1]>>)
    kfuse.yield %1 : tensor<?xf32, #kfuse.layout<[s0], [1]>>
  }
  return %r : tensor<?xf32, #kfuse.layout<[s0], [1]>>
}

// -----

// One long row is shared by blocks.
// CHECK-LABEL: func.func @one_long_row
// CHECK: schedules = [#kfuse.schedule<kind = "row", threads = 512, vector = 4, unroll = 4, loop = true, shift = true, split = 128>
func.func @one_long_row(%x0: tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<f32, #kfuse.layout<[], []>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<row>} : (tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<f32, #kfuse.layout<[], []>>) body {
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

// -----

// Packets with offsets of 64 bits.
// CHECK-LABEL: func.func @huge_columns
// CHECK: schedules = [#kfuse.schedule<kind = "column", threads = 512, vector = 4, unroll = 4, rows = 16, index_bits = 64, guards = <"aligned", 0, 16>, <"aligned", 1, 16>>, #kfuse.schedule<kind = "column", threads = 512, vector = 4, unroll = 4, rows = 16, index_bits = 64>
func.func @huge_columns(%x0: tensor<70000x65536xf32, #kfuse.layout<[70000, 65536], [65536, 1]>>) -> (tensor<65536xf32, #kfuse.layout<[65536], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<column>} : (tensor<70000x65536xf32, #kfuse.layout<[70000, 65536], [65536, 1]>>) -> (tensor<65536xf32, #kfuse.layout<[65536], [1]>>) body {
  ^bb0(%a0: tensor<70000x65536xf32>):
    %o = kfuse.reduce <sum> %a0 dims [0] : tensor<70000x65536xf32> -> tensor<65536xf32>
    kfuse.yield %o : tensor<65536xf32>
  } generic {
  ^bb0(%a0: tensor<70000x65536xf32, #kfuse.layout<[70000, 65536], [65536, 1]>>):
    %1 = kfuse.aten "aten::sum"(%a0) : (tensor<70000x65536xf32, #kfuse.layout<[70000, 65536], [65536, 1]>>) -> (tensor<65536xf32, #kfuse.layout<[65536], [1]>>)
    kfuse.yield %1 : tensor<65536xf32, #kfuse.layout<[65536], [1]>>
  }
  return %r : tensor<65536xf32, #kfuse.layout<[65536], [1]>>
}


// -----

// Columns of odd length begin anywhere.
// CHECK-LABEL: func.func @odd_columns
// CHECK: schedules = [#kfuse.schedule<kind = "column", threads = 1024, vector = 4, unroll = 4, rows = 32>, #kfuse.schedule<kind = "column", threads = 1024, unroll = 4, rows = 32>]
func.func @odd_columns(%x0: tensor<8192x20001xf32, #kfuse.layout<[8192, 20001], [20001, 1]>>) -> (tensor<20001xf32, #kfuse.layout<[20001], [1]>>) {
  %r = kfuse.fusion(%x0) {kind = #kfuse.fusion_kind<column>} : (tensor<8192x20001xf32, #kfuse.layout<[8192, 20001], [20001, 1]>>) -> (tensor<20001xf32, #kfuse.layout<[20001], [1]>>) body {
  ^bb0(%a0: tensor<8192x20001xf32>):
    %o = kfuse.reduce <sum> %a0 dims [0] : tensor<8192x20001xf32> -> tensor<20001xf32>
    kfuse.yield %o : tensor<20001xf32>
  } generic {
  ^bb0(%a0: tensor<8192x20001xf32, #kfuse.layout<[8192, 20001], [20001, 1]>>):
    %1 = kfuse.aten "aten::sum"(%a0) : (tensor<8192x20001xf32, #kfuse.layout<[8192, 20001], [20001, 1]>>) -> (tensor<20001xf32, #kfuse.layout<[20001], [1]>>)
    kfuse.yield %1 : tensor<20001xf32, #kfuse.layout<[20001], [1]>>
  }
  return %r : tensor<20001xf32, #kfuse.layout<[20001], [1]>>
}
