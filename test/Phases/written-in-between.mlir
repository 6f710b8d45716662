// Two equal fusions of a tensor that an operator writes to in between stay two
// launches of one kernel. Merging the launches made the second result stale.

// RUN: kfuse-compile %s --start-from=capture --stop-after=plan-memory -o - | FileCheck %s

#m = #kfuse.layout<[8, 8], [8, 1]>

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = kfuse.launch "[[NAME:.*]]"(%arg0)
// CHECK: kfuse.aten "aten::add_.Scalar"(%arg0)
// CHECK: %[[B:.*]] = kfuse.launch "[[NAME]]"(%arg0)
// CHECK: return %[[A]], %[[B]]
// CHECK: gpu.module @[[NAME]]
// CHECK-NOT: gpu.module
func.func @main(%x: tensor<8x8xf32, #m>) -> (tensor<8x8xf32, #m>, tensor<8x8xf32, #m>) {
  %0 = kfuse.fusion(%x) : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m> body {
  ^bb0(%a: tensor<8x8xf32>):
    %t = math.tanh %a : tensor<8x8xf32>
    kfuse.yield %t : tensor<8x8xf32>
  } generic {
  ^bb0(%a: tensor<8x8xf32, #m>):
    %t = kfuse.aten "aten::tanh"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
      : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
    kfuse.yield %t : tensor<8x8xf32, #m>
  }
  %1 = kfuse.aten "aten::add_.Scalar"(%x) {names = ["self", "other"], args = [#kfuse.operand<0>, 1]}
    : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  %2 = kfuse.fusion(%x) : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m> body {
  ^bb0(%a: tensor<8x8xf32>):
    %t = math.tanh %a : tensor<8x8xf32>
    kfuse.yield %t : tensor<8x8xf32>
  } generic {
  ^bb0(%a: tensor<8x8xf32, #m>):
    %t = kfuse.aten "aten::tanh"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
      : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
    kfuse.yield %t : tensor<8x8xf32, #m>
  }
  return %0, %2 : tensor<8x8xf32, #m>, tensor<8x8xf32, #m>
}
