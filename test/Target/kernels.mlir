// Every kind of kernel goes through ptxas for every architecture.
// REQUIRES: ptxas, libdevice
// RUN: kfuse-compile %s --start-from=fuse --target=sm_80,sm_90a,sm_100 --ptxas=%ptxas --libdevice=%libdevice -o %t.kfuse
// RUN: unzip -l %t.kfuse | FileCheck %s

// CHECK-DAG: kernels/sm_80/{{.*}}.cubin
// CHECK-DAG: kernels/sm_90a/{{.*}}.cubin
// CHECK-DAG: kernels/sm_100/{{.*}}.cubin

func.func @main(%in0_0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>, %in1_0: tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, %in2_0: tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, %in2_1: tensor<4095xbf16, #kfuse.layout<[4095], [1]>>, %in2_2: tensor<4095xbf16, #kfuse.layout<[4095], [1]>>, %in3_0: tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, %in3_1: tensor<768xbf16, #kfuse.layout<[768], [1]>>, %in3_2: tensor<768xbf16, #kfuse.layout<[768], [1]>>, %in4_0: tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, %in4_1: tensor<8191xbf16, #kfuse.layout<[8191], [1]>>, %in5_0: tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, %in5_1: tensor<?xbf16, #kfuse.layout<[s1], [1]>>, %in6_0: tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, %in7_0: tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>, %in8_0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>, %in9_0: tensor<100x1000xf32, #kfuse.layout<[100, 1000], [1000, 1]>>, %in10_0: tensor<1000x30xf32, #kfuse.layout<[1000, 30], [30, 1]>>, %in11_0: tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, %in11_1: tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, %in12_0: tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, %in12_1: tensor<32xf32, #kfuse.layout<[32], [1]>>, %in13_0: tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 42, 168, 1]>>, %in13_1: tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>, %in13_2: tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>, %in14_0: tensor<1000x384xf32, #kfuse.layout<[1000, 384], [384, 1]>>, %in14_1: tensor<?x?xi64, #kfuse.layout<[s0, s1], [s1, 1]>>, %in14_2: tensor<512x384xf32, #kfuse.layout<[512, 384], [384, 1]>>, %in15_0: tensor<50x70xf32, #kfuse.layout<[50, 70], [70, 1]>>, %in15_1: tensor<40x33xi64, #kfuse.layout<[40, 33], [33, 1]>>, %in16_0: tensor<13x20xf32, #kfuse.layout<[13, 20], [20, 1]>>, %in17_0: tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, %in17_1: tensor<2x1x1x16xi1, #kfuse.layout<[2, 1, 1, 16], [16, 16, 16, 1]>>, %in18_0: tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, %in18_1: tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, %in18_2: tensor<512xbf16, #kfuse.layout<[512], [1]>>, %in19_0: tensor<4x50x6xf64, #kfuse.layout<[4, 50, 6], [300, 6, 1]>>, %in20_0: tensor<1000xf32, #kfuse.layout<[1000], [1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>, tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>, tensor<4096xf32, #kfuse.layout<[4096], [1]>>, tensor<100xi64, #kfuse.layout<[100], [1]>>, tensor<30xi64, #kfuse.layout<[30], [1]>>, tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 1386, 42, 1]>>, tensor<?x?x384xf32, #kfuse.layout<[s0, s1, 384], [s1 * 384, 384, 1]>>, tensor<40x33xf32, #kfuse.layout<[40, 33], [33, 1]>>, tensor<18x31xf32, #kfuse.layout<[18, 31], [31, 1]>>, tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x3x9x16xi1, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300xf32, #kfuse.layout<[300], [1]>>, tensor<4x6xf64, #kfuse.layout<[4, 6], [6, 1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>) {
  %out0 = kfuse.fusion(%in0_0) {kind = #kfuse.fusion_kind<row>} : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) body {
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
    %1 = kfuse.aten "aten::softmax_16384_4096"(%a0) : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>)
    kfuse.yield %1 : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>
  }
  %out1 = kfuse.fusion(%in1_0) {kind = #kfuse.fusion_kind<row>} : (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>) -> (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>) body {
  ^bb0(%a0: tensor<16384x8191xbf16>):
    %e = arith.extf %a0 : tensor<16384x8191xbf16> to tensor<16384x8191xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<16384x8191xf32> -> tensor<16384xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : tensor<16384xf32> -> tensor<16384x8191xf32>
    %d = arith.subf %e, %mb : tensor<16384x8191xf32>
    %x = math.exp %d : tensor<16384x8191xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<16384x8191xf32> -> tensor<16384xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : tensor<16384xf32> -> tensor<16384x8191xf32>
    %q = arith.divf %x, %sb : tensor<16384x8191xf32>
    %o = kfuse.round %q : tensor<16384x8191xf32> -> tensor<16384x8191xbf16>
    kfuse.yield %o : tensor<16384x8191xbf16>
  } generic {
  ^bb0(%a0: tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>):
    %1 = kfuse.aten "aten::softmax_16384_8191"(%a0) : (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>) -> (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>)
    kfuse.yield %1 : tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>
  }
  %out2 = kfuse.fusion(%in2_0, %in2_1, %in2_2) {kind = #kfuse.fusion_kind<row>} : (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, tensor<4095xbf16, #kfuse.layout<[4095], [1]>>, tensor<4095xbf16, #kfuse.layout<[4095], [1]>>) -> (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>) body {
  ^bb0(%a0: tensor<16384x4095xbf16>, %a1: tensor<4095xbf16>, %a2: tensor<4095xbf16>):
    %e = arith.extf %a0 : tensor<16384x4095xbf16> to tensor<16384x4095xf32>
    %ni = kfuse.size #kfuse.expr<4095>
    %nf = arith.sitofp %ni : i64 to f32
    %nt = kfuse.full %nf sizes [#kfuse.expr<16384>] : f32 -> tensor<16384xf32>
    %s = kfuse.reduce <sum> %e dims [1] : tensor<16384x4095xf32> -> tensor<16384xf32>
    %mu = arith.divf %s, %nt : tensor<16384xf32>
    %mb = kfuse.broadcast %mu dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<16384xf32> -> tensor<16384x4095xf32>
    %d = arith.subf %e, %mb : tensor<16384x4095xf32>
    %d2 = arith.mulf %d, %d : tensor<16384x4095xf32>
    %v = kfuse.reduce <sum> %d2 dims [1] : tensor<16384x4095xf32> -> tensor<16384xf32>
    %va = arith.divf %v, %nt : tensor<16384xf32>
    %epsc = arith.constant 1.0e-5 : f32
    %eps = kfuse.full %epsc sizes [#kfuse.expr<16384>] : f32 -> tensor<16384xf32>
    %ve = arith.addf %va, %eps : tensor<16384xf32>
    %rs = math.rsqrt %ve : tensor<16384xf32>
    %rb = kfuse.broadcast %rs dims [0] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<16384xf32> -> tensor<16384x4095xf32>
    %nn = arith.mulf %d, %rb : tensor<16384x4095xf32>
    %g = arith.extf %a1 : tensor<4095xbf16> to tensor<4095xf32>
    %b = arith.extf %a2 : tensor<4095xbf16> to tensor<4095xf32>
    %gb = kfuse.broadcast %g dims [1] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<4095xf32> -> tensor<16384x4095xf32>
    %bb = kfuse.broadcast %b dims [1] sizes [#kfuse.expr<16384>, #kfuse.expr<4095>] : tensor<4095xf32> -> tensor<16384x4095xf32>
    %w = arith.mulf %nn, %gb : tensor<16384x4095xf32>
    %w2 = arith.addf %w, %bb : tensor<16384x4095xf32>
    %o = kfuse.round %w2 : tensor<16384x4095xf32> -> tensor<16384x4095xbf16>
    kfuse.yield %o : tensor<16384x4095xbf16>
  } generic {
  ^bb0(%a0: tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, %a1: tensor<4095xbf16, #kfuse.layout<[4095], [1]>>, %a2: tensor<4095xbf16, #kfuse.layout<[4095], [1]>>):
    %1 = kfuse.aten "aten::layernorm_16384_4095"(%a0, %a1, %a2) : (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, tensor<4095xbf16, #kfuse.layout<[4095], [1]>>, tensor<4095xbf16, #kfuse.layout<[4095], [1]>>) -> (tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>)
    kfuse.yield %1 : tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>
  }
  %out3 = kfuse.fusion(%in3_0, %in3_1, %in3_2) {kind = #kfuse.fusion_kind<row>} : (tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, tensor<768xbf16, #kfuse.layout<[768], [1]>>, tensor<768xbf16, #kfuse.layout<[768], [1]>>) -> (tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>) body {
  ^bb0(%a0: tensor<8x128x768xbf16>, %a1: tensor<768xbf16>, %a2: tensor<768xbf16>):
    %e = arith.extf %a0 : tensor<8x128x768xbf16> to tensor<8x128x768xf32>
    %ni = kfuse.size #kfuse.expr<768>
    %nf = arith.sitofp %ni : i64 to f32
    %nt = kfuse.full %nf sizes [#kfuse.expr<8>, #kfuse.expr<128>] : f32 -> tensor<8x128xf32>
    %s = kfuse.reduce <sum> %e dims [2] : tensor<8x128x768xf32> -> tensor<8x128xf32>
    %mu = arith.divf %s, %nt : tensor<8x128xf32>
    %mb = kfuse.broadcast %mu dims [0, 1] sizes [#kfuse.expr<8>, #kfuse.expr<128>, #kfuse.expr<768>] : tensor<8x128xf32> -> tensor<8x128x768xf32>
    %d = arith.subf %e, %mb : tensor<8x128x768xf32>
    %d2 = arith.mulf %d, %d : tensor<8x128x768xf32>
    %v = kfuse.reduce <sum> %d2 dims [2] : tensor<8x128x768xf32> -> tensor<8x128xf32>
    %va = arith.divf %v, %nt : tensor<8x128xf32>
    %epsc = arith.constant 1.0e-5 : f32
    %eps = kfuse.full %epsc sizes [#kfuse.expr<8>, #kfuse.expr<128>] : f32 -> tensor<8x128xf32>
    %ve = arith.addf %va, %eps : tensor<8x128xf32>
    %rs = math.rsqrt %ve : tensor<8x128xf32>
    %rb = kfuse.broadcast %rs dims [0, 1] sizes [#kfuse.expr<8>, #kfuse.expr<128>, #kfuse.expr<768>] : tensor<8x128xf32> -> tensor<8x128x768xf32>
    %nn = arith.mulf %d, %rb : tensor<8x128x768xf32>
    %g = arith.extf %a1 : tensor<768xbf16> to tensor<768xf32>
    %b = arith.extf %a2 : tensor<768xbf16> to tensor<768xf32>
    %gb = kfuse.broadcast %g dims [2] sizes [#kfuse.expr<8>, #kfuse.expr<128>, #kfuse.expr<768>] : tensor<768xf32> -> tensor<8x128x768xf32>
    %bb = kfuse.broadcast %b dims [2] sizes [#kfuse.expr<8>, #kfuse.expr<128>, #kfuse.expr<768>] : tensor<768xf32> -> tensor<8x128x768xf32>
    %w = arith.mulf %nn, %gb : tensor<8x128x768xf32>
    %w2 = arith.addf %w, %bb : tensor<8x128x768xf32>
    %o = kfuse.round %w2 : tensor<8x128x768xf32> -> tensor<8x128x768xbf16>
    kfuse.yield %o : tensor<8x128x768xbf16>
  } generic {
  ^bb0(%a0: tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, %a1: tensor<768xbf16, #kfuse.layout<[768], [1]>>, %a2: tensor<768xbf16, #kfuse.layout<[768], [1]>>):
    %1 = kfuse.aten "aten::layernorm_8_128_768"(%a0, %a1, %a2) : (tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, tensor<768xbf16, #kfuse.layout<[768], [1]>>, tensor<768xbf16, #kfuse.layout<[768], [1]>>) -> (tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>)
    kfuse.yield %1 : tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>
  }
  %out4 = kfuse.fusion(%in4_0, %in4_1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<8191xbf16, #kfuse.layout<[8191], [1]>>) -> (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>) body {
  ^bb0(%a0: tensor<16384x8191xbf16>, %a1: tensor<8191xbf16>):
    %e = arith.extf %a0 : tensor<16384x8191xbf16> to tensor<16384x8191xf32>
    %b0 = arith.extf %a1 : tensor<8191xbf16> to tensor<8191xf32>
    %bb = kfuse.broadcast %b0 dims [1] sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : tensor<8191xf32> -> tensor<16384x8191xf32>
    %h = arith.addf %e, %bb : tensor<16384x8191xf32>
    %k0c = arith.constant 0.5 : f32
    %k0 = kfuse.full %k0c sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : f32 -> tensor<16384x8191xf32>
    %k1c = arith.constant 0.7978845608 : f32
    %k1 = kfuse.full %k1c sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : f32 -> tensor<16384x8191xf32>
    %k2c = arith.constant 0.044715 : f32
    %k2 = kfuse.full %k2c sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : f32 -> tensor<16384x8191xf32>
    %onec = arith.constant 1.0 : f32
    %one = kfuse.full %onec sizes [#kfuse.expr<16384>, #kfuse.expr<8191>] : f32 -> tensor<16384x8191xf32>
    %h2 = arith.mulf %h, %h : tensor<16384x8191xf32>
    %h3 = arith.mulf %h2, %h : tensor<16384x8191xf32>
    %u2 = math.fma %h3, %k2, %h : tensor<16384x8191xf32>
    %u3 = arith.mulf %u2, %k1 : tensor<16384x8191xf32>
    %t = math.tanh %u3 : tensor<16384x8191xf32>
    %t1 = arith.addf %t, %one : tensor<16384x8191xf32>
    %hh = arith.mulf %h, %k0 : tensor<16384x8191xf32>
    %g = arith.mulf %hh, %t1 : tensor<16384x8191xf32>
    %o = kfuse.round %g : tensor<16384x8191xf32> -> tensor<16384x8191xbf16>
    kfuse.yield %o : tensor<16384x8191xbf16>
  } generic {
  ^bb0(%a0: tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, %a1: tensor<8191xbf16, #kfuse.layout<[8191], [1]>>):
    %1 = kfuse.aten "aten::gelu_16384_8191"(%a0, %a1) : (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<8191xbf16, #kfuse.layout<[8191], [1]>>) -> (tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>)
    kfuse.yield %1 : tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>
  }
  %out5 = kfuse.fusion(%in5_0, %in5_1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xbf16, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>) body {
  ^bb0(%a0: tensor<?x?xbf16>, %a1: tensor<?xbf16>):
    %e = arith.extf %a0 : tensor<?x?xbf16> to tensor<?x?xf32>
    %b0 = arith.extf %a1 : tensor<?xbf16> to tensor<?xf32>
    %bb = kfuse.broadcast %b0 dims [1] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : tensor<?xf32> -> tensor<?x?xf32>
    %h = arith.addf %e, %bb : tensor<?x?xf32>
    %k0c = arith.constant 0.5 : f32
    %k0 = kfuse.full %k0c sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : f32 -> tensor<?x?xf32>
    %k1c = arith.constant 0.7978845608 : f32
    %k1 = kfuse.full %k1c sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : f32 -> tensor<?x?xf32>
    %k2c = arith.constant 0.044715 : f32
    %k2 = kfuse.full %k2c sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : f32 -> tensor<?x?xf32>
    %onec = arith.constant 1.0 : f32
    %one = kfuse.full %onec sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : f32 -> tensor<?x?xf32>
    %h2 = arith.mulf %h, %h : tensor<?x?xf32>
    %h3 = arith.mulf %h2, %h : tensor<?x?xf32>
    %u2 = math.fma %h3, %k2, %h : tensor<?x?xf32>
    %u3 = arith.mulf %u2, %k1 : tensor<?x?xf32>
    %t = math.tanh %u3 : tensor<?x?xf32>
    %t1 = arith.addf %t, %one : tensor<?x?xf32>
    %hh = arith.mulf %h, %k0 : tensor<?x?xf32>
    %g = arith.mulf %hh, %t1 : tensor<?x?xf32>
    %o = kfuse.round %g : tensor<?x?xf32> -> tensor<?x?xbf16>
    kfuse.yield %o : tensor<?x?xbf16>
  } generic {
  ^bb0(%a0: tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, %a1: tensor<?xbf16, #kfuse.layout<[s1], [1]>>):
    %1 = kfuse.aten "aten::gelu_dyn2"(%a0, %a1) : (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?xbf16, #kfuse.layout<[s1], [1]>>) -> (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>)
    kfuse.yield %1 : tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>
  }
  %out6 = kfuse.fusion(%in6_0) {kind = #kfuse.fusion_kind<row>} : (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>) -> (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>) body {
  ^bb0(%a0: tensor<?x?xbf16>):
    %e = arith.extf %a0 : tensor<?x?xbf16> to tensor<?x?xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<?x?xf32> -> tensor<?xf32>
    %mb = kfuse.broadcast %m dims [0] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : tensor<?xf32> -> tensor<?x?xf32>
    %d = arith.subf %e, %mb : tensor<?x?xf32>
    %x = math.exp %d : tensor<?x?xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<?x?xf32> -> tensor<?xf32>
    %sb = kfuse.broadcast %s dims [0] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>] : tensor<?xf32> -> tensor<?x?xf32>
    %q = arith.divf %x, %sb : tensor<?x?xf32>
    %o = kfuse.round %q : tensor<?x?xf32> -> tensor<?x?xbf16>
    kfuse.yield %o : tensor<?x?xbf16>
  } generic {
  ^bb0(%a0: tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>):
    %1 = kfuse.aten "aten::softmax_dyn"(%a0) : (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>) -> (tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>)
    kfuse.yield %1 : tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>
  }
  %out7 = kfuse.fusion(%in7_0) {kind = #kfuse.fusion_kind<column>} : (tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>) -> (tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>) body {
  ^bb0(%a0: tensor<3x17x33xbf16>):
    %e = arith.extf %a0 : tensor<3x17x33xbf16> to tensor<3x17x33xf32>
    %m = kfuse.reduce <max> %e dims [1] : tensor<3x17x33xf32> -> tensor<3x33xf32>
    %mb = kfuse.broadcast %m dims [0, 2] sizes [#kfuse.expr<3>, #kfuse.expr<17>, #kfuse.expr<33>] : tensor<3x33xf32> -> tensor<3x17x33xf32>
    %d = arith.subf %e, %mb : tensor<3x17x33xf32>
    %x = math.exp %d : tensor<3x17x33xf32>
    %s = kfuse.reduce <sum> %x dims [1] : tensor<3x17x33xf32> -> tensor<3x33xf32>
    %sb = kfuse.broadcast %s dims [0, 2] sizes [#kfuse.expr<3>, #kfuse.expr<17>, #kfuse.expr<33>] : tensor<3x33xf32> -> tensor<3x17x33xf32>
    %q = arith.divf %x, %sb : tensor<3x17x33xf32>
    %o = kfuse.round %q : tensor<3x17x33xf32> -> tensor<3x17x33xbf16>
    kfuse.yield %o : tensor<3x17x33xbf16>
  } generic {
  ^bb0(%a0: tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>):
    %1 = kfuse.aten "aten::softmax_dim1_odd"(%a0) : (tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>) -> (tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>)
    kfuse.yield %1 : tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>
  }
  %out8 = kfuse.fusion(%in8_0) {kind = #kfuse.fusion_kind<column>} : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<4096xf32, #kfuse.layout<[4096], [1]>>) body {
  ^bb0(%a0: tensor<16384x4096xbf16>):
    %e = arith.extf %a0 : tensor<16384x4096xbf16> to tensor<16384x4096xf32>
    %o = kfuse.reduce <sum> %e dims [0] : tensor<16384x4096xf32> -> tensor<4096xf32>
    kfuse.yield %o : tensor<4096xf32>
  } generic {
  ^bb0(%a0: tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>):
    %1 = kfuse.aten "aten::colsum"(%a0) : (tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>) -> (tensor<4096xf32, #kfuse.layout<[4096], [1]>>)
    kfuse.yield %1 : tensor<4096xf32, #kfuse.layout<[4096], [1]>>
  }
  %out9 = kfuse.fusion(%in9_0) {kind = #kfuse.fusion_kind<row>} : (tensor<100x1000xf32, #kfuse.layout<[100, 1000], [1000, 1]>>) -> (tensor<100xi64, #kfuse.layout<[100], [1]>>) body {
  ^bb0(%a0: tensor<100x1000xf32>):
    %o = kfuse.arg_reduce <max> %a0 dims [1] : tensor<100x1000xf32> -> tensor<100xi64>
    kfuse.yield %o : tensor<100xi64>
  } generic {
  ^bb0(%a0: tensor<100x1000xf32, #kfuse.layout<[100, 1000], [1000, 1]>>):
    %1 = kfuse.aten "aten::argmax_f32"(%a0) : (tensor<100x1000xf32, #kfuse.layout<[100, 1000], [1000, 1]>>) -> (tensor<100xi64, #kfuse.layout<[100], [1]>>)
    kfuse.yield %1 : tensor<100xi64, #kfuse.layout<[100], [1]>>
  }
  %out10 = kfuse.fusion(%in10_0) {kind = #kfuse.fusion_kind<column>} : (tensor<1000x30xf32, #kfuse.layout<[1000, 30], [30, 1]>>) -> (tensor<30xi64, #kfuse.layout<[30], [1]>>) body {
  ^bb0(%a0: tensor<1000x30xf32>):
    %o = kfuse.arg_reduce <max> %a0 dims [0] : tensor<1000x30xf32> -> tensor<30xi64>
    kfuse.yield %o : tensor<30xi64>
  } generic {
  ^bb0(%a0: tensor<1000x30xf32, #kfuse.layout<[1000, 30], [30, 1]>>):
    %1 = kfuse.aten "aten::argmax_col"(%a0) : (tensor<1000x30xf32, #kfuse.layout<[1000, 30], [30, 1]>>) -> (tensor<30xi64, #kfuse.layout<[30], [1]>>)
    kfuse.yield %1 : tensor<30xi64, #kfuse.layout<[30], [1]>>
  }
  %out11 = kfuse.fusion(%in11_0, %in11_1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>) -> (tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>) body {
  ^bb0(%a0: tensor<8192x8192xbf16>, %a1: tensor<8192x8192xbf16>):
    %t = kfuse.permute %a0 [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
    %e = arith.extf %t : tensor<8192x8192xbf16> to tensor<8192x8192xf32>
    %f = arith.extf %a1 : tensor<8192x8192xbf16> to tensor<8192x8192xf32>
    %s = arith.addf %e, %f : tensor<8192x8192xf32>
    %o = kfuse.round %s : tensor<8192x8192xf32> -> tensor<8192x8192xbf16>
    kfuse.yield %o : tensor<8192x8192xbf16>
  } generic {
  ^bb0(%a0: tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, %a1: tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>):
    %1 = kfuse.aten "aten::transpose_add"(%a0, %a1) : (tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>) -> (tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>)
    kfuse.yield %1 : tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>
  }
  %out12 = kfuse.fusion(%in12_0, %in12_1) {kind = #kfuse.fusion_kind<row>} : (tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, tensor<32xf32, #kfuse.layout<[32], [1]>>) -> (tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>) body {
  ^bb0(%a0: tensor<2x32x8x8xf32>, %a1: tensor<32xf32>):
    %x = kfuse.reshape %a0 sizes [#kfuse.expr<2>, #kfuse.expr<8>, #kfuse.expr<256>] : tensor<2x32x8x8xf32> -> tensor<2x8x256xf32>
    %n = arith.constant dense<256.0> : tensor<2x8xf32>
    %s = kfuse.reduce <sum> %x dims [2] : tensor<2x8x256xf32> -> tensor<2x8xf32>
    %mu = arith.divf %s, %n : tensor<2x8xf32>
    %mb = kfuse.broadcast %mu dims [0, 1] sizes [#kfuse.expr<2>, #kfuse.expr<8>, #kfuse.expr<256>] : tensor<2x8xf32> -> tensor<2x8x256xf32>
    %d = arith.subf %x, %mb : tensor<2x8x256xf32>
    %d2 = arith.mulf %d, %d : tensor<2x8x256xf32>
    %v = kfuse.reduce <sum> %d2 dims [2] : tensor<2x8x256xf32> -> tensor<2x8xf32>
    %va = arith.divf %v, %n : tensor<2x8xf32>
    %eps = arith.constant dense<1.0e-5> : tensor<2x8xf32>
    %ve = arith.addf %va, %eps : tensor<2x8xf32>
    %rs = math.rsqrt %ve : tensor<2x8xf32>
    %rb = kfuse.broadcast %rs dims [0, 1] sizes [#kfuse.expr<2>, #kfuse.expr<8>, #kfuse.expr<256>] : tensor<2x8xf32> -> tensor<2x8x256xf32>
    %nn = arith.mulf %d, %rb : tensor<2x8x256xf32>
    %y = kfuse.reshape %nn sizes [#kfuse.expr<2>, #kfuse.expr<32>, #kfuse.expr<8>, #kfuse.expr<8>] : tensor<2x8x256xf32> -> tensor<2x32x8x8xf32>
    %g = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<2>, #kfuse.expr<32>, #kfuse.expr<8>, #kfuse.expr<8>] : tensor<32xf32> -> tensor<2x32x8x8xf32>
    %o = arith.mulf %y, %g : tensor<2x32x8x8xf32>
    kfuse.yield %o : tensor<2x32x8x8xf32>
  } generic {
  ^bb0(%a0: tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, %a1: tensor<32xf32, #kfuse.layout<[32], [1]>>):
    %1 = kfuse.aten "aten::groupnorm"(%a0, %a1) : (tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, tensor<32xf32, #kfuse.layout<[32], [1]>>) -> (tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>)
    kfuse.yield %1 : tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>
  }
  %out13 = kfuse.fusion(%in13_0, %in13_1, %in13_2) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 42, 168, 1]>>, tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>, tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>) -> (tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 1386, 42, 1]>>) body {
  ^bb0(%a0: tensor<2x4x33x42xf32>, %a1: tensor<33x42xf32>, %a2: tensor<33x42xf32>):
    %l = kfuse.slice %a0 starts [#kfuse.expr<0>, #kfuse.expr<0>, #kfuse.expr<0>, #kfuse.expr<0>] steps [1, 1, 1, 1] sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<33>, #kfuse.expr<21>] : tensor<2x4x33x42xf32> -> tensor<2x4x33x21xf32>
    %h = kfuse.slice %a0 starts [#kfuse.expr<0>, #kfuse.expr<0>, #kfuse.expr<0>, #kfuse.expr<21>] steps [1, 1, 1, 1] sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<33>, #kfuse.expr<21>] : tensor<2x4x33x42xf32> -> tensor<2x4x33x21xf32>
    %n = arith.negf %h : tensor<2x4x33x21xf32>
    %r = kfuse.concat %n, %l dim 3 sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<33>, #kfuse.expr<42>] : tensor<2x4x33x21xf32>, tensor<2x4x33x21xf32> -> tensor<2x4x33x42xf32>
    %c = kfuse.broadcast %a1 dims [2, 3] sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<33>, #kfuse.expr<42>] : tensor<33x42xf32> -> tensor<2x4x33x42xf32>
    %s = kfuse.broadcast %a2 dims [2, 3] sizes [#kfuse.expr<2>, #kfuse.expr<4>, #kfuse.expr<33>, #kfuse.expr<42>] : tensor<33x42xf32> -> tensor<2x4x33x42xf32>
    %p = arith.mulf %a0, %c : tensor<2x4x33x42xf32>
    %q = arith.mulf %r, %s : tensor<2x4x33x42xf32>
    %o = arith.addf %p, %q : tensor<2x4x33x42xf32>
    kfuse.yield %o : tensor<2x4x33x42xf32>
  } generic {
  ^bb0(%a0: tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 42, 168, 1]>>, %a1: tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>, %a2: tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>):
    %1 = kfuse.aten "aten::rope_42_1"(%a0, %a1, %a2) : (tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 42, 168, 1]>>, tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>, tensor<33x42xf32, #kfuse.layout<[33, 42], [42, 1]>>) -> (tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 1386, 42, 1]>>)
    kfuse.yield %1 : tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 1386, 42, 1]>>
  }
  %out14 = kfuse.fusion(%in14_0, %in14_1, %in14_2) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<1000x384xf32, #kfuse.layout<[1000, 384], [384, 1]>>, tensor<?x?xi64, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<512x384xf32, #kfuse.layout<[512, 384], [384, 1]>>) -> (tensor<?x?x384xf32, #kfuse.layout<[s0, s1, 384], [s1 * 384, 384, 1]>>) body {
  ^bb0(%a0: tensor<1000x384xf32>, %a1: tensor<?x?xi64>, %a2: tensor<512x384xf32>):
    %t = kfuse.take %a0, %a1 dim 0 : tensor<1000x384xf32>, tensor<?x?xi64> -> tensor<?x?x384xf32>
    %p = kfuse.slice %a2 starts [#kfuse.expr<0>, #kfuse.expr<0>] steps [1, 1] sizes [#kfuse.expr<s1>, #kfuse.expr<384>] : tensor<512x384xf32> -> tensor<?x384xf32>
    %b = kfuse.broadcast %p dims [1, 2] sizes [#kfuse.expr<s0>, #kfuse.expr<s1>, #kfuse.expr<384>] : tensor<?x384xf32> -> tensor<?x?x384xf32>
    %o = arith.addf %t, %b : tensor<?x?x384xf32>
    kfuse.yield %o : tensor<?x?x384xf32>
  } generic {
  ^bb0(%a0: tensor<1000x384xf32, #kfuse.layout<[1000, 384], [384, 1]>>, %a1: tensor<?x?xi64, #kfuse.layout<[s0, s1], [s1, 1]>>, %a2: tensor<512x384xf32, #kfuse.layout<[512, 384], [384, 1]>>):
    %1 = kfuse.aten "aten::embed"(%a0, %a1, %a2) : (tensor<1000x384xf32, #kfuse.layout<[1000, 384], [384, 1]>>, tensor<?x?xi64, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<512x384xf32, #kfuse.layout<[512, 384], [384, 1]>>) -> (tensor<?x?x384xf32, #kfuse.layout<[s0, s1, 384], [s1 * 384, 384, 1]>>)
    kfuse.yield %1 : tensor<?x?x384xf32, #kfuse.layout<[s0, s1, 384], [s1 * 384, 384, 1]>>
  }
  %out15 = kfuse.fusion(%in15_0, %in15_1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<50x70xf32, #kfuse.layout<[50, 70], [70, 1]>>, tensor<40x33xi64, #kfuse.layout<[40, 33], [33, 1]>>) -> (tensor<40x33xf32, #kfuse.layout<[40, 33], [33, 1]>>) body {
  ^bb0(%a0: tensor<50x70xf32>, %a1: tensor<40x33xi64>):
    %o = kfuse.gather %a0, %a1 dim 1 : tensor<50x70xf32>, tensor<40x33xi64> -> tensor<40x33xf32>
    kfuse.yield %o : tensor<40x33xf32>
  } generic {
  ^bb0(%a0: tensor<50x70xf32, #kfuse.layout<[50, 70], [70, 1]>>, %a1: tensor<40x33xi64, #kfuse.layout<[40, 33], [33, 1]>>):
    %1 = kfuse.aten "aten::gather1"(%a0, %a1) : (tensor<50x70xf32, #kfuse.layout<[50, 70], [70, 1]>>, tensor<40x33xi64, #kfuse.layout<[40, 33], [33, 1]>>) -> (tensor<40x33xf32, #kfuse.layout<[40, 33], [33, 1]>>)
    kfuse.yield %1 : tensor<40x33xf32, #kfuse.layout<[40, 33], [33, 1]>>
  }
  %out16 = kfuse.fusion(%in16_0) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<13x20xf32, #kfuse.layout<[13, 20], [20, 1]>>) -> (tensor<18x31xf32, #kfuse.layout<[18, 31], [31, 1]>>) body {
  ^bb0(%a0: tensor<13x20xf32>):
    %c = arith.constant 7.5 : f32
    %o = kfuse.pad %a0, %c low [#kfuse.expr<2>, #kfuse.expr<3>] sizes [#kfuse.expr<18>, #kfuse.expr<31>] : tensor<13x20xf32>, f32 -> tensor<18x31xf32>
    kfuse.yield %o : tensor<18x31xf32>
  } generic {
  ^bb0(%a0: tensor<13x20xf32, #kfuse.layout<[13, 20], [20, 1]>>):
    %1 = kfuse.aten "aten::pad1"(%a0) : (tensor<13x20xf32, #kfuse.layout<[13, 20], [20, 1]>>) -> (tensor<18x31xf32, #kfuse.layout<[18, 31], [31, 1]>>)
    kfuse.yield %1 : tensor<18x31xf32, #kfuse.layout<[18, 31], [31, 1]>>
  }
  %out17:2 = kfuse.fusion(%in17_0, %in17_1) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x1x1x16xi1, #kfuse.layout<[2, 1, 1, 16], [16, 16, 16, 1]>>) -> (tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x3x9x16xi1, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>) body {
  ^bb0(%a0: tensor<2x3x9x16xf32>, %a1: tensor<2x1x1x16xi1>):
    %m = kfuse.broadcast %a1 dims [0, 1, 2, 3] sizes [#kfuse.expr<2>, #kfuse.expr<3>, #kfuse.expr<9>, #kfuse.expr<16>] : tensor<2x1x1x16xi1> -> tensor<2x3x9x16xi1>
    %n = arith.constant dense<0xFF800000> : tensor<2x3x9x16xf32>
    %o = arith.select %m, %a0, %n : tensor<2x3x9x16xi1>, tensor<2x3x9x16xf32>
    %z = arith.constant dense<0.0> : tensor<2x3x9x16xf32>
    %p = arith.cmpf ogt, %o, %z : tensor<2x3x9x16xf32>
    kfuse.yield %o, %p : tensor<2x3x9x16xf32>, tensor<2x3x9x16xi1>
  } generic {
  ^bb0(%a0: tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, %a1: tensor<2x1x1x16xi1, #kfuse.layout<[2, 1, 1, 16], [16, 16, 16, 1]>>):
    %1:2 = kfuse.aten "aten::mask"(%a0, %a1) : (tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x1x1x16xi1, #kfuse.layout<[2, 1, 1, 16], [16, 16, 16, 1]>>) -> (tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x3x9x16xi1, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>)
    kfuse.yield %1#0, %1#1 : tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x3x9x16xi1, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>
  }
  %out18:3 = kfuse.fusion(%in18_0, %in18_1, %in18_2) {kind = #kfuse.fusion_kind<row>} : (tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<512xbf16, #kfuse.layout<[512], [1]>>) -> (tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300xf32, #kfuse.layout<[300], [1]>>) body {
  ^bb0(%a0: tensor<300x512xbf16>, %a1: tensor<300x512xbf16>, %a2: tensor<512xbf16>):
    %x = arith.extf %a0 : tensor<300x512xbf16> to tensor<300x512xf32>
    %y = arith.extf %a1 : tensor<300x512xbf16> to tensor<300x512xf32>
    %s0 = arith.addf %x, %y : tensor<300x512xf32>
    %r = kfuse.round %s0 : tensor<300x512xf32> -> tensor<300x512xbf16>
    %h = arith.extf %r : tensor<300x512xbf16> to tensor<300x512xf32>
    %h2 = arith.mulf %h, %h : tensor<300x512xf32>
    %s = kfuse.reduce <sum> %h2 dims [1] : tensor<300x512xf32> -> tensor<300xf32>
    %n = arith.constant dense<512.0> : tensor<300xf32>
    %m = arith.divf %s, %n : tensor<300xf32>
    %q = math.rsqrt %m : tensor<300xf32>
    %qb = kfuse.broadcast %q dims [0] sizes [#kfuse.expr<300>, #kfuse.expr<512>] : tensor<300xf32> -> tensor<300x512xf32>
    %w = arith.extf %a2 : tensor<512xbf16> to tensor<512xf32>
    %wb = kfuse.broadcast %w dims [1] sizes [#kfuse.expr<300>, #kfuse.expr<512>] : tensor<512xf32> -> tensor<300x512xf32>
    %t = arith.mulf %h, %qb : tensor<300x512xf32>
    %u = arith.mulf %t, %wb : tensor<300x512xf32>
    %o = kfuse.round %u : tensor<300x512xf32> -> tensor<300x512xbf16>
    kfuse.yield %r, %o, %q : tensor<300x512xbf16>, tensor<300x512xbf16>, tensor<300xf32>
  } generic {
  ^bb0(%a0: tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, %a1: tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, %a2: tensor<512xbf16, #kfuse.layout<[512], [1]>>):
    %1:3 = kfuse.aten "aten::rms_res"(%a0, %a1, %a2) : (tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<512xbf16, #kfuse.layout<[512], [1]>>) -> (tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300xf32, #kfuse.layout<[300], [1]>>)
    kfuse.yield %1#0, %1#1, %1#2 : tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300xf32, #kfuse.layout<[300], [1]>>
  }
  %out19 = kfuse.fusion(%in19_0) {kind = #kfuse.fusion_kind<column>} : (tensor<4x50x6xf64, #kfuse.layout<[4, 50, 6], [300, 6, 1]>>) -> (tensor<4x6xf64, #kfuse.layout<[4, 6], [6, 1]>>) body {
  ^bb0(%a0: tensor<4x50x6xf64>):
    %s = kfuse.reduce <sum> %a0 dims [1] : tensor<4x50x6xf64> -> tensor<4x6xf64>
    %n = arith.constant dense<50.0> : tensor<4x6xf64>
    %m = arith.divf %s, %n : tensor<4x6xf64>
    %b = kfuse.broadcast %m dims [0, 2] sizes [#kfuse.expr<4>, #kfuse.expr<50>, #kfuse.expr<6>] : tensor<4x6xf64> -> tensor<4x50x6xf64>
    %d = arith.subf %a0, %b : tensor<4x50x6xf64>
    %e = arith.mulf %d, %d : tensor<4x50x6xf64>
    %v = kfuse.reduce <sum> %e dims [1] : tensor<4x50x6xf64> -> tensor<4x6xf64>
    %o = arith.divf %v, %n : tensor<4x6xf64>
    kfuse.yield %o : tensor<4x6xf64>
  } generic {
  ^bb0(%a0: tensor<4x50x6xf64, #kfuse.layout<[4, 50, 6], [300, 6, 1]>>):
    %1 = kfuse.aten "aten::var_mid"(%a0) : (tensor<4x50x6xf64, #kfuse.layout<[4, 50, 6], [300, 6, 1]>>) -> (tensor<4x6xf64, #kfuse.layout<[4, 6], [6, 1]>>)
    kfuse.yield %1 : tensor<4x6xf64, #kfuse.layout<[4, 6], [6, 1]>>
  }
  %out20:23 = kfuse.fusion(%in20_0) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<1000xf32, #kfuse.layout<[1000], [1]>>) -> (tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>) body {
  ^bb0(%a0: tensor<1000xf32>):
    %m0 = math.sin %a0 : tensor<1000xf32>
    %m1 = math.cos %a0 : tensor<1000xf32>
    %m2 = math.log %a0 : tensor<1000xf32>
    %m3 = math.exp %a0 : tensor<1000xf32>
    %m4 = math.erf %a0 : tensor<1000xf32>
    %m5 = math.tanh %a0 : tensor<1000xf32>
    %m6 = math.sqrt %a0 : tensor<1000xf32>
    %m7 = math.rsqrt %a0 : tensor<1000xf32>
    %m8 = math.floor %a0 : tensor<1000xf32>
    %m9 = math.ceil %a0 : tensor<1000xf32>
    %m10 = math.trunc %a0 : tensor<1000xf32>
    %m11 = math.roundeven %a0 : tensor<1000xf32>
    %m12 = math.absf %a0 : tensor<1000xf32>
    %m13 = math.log1p %a0 : tensor<1000xf32>
    %m14 = math.expm1 %a0 : tensor<1000xf32>
    %m15 = math.tan %a0 : tensor<1000xf32>
    %m16 = math.atan %a0 : tensor<1000xf32>
    %m17 = math.log2 %a0 : tensor<1000xf32>
    %m18 = math.exp2 %a0 : tensor<1000xf32>
    %m19 = math.sinh %a0 : tensor<1000xf32>
    %m20 = math.cosh %a0 : tensor<1000xf32>
    %p = math.powf %a0, %a0 : tensor<1000xf32>
    %c1 = arith.constant dense<0.3> : tensor<1000xf32>
    %q = arith.remf %a0, %c1 : tensor<1000xf32>
    kfuse.yield %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9, %m10, %m11, %m12, %m13, %m14, %m15, %m16, %m17, %m18, %m19, %m20, %p, %q : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
  } generic {
  ^bb0(%a0: tensor<1000xf32, #kfuse.layout<[1000], [1]>>):
    %1:23 = kfuse.aten "aten::math"(%a0) : (tensor<1000xf32, #kfuse.layout<[1000], [1]>>) -> (tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>)
    kfuse.yield %1#0, %1#1, %1#2, %1#3, %1#4, %1#5, %1#6, %1#7, %1#8, %1#9, %1#10, %1#11, %1#12, %1#13, %1#14, %1#15, %1#16, %1#17, %1#18, %1#19, %1#20, %1#21, %1#22 : tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>
  }
  return %out0, %out1, %out2, %out3, %out4, %out5, %out6, %out7, %out8, %out9, %out10, %out11, %out12, %out13, %out14, %out15, %out16, %out17#0, %out17#1, %out18#0, %out18#1, %out18#2, %out19, %out20#0, %out20#1, %out20#2, %out20#3, %out20#4, %out20#5, %out20#6, %out20#7, %out20#8, %out20#9, %out20#10, %out20#11, %out20#12, %out20#13, %out20#14, %out20#15, %out20#16, %out20#17, %out20#18, %out20#19, %out20#20, %out20#21, %out20#22 : tensor<16384x4096xbf16, #kfuse.layout<[16384, 4096], [4096, 1]>>, tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<16384x4095xbf16, #kfuse.layout<[16384, 4095], [4095, 1]>>, tensor<8x128x768xbf16, #kfuse.layout<[8, 128, 768], [98304, 768, 1]>>, tensor<16384x8191xbf16, #kfuse.layout<[16384, 8191], [8191, 1]>>, tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<?x?xbf16, #kfuse.layout<[s0, s1], [s1, 1]>>, tensor<3x17x33xbf16, #kfuse.layout<[3, 17, 33], [561, 33, 1]>>, tensor<4096xf32, #kfuse.layout<[4096], [1]>>, tensor<100xi64, #kfuse.layout<[100], [1]>>, tensor<30xi64, #kfuse.layout<[30], [1]>>, tensor<8192x8192xbf16, #kfuse.layout<[8192, 8192], [8192, 1]>>, tensor<2x32x8x8xf32, #kfuse.layout<[2, 32, 8, 8], [2048, 64, 8, 1]>>, tensor<2x4x33x42xf32, #kfuse.layout<[2, 4, 33, 42], [5544, 1386, 42, 1]>>, tensor<?x?x384xf32, #kfuse.layout<[s0, s1, 384], [s1 * 384, 384, 1]>>, tensor<40x33xf32, #kfuse.layout<[40, 33], [33, 1]>>, tensor<18x31xf32, #kfuse.layout<[18, 31], [31, 1]>>, tensor<2x3x9x16xf32, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<2x3x9x16xi1, #kfuse.layout<[2, 3, 9, 16], [432, 144, 16, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300x512xbf16, #kfuse.layout<[300, 512], [512, 1]>>, tensor<300xf32, #kfuse.layout<[300], [1]>>, tensor<4x6xf64, #kfuse.layout<[4, 6], [6, 1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>, tensor<1000xf32, #kfuse.layout<[1000], [1]>>
}
