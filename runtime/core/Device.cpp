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
  std::swap(source, other.source);
  return *this;
}

Result<Buffer> Buffer::allocate(std::shared_ptr<Device> device, int64_t bytes,
                                const MemorySource *source) {
  Buffer buffer;
  KfuseDeviceError error = {};
  buffer.device = std::move(device);
  const Device &from = *buffer.device;
  if (bytes <= 0)
    return buffer;
  if (source && source->allocator.allocate)
    KFUSE_TRY(buffer.allocateFrom(*source, bytes));
  else if (from.table->allocate(from.handle, bytes, &buffer.pointer, &error))
    return Device::toStatus(error);
  buffer.bytes = bytes;
  return buffer;
}

Status Buffer::allocateFrom(const MemorySource &from, int64_t size) {
  const KfuseAllocator &table = from.allocator;
  pointer = table.allocate(table.user, size, device->id, from.stream);
  if (!pointer)
    return makeError(KFUSE_OUT_OF_MEMORY,
                     "the caller's allocator gave no memory for %lld bytes",
                     static_cast<long long>(size));
  source = &from;
  bytes = size;
  if (reinterpret_cast<uintptr_t>(pointer) % KFUSE_ARENA_ALIGNMENT)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "the caller's allocator gave address %p, expected a "
                     "multiple of %d",
                     pointer, KFUSE_ARENA_ALIGNMENT);
  return Status();
}

void Buffer::reset() {
  if (pointer && source) {
    const KfuseAllocator &table = source->allocator;
    table.release(table.user, pointer, bytes, device->id, source->stream);
  } else if (pointer) {
    DeviceScope scope(*device);
    if (scope.enter().ok())
      device->table->release(device->handle, pointer);
  }
  pointer = nullptr;
  bytes = 0;
  source = nullptr;
  device.reset();
}

} // namespace kfuse
