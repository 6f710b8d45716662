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

  // An aligned covered load is one granule, read where it holds something.
  // CHECK-LABEL: gpu.func @covered_aligned
  // CHECK: %[[MIN:.*]] = arith.minsi %{{.*}}, %c4_i32
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %[[MIN]]
  // CHECK: scf.if %[[SOME]] -> (vector<4xf32>)
  // CHECK-NEXT: kfuse.tile_load %{{.*}}[%{{.*}}] {alignment = 16 : i64, kfuse.granule}
  // CHECK-NOT: kfuse.tile_load
  // CHECK: gpu.return
  gpu.func @covered_aligned(%p: !llvm.ptr<1>, %i: i32, %l: i32, %n: i32) kernel {
    %v = kfuse.tile_load %p[%i] valid %l to %n {alignment = 16, covered} : !llvm.ptr<1>, i32 -> vector<4xf32>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<4xf32>, !llvm.ptr<1>, i32
    gpu.return
  }

  // Two granules around the packet, the second only where it begins within.
  // All loads come before the first shift.
  // CHECK-LABEL: gpu.func @covered_anywhere
  // CHECK: %[[AT:.*]] = llvm.ptrtoint
  // CHECK: %[[BY:.*]] = arith.andi %{{.*}}, %c7_i32
  // CHECK: kfuse.tile_load %{{.*}}[%{{.*}}, %{{.*}}] {alignment = 16 : i64, kfuse.granule} : !llvm.ptr<1>, i32, i32 -> vector<8xbf16>
  // CHECK: arith.cmpi ne, %[[BY]]
  // CHECK: scf.if
  // CHECK-NEXT: kfuse.tile_load {{.*}} -> vector<8xbf16>
  // CHECK: kfuse.tile_load
  // CHECK: kfuse.tile_load
  // CHECK: kfuse.tile_shift %{{.*}}, %{{.*}} by %[[BY]] : vector<8xbf16>
  // CHECK: gpu.return
  gpu.func @covered_anywhere(%p: !llvm.ptr<1>, %i: i32, %j: i32) kernel {
    %v = kfuse.tile_load %p[%i] {alignment = 2, covered} : !llvm.ptr<1>, i32 -> vector<8xbf16>
    %w = kfuse.tile_load %p[%j] {alignment = 2, covered} : !llvm.ptr<1>, i32 -> vector<8xbf16>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<8xbf16>, !llvm.ptr<1>, i32
    kfuse.tile_store %w, %p[%j] {alignment = 16} : vector<8xbf16>, !llvm.ptr<1>, i32
    gpu.return
  }

  // Packets of 32 bytes have three granules.
  // CHECK-LABEL: gpu.func @covered_wide
  // CHECK-COUNT-3: kfuse.tile_load {{.*}} -> vector<4xf32>
  // CHECK-COUNT-2: kfuse.tile_shift
  // CHECK: vector.shuffle
  gpu.func @covered_wide(%p: !llvm.ptr<1>, %i: i32, %l: i32, %n: i32) kernel {
    %v = kfuse.tile_load %p[%i] valid %l to %n {alignment = 4, covered} : !llvm.ptr<1>, i32 -> vector<8xf32>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<8xf32>, !llvm.ptr<1>, i32
    gpu.return
  }

  // Only the tail's own range is dropped in the version of full packets: a part
  // of a packet keeps its own.
  // CHECK-LABEL: gpu.func @tail_of_parts
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK: scf.if %{{.*}} -> (vector<4xf32>)
  // CHECK-NEXT: kfuse.tile_load
  // CHECK: kfuse.tile_store %{{.*}}, %{{.*}}[%{{.*}}] {alignment = 16 : i64} : vector<4xf32>
  gpu.func @tail_of_parts(%p: !llvm.ptr<1>, %i: i32, %n: i32, %l: i32, %c: i1) kernel {
    scf.if %c {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %high = arith.addi %n, %one : i32
      %v = kfuse.tile_load %p[%i] valid %l to %high {alignment = 16, covered} : !llvm.ptr<1>, i32 -> vector<4xf32>
      kfuse.tile_store %v, %p[%i] valid %zero to %high {alignment = 16} : vector<4xf32>, !llvm.ptr<1>, i32
    } {kfuse.tail}
    gpu.return
  }
}
