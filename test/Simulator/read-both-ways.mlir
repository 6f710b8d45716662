// A tensor that is read along its rows for one result and along its columns for
// another: a kernel that exchanges tiles has only one of the two. (The second
// result was made of the first one's elements.)
// REQUIRES: torch
// RUN: kfuse-compile %s --start-from=fuse --target=sim -o %t.kfuse
// RUN: kfuse-sim %t.kfuse --random-inputs | FileCheck %s

// CHECK: no findings, all outputs agree with the generic operators

#rows = #kfuse.layout<[64, 64], [64, 1]>
#columns = #kfuse.layout<[64, 64], [1, 64]>
func.func @main(%x: tensor<64x64xf32, #rows>) -> (tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>) {
  %0:2 = kfuse.fusion(%x) {kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x64xf32, #rows>) -> (tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>) body {
  ^bb0(%a: tensor<64x64xf32>):
    %t = kfuse.permute %a [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %n = arith.negf %t : tensor<64x64xf32>
    %b = kfuse.permute %n [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %s = arith.addf %b, %b : tensor<64x64xf32>
    kfuse.yield %n, %s : tensor<64x64xf32>, tensor<64x64xf32>
  } generic {
  ^bb0(%a: tensor<64x64xf32, #rows>):
    %t = kfuse.aten "aten::t"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #columns>
    %n = kfuse.aten "aten::neg"(%t) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<64x64xf32, #columns>) -> tensor<64x64xf32, #rows>
    %b = kfuse.aten "aten::t"(%n) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #columns>
    %s = kfuse.aten "aten::add.Tensor"(%b, %b) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) -> tensor<64x64xf32, #rows>
    kfuse.yield %n, %s : tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>
  }
  return %0#0, %0#1 : tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>
}
