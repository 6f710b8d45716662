// An operation that the simulator does not know is an error that names it.
// REQUIRES: kfuse-sim
// RUN: not kfuse-sim %s --launch 'k<<<1, 32>>>()' 2>&1 | FileCheck %s
// CHECK: the kernels cannot be simulated: {{.*}}:[[@LINE+5]]:5{{.*}}'nvvm.st.bulk' op the simulator does not know this operation
gpu.module @m {
  llvm.func @k() attributes {nvvm.kernel} {
    %size = llvm.mlir.constant(64 : i64) : i64
    %at = llvm.mlir.zero : !llvm.ptr
    nvvm.st.bulk %at, size = %size : !llvm.ptr
    llvm.return
  }
}
