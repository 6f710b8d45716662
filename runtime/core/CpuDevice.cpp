//===- CpuDevice.cpp - device table of the host ---------------------------===//
///
/// \file
/// Host memory behind the device interface. It runs no kernels, so programs
/// use their generic steps.
///
#include "DeviceTables.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kfuse {

static int32_t unsupported(const char *what, KfuseDeviceError *error) {
  error->code = KFUSE_UNSUPPORTED;
  snprintf(error->message, sizeof(error->message), "%s on the CPU device",
           what);
  return error->code;
}

static int32_t open(int32_t, void **device, KfuseDeviceInfo *info,
                    KfuseDeviceError *) {
  *device = nullptr;
  *info = KfuseDeviceInfo();
  snprintf(info->name, sizeof(info->name), "cpu");
  return 0;
}
static void close(void *) {}
static int32_t enter(void *, void **, KfuseDeviceError *) { return 0; }
static void leave(void *, void *) {}

static int32_t allocate(void *, int64_t bytes, void **pointer,
                        KfuseDeviceError *error) {
  size_t rounded = (static_cast<size_t>(bytes) + KFUSE_ARENA_ALIGNMENT - 1) /
                   KFUSE_ARENA_ALIGNMENT * KFUSE_ARENA_ALIGNMENT;
  *pointer = aligned_alloc(KFUSE_ARENA_ALIGNMENT, rounded);
  if (*pointer)
    return 0;
  error->code = KFUSE_OUT_OF_MEMORY;
  snprintf(error->message, sizeof(error->message),
           "cannot allocate %lld bytes of host memory",
           static_cast<long long>(bytes));
  return error->code;
}
static void release(void *, void *pointer) { free(pointer); }

static int32_t copy(void *, void *to, const void *from, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memmove(to, from, bytes);
  return 0;
}
static int32_t fill(void *, void *to, uint8_t byte, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memset(to, byte, bytes);
  return 0;
}

static int32_t loadModule(void *, const void *, int64_t, void **,
                          KfuseDeviceError *error) {
  return unsupported("kernels", error);
}
static void unloadModule(void *, void *) {}
static int32_t getFunction(void *, void *, const char *, int64_t, void **,
                           KfuseDeviceError *error) {
  return unsupported("kernels", error);
}
static int32_t launch(void *, const KfuseLaunch *, KfuseDeviceError *error) {
  return unsupported("kernels", error);
}

static int32_t synchronize(void *, void *, KfuseDeviceError *) { return 0; }
static int32_t createStream(void *, void **stream, KfuseDeviceError *) {
  *stream = nullptr;
  return 0;
}
static void destroyStream(void *, void *) {}
static int32_t createEvent(void *, void **event, KfuseDeviceError *) {
  *event = nullptr;
  return 0;
}
static void destroyEvent(void *, void *) {}
static int32_t onEvent(void *, void *, void *, KfuseDeviceError *) { return 0; }
static int32_t elapsed(void *, void *, void *, double *,
                       KfuseDeviceError *error) {
  return unsupported("event times", error);
}

static int32_t beginCapture(void *, void *, KfuseDeviceError *error) {
  return unsupported("graph capture", error);
}
static int32_t endCapture(void *, void *, int32_t, void **,
                          KfuseDeviceError *error) {
  return unsupported("graph capture", error);
}
static int32_t launchGraph(void *, void *, void *, KfuseDeviceError *error) {
  return unsupported("graph capture", error);
}
static void destroyGraph(void *, void *) {}

const KfuseDeviceTable *getCpuTable() {
  static const KfuseDeviceTable table = {KFUSE_DEVICE_VERSION,
                                         sizeof(KfuseDeviceTable),
                                         "cpu",
                                         KFUSE_CPU,
                                         0,
                                         open,
                                         close,
                                         enter,
                                         leave,
                                         allocate,
                                         release,
                                         copy,
                                         fill,
                                         loadModule,
                                         unloadModule,
                                         getFunction,
                                         launch,
                                         synchronize,
                                         createStream,
                                         destroyStream,
                                         createEvent,
                                         destroyEvent,
                                         onEvent,
                                         onEvent,
                                         elapsed,
                                         beginCapture,
                                         endCapture,
                                         launchGraph,
                                         destroyGraph};
  return &table;
}

} // namespace kfuse
