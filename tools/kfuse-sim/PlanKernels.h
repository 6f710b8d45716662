//===- PlanKernels.h - the launches of a package's plan --------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_SIM_PLANKERNELS_H
#define KFUSE_TOOLS_KFUSE_SIM_PLANKERNELS_H

#include "kfuse/Runtime/kfuse.hpp"

#include <string>
#include <vector>

namespace kfuse {

struct PlanLaunch {
  std::string id;
  /// Names of the simulator's kernels of its variants.
  std::vector<std::string> kernels;
};

/// Launches in program order.
std::vector<PlanLaunch> readPlanLaunches(const KfusePackage *package);

/// Lets only those launches run that have a kernel whose name contains `text`;
/// the others run their operators. Returns the number of launches that run.
/// Throws kfuse::Error when there is none.
int selectKernels(const std::vector<PlanLaunch> &launches,
                  const std::string &text, KfuseModel *model);

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_PLANKERNELS_H
