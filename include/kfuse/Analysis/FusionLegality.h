//===- FusionLegality.h - may these operations be one kernel? ---*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_FUSIONLEGALITY_H
#define KFUSE_ANALYSIS_FUSIONLEGALITY_H

#include "kfuse/Analysis/FusionGroup.h"

namespace mlir::kfuse {

/// What the loops of a group range over.
struct FusionDomain {
  FusionKind kind = FusionKind::Pointwise;
  /// Elements of the kept and of the reduced dimensions; a pointwise group has
  /// one row of all its elements.
  ExprAttr rows, columns;
};

/// Limits of one kernel that have nothing to do with the architecture: the
/// argument buffer and compile time.
inline constexpr size_t kMaxFusionTensors = 64;
inline constexpr size_t kMaxFusionInstructions = 600;
/// The same where merging makes a kernel compute values several times over:
/// beyond this it is better to store them.
inline constexpr size_t kMaxRepeatedInstructions = 200;

/// Decides whether `group` can be one kernel. All reductions of a kernel keep
/// and reduce the same extents; what depends on a reduction is either one
/// value a row or one value for each element of the row, at the place that
/// the reduction saw. Everything else may be computed anywhere. Returns the
/// domain, or fails and says in `reason` what was in the way.
FailureOr<FusionDomain> checkFusion(const FusionGroup &group,
                                    std::string &reason);

} // namespace mlir::kfuse

#endif
