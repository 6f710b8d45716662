//===- DeviceTables.h - the built-in device tables -------------*- C++ -*-===//
///
/// \file
/// The host and the CUDA driver as device tables.
///
#ifndef KFUSE_RUNTIME_CORE_DEVICETABLES_H
#define KFUSE_RUNTIME_CORE_DEVICETABLES_H

#include "kfuse/Runtime/kfuse.h"

namespace kfuse {

const KfuseDeviceTable *getCpuTable();
/// Loads the driver on first use; without one, `open` fails with a message.
const KfuseDeviceTable *getCudaTable();
/// 0 when there is no driver.
int32_t getCudaDeviceCount();

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_DEVICETABLES_H
