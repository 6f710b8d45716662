// RUN: kfuse-opt %s --convert-aten-to-kfuse | FileCheck %s

#w = #kfuse.layout<[100, 8], [8, 1]>
#i = #kfuse.layout<[s0, 4], [4, 1]>
#o = #kfuse.layout<[s0, 4, 8], [32, 8, 1]>
#g = #kfuse.layout<[3, 8], [8, 1]>
#a = #kfuse.layout<[4, 8], [8, 1]>
#p = #kfuse.layout<[4, 12], [12, 1]>

// CHECK-LABEL: func.func @embedding_takes_rows
// CHECK: kfuse.take %{{.*}}, %{{.*}} dim 0 : tensor<100x8xbf16>, tensor<?x4xi64> -> tensor<?x4x8xbf16>
func.func @embedding_takes_rows(%w: tensor<100x8xbf16, #w>, %i: tensor<?x4xi64, #i>) -> tensor<?x4x8xbf16, #o> {
  %0 = kfuse.aten "aten::embedding"(%w, %i) {names = ["weight", "indices", "padding_idx"], args = [#kfuse.operand<0>, #kfuse.operand<1>, 0]} : (tensor<100x8xbf16, #w>, tensor<?x4xi64, #i>) -> tensor<?x4x8xbf16, #o>
  return %0 : tensor<?x4x8xbf16, #o>
}

// CHECK-LABEL: func.func @gather
// CHECK: kfuse.gather %{{.*}}, %{{.*}} dim 0
func.func @gather(%w: tensor<100x8xf32, #w>, %i: tensor<3x8xi64, #g>) -> tensor<3x8xf32, #g> {
  %0 = kfuse.aten "aten::gather"(%w, %i) {names = ["self", "dim", "index"], args = [#kfuse.operand<0>, 0, #kfuse.operand<1>]} : (tensor<100x8xf32, #w>, tensor<3x8xi64, #g>) -> tensor<3x8xf32, #g>
  return %0 : tensor<3x8xf32, #g>
}

// CHECK-LABEL: func.func @pad_with_a_number
// CHECK: %[[FILL:.*]] = arith.constant 1.500000e+00 : f32
// CHECK: kfuse.pad %{{.*}}, %[[FILL]] low [#kfuse.expr<0>, #kfuse.expr<1>]
func.func @pad_with_a_number(%a: tensor<4x8xf32, #a>) -> tensor<4x12xf32, #p> {
  %0 = kfuse.aten "aten::constant_pad_nd"(%a) {names = ["self", "pad", "value"], args = [#kfuse.operand<0>, [1, 3], 1.5]} : (tensor<4x8xf32, #a>) -> tensor<4x12xf32, #p>
  return %0 : tensor<4x12xf32, #p>
}

// Two index tensors are one index into the merged dimensions; a bad one stays
// out of range.
// CHECK-LABEL: func.func @two_index_tensors
// CHECK: %[[MERGED:.*]] = kfuse.reshape %{{.*}} sizes [#kfuse.expr<800>]
// CHECK: %[[AT:.*]] = arith.select
// CHECK: kfuse.take %[[MERGED]], %[[LAST:.*]] dim 0 : tensor<800xf32>, tensor<?x4xi64> -> tensor<?x4xf32>
func.func @two_index_tensors(%w: tensor<100x8xf32, #w>, %i: tensor<?x4xi64, #i>) -> tensor<?x4xf32, #i> {
  %0 = kfuse.aten "aten::index.Tensor"(%w, %i) {names = ["self", "indices"], args = [#kfuse.operand<0>, [#kfuse.operand<1>, #kfuse.operand<1>]]} : (tensor<100x8xf32, #w>, tensor<?x4xi64, #i>) -> tensor<?x4xf32, #i>
  return %0 : tensor<?x4xf32, #i>
}
