//===- Context.cpp - making and running contexts --------------------------===//
#include "Context.h"

#include <algorithm>
#include <chrono>

namespace kfuse {

/// Sets of sizes that a context remembers.
static constexpr size_t frameCount = 4;

Result<std::shared_ptr<Context>> Context::create(std::shared_ptr<Model> model,
                                                 std::shared_ptr<State> state) {
  std::shared_ptr<Context> context(new Context);
  if (!state) {
    KFUSE_ASSIGN(state, State::create(model->weights));
  }
  context->model = std::move(model);
  context->state = std::move(state);
  context->reserve();
  return context;
}

void Context::reserve() {
  const Program &program = model->program;
  const Interface &interface = program.interface;
  floats.resize(interface.symbols.size());
  bases.resize(program.tensors.size());
  provided.resize(program.tensors.size());
  inputBuffers.resize(interface.inputs.size());
  inputData.resize(interface.inputs.size());
  inputTensors.resize(interface.inputs.size());
  outputBuffers.resize(interface.outputs.size());
  outputData.resize(interface.outputs.size());
  lentData.resize(interface.outputs.size());
  heldOutputs.resize(interface.outputs.size());
  outputTensors.resize(interface.outputs.size());
  mutationBuffers.resize(program.mutations.size());
  size_t variants = 0, params = 0, pointers = 0;
  for (const LaunchSpec &launch : program.launches) {
    firstVariant.push_back(static_cast<int32_t>(variants));
    variants += launch.variants.size();
    for (const VariantSpec &variant : launch.variants) {
      params += variant.tensors.size() + variant.scalars.size();
      pointers = std::max(pointers, variant.tensors.size());
    }
  }
  if (model->device->table->wantsTensors)
    launchTensors.resize(pointers);
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorSpec &tensor = program.tensors[i];
    if (tensor.storage == StorageKind::Input)
      inputTensors[tensor.index].push_back(static_cast<int32_t>(i));
    else if (tensor.storage == StorageKind::Output)
      outputTensors[tensor.index].push_back(static_cast<int32_t>(i));
    else if (tensor.storage == StorageKind::Weight)
      bases[i] = state->storages[model->package->manifest.weights[tensor.index]
                                     .storage];
  }
  size_t tensors = 0, scalars = 0, results = 0;
  for (size_t i = 0; i < program.atens.size(); ++i) {
    tensors = std::max(tensors, model->atens[i].tensors.size());
    scalars = std::max(scalars, model->atens[i].scalars.size());
    results = std::max(results, program.atens[i].results.size());
  }
  callTensors.resize(tensors);
  callScalars.resize(scalars);
  callResults.resize(results);
  size_t rows =
      program.atens.size() + program.launches.size() + interface.inputs.size();
  fallbackCounts.resize(rows * KFUSE_FALLBACK_CLASSES);
  fallbackList.reserve(rows);

  size_t inputExtents = 0, outputExtents = 0;
  for (const InputSpec &input : interface.inputs)
    inputExtents += std::max<size_t>(1, input.layout.sizes.size());
  for (const OutputSpec &output : interface.outputs) {
    firstOutputExtent.push_back(outputExtents);
    outputExtents += 2 * output.layout.sizes.size();
  }
  frames.resize(frameCount);
  for (Frame &frame : frames)
    reserveFrame(frame, inputExtents, outputExtents, variants, params);
}

void Context::reserveFrame(Frame &frame, size_t inputExtents,
                           size_t outputExtents, size_t variants,
                           size_t params) {
  const Program &program = model->program;
  const Interface &interface = program.interface;
  frame.inputSizes.resize(inputExtents);
  frame.symbols.resize(interface.symbols.size());
  frame.known.resize(interface.symbols.size());
  frame.values.resize(interface.table.size());
  frame.valid.resize(interface.table.size());
  frame.extents.resize(program.extentCount);
  frame.deltas.resize(program.tensors.size());
  frame.variants.resize(variants);
  frame.params.resize(params);
  frame.paramPointers.resize(params);
  frame.outputExtents.resize(outputExtents);
  for (size_t i = 0; i < params; ++i)
    frame.paramPointers[i] = &frame.params[i];
  int32_t next = 0, at = 0;
  for (const LaunchSpec &launch : program.launches)
    for (const VariantSpec &variant : launch.variants) {
      frame.variants[at++].firstParam = next;
      next +=
          static_cast<int32_t>(variant.tensors.size() + variant.scalars.size());
    }
}

Context::~Context() {
  releaseAll();
  const Provider *provider = model->provider();
  for (KfuseHandle *handle : heldOutputs)
    if (handle)
      provider->table->release(provider->handle, handle);
  if (switchEvent)
    model->device->table->destroyEvent(model->device->handle, switchEvent);
}

Status Context::switchStream(void *next) {
  if (hasStream && next != stream && !model->device->isHostMemory()) {
    const Device &device = *model->device;
    KfuseDeviceError error = {};
    if (!switchEvent &&
        device.table->createEvent(device.handle, &switchEvent, &error))
      return Device::toStatus(error);
    if (device.table->recordEvent(device.handle, switchEvent, stream, &error) ||
        device.table->waitEvent(device.handle, switchEvent, next, &error))
      return Device::toStatus(error);
  }
  stream = source.stream = next;
  hasStream = true;
  return Status();
}

Status Context::execute(const KfuseArg *inputs, KfuseArg *outputs) {
  KFUSE_TRY(bind(inputs));
  KFUSE_TRY(prepareMemory(inputs, outputs));
  KFUSE_TRY(runSteps(model->program.steps, KFUSE_FALLBACK_CLASSES, ""));
  KFUSE_TRY(finishOutputs(outputs));
  return finishMutations();
}

Status Context::run(const KfuseArg *inputs, int32_t inputCount,
                    KfuseArg *outputs, int32_t outputCount, void *newStream) {
  auto start = std::chrono::steady_clock::now();
  counters = KfuseCounters();
  const std::string &name = model->package->manifest.model;
  Trace trace(tracer, name.empty() ? "run" : name.c_str());
  KFUSE_TRY(checkArguments(inputs, inputCount, outputCount));
  DeviceScope scope(*model->device);
  KFUSE_TRY(scope.enter());
  KFUSE_TRY(switchStream(newStream));
  Status status = execute(inputs, outputs);
  releaseAll();
  counters.hostNanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now() - start)
          .count();
  return status;
}

Status Context::infer(const KfuseArg *inputs, int32_t inputCount,
                      KfuseArg *outputs, int32_t outputCount) {
  KFUSE_TRY(checkArguments(inputs, inputCount, outputCount));
  KFUSE_TRY(bind(inputs));
  const Interface &interface = model->program.interface;
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    const OutputSpec &spec = interface.outputs[i];
    if (spec.argument < 0)
      continue;
    KfuseArg &arg = outputs[spec.argument];
    arg = KfuseArg();
    if (spec.kind == OutputSpec::Kind::Scalar) {
      arg.scalar.kind = spec.scalar;
      continue;
    }
    arg.tensor = describeOutput(static_cast<int32_t>(i), nullptr);
    for (int32_t d = 0; d < arg.tensor.rank; ++d)
      if (arg.tensor.sizes[d] < 0)
        arg.tensor.strides = nullptr;
  }
  return Status();
}

Status Context::capture(const KfuseArg *inputs, int32_t inputCount,
                        KfuseArg *outputs, int32_t outputCount,
                        void *captureStream, void **graph, void **pool) {
  const Device &device = *model->device;
  *graph = *pool = nullptr;
  if (device.isHostMemory())
    return makeError(KFUSE_UNSUPPORTED, "graph capture needs a GPU");
  if (model->program.hasDynamic)
    return makeError(KFUSE_UNSUPPORTED,
                     "the program has sizes that depend on data, so a run "
                     "cannot be captured");
  if (checker.checked)
    return makeError(KFUSE_UNSUPPORTED,
                     "a run that checks its launches cannot be captured");
  KFUSE_TRY(run(inputs, inputCount, outputs, outputCount, captureStream));
  KFUSE_TRY(device.synchronize(captureStream));
  DeviceScope scope(device);
  KFUSE_TRY(scope.enter());
  const Provider *provider = model->provider();
  bool hasPool = provider && provider->table->beginCapture;
  int64_t calls = 0;
  for (int64_t count : counters.fallbacks)
    calls += count;
  // Operators would free what the graph still uses.
  if (provider && !hasPool && calls)
    return makeError(KFUSE_UNSUPPORTED,
                     "the run calls %lld operators of provider '%s', which "
                     "cannot keep their memory for a graph; build it where "
                     "torch's CUDA headers are complete (nvidia-cuda-crt)",
                     static_cast<long long>(calls), provider->table->name);
  KfuseProviderError providerError = {};
  if (hasPool && provider->table->beginCapture(provider->handle, captureStream,
                                               pool, &providerError))
    return Provider::toStatus(providerError);
  KfuseDeviceError error = {};
  Status status;
  if (device.table->beginCapture(device.handle, captureStream, &error)) {
    status = Device::toStatus(error);
  } else {
    isCapturing = true;
    status = run(inputs, inputCount, outputs, outputCount, captureStream);
    isCapturing = false;
    if (device.table->endCapture(device.handle, captureStream, !status.ok(),
                                 graph, &error) &&
        status.ok())
      status = Device::toStatus(error);
  }
  if (hasPool &&
      provider->table->endCapture(provider->handle, captureStream, *pool,
                                  &providerError) &&
      status.ok())
    status = Provider::toStatus(providerError);
  return status;
}

void Context::listFallbacks() {
  const Program &program = model->program;
  fallbackList.clear();
  for (size_t i = 0; i < fallbackCounts.size(); ++i) {
    if (fallbackCounts[i] == 0)
      continue;
    size_t row = i / KFUSE_FALLBACK_CLASSES;
    KfuseFallbackInfo info = {};
    info.kind = static_cast<KfuseFallbackClass>(i % KFUSE_FALLBACK_CLASSES);
    info.count = fallbackCounts[i];
    info.reason = "";
    if (row < program.atens.size()) {
      info.name = program.atens[row].displayName().c_str();
      info.reason = program.atens[row].reason.c_str();
    } else if (row < program.atens.size() + program.launches.size()) {
      info.name = program.launches[row - program.atens.size()].id.c_str();
    } else {
      info.name = program.interface
                      .inputs[row - program.atens.size() -
                              program.launches.size()]
                      .name.c_str();
      info.reason = "copied to the planned strides";
    }
    fallbackList.push_back(info);
  }
}

} // namespace kfuse
