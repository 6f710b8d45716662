// RUN: kfuse-opt %s | kfuse-opt | FileCheck %s
// RUN: kfuse-opt %s --mlir-print-op-generic | kfuse-opt | FileCheck %s

#row = #kfuse.layout<[s0, 128], [128, 1]>

// CHECK-LABEL: func.func @aten
// CHECK-SAME: tensor<?x128xbf16, #kfuse.layout<[s0, 128], [128, 1]>>
func.func @aten(%a: tensor<?x128xbf16, #row>) -> tensor<?x128xbf16, #row> {
  // CHECK: kfuse.aten "aten::add.Tensor"(%{{.*}}, %{{.*}})
  %0 = kfuse.aten "aten::add.Tensor"(%a, %a) {
      names = ["self", "other", "alpha"],
      args = [#kfuse.operand<0>, #kfuse.operand<1>, 2]}
    : (tensor<?x128xbf16, #row>, tensor<?x128xbf16, #row>) -> tensor<?x128xbf16, #row>
  return %0 : tensor<?x128xbf16, #row>
}

// CHECK-LABEL: func.func @fusion
func.func @fusion(%a: tensor<?x128xbf16, #row>) -> tensor<?x128xbf16, #row> {
  // CHECK: kfuse.fusion(%{{.*}})
  %0 = kfuse.fusion(%a) : (tensor<?x128xbf16, #row>) -> tensor<?x128xbf16, #row>
  body {
  ^bb0(%x: tensor<?x128xbf16>):
    %1 = arith.extf %x : tensor<?x128xbf16> to tensor<?x128xf32>
    %2 = math.tanh %1 : tensor<?x128xf32>
    // CHECK: kfuse.round %{{.*}} : tensor<?x128xf32> -> tensor<?x128xbf16>
    %3 = kfuse.round %2 : tensor<?x128xf32> -> tensor<?x128xbf16>
    kfuse.yield %3 : tensor<?x128xbf16>
  } generic {
  ^bb0(%x: tensor<?x128xbf16, #row>):
    %1 = kfuse.aten "aten::tanh"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
      : (tensor<?x128xbf16, #row>) -> tensor<?x128xbf16, #row>
    kfuse.yield %1 : tensor<?x128xbf16, #row>
  }
  return %0 : tensor<?x128xbf16, #row>
}

// CHECK-LABEL: func.func @exprs
// CHECK: exprs = [#kfuse.expr<s0 * 2 + 1>, #kfuse.expr<min(8, s0)>, #kfuse.expr<(s0 + 1) floordiv 2>, #kfuse.expr<s0 * s1>, #kfuse.expr<7>]
func.func @exprs() attributes {exprs = [
    #kfuse.expr<1 + s0 + s0>, #kfuse.expr<min(8, s0)>, #kfuse.expr<(s0 + 1) floordiv 2>,
    #kfuse.expr<s1 * s0>, #kfuse.expr<(s0 * 7) floordiv s0>]} {
  return
}
