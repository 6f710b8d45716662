//===- KernelRun.cpp - runs one kernel of an .mlir file -------------------===//
#include "KernelRun.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace kfuse {

struct KernelRun::Placed {
  NamedTensor named;
  void *data = nullptr;
};

struct KernelRun::Arguments {
  /// As large and aligned as a tensor map.
  struct alignas(64) Slot {
    char bytes[128];
  };
  std::vector<Slot> slots;
  std::vector<void *> params;
  std::vector<KfuseLaunchTensor> tensors;
};

void KernelRun::checkError(int32_t code, const KfuseDeviceError &error) const {
  if (code)
    fail(error.message, KFUSE_DEVICE_ERROR);
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    fail("cannot read '" + path + "'", KFUSE_IO_ERROR);
  return text.str();
}

KernelRun::KernelRun(Simulator &simulator, const std::string &path,
                     const NamedTensors &tensors)
    : simulator(simulator), table(*simulator.table()) {
  KfuseDeviceError error = {};
  KfuseDeviceInfo info;
  std::string code = readFile(path);
  checkError(table.open(0, &device, &info, &error), error);
  checkError(table.loadModule(device, code.data(),
                              static_cast<int64_t>(code.size()), &module,
                              &error),
             error);
  for (const auto &[name, named] : tensors) {
    Placed &one = placed[name];
    one.named = named;
    int64_t bytes = named.tensor.count() * kfuse_dtype_size(named.tensor.dtype);
    checkError(table.allocate(device, bytes, &one.data, &error), error);
    one.named.tensor.data.resize(bytes);
  }
}

KernelRun::~KernelRun() {
  for (auto &[name, one] : placed)
    if (one.data)
      table.release(device, one.data);
  if (module)
    table.unloadModule(device, module);
  if (device)
    table.close(device);
}

KernelRun::Placed &KernelRun::find(const std::string &name) {
  auto it = placed.find(name);
  if (it == placed.end())
    fail("there is no tensor '" + name + "'; give it with --tensor");
  return it->second;
}

void KernelRun::fill(Placed &one) {
  HostTensor &tensor = one.named.tensor;
  const std::string &fill = one.named.fill;
  if (fill == "zeros" || fill == "ones" || fill == "iota") {
    for (int64_t i = 0; i < tensor.count(); ++i)
      storeNumber(tensor, i,
                  fill == "iota" ? static_cast<double>(i) : fill == "ones");
  } else if (fill.rfind("random", 0) == 0) {
    size_t at = fill.find('@');
    std::mt19937_64 random(
        at == std::string::npos ? 0 : strtoull(&fill[at + 1], nullptr, 10));
    fillRandom(tensor, random, 100);
  }
  memcpy(one.data, tensor.data.data(), tensor.data.size());
}

KfuseLaunchTensor KernelRun::describe(const Placed &one) const {
  const HostTensor &tensor = one.named.tensor;
  KfuseLaunchTensor result = {};
  result.tensor.data = one.data;
  result.tensor.dtype = tensor.dtype;
  result.tensor.rank = static_cast<int32_t>(tensor.sizes.size());
  result.tensor.sizes = tensor.sizes.data();
  result.tensor.strides = tensor.strides.data();
  result.access = one.named.access;
  return result;
}

void KernelRun::encode(const LaunchArgument &argument, const Placed &one,
                       char *to) {
  const HostTensor &tensor = one.named.tensor;
  size_t rank = tensor.sizes.size();
  if (argument.map.box.size() != rank)
    fail("the map of '" + argument.tensor + "' needs a box of " +
         std::to_string(rank) + " extents");
  KfuseSimTensorMap map = {};
  map.dtype = tensor.dtype;
  map.address = one.data;
  map.rank = static_cast<uint32_t>(rank);
  map.swizzle = argument.map.swizzle;
  map.isNanFill = argument.map.isNanFill;
  uint64_t width = kfuse_dtype_size(tensor.dtype);
  for (size_t d = 0; d < rank && d < 5; ++d) {
    map.sizes[d] = tensor.sizes[rank - 1 - d];
    map.box[d] = argument.map.box[rank - 1 - d];
    if (d)
      map.strides[d - 1] = tensor.strides[rank - 1 - d] * width;
  }
  simulator.encodeTensorMap(map, to);
}

/// Every parameter stands for a tensor: a number for one without elements.
void KernelRun::addArgument(const LaunchArgument &argument, Arguments &to) {
  static const int64_t none = 0, one = 1;
  char *slot = to.slots[to.params.size()].bytes;
  to.params.push_back(slot);
  KfuseLaunchTensor tensor = {};
  tensor.tensor.dtype = KFUSE_U8;
  tensor.tensor.rank = 1;
  tensor.tensor.sizes = &none;
  tensor.tensor.strides = &one;
  if (argument.tensor.empty()) {
    memcpy(slot, &argument.bits, sizeof(argument.bits));
  } else {
    Placed &found = find(argument.tensor);
    tensor = describe(found);
    if (argument.isMap)
      encode(argument, found, slot);
    else
      memcpy(slot, &found.data, sizeof(found.data));
  }
  to.tensors.push_back(tensor);
}

void KernelRun::run(const KernelLaunch &launch) {
  for (auto &[name, one] : placed)
    fill(one);
  Arguments arguments;
  arguments.slots.resize(launch.arguments.size());
  for (const LaunchArgument &argument : launch.arguments)
    addArgument(argument, arguments);
  KfuseDeviceError error = {};
  KfuseLaunch what = {};
  checkError(table.getFunction(device, module, launch.kernel.c_str(),
                               launch.sharedBytes, &what.function, &error),
             error);
  what.params = arguments.params.data();
  std::copy_n(launch.grid, 3, what.grid);
  std::copy_n(launch.block, 3, what.block);
  what.sharedBytes = launch.sharedBytes;
  what.paramCount = static_cast<uint32_t>(arguments.params.size());
  what.tensors = arguments.tensors.data();
  what.tensorCount = what.paramCount;
  checkError(table.launch(device, &what, &error), error);
}

HostTensor KernelRun::fetch(const std::string &name) const {
  auto it = placed.find(name);
  if (it == placed.end())
    fail("there is no tensor '" + name + "'");
  HostTensor tensor = it->second.named.tensor;
  memcpy(tensor.data.data(), it->second.data, tensor.data.size());
  return tensor;
}

std::string printTensor(const HostTensor &tensor) {
  int64_t row = tensor.sizes.empty() ? 1 : tensor.sizes.back();
  std::string text;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    char number[32];
    snprintf(number, sizeof(number), "%.9g",
             loadElement(tensor.data.data(), tensor.dtype, i));
    text += number;
    text += (i + 1) % row ? " " : "\n";
  }
  return text;
}

} // namespace kfuse
