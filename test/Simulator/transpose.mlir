// A tile that goes through shared memory, whole and ragged.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=1,32,33,130 --symbol s1=7,64,65 --seeds 2 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [s1, 1]>
#l1 = #kfuse.layout<[s1, s0], [s0, 1]>
#l2 = #kfuse.layout<[s1, s0], [1, s1]>

func.func @main(
    %a0: tensor<?x?xbf16, #l0>, %a1: tensor<?x?xbf16, #l1>) -> (tensor<?x?xbf16, #l2>) {
  %r0 = kfuse.aten "aten::t"(%a0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x?xbf16, #l0>) -> (tensor<?x?xbf16, #l2>)
  %r1 = kfuse.aten "aten::mul.Tensor"(%r0, %a1) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<?x?xbf16, #l2>, tensor<?x?xbf16, #l1>) -> (tensor<?x?xbf16, #l2>)
  return %r1 : tensor<?x?xbf16, #l2>
}
