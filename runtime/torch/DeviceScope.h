//===- DeviceScope.h - Current device, stream and grad mode -----*- C++ -*-===//
/// \file
/// Makes a device and a native stream current for ATen calls on this thread.

#ifndef KFUSE_RUNTIME_TORCH_DEVICESCOPE_H
#define KFUSE_RUNTIME_TORCH_DEVICESCOPE_H

#include <c10/core/Device.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/Stream.h>

#include <optional>

namespace kfuse::aten {

/// While alive, ATen calls of this thread run on `device` and `stream` in
/// inference mode. `stream` is a native handle (CUstream) owned by the caller;
/// null is the device's default stream, and it is ignored on the CPU. The
/// previous device and stream come back on destruction. Throws c10::Error when
/// torch has no back end for the device.
class DeviceScope {
public:
  DeviceScope(c10::Device device, void *stream);
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

private:
  c10::InferenceMode inference;
  std::optional<c10::Device> previousDevice;
  std::optional<c10::Stream> previousStream;
};

} // namespace kfuse::aten

#endif // KFUSE_RUNTIME_TORCH_DEVICESCOPE_H
