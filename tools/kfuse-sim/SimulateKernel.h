//===- SimulateKernel.h - one kernel, from the command line ----*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_SIM_SIMULATEKERNEL_H
#define KFUSE_TOOLS_KFUSE_SIM_SIMULATEKERNEL_H

#include "KernelRun.h"

namespace CLI {
class App;
}

namespace kfuse {

/// Options of kfuse-sim for kernels of .mlir files.
struct KernelCommand {
  std::string launch;
  std::vector<std::string> tensors, writable, writes, prints;
};
/// The command must outlive the parsing.
void addKernelOptions(CLI::App &app, KernelCommand &command);

class KernelSimulation {
public:
  KernelSimulation(Simulator &simulator, const std::string &path,
                   const KernelCommand &command);
  /// Launches once.
  void run();
  /// Writes what is to be written; the report.
  std::string finish(bool isJson) const;

private:
  Simulator &simulator;
  const KernelCommand &command;
  KernelLaunch launch;
  KernelRun kernel;
  int launches = 0;
  double seconds = 0;
};

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_SIMULATEKERNEL_H
