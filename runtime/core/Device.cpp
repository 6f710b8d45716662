//===- Device.cpp - a device and its memory -------------------------------===//
#include "Device.h"

#include "DeviceTables.h"

namespace kfuse {

Status Device::toStatus(const KfuseDeviceError &error) {
  KfuseStatus code = KFUSE_DEVICE_ERROR;
  if (error.code == KFUSE_OUT_OF_MEMORY || error.code == KFUSE_NO_DEVICE ||
      error.code == KFUSE_UNSUPPORTED)
    code = error.code;
  return Status(code, error.message);
}

Result<std::shared_ptr<Device>> Device::open(KfuseDevice id,
                                             const KfuseDeviceTable *table) {
  if (!table)
    table = kfuse_device_table(id.kind);
  if (!table)
    return makeError(KFUSE_INVALID_ARGUMENT, "unknown kind of device %d",
                     id.kind);
  if (table->version != KFUSE_DEVICE_VERSION ||
      table->structSize < sizeof(KfuseDeviceTable))
    return makeError(KFUSE_BAD_VERSION,
                     "device table of version %u, expected %d", table->version,
                     KFUSE_DEVICE_VERSION);
  std::shared_ptr<Device> device(new Device);
  KfuseDeviceError error = {};
  if (table->open(id.index, &device->handle, &device->info, &error))
    return toStatus(error);
  device->table = table;
  device->id = {table->kind, table->kind == KFUSE_CPU ? 0 : id.index};
  return device;
}

Device::~Device() {
  if (table)
    table->close(handle);
}

Status Device::copy(void *to, const void *from, int64_t bytes,
                    void *stream) const {
  KfuseDeviceError error = {};
  if (table->copy(handle, to, from, bytes, stream, &error))
    return toStatus(error);
  return Status();
}

Status Device::fill(void *to, uint8_t byte, int64_t bytes, void *stream) const {
  KfuseDeviceError error = {};
  if (table->fill(handle, to, byte, bytes, stream, &error))
    return toStatus(error);
  return Status();
}

Status Device::synchronize(void *stream) const {
  KfuseDeviceError error = {};
  if (table->synchronize(handle, stream, &error))
    return toStatus(error);
  return Status();
}

Status DeviceScope::enter() {
  KfuseDeviceError error = {};
  if (device.table->enter(device.handle, &previous, &error))
    return Device::toStatus(error);
  entered = true;
  return Status();
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(pointer, other.pointer);
  std::swap(bytes, other.bytes);
  return *this;
}

Result<Buffer> Buffer::allocate(std::shared_ptr<Device> device, int64_t bytes) {
  Buffer buffer;
  KfuseDeviceError error = {};
  if (bytes > 0 &&
      device->table->allocate(device->handle, bytes, &buffer.pointer, &error))
    return Device::toStatus(error);
  buffer.device = std::move(device);
  buffer.bytes = bytes;
  return buffer;
}

void Buffer::reset() {
  if (pointer) {
    DeviceScope scope(*device);
    if (scope.enter().ok())
      device->table->release(device->handle, pointer);
  }
  pointer = nullptr;
  bytes = 0;
  device.reset();
}

} // namespace kfuse
