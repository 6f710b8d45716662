//===- Session.cpp - one package on one device ----------------------------===//
#include "Session.h"

#include "Progress.h"

#include <cstring>

namespace kfuse {

void DeviceSession::checkError(int32_t code, const KfuseDeviceError &error) {
  if (code)
    fail(error.message, KFUSE_DEVICE_ERROR);
}

DeviceSession::DeviceSession(KfuseDevice device, const KfuseDeviceTable *table)
    : device(device), table(table ? table : kfuse_device_table(device.kind)) {
  KfuseDeviceError error = {};
  checkError(this->table->open(device.index, &handle, &info, &error), error);
  checkError(this->table->enter(handle, &previous, &error), error);
  checkError(this->table->createStream(handle, &stream, &error), error);
}

DeviceSession::~DeviceSession() {
  table->destroyStream(handle, stream);
  table->leave(handle, previous);
  table->close(handle);
}

void *DeviceSession::allocate(int64_t bytes) {
  KfuseDeviceError error = {};
  void *pointer = nullptr;
  checkError(table->allocate(handle, bytes ? bytes : 1, &pointer, &error),
             error);
  return pointer;
}

void DeviceSession::copy(void *to, const void *from, int64_t bytes) {
  KfuseDeviceError error = {};
  checkError(table->copy(handle, to, from, bytes, stream, &error), error);
}

void DeviceSession::synchronize() {
  KfuseDeviceError error = {};
  checkError(table->synchronize(handle, stream, &error), error);
}

void *DeviceSession::createEvent() {
  KfuseDeviceError error = {};
  void *event = nullptr;
  checkError(table->createEvent(handle, &event, &error), error);
  return event;
}

void DeviceSession::record(void *event) {
  KfuseDeviceError error = {};
  checkError(table->recordEvent(handle, event, stream, &error), error);
}

double DeviceSession::elapsed(void *from, void *to) {
  KfuseDeviceError error = {};
  double milliseconds = 0;
  checkError(table->elapsed(handle, from, to, &milliseconds, &error), error);
  return milliseconds;
}

void DeviceSession::launch(const KfuseLaunch &launch) {
  KfuseDeviceError error;
  checkError(table->launch(handle, &launch, &error), error);
}

DeviceInputs::DeviceInputs(DeviceSession &device,
                           const std::vector<HostValue> &values)
    : device(device), values(values) {
  for (const HostValue &value : values) {
    KfuseArg arg = {};
    arg.scalar = value.scalar;
    if (value.isTensor)
      arg = tensor(
          device.allocate(static_cast<int64_t>(value.tensor.data.size())),
          value.tensor.dtype, value.tensor.sizes, value.tensor.strides,
          device.device);
    args.push_back(arg);
  }
  restore();
}

DeviceInputs::~DeviceInputs() {
  for (size_t i = 0; i < args.size(); ++i)
    if (values[i].isTensor)
      device.release(args[i].tensor.data);
}

void DeviceInputs::restore() {
  for (size_t i = 0; i < args.size(); ++i)
    if (values[i].isTensor)
      device.copy(args[i].tensor.data, values[i].tensor.data.data(),
                  static_cast<int64_t>(values[i].tensor.data.size()));
  device.synchronize();
}

static void logLine(void *, const char *line) {
  fprintf(stderr, "%s: %s\n", programName(), line);
}

KfuseModelOptions makeModelOptions(const Options &options,
                                   KfuseProgramChoice program) {
  KfuseModelOptions result = {};
  result.program = program;
  if (options.fallback == "warn")
    result.fallback = KFUSE_FALLBACK_WARN;
  else if (options.fallback == "deny")
    result.fallback = KFUSE_FALLBACK_DENY;
  result.fallbackBudget = options.fallbackBudget;
  if (!options.provider.empty())
    result.providerPath = options.provider.c_str();
  if (!options.killFile.empty())
    result.killFile = options.killFile.c_str();
  result.log = logLine;
  return result;
}

KfuseProgramChoice chooseProgram(const Options &options) {
  if (options.program == "plan")
    return KFUSE_PROGRAM_PLAN;
  return options.program == "generic" ? KFUSE_PROGRAM_GENERIC
                                      : KFUSE_PROGRAM_AUTO;
}

Runner::Runner(const Options &options, const PackageHandle &package,
               const WeightsHandle &weights, KfuseProgramChoice program,
               DeviceSession &device)
    : model(package, weights, makeModelOptions(options, program)),
      context(model), outputs(kfuse_package_output_count(package.get())),
      package(package), device(device) {
  if (program != KFUSE_PROGRAM_GENERIC)
    for (const std::string &id : options.kill)
      check(kfuse_model_kill(model.get(), id.c_str(), 1));
}

void Runner::run(DeviceInputs &inputs) {
  for (KfuseArg &output : outputs)
    output = KfuseArg();
  context.run(inputs.args, outputs, device.stream);
}

/// Bytes from the first to the last element.
static int64_t spanBytes(const KfuseTensor &tensor) {
  int64_t last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return 0;
    last += (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  return (last + 1) * kfuse_dtype_size(tensor.dtype);
}

/// Row-major copy of a strided block.
static void gatherElements(const KfuseTensor &from, const char *block,
                           HostTensor &to) {
  int64_t bytes = kfuse_dtype_size(from.dtype);
  std::vector<int64_t> index(from.rank, 0);
  int64_t count = to.count();
  to.data.resize(count * bytes);
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int32_t d = 0; d < from.rank; ++d)
      offset += index[d] * from.strides[d];
    memcpy(&to.data[i * bytes], block + offset * bytes, bytes);
    for (int32_t d = from.rank - 1; d >= 0 && ++index[d] == from.sizes[d]; --d)
      index[d] = 0;
  }
}

std::vector<HostValue> Runner::fetch() {
  device.synchronize();
  std::vector<HostValue> values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    KfuseValueInfo info;
    check(kfuse_package_output(package.get(), static_cast<int32_t>(i), &info));
    HostValue value;
    value.name =
        info.name && *info.name ? info.name : "output" + std::to_string(i);
    value.isTensor = info.isTensor;
    value.scalar = outputs[i].scalar;
    if (info.isTensor) {
      const KfuseTensor &tensor = outputs[i].tensor;
      value.tensor.dtype = tensor.dtype;
      if (tensor.rank)
        value.tensor.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
      value.tensor.setRowMajor();
      std::vector<char> block(spanBytes(tensor));
      if (!block.empty())
        device.copy(block.data(), tensor.data,
                    static_cast<int64_t>(block.size()));
      device.synchronize();
      gatherElements(tensor, block.data(), value.tensor);
    }
    values.push_back(std::move(value));
  }
  return values;
}

} // namespace kfuse
