//===- CostModel.h - what a group of fusions costs --------------*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_COSTMODEL_H
#define KFUSE_ANALYSIS_COSTMODEL_H

#include "kfuse/Analysis/FusionGroup.h"
#include "kfuse/Analysis/TargetInfo.h"

namespace mlir::kfuse {

/// Estimate for one kernel.
struct FusionCost {
  /// Bytes of global memory read plus written.
  double bytes = 0;
  /// f32 operations, a division or a transcendental function counted by its
  /// instructions.
  double flops = 0;
  double microseconds = 0;
};

/// Sizes that symbols are taken to have where a number is needed: within the
/// symbol's range, near a typical batch or length.
class SizeHints {
public:
  /// Reads the ranges of the symbols from the module of `op`
  /// (`kfuse.symbols`).
  explicit SizeHints(Operation *op);

  /// Value of `expr` with every symbol at its hint; at least 0.
  double evaluate(ExprAttr expr) const;

private:
  llvm::StringMap<int64_t> hints;
};

/// Cost of `group` as one kernel: time is that of the slower of memory and
/// arithmetic, plus the launch. Inputs count once, whatever reads them; work
/// that is repeated because a small value is used at many places counts as
/// often as it is done.
FusionCost estimateCost(const FusionGroup &group, const TargetInfo &target,
                        const SizeHints &hints);

} // namespace mlir::kfuse

#endif
