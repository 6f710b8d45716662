// Rows by index, then arithmetic on them.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=1,5,64 --symbol s1=1,61,64 --random-int-limit 9 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[9, s1], [s1, 1]>
#l1 = #kfuse.layout<[s0, 3], [3, 1]>
#l2 = #kfuse.layout<[s0, 3, s1], [s1 * 3, s1, 1]>

func.func @main(
    %a0: tensor<9x?xf32, #l0>, %a1: tensor<?x3xi64, #l1>) -> (tensor<?x3x?xf32, #l2>) {
  %r0 = kfuse.aten "aten::embedding"(%a0, %a1) {names = ["weight", "indices"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<9x?xf32, #l0>, tensor<?x3xi64, #l1>) -> (tensor<?x3x?xf32, #l2>)
  %r1 = kfuse.aten "aten::neg"(%r0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x3x?xf32, #l2>) -> (tensor<?x3x?xf32, #l2>)
  return %r1 : tensor<?x3x?xf32, #l2>
}
