// RUN: kfuse-opt %s --kfuse-assign-layouts | FileCheck %s

#in = #kfuse.layout<[2, 64, 96], [6144, 1, 64]>
#rows = #kfuse.layout<[2, 64, 96], [6144, 96, 1]>

// The transposed sum is read row by row: it becomes rows, for the kernel and in
// the generic forms. What is returned keeps its strides.
// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<2x64x96xf32, #in>) -> (tensor<2x64x96xf32, #rows>, tensor<2x64x96xf32, #in>) {
  // CHECK: %[[S:.*]]:2 = kfuse.fusion
  // CHECK-SAME: -> (tensor<2x64x96xf32, #kfuse.layout<[2, 64, 96], [6144, 96, 1]>>, tensor<2x64x96xf32, #kfuse.layout<[2, 64, 96], [6144, 1, 64]>>)
  // CHECK: generic
  // CHECK: "aten::add.Tensor"{{.*}} -> tensor<2x64x96xf32, #kfuse.layout<[2, 64, 96], [6144, 96, 1]>>
  %0:2 = kfuse.fusion(%x) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<2x64x96xf32, #in>) -> (tensor<2x64x96xf32, #in>, tensor<2x64x96xf32, #in>) body {
  ^bb0(%a: tensor<2x64x96xf32>):
    %b = arith.addf %a, %a : tensor<2x64x96xf32>
    %c = math.exp %a : tensor<2x64x96xf32>
    kfuse.yield %b, %c : tensor<2x64x96xf32>, tensor<2x64x96xf32>
  } generic {
  ^bb0(%a: tensor<2x64x96xf32, #in>):
    %b = kfuse.aten "aten::add.Tensor"(%a, %a) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<2x64x96xf32, #in>, tensor<2x64x96xf32, #in>) -> tensor<2x64x96xf32, #in>
    %c = kfuse.aten "aten::exp"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<2x64x96xf32, #in>) -> tensor<2x64x96xf32, #in>
    kfuse.yield %b, %c : tensor<2x64x96xf32, #in>, tensor<2x64x96xf32, #in>
  }
  // CHECK: kfuse.fusion(%[[S]]#0)
  // CHECK: generic
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2x64x96xf32, #kfuse.layout<[2, 64, 96], [6144, 96, 1]>>):
  %1 = kfuse.fusion(%0#0) {kind = #kfuse.fusion_kind<row>} : (tensor<2x64x96xf32, #in>) -> tensor<2x64x96xf32, #rows> body {
  ^bb0(%a: tensor<2x64x96xf32>):
    %m = kfuse.reduce <sum> %a dims [2] : tensor<2x64x96xf32> -> tensor<2x64xf32>
    %w = kfuse.broadcast %m dims [0, 1] sizes [#kfuse.expr<2>, #kfuse.expr<64>, #kfuse.expr<96>] : tensor<2x64xf32> -> tensor<2x64x96xf32>
    %d = arith.subf %a, %w : tensor<2x64x96xf32>
    kfuse.yield %d : tensor<2x64x96xf32>
  } generic {
  ^bb0(%a: tensor<2x64x96xf32, #in>):
    %b = kfuse.aten "aten::softmax.int"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, -1]} : (tensor<2x64x96xf32, #in>) -> tensor<2x64x96xf32, #rows>
    kfuse.yield %b : tensor<2x64x96xf32, #rows>
  }
  return %1, %0#1 : tensor<2x64x96xf32, #rows>, tensor<2x64x96xf32, #in>
}
