//===- Sites.h - where operations are and what they touch ------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_TRANSLATE_SITES_H
#define KFUSE_LIB_SIMULATOR_TRANSLATE_SITES_H

#include "../Machine/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace kfuse::sim {

/// Attribute with the number of an operation's site.
constexpr const char *siteAttr = "kfuse_sim.site";

/// Gives each operation of the kernels that the machine may hear of a site.
/// Needs the address spaces of pointers.
void collectSites(mlir::ModuleOp module,
                  const llvm::DenseMap<mlir::Operation *, Kernel *> &kernels,
                  std::vector<Site> &sites);

/// A location as a person reads it: the nodes of the model that it comes from,
/// a file and line.
std::string describeLocation(mlir::Location loc);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_TRANSLATE_SITES_H
