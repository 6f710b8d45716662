// One kernel of a file: arguments of every form, contents, results.
// REQUIRES: kfuse-sim
// RUN: kfuse-sim %s --tensor X=f32[2x4]:iota --tensor Y=f32[2x4]:ones --tensor Z=f32[2x4]:out --launch 'scale<<<2, 4>>>(X, Y, Z, 2.5, 4)' --print Z --write Z=%t.npy | FileCheck %s
// CHECK:      Z:
// CHECK-NEXT: 1 3.5 6 8.5
// CHECK-NEXT: 11 13.5 16 18.5
// CHECK-NEXT: scale: 1 launch in {{.*}} s: no findings

// Results are inputs again; a tensor that has values can be written to.
// RUN: kfuse-sim %s --tensor X=%t.npy --tensor Y=f32[8]:zeros --writable Y --launch 'scale<<<2, 4>>>(X, Y, Y, -1.0:f32, 4)' --seeds 2 --print Y | FileCheck %s --check-prefix=AGAIN
// AGAIN:      Y:
// AGAIN-NEXT: -1 -3.5 -6 -8.5 -11 -13.5 -16 -18.5
// AGAIN-NEXT: scale: 2 launches in {{.*}} s: no findings

// RUN: kfuse-sim %s --tensor X=f32[2x4]:random@7 --tensor Y=f32[2x4]:random --tensor Z=f32[2x4]:out --launch 'scale<<<2, 4>>>(X, Y, Z, 2.5, 4)' --json | FileCheck %s --check-prefix=JSON
// JSON: "kernel": "scale"
// JSON: "ok": true

// RUN: not kfuse-sim %s --launch 'scale<<<2>>>()' 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: expected <<<GRID, BLOCK>>> or <<<GRID, BLOCK, SHARED>>>
// RUN: not kfuse-sim %s --launch 'scale(X)' 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: 'scale(X)' is no launch, expected NAME<<<GRID, BLOCK, SHARED>>>(ARGUMENTS)
// RUN: not kfuse-sim %s --launch 'scale<<<1, 32>>>(X)' 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: error: there is no tensor 'X'; give it with --tensor
// RUN: not kfuse-sim %s --launch 'scale<<<1, 32>>>(1)' 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: expected 5 parameters, found 1
// RUN: not kfuse-sim %s --launch 'other<<<1, 32>>>(1)' 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: there is no kernel 'other'
// RUN: not kfuse-sim %s --tensor X=f32[2x4]:sevens --launch 'scale<<<1, 32>>>(X)' 2>&1 | FileCheck %s --check-prefix=FILL
// FILL: error: 'sevens' is no fill, expected out, scratch, zeros, ones, iota, random or random@SEED
// RUN: not kfuse-sim %s --tensor X=f32[2x4] --launch 'scale<<<1, 32>>>(map(X, 2x4, swizzle=7))' 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// SWIZZLE: error: expected a swizzle of 0, 32, 64 or 128, found '7'
// RUN: not kfuse-sim %s --tensor X=f32[2x4] --launch 'scale<<<1, 32>>>(map(X, 2x3))' 2>&1 | FileCheck %s --check-prefix=BOX
// BOX: error: tensor map: expected rows of a box that are a multiple of 16 bytes, found 12
// RUN: not kfuse-sim %s.none --launch 'scale<<<1, 32>>>(1)' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read '{{.*}}.none'

gpu.module @kernels {
  // z = x * factor + y, a row a block.
  llvm.func @scale(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>, %factor: f32, %columns: i32) attributes {nvvm.kernel} {
    %row = nvvm.read.ptx.sreg.ctaid.x : i32
    %column = nvvm.read.ptx.sreg.tid.x : i32
    %skipped = llvm.mul %row, %columns : i32
    %i = llvm.add %skipped, %column : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pz = llvm.getelementptr %z[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %vx = llvm.load %px : !llvm.ptr<1> -> f32
    %vy = llvm.load %py : !llvm.ptr<1> -> f32
    %product = llvm.fmul %vx, %factor : f32
    %sum = llvm.fadd %product, %vy : f32
    llvm.store %sum, %pz : f32, !llvm.ptr<1>
    llvm.return
  }
}
