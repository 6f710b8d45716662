//===- Phases.cpp - the order of all passes -------------------------------===//
/// The only place that knows the order of passes.

#include "kfuse/Compiler/Phases.h"
#include "kfuse/Conversion/Passes.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
struct PhaseInfo {
  Phase phase;
  StringLiteral name;
  StringLiteral description;
};
} // namespace

static constexpr PhaseInfo phaseInfos[] = {
    {Phase::Import, "import",
     "read the exported program: one kfuse.aten a node"},
    {Phase::Functionalize, "functionalize",
     "in-place operations become functional"},
    {Phase::Capture, "capture", "understood operations become kfuse.fusion"},
    {Phase::Fuse, "fuse", "fusions are merged by legality and cost"},
    {Phase::Schedule, "schedule", "each fusion gets its variants"},
    {Phase::Tile, "tile", "each variant becomes a kernel of tile operations"},
    {Phase::Mask, "mask", "tails are made safe"},
    {Phase::PlanMemory, "plan-memory", "intermediates get arena offsets"},
    {Phase::Lower, "lower", "kernels in the LLVM and NVVM dialects"},
    {Phase::Emit, "emit", "PTX, cubin and the package"},
};

ArrayRef<Phase> kfuse::getPhases() {
  static constexpr Phase phases[] = {
      Phase::Import,   Phase::Functionalize, Phase::Capture, Phase::Fuse,
      Phase::Schedule, Phase::Tile,          Phase::Mask,    Phase::PlanMemory,
      Phase::Lower,    Phase::Emit};
  return phases;
}

static const PhaseInfo &getInfo(Phase phase) {
  return *llvm::find_if(
      phaseInfos, [&](const PhaseInfo &info) { return info.phase == phase; });
}

StringRef kfuse::getPhaseName(Phase phase) { return getInfo(phase).name; }

StringRef kfuse::getPhaseDescription(Phase phase) {
  return getInfo(phase).description;
}

std::optional<Phase> kfuse::parsePhase(StringRef name) {
  for (const PhaseInfo &info : phaseInfos)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

void kfuse::addPhasePasses(OpPassManager &manager, Phase phase,
                           const PhaseOptions &options) {
  switch (phase) {
  case Phase::Import:
  case Phase::Emit:
    return;
  case Phase::Functionalize:
    manager.addNestedPass<func::FuncOp>(createFunctionalizePass());
    return;
  case Phase::Capture: {
    SpecializeLibraryCallsPassOptions library;
    library.numerics = options.numerics;
    manager.addNestedPass<func::FuncOp>(
        createSpecializeLibraryCallsPass(library));
    manager.addNestedPass<func::FuncOp>(createConvertAtenToKfusePass());
    return;
  }
  case Phase::Fuse: {
    PlanFusionPassOptions plan;
    plan.arch = options.arch;
    manager.addNestedPass<func::FuncOp>(createPlanFusionPass(plan));
    FormFusionsPassOptions form;
    form.numerics = options.numerics;
    manager.addNestedPass<func::FuncOp>(createFormFusionsPass(form));
    manager.addNestedPass<func::FuncOp>(createAssignLayoutsPass());
    return;
  }
  case Phase::Schedule: {
    PlanSchedulesPassOptions plan;
    plan.arch = options.arch;
    manager.addPass(createPlanSchedulesPass(plan));
    return;
  }
  case Phase::Tile:
    manager.addPass(createTileFusionsPass());
    // One load of a value that two lanes or two outputs need. Kernels only: two
    // launches on a tensor that was written to in between are not the same.
    manager.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
    return;
  case Phase::Mask:
    manager.addPass(createMaskTailsPass());
    return;
  case Phase::PlanMemory:
    manager.addNestedPass<func::FuncOp>(createPlanMemoryPass());
    return;
  case Phase::Lower: {
    ConvertKfuseToNVVMPassOptions lower;
    lower.numerics = options.numerics;
    manager.addNestedPass<gpu::GPUModuleOp>(
        createConvertKfuseToNVVMPass(lower));
    return;
  }
  }
}

void kfuse::registerPhasePipelines() {
  for (Phase phase : getPhases()) {
    if (phase == Phase::Import || phase == Phase::Emit)
      continue;
    // The registry keeps references to the strings for the process's life.
    static std::array<std::string, std::size(phaseInfos)> names;
    std::string &name = names[static_cast<size_t>(phase)];
    name = ("kfuse-phase-" + getPhaseName(phase)).str();
    PassPipelineRegistration<>(name, getPhaseDescription(phase),
                               [phase](OpPassManager &manager) {
                                 addPhasePasses(manager, phase, {});
                               });
  }
}
