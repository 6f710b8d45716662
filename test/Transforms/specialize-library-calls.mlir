// RUN: kfuse-opt %s --kfuse-specialize-library-calls | FileCheck %s
// RUN: kfuse-opt %s --pass-pipeline='builtin.module(func.func(kfuse-specialize-library-calls{numerics=eager}))' | FileCheck %s --check-prefix=EAGER

#q = #kfuse.layout<[8, 12, 128, 64], [98304, 64, 768, 1]>
#one = #kfuse.layout<[1, 1, 128, 1], [128, 128, 1, 1]>
#wide = #kfuse.layout<[8, 1, 128, 128], [0, 128, 1, 0]>
#odd = #kfuse.layout<[2, 1, s0, 13], [s0 * 13, s0 * 13, 13, 1]>
#k = #kfuse.layout<[2, 4, 13, 64], [3328, 832, 64, 1]>
#o = #kfuse.layout<[2, 4, s0, 64], [s0 * 256, 64, 256, 1]>

// One additive mask for both calls, without the repetition along the batch,
// dense along the keys.
// CHECK-LABEL: func.func @shared
// EAGER-LABEL: func.func @shared
// EAGER-NOT: aten::where
func.func @shared(%q: tensor<8x12x128x64xbf16, #q>, %m: tensor<1x1x128x1xi1, #one>)
    -> (tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>) {
  %mask = kfuse.aten "aten::expand"(%m) {names = ["self", "size"], args = [#kfuse.operand<0>, [8, -1, 128, 128]]}
    : (tensor<1x1x128x1xi1, #one>) -> tensor<8x1x128x128xi1, #wide>
  // CHECK: %[[MASK:.*]] = kfuse.aten "aten::expand"
  // CHECK: %[[ONE:.*]] = kfuse.aten "aten::slice.Tensor"(%[[MASK]]) {{.*}} -> tensor<1x1x128x128xi1, {{.*}}[1, 1, 128, 128], [0, 128, 1, 0]>>
  // CHECK: %[[F32:.*]] = kfuse.aten "aten::where.Scalar"(%[[ONE]]) {{.*}}0xFFF0000000000000{{.*}} -> tensor<1x1x128x128xf32
  // CHECK: %[[BF16:.*]] = kfuse.aten "aten::_to_copy"(%[[F32]]) {{.*}} -> tensor<1x1x128x128xbf16, {{.*}}[1, 1, 128, 128], [16384, 16384, 128, 1]>>
  // CHECK: %[[WIDE:.*]] = kfuse.aten "aten::expand"(%[[BF16]]) {{.*}} -> tensor<8x1x128x128xbf16, {{.*}}[8, 1, 128, 128], [0, 16384, 128, 1]>>
  // CHECK-NOT: aten::where
  // CHECK: "aten::scaled_dot_product_attention"(%{{.*}}, %{{.*}}, %{{.*}}, %[[WIDE]])
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %mask)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x1x128x128xi1, #wide>) -> tensor<8x12x128x64xbf16, #q>
  // CHECK: "aten::scaled_dot_product_attention"(%{{.*}}, %{{.*}}, %{{.*}}, %[[WIDE]])
  %1 = kfuse.aten "aten::scaled_dot_product_attention"(%0, %q, %q, %mask)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x1x128x128xi1, #wide>) -> tensor<8x12x128x64xbf16, #q>
  return %0, %1 : tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>
}

// Rows of 13 elements start at multiples of 8 elements.
// CHECK-LABEL: func.func @odd
func.func @odd(%q: tensor<2x4x?x64xf32, #o>, %k: tensor<2x4x13x64xf32, #k>, %mask: tensor<2x1x?x13xi1, #odd>) -> tensor<2x4x?x64xf32, #o> {
  // CHECK: %[[ADD:.*]] = kfuse.aten "aten::where.Scalar"{{.*}} -> tensor<2x1x?x13xf32, #kfuse.layout<[2, 1, s0, 13], [s0 * 16, s0 * 16, 16, 1]>>
  // CHECK: "aten::scaled_dot_product_attention"({{.*}}, %[[ADD]])
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %k, %k, %mask)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<2x4x?x64xf32, #o>, tensor<2x4x13x64xf32, #k>, tensor<2x4x13x64xf32, #k>, tensor<2x1x?x13xi1, #odd>) -> tensor<2x4x?x64xf32, #o>
  return %0 : tensor<2x4x?x64xf32, #o>
}

// A mask of numbers stays.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%q: tensor<8x12x128x64xbf16, #q>, %mask: tensor<8x1x128x128xbf16, #wide>) -> tensor<8x12x128x64xbf16, #q> {
  // CHECK-NOT: aten::where
  // CHECK: "aten::scaled_dot_product_attention"
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %mask)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x1x128x128xbf16, #wide>) -> tensor<8x12x128x64xbf16, #q>
  return %0 : tensor<8x12x128x64xbf16, #q>
}

#x = #kfuse.layout<[4, 512, 768], [393216, 768, 1]>
#w = #kfuse.layout<[768, 768], [768, 1]>
#head = #kfuse.layout<[50257, 768], [768, 1]>
#logits = #kfuse.layout<[4, 512, 50257], [25731584, 50257, 1]>
#b = #kfuse.layout<[768], [1]>

// A bias that a kernel can add is left to it.
// CHECK-LABEL: func.func @bias
// EAGER-LABEL: func.func @bias
// EAGER: "aten::linear"(%{{.*}}, %{{.*}}, %{{.*}})
func.func @bias(%x: tensor<4x512x768xbf16, #x>, %w: tensor<768x768xbf16, #w>, %b: tensor<768xbf16, #b>) -> tensor<4x512x768xbf16, #x> {
  // CHECK: %[[X:.*]] = kfuse.aten "aten::view"(%arg0) {{.*}} -> tensor<2048x768xbf16
  // CHECK: %[[T:.*]] = kfuse.aten "aten::t"(%arg1) {{.*}} -> tensor<768x768xbf16, #kfuse.layout<[768, 768], [1, 768]>>
  // CHECK: %[[M:.*]] = kfuse.aten "aten::mm"(%[[X]], %[[T]]) {{.*}} -> tensor<2048x768xbf16
  // CHECK: %[[Y:.*]] = kfuse.aten "aten::view"(%[[M]]) {{.*}} -> tensor<4x512x768xbf16
  // CHECK: %[[SUM:.*]] = kfuse.aten "aten::add.Tensor"(%[[Y]], %arg2)
  // CHECK: "aten::gelu"(%[[SUM]])
  %0 = kfuse.aten "aten::linear"(%x, %w, %b) {names = ["input", "weight", "bias"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>]}
    : (tensor<4x512x768xbf16, #x>, tensor<768x768xbf16, #w>, tensor<768xbf16, #b>) -> tensor<4x512x768xbf16, #x>
  %1 = kfuse.aten "aten::gelu"(%0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<4x512x768xbf16, #x>) -> tensor<4x512x768xbf16, #x>
  return %1 : tensor<4x512x768xbf16, #x>
}

// The library adds a bias that nobody else would add.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: tensor<4x512x768xbf16, #x>, %w: tensor<768x768xbf16, #w>, %b: tensor<768xbf16, #b>) -> tensor<4x512x768xbf16, #x> {
  // CHECK: "aten::addmm"(%arg2, %{{.*}}, %{{.*}})
  // CHECK-NOT: aten::add.
  %0 = kfuse.aten "aten::linear"(%x, %w, %b) {names = ["input", "weight", "bias"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>]}
    : (tensor<4x512x768xbf16, #x>, tensor<768x768xbf16, #w>, tensor<768xbf16, #b>) -> tensor<4x512x768xbf16, #x>
  return %0 : tensor<4x512x768xbf16, #x>
}

// Columns of an odd number are padded.
// CHECK-LABEL: func.func @padded
func.func @padded(%x: tensor<4x512x768xbf16, #x>, %w: tensor<50257x768xbf16, #head>) -> tensor<4x512x50257xbf16, #logits> {
  // CHECK: %[[W:.*]] = kfuse.aten "aten::constant_pad_nd"(%{{.*}}) {args = [#kfuse.operand<0>, [0, 0, 0, 7]]{{.*}} -> tensor<50264x768xbf16
  // CHECK: %[[T:.*]] = kfuse.aten "aten::t"(%[[W]])
  // CHECK: %[[M:.*]] = kfuse.aten "aten::mm"(%{{.*}}, %[[T]]) {{.*}} -> tensor<2048x50264xbf16
  // CHECK: %[[Y:.*]] = kfuse.aten "aten::view"(%[[M]]) {{.*}} -> tensor<4x512x50264xbf16
  // CHECK: %[[S:.*]] = kfuse.aten "aten::slice.Tensor"(%[[Y]]) {args = [#kfuse.operand<0>, -1, 0, 50257]{{.*}} -> tensor<4x512x50257xbf16, {{.*}}[25735168, 50264, 1]>>
  // CHECK: %[[C:.*]] = kfuse.aten "aten::clone"(%[[S]])
  // CHECK: return %[[C]]
  %0 = kfuse.aten "aten::linear"(%x, %w) {names = ["input", "weight"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<4x512x768xbf16, #x>, tensor<50257x768xbf16, #head>) -> tensor<4x512x50257xbf16, #logits>
  return %0 : tensor<4x512x50257xbf16, #logits>
}

#image = #kfuse.layout<[2, 3, 32, 32], [3072, 1024, 32, 1]>
#filter = #kfuse.layout<[8, 3, 3, 3], [27, 9, 3, 1]>
#maps = #kfuse.layout<[2, 8, 32, 32], [8192, 1024, 32, 1]>
#eight = #kfuse.layout<[8], [1]>

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x3x32x32xf32, #image>, %w: tensor<8x3x3x3xf32, #filter>, %b: tensor<8xf32, #eight>) -> tensor<2x8x32x32xf32, #maps> {
  // CHECK: %[[B:.*]] = kfuse.aten "aten::view"(%arg2) {{.*}} -> tensor<8x1x1xf32
  // CHECK: %[[Y:.*]] = kfuse.aten "aten::conv2d"(%arg0, %arg1) {args = [#kfuse.operand<0>, #kfuse.operand<1>, [1, 1], [1, 1]], names = ["input", "weight", "stride", "padding"]
  // CHECK: %[[SUM:.*]] = kfuse.aten "aten::add.Tensor"(%[[Y]], %[[B]])
  // CHECK: "aten::silu"(%[[SUM]])
  %0 = kfuse.aten "aten::conv2d"(%x, %w, %b) {names = ["input", "weight", "bias", "stride", "padding"],
      args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, [1, 1], [1, 1]]}
    : (tensor<2x3x32x32xf32, #image>, tensor<8x3x3x3xf32, #filter>, tensor<8xf32, #eight>) -> tensor<2x8x32x32xf32, #maps>
  %1 = kfuse.aten "aten::silu"(%0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<2x8x32x32xf32, #maps>) -> tensor<2x8x32x32xf32, #maps>
  return %1 : tensor<2x8x32x32xf32, #maps>
}

#pos = #kfuse.layout<[s0], [1]>
#rows = #kfuse.layout<[1, 1, s0, 1], [s0, s0, 1, 1]>
#cols = #kfuse.layout<[1, 1, 1, s0], [s0, s0, s0, 1]>
#square = #kfuse.layout<[1, 1, s0, s0], [s0 * s0, s0 * s0, s0, 1]>
#heads = #kfuse.layout<[2, 4, s0, 64], [s0 * 256, 64, 256, 1]>

// Positions compared with positions: causal, whatever the length.
// CHECK-LABEL: func.func @causal
func.func @causal(%q: tensor<2x4x?x64xbf16, #heads>) -> tensor<2x4x?x64xbf16, #heads> {
  %p = kfuse.aten "aten::arange"() {names = ["end"], args = [#kfuse.expr<s0>]} : () -> tensor<?xi64, #pos>
  %1 = kfuse.aten "aten::unsqueeze"(%p) {names = ["self", "dim"], args = [#kfuse.operand<0>, 0]} : (tensor<?xi64, #pos>) -> tensor<1x?xi64, #kfuse.layout<[1, s0], [s0, 1]>>
  %2 = kfuse.aten "aten::unsqueeze"(%1) {names = ["self", "dim"], args = [#kfuse.operand<0>, 0]} : (tensor<1x?xi64, #kfuse.layout<[1, s0], [s0, 1]>>) -> tensor<1x1x?xi64, #kfuse.layout<[1, 1, s0], [s0, s0, 1]>>
  %k = kfuse.aten "aten::unsqueeze"(%2) {names = ["self", "dim"], args = [#kfuse.operand<0>, 2]} : (tensor<1x1x?xi64, #kfuse.layout<[1, 1, s0], [s0, s0, 1]>>) -> tensor<1x1x1x?xi64, #cols>
  %i = kfuse.aten "aten::unsqueeze"(%2) {names = ["self", "dim"], args = [#kfuse.operand<0>, -1]} : (tensor<1x1x?xi64, #kfuse.layout<[1, 1, s0], [s0, s0, 1]>>) -> tensor<1x1x?x1xi64, #rows>
  %le = kfuse.aten "aten::le.Tensor"(%k, %i) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<1x1x1x?xi64, #cols>, tensor<1x1x?x1xi64, #rows>) -> tensor<1x1x?x?xi1, #square>
  %m = kfuse.aten "aten::to.dtype_layout"(%le) {names = ["self", "dtype", "layout"], args = [#kfuse.operand<0>, i1, #kfuse.torch<"layout", "strided">]} : (tensor<1x1x?x?xi1, #square>) -> tensor<1x1x?x?xi1, #square>
  // What only made the mask goes with it.
  // CHECK-NOT: "aten::
  // CHECK: "aten::scaled_dot_product_attention"(%arg0, %arg0, %arg0) {args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, 1.250000e-01, true], names = ["query", "key", "value", "scale", "is_causal"]}
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %m)
    {names = ["query", "key", "value", "attn_mask", "is_causal", "scale"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>, false, 1.250000e-01]}
    : (tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<1x1x?x?xi1, #square>) -> tensor<2x4x?x64xbf16, #heads>
  return %0 : tensor<2x4x?x64xbf16, #heads>
}

// Queries that see one key more than causal ones: a mask like any other.
// CHECK-LABEL: func.func @shifted
func.func @shifted(%q: tensor<2x4x?x64xbf16, #heads>, %p: tensor<1x1x1x?xi64, #cols>) -> (tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>) {
  %a = kfuse.aten "aten::arange"() {names = ["end"], args = [#kfuse.expr<s0>]} : () -> tensor<?xi64, #pos>
  %i = kfuse.aten "aten::unsqueeze"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, 1]} : (tensor<?xi64, #pos>) -> tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>
  %j = kfuse.aten "aten::sub.Tensor"(%a) {names = ["self", "other"], args = [#kfuse.operand<0>, 1]} : (tensor<?xi64, #pos>) -> tensor<?xi64, #pos>
  %m = kfuse.aten "aten::le.Tensor"(%j, %i) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<?xi64, #pos>, tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>) -> tensor<?x?xi1, #kfuse.layout<[s0, s0], [s0, 1]>>
  // CHECK: "aten::where.Scalar"
  // CHECK: "aten::scaled_dot_product_attention"({{.*}}, {{.*}}, {{.*}}, {{.*}})
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %m)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<?x?xi1, #kfuse.layout<[s0, s0], [s0, 1]>>) -> tensor<2x4x?x64xbf16, #heads>
  // Positions are at least 0: nothing is hidden.
  %t = kfuse.aten "aten::ge.Scalar"(%i) {names = ["self", "other"], args = [#kfuse.operand<0>, 0]} : (tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>) -> tensor<?x1xi1, #kfuse.layout<[s0, 1], [1, 1]>>
  %e = kfuse.aten "aten::expand"(%t) {names = ["self", "size"], args = [#kfuse.operand<0>, [-1, #kfuse.expr<s0>]]} : (tensor<?x1xi1, #kfuse.layout<[s0, 1], [1, 1]>>) -> tensor<?x?xi1, #kfuse.layout<[s0, s0], [1, 0]>>
  // CHECK: "aten::scaled_dot_product_attention"(%{{[0-9]+}}, %arg0, %arg0) {{.*}}names = ["query", "key", "value"]}
  %1 = kfuse.aten "aten::scaled_dot_product_attention"(%0, %q, %q, %e)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<?x?xi1, #kfuse.layout<[s0, s0], [1, 0]>>) -> tensor<2x4x?x64xbf16, #heads>
  return %0, %1 : tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>
}

// A mask in a function with writes stays: it may be another at each call.
// CHECK-LABEL: func.func @written
func.func @written(%q: tensor<8x12x128x64xbf16, #q>, %m: tensor<8x1x128x128xi1, #wide>) -> tensor<8x12x128x64xbf16, #q> {
  // CHECK-NOT: aten::where
  // CHECK: "aten::scaled_dot_product_attention"(%arg0, %arg0, %arg0, %arg1)
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %m)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x12x128x64xbf16, #q>, tensor<8x1x128x128xi1, #wide>) -> tensor<8x12x128x64xbf16, #q>
  %1 = kfuse.aten "aten::logical_not_"(%m) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<8x1x128x128xi1, #wide>) -> tensor<8x1x128x128xi1, #wide>
  return %0 : tensor<8x12x128x64xbf16, #q>
}

// Booleans are no numbers: a position plus a boolean is not understood.
// CHECK-LABEL: func.func @boolean_sum
func.func @boolean_sum(%q: tensor<2x4x?x64xbf16, #heads>) -> tensor<2x4x?x64xbf16, #heads> {
  %p = kfuse.aten "aten::arange"() {names = ["end"], args = [#kfuse.expr<s0>]} : () -> tensor<?xi64, #pos>
  %i = kfuse.aten "aten::unsqueeze"(%p) {names = ["self", "dim"], args = [#kfuse.operand<0>, 1]} : (tensor<?xi64, #pos>) -> tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>
  %t = kfuse.aten "aten::ones"() {names = ["size", "dtype"], args = [[1, 1], i1]} : () -> tensor<1x1xi1, #kfuse.layout<[1, 1], [1, 1]>>
  %n = kfuse.aten "aten::add.Tensor"(%i, %t) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>, tensor<1x1xi1, #kfuse.layout<[1, 1], [1, 1]>>) -> tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>
  %m = kfuse.aten "aten::le.Tensor"(%p, %n) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<?xi64, #pos>, tensor<?x1xi64, #kfuse.layout<[s0, 1], [1, 1]>>) -> tensor<?x?xi1, #kfuse.layout<[s0, s0], [s0, 1]>>
  // CHECK: "aten::where.Scalar"
  // CHECK: "aten::scaled_dot_product_attention"({{.*}}, {{.*}}, {{.*}}, {{.*}})
  %0 = kfuse.aten "aten::scaled_dot_product_attention"(%q, %q, %q, %m)
    {names = ["query", "key", "value", "attn_mask"], args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>, #kfuse.operand<3>]}
    : (tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<2x4x?x64xbf16, #heads>, tensor<?x?xi1, #kfuse.layout<[s0, s0], [s0, 1]>>) -> tensor<2x4x?x64xbf16, #heads>
  return %0 : tensor<2x4x?x64xbf16, #heads>
}
