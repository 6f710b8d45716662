//===- CudaDevice.cpp - device table over the CUDA driver -----------------===//
#include "CudaDriver.h"
#include "DeviceTables.h"

#include <cstdio>
#include <cstring>
#include <memory>

namespace kfuse {

namespace {
// Values of enumerators in the CUDA driver API reference.
constexpr int attributeProcessors = 16; // CU_DEVICE_ATTRIBUTE_*
constexpr int attributeMajor = 75;
constexpr int attributeMinor = 76;
constexpr int pointerMemoryType = 2;        // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr unsigned memoryTypeDevice = 2;    // CU_MEMORYTYPE_DEVICE
constexpr int functionMaxDynamicShared = 8; // CU_FUNC_ATTRIBUTE_*
constexpr unsigned streamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr int captureRelaxed = 2;           // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr CuResult errorOutOfMemory = 2;
constexpr int64_t sharedWithoutOptIn = 48 * 1024;

struct CudaDevice {
  int ordinal = 0;
  void *context = nullptr;
};
} // namespace

static const CudaDriver &driver() { return CudaDriver::get(); }

static int32_t fail(CuResult result, const char *what,
                    KfuseDeviceError *error) {
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  error->code =
      result == errorOutOfMemory ? KFUSE_OUT_OF_MEMORY : KFUSE_DEVICE_ERROR;
  snprintf(error->message, sizeof(error->message), "%s: %s (%s)", what,
           text ? text : "unknown CUDA error", name ? name : "?");
  return error->code;
}

#define KFUSE_CU(call, what)                                                   \
  do {                                                                         \
    CuResult kfuseCuResult = driver().call;                                    \
    if (kfuseCuResult != 0)                                                    \
      return fail(kfuseCuResult, what, error);                                 \
  } while (0)

static CuPointer toCu(const void *pointer) {
  return reinterpret_cast<CuPointer>(pointer);
}

static int32_t open(int32_t index, void **result, KfuseDeviceInfo *info,
                    KfuseDeviceError *error) {
  if (!driver().problem.empty() || index < 0 || index >= driver().deviceCount) {
    error->code = KFUSE_NO_DEVICE;
    if (!driver().problem.empty())
      snprintf(error->message, sizeof(error->message), "%s",
               driver().problem.c_str());
    else
      snprintf(error->message, sizeof(error->message),
               "no device cuda:%d, found %d", index, driver().deviceCount);
    return error->code;
  }
  auto device = std::make_unique<CudaDevice>();
  *info = KfuseDeviceInfo();
  KFUSE_CU(cuDeviceGet(&device->ordinal, index), "cannot get the device");
  KFUSE_CU(cuDeviceGetName(info->name, sizeof(info->name), device->ordinal),
           "cannot get the device's name");
  int major = 0, minor = 0;
  KFUSE_CU(cuDeviceGetAttribute(&major, attributeMajor, device->ordinal),
           "cannot get the compute capability");
  KFUSE_CU(cuDeviceGetAttribute(&minor, attributeMinor, device->ordinal),
           "cannot get the compute capability");
  KFUSE_CU(cuDeviceGetAttribute(&info->processors, attributeProcessors,
                                device->ordinal),
           "cannot get the number of processors");
  info->capability = major * 10 + minor;
  size_t total = 0;
  KFUSE_CU(cuDeviceTotalMem_v2(&total, device->ordinal),
           "cannot get the size of memory");
  info->memoryBytes = static_cast<int64_t>(total);
  KFUSE_CU(cuDevicePrimaryCtxRetain(&device->context, device->ordinal),
           "cannot get the primary context");
  *result = device.release();
  return 0;
}

static void close(void *device) {
  std::unique_ptr<CudaDevice> owned(static_cast<CudaDevice *>(device));
  driver().cuDevicePrimaryCtxRelease_v2(owned->ordinal);
}

static int32_t enter(void *device, void **previous, KfuseDeviceError *error) {
  void *context = static_cast<CudaDevice *>(device)->context;
  KFUSE_CU(cuCtxGetCurrent(previous), "cannot get the current context");
  if (*previous != context)
    KFUSE_CU(cuCtxSetCurrent(context), "cannot make the device current");
  return 0;
}

static void leave(void *device, void *previous) {
  if (previous != static_cast<CudaDevice *>(device)->context)
    driver().cuCtxSetCurrent(previous);
}

static int32_t allocate(void *, int64_t bytes, void **pointer,
                        KfuseDeviceError *error) {
  CuPointer address = 0;
  KFUSE_CU(cuMemAlloc_v2(&address, bytes), "cannot allocate device memory");
  *pointer = reinterpret_cast<void *>(address);
  return 0;
}

static void release(void *, void *pointer) {
  driver().cuMemFree_v2(toCu(pointer));
}

static bool isDevicePointer(const void *pointer) {
  unsigned type = 0;
  CuResult result =
      driver().cuPointerGetAttribute(&type, pointerMemoryType, toCu(pointer));
  return result == 0 && type == memoryTypeDevice;
}

static int32_t copy(void *, void *to, const void *from, int64_t bytes,
                    void *stream, KfuseDeviceError *error) {
  if (bytes == 0)
    return 0;
  if (!isDevicePointer(from)) {
    KFUSE_CU(cuMemcpyHtoDAsync_v2(toCu(to), from, bytes, stream),
             "cannot copy to the device");
  } else if (!isDevicePointer(to)) {
    KFUSE_CU(cuMemcpyDtoHAsync_v2(to, toCu(from), bytes, stream),
             "cannot copy from the device");
  } else {
    KFUSE_CU(cuMemcpyAsync(toCu(to), toCu(from), bytes, stream),
             "cannot copy within the device");
  }
  return 0;
}

static int32_t fill(void *, void *to, uint8_t byte, int64_t bytes, void *stream,
                    KfuseDeviceError *error) {
  if (bytes)
    KFUSE_CU(cuMemsetD8Async(toCu(to), byte, bytes, stream),
             "cannot fill device memory");
  return 0;
}

static int32_t loadModule(void *, const void *image, int64_t, void **module,
                          KfuseDeviceError *error) {
  KFUSE_CU(cuModuleLoadData(module, image), "cannot load a kernel file");
  return 0;
}

static void unloadModule(void *, void *module) {
  driver().cuModuleUnload(module);
}

static int32_t getFunction(void *, void *module, const char *entry,
                           int64_t sharedBytes, void **function,
                           KfuseDeviceError *error) {
  KFUSE_CU(cuModuleGetFunction(function, module, entry),
           "cannot find a kernel in its file");
  if (sharedBytes > sharedWithoutOptIn)
    KFUSE_CU(cuFuncSetAttribute(*function, functionMaxDynamicShared,
                                static_cast<int>(sharedBytes)),
             "cannot reserve the kernel's shared memory");
  return 0;
}

static int32_t launch(void *, const KfuseLaunch *launch,
                      KfuseDeviceError *error) {
  KFUSE_CU(cuLaunchKernel(launch->function, launch->grid[0], launch->grid[1],
                          launch->grid[2], launch->block[0], launch->block[1],
                          launch->block[2], launch->sharedBytes, launch->stream,
                          launch->params, nullptr),
           "cannot launch a kernel");
  return 0;
}

static int32_t synchronize(void *, void *stream, KfuseDeviceError *error) {
  KFUSE_CU(cuStreamSynchronize(stream), "work on the stream failed");
  return 0;
}

static int32_t createStream(void *, void **stream, KfuseDeviceError *error) {
  KFUSE_CU(cuStreamCreate(stream, streamNonBlocking), "cannot make a stream");
  return 0;
}

static void destroyStream(void *, void *stream) {
  driver().cuStreamDestroy_v2(stream);
}

static int32_t createEvent(void *, void **event, KfuseDeviceError *error) {
  KFUSE_CU(cuEventCreate(event, 0), "cannot make an event");
  return 0;
}

static void destroyEvent(void *, void *event) {
  driver().cuEventDestroy_v2(event);
}

static int32_t recordEvent(void *, void *event, void *stream,
                           KfuseDeviceError *error) {
  KFUSE_CU(cuEventRecord(event, stream), "cannot record an event");
  return 0;
}

static int32_t waitEvent(void *, void *event, void *stream,
                         KfuseDeviceError *error) {
  KFUSE_CU(cuStreamWaitEvent(stream, event, 0), "cannot wait for an event");
  return 0;
}

static int32_t elapsed(void *, void *from, void *to, double *milliseconds,
                       KfuseDeviceError *error) {
  float time = 0;
  KFUSE_CU(cuEventSynchronize(to), "cannot wait for an event");
  KFUSE_CU(cuEventElapsedTime(&time, from, to), "cannot read an event's time");
  *milliseconds = time;
  return 0;
}

static int32_t beginCapture(void *, void *stream, KfuseDeviceError *error) {
  KFUSE_CU(cuStreamBeginCapture_v2(stream, captureRelaxed),
           "cannot begin a capture");
  return 0;
}

static int32_t endCapture(void *, void *stream, int32_t discard, void **result,
                          KfuseDeviceError *error) {
  void *graph = nullptr;
  *result = nullptr;
  KFUSE_CU(cuStreamEndCapture(stream, &graph), "cannot end the capture");
  CuResult status = 0;
  if (!discard)
    status = driver().cuGraphInstantiateWithFlags(result, graph, 0);
  driver().cuGraphDestroy(graph);
  if (status != 0)
    return fail(status, "cannot make the graph executable", error);
  return 0;
}

static int32_t launchGraph(void *, void *graph, void *stream,
                           KfuseDeviceError *error) {
  KFUSE_CU(cuGraphLaunch(graph, stream), "cannot launch the graph");
  return 0;
}

static void destroyGraph(void *, void *graph) {
  driver().cuGraphExecDestroy(graph);
}

int32_t getCudaDeviceCount() { return driver().deviceCount; }

const KfuseDeviceTable *getCudaTable() {
  static const KfuseDeviceTable table = {KFUSE_DEVICE_VERSION,
                                         sizeof(KfuseDeviceTable),
                                         "cuda",
                                         KFUSE_CUDA,
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
                                         recordEvent,
                                         waitEvent,
                                         elapsed,
                                         beginCapture,
                                         endCapture,
                                         launchGraph,
                                         destroyGraph};
  return &table;
}

} // namespace kfuse
