//===- Device.h - a device and its memory ----------------------*- C++ -*-===//
///
/// \file
/// C++ ownership over a device table.
///
#ifndef KFUSE_RUNTIME_CORE_DEVICE_H
#define KFUSE_RUNTIME_CORE_DEVICE_H

#include "Status.h"

namespace kfuse {

class Device {
public:
  /// `table` may be null for the built-in one.
  static Result<std::shared_ptr<Device>> open(KfuseDevice id,
                                              const KfuseDeviceTable *table);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const KfuseDeviceTable *table = nullptr;
  void *handle = nullptr;
  KfuseDevice id = {KFUSE_CPU, 0};
  KfuseDeviceInfo info = {};

  /// Its memory is the host's, and its work is done when a call returns.
  bool isHostMemory() const { return table->kind == KFUSE_CPU; }
  bool runsKernels() const { return info.capability > 0 || info.arch[0]; }
  Status copy(void *to, const void *from, int64_t bytes, void *stream) const;
  Status fill(void *to, uint8_t byte, int64_t bytes, void *stream) const;
  Status synchronize(void *stream) const;
  static Status toStatus(const KfuseDeviceError &error);

private:
  Device() = default;
};

/// Makes a device current while it lives.
class DeviceScope {
public:
  explicit DeviceScope(const Device &device) : device(device) {}
  ~DeviceScope() {
    if (entered)
      device.table->leave(device.handle, previous);
  }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
  Status enter();

private:
  const Device &device;
  void *previous = nullptr;
  bool entered = false;
};

/// Where a context's memory comes from: the caller's allocator when it has
/// functions, else the device.
struct MemorySource {
  KfuseAllocator allocator = {};
  void *stream = nullptr; ///< of the last work with the memory
};

/// Device memory. The device must be current when one is made; releasing
/// enters it by itself.
class Buffer {
public:
  Buffer() = default;
  ~Buffer() { reset(); }
  Buffer(Buffer &&other) noexcept { *this = std::move(other); }
  Buffer &operator=(Buffer &&other) noexcept;

  /// `source` may be null, and must outlive the buffer.
  static Result<Buffer> allocate(std::shared_ptr<Device> device, int64_t bytes,
                                 const MemorySource *source = nullptr);
  void reset();
  char *data() const { return static_cast<char *>(pointer); }
  int64_t size() const { return bytes; }

private:
  Status allocateFrom(const MemorySource &from, int64_t size);

  std::shared_ptr<Device> device;
  void *pointer = nullptr;
  int64_t bytes = 0;
  const MemorySource *source = nullptr; ///< null: the device's own memory
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_DEVICE_H
