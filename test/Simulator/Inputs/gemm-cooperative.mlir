// Written by make_gemm.py: cooperative, 106544 bytes of dynamic shared memory; boxes of A 128x64,
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
      %10 = llvm.mlir.constant(106496 : i32) : i32
      %11 = llvm.mlir.constant(1 : i32) : i32
      %12 = llvm.mlir.constant(106520 : i32) : i32
      %13 = llvm.mlir.constant(4 : i32) : i32
      %14 = llvm.mlir.constant(255 : i32) : i32
      %15 = llvm.mlir.constant(256 : i32) : i32
      %16 = llvm.mlir.constant(63 : i32) : i32
      %17 = llvm.mlir.constant(64 : i32) : i32
      %18 = llvm.mlir.constant(128 : i32) : i32
      %19 = llvm.mlir.constant(32 : i32) : i32
      %20 = llvm.mlir.constant(1000000 : i32) : i32
      %21 = llvm.mlir.constant(24576 : i32) : i32
      %22 = llvm.mlir.constant(16384 : i32) : i32
      %23 = llvm.mlir.constant(49152 : i32) : i32
      %24 = llvm.mlir.constant(8192 : i32) : i32
      %25 = llvm.mlir.constant(3 : i16) : i16
      %26 = llvm.mlir.constant(262143 : i32) : i32
      %27 = llvm.mlir.constant(512 : i32) : i32
      %28 = llvm.mlir.constant(4611686293305360384 : i64) : i64
      %29 = llvm.mlir.constant(4611686293305363456 : i64) : i64
      %30 = llvm.mlir.constant(1024 : i64) : i64
      %31 = llvm.mlir.constant(512 : i64) : i64
      %32 = llvm.mlir.constant(2 : i64) : i64
      %33 = llvm.mlir.constant(4 : i64) : i64
      %34 = llvm.mlir.constant(6 : i64) : i64
      %35 = llvm.mlir.constant(8 : i32) : i32
      %36 = llvm.mlir.constant(16 : i32) : i32
      %37 = llvm.mlir.constant(24 : i32) : i32
      %38 = llvm.mlir.constant(40 : i32) : i32
      %39 = llvm.mlir.constant(48 : i32) : i32
      %40 = llvm.mlir.constant(56 : i32) : i32
      %41 = llvm.mlir.constant(2048 : i32) : i32
      %42 = llvm.mlir.constant(73728 : i32) : i32
      %43 = llvm.mlir.constant(-1 : i32) : i32
      %44 = llvm.mlir.constant(6 : i32) : i32
      %45 = nvvm.read.ptx.sreg.tid.x : i32
      %46 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
      %47 = nvvm.read.ptx.sreg.ctaid.x : i32
      %48 = llvm.udiv %47, %3 : i32
      %49 = nvvm.read.ptx.sreg.nctaid.x : i32
      %50 = llvm.udiv %49, %3 : i32
      %51 = llvm.and %45, %4 : i32
      %52 = llvm.lshr %45, %5 : i32
      %53 = llvm.lshr %45, %6 : i32
      %54 = llvm.and %45, %7 : i32
      %55 = llvm.icmp "ult" %54, %3 : i32
      %56 = llvm.icmp "eq" %45, %8 : i32
      llvm.cond_br %56, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      %57 = llvm.add %8, %10 : i32
      %58 = llvm.getelementptr %2[%57] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %58, %11 : !llvm.ptr<3>, i32
      %59 = llvm.add %8, %12 : i32
      %60 = llvm.getelementptr %2[%59] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %60, %13 : !llvm.ptr<3>, i32
      %61 = llvm.add %35, %10 : i32
      %62 = llvm.getelementptr %2[%61] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %62, %11 : !llvm.ptr<3>, i32
      %63 = llvm.add %35, %12 : i32
      %64 = llvm.getelementptr %2[%63] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %64, %13 : !llvm.ptr<3>, i32
      %65 = llvm.add %36, %10 : i32
      %66 = llvm.getelementptr %2[%65] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %66, %11 : !llvm.ptr<3>, i32
      %67 = llvm.add %36, %12 : i32
      %68 = llvm.getelementptr %2[%67] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %68, %13 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      llvm.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      %69 = llvm.add %arg4, %14 : i32
      %70 = llvm.udiv %69, %15 : i32
      %71 = llvm.add %arg5, %16 : i32
      %72 = llvm.udiv %71, %17 : i32
      %73 = llvm.mul %70, %72 : i32
      %74 = llvm.add %arg6, %16 : i32
      %75 = llvm.udiv %74, %17 : i32
      %76 = llvm.icmp "eq" %53, %8 : i32
      llvm.cond_br %76, ^bb3, ^bb12
    ^bb3:  // pred: ^bb2
      nvvm.setmaxregister  decrease 40
      %77 = llvm.icmp "eq" %54, %8 : i32
      llvm.cond_br %77, ^bb4, ^bb11
    ^bb4:  // pred: ^bb3
      llvm.br ^bb5(%48, %8, %11 : i32, i32, i32)
    ^bb5(%78: i32, %79: i32, %80: i32):  // 2 preds: ^bb4, ^bb9
      %81 = llvm.icmp "slt" %78, %73 : i32
      llvm.cond_br %81, ^bb6, ^bb10
    ^bb6:  // pred: ^bb5
      %82 = llvm.urem %78, %70 : i32
      %83 = llvm.mul %82, %3 : i32
      %84 = llvm.add %83, %46 : i32
      %85 = llvm.mul %84, %18 : i32
      %86 = llvm.udiv %78, %70 : i32
      %87 = llvm.mul %86, %17 : i32
      %88 = llvm.mul %46, %19 : i32
      llvm.br ^bb7(%8, %79, %80 : i32, i32, i32)
    ^bb7(%89: i32, %90: i32, %91: i32):  // 2 preds: ^bb6, ^bb8
      %92 = llvm.icmp "slt" %89, %75 : i32
      llvm.cond_br %92, ^bb8, ^bb9
    ^bb8:  // pred: ^bb7
      %93 = llvm.shl %90, %9 : i32
      %94 = llvm.add %93, %12 : i32
      %95 = llvm.getelementptr %2[%94] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.try_wait.parity %95, %91, %20 : !llvm.ptr<3>, i32, i32
      %96 = llvm.add %93, %10 : i32
      %97 = llvm.getelementptr %2[%96] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.arrive.expect_tx %97, %21 : !llvm.ptr<3>, i32
      %98 = llvm.mul %89, %17 : i32
      %99 = llvm.mul %90, %22 : i32
      %100 = llvm.getelementptr %2[%99] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.cp.async.bulk.tensor.shared.cluster.global %100, %arg0, %97, box[%98, %85] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
      %101 = llvm.mul %88, %18 : i32
      %102 = llvm.add %101, %23 : i32
      %103 = llvm.mul %90, %24 : i32
      %104 = llvm.add %103, %102 : i32
      %105 = llvm.add %87, %88 : i32
      %106 = llvm.getelementptr %2[%104] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %107 = llvm.addrspacecast %106 : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %107, %arg1, %97, box[%98, %105] multicast_mask = %25 : !llvm.ptr<7>, !llvm.ptr
      %108 = llvm.add %90, %11 : i32
      %109 = llvm.icmp "eq" %108, %9 : i32
      %110 = llvm.zext %109 : i1 to i32
      %111 = llvm.select %109, %8, %108 : i1, i32
      %112 = llvm.xor %91, %110 : i32
      %113 = llvm.add %89, %11 : i32
      llvm.br ^bb7(%113, %111, %112 : i32, i32, i32)
    ^bb9:  // pred: ^bb7
      %114 = llvm.add %78, %50 : i32
      llvm.br ^bb5(%114, %90, %91 : i32, i32, i32)
    ^bb10:  // pred: ^bb5
      llvm.br ^bb11
    ^bb11:  // 2 preds: ^bb3, ^bb10
      llvm.br ^bb33
    ^bb12:  // pred: ^bb2
      nvvm.setmaxregister  increase 232
      %115 = llvm.sub %53, %11 : i32
      %116 = llvm.ptrtoint %2 : !llvm.ptr<3> to i32
      %117 = llvm.and %116, %26 : i32
      %118 = llvm.lshr %117, %13 : i32
      %119 = llvm.zext %118 : i32 to i64
      %120 = llvm.mul %115, %27 : i32
      %121 = llvm.add %119, %28 : i64
      %122 = llvm.zext %120 : i32 to i64
      %123 = llvm.add %121, %122 : i64
      %124 = llvm.add %119, %29 : i64
      llvm.br ^bb13(%48, %8, %8, %8 : i32, i32, i32, i32)
    ^bb13(%125: i32, %126: i32, %127: i32, %128: i32):  // 2 preds: ^bb12, ^bb29
      %129 = llvm.icmp "slt" %125, %73 : i32
      llvm.cond_br %129, ^bb14, ^bb30
    ^bb14:  // pred: ^bb13
      %130 = llvm.urem %125, %70 : i32
      %131 = llvm.mul %130, %3 : i32
      %132 = llvm.add %131, %46 : i32
      %133 = llvm.mul %132, %18 : i32
      %134 = llvm.udiv %125, %70 : i32
      %135 = llvm.mul %134, %17 : i32
      llvm.br ^bb15(%8, %1, %126, %127, %126 : i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32, i32, i32)
    ^bb15(%136: i32, %137: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, %138: i32, %139: i32, %140: i32):  // 2 preds: ^bb14, ^bb20
      %141 = llvm.icmp "slt" %136, %75 : i32
      llvm.cond_br %141, ^bb16, ^bb21
    ^bb16:  // pred: ^bb15
      %142 = llvm.shl %138, %9 : i32
      %143 = llvm.add %142, %10 : i32
      %144 = llvm.getelementptr %2[%143] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.try_wait.parity %144, %139, %20 : !llvm.ptr<3>, i32, i32
      nvvm.wgmma.fence.aligned
      %145 = llvm.zext %138 : i32 to i64
      %146 = llvm.mul %145, %30 : i64
      %147 = llvm.add %123, %146 : i64
      %148 = llvm.mul %145, %31 : i64
      %149 = llvm.add %124, %148 : i64
      %150 = nvvm.wgmma.mma_async %147, %149, %137, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %151 = llvm.add %147, %32 : i64
      %152 = llvm.add %149, %32 : i64
      %153 = nvvm.wgmma.mma_async %151, %152, %150, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %154 = llvm.add %147, %33 : i64
      %155 = llvm.add %149, %33 : i64
      %156 = nvvm.wgmma.mma_async %154, %155, %153, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %157 = llvm.add %147, %34 : i64
      %158 = llvm.add %149, %34 : i64
      %159 = nvvm.wgmma.mma_async %157, %158, %156, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 1
      %160 = llvm.icmp "ne" %136, %8 : i32
      llvm.cond_br %160, ^bb17, ^bb20
    ^bb17:  // pred: ^bb16
      llvm.cond_br %55, ^bb18, ^bb19
    ^bb18:  // pred: ^bb17
      %161 = llvm.shl %140, %9 : i32
      %162 = llvm.add %161, %12 : i32
      %163 = llvm.getelementptr %2[%162] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %164 = nvvm.mapa %163, %54 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %164 {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb19
    ^bb19:  // 2 preds: ^bb17, ^bb18
      llvm.br ^bb20
    ^bb20:  // 2 preds: ^bb16, ^bb19
      %165 = llvm.add %138, %11 : i32
      %166 = llvm.icmp "eq" %165, %9 : i32
      %167 = llvm.zext %166 : i1 to i32
      %168 = llvm.select %166, %8, %165 : i1, i32
      %169 = llvm.xor %139, %167 : i32
      %170 = llvm.add %136, %11 : i32
      llvm.br ^bb15(%170, %159, %168, %169, %138 : i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32, i32, i32)
    ^bb21:  // pred: ^bb15
      %171 = llvm.extractvalue %137[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %172 = llvm.extractvalue %137[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %173 = llvm.extractvalue %137[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %174 = llvm.extractvalue %137[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %175 = llvm.extractvalue %137[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %176 = llvm.extractvalue %137[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %177 = llvm.extractvalue %137[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %178 = llvm.extractvalue %137[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %179 = llvm.extractvalue %137[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %180 = llvm.extractvalue %137[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %181 = llvm.extractvalue %137[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %182 = llvm.extractvalue %137[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %183 = llvm.extractvalue %137[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %184 = llvm.extractvalue %137[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %185 = llvm.extractvalue %137[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %186 = llvm.extractvalue %137[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %187 = llvm.extractvalue %137[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %188 = llvm.extractvalue %137[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %189 = llvm.extractvalue %137[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %190 = llvm.extractvalue %137[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %191 = llvm.extractvalue %137[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %192 = llvm.extractvalue %137[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %193 = llvm.extractvalue %137[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %194 = llvm.extractvalue %137[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %195 = llvm.extractvalue %137[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %196 = llvm.extractvalue %137[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %197 = llvm.extractvalue %137[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %198 = llvm.extractvalue %137[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %199 = llvm.extractvalue %137[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %200 = llvm.extractvalue %137[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %201 = llvm.extractvalue %137[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %202 = llvm.extractvalue %137[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %203 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31" %171, %172, %173, %174, %175, %176, %177, %178, %179, %180, %181, %182, %183, %184, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200, %201, %202 : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %204 = llvm.icmp "ne" %75, %8 : i32
      llvm.cond_br %204, ^bb22, ^bb25
    ^bb22:  // pred: ^bb21
      llvm.cond_br %55, ^bb23, ^bb24
    ^bb23:  // pred: ^bb22
      %205 = llvm.shl %140, %9 : i32
      %206 = llvm.add %205, %12 : i32
      %207 = llvm.getelementptr %2[%206] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %208 = nvvm.mapa %207, %54 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %208 {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb24
    ^bb24:  // 2 preds: ^bb22, ^bb23
      llvm.br ^bb25
    ^bb25:  // 2 preds: ^bb21, ^bb24
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
      %241 = llvm.sub %arg5, %3 : i32
      %242 = llvm.and %51, %9 : i32
      %243 = llvm.shl %242, %11 : i32
      %244 = llvm.add %135, %243 : i32
      %245 = llvm.intr.umin(%244, %241) : (i32, i32) -> i32
      %246 = llvm.getelementptr %arg3[%245] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %247 = llvm.load %246 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %248 = llvm.fpext %247 : vector<2xbf16> to vector<2xf32>
      %249 = llvm.insertelement %209, %0[%8 : i32] : vector<2xf32>
      %250 = llvm.insertelement %210, %249[%11 : i32] : vector<2xf32>
      %251 = llvm.fadd %250, %248 : vector<2xf32>
      %252 = llvm.fptrunc %251 : vector<2xf32> to vector<2xbf16>
      %253 = llvm.bitcast %252 : vector<2xbf16> to i32
      %254 = llvm.insertelement %211, %0[%8 : i32] : vector<2xf32>
      %255 = llvm.insertelement %212, %254[%11 : i32] : vector<2xf32>
      %256 = llvm.fadd %255, %248 : vector<2xf32>
      %257 = llvm.fptrunc %256 : vector<2xf32> to vector<2xbf16>
      %258 = llvm.bitcast %257 : vector<2xbf16> to i32
      %259 = llvm.add %244, %35 : i32
      %260 = llvm.intr.umin(%259, %241) : (i32, i32) -> i32
      %261 = llvm.getelementptr %arg3[%260] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %262 = llvm.load %261 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %263 = llvm.fpext %262 : vector<2xbf16> to vector<2xf32>
      %264 = llvm.insertelement %213, %0[%8 : i32] : vector<2xf32>
      %265 = llvm.insertelement %214, %264[%11 : i32] : vector<2xf32>
      %266 = llvm.fadd %265, %263 : vector<2xf32>
      %267 = llvm.fptrunc %266 : vector<2xf32> to vector<2xbf16>
      %268 = llvm.bitcast %267 : vector<2xbf16> to i32
      %269 = llvm.insertelement %215, %0[%8 : i32] : vector<2xf32>
      %270 = llvm.insertelement %216, %269[%11 : i32] : vector<2xf32>
      %271 = llvm.fadd %270, %263 : vector<2xf32>
      %272 = llvm.fptrunc %271 : vector<2xf32> to vector<2xbf16>
      %273 = llvm.bitcast %272 : vector<2xbf16> to i32
      %274 = llvm.add %244, %36 : i32
      %275 = llvm.intr.umin(%274, %241) : (i32, i32) -> i32
      %276 = llvm.getelementptr %arg3[%275] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %277 = llvm.load %276 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %278 = llvm.fpext %277 : vector<2xbf16> to vector<2xf32>
      %279 = llvm.insertelement %217, %0[%8 : i32] : vector<2xf32>
      %280 = llvm.insertelement %218, %279[%11 : i32] : vector<2xf32>
      %281 = llvm.fadd %280, %278 : vector<2xf32>
      %282 = llvm.fptrunc %281 : vector<2xf32> to vector<2xbf16>
      %283 = llvm.bitcast %282 : vector<2xbf16> to i32
      %284 = llvm.insertelement %219, %0[%8 : i32] : vector<2xf32>
      %285 = llvm.insertelement %220, %284[%11 : i32] : vector<2xf32>
      %286 = llvm.fadd %285, %278 : vector<2xf32>
      %287 = llvm.fptrunc %286 : vector<2xf32> to vector<2xbf16>
      %288 = llvm.bitcast %287 : vector<2xbf16> to i32
      %289 = llvm.add %244, %37 : i32
      %290 = llvm.intr.umin(%289, %241) : (i32, i32) -> i32
      %291 = llvm.getelementptr %arg3[%290] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %292 = llvm.load %291 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %293 = llvm.fpext %292 : vector<2xbf16> to vector<2xf32>
      %294 = llvm.insertelement %221, %0[%8 : i32] : vector<2xf32>
      %295 = llvm.insertelement %222, %294[%11 : i32] : vector<2xf32>
      %296 = llvm.fadd %295, %293 : vector<2xf32>
      %297 = llvm.fptrunc %296 : vector<2xf32> to vector<2xbf16>
      %298 = llvm.bitcast %297 : vector<2xbf16> to i32
      %299 = llvm.insertelement %223, %0[%8 : i32] : vector<2xf32>
      %300 = llvm.insertelement %224, %299[%11 : i32] : vector<2xf32>
      %301 = llvm.fadd %300, %293 : vector<2xf32>
      %302 = llvm.fptrunc %301 : vector<2xf32> to vector<2xbf16>
      %303 = llvm.bitcast %302 : vector<2xbf16> to i32
      %304 = llvm.add %244, %19 : i32
      %305 = llvm.intr.umin(%304, %241) : (i32, i32) -> i32
      %306 = llvm.getelementptr %arg3[%305] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %307 = llvm.load %306 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %308 = llvm.fpext %307 : vector<2xbf16> to vector<2xf32>
      %309 = llvm.insertelement %225, %0[%8 : i32] : vector<2xf32>
      %310 = llvm.insertelement %226, %309[%11 : i32] : vector<2xf32>
      %311 = llvm.fadd %310, %308 : vector<2xf32>
      %312 = llvm.fptrunc %311 : vector<2xf32> to vector<2xbf16>
      %313 = llvm.bitcast %312 : vector<2xbf16> to i32
      %314 = llvm.insertelement %227, %0[%8 : i32] : vector<2xf32>
      %315 = llvm.insertelement %228, %314[%11 : i32] : vector<2xf32>
      %316 = llvm.fadd %315, %308 : vector<2xf32>
      %317 = llvm.fptrunc %316 : vector<2xf32> to vector<2xbf16>
      %318 = llvm.bitcast %317 : vector<2xbf16> to i32
      %319 = llvm.add %244, %38 : i32
      %320 = llvm.intr.umin(%319, %241) : (i32, i32) -> i32
      %321 = llvm.getelementptr %arg3[%320] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %322 = llvm.load %321 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %323 = llvm.fpext %322 : vector<2xbf16> to vector<2xf32>
      %324 = llvm.insertelement %229, %0[%8 : i32] : vector<2xf32>
      %325 = llvm.insertelement %230, %324[%11 : i32] : vector<2xf32>
      %326 = llvm.fadd %325, %323 : vector<2xf32>
      %327 = llvm.fptrunc %326 : vector<2xf32> to vector<2xbf16>
      %328 = llvm.bitcast %327 : vector<2xbf16> to i32
      %329 = llvm.insertelement %231, %0[%8 : i32] : vector<2xf32>
      %330 = llvm.insertelement %232, %329[%11 : i32] : vector<2xf32>
      %331 = llvm.fadd %330, %323 : vector<2xf32>
      %332 = llvm.fptrunc %331 : vector<2xf32> to vector<2xbf16>
      %333 = llvm.bitcast %332 : vector<2xbf16> to i32
      %334 = llvm.add %244, %39 : i32
      %335 = llvm.intr.umin(%334, %241) : (i32, i32) -> i32
      %336 = llvm.getelementptr %arg3[%335] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %337 = llvm.load %336 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %338 = llvm.fpext %337 : vector<2xbf16> to vector<2xf32>
      %339 = llvm.insertelement %233, %0[%8 : i32] : vector<2xf32>
      %340 = llvm.insertelement %234, %339[%11 : i32] : vector<2xf32>
      %341 = llvm.fadd %340, %338 : vector<2xf32>
      %342 = llvm.fptrunc %341 : vector<2xf32> to vector<2xbf16>
      %343 = llvm.bitcast %342 : vector<2xbf16> to i32
      %344 = llvm.insertelement %235, %0[%8 : i32] : vector<2xf32>
      %345 = llvm.insertelement %236, %344[%11 : i32] : vector<2xf32>
      %346 = llvm.fadd %345, %338 : vector<2xf32>
      %347 = llvm.fptrunc %346 : vector<2xf32> to vector<2xbf16>
      %348 = llvm.bitcast %347 : vector<2xbf16> to i32
      %349 = llvm.add %244, %40 : i32
      %350 = llvm.intr.umin(%349, %241) : (i32, i32) -> i32
      %351 = llvm.getelementptr %arg3[%350] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
      %352 = llvm.load %351 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %353 = llvm.fpext %352 : vector<2xbf16> to vector<2xf32>
      %354 = llvm.insertelement %237, %0[%8 : i32] : vector<2xf32>
      %355 = llvm.insertelement %238, %354[%11 : i32] : vector<2xf32>
      %356 = llvm.fadd %355, %353 : vector<2xf32>
      %357 = llvm.fptrunc %356 : vector<2xf32> to vector<2xbf16>
      %358 = llvm.bitcast %357 : vector<2xbf16> to i32
      %359 = llvm.insertelement %239, %0[%8 : i32] : vector<2xf32>
      %360 = llvm.insertelement %240, %359[%11 : i32] : vector<2xf32>
      %361 = llvm.fadd %360, %353 : vector<2xf32>
      %362 = llvm.fptrunc %361 : vector<2xf32> to vector<2xbf16>
      %363 = llvm.bitcast %362 : vector<2xbf16> to i32
      %364 = llvm.sub %52, %13 : i32
      %365 = llvm.shl %364, %11 : i32
      %366 = llvm.add %365, %128 : i32
      %367 = llvm.mul %366, %41 : i32
      %368 = llvm.add %367, %42 : i32
      %369 = llvm.icmp "eq" %51, %8 : i32
      llvm.cond_br %369, ^bb26, ^bb27
    ^bb26:  // pred: ^bb25
      nvvm.cp.async.bulk.wait_group 1 {read}
      llvm.br ^bb27
    ^bb27:  // 2 preds: ^bb25, ^bb26
      nvvm.bar.warp.sync %43 : i32
      %370 = llvm.lshr %51, %9 : i32
      %371 = llvm.and %51, %6 : i32
      %372 = llvm.and %370, %11 : i32
      %373 = llvm.shl %372, %9 : i32
      %374 = llvm.add %373, %371 : i32
      %375 = llvm.lshr %370, %11 : i32
      %376 = llvm.xor %375, %371 : i32
      %377 = llvm.mul %374, %18 : i32
      %378 = llvm.add %368, %377 : i32
      %379 = llvm.shl %376, %13 : i32
      %380 = llvm.add %378, %379 : i32
      %381 = llvm.getelementptr %2[%380] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %381, %253, %258, %268, %273 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %382 = llvm.add %375, %3 : i32
      %383 = llvm.xor %382, %371 : i32
      %384 = llvm.shl %383, %13 : i32
      %385 = llvm.add %378, %384 : i32
      %386 = llvm.getelementptr %2[%385] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %386, %283, %288, %298, %303 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %387 = llvm.add %375, %13 : i32
      %388 = llvm.xor %387, %371 : i32
      %389 = llvm.shl %388, %13 : i32
      %390 = llvm.add %378, %389 : i32
      %391 = llvm.getelementptr %2[%390] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %391, %313, %318, %328, %333 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %392 = llvm.add %375, %44 : i32
      %393 = llvm.xor %392, %371 : i32
      %394 = llvm.shl %393, %13 : i32
      %395 = llvm.add %378, %394 : i32
      %396 = llvm.getelementptr %2[%395] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.stmatrix %396, %343, %348, %358, %363 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.bar.warp.sync %43 : i32
      %397 = llvm.and %364, %9 : i32
      %398 = llvm.shl %397, %13 : i32
      %399 = llvm.add %133, %398 : i32
      %400 = llvm.shl %115, %44 : i32
      %401 = llvm.add %399, %400 : i32
      llvm.cond_br %369, ^bb28, ^bb29
    ^bb28:  // pred: ^bb27
      %402 = llvm.getelementptr %2[%368] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %402, box[%135, %401] : !llvm.ptr, <3>
      nvvm.cp.async.bulk.commit.group
      llvm.br ^bb29
    ^bb29:  // 2 preds: ^bb27, ^bb28
      %403 = llvm.xor %128, %11 : i32
      %404 = llvm.add %125, %50 : i32
      llvm.br ^bb13(%404, %138, %139, %403 : i32, i32, i32, i32)
    ^bb30:  // pred: ^bb13
      %405 = llvm.icmp "eq" %51, %8 : i32
      llvm.cond_br %405, ^bb31, ^bb32
    ^bb31:  // pred: ^bb30
      nvvm.cp.async.bulk.wait_group 0 {read}
      llvm.br ^bb32
    ^bb32:  // 2 preds: ^bb30, ^bb31
      llvm.br ^bb33
    ^bb33:  // 2 preds: ^bb11, ^bb32
      nvvm.bar.warp.sync %43 : i32
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      llvm.return
    }
  }
}

