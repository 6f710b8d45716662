// Rows in a warp, in a block, in loops that run once and twice, with and without
// tails; in several orders of the threads.
// REQUIRES: kfuse-sim, torch, libdevice
// RUN: %simulate --symbol s0=1,5 --symbol s1=1,61,512,1028,2047 --seeds 2 | FileCheck %s
// RUN: %simulate --symbol s0=2 --symbol s1=4100,8197 | FileCheck %s

// CHECK: no findings

#l0 = #kfuse.layout<[s0, s1], [s1, 1]>

func.func @main(
    %a0: tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l0>) {
  %r0 = kfuse.aten "aten::mul.Scalar"(%a0) {names = ["self", "other"], args = [#kfuse.operand<0>, 0x3FC0000000000000 : f64]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l0>)
  %r1 = kfuse.aten "aten::softmax.int"(%r0) {names = ["self", "dim"], args = [#kfuse.operand<0>, -1 : i64]}
    : (tensor<?x?xf32, #l0>) -> (tensor<?x?xf32, #l0>)
  return %r1 : tensor<?x?xf32, #l0>
}
