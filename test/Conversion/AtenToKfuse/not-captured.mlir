// RUN: kfuse-opt %s --convert-aten-to-kfuse --remarks-filter=kfuse-fallback --remark-policy=all -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t

#m = #kfuse.layout<[8, 8], [8, 1]>
#v = #kfuse.layout<[8], [1]>

// What stays is as it was, but for the class and the reason.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: kfuse.fusion
// CHECK-COUNT-10: kfuse.aten
// CHECK-NOT: kfuse.fusion
func.func @stays(%a: tensor<8x8xf32, #m>, %i: tensor<8xi1, #v>, %s: tensor<7xf32, #kfuse.layout<[7], [1]>>, %c: tensor<8xcomplex<f32>, #v>) -> (tensor<8x8xf32, #m>, tensor<8xf32, #v>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8xcomplex<f32>, #v>, tensor<8x8xbf16, #m>, tensor<8x8xf32, #m>) {
  // REMARK: class=library, op=aten::mm
  %0 = kfuse.aten "aten::mm"(%a, %a) {names = ["self", "mat2"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8x8xf32, #m>, tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="prefix sums have no kernel", class=unsupported, op=aten::cummin
  %1 = kfuse.aten "aten::cummin"(%a) {names = ["self", "dim"], args = [#kfuse.operand<0>, 1]} : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="the operation has no kernel", class=unsupported, op=my::thing
  %2 = kfuse.aten "my::thing"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="dropout in training draws random numbers"
  %3 = kfuse.aten "aten::dropout"(%a) {names = ["input", "p", "train"], args = [#kfuse.operand<0>, 0.5, true]} : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="argument 'surprise' is not understood"
  %4 = kfuse.aten "aten::exp"(%a) {names = ["self", "surprise"], args = [#kfuse.operand<0>, 1]} : (tensor<8x8xf32, #m>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="element type complex<f32> has no arithmetic in kernels"
  %5 = kfuse.aten "aten::neg"(%c) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<8xcomplex<f32>, #v>) -> tensor<8xcomplex<f32>, #v>
  // REMARK: Reason="expected result 0 of type tensor<8x8xf32>, found tensor<8x8xbf16,
  %6 = kfuse.aten "aten::exp"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<8x8xf32, #m>) -> tensor<8x8xbf16, #m>
  // REMARK: Reason="the size of the result depends on a mask"
  %7 = kfuse.aten "aten::index.Tensor"(%a, %i) {names = ["self", "indices"], args = [#kfuse.operand<0>, [#kfuse.operand<1>]]} : (tensor<8x8xf32, #m>, tensor<8xi1, #v>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="sizes or types of arguments and results do not fit together"
  %8 = kfuse.aten "aten::add.Tensor"(%a, %s) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8x8xf32, #m>, tensor<7xf32, #kfuse.layout<[7], [1]>>) -> tensor<8x8xf32, #m>
  // REMARK: Reason="{{.*}}", class=unsupported, op=aten::add.Tensor
  %9 = kfuse.aten "aten::add.Tensor"(%a, %s) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<8x8xf32, #m>, tensor<7xf32, #kfuse.layout<[7], [1]>>) -> tensor<8xf32, #v>
  return %8, %9, %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8x8xf32, #m>, tensor<8xf32, #v>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8x8xf32, #m>, tensor<8xcomplex<f32>, #v>, tensor<8x8xbf16, #m>, tensor<8x8xf32, #m>
}
