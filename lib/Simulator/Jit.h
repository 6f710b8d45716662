//===- Jit.h - host code of kernels ----------------------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_JIT_H
#define KFUSE_LIB_SIMULATOR_JIT_H

#include "Translate/Translate.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace kfuse::sim {

struct JitOptions {
  std::string libdevice;
  int optLevel = 1;
};

/// Compiled kernels; their code lives as long.
class JitModule {
public:
  /// Takes the module; fills in the kernels' entries.
  static llvm::Expected<std::unique_ptr<JitModule>>
  compile(TranslatedModule module, const JitOptions &options);

  /// Null when there is no such kernel.
  const Kernel *find(llvm::StringRef name) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<Kernel> kernels;
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_JIT_H
