// RUN: kfuse-opt %s --convert-aten-to-kfuse --split-input-file | FileCheck %s

#m = #kfuse.layout<[s0, 8], [8, 1]>
#v = #kfuse.layout<[8], [1]>
#z = #kfuse.layout<[], []>

// Computed in f32, rounded once; the fusion keeps the operation it replaces.
// CHECK-LABEL: func.func @add_broadcasts_and_rounds
// CHECK: kfuse.fusion(%arg0, %arg1)
// CHECK: %[[X:.*]] = arith.extf %arg2 : tensor<?x8xbf16> to tensor<?x8xf32>
// CHECK: %[[Y:.*]] = arith.extf %arg3 : tensor<8xbf16> to tensor<8xf32>
// CHECK: %[[B:.*]] = kfuse.broadcast %[[Y]] dims [1]
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[B]] : tensor<?x8xf32>
// CHECK: %[[R:.*]] = kfuse.round %[[SUM]] : tensor<?x8xf32> -> tensor<?x8xbf16>
// CHECK: kfuse.yield %[[R]]
// CHECK: generic
// CHECK: kfuse.aten "aten::add.Tensor"
func.func @add_broadcasts_and_rounds(%a: tensor<?x8xbf16, #m>, %b: tensor<8xbf16, #v>) -> tensor<?x8xbf16, #m> {
  %0 = kfuse.aten "aten::add.Tensor"(%a, %b) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<?x8xbf16, #m>, tensor<8xbf16, #v>) -> tensor<?x8xbf16, #m>
  return %0 : tensor<?x8xbf16, #m>
}

// A Python number stays in f32; a tensor without dimensions is rounded to the
// type of the other.
// CHECK-LABEL: func.func @numbers_and_zero_dims
// CHECK: arith.constant 1.000000e-01 : f32
// CHECK: arith.mulf
// CHECK: kfuse.round explicit %arg{{[0-9]+}} : tensor<f64> -> tensor<f32>
// CHECK: kfuse.round explicit %{{.*}} : tensor<f32> -> tensor<bf16>
// CHECK: arith.extf
// CHECK: arith.mulf
func.func @numbers_and_zero_dims(%a: tensor<8xbf16, #v>, %s: tensor<f64, #z>) -> tensor<8xbf16, #v> {
  %0 = kfuse.aten "aten::mul.Scalar"(%a) {names = ["self", "other"], args = [#kfuse.operand<0>, 0.1]} : (tensor<8xbf16, #v>) -> tensor<8xbf16, #v>
  %1 = kfuse.aten "aten::mul.Tensor"(%0, %s) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8xbf16, #v>, tensor<f64, #z>) -> tensor<8xbf16, #v>
  return %1 : tensor<8xbf16, #v>
}

// CHECK-LABEL: func.func @number_divides_as_reciprocal
// CHECK: arith.constant 0.333333343 : f32
// CHECK-NOT: arith.divf
// CHECK: arith.mulf
func.func @number_divides_as_reciprocal(%a: tensor<8xf32, #v>) -> tensor<8xf32, #v> {
  %0 = kfuse.aten "aten::div.Tensor"(%a) {names = ["self", "other"], args = [#kfuse.operand<0>, 3]} : (tensor<8xf32, #v>) -> tensor<8xf32, #v>
  return %0 : tensor<8xf32, #v>
}

// CHECK-LABEL: func.func @unsigned_bytes_compare_unsigned
// CHECK: arith.cmpi ult, %{{.*}} : tensor<8xi8>
func.func @unsigned_bytes_compare_unsigned(%a: tensor<8xui8, #v>, %b: tensor<8xui8, #v>) -> tensor<8xi1, #v> {
  %0 = kfuse.aten "aten::lt.Tensor"(%a, %b) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8xui8, #v>, tensor<8xui8, #v>) -> tensor<8xi1, #v>
  return %0 : tensor<8xi1, #v>
}

// CHECK-LABEL: func.func @cast_is_explicit
// CHECK: kfuse.round explicit %{{.*}} : tensor<8xf32> -> tensor<8xbf16>
func.func @cast_is_explicit(%a: tensor<8xf32, #v>) -> tensor<8xbf16, #v> {
  %0 = kfuse.aten "aten::to.dtype"(%a) {names = ["self", "dtype"], args = [#kfuse.operand<0>, bf16]} : (tensor<8xf32, #v>) -> tensor<8xbf16, #v>
  return %0 : tensor<8xbf16, #v>
}

// One operand for both uses.
// CHECK-LABEL: func.func @square_by_mul
// CHECK: kfuse.fusion(%arg0) :
// CHECK: kfuse.aten "aten::mul.Tensor"(%{{.*}}) {args = [#kfuse.operand<0>, #kfuse.operand<0>]
func.func @square_by_mul(%a: tensor<8xf32, #v>) -> tensor<8xf32, #v> {
  %0 = kfuse.aten "aten::mul.Tensor"(%a, %a) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8xf32, #v>, tensor<8xf32, #v>) -> tensor<8xf32, #v>
  return %0 : tensor<8xf32, #v>
}
