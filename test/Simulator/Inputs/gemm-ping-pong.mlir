// Written by make_gemm.py: ping-pong, 81968 bytes of dynamic shared memory; boxes of A 64x64,
// of B 32x64, of D 16x64, all swizzled by 128 bytes.
module {
  gpu.module @gemm [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
    llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @gemm(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg2: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg3: !llvm.ptr<1>, %arg4: i32, %arg5: i32, %arg6: i32) attributes {nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
      %0 = llvm.mlir.undef : vector<2xf32>
      %1 = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %2 = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      %3 = llvm.mlir.constant(2 : i32) : i32
      %4 = llvm.mlir.constant(31 : i32) : i32
      %5 = llvm.mlir.constant(5 : i32) : i32
      %6 = llvm.mlir.constant(7 : i32) : i32
      %7 = llvm.mlir.constant(127 : i32) : i32
      %8 = llvm.mlir.constant(0 : i32) : i32
      %9 = llvm.mlir.constant(3 : i32) : i32
      %10 = llvm.mlir.constant(81920 : i32) : i32
      %11 = llvm.mlir.constant(1 : i32) : i32
      %12 = llvm.mlir.constant(81944 : i32) : i32
      %13 = llvm.mlir.constant(128 : i32) : i32
      %14 = llvm.mlir.constant(63 : i32) : i32
      %15 = llvm.mlir.constant(64 : i32) : i32
      %16 = llvm.mlir.constant(32 : i32) : i32
      %17 = llvm.mlir.constant(1000000 : i32) : i32
      %18 = llvm.mlir.constant(16384 : i32) : i32
      %19 = llvm.mlir.constant(8192 : i32) : i32
      %20 = llvm.mlir.constant(24576 : i32) : i32
      %21 = llvm.mlir.constant(3 : i16) : i16
      %22 = llvm.mlir.constant(262143 : i32) : i32
      %23 = llvm.mlir.constant(4 : i32) : i32
      %24 = llvm.mlir.constant(4611686293305360384 : i64) : i64
      %25 = llvm.mlir.constant(4611686293305361920 : i64) : i64
      %26 = llvm.mlir.constant(256 : i32) : i32
      %27 = llvm.mlir.constant(512 : i64) : i64
      %28 = llvm.mlir.constant(2 : i64) : i64
      %29 = llvm.mlir.constant(4 : i64) : i64
      %30 = llvm.mlir.constant(6 : i64) : i64
      %31 = llvm.mlir.constant(8 : i32) : i32
      %32 = llvm.mlir.constant(16 : i32) : i32
      %33 = llvm.mlir.constant(24 : i32) : i32
      %34 = llvm.mlir.constant(40 : i32) : i32
      %35 = llvm.mlir.constant(48 : i32) : i32
      %36 = llvm.mlir.constant(56 : i32) : i32
      %37 = llvm.mlir.constant(2048 : i32) : i32
      %38 = llvm.mlir.constant(49152 : i32) : i32
      %39 = llvm.mlir.constant(-1 : i32) : i32
      %40 = llvm.mlir.constant(6 : i32) : i32
      %41 = nvvm.read.ptx.sreg.tid.x : i32
      %42 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
      %43 = nvvm.read.ptx.sreg.ctaid.x : i32
      %44 = llvm.udiv %43, %3 : i32
      %45 = nvvm.read.ptx.sreg.nctaid.x : i32
      %46 = llvm.udiv %45, %3 : i32
      %47 = llvm.and %41, %4 : i32
      %48 = llvm.lshr %41, %5 : i32
      %49 = llvm.lshr %41, %6 : i32
      %50 = llvm.and %41, %7 : i32
      %51 = llvm.icmp "ult" %50, %3 : i32
      %52 = llvm.icmp "eq" %41, %8 : i32
      llvm.cond_br %52, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      %53 = llvm.add %8, %10 : i32
      %54 = llvm.getelementptr %2[%53] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %54, %11 : !llvm.ptr<3>, i32
      %55 = llvm.add %8, %12 : i32
      %56 = llvm.getelementptr %2[%55] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %56, %3 : !llvm.ptr<3>, i32
      %57 = llvm.add %31, %10 : i32
      %58 = llvm.getelementptr %2[%57] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %58, %11 : !llvm.ptr<3>, i32
      %59 = llvm.add %31, %12 : i32
      %60 = llvm.getelementptr %2[%59] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %60, %3 : !llvm.ptr<3>, i32
      %61 = llvm.add %32, %10 : i32
      %62 = llvm.getelementptr %2[%61] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %62, %11 : !llvm.ptr<3>, i32
      %63 = llvm.add %32, %12 : i32
      %64 = llvm.getelementptr %2[%63] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %64, %3 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      llvm.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      %65 = llvm.add %arg4, %7 : i32
      %66 = llvm.udiv %65, %13 : i32
      %67 = llvm.add %arg5, %14 : i32
      %68 = llvm.udiv %67, %15 : i32
      %69 = llvm.mul %66, %68 : i32
      %70 = llvm.add %arg6, %14 : i32
      %71 = llvm.udiv %70, %15 : i32
      %72 = llvm.icmp "eq" %49, %8 : i32
      llvm.cond_br %72, ^bb3, ^bb12
    ^bb3:  // pred: ^bb2
      nvvm.setmaxregister  decrease 40
      %73 = llvm.icmp "eq" %50, %8 : i32
      llvm.cond_br %73, ^bb4, ^bb11
    ^bb4:  // pred: ^bb3
      llvm.br ^bb5(%44, %8, %11 : i32, i32, i32)
    ^bb5(%74: i32, %75: i32, %76: i32):  // 2 preds: ^bb4, ^bb9
      %77 = llvm.icmp "slt" %74, %69 : i32
      llvm.cond_br %77, ^bb6, ^bb10
    ^bb6:  // pred: ^bb5
      %78 = llvm.urem %74, %66 : i32
      %79 = llvm.mul %78, %3 : i32
      %80 = llvm.add %79, %42 : i32
      %81 = llvm.mul %80, %15 : i32
      %82 = llvm.udiv %74, %66 : i32
      %83 = llvm.mul %82, %15 : i32
      %84 = llvm.mul %42, %16 : i32
      llvm.br ^bb7(%8, %75, %76 : i32, i32, i32)
    ^bb7(%85: i32, %86: i32, %87: i32):  // 2 preds: ^bb6, ^bb8
      %88 = llvm.icmp "slt" %85, %71 : i32
      llvm.cond_br %88, ^bb8, ^bb9
    ^bb8:  // pred: ^bb7
      %89 = llvm.shl %86, %9 : i32
      %90 = llvm.add %89, %12 : i32
      %91 = llvm.getelementptr %2[%90] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.try_wait.parity %91, %87, %17 : !llvm.ptr<3>, i32, i32
      %92 = llvm.add %89, %10 : i32
      %93 = llvm.getelementptr %2[%92] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.arrive.expect_tx %93, %18 : !llvm.ptr<3>, i32
      %94 = llvm.mul %85, %15 : i32
      %95 = llvm.mul %86, %19 : i32
      %96 = llvm.getelementptr %2[%95] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.cp.async.bulk.tensor.shared.cluster.global %96, %arg0, %93, box[%94, %81] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      %97 = llvm.mul %84, %13 : i32
      %98 = llvm.add %97, %20 : i32
      %99 = llvm.add %95, %98 : i32
      %100 = llvm.add %83, %84 : i32
      %101 = llvm.getelementptr %2[%99] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %102 = llvm.addrspacecast %101 : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %102, %arg1, %93, box[%94, %100] multicast_mask = %21 : !llvm.ptr<7>, !llvm.ptr
      %103 = llvm.add %86, %11 : i32
      %104 = llvm.icmp "eq" %103, %9 : i32
      %105 = llvm.zext %104 : i1 to i32
      %106 = llvm.select %104, %8, %103 : i1, i32
      %107 = llvm.xor %87, %105 : i32
      %108 = llvm.add %85, %11 : i32
      llvm.br ^bb7(%108, %106, %107 : i32, i32, i32)
    ^bb9:  // pred: ^bb7
      %109 = llvm.add %74, %46 : i32
      llvm.br ^bb5(%109, %86, %87 : i32, i32, i32)
    ^bb10:  // pred: ^bb5
      llvm.br ^bb11
    ^bb11:  // 2 preds: ^bb3, ^bb10
      llvm.br ^bb35
    ^bb12:  // pred: ^bb2
      nvvm.setmaxregister  increase 232
      %110 = llvm.sub %49, %11 : i32
      %111 = llvm.ptrtoint %2 : !llvm.ptr<3> to i32
      %112 = llvm.and %111, %22 : i32
      %113 = llvm.lshr %112, %23 : i32
      %114 = llvm.zext %113 : i32 to i64
      %115 = llvm.add %114, %24 : i64
      %116 = llvm.add %114, %25 : i64
      %117 = llvm.mul %110, %46 : i32
      %118 = llvm.add %44, %117 : i32
      %119 = llvm.shl %46, %11 : i32
      %120 = llvm.mul %110, %71 : i32
      %121 = llvm.urem %120, %9 : i32
      %122 = llvm.udiv %120, %9 : i32
      %123 = llvm.and %122, %11 : i32
      %124 = llvm.icmp "eq" %110, %11 : i32
      llvm.cond_br %124, ^bb13, ^bb14
    ^bb13:  // pred: ^bb12
      nvvm.barrier.arrive id = %3 number_of_threads = %26
      llvm.br ^bb14
    ^bb14:  // 2 preds: ^bb12, ^bb13
      llvm.br ^bb15(%118, %121, %123, %8 : i32, i32, i32, i32)
    ^bb15(%125: i32, %126: i32, %127: i32, %128: i32):  // 2 preds: ^bb14, ^bb31
      %129 = llvm.icmp "slt" %125, %69 : i32
      llvm.cond_br %129, ^bb16, ^bb32
    ^bb16:  // pred: ^bb15
      %130 = llvm.urem %125, %66 : i32
      %131 = llvm.mul %130, %3 : i32
      %132 = llvm.add %131, %42 : i32
      %133 = llvm.mul %132, %15 : i32
      %134 = llvm.udiv %125, %66 : i32
      %135 = llvm.mul %134, %15 : i32
      %136 = llvm.add %110, %3 : i32
      nvvm.barrier id = %136 number_of_threads = %26
      llvm.br ^bb17(%8, %1, %126, %127, %126 : i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32, i32, i32)
    ^bb17(%137: i32, %138: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, %139: i32, %140: i32, %141: i32):  // 2 preds: ^bb16, ^bb22
      %142 = llvm.icmp "slt" %137, %71 : i32
      llvm.cond_br %142, ^bb18, ^bb23
    ^bb18:  // pred: ^bb17
      %143 = llvm.shl %139, %9 : i32
      %144 = llvm.add %143, %10 : i32
      %145 = llvm.getelementptr %2[%144] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.try_wait.parity %145, %140, %17 : !llvm.ptr<3>, i32, i32
      nvvm.wgmma.fence.aligned
      %146 = llvm.zext %139 : i32 to i64
      %147 = llvm.mul %146, %27 : i64
      %148 = llvm.add %115, %147 : i64
      %149 = llvm.add %116, %147 : i64
      %150 = nvvm.wgmma.mma_async %148, %149, %138, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %151 = llvm.add %148, %28 : i64
      %152 = llvm.add %149, %28 : i64
      %153 = nvvm.wgmma.mma_async %151, %152, %150, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %154 = llvm.add %148, %29 : i64
      %155 = llvm.add %149, %29 : i64
      %156 = nvvm.wgmma.mma_async %154, %155, %153, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %157 = llvm.add %148, %30 : i64
      %158 = llvm.add %149, %30 : i64
      %159 = nvvm.wgmma.mma_async %157, %158, %156, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 1
      %160 = llvm.icmp "ne" %137, %8 : i32
      llvm.cond_br %160, ^bb19, ^bb22
    ^bb19:  // pred: ^bb18
      llvm.cond_br %51, ^bb20, ^bb21
    ^bb20:  // pred: ^bb19
      %161 = llvm.shl %141, %9 : i32
      %162 = llvm.add %161, %12 : i32
      %163 = llvm.getelementptr %2[%162] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %164 = nvvm.mapa %163, %50 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %164 {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb21
    ^bb21:  // 2 preds: ^bb19, ^bb20
      llvm.br ^bb22
    ^bb22:  // 2 preds: ^bb18, ^bb21
      %165 = llvm.add %139, %11 : i32
      %166 = llvm.icmp "eq" %165, %9 : i32
      %167 = llvm.zext %166 : i1 to i32
      %168 = llvm.select %166, %8, %165 : i1, i32
      %169 = llvm.xor %140, %167 : i32
      %170 = llvm.add %137, %11 : i32
      llvm.br ^bb17(%170, %159, %168, %169, %139 : i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32, i32, i32)
    ^bb23:  // pred: ^bb17
      %171 = llvm.extractvalue %138[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %172 = llvm.extractvalue %138[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %173 = llvm.extractvalue %138[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %174 = llvm.extractvalue %138[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %175 = llvm.extractvalue %138[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %176 = llvm.extractvalue %138[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %177 = llvm.extractvalue %138[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %178 = llvm.extractvalue %138[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %179 = llvm.extractvalue %138[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %180 = llvm.extractvalue %138[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %181 = llvm.extractvalue %138[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %182 = llvm.extractvalue %138[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %183 = llvm.extractvalue %138[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %184 = llvm.extractvalue %138[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %185 = llvm.extractvalue %138[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %186 = llvm.extractvalue %138[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %187 = llvm.extractvalue %138[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %188 = llvm.extractvalue %138[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %189 = llvm.extractvalue %138[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %190 = llvm.extractvalue %138[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %191 = llvm.extractvalue %138[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %192 = llvm.extractvalue %138[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %193 = llvm.extractvalue %138[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %194 = llvm.extractvalue %138[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %195 = llvm.extractvalue %138[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %196 = llvm.extractvalue %138[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %197 = llvm.extractvalue %138[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %198 = llvm.extractvalue %138[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %199 = llvm.extractvalue %138[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %200 = llvm.extractvalue %138[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %201 = llvm.extractvalue %138[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %202 = llvm.extractvalue %138[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %203 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31" %171, %172, %173, %174, %175, %176, %177, %178, %179, %180, %181, %182, %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200, %201, %202 : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %204 = llvm.icmp "ne" %71, %8 : i32
      llvm.cond_br %204, ^bb24, ^bb27
    ^bb24:  // pred: ^bb23
      llvm.cond_br %51, ^bb25, ^bb26
    ^bb25:  // pred: ^bb24
      %205 = llvm.shl %141, %9 : i32
      %206 = llvm.add %205, %12 : i32
      %207 = llvm.getelementptr %2[%206] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %208 = nvvm.mapa %207, %50 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %208 {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb26
    ^bb26:  // 2 preds: ^bb24, ^bb25
      llvm.br ^bb27
    ^bb27:  // 2 preds: ^bb23, ^bb26
      %209 = llvm.extractvalue %203[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %210 = llvm.extractvalue %203[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %211 = llvm.extractvalue %203[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %212 = llvm.extractvalue %203[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %213 = llvm.extractvalue %203[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %214 = llvm.extractvalue %203[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %215 = llvm.extractvalue %203[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %216 = llvm.extractvalue %203[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %217 = llvm.extractvalue %203[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %218 = llvm.extractvalue %203[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %219 = llvm.extractvalue %203[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %220 = llvm.extractvalue %203[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %221 = llvm.extractvalue %203[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %222 = llvm.extractvalue %203[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %223 = llvm.extractvalue %203[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %224 = llvm.extractvalue %203[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %225 = llvm.extractvalue %203[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %226 = llvm.extractvalue %203[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %227 = llvm.extractvalue %203[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %228 = llvm.extractvalue %203[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %229 = llvm.extractvalue %203[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %230 = llvm.extractvalue %203[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %231 = llvm.extractvalue %203[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %232 = llvm.extractvalue %203[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %233 = llvm.extractvalue %203[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %234 = llvm.extractvalue %203[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %235 = llvm.extractvalue %203[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %236 = llvm.extractvalue %203[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %237 = llvm.extractvalue %203[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %238 = llvm.extractvalue %203[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %239 = llvm.extractvalue %203[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %240 = llvm.extractvalue %203[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %241 = llvm.sub %9, %110 : i32
      nvvm.barrier.arrive id = %241 number_of_threads = %26
      %242 = llvm.add %139, %71 : i32
      %243 = llvm.urem %242, %9 : i32
      %244 = llvm.udiv %242, %9 : i32
      %245 = llvm.and %244, %11 : i32
      %246 = llvm.xor %140, %245 : i32
      %247 = llvm.sub %arg5, %3 : i32
      %248 = llvm.and %47, %9 : i32
      %249 = llvm.shl %248, %11 : i32
      %250 = llvm.add %135, %249 : i32
      %251 = llvm.intr.umin(%250, %247) : (i32, i32) -> i32
      %252 = llvm.getelementptr %arg3[%251] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %253 = llvm.load %252 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %254 = llvm.fpext %253 : vector<2xbf16> to vector<2xf32>
      %255 = llvm.insertelement %209, %0[%8 : i32] : vector<2xf32>
      %256 = llvm.insertelement %210, %255[%11 : i32] : vector<2xf32>
      %257 = llvm.fadd %256, %254 : vector<2xf32>
      %258 = llvm.fptrunc %257 : vector<2xf32> to vector<2xbf16>
      %259 = llvm.bitcast %258 : vector<2xbf16> to i32
      %260 = llvm.insertelement %211, %0[%8 : i32] : vector<2xf32>
      %261 = llvm.insertelement %212, %260[%11 : i32] : vector<2xf32>
      %262 = llvm.fadd %261, %254 : vector<2xf32>
      %263 = llvm.fptrunc %262 : vector<2xf32> to vector<2xbf16>
      %264 = llvm.bitcast %263 : vector<2xbf16> to i32
      %265 = llvm.add %250, %31 : i32
      %266 = llvm.intr.umin(%265, %247) : (i32, i32) -> i32
      %267 = llvm.getelementptr %arg3[%266] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %268 = llvm.load %267 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %269 = llvm.fpext %268 : vector<2xbf16> to vector<2xf32>
      %270 = llvm.insertelement %213, %0[%8 : i32] : vector<2xf32>
      %271 = llvm.insertelement %214, %270[%11 : i32] : vector<2xf32>
      %272 = llvm.fadd %271, %269 : vector<2xf32>
      %273 = llvm.fptrunc %272 : vector<2xf32> to vector<2xbf16>
      %274 = llvm.bitcast %273 : vector<2xbf16> to i32
      %275 = llvm.insertelement %215, %0[%8 : i32] : vector<2xf32>
      %276 = llvm.insertelement %216, %275[%11 : i32] : vector<2xf32>
      %277 = llvm.fadd %276, %269 : vector<2xf32>
      %278 = llvm.fptrunc %277 : vector<2xf32> to vector<2xbf16>
      %279 = llvm.bitcast %278 : vector<2xbf16> to i32
      %280 = llvm.add %250, %32 : i32
      %281 = llvm.intr.umin(%280, %247) : (i32, i32) -> i32
      %282 = llvm.getelementptr %arg3[%281] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %283 = llvm.load %282 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %284 = llvm.fpext %283 : vector<2xbf16> to vector<2xf32>
      %285 = llvm.insertelement %217, %0[%8 : i32] : vector<2xf32>
      %286 = llvm.insertelement %218, %285[%11 : i32] : vector<2xf32>
      %287 = llvm.fadd %286, %284 : vector<2xf32>
      %288 = llvm.fptrunc %287 : vector<2xf32> to vector<2xbf16>
      %289 = llvm.bitcast %288 : vector<2xbf16> to i32
      %290 = llvm.insertelement %219, %0[%8 : i32] : vector<2xf32>
      %291 = llvm.insertelement %220, %290[%11 : i32] : vector<2xf32>
      %292 = llvm.fadd %291, %284 : vector<2xf32>
      %293 = llvm.fptrunc %292 : vector<2xf32> to vector<2xbf16>
      %294 = llvm.bitcast %293 : vector<2xbf16> to i32
      %295 = llvm.add %250, %33 : i32
      %296 = llvm.intr.umin(%295, %247) : (i32, i32) -> i32
      %297 = llvm.getelementptr %arg3[%296] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %298 = llvm.load %297 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %299 = llvm.fpext %298 : vector<2xbf16> to vector<2xf32>
      %300 = llvm.insertelement %221, %0[%8 : i32] : vector<2xf32>
      %301 = llvm.insertelement %222, %300[%11 : i32] : vector<2xf32>
      %302 = llvm.fadd %301, %299 : vector<2xf32>
      %303 = llvm.fptrunc %302 : vector<2xf32> to vector<2xbf16>
      %304 = llvm.bitcast %303 : vector<2xbf16> to i32
      %305 = llvm.insertelement %223, %0[%8 : i32] : vector<2xf32>
      %306 = llvm.insertelement %224, %305[%11 : i32] : vector<2xf32>
      %307 = llvm.fadd %306, %299 : vector<2xf32>
      %308 = llvm.fptrunc %307 : vector<2xf32> to vector<2xbf16>
      %309 = llvm.bitcast %308 : vector<2xbf16> to i32
      %310 = llvm.add %250, %16 : i32
      %311 = llvm.intr.umin(%310, %247) : (i32, i32) -> i32
      %312 = llvm.getelementptr %arg3[%311] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %313 = llvm.load %312 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %314 = llvm.fpext %313 : vector<2xbf16> to vector<2xf32>
      %315 = llvm.insertelement %225, %0[%8 : i32] : vector<2xf32>
      %316 = llvm.insertelement %226, %315[%11 : i32] : vector<2xf32>
      %317 = llvm.fadd %316, %314 : vector<2xf32>
      %318 = llvm.fptrunc %317 : vector<2xf32> to vector<2xbf16>
      %319 = llvm.bitcast %318 : vector<2xbf16> to i32
      %320 = llvm.insertelement %227, %0[%8 : i32] : vector<2xf32>
      %321 = llvm.insertelement %228, %320[%11 : i32] : vector<2xf32>
      %322 = llvm.fadd %321, %314 : vector<2xf32>
      %323 = llvm.fptrunc %322 : vector<2xf32> to vector<2xbf16>
      %324 = llvm.bitcast %323 : vector<2xbf16> to i32
      %325 = llvm.add %250, %34 : i32
      %326 = llvm.intr.umin(%325, %247) : (i32, i32) -> i32
      %327 = llvm.getelementptr %arg3[%326] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %328 = llvm.load %327 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %329 = llvm.fpext %328 : vector<2xbf16> to vector<2xf32>
      %330 = llvm.insertelement %229, %0[%8 : i32] : vector<2xf32>
      %331 = llvm.insertelement %230, %330[%11 : i32] : vector<2xf32>
      %332 = llvm.fadd %331, %329 : vector<2xf32>
      %333 = llvm.fptrunc %332 : vector<2xf32> to vector<2xbf16>
      %334 = llvm.bitcast %333 : vector<2xbf16> to i32
      %335 = llvm.insertelement %231, %0[%8 : i32] : vector<2xf32>
      %336 = llvm.insertelement %232, %335[%11 : i32] : vector<2xf32>
      %337 = llvm.fadd %336, %329 : vector<2xf32>
      %338 = llvm.fptrunc %337 : vector<2xf32> to vector<2xbf16>
      %339 = llvm.bitcast %338 : vector<2xbf16> to i32
      %340 = llvm.add %250, %35 : i32
      %341 = llvm.intr.umin(%340, %247) : (i32, i32) -> i32
      %342 = llvm.getelementptr %arg3[%341] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %343 = llvm.load %342 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %344 = llvm.fpext %343 : vector<2xbf16> to vector<2xf32>
      %345 = llvm.insertelement %233, %0[%8 : i32] : vector<2xf32>
      %346 = llvm.insertelement %234, %345[%11 : i32] : vector<2xf32>
      %347 = llvm.fadd %346, %344 : vector<2xf32>
      %348 = llvm.fptrunc %347 : vector<2xf32> to vector<2xbf16>
      %349 = llvm.bitcast %348 : vector<2xbf16> to i32
      %350 = llvm.insertelement %235, %0[%8 : i32] : vector<2xf32>
      %351 = llvm.insertelement %236, %350[%11 : i32] : vector<2xf32>
      %352 = llvm.fadd %351, %344 : vector<2xf32>
      %353 = llvm.fptrunc %352 : vector<2xf32> to vector<2xbf16>
      %354 = llvm.bitcast %353 : vector<2xbf16> to i32
      %355 = llvm.add %250, %36 : i32
      %356 = llvm.intr.umin(%355, %247) : (i32, i32) -> i32
      %357 = llvm.getelementptr %arg3[%356] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %358 = llvm.load %357 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %359 = llvm.fpext %358 : vector<2xbf16> to vector<2xf32>
      %360 = llvm.insertelement %237, %0[%8 : i32] : vector<2xf32>
      %361 = llvm.insertelement %238, %360[%11 : i32] : vector<2xf32>
      %362 = llvm.fadd %361, %359 : vector<2xf32>
      %363 = llvm.fptrunc %362 : vector<2xf32> to vector<2xbf16>
      %364 = llvm.bitcast %363 : vector<2xbf16> to i32
      %365 = llvm.insertelement %239, %0[%8 : i32] : vector<2xf32>
      %366 = llvm.insertelement %240, %365[%11 : i32] : vector<2xf32>
      %367 = llvm.fadd %366, %359 : vector<2xf32>
      %368 = llvm.fptrunc %367 : vector<2xf32> to vector<2xbf16>
      %369 = llvm.bitcast %368 : vector<2xbf16> to i32
      %370 = llvm.sub %48, %23 : i32
      %371 = llvm.shl %370, %11 : i32
      %372 = llvm.add %371, %128 : i32
      %373 = llvm.mul %372, %37 : i32
      %374 = llvm.add %373, %38 : i32
      %375 = llvm.icmp "eq" %47, %8 : i32
      llvm.cond_br %375, ^bb28, ^bb29
    ^bb28:  // pred: ^bb27
      nvvm.cp.async.bulk.wait_group 1 {read}
      llvm.br ^bb29
    ^bb29:  // 2 preds: ^bb27, ^bb28
      nvvm.bar.warp.sync %39 : i32
      %376 = llvm.lshr %47, %9 : i32
      %377 = llvm.and %47, %6 : i32
      %378 = llvm.and %376, %11 : i32
      %379 = llvm.shl %378, %9 : i32
      %380 = llvm.add %379, %377 : i32
      %381 = llvm.lshr %376, %11 : i32
      %382 = llvm.xor %381, %377 : i32
      %383 = llvm.mul %380, %13 : i32
      %384 = llvm.add %374, %383 : i32
      %385 = llvm.shl %382, %23 : i32
      %386 = llvm.add %384, %385 : i32
      %387 = llvm.getelementptr %2[%386] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %387, %259, %264, %274, %279 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %388 = llvm.add %381, %3 : i32
      %389 = llvm.xor %388, %377 : i32
      %390 = llvm.shl %389, %23 : i32
      %391 = llvm.add %384, %390 : i32
      %392 = llvm.getelementptr %2[%391] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %392, %289, %294, %304, %309 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %393 = llvm.add %381, %23 : i32
      %394 = llvm.xor %393, %377 : i32
      %395 = llvm.shl %394, %23 : i32
      %396 = llvm.add %384, %395 : i32
      %397 = llvm.getelementptr %2[%396] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %397, %319, %324, %334, %339 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %398 = llvm.add %381, %40 : i32
      %399 = llvm.xor %398, %377 : i32
      %400 = llvm.shl %399, %23 : i32
      %401 = llvm.add %384, %400 : i32
      %402 = llvm.getelementptr %2[%401] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %402, %349, %354, %364, %369 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.bar.warp.sync %39 : i32
      %403 = llvm.and %370, %9 : i32
      %404 = llvm.shl %403, %23 : i32
      %405 = llvm.add %133, %404 : i32
      llvm.cond_br %375, ^bb30, ^bb31
    ^bb30:  // pred: ^bb29
      %406 = llvm.getelementptr %2[%374] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %406, box[%135, %405] : !llvm.ptr, <3>
      nvvm.cp.async.bulk.commit.group
      llvm.br ^bb31
    ^bb31:  // 2 preds: ^bb29, ^bb30
      %407 = llvm.xor %128, %11 : i32
      %408 = llvm.add %125, %119 : i32
      llvm.br ^bb15(%408, %243, %246, %407 : i32, i32, i32, i32)
    ^bb32:  // pred: ^bb15
      %409 = llvm.icmp "eq" %47, %8 : i32
      llvm.cond_br %409, ^bb33, ^bb34
    ^bb33:  // pred: ^bb32
      nvvm.cp.async.bulk.wait_group 0 {read}
      llvm.br ^bb34
    ^bb34:  // 2 preds: ^bb32, ^bb33
      llvm.br ^bb35
    ^bb35:  // 2 preds: ^bb11, ^bb34
      nvvm.bar.warp.sync %39 : i32
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      llvm.return
    }
  }
}

