//===- CallAten.cpp - calls of generic operators --------------------------===//
#include "Context.h"
#include "HostOps.h"

namespace kfuse {

KfuseScalar Context::readScalar(const ScalarSlot &slot) const {
  KfuseScalar scalar = {};
  if (!slot.isSymbol) {
    scalar.value.i = frame->values[slot.number];
    return scalar;
  }
  scalar.kind = model->program.interface.symbols[slot.number].type;
  if (scalar.kind == KFUSE_SCALAR_FLOAT)
    scalar.value.f = floats[slot.number];
  else
    scalar.value.i = frame->symbols[slot.number];
  return scalar;
}

KfuseScalar Context::readHostValue(const ValueSpec &value) const {
  KfuseScalar scalar = {};
  if (value.kind == KFUSE_VALUE_SCALAR)
    return readScalar({value.isSymbol, static_cast<int32_t>(value.number)});
  if (value.kind == KFUSE_VALUE_FLOAT) {
    scalar.kind = KFUSE_SCALAR_FLOAT;
    scalar.value.f = value.real;
    return scalar;
  }
  scalar.kind =
      value.kind == KFUSE_VALUE_BOOL ? KFUSE_SCALAR_BOOL : KFUSE_SCALAR_INT;
  scalar.value.i = value.number;
  return scalar;
}

/// Arithmetic on scalars, `python::` targets.
Status Context::callHost(const AtenSpec &aten) {
  std::vector<KfuseScalar> operands;
  for (const ArgumentSpec &argument : aten.arguments)
    operands.push_back(readHostValue(argument.value));
  KFUSE_ASSIGN(KfuseScalar result,
               callHostFunction(aten.target.substr(8), operands));
  if (aten.results.size() != 1)
    return makeError(KFUSE_BAD_PACKAGE, "%s has %zu results, expected 1",
                     aten.target.c_str(), aten.results.size());
  if (aten.results[0].kind != ResultSpec::Kind::Symbol)
    return Status();
  return setSymbol(aten.results[0].index, result);
}

Status Context::callAten(int32_t number, KfuseFallbackClass kind,
                         const char *reason) {
  const AtenSpec &aten = model->program.atens[number];
  if (aten.isPython())
    return callHost(aten).within(aten.target);
  if (kind == KFUSE_FALLBACK_CLASSES) {
    bool isChosen = model->program.isGeneric || !model->device->runsKernels();
    kind = isChosen ? KFUSE_FALLBACK_GENERIC : aten.kind;
    KFUSE_TRY(
        countFallback(number, kind, aten.displayName(), aten.reason.c_str()));
  }
  KFUSE_ASSIGN(KfuseOp * op, model->getOp(number));
  const AtenPlan &plan = model->atens[number];
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    callTensors[i] = describe(plan.tensors[i]);
    bool isMissing = model->program.tensors[plan.tensors[i]].storage ==
                         StorageKind::Provider &&
                     !callTensors[i].handle;
    if (isMissing)
      return makeError(KFUSE_BAD_PACKAGE,
                       "%s reads tensor %d, which has no value yet",
                       aten.displayName().c_str(), plan.tensors[i]);
  }
  for (size_t i = 0; i < plan.scalars.size(); ++i)
    callScalars[i] = readScalar(plan.scalars[i]);
  for (size_t i = 0; i < aten.results.size(); ++i)
    callResults[i] = KfuseResult();
  KfuseCall call = {callTensors.data(), callScalars.data(), stream,
                    model->device->id};
  KfuseProviderError error;
  error.code = 0;
  const Provider *provider = model->provider();
  if (provider->table->call(provider->handle, op, &call, callResults.data(),
                            &error))
    return Provider::toStatus(error).within(aten.displayName());
  Status status = takeResults(aten);
  // Handles that were not taken over.
  for (size_t i = 0; i < aten.results.size(); ++i)
    if (callResults[i].handle)
      provider->table->release(provider->handle, callResults[i].handle);
  if (!status.ok())
    return std::move(status).within(aten.displayName());
  return Status();
}

Status Context::takeResults(const AtenSpec &aten) {
  for (size_t i = 0; i < aten.results.size(); ++i) {
    const ResultSpec &spec = aten.results[i];
    KfuseResult &result = callResults[i];
    if (spec.kind == ResultSpec::Kind::None)
      continue;
    bool isTensor = spec.kind == ResultSpec::Kind::Tensor;
    KfuseResultKind expected =
        isTensor ? KFUSE_RESULT_TENSOR : KFUSE_RESULT_SCALAR;
    if (result.kind != expected)
      return makeError(KFUSE_PROVIDER_ERROR,
                       "result %zu is of kind %d, expected %d", i, result.kind,
                       expected);
    if (isTensor)
      KFUSE_TRY(takeTensor(spec.index, result));
    else
      KFUSE_TRY(setSymbol(spec.index, result.scalar));
  }
  return Status();
}

Status Context::takeTensor(int32_t number, KfuseResult &result) {
  const TensorSpec &spec = model->program.tensors[number];
  if (result.tensor.dtype != spec.layout.dtype ||
      result.tensor.rank != spec.layout.rank()) {
    const char *found = getDtypeName(result.tensor.dtype);
    return makeError(KFUSE_PROVIDER_ERROR,
                     "tensor %d is %s with %d dimensions, expected %s with %d",
                     number, found ? found : "?", result.tensor.rank,
                     getDtypeName(spec.layout.dtype), spec.layout.rank());
  }
  for (int32_t symbol : spec.boundSymbols) {
    KfuseScalar size = {};
    size.value.i =
        result.tensor.sizes[model->program.interface.symbols[symbol].dim];
    KFUSE_TRY(setSymbol(symbol, size));
  }
  if (spec.storage == StorageKind::View)
    return Status();
  if (spec.storage != StorageKind::Provider) {
    KfuseTensorArg from = {};
    from.tensor = result.tensor;
    from.handle = result.handle;
    return copyTensor(describe(number), from);
  }
  if (spec.needsLayout)
    KFUSE_TRY(normalize(number, result));
  setProvided(number, result);
  result.handle = nullptr;
  return Status();
}

/// Gives a result the planned strides.
Status Context::normalize(int32_t number, KfuseResult &result) {
  const TensorSpec &spec = model->program.tensors[number];
  int32_t rank = spec.layout.rank();
  const int64_t *sizes = &frame->extents[spec.firstExtent];
  const int64_t *strides = sizes + rank;
  for (int32_t d = 0; d < rank; ++d)
    if (result.tensor.sizes[d] != sizes[d])
      return makeError(KFUSE_PROVIDER_ERROR,
                       "tensor %d has sizes %s, expected %s", number,
                       formatList(result.tensor.sizes, rank).c_str(),
                       formatList(sizes, rank).c_str());
  if (haveSameStrides(rank, sizes, result.tensor.strides, strides))
    return Status();
  KfuseTensor like = {nullptr,           sizes, strides,
                      spec.layout.dtype, rank,  model->device->id};
  KfuseResult planned = {};
  KfuseProviderError error = {};
  const Provider *provider = model->provider();
  if (provider->table->empty(provider->handle, &like, stream, &planned, &error))
    return Provider::toStatus(error);
  KfuseTensorArg to = {}, from = {};
  to.tensor = planned.tensor;
  to.handle = planned.handle;
  from.tensor = result.tensor;
  from.handle = result.handle;
  Status status = copyTensor(to, from);
  provider->table->release(provider->handle, result.handle);
  result = planned;
  return status;
}

} // namespace kfuse
