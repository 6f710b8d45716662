//===- Package.h - writes model.kfuse ---------------------------*- C++ -*-===//
/// \file
/// The package of docs/Package.md, made from the last form of a program. Same
/// input, same file, bit for bit.

#ifndef KFUSE_TARGET_PACKAGE_H
#define KFUSE_TARGET_PACKAGE_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::kfuse {

/// What ptxas says that a kernel uses.
struct KernelResources {
  int64_t registers = 0;
  /// Bytes of registers that went to local memory, written plus read.
  int64_t spilledBytes = 0;
  /// Bytes of static shared memory of a block.
  int64_t sharedBytes = 0;
};

/// Device code of some kernels for one architecture.
struct DeviceCode {
  /// `sm_90a`; `sim` for IR.
  std::string arch;
  /// Name of the member, without folder and extension.
  std::string name;
  /// `cubin`, `ptx` or, for the simulator, `mlirbc`.
  std::string extension;
  std::string bytes;
  /// The kernels in it.
  std::vector<std::string> entries;
  /// Of the entries of a cubin; may be empty.
  std::vector<std::pair<std::string, KernelResources>> resources;
};

/// A decision of a pass, as text: what the ledger keeps of an MLIR remark.
struct Decision {
  /// `passed`, `missed`, `failed` or `analysis`.
  std::string outcome;
  /// `kfuse-fusion`, `kfuse-schedule`, `kfuse-fallback`.
  std::string category;
  std::string name;
  /// Of the operation, as in a stack of callers; may be empty.
  std::string location;
  std::vector<std::pair<std::string, std::string>> details;
};

/// What a package is made of. Everything is borrowed for the call.
struct PackageContents {
  /// The program after the phase `lower`: one public function of launches,
  /// views and ATen calls.
  ModuleOp program;
  /// The program after the phase `import`; null leaves out `generic.json`.
  ModuleOp exported;
  /// For each kernel and architecture a cubin, PTX, or both; the plan names
  /// the cubin where there is one. Beside or instead of them IR.
  ArrayRef<DeviceCode> code;
  ArrayRef<Decision> decisions;
  /// `eager`, `fused` or `fast`.
  std::string numerics;
  /// For people: `kfuse 0.1.0`.
  std::string producer;
  /// Bytes of a record that weights refer to, nothing when there is none.
  std::function<std::optional<StringRef>(StringRef record)> getRecord;
  /// When set, weights are not copied into the package but named as members of
  /// this file (no folder: the runtime looks beside the package).
  std::string weightsFile;
};

/// Writes the package at `path` by way of a file beside it that is renamed at
/// the end: on failure nothing is left behind. Errors are reported on the
/// module.
LogicalResult writePackage(const PackageContents &contents, StringRef path);

} // namespace mlir::kfuse

#endif // KFUSE_TARGET_PACKAGE_H
