//===- KernelLog.h - launches by kernel, with times ------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_SIM_KERNELLOG_H
#define KFUSE_TOOLS_KFUSE_SIM_KERNELLOG_H

#include "kfuse/Runtime/kfuse.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kfuse {

/// The launches of one kernel.
struct KernelRow {
  std::string name;
  uint32_t grid[3], block[3]; ///< of the last launch
  bool hasManyGrids = false;
  int64_t launches = 0;
  double seconds = 0;
};

/// A device table that does what another one does and notes which kernels are
/// launched. Tables know no objects, so there is one of these at a time.
class KernelLog {
public:
  explicit KernelLog(const KfuseDeviceTable &base);
  ~KernelLog() { active = nullptr; }
  KernelLog(const KernelLog &) = delete;
  KernelLog &operator=(const KernelLog &) = delete;

  const KfuseDeviceTable *table() const { return &copy; }
  /// In order of their first launch.
  const std::vector<KernelRow> &kernels() const { return rows; }
  /// Called with the kernel's name before each launch, and after it.
  std::function<void(const std::string &)> onBegin;
  std::function<void()> onEnd;

private:
  static int32_t getFunction(void *device, void *module, const char *entry,
                             int64_t sharedBytes, void **function,
                             KfuseDeviceError *error);
  static int32_t launch(void *device, const KfuseLaunch *launch,
                        KfuseDeviceError *error);
  KernelRow &rowOf(const std::string &name);
  static KernelLog *active;

  const KfuseDeviceTable &base;
  KfuseDeviceTable copy;
  std::map<void *, std::string> names; ///< by function
  std::vector<KernelRow> rows;
};

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_SIM_KERNELLOG_H
