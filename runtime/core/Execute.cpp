//===- Execute.cpp - walking the steps of a program -----------------------===//
#include "Context.h"

namespace kfuse {

Status Context::countFallback(size_t row, KfuseFallbackClass kind,
                              const std::string &name, const char *reason) {
  static const char *const names[KFUSE_FALLBACK_CLASSES] = {
      "library", "unsupported", "guard", "killed", "generic"};
  ++counters.fallbacks[kind];
  int64_t &count = fallbackCounts[row * KFUSE_FALLBACK_CLASSES + kind];
  bool isFirst = ++count == 1;
  bool isUnwanted =
      kind != KFUSE_FALLBACK_LIBRARY && kind != KFUSE_FALLBACK_GENERIC;
  if (!isUnwanted)
    return Status();
  int64_t unwanted = counters.fallbacks[KFUSE_FALLBACK_UNSUPPORTED] +
                     counters.fallbacks[KFUSE_FALLBACK_GUARD] +
                     counters.fallbacks[KFUSE_FALLBACK_KILLED];
  if (model->fallbackBudget > 0 && unwanted > model->fallbackBudget)
    return makeError(KFUSE_FALLBACK_DENIED,
                     "the run exceeds its budget of %lld fallbacks with one of "
                     "class %s: %s%s%s",
                     static_cast<long long>(model->fallbackBudget), names[kind],
                     name.c_str(), *reason ? ", " : "", reason);
  if (model->policy == KFUSE_FALLBACK_ALLOW)
    return Status();
  if (model->policy == KFUSE_FALLBACK_DENY)
    return makeError(KFUSE_FALLBACK_DENIED,
                     "fallback of class %s is denied: %s%s%s", names[kind],
                     name.c_str(), *reason ? ", " : "", reason);
  if (isFirst)
    model->log(std::string("fallback (") + names[kind] + "): " + name +
               (*reason ? ", " : "") + reason);
  return Status();
}

Status Context::runSteps(const std::vector<Step> &steps,
                         KfuseFallbackClass kind, const char *reason) {
  for (const Step &step : steps) {
    Trace trace(tracer, tracer.begin ? nameOf(step) : "");
    KFUSE_TRY(runStep(step, kind, reason));
    for (int32_t tensor : step.releases)
      releaseProvided(tensor);
  }
  return Status();
}

const char *Context::nameOf(const Step &step) const {
  switch (step.kind) {
  case Step::Kind::Launch:
    return model->program.launches[step.index].id.c_str();
  case Step::Kind::Aten:
    return model->program.atens[step.index].displayName().c_str();
  case Step::Kind::Copy:
    return "copy";
  case Step::Kind::Fill:
    return "fill";
  }
  return "";
}

Status Context::runStep(const Step &step, KfuseFallbackClass kind,
                        const char *reason) {
  switch (step.kind) {
  case Step::Kind::Launch:
    return runLaunch(step.index);
  case Step::Kind::Aten:
    return callAten(step.index, kind, reason);
  case Step::Kind::Copy:
    return copyTensor(describe(step.to), describe(step.from));
  case Step::Kind::Fill: {
    KfuseTensorArg to = describe(step.to);
    if (!isDense(to.tensor))
      return makeError(KFUSE_BAD_PACKAGE, "fill of tensor %d, which has gaps",
                       step.to);
    return model->device->fill(
        to.tensor.data, step.byte,
        countElements(to.tensor) * getDtypeSize(to.tensor.dtype), stream);
  }
  }
  return Status();
}

bool Context::isAligned(const VariantSpec &variant) const {
  for (const GuardSpec &guard : variant.guards)
    if (guard.kind == GuardSpec::Kind::Aligned &&
        reinterpret_cast<uintptr_t>(addressOf(guard.tensor)) % guard.number)
      return false;
  return true;
}

Status Context::provideOutputs(const LaunchSpec &launch) {
  for (const auto *list : {&launch.outputs, &launch.scratch})
    for (int32_t number : *list) {
      const TensorSpec &tensor = model->program.tensors[number];
      if (tensor.storage != StorageKind::Provider || provided[number].handle)
        continue;
      KFUSE_TRY(model->needProvider("memory of data-dependent size"));
      const int64_t *extent = &frame->extents[tensor.firstExtent];
      KfuseTensor like = {nullptr,
                          extent,
                          extent + tensor.layout.rank(),
                          tensor.layout.dtype,
                          tensor.layout.rank(),
                          model->device->id};
      KfuseResult result = {};
      KfuseProviderError error = {};
      const Provider *provider = model->provider();
      if (provider->table->empty(provider->handle, &like, stream, &result,
                                 &error))
        return Provider::toStatus(error);
      setProvided(number, result);
    }
  return Status();
}

Status Context::runLaunch(int32_t number) {
  const LaunchSpec &launch = model->program.launches[number];
  if (!model->device->runsKernels())
    return runGeneric(number, KFUSE_FALLBACK_GENERIC, "");
  if (model->isLaunchKilled(number))
    return runGeneric(number, KFUSE_FALLBACK_KILLED, "switched off");
  if (launch.isDynamic) {
    KFUSE_TRY(layOutLaunch(*frame, number));
    KFUSE_TRY(provideOutputs(launch));
  }
  bool isKilled = false;
  for (size_t i = 0; i < launch.variants.size(); ++i) {
    const VariantSpec &variant = launch.variants[i];
    VariantFrame &to = frame->variants[firstVariant[number] + i];
    if (!to.isViable || !isAligned(variant))
      continue;
    if (model->isKernelKilled(variant.kernel)) {
      isKilled = true;
      continue;
    }
    if (checker.checked)
      return checkLaunch(number, variant, to);
    return to.isEmpty ? Status() : launchVariant(variant, to);
  }
  if (isKilled)
    return runGeneric(number, KFUSE_FALLBACK_KILLED, "switched off");
  return runGeneric(number, KFUSE_FALLBACK_UNSUPPORTED,
                    "no kernel for this device");
}

Status Context::launchVariant(const VariantSpec &variant, VariantFrame &to) {
  uint64_t *param = &frame->params[to.firstParam];
  for (int32_t tensor : variant.tensors)
    *param++ = reinterpret_cast<uint64_t>(addressOf(tensor));
  KfuseLaunch launch;
  launch.function = model->functions[variant.kernel];
  launch.stream = stream;
  launch.params = &frame->paramPointers[to.firstParam];
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = to.grid[i];
    launch.block[i] = variant.block[i];
  }
  launch.sharedBytes = static_cast<uint32_t>(variant.sharedBytes);
  launch.paramCount =
      static_cast<uint32_t>(variant.tensors.size() + variant.scalars.size());
  launch.tensors = nullptr;
  launch.tensorCount = launch.reserved = 0;
  const Device &device = *model->device;
  if (device.table->wantsTensors)
    describeTensors(variant, launch);
  ++counters.launches;
  KfuseDeviceError error;
  if (device.table->launch(device.handle, &launch, &error))
    return Device::toStatus(error).within(
        model->program.kernels[variant.kernel].id);
  return Status();
}

Status Context::runGeneric(int32_t number, KfuseFallbackClass kind,
                           const char *reason) {
  const LaunchSpec &launch = model->program.launches[number];
  KFUSE_TRY(countFallback(model->program.atens.size() + number, kind, launch.id,
                          reason));
  // The operators inside do not count again.
  return runSteps(launch.generic, KFUSE_FALLBACK_GENERIC, reason);
}

} // namespace kfuse
