// RUN: kfuse-opt %s | kfuse-opt | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @round_trip
  gpu.func @round_trip(%p: !llvm.ptr<1>, %row: i64, %i: i32, %c: i1) kernel {
    // CHECK: kfuse.tile_load %{{.*}}[%{{.*}}, %{{.*}}] if %{{.*}} valid %{{.*}} to %{{.*}} {alignment = 16 : i64, whole} : !llvm.ptr<1>, i64, i32 -> vector<8xbf16>
    %v = kfuse.tile_load %p[%row, %i] if %c valid %i to %i {alignment = 16, whole} : !llvm.ptr<1>, i64, i32 -> vector<8xbf16>
    // CHECK: kfuse.tile_shift %{{.*}}, %{{.*}} by %{{.*}} : vector<8xbf16>
    %s = kfuse.tile_shift %v, %v by %i : vector<8xbf16>
    // CHECK: kfuse.thread_reduce(%{{.*}}) threads 64 count 2 step 32
    %r = kfuse.thread_reduce(%s) threads 64 count 2 step 32 {
    ^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>):
      %m = arith.maximumf %a, %b : vector<8xbf16>
      kfuse.yield %m : vector<8xbf16>
    } : (vector<8xbf16>) -> vector<8xbf16>
    // CHECK: kfuse.tile_exchange(%{{.*}}, %{{.*}}) threads 512 size 32 : (i8, i8) -> (i8, i8)
    %byte = kfuse.tile_load %p[%i] : !llvm.ptr<1>, i32 -> i8
    %t:2 = kfuse.tile_exchange(%byte, %byte) threads 512 size 32 : (i8, i8) -> (i8, i8)
    // CHECK: kfuse.check_index
    kfuse.check_index %c
    // CHECK: kfuse.tile_store %{{.*}}, %{{.*}}[%{{.*}}] if %{{.*}} {alignment = 16 : i64}
    kfuse.tile_store %r, %p[%i] if %c {alignment = 16} : vector<8xbf16>, !llvm.ptr<1>, i32
    gpu.return
  }
}
