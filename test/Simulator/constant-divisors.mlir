// The least integer divided by the constant -1, by code that is not optimized.
// REQUIRES: kfuse-sim
// RUN: kfuse-sim %s --launch "k<<<1, 1>>>(-2147483648, quotient, remainder)" --tensor "quotient=i32[1]:out" \
// RUN:   --tensor "remainder=i32[1]:out" --print quotient --print remainder | FileCheck %s

// CHECK: quotient:
// CHECK-NEXT: -2.14748365e+09
// CHECK-NEXT: remainder:
// CHECK-NEXT: 0
// CHECK-NEXT: no findings

gpu.module @m {
  llvm.func @k(%x: i32, %quotient: !llvm.ptr<1>, %remainder: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %minus = llvm.mlir.constant(-1 : i32) : i32
    %q = llvm.sdiv %x, %minus : i32
    %r = llvm.srem %x, %minus : i32
    llvm.store %q, %quotient : i32, !llvm.ptr<1>
    llvm.store %r, %remainder : i32, !llvm.ptr<1>
    llvm.return
  }
}
