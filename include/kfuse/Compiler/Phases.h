//===- Phases.h - the phases of the compiler --------------------*- C++ -*-===//
/// A phase is a named stretch of the pipeline with a stated form of the IR at
/// its end. `kfuse-compile --stop-after` and `--start-from` take these names.
#ifndef KFUSE_COMPILER_PHASES_H
#define KFUSE_COMPILER_PHASES_H

#include "mlir/Pass/PassManager.h"
#include <optional>
#include <string>

namespace mlir::kfuse {

enum class Phase {
  Import,
  Functionalize,
  Capture,
  Fuse,
  Schedule,
  Tile,
  Mask,
  PlanMemory,
  Lower,
  Emit,
};

/// What changes the code that the phases make; part of the cache key.
struct PhaseOptions {
  /// First architecture the kernels are made for: `sm_80`, `sm_90a`, `sm_100`.
  std::string arch = "sm_90a";
  /// Numerics contract: `eager`, `fused` or `fast`.
  std::string numerics = "fused";
};

/// All phases in order.
ArrayRef<Phase> getPhases();
/// Name on the command line and in dump files: `plan-memory`.
StringRef getPhaseName(Phase phase);
/// One line for `--help`.
StringRef getPhaseDescription(Phase phase);
std::optional<Phase> parsePhase(StringRef name);

/// Adds the passes of `phase`; none for `import` and `emit`, which read and
/// write files.
void addPhasePasses(OpPassManager &manager, Phase phase,
                    const PhaseOptions &options);

/// Registers a pass pipeline `kfuse-phase-<name>` for each phase with passes.
void registerPhasePipelines();

} // namespace mlir::kfuse

#endif
