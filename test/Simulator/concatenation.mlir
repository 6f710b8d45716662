// Parts whose edges are within packets.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=1,5,8 --symbol s1=3,61,64 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [s1, 1]>
#l1 = #kfuse.layout<[s0, s1 * 3 + 3], [s1 * 3 + 3, 1]>
#l2 = #kfuse.layout<[s0, s1 + 3], [s1 + 3, 1]>

func.func @main(
    %a0: tensor<?x?xf32, #l0>, %a1: tensor<?x?xf32, #l0>, %a2: tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l1>) {
  %r0 = kfuse.aten "aten::constant_pad_nd"(%a1) {names = ["self", "pad"], args = [#kfuse.operand<0>, [1 : i64, 2 : i64]]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l2>)
  %r1 = kfuse.aten "aten::neg"(%a2) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l0>)
  %r2 = kfuse.aten "aten::cat"(%a0, %r0, %r1) {names = ["tensors", "dim"], args = [[#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.operand<2>], 1 : i64]}
    : (tensor<?x?xf32, #l0>, tensor<?x?xf32, #l2>, tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l1>)
  return %r2 : tensor<?x?xf32, #l1>
}
