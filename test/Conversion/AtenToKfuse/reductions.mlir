// RUN: kfuse-opt %s --convert-aten-to-kfuse | FileCheck %s

#m = #kfuse.layout<[s0, 8], [8, 1]>
#r = #kfuse.layout<[s0], [1]>
#k = #kfuse.layout<[s0, 1], [1, 1]>
#w = #kfuse.layout<[8], [1]>

// CHECK-LABEL: func.func @sum_in_f32
// CHECK: kfuse.reduce <sum> %{{.*}} dims [1] : tensor<?x8xf32> -> tensor<?xf32>
// CHECK: kfuse.round %{{.*}} : tensor<?xf32> -> tensor<?xbf16>
// CHECK: kfuse.reshape %{{.*}} : tensor<?xbf16> -> tensor<?x1xbf16>
func.func @sum_in_f32(%a: tensor<?x8xbf16, #m>) -> tensor<?x1xbf16, #k> {
  %0 = kfuse.aten "aten::sum.dim_IntList"(%a) {names = ["self", "dim", "keepdim"], args = [#kfuse.operand<0>, [-1], true]} : (tensor<?x8xbf16, #m>) -> tensor<?x1xbf16, #k>
  return %0 : tensor<?x1xbf16, #k>
}

// The number of elements is known only at run time.
// CHECK-LABEL: func.func @mean_of_symbolic_size
// CHECK: kfuse.reduce <sum> %{{.*}} dims [0]
// CHECK: kfuse.size <s0>
// CHECK: arith.sitofp
// CHECK: arith.divf
// CHECK: arith.mulf
func.func @mean_of_symbolic_size(%a: tensor<?x8xf32, #m>) -> tensor<8xf32, #w> {
  %0 = kfuse.aten "aten::mean.dim"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, [0]]} : (tensor<?x8xf32, #m>) -> tensor<8xf32, #w>
  return %0 : tensor<8xf32, #w>
}

// Only the results that are read are computed into memory.
// CHECK-LABEL: func.func @only_values_of_max
// CHECK: kfuse.fusion(%arg0) : {{.*}} -> tensor<?xi64, {{[^,]*}}[s0], [1]>> body
// CHECK: kfuse.arg_reduce <max>
func.func @only_values_of_max(%a: tensor<?x8xf32, #m>) -> tensor<?xi64, #r> {
  %0:2 = kfuse.aten "aten::max.dim"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, 1]} : (tensor<?x8xf32, #m>) -> (tensor<?xf32, #r>, tensor<?xi64, #r>)
  return %0#1 : tensor<?xi64, #r>
}

// CHECK-LABEL: func.func @layer_norm_in_two_passes
// CHECK: kfuse.reduce <sum>
// CHECK: arith.subf
// CHECK: kfuse.reduce <sum>
// CHECK: math.rsqrt
// CHECK: math.fma
// CHECK-COUNT-1: kfuse.round
// CHECK-NOT: kfuse.round
func.func @layer_norm_in_two_passes(%a: tensor<?x8xbf16, #m>, %g: tensor<8xbf16, #w>, %b: tensor<8xbf16, #w>) -> tensor<?x8xbf16, #m> {
  %0 = kfuse.aten "aten::layer_norm"(%a, %g, %b) {names = ["input", "normalized_shape", "weight", "bias"], args = [#kfuse.operand<0>, [8], #kfuse.operand<1>, #kfuse.operand<2>]} : (tensor<?x8xbf16, #m>, tensor<8xbf16, #w>, tensor<8xbf16, #w>) -> tensor<?x8xbf16, #m>
  return %0 : tensor<?x8xbf16, #m>
}

// CHECK-LABEL: func.func @softmax
// CHECK: kfuse.reduce <max>
// CHECK: math.exp
// CHECK: kfuse.reduce <sum>
// CHECK: arith.divf
func.func @softmax(%a: tensor<?x8xf32, #m>) -> tensor<?x8xf32, #m> {
  %0 = kfuse.aten "aten::softmax.int"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, -1]} : (tensor<?x8xf32, #m>) -> tensor<?x8xf32, #m>
  return %0 : tensor<?x8xf32, #m>
}
