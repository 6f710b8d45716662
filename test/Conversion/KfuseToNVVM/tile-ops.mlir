// RUN: kfuse-opt %s -pass-pipeline='builtin.module(gpu.module(convert-kfuse-to-nvvm))' | FileCheck %s
// RUN: kfuse-opt %s -pass-pipeline='builtin.module(gpu.module(convert-kfuse-to-nvvm{numerics=eager}))' | FileCheck %s --check-prefix=EAGER

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @access
  // CHECK-SAME: nvvm.kernel
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[ROW]][%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
  // CHECK: llvm.load %[[AT]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64}
  gpu.func @access(%p: !llvm.ptr<1>, %row: i64, %i: i32) kernel {
    %v = kfuse.tile_load %p[%row, %i] {alignment = 16} : !llvm.ptr<1>, i64, i32 -> vector<8xbf16>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<8xbf16>, !llvm.ptr<1>, i32
    gpu.return
  }

  // Shuffles within a warp, one slot of shared memory a warp beyond it.
  // CHECK-LABEL: llvm.func @block_sum
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  gpu.func @block_sum(%p: !llvm.ptr<1>, %i: i32) kernel {
    %v = kfuse.tile_load %p[%i] {alignment = 4} : !llvm.ptr<1>, i32 -> f32
    %s = kfuse.thread_reduce(%v) threads 64 count 64 step 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      kfuse.yield %c : f32
    } : (f32) -> f32
    kfuse.tile_store %s, %p[%i] {alignment = 4} : f32, !llvm.ptr<1>, i32
    gpu.return
  }

  // CHECK-LABEL: llvm.func @columns
  // CHECK-NOT: nvvm.shfl
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
  gpu.func @columns(%p: !llvm.ptr<1>, %i: i32) kernel {
    %v = kfuse.tile_load %p[%i] {alignment = 8} : !llvm.ptr<1>, i32 -> vector<2xf32>
    %s = kfuse.thread_reduce(%v) threads 128 count 4 step 32 {
    ^bb0(%a: vector<2xf32>, %b: vector<2xf32>):
      %c = arith.addf %a, %b : vector<2xf32>
      kfuse.yield %c : vector<2xf32>
    } : (vector<2xf32>) -> vector<2xf32>
    kfuse.tile_store %s, %p[%i] {alignment = 8} : vector<2xf32>, !llvm.ptr<1>, i32
    gpu.return
  }

  // CHECK-LABEL: llvm.func @misaligned
  // CHECK-COUNT-4: llvm.intr.fshr
  gpu.func @misaligned(%p: !llvm.ptr<1>, %i: i32, %j: i32, %by: i32) kernel {
    %a = kfuse.tile_load %p[%i] {alignment = 16} : !llvm.ptr<1>, i32 -> vector<8xbf16>
    %b = kfuse.tile_load %p[%j] {alignment = 16} : !llvm.ptr<1>, i32 -> vector<8xbf16>
    %v = kfuse.tile_shift %a, %b by %by : vector<8xbf16>
    kfuse.tile_store %v, %p[%i] {alignment = 16} : vector<8xbf16>, !llvm.ptr<1>, i32
    gpu.return
  }

  // Roundings are conversions; math comes from libdevice but for the correctly
  // rounded square root; 1 + tanh may be short.
  // CHECK-LABEL: llvm.func @math
  // CHECK: llvm.intr.sqrt
  // CHECK: llvm.call @__nv_expf
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.fptrunc
  // EAGER-LABEL: llvm.func @math
  // EAGER: llvm.call @__nv_tanhf
  gpu.func @math(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel {
    %x = kfuse.tile_load %p[%i] {alignment = 4} : !llvm.ptr<1>, i32 -> f32
    %one = arith.constant 1.0 : f32
    %a = math.sqrt %x : f32
    %b = math.exp %a : f32
    %c = math.tanh %b : f32
    %d = arith.addf %c, %one : f32
    %r = kfuse.round %d : f32 -> bf16
    kfuse.tile_store %r, %q[%i] {alignment = 2} : bf16, !llvm.ptr<1>, i32
    gpu.return
  }

  // CHECK-LABEL: llvm.func @exchange
  // CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  gpu.func @exchange(%p: !llvm.ptr<1>, %i: i32) kernel {
    %v = kfuse.tile_load %p[%i] {alignment = 4} : !llvm.ptr<1>, i32 -> f32
    %t:4 = kfuse.tile_exchange(%v, %v, %v, %v) threads 256 size 32 : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
    kfuse.tile_store %t#0, %p[%i] {alignment = 4} : f32, !llvm.ptr<1>, i32
    kfuse.tile_store %t#3, %p[%i] {alignment = 4} : f32, !llvm.ptr<1>, i32
    gpu.return
  }

  // One ticket a block, between fences; loads of what others wrote are volatile.
  // CHECK-LABEL: llvm.func @split
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load volatile
  gpu.func @split(%p: !llvm.ptr<1>, %i: i32) kernel {
    %last = kfuse.split_arrive %p[%i] of 8 : !llvm.ptr<1>, i32
    scf.if %last {
      %v = kfuse.tile_load %p[%i] {alignment = 4, fresh} : !llvm.ptr<1>, i32 -> f32
      kfuse.tile_store %v, %p[%i] {alignment = 4} : f32, !llvm.ptr<1>, i32
    }
    gpu.return
  }
}
