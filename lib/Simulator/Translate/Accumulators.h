//===- Accumulators.h - registers of matrix products -----------*- C++ -*-===//
///
/// \file
/// A wgmma's registers have no values before its wait. What may hold them, and
/// is used for anything but another wgmma, asks the machine first.
///
#ifndef KFUSE_LIB_SIMULATOR_TRANSLATE_ACCUMULATORS_H
#define KFUSE_LIB_SIMULATOR_TRANSLATE_ACCUMULATORS_H

#include "Translate.h"

namespace kfuse::sim {

/// Inline PTX that passes 32-bit registers on, so that nothing moves across it.
struct Tie {
  std::optional<int64_t> wait; ///< of wgmma.wait_group, when it is one
  bool isFixed = false;        ///< it has side effects: stays where it is
};
/// Nothing when the operation is no such thing.
std::optional<Tie> getTie(mlir::Operation *op);

/// Inserts the questions. Before the operations are translated.
void resolveAccumulators(Translator &to, mlir::LLVM::LLVMFuncOp function);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_TRANSLATE_ACCUMULATORS_H
