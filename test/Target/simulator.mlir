// The kernels' IR beside PTX, instead of it, and again the same bytes.
// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none --simulator -o %t.kfuse
// RUN: unzip -p %t.kfuse plan.json | FileCheck %s --check-prefix=PLAN
// RUN: unzip -p %t.kfuse manifest.json | FileCheck %s --check-prefix=MANIFEST
// RUN: unzip -p %t.kfuse kernels/sim/kernels0.mlirbc > %t.mlirbc
// RUN: kfuse-opt %t.mlirbc --mlir-print-debuginfo | FileCheck %s --check-prefix=IR
// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none --simulator=also -j 1 -o %t.again.kfuse
// RUN: cmp %t.kfuse %t.again.kfuse
// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none --target=sim,sm_90a -o %t.again.kfuse
// RUN: cmp %t.kfuse %t.again.kfuse

// RUN: kfuse-compile %s --start-from=plan-memory --target=sim -o %t.only.kfuse 2>&1 | count 0
// RUN: unzip -p %t.only.kfuse plan.json | FileCheck %s --check-prefix=ONLY
// RUN: unzip -p %t.only.kfuse kernels/sim/kernels0.mlirbc | cmp - %t.mlirbc
// RUN: not unzip -l %t.only.kfuse 'kernels/sm_*'
// RUN: kfuse-compile %s --start-from=plan-memory --target=sm_80 --simulator=only -o %t.only80.kfuse
// RUN: cmp %t.only.kfuse %t.only80.kfuse

// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none -o %t.without.kfuse
// RUN: unzip -p %t.without.kfuse plan.json | FileCheck %s --implicit-check-not=mlirbc
// RUN: not kfuse-compile %s --start-from=plan-memory --simulator=maybe -o %t.bad.kfuse 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD

// MANIFEST: "targets":["sm_90a","sim"]
// A kernel without arithmetic on floats gives what its operators give.
// PLAN: "binaries":{"sim":{"entry":"k_0","member":"kernels/sim/kernels0.mlirbc"},"sm_90a":{"entry":"k_0","member":"kernels/sm_90a/kernels0.ptx"}}
// PLAN: "exact":true
// ONLY: "binaries":{"sim":{"entry":"k_0","member":"kernels/sim/kernels0.mlirbc"}}
// CHECK: "binaries":{"sm_90a"
// BAD: unknown value 'maybe' of --simulator, expected also or only

// IR: gpu.module @kernels0
// IR: llvm.func @k_0(
// IR: llvm.load {{.*}} loc([[LOC:#.*]])
// IR: [[LOC]] = loc("relu_1"
module attributes {kfuse.model = "m", kfuse.device = "cpu"} {
  func.func @main(%x: tensor<64xf32, #kfuse.layout<[64], [1]>> {kfuse.kind = "input", kfuse.name = "x"})
      -> tensor<64xf32, #kfuse.layout<[64], [1]>>
      attributes {kfuse.inputs = [0], kfuse.outputs = [0], kfuse.arena_size = #kfuse.expr<256>} {
    %0 = kfuse.launch "k"(%x) {kfuse.arena = [#kfuse.expr<0>], variants = [
        #kfuse.variant<@k::@k_0, tensors = [0, 1], scalars = [], grid = [<1>, <1>, <1>],
          block = 64, shared_bytes = 0>]}
      : (tensor<64xf32, #kfuse.layout<[64], [1]>>) -> tensor<64xf32, #kfuse.layout<[64], [1]>> generic {
    ^bb0(%a: tensor<64xf32, #kfuse.layout<[64], [1]>>):
      %g = kfuse.aten "aten::relu"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
        : (tensor<64xf32, #kfuse.layout<[64], [1]>>) -> tensor<64xf32, #kfuse.layout<[64], [1]>>
      kfuse.yield %g : tensor<64xf32, #kfuse.layout<[64], [1]>>
    }
    return %0 : tensor<64xf32, #kfuse.layout<[64], [1]>>
  }
  gpu.module @k {
    llvm.func @k_0(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.load %in : !llvm.ptr<1> -> f32 loc("relu_1")
      llvm.store %v, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}
