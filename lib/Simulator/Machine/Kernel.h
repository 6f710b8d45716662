//===- Kernel.h - kernels as the machine sees them -------------*- C++ -*-===//
///
/// \file
/// What translation tells the machine about a kernel: its entry, the operations
/// that touch memory or other threads (sites), and its shared memory.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_KERNEL_H
#define KFUSE_LIB_SIMULATOR_MACHINE_KERNEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kfuse::sim {

/// State spaces of PTX (ISA 5.1).
enum class Space : uint8_t { Generic, Global, Shared, Local, Constant };

/// How far a fence or an atomic reaches (PTX ISA 8.5, scopes).
enum class Scope : uint8_t { Thread, Block, Cluster, Device };
constexpr size_t scopeCount = 4;

/// No access is larger.
constexpr uint32_t mostAccessBytes = 4096;

/// Number of a site in its module.
using SiteId = uint32_t;
constexpr SiteId noSite = ~0u;

/// An operation of a kernel.
struct Site {
  std::string operation; ///< e.g. "llvm.load"
  std::string place;     ///< its location, up to the nodes of the model
  Space space = Space::Generic;
  uint32_t bytes = 0;     ///< that one access touches; 0: no access
  uint32_t alignment = 1; ///< that the operation promises
  /// Where the address comes from: a pointer parameter, or -1 - i for shared
  /// variable i; `noObject` when it is not known.
  int32_t object = noObject;
  bool isVolatile = false;
  Scope scope = Scope::Device; ///< of an atomic
  /// Loads of whole aligned granules that hold at least one element; what
  /// surrounds the elements is not used.
  bool isGranule = false;

  static constexpr int32_t noObject = INT32_MIN;
};

/// A variable in shared memory.
struct SharedVariable {
  std::string name;
  uint32_t offset; ///< in the block's window
  uint32_t bytes;  ///< 0: the dynamic part
};

struct Kernel {
  std::string name;
  /// Runs one thread. Takes the parameters as a launch gives them.
  void (*entry)(void **params) = nullptr;
  std::shared_ptr<const std::vector<Site>> sites; ///< of the module
  std::vector<SharedVariable> shared;
  uint32_t sharedBytes = 0; ///< end of the static variables
  uint32_t paramCount = 0;
  uint32_t cluster[3] = {1, 1, 1};
  /// The number of threads it was compiled for; 0: any.
  uint32_t maxThreads = 0;
  /// The extents of its blocks; 0: any.
  uint32_t block[3] = {0, 0, 0};
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_KERNEL_H
