// A reduction over rows of no elements reads nothing, though the stride says that
// one element would do for the whole row. (It was read from a tensor of 0 bytes.)
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=4 --symbol s1=0,3,64 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [1, 0]>
#l1 = #kfuse.layout<[s0], [1]>

func.func @main(
    %a0: tensor<?x?xf32, #l0>) -> (tensor<?xf32, #l1>) {
  %r0 = kfuse.aten "aten::sum.dim_IntList"(%a0) {names = ["self", "dim"], args = [#kfuse.operand<0>, [-1 : i64]]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?xf32, #l1>)
  return %r0 : tensor<?xf32, #l1>
}
