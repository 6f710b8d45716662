// Packets, tails, misaligned rows: a bias and an activation over a sliced operand.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=1,5,8 --symbol s1=1,61,64,515 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [s1 + 3, 1]>
#l1 = #kfuse.layout<[s1], [1]>
#l2 = #kfuse.layout<[s0, s1], [s1, 1]>

func.func @main(
    %a0: tensor<?x?xf32, #l0>, %a1: tensor<?xf32, #l1>) -> (tensor<?x?xf32, #l2>) {
  %r0 = kfuse.aten "aten::add.Tensor"(%a0, %a1) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<?x?xf32, #l0>, tensor<?xf32, #l1>) -> (tensor<?x?xf32, #l2>)
  %r1 = kfuse.aten "aten::gelu"(%r0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x?xf32, #l2>) -> (tensor<?x?xf32, #l2>)
  return %r1 : tensor<?x?xf32, #l2>
}
