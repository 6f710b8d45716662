//===- KernelLaunch.h - one kernel of an .mlir file ------------*- C++ -*-===//
///
/// \file
/// What `kfuse-sim kernel.mlir --launch ...` says: tensors with their contents,
/// and a launch with its arguments.
///
#ifndef KFUSE_TOOLS_KFUSE_SIM_KERNELLAUNCH_H
#define KFUSE_TOOLS_KFUSE_SIM_KERNELLAUNCH_H

#include "Simulator.h"
#include "Tensor.h"

#include <map>

namespace kfuse {

/// A tensor in memory. `--tensor 'NAME=DTYPE[2x3]:FILL'`.
struct NamedTensor {
  HostTensor tensor;
  std::string fill; ///< "out", "scratch", "zeros", "ones", "iota", "random",
                    ///< "random@SEED"; empty: the data of a file
  KfuseAccess access = KFUSE_ACCESS_READ;
};
using NamedTensors = std::map<std::string, NamedTensor>;

/// A tensor map over a tensor: `map(NAME, 64x32, swizzle=128, fill=nan)`.
struct MapArgument {
  std::vector<uint32_t> box; ///< outermost dimension first
  KfuseSimSwizzle swizzle = KFUSE_SIM_SWIZZLE_NONE;
  bool isNanFill = false;
};

struct LaunchArgument {
  std::string tensor; ///< its name; empty: a number
  bool isMap = false;
  MapArgument map;
  uint64_t bits = 0; ///< of a number
};

/// `NAME<<<GRID, BLOCK, SHARED>>>(ARGUMENT, ...)`
struct KernelLaunch {
  std::string kernel;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, sharedBytes = 0;
  std::vector<LaunchArgument> arguments;
};

/// Both throw kfuse::Error with what is wrong.
KernelLaunch parseLaunch(const std::string &text);
std::pair<std::string, NamedTensor> parseTensor(const std::string &text);

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_KERNELLAUNCH_H
