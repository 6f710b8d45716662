// RUN: kfuse-opt %s --kfuse-plan-memory | FileCheck %s

#m = #kfuse.layout<[s0, 64], [64, 1]>
#t = #kfuse.layout<[64, s0], [1, 64]>
#b = #kfuse.layout<[s0, 128], [128, 1]>
#u = #kfuse.layout<[u0, 64], [64, 1]>

// The first value dies before the third is made; the last is the output.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<s0 * 512>
func.func @reuse(%a: tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> {
  // CHECK: kfuse.launch "k0"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %0 = kfuse.launch "k0"(%a) {variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k1"{{.*}}kfuse.arena = [#kfuse.expr<s0 * 256>]
  %1 = kfuse.launch "k1"(%0) {variants = [#kfuse.variant<@m::@k1,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k2"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %2 = kfuse.launch "k2"(%1) {variants = [#kfuse.variant<@m::@k2,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k3"{{.*}}kfuse.arena = [unit]
  %3 = kfuse.launch "k3"(%2) {variants = [#kfuse.variant<@m::@k3,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  return %3 : tensor<?x64xf32, #m>
}

// A slot grows for a value that is known to be larger.
// CHECK-LABEL: func.func @grow
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<s0 * 768>
func.func @grow(%a: tensor<?x64xf32, #m>, %w: tensor<?x128xf32, #b>) -> tensor<?x128xf32, #b> {
  // CHECK: kfuse.launch "k0"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %0 = kfuse.launch "k0"(%a) {variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k1"{{.*}}kfuse.arena = [#kfuse.expr<s0 * 512>]
  %1 = kfuse.launch "k1"(%0) {variants = [#kfuse.variant<@m::@k1,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k2"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %2 = kfuse.launch "k2"(%w) {variants = [#kfuse.variant<@m::@k2,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x128xf32, #b>) -> tensor<?x128xf32, #b> generic {
  ^bb0(%x0: tensor<?x128xf32, #b>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x128xf32, #b>) -> tensor<?x128xf32, #b>
    kfuse.yield %g : tensor<?x128xf32, #b>
  }
  %3 = kfuse.aten "aten::foo"(%1, %2) {names = ["a", "b"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<?x64xf32, #m>, tensor<?x128xf32, #b>) -> tensor<?x128xf32, #b>
  return %3 : tensor<?x128xf32, #b>
}

// The view and what an operator may have made of it keep the first value
// alive; a matrix product has memory of its own.
// CHECK-LABEL: func.func @aliases
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<s0 * 512>
func.func @aliases(%a: tensor<?x64xf32, #m>) -> (tensor<?x64xf32, #m>, tensor<?x64xf32, #m>) {
  // CHECK: kfuse.launch "k0"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %0 = kfuse.launch "k0"(%a) {variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  %v = kfuse.view %0 : tensor<?x64xf32, #m> to tensor<64x?xf32, #t>
  %c = kfuse.aten "aten::contiguous"(%v) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<64x?xf32, #t>) -> tensor<64x?xf32, #t>
  // CHECK: kfuse.launch "k1"{{.*}}kfuse.arena = [#kfuse.expr<s0 * 256>]
  %1 = kfuse.launch "k1"(%a) {variants = [#kfuse.variant<@m::@k1,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  %p = kfuse.aten "aten::mm"(%1, %c) {names = ["self", "mat2"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<?x64xf32, #m>, tensor<64x?xf32, #t>) -> tensor<?x64xf32, #m>
  // CHECK: kfuse.launch "k2"{{.*}}kfuse.arena = [#kfuse.expr<0>]
  %2 = kfuse.launch "k2"(%p) {variants = [#kfuse.variant<@m::@k2,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  %q = kfuse.aten "aten::mm"(%2, %2) {names = ["self", "mat2"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<?x64xf32, #m>, tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
  return %p, %q : tensor<?x64xf32, #m>, tensor<?x64xf32, #m>
}

// What is written back into an argument is made in the arena: write-backs come
// after all outputs.
// CHECK-LABEL: func.func @mutation
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<s0 * 256>
func.func @mutation(%a: tensor<?x64xf32, #m>) -> (tensor<?x64xf32, #m> {kfuse.mutates = 0}) {
  // CHECK: kfuse.arena = [#kfuse.expr<0>]
  %0 = kfuse.launch "k0"(%a) {variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  return %0 : tensor<?x64xf32, #m>
}

// The arena is reserved before u0 is known.
// CHECK-LABEL: func.func @data_dependent
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<0>
func.func @data_dependent(%a: tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> {
  %n = kfuse.aten "aten::foo"(%a) {names = ["a"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #u>
  // CHECK: kfuse.arena = [unit]
  %0 = kfuse.launch "k0"(%n) {variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #u>) -> tensor<?x64xf32, #u> generic {
  ^bb0(%x0: tensor<?x64xf32, #u>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #u>) -> tensor<?x64xf32, #u>
    kfuse.yield %g : tensor<?x64xf32, #u>
  }
  %r = kfuse.aten "aten::bar"(%0) {names = ["a"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #u>) -> tensor<?x64xf32, #m>
  return %r : tensor<?x64xf32, #m>
}

// Scratch memory is a stretch of its own, free again after the launch.
// CHECK-LABEL: func.func @scratch
// CHECK-SAME: kfuse.arena_size = #kfuse.expr<s0 * 256 + 512>
func.func @scratch(%a: tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> {
  // CHECK: kfuse.launch "k0"{{.*}}kfuse.arena = [#kfuse.expr<0>], kfuse.scratch_bytes = 272 : i64, kfuse.scratch_offset = #kfuse.expr<s0 * 256>
  %0 = kfuse.launch "k0"(%a) {kfuse.scratch_bytes = 272 : i64, variants = [#kfuse.variant<@m::@k0,
      tensors = [0, 1, 2], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  // CHECK: kfuse.launch "k1"{{.*}}kfuse.scratch_offset = #kfuse.expr<s0 * 256>
  %1 = kfuse.launch "k1"(%0) {kfuse.scratch_bytes = 16 : i64, variants = [#kfuse.variant<@m::@k1,
      tensors = [0, 1, 2], scalars = [<s0>], grid = [<s0>, <1>, <1>], block = 128, shared_bytes = 0>]}
    : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
  ^bb0(%x0: tensor<?x64xf32, #m>):
    %g = kfuse.aten "aten::relu"(%x0) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
    kfuse.yield %g : tensor<?x64xf32, #m>
  }
  return %1 : tensor<?x64xf32, #m>
}
