//===- Simulator.h - the kernel simulator as a device ----------*- C++ -*-===//
#ifndef KFUSE_TOOLS_SESSION_SIMULATOR_H
#define KFUSE_TOOLS_SESSION_SIMULATOR_H

#include "kfuse/Runtime/Simulator.h"
#include "kfuse/Runtime/kfuse.hpp"

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kfuse {

/// A finding that outlives the launch.
struct Finding {
  explicit Finding(const KfuseSimFinding &finding, std::string kindName);
  std::string kind, kernel, message, place, other;
  KfuseSimThread thread, otherThread;
  uint64_t address;
  int32_t argument, bytes;
  int64_t count;
  int64_t reports = 1; ///< by launches, and by operations with one location
  std::string when;    ///< circumstances of the first

  bool isLike(const Finding &other) const;
  /// Several lines: what, where, by whom, and the other side.
  std::string text() const;
  nlohmann::ordered_json json() const;
};

/// libdevice.10.bc, "" where there is none: kernels without math functions need
/// none. `folder` is that of the library or program, with a slash at the end.
std::string findLibdevice(const std::string &folder);

/// libkfuse_sim, opened. It stays open. Its options are those of the process,
/// so there is one of these at a time.
class Simulator {
public:
  /// `path` names the library; empty: beside the runtime library, in lib beside
  /// the program's folder, then by the loader's search. Throws kfuse::Error.
  explicit Simulator(const std::string &path,
                     const KfuseSimOptions &options = {});
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  const KfuseDeviceTable *table() const { return deviceTable; }
  /// Later launches, and kernels that are loaded later, run with these;
  /// findings go to this object and remember `when`, e.g. "seed 1". Without a
  /// path of libdevice findLibdevice looks for it.
  void configure(KfuseSimOptions options, const std::string &when = "");
  /// Writes the 128 bytes of a tensor map. Throws kfuse::Error.
  void encodeTensorMap(KfuseSimTensorMap map, void *to) const;
  /// Each once, by kind, kernel and places.
  std::vector<Finding> findings() const;

private:
  static void take(void *user, const KfuseSimFinding *finding);

  const KfuseDeviceTable *deviceTable = nullptr;
  std::string libdevice;
  decltype(&kfuse_sim_configure) configureFunction = nullptr;
  decltype(&kfuse_sim_kind_name) kindName = nullptr;
  decltype(&kfuse_sim_encode_tensor_map) encodeFunction = nullptr;
  mutable std::mutex mutex;
  std::vector<Finding> found;
  std::string when;
};

/// Throws kfuse::Error when the package has kernels, but none with code for the
/// simulator, with the advice to compile it so.
void requireSimulatorCode(const KfusePackage *package);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_SIMULATOR_H
