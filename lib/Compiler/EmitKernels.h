//===- EmitKernels.h - device code of all kernels ---------------*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_EMITKERNELS_H
#define KFUSE_LIB_COMPILER_EMITKERNELS_H

#include "kfuse/Compiler/Compiler.h"
#include "kfuse/Target/Package.h"

namespace mlir::kfuse {

/// PTX of every kernel of `module` for every target, and cubins when there is
/// a ptxas; the kernels' IR for the simulator when the options ask for it.
/// Kernels are gathered in few files, because loading a file and
/// starting ptxas take longer than one more kernel in it.
FailureOr<std::vector<DeviceCode>> emitKernels(ModuleOp module,
                                               const CompileOptions &options);

} // namespace mlir::kfuse

#endif
