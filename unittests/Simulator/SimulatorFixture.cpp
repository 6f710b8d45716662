//===- SimulatorFixture.cpp - small kernels in the simulator --------------===//
#include "SimulatorFixture.h"

#include <algorithm>
#include <cstring>

namespace kfuse::sim::test {

const char *const storeByThread =
    "  %at = llvm.getelementptr %p0[%tid] : (!llvm.ptr<1>, i32) -> "
    "!llvm.ptr<1>, i32\n"
    "  llvm.store %v, %at : i32, !llvm.ptr<1>\n";

std::string sharedWords(int count, int alignment) {
  return "llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = " +
         std::to_string(alignment) + " : i64} : !llvm.array<" +
         std::to_string(count) + " x i32>\n";
}

std::string wordAddress(const std::string &name, const std::string &base,
                        const std::string &index, int space) {
  std::string type = "!llvm.ptr<" + std::to_string(space) + ">";
  return "  " + name + " = llvm.getelementptr " + base + "[" + index + "] : (" +
         type + ", i32) -> " + type + ", i32\n";
}

SimulatorFixture::SimulatorFixture()
    : table(kfuse_sim_device_table(KFUSE_DEVICE_VERSION)) {
  KfuseDeviceInfo info = {};
  KfuseDeviceError error = {};
  EXPECT_EQ(table->open(0, &device, &info, &error), 0) << error.message;
}

SimulatorFixture::~SimulatorFixture() { table->close(device); }

void SimulatorFixture::take(void *user, const KfuseSimFinding *finding) {
  Found found;
  found.kind = finding->kind;
  found.message = finding->message;
  found.place = finding->place;
  found.other = finding->other ? finding->other : "";
  found.thread = finding->thread;
  found.otherThread = finding->otherThread;
  found.address = finding->address;
  found.argument = finding->argument;
  found.count = finding->count;
  static_cast<SimulatorFixture *>(user)->found.push_back(std::move(found));
}

void SimulatorFixture::configure(const Shape &shape) {
  KfuseSimOptions options = {};
  options.structSize = sizeof(options);
  options.timing = shape.timing;
  options.seed = shape.seed;
  options.maxSwitches = shape.maxSwitches;
  options.isFast = shape.isFast;
  options.optLevel = 1;
  options.sink = take;
  options.user = this;
  KfuseDeviceError error = {};
  EXPECT_EQ(kfuse_sim_configure(&options, &error), 0) << error.message;
}

namespace {
struct alignas(64) Map {
  char bytes[128];
};
} // namespace

static std::vector<Map>
encodeMaps(const Shape &shape, const std::vector<KfuseLaunchTensor> &tensors) {
  std::vector<Map> maps(shape.maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    KfuseDeviceError error = {};
    KfuseSimTensorMap map = shape.maps[i];
    map.structSize = sizeof(map);
    map.address = tensors[map.reserved].tensor.data;
    EXPECT_EQ(kfuse_sim_encode_tensor_map(&map, &maps[i], &error), 0)
        << error.message;
  }
  return maps;
}

int32_t SimulatorFixture::launch(void *function, const Shape &shape,
                                 KfuseDeviceError &error) {
  configure(shape);
  std::vector<KfuseLaunchTensor> tensors;
  std::vector<uint64_t> values;
  for (Buffer &buffer : buffers) {
    KfuseLaunchTensor launched = {};
    launched.tensor.data =
        reinterpret_cast<char *>(buffer.words.data()) + buffer.skip;
    launched.tensor.sizes = buffer.sizes.data();
    launched.tensor.strides = buffer.strides.data();
    launched.tensor.dtype = buffer.dtype;
    launched.tensor.rank = static_cast<int32_t>(buffer.sizes.size());
    launched.access = buffer.access;
    tensors.push_back(launched);
    values.push_back(reinterpret_cast<uint64_t>(launched.tensor.data));
  }
  values.insert(values.end(), shape.numbers.begin(), shape.numbers.end());
  std::vector<Map> maps = encodeMaps(shape, tensors);
  std::string order = shape.order;
  if (order.empty())
    order = std::string(buffers.size(), 'p') +
            std::string(shape.numbers.size(), 'n') +
            std::string(maps.size(), 'm');
  else
    order += std::string(shape.numbers.size(), 'n');
  std::vector<void *> params;
  size_t nextMap = 0, nextNumber = buffers.size();
  for (size_t i = 0; i < order.size(); ++i)
    params.push_back(order[i] == 'm'   ? static_cast<void *>(&maps[nextMap++])
                     : order[i] == 'p' ? &values[i]
                                       : &values[nextNumber++]);
  KfuseLaunch what = {};
  what.function = function;
  what.params = params.data();
  what.paramCount = static_cast<uint32_t>(params.size());
  what.grid[0] = shape.grid;
  what.block[0] = shape.block;
  what.grid[1] = what.grid[2] = what.block[1] = what.block[2] = 1;
  what.sharedBytes = shape.sharedBytes;
  what.tensors = tensors.data();
  what.tensorCount = static_cast<uint32_t>(tensors.size());
  found.clear();
  return table->launch(device, &what, &error);
}

std::string SimulatorFixture::tryRun(const std::string &text,
                                     const Shape &shape,
                                     const std::string &kernel) {
  KfuseDeviceError error = {};
  void *module = nullptr, *function = nullptr;
  if (table->loadModule(device, text.data(), static_cast<int64_t>(text.size()),
                        &module, &error))
    return error.message;
  if (table->getFunction(device, module, kernel.c_str(), 0, &function,
                         &error) ||
      launch(function, shape, error))
    return error.message;
  table->unloadModule(device, module);
  return "";
}

std::string SimulatorFixture::parameters(const Shape &shape) const {
  std::string text;
  auto add = [&](const std::string &name, const std::string &type) {
    text += (text.empty() ? "%" : ", %") + name + ": " + type;
  };
  for (size_t i = 0; i < buffers.size(); ++i)
    add("p" + std::to_string(i), "!llvm.ptr<1>");
  for (size_t i = 0; i < shape.numbers.size(); ++i)
    add("n" + std::to_string(i), "i64");
  for (size_t i = 0; i < shape.maps.size(); ++i)
    add("m" + std::to_string(i),
        "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : "
        "i64, nvvm.grid_constant}");
  return text;
}

void SimulatorFixture::run(const std::string &body, const Shape &shape,
                           const std::string &globals) {
  std::string text = "gpu.module @m {\n" + globals + "llvm.func @k(" +
                     parameters(shape) +
                     ") attributes {gpu.kernel, nvvm.kernel";
  if (shape.cluster > 1)
    text += ", nvvm.cluster_dim = array<i32: " + std::to_string(shape.cluster) +
            ", 1, 1>";
  text += "} {\n"
          "  %tid = nvvm.read.ptx.sreg.tid.x : i32\n"
          "  %cta = nvvm.read.ptx.sreg.ctaid.x : i32\n"
          "  %all = llvm.mlir.constant(-1 : i32) : i32\n";
  for (const char *number : {"0", "1", "2", "3", "4"})
    text += std::string("  %c") + number + " = llvm.mlir.constant(" + number +
            " : i32) : i32\n";
  text += body + "  llvm.return\n}\n}\n";
  EXPECT_EQ(tryRun(text, shape), "") << text;
}

std::vector<Found> SimulatorFixture::of(KfuseSimKind kind) const {
  std::vector<Found> result;
  std::copy_if(found.begin(), found.end(), std::back_inserter(result),
               [&](const Found &finding) { return finding.kind == kind; });
  return result;
}

std::string SimulatorFixture::kinds() const {
  std::vector<std::string> names;
  for (const Found &finding : found) {
    std::string name = kfuse_sim_kind_name(finding.kind);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace kfuse::sim::test
