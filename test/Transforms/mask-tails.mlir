// RUN: kfuse-opt %s -kfuse-mask-tails | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @condition
  // CHECK: %[[V:.*]] = scf.if %{{.*}} -> (f32) {
  // CHECK-NEXT: kfuse.tile_load %{{.*}}[%{{.*}}] {alignment = 4 : i64}
  // CHECK: } else {
  // CHECK-NEXT: arith.constant 0.0
  // CHECK: scf.if
  // CHECK-NEXT: kfuse.tile_store %[[V]]
  gpu.func @condition(%p: !llvm.ptr<1>, %i: i32, %c: i1) kernel {
    %v = kfuse.tile_load %p[%i] if %c {alignment = 4} : !llvm.ptr<1>, i32 -> f32
    kfuse.tile_store %v, %p[%i] if %c {alignment = 4} : f32, !llvm.ptr<1>, i32
    gpu.return
  }

  // All or nothing: one condition.
  // CHECK-LABEL: gpu.func @whole
  // CHECK: arith.cmpi sgt
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: kfuse.tile_load {{.*}} -> vector<4xf32>
  // CHECK-NOT: -> f32
  // CHECK: gpu.return
  gpu.func @whole(%p: !llvm.ptr<1>, %i: i32, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %v = kfuse.tile_load %p[%i] valid %zero to %n {alignment = 16, whole} : !llvm.ptr<1>, i32 -> vector<4xf32>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<4xf32>, !llvm.ptr<1>, i32
    gpu.return
  }

  // A range that is known to be full.
  // CHECK-LABEL: gpu.func @full
  // CHECK-NOT: scf.if
  // CHECK: gpu.return
  gpu.func @full(%p: !llvm.ptr<1>, %i: i32) kernel {
    %zero = arith.constant 0 : i32
    %four = arith.constant 4 : i32
    %v = kfuse.tile_load %p[%i] valid %zero to %four {alignment = 16} : !llvm.ptr<1>, i32 -> vector<4xf32>
    kfuse.tile_store %v, %p[%i] valid %zero to %four {alignment = 16} : vector<4xf32>, !llvm.ptr<1>, i32
    gpu.return
  }

  // The full path is whole, the other goes element by element.
  // CHECK-LABEL: gpu.func @tail
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-NEXT: %[[FULL:.*]] = kfuse.tile_load {{.*}} -> vector<2xf32>
  // CHECK-NEXT: kfuse.tile_store %[[FULL]]
  // CHECK-NEXT: } else {
  // CHECK: kfuse.tile_load {{.*}} -> f32
  // CHECK: kfuse.tile_load {{.*}} -> f32
  // CHECK: kfuse.tile_store {{.*}} : f32
  // CHECK: kfuse.tile_store {{.*}} : f32
  gpu.func @tail(%p: !llvm.ptr<1>, %i: i32, %n: i32, %c: i1) kernel {
    scf.if %c {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %high = arith.addi %n, %one : i32
      %v = kfuse.tile_load %p[%i] valid %zero to %high {alignment = 8} : !llvm.ptr<1>, i32 -> vector<2xf32>
      kfuse.tile_store %v, %p[%i] valid %zero to %high {alignment = 8} : vector<2xf32>, !llvm.ptr<1>, i32
    } {kfuse.tail}
    gpu.return
  }
}
