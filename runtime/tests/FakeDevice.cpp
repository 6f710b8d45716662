//===- FakeDevice.cpp - a device whose kernels are functions --------------===//
#include "FakeDevice.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace kfuse::test {

namespace {
using Kernel = void (*)(const KfuseLaunch &);

/// Launches recorded during a capture, with their parameters.
struct Graph {
  struct Node {
    KfuseLaunch launch;
    std::vector<uint64_t> values;
  };
  std::vector<Node> nodes;
};

struct Fake {
  Graph *capturing = nullptr;
};
} // namespace

FakeDeviceCounts &getFakeDeviceCounts() {
  static FakeDeviceCounts counts;
  return counts;
}

template <typename T>
static T param(const KfuseLaunch &launch, int i) {
  T value;
  memcpy(&value, launch.params[i], sizeof(T));
  return value;
}

/// out[i, j] = (x[i, j] + b[j]) * 2 for 4 columns.
static void addMul(const KfuseLaunch &launch) {
  auto *x = param<const float *>(launch, 0);
  auto *b = param<const float *>(launch, 1);
  auto *out = param<float *>(launch, 2);
  int64_t rows = param<int64_t>(launch, 3);
  int64_t threads = int64_t(launch.grid[0]) * launch.block[0];
  for (int64_t i = 0; i < rows * 4 && i < threads; ++i)
    out[i] = (x[i] + b[i % 4]) * 2;
}

/// The same with a mark, to see which variant ran.
static void addMulFast(const KfuseLaunch &launch) {
  addMul(launch);
  auto *out = param<float *>(launch, 2);
  out[0] += 1000;
}

static void empty(const KfuseLaunch &) {}

static int32_t open(int32_t, void **device, KfuseDeviceInfo *info,
                    KfuseDeviceError *) {
  *device = new Fake;
  *info = KfuseDeviceInfo();
  snprintf(info->name, sizeof(info->name), "fake");
  info->capability = 90;
  return 0;
}
static void close(void *device) { delete static_cast<Fake *>(device); }
static int32_t enter(void *, void **, KfuseDeviceError *) { return 0; }
static void leave(void *, void *) {}
static int32_t allocate(void *, int64_t bytes, void **pointer,
                        KfuseDeviceError *) {
  ++getFakeDeviceCounts().allocations;
  *pointer = aligned_alloc(256, (bytes + 255) / 256 * 256);
  return 0;
}
static void release(void *, void *pointer) { free(pointer); }
static int32_t copy(void *, void *to, const void *from, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memcpy(to, from, bytes);
  return 0;
}
static int32_t fill(void *, void *to, uint8_t byte, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memset(to, byte, bytes);
  return 0;
}
static int32_t loadModule(void *, const void *image, int64_t, void **module,
                          KfuseDeviceError *error) {
  if (memcmp(image, "fake", 4) != 0) {
    error->code = KFUSE_DEVICE_ERROR;
    snprintf(error->message, sizeof(error->message), "invalid image");
    return error->code;
  }
  *module = const_cast<void *>(image);
  return 0;
}
static void unloadModule(void *, void *) {}
static int32_t getFunction(void *, void *, const char *entry, int64_t,
                           void **function, KfuseDeviceError *error) {
  static const std::pair<const char *, Kernel> kernels[] = {
      {"add_mul", addMul}, {"add_mul_fast", addMulFast}, {"empty", empty}};
  for (auto &[name, kernel] : kernels)
    if (!strcmp(name, entry)) {
      *function = reinterpret_cast<void *>(kernel);
      return 0;
    }
  error->code = KFUSE_DEVICE_ERROR;
  snprintf(error->message, sizeof(error->message), "no such kernel");
  return error->code;
}
static int32_t launch(void *device, const KfuseLaunch *launch,
                      KfuseDeviceError *) {
  auto *fake = static_cast<Fake *>(device);
  if (fake->capturing) {
    Graph::Node node = {*launch, {}};
    for (uint32_t i = 0; i < launch->paramCount; ++i)
      node.values.push_back(param<uint64_t>(*launch, static_cast<int>(i)));
    fake->capturing->nodes.push_back(std::move(node));
    return 0;
  }
  FakeDeviceCounts &counts = getFakeDeviceCounts();
  counts.launches.fetch_add(1, std::memory_order_relaxed);
  if (launch->tensors) {
    counts.tensorCount = launch->tensorCount;
    std::copy_n(launch->tensors, std::min(launch->tensorCount, 8u),
                counts.tensors);
  }
  reinterpret_cast<Kernel>(launch->function)(*launch);
  return 0;
}
static int32_t synchronize(void *, void *, KfuseDeviceError *) { return 0; }
static int32_t create(void *, void **handle, KfuseDeviceError *) {
  *handle = nullptr;
  return 0;
}
static void destroy(void *, void *) {}
static int32_t recordEvent(void *, void *, void *, KfuseDeviceError *) {
  return 0;
}
static int32_t waitEvent(void *, void *, void *, KfuseDeviceError *) {
  ++getFakeDeviceCounts().waits;
  return 0;
}
static int32_t elapsed(void *, void *, void *, double *, KfuseDeviceError *) {
  return 0;
}
static int32_t beginCapture(void *device, void *, KfuseDeviceError *error) {
  if (getFakeDeviceCounts().failsCaptures) {
    error->code = KFUSE_DEVICE_ERROR;
    snprintf(error->message, sizeof(error->message), "no capture now");
    return error->code;
  }
  static_cast<Fake *>(device)->capturing = new Graph;
  return 0;
}
static int32_t endCapture(void *device, void *, int32_t discard, void **graph,
                          KfuseDeviceError *) {
  auto *fake = static_cast<Fake *>(device);
  *graph = discard ? nullptr : fake->capturing;
  if (discard)
    delete fake->capturing;
  fake->capturing = nullptr;
  return 0;
}
static int32_t launchGraph(void *, void *graph, void *, KfuseDeviceError *) {
  ++getFakeDeviceCounts().graphLaunches;
  for (Graph::Node &node : static_cast<Graph *>(graph)->nodes) {
    std::vector<void *> params;
    for (uint64_t &value : node.values)
      params.push_back(&value);
    KfuseLaunch launch = node.launch;
    launch.params = params.data();
    reinterpret_cast<Kernel>(launch.function)(launch);
  }
  return 0;
}
static void destroyGraph(void *, void *graph) {
  delete static_cast<Graph *>(graph);
}

const KfuseDeviceTable *getFakeDevice() {
  static const KfuseDeviceTable table = {KFUSE_DEVICE_VERSION,
                                         sizeof(KfuseDeviceTable),
                                         "fake",
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
                                         create,
                                         destroy,
                                         create,
                                         destroy,
                                         recordEvent,
                                         waitEvent,
                                         elapsed,
                                         beginCapture,
                                         endCapture,
                                         launchGraph,
                                         destroyGraph};
  return &table;
}

static int32_t openSimulator(int32_t, void **device, KfuseDeviceInfo *info,
                             KfuseDeviceError *) {
  *device = new Fake;
  *info = KfuseDeviceInfo();
  snprintf(info->name, sizeof(info->name), "fake simulator");
  snprintf(info->arch, sizeof(info->arch), KFUSE_SIMULATOR_ARCH);
  return 0;
}

const KfuseDeviceTable *getFakeSimulator() {
  static const KfuseDeviceTable table = [] {
    KfuseDeviceTable table = *getFakeDevice();
    table.name = "fake simulator";
    table.kind = KFUSE_CPU;
    table.wantsTensors = 1;
    table.open = openSimulator;
    return table;
  }();
  return &table;
}

} // namespace kfuse::test
