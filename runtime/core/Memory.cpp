//===- Memory.cpp - addresses, copies, inputs and outputs -----------------===//
#include "Context.h"

#include <algorithm>
#include <cstring>

namespace kfuse {

int64_t countElements(const KfuseTensor &tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  return count;
}

/// Elements from the first to the last one, both counted; 0 for none.
static int64_t spanOf(int32_t rank, const int64_t *sizes,
                      const int64_t *strides) {
  int64_t last = 0;
  for (int32_t d = 0; d < rank; ++d) {
    if (sizes[d] == 0)
      return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

int64_t spanBytes(const KfuseTensor &tensor) {
  return spanOf(tensor.rank, tensor.sizes, tensor.strides) *
         getDtypeSize(tensor.dtype);
}

bool isDense(const KfuseTensor &tensor) {
  bool used[KFUSE_MAX_RANK] = {};
  int64_t expected = 1;
  // Finds the dimensions from the innermost outwards.
  for (int32_t round = 0; round < tensor.rank; ++round) {
    int32_t found = -1;
    for (int32_t d = 0; d < tensor.rank && found < 0; ++d)
      if (!used[d] && (tensor.sizes[d] == 1 || tensor.strides[d] == expected))
        found = d;
    if (found < 0)
      return false;
    used[found] = true;
    if (tensor.sizes[found] != 1)
      expected *= tensor.sizes[found];
  }
  return true;
}

bool haveSameStrides(int32_t rank, const int64_t *sizes, const int64_t *lhs,
                     const int64_t *rhs) {
  for (int32_t d = 0; d < rank; ++d)
    if (lhs[d] != rhs[d] && sizes[d] > 1)
      return false;
  return true;
}

static bool isEmpty(const KfuseTensor &tensor) {
  for (int32_t d = 0; d < tensor.rank; ++d)
    if (tensor.sizes[d] == 0)
      return true;
  return false;
}

/// Copies element by element on the host.
static void copyStrided(const KfuseTensor &to, const KfuseTensor &from) {
  int64_t index[KFUSE_MAX_RANK] = {};
  int32_t bytes = getDtypeSize(to.dtype);
  auto *target = static_cast<char *>(to.data);
  auto *source = static_cast<const char *>(from.data);
  while (true) {
    memcpy(target, source, bytes);
    int32_t d = to.rank - 1;
    for (; d >= 0; --d) {
      target += to.strides[d] * bytes;
      source += from.strides[d] * bytes;
      if (++index[d] < to.sizes[d])
        break;
      target -= to.sizes[d] * to.strides[d] * bytes;
      source -= to.sizes[d] * from.strides[d] * bytes;
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// True when elements of the tensor share a place in memory (an expanded
/// result): devices and ATen do not write to such tensors.
static bool isRepeated(const KfuseTensor &tensor) {
  for (int32_t d = 0; d < tensor.rank; ++d)
    if (tensor.strides[d] == 0 && tensor.sizes[d] > 1)
      return true;
  return false;
}

/// Copies one of the equal elements for each place that `to` has.
Status Context::copyOnce(const KfuseTensor &to, const KfuseTensor &from) {
  int64_t sizes[KFUSE_MAX_RANK];
  for (int32_t d = 0; d < to.rank; ++d)
    sizes[d] = to.strides[d] == 0 ? 1 : to.sizes[d];
  KfuseTensorArg toArg = {}, fromArg = {};
  toArg.tensor = to;
  fromArg.tensor = from;
  toArg.tensor.sizes = fromArg.tensor.sizes = sizes;
  return copyTensor(toArg, fromArg);
}

Status Context::copyTensor(const KfuseTensorArg &toArg,
                           const KfuseTensorArg &fromArg) {
  const KfuseTensor &to = toArg.tensor, &from = fromArg.tensor;
  if (to.dtype != from.dtype || to.rank != from.rank ||
      (to.rank && memcmp(to.sizes, from.sizes, to.rank * sizeof(int64_t)) != 0))
    return makeError(
        KFUSE_INTERNAL_ERROR, "copy of %s %s to %s %s, expected equal types",
        getDtypeName(from.dtype), formatList(from.sizes, from.rank).c_str(),
        getDtypeName(to.dtype), formatList(to.sizes, to.rank).c_str());
  if (isEmpty(to))
    return Status();
  if (isRepeated(to))
    return copyOnce(to, from);
  bool sameStrides =
      haveSameStrides(to.rank, to.sizes, to.strides, from.strides);
  if (to.data == from.data && sameStrides)
    return Status();
  int64_t bytes = countElements(to) * getDtypeSize(to.dtype);
  ++counters.copies;
  counters.bytesCopied += bytes;
  const Device &device = *model->device;
  if (sameStrides && isDense(to))
    return device.copy(to.data, from.data, bytes, stream);
  if (device.isHostMemory()) {
    copyStrided(to, from);
    return Status();
  }
  KFUSE_TRY(model->needProvider("a copy between different strides"));
  const Provider *provider = model->provider();
  KfuseProviderError error = {};
  if (provider->table->copy(provider->handle, &toArg, &fromArg, stream, &error))
    return Provider::toStatus(error);
  return Status();
}

Status Context::grow(Buffer &buffer, int64_t bytes) {
  if (buffer.size() >= bytes)
    return Status();
  if (isCapturing)
    return makeError(KFUSE_UNSUPPORTED,
                     "memory must grow to %lld bytes during a capture",
                     static_cast<long long>(bytes));
  // Work that uses the old block may still be on its way. A caller's allocator
  // is told the stream instead.
  if (buffer.size() && !isPinned && !source.allocator.allocate)
    KFUSE_TRY(model->device->synchronize(stream));
  if (isPinned)
    retired.push_back(std::move(buffer));
  buffer = Buffer();
  KFUSE_ASSIGN(buffer, Buffer::allocate(model->device, bytes, &source));
  counters.bytesAllocated += bytes;
  return Status();
}

KfuseTensorArg Context::describe(int32_t number) const {
  const TensorSpec &spec = model->program.tensors[number];
  KfuseTensorArg arg = {};
  if (spec.storage == StorageKind::Provider) {
    arg.tensor = provided[number].tensor;
    arg.handle = provided[number].handle;
    return arg;
  }
  const int64_t *extent = &frame->extents[spec.firstExtent];
  arg.tensor = {addressOf(number),           extent,
                extent + spec.layout.rank(), spec.layout.dtype,
                spec.layout.rank(),          model->device->id};
  const TensorSpec &root = model->program.tensors[spec.root];
  arg.storageOffset = frame->values[spec.offset];
  if (root.storage == StorageKind::Weight)
    arg.storageBytes =
        model->weights
            ->storages[model->package->manifest.weights[root.index].storage]
            .bytes;
  return arg;
}

KfuseTensor Context::describeWeight(int32_t weight) const {
  const WeightSpec &spec = model->package->manifest.weights[weight];
  return {state->storages[spec.storage] +
              spec.offset * getDtypeSize(spec.dtype),
          spec.sizes.data(),
          spec.strides.data(),
          spec.dtype,
          static_cast<int32_t>(spec.sizes.size()),
          model->device->id};
}

KfuseTensor Context::describeOutput(int32_t output, char *data) const {
  const Layout &layout = model->program.interface.outputs[output].layout;
  const int64_t *extent =
      frame->outputExtents.data() + firstOutputExtent[output];
  return {data,         extent,        extent + layout.rank(),
          layout.dtype, layout.rank(), model->device->id};
}

Status Context::prepareInput(const InputSpec &spec, int32_t number,
                             const KfuseTensor &tensor) {
  int64_t planned[KFUSE_MAX_RANK];
  for (int32_t d = 0; d < tensor.rank; ++d)
    planned[d] = frame->values[spec.layout.strides[d]];
  if (isEmpty(tensor)) {
    inputData[number] = static_cast<char *>(tensor.data);
    return Status();
  }
  if (!tensor.data)
    return makeError(KFUSE_INVALID_ARGUMENT, "input '%s' has no data",
                     spec.name.c_str());
  if (haveSameStrides(tensor.rank, tensor.sizes, tensor.strides, planned)) {
    inputData[number] = static_cast<char *>(tensor.data);
    return Status();
  }
  std::string strides = formatList(planned, tensor.rank);
  if (spec.isMutated)
    return makeError(KFUSE_GUARD_FAILED,
                     "input '%s' is changed by the program and has strides %s, "
                     "expected %s",
                     spec.name.c_str(),
                     formatList(tensor.strides, tensor.rank).c_str(),
                     strides.c_str());
  KFUSE_TRY(countFallback(
      model->program.atens.size() + model->program.launches.size() + number,
      KFUSE_FALLBACK_GUARD, spec.name, "copied to the planned strides"));
  int64_t bytes =
      spanOf(tensor.rank, tensor.sizes, planned) * getDtypeSize(tensor.dtype);
  KFUSE_TRY(grow(inputBuffers[number], bytes));
  inputData[number] = inputBuffers[number].data();
  KfuseTensorArg to = {}, from = {};
  from.tensor = tensor;
  to.tensor = tensor;
  to.tensor.data = inputData[number];
  to.tensor.strides = planned;
  return copyTensor(to, from);
}

Status Context::prepareOutput(int32_t number, KfuseArg &arg) {
  const OutputSpec &spec = model->program.interface.outputs[number];
  KfuseTensor planned = describeOutput(number, nullptr);
  bool isKnown = true;
  for (int32_t d = 0; d < planned.rank; ++d)
    isKnown &= planned.sizes[d] >= 0;
  // Memory lent by the last run is not the caller's.
  bool isLent = arg.tensor.data && arg.tensor.data == lentData[number];
  lentData[number] = nullptr;
  outputData[number] = isLent ? nullptr : static_cast<char *>(arg.tensor.data);
  if (outputData[number]) {
    const KfuseTensor &given = arg.tensor;
    bool isSame = given.dtype == planned.dtype && given.rank == planned.rank &&
                  given.device.kind == planned.device.kind &&
                  given.device.index == planned.device.index;
    if (isSame && isKnown && planned.rank)
      isSame =
          given.sizes && given.strides &&
          !memcmp(given.sizes, planned.sizes, planned.rank * sizeof(int64_t)) &&
          haveSameStrides(planned.rank, planned.sizes, given.strides,
                          planned.strides);
    if (!isSame)
      return makeError(KFUSE_INVALID_ARGUMENT,
                       "output '%s' does not have the dtype, device, sizes and "
                       "strides that kfuse_infer gives",
                       spec.name.c_str());
    return Status();
  }
  // A provider's tensor is handed to the caller as it is.
  const ProgramOutput &source = model->program.outputs[number];
  bool isProvided =
      model->program.tensors[source.index].storage == StorageKind::Provider;
  if (!isKnown || (isProvided && outputTensors[number].empty()))
    return Status();
  int64_t bytes = spanOf(planned.rank, planned.sizes, planned.strides) *
                  getDtypeSize(planned.dtype);
  KFUSE_TRY(grow(outputBuffers[number], bytes));
  outputData[number] = lentData[number] = outputBuffers[number].data();
  return Status();
}

Status Context::prepareMemory(const KfuseArg *inputs, KfuseArg *outputs) {
  const Interface &interface = model->program.interface;
  for (size_t i = 0; i < interface.inputs.size(); ++i) {
    const InputSpec &spec = interface.inputs[i];
    if (spec.kind != InputSpec::Kind::Tensor)
      continue;
    KFUSE_TRY(prepareInput(spec, static_cast<int32_t>(i),
                           inputs[spec.argument].tensor));
    for (int32_t tensor : inputTensors[i])
      bases[tensor] = inputData[i] - frame->deltas[tensor];
  }
  const Provider *provider = model->provider();
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    const OutputSpec &spec = interface.outputs[i];
    if (spec.kind != OutputSpec::Kind::Tensor)
      continue;
    if (heldOutputs[i])
      provider->table->release(provider->handle, heldOutputs[i]);
    heldOutputs[i] = nullptr;
    KFUSE_TRY(prepareOutput(static_cast<int32_t>(i), outputs[spec.argument]));
    for (int32_t tensor : outputTensors[i])
      bases[tensor] = outputData[i];
  }
  counters.arenaBytes = frame->arenaBytes;
  return growArena(frame->arenaBytes);
}

Status Context::growArena(int64_t bytes) {
  char *before = arena.data();
  KFUSE_TRY(grow(arena, bytes));
  if (arena.data() != before)
    for (size_t i = 0; i < bases.size(); ++i)
      if (model->program.tensors[i].storage == StorageKind::Arena)
        bases[i] = arena.data();
  return Status();
}

void Context::setProvided(int32_t tensor, const KfuseResult &result) {
  releaseProvided(tensor);
  provided[tensor] = {result.handle, result.tensor};
  bases[tensor] =
      static_cast<char *>(result.tensor.data) - frame->deltas[tensor];
}

void Context::releaseProvided(int32_t tensor) {
  Provided &entry = provided[tensor];
  if (!entry.handle)
    return;
  const Provider *provider = model->provider();
  provider->table->release(provider->handle, entry.handle);
  entry.handle = nullptr;
}

void Context::releaseAll() {
  if (!model->provider())
    return;
  for (size_t i = 0; i < provided.size(); ++i)
    releaseProvided(static_cast<int32_t>(i));
}

Status Context::finishOutput(int32_t number, KfuseArg &arg) {
  const OutputSpec &spec = model->program.interface.outputs[number];
  int32_t source = model->program.outputs[number].index;
  const TensorSpec &tensor = model->program.tensors[source];
  KfuseTensor to = describeOutput(number, outputData[number]);
  KfuseTensorArg from = describe(source);
  for (int32_t d = 0; d < to.rank; ++d)
    if (to.sizes[d] != from.tensor.sizes[d])
      return makeError(
          KFUSE_PROVIDER_ERROR, "output '%s' has sizes %s, expected %s",
          spec.name.c_str(), formatList(from.tensor.sizes, to.rank).c_str(),
          formatList(to.sizes, to.rank).c_str());
  bool isOwn = tensor.storage == StorageKind::Output && tensor.index == number;
  if (!outputData[number] && !isOwn) {
    bool canHold = from.handle && haveSameStrides(to.rank, to.sizes, to.strides,
                                                  from.tensor.strides);
    if (canHold) {
      heldOutputs[number] = from.handle;
      provided[source].handle = nullptr;
      arg.tensor = to;
      arg.tensor.data = from.tensor.data;
      lentData[number] = static_cast<char *>(from.tensor.data);
      return Status();
    }
    int64_t bytes =
        spanOf(to.rank, to.sizes, to.strides) * getDtypeSize(to.dtype);
    KFUSE_TRY(grow(outputBuffers[number], bytes));
    to.data = lentData[number] = outputBuffers[number].data();
  }
  arg.tensor = to;
  if (isOwn)
    return Status();
  KfuseTensorArg target = {};
  target.tensor = to;
  return copyTensor(target, from);
}

Status Context::finishOutputs(KfuseArg *outputs) {
  const Program &program = model->program;
  if (program.hasDynamic)
    layOutOutputs(*frame);
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const OutputSpec &spec = program.interface.outputs[i];
    if (spec.argument < 0)
      continue;
    KfuseArg &arg = outputs[spec.argument];
    const ProgramOutput &output = program.outputs[i];
    if (spec.kind == OutputSpec::Kind::Tensor) {
      KFUSE_TRY(finishOutput(static_cast<int32_t>(i), arg));
      continue;
    }
    bool isSymbol = output.kind == ProgramOutput::Kind::Symbol;
    arg.scalar = readScalar({isSymbol, output.index});
  }
  return Status();
}

/// A source that is itself overwritten is saved first.
bool Context::isStaged(const MutationSpec &mutation) const {
  const Program &program = model->program;
  StorageKind kind =
      program.tensors[program.tensors[mutation.tensor].root].storage;
  return program.mutations.size() > 1 &&
         (kind == StorageKind::Input || kind == StorageKind::Weight);
}

Status Context::finishMutations() {
  const Program &program = model->program;
  for (size_t i = 0; i < program.mutations.size(); ++i) {
    const MutationSpec &mutation = program.mutations[i];
    if (!isStaged(mutation))
      continue;
    KfuseTensorArg from = describe(mutation.tensor), to = from;
    int64_t bytes =
        spanOf(from.tensor.rank, from.tensor.sizes, from.tensor.strides) *
        getDtypeSize(from.tensor.dtype);
    KFUSE_TRY(grow(mutationBuffers[i], bytes));
    to.tensor.data = mutationBuffers[i].data();
    KFUSE_TRY(copyTensor(to, from));
  }
  for (size_t i = 0; i < program.mutations.size(); ++i) {
    const MutationSpec &mutation = program.mutations[i];
    KfuseTensorArg from = describe(mutation.tensor), to = {};
    if (isStaged(mutation))
      from.tensor.data = mutationBuffers[i].data();
    int64_t strides[KFUSE_MAX_RANK];
    if (mutation.isInput) {
      const InputSpec &spec = program.interface.inputs[mutation.target];
      for (int32_t d = 0; d < spec.layout.rank(); ++d)
        strides[d] = frame->values[spec.layout.strides[d]];
      to.tensor = from.tensor;
      to.tensor.data = inputData[mutation.target];
      to.tensor.strides = strides;
    } else {
      to.tensor = describeWeight(mutation.target);
    }
    KFUSE_TRY(copyTensor(to, from));
  }
  return Status();
}

} // namespace kfuse
