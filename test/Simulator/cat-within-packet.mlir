// A packet whose lanes lie in two rows, the last of one part of a concatenation
// and the first of the next: the element of the first row is loaded only from
// the part that it is in. (It was read from before the second part's tensor.)
// RUN: kfuse-compile %s --start-from=import --target=sim -o %t.kfuse
// RUN: kfuse-sim %t.kfuse --random-inputs --no-check | FileCheck %s

// CHECK: no findings

#thin = #kfuse.layout<[65, 1], [1, 1]>
#joined = #kfuse.layout<[130, 1], [1, 1]>
#both = #kfuse.layout<[2, 65, 1], [65, 1, 1]>
#big = #kfuse.layout<[65, 47], [47, 1]>
#sum = #kfuse.layout<[2, 65, 47], [3055, 47, 1]>
module attributes {kfuse.phase = "import"} {
func.func @main(%thin: tensor<65x1xf32, #thin>, %big: tensor<65x47xf32, #big>) -> tensor<2x65x47xf32, #sum> {
  %minus = kfuse.aten "aten::neg"(%thin) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<65x1xf32, #thin>) -> tensor<65x1xf32, #thin>
  %joined = kfuse.aten "aten::cat"(%thin, %minus) {names = ["tensors", "dim"], args = [[#kfuse.operand<0>, #kfuse.operand<1>], 0 : i64]} : (tensor<65x1xf32, #thin>, tensor<65x1xf32, #thin>) -> tensor<130x1xf32, #joined>
  %both = kfuse.aten "aten::view"(%joined) {names = ["self", "size"], args = [#kfuse.operand<0>, [2 : i64, 65 : i64, 1 : i64]]} : (tensor<130x1xf32, #joined>) -> tensor<2x65x1xf32, #both>
  %sum = kfuse.aten "aten::add.Tensor"(%big, %both) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<65x47xf32, #big>, tensor<2x65x1xf32, #both>) -> tensor<2x65x47xf32, #sum>
  return %sum : tensor<2x65x47xf32, #sum>
}
}
