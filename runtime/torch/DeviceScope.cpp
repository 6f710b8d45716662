//===- DeviceScope.cpp - Current device, stream and grad mode -------------===//
/// \file
/// Goes through c10's guard registry, so that no CUDA header is needed.

#include "DeviceScope.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace kfuse::aten {
namespace {

/// The c10 name of a native stream handle. torch stores a stream it did not
/// make as the handle itself (c10/cuda/CUDAStream.cpp, external streams); a
/// handle is a pointer, so it never collides with the pool's odd ids. The
/// legacy default stream is 0 or the reserved value 1.
c10::StreamId streamId(void *stream) {
  auto id = reinterpret_cast<intptr_t>(stream);
  return id == 1 ? 0 : static_cast<c10::StreamId>(id);
}

} // namespace

DeviceScope::DeviceScope(c10::Device device, void *stream) {
  if (device.is_cpu())
    return;
  c10::impl::VirtualGuardImpl impl(device.type());
  previousDevice = impl.exchangeDevice(device);
  previousStream = impl.exchangeStream(
      c10::Stream(c10::Stream::UNSAFE, device, streamId(stream)));
}

DeviceScope::~DeviceScope() {
  if (!previousDevice)
    return;
  c10::impl::VirtualGuardImpl impl(previousDevice->type());
  if (previousStream)
    impl.exchangeStream(*previousStream);
  impl.uncheckedSetDevice(*previousDevice);
}

} // namespace kfuse::aten
