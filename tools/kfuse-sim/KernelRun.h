//===- KernelRun.h - runs one kernel of an .mlir file ----------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_SIM_KERNELRUN_H
#define KFUSE_TOOLS_KFUSE_SIM_KERNELRUN_H

#include "KernelLaunch.h"

#include <functional>

namespace kfuse {

/// A module on the simulator, and the tensors of a launch.
class KernelRun {
public:
  /// Throws kfuse::Error when the file is no module that can be simulated.
  KernelRun(Simulator &simulator, const std::string &path,
            const NamedTensors &tensors);
  ~KernelRun();
  KernelRun(const KernelRun &) = delete;
  KernelRun &operator=(const KernelRun &) = delete;

  /// Fills the tensors anew and launches.
  void run(const KernelLaunch &launch);
  /// A tensor after the last launch.
  HostTensor fetch(const std::string &name) const;

private:
  struct Placed;
  /// Parameters of a launch, and where they lie.
  struct Arguments;
  void checkError(int32_t code, const KfuseDeviceError &error) const;
  void fill(Placed &placed);
  KfuseLaunchTensor describe(const Placed &placed) const;
  void addArgument(const LaunchArgument &argument, Arguments &to);
  void encode(const LaunchArgument &argument, const Placed &placed, char *to);
  Placed &find(const std::string &name);

  Simulator &simulator;
  const KfuseDeviceTable &table;
  void *device = nullptr, *module = nullptr;
  std::map<std::string, Placed> placed;
};

/// Elements of a tensor, a row a line.
std::string printTensor(const HostTensor &tensor);

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_KERNELRUN_H
