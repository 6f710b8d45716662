//===- SimReport.h - what kfuse-sim says -----------------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_SIM_SIMREPORT_H
#define KFUSE_TOOLS_KFUSE_SIM_SIMREPORT_H

#include "KernelLog.h"
#include "LaunchChecks.h"
#include "Simulator.h"

namespace kfuse {

/// All that a simulation gave.
struct SimReport {
  std::string package, timing;
  uint64_t firstSeed = 0;
  int seeds = 1;
  std::vector<std::string> sizes; ///< each set of sizes that was run
  bool isFast = false, isChecked = true;
  double openSeconds = 0;
  std::vector<KernelRow> kernels;
  std::vector<OutputCheck> outputs;
  std::vector<Finding> findings;
  std::vector<std::string> notLaunched; ///< kernels that no launch chose
  int64_t fallbacks = 0; ///< launches that ran their operators unasked
  std::string error;     ///< what ended the simulation early; empty: nothing

  bool ok() const;
  nlohmann::ordered_json json() const;
  /// A table of kernels, then what is wrong with them.
  std::string text() const;
};

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_SIMREPORT_H
