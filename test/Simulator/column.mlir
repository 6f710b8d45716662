// Columns: blocks of rows that run no, one and several rounds, combined through
// shared memory.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=0,1,31,257,1031 --symbol s1=5,64 --seeds 2 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [s1, 1]>
#l1 = #kfuse.layout<[s1], [1]>

func.func @main(
    %a0: tensor<?x?xf32, #l0>) -> (tensor<?xf32, #l1>) {
  %r0 = kfuse.aten "aten::sum.dim_IntList"(%a0) {names = ["self", "dim"], args = [#kfuse.operand<0>, [0 : i64]]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?xf32, #l1>)
  return %r0 : tensor<?xf32, #l1>
}
