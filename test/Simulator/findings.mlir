// One kernel for each kind of finding, with asynchronous work where it can have
// the fault. RUN lines name the kernel; its check lines stand above it.
// REQUIRES: kfuse-sim
// DEFINE: %{launch} = kfuse-sim %s --tensor IN=i32[32x4]:iota --tensor OUT=i32[32x4]:out --launch
// RUN: not %{launch} 'outside<<<1, 32>>>(IN, OUT)' | FileCheck %s --check-prefix=OUTSIDE
// RUN: not %{launch} 'misaligned<<<1, 32>>>(map(IN, 8x4))' | FileCheck %s --check-prefix=MISALIGNED
// RUN: not %{launch} 'uninitialized<<<1, 32>>>(OUT)' | FileCheck %s --check-prefix=UNINITIALIZED
// RUN: not %{launch} 'race<<<1, 32>>>(IN, OUT)' | FileCheck %s --check-prefix=RACE
// RUN: not %{launch} 'divergence<<<1, 32>>>(OUT)' | FileCheck %s --check-prefix=DIVERGENCE
// RUN: not %{launch} 'deadlock<<<1, 32>>>(IN)' | FileCheck %s --check-prefix=DEADLOCK
// RUN: not %{launch} 'barrier<<<1, 32>>>()' | FileCheck %s --check-prefix=BARRIER
// RUN: not %{launch} 'async<<<1, 32>>>(map(OUT, 32x4))' | FileCheck %s --check-prefix=ASYNC
// RUN: not %{launch} 'unwritten<<<1, 32>>>(map(OUT, 8x4))' | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not %{launch} 'trap<<<1, 32>>>()' | FileCheck %s --check-prefix=TRAP
// RUN: not %{launch} 'unsupported<<<1, 32>>>(IN)' | FileCheck %s --check-prefix=OTHER
// RUN: not %{launch} 'lint<<<1, 128>>>()' | FileCheck %s --check-prefix=LINT

gpu.module @findings {
  llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<2048 x i8>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 8 : i64} : i64

  // OUTSIDE: out-of-bounds in outside: asynchronously reads 16 bytes outside of a tensor of 512 bytes
  // OUTSIDE-NEXT: at nvvm.cp.async.shared.global at {{.*}}:[[@LINE+8]]:
  llvm.func @outside(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %next = llvm.add %tid, %c1 : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %to = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %from = llvm.getelementptr %in[%next] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    llvm.return
  }

  // MISALIGNED: misaligned in misaligned: asynchronously writes 128 bytes at an address that is no multiple of 128
  llvm.func @misaligned(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bytes = llvm.mlir.constant(128 : i32) : i32
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %to = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^load, ^done
  ^load:
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %b, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %b, box [%c0, %c0] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %b, %c0, %bytes : !llvm.ptr<3>, i32, i32
    llvm.br ^done
  ^done:
    llvm.return
  }

  // UNINITIALIZED: uninitialized-read in uninitialized: asynchronously reads memory that nobody wrote
  llvm.func @uninitialized(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %bytes = llvm.mlir.constant(512 : i32) : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^store, ^done
  ^store:
    nvvm.cp.async.bulk.global.shared.cta %out, %s, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^done
  ^done:
    llvm.return
  }

  // RACE: race in race: reads what asynchronous work writes, with nothing that orders the two
  // RACE-NEXT: at llvm.load at {{.*}}:[[@LINE+10]]:
  // RACE-NEXT: block (0, 0, 0), thread ({{[0-9]+}}, 0, 0), shared memory at byte {{[0-9]+}}, 4 bytes
  // RACE-NEXT: the other side: nvvm.cp.async.shared.global at
  // RACE-NEXT: block (0, 0, 0), asynchronous work
  llvm.func @race(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %to = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %early = llvm.load %to : !llvm.ptr<3> -> i32
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %at = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %early, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  // DIVERGENCE: divergence in divergence: lanes of one warp wait for each other at different operations
  llvm.func @divergence(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %all = llvm.mlir.constant(-1 : i32) : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^one, ^done
  ^one:
    nvvm.stmatrix %s, %all {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
    llvm.br ^done
  ^done:
    nvvm.bar.warp.sync %all : i32
    llvm.return
  }

  // DEADLOCK: deadlock in deadlock: 1 of 32 threads wait for ever for an mbarrier: its phase 0 lacks 0 of 1 arrivals and 16 bytes
  llvm.func @deadlock(%in: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %expected = llvm.mlir.constant(32 : i32) : i32
    %copied = llvm.mlir.constant(16 : i32) : i32
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^load, ^done
  ^load:
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %b, %expected : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %s, %in, %b, %copied : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.mbarrier.try_wait.parity %b, %c0, %c1 : !llvm.ptr<3>, i32, i32
    llvm.br ^done
  ^done:
    llvm.return
  }

  // BARRIER: barrier in barrier: arrives 2 times where its phase 0 lacks 1 of 1 arrivals and 0 bytes
  llvm.func @barrier() attributes {nvvm.kernel} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^use, ^done
  ^use:
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    %state = nvvm.mbarrier.arrive %b, %c2 : !llvm.ptr<3> -> i64
    llvm.br ^done
  ^done:
    llvm.return
  }

  // ASYNC: async in async: asynchronously reads through the async proxy what was written by an ordinary store, with no fence.proxy.async after the store
  // ASYNC: the other side: llvm.store at
  // ASYNC: async in async: the thread exits while bulk copies may still read its block's shared memory
  llvm.func @async(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %at = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %zeros = llvm.mlir.zero : vector<4xi32>
    llvm.store %zeros, %at : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^store, ^done
  ^store:
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box [%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    llvm.br ^done
  ^done:
    llvm.return
  }

  // The first 8 of 32 rows are stored.
  // UNWRITTEN: unwritten-output in unwritten: the kernel leaves bytes of an output unwritten, of 512 in all
  // UNWRITTEN-NEXT: the whole launch, argument 0 at byte 128, 1 byte; 384 times
  llvm.func @unwritten(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %at = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %at : i32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.barrier0
    %lead = nvvm.elect.sync -> i1
    llvm.cond_br %lead, ^store, ^done
  ^store:
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box [%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^done
  ^done:
    llvm.return
  }

  // TRAP: trap in trap: the kernel stopped itself
  llvm.func @trap() attributes {nvvm.kernel} {
    "llvm.intr.trap"() : () -> ()
    llvm.return
  }

  // A pointer where a tensor map is expected.
  // OTHER: unsupported in unsupported: expected a tensor map
  llvm.func @unsupported(%in: !llvm.ptr) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %in, %s, box [%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }

  // LINT: lint in lint: reserved bits of a matrix descriptor are set; in a cluster the address must be masked with 0x3FFFF before
  llvm.func @lint() attributes {nvvm.kernel} {
    %descriptor = llvm.mlir.constant(4611686293313699904 : i64) : i64
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %descriptor, %descriptor, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<zero>], A [<bf16>, #nvvm.wgmma_scale_in<one>, <row>], B [<bf16>, #nvvm.wgmma_scale_in<one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    llvm.return
  }
}
