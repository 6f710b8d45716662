//===- KernelLog.cpp - launches by kernel, with times ---------------------===//
#include "KernelLog.h"

#include <algorithm>
#include <chrono>

namespace kfuse {

KernelLog *KernelLog::active = nullptr;

KernelLog::KernelLog(const KfuseDeviceTable &base) : base(base), copy(base) {
  copy.getFunction = getFunction;
  copy.launch = launch;
  active = this;
}

int32_t KernelLog::getFunction(void *device, void *module, const char *entry,
                               int64_t sharedBytes, void **function,
                               KfuseDeviceError *error) {
  int32_t status = active->base.getFunction(device, module, entry, sharedBytes,
                                            function, error);
  if (!status)
    active->names[*function] = entry;
  return status;
}

KernelRow &KernelLog::rowOf(const std::string &name) {
  for (KernelRow &row : rows)
    if (row.name == name)
      return row;
  rows.emplace_back();
  rows.back().name = name;
  return rows.back();
}

int32_t KernelLog::launch(void *device, const KfuseLaunch *launch,
                          KfuseDeviceError *error) {
  const std::string &name = active->names[launch->function];
  if (active->onBegin)
    active->onBegin(name);
  auto start = std::chrono::steady_clock::now();
  int32_t status = active->base.launch(device, launch, error);
  KernelRow &row = active->rowOf(name);
  row.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  row.hasManyGrids |=
      row.launches && !std::equal(row.grid, row.grid + 3, launch->grid);
  std::copy_n(launch->grid, 3, row.grid);
  std::copy_n(launch->block, 3, row.block);
  ++row.launches;
  if (active->onEnd)
    active->onEnd();
  return status;
}

} // namespace kfuse
