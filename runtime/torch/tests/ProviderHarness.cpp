//===- ProviderHarness.cpp - Calls of the provider in tests ---------------===//
/// \file
/// Builds specifications for the C table and reads results back.

#include "ProviderHarness.h"

#include <functional>
#include <numeric>
#include <utility>

extern "C" const KfuseProviderTable *kfuse_provider_get(uint32_t version);

namespace kfuse::test {
namespace {

Arg make(KfuseValueKind kind) {
  Arg arg;
  arg.value.kind = kind;
  return arg;
}

Arg makeInt(KfuseValueKind kind, int64_t i) {
  Arg arg = make(kind);
  arg.value.i = i;
  return arg;
}

Arg makeText(KfuseValueKind kind, std::string text) {
  Arg arg = make(kind);
  arg.text = std::move(text);
  return arg;
}

/// The C view of a value; list elements go to `store`.
KfuseValue view(const Arg &arg, std::deque<std::vector<KfuseValue>> &store) {
  KfuseValue value = arg.value;
  value.s = arg.text.c_str();
  if (value.kind == KFUSE_VALUE_LIST) {
    std::vector<KfuseValue> items;
    for (const Arg &item : arg.items)
      items.push_back(view(item, store));
    store.push_back(std::move(items));
    value.elements = store.back().data();
    value.count = static_cast<int32_t>(arg.items.size());
  }
  return value;
}

std::vector<int64_t> denseStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

template <typename T>
std::vector<T> read(const KfuseTensor &t) {
  std::vector<T> out;
  std::function<void(int32_t, const T *)> walk = [&](int32_t dim, const T *at) {
    if (dim == t.rank) {
      out.push_back(*at);
      return;
    }
    for (int64_t i = 0; i < t.sizes[dim]; ++i)
      walk(dim + 1, at + i * t.strides[dim]);
  };
  walk(0, static_cast<const T *>(t.data));
  return out;
}

} // namespace

Arg none() { return make(KFUSE_VALUE_NONE); }
Arg tensor(int64_t index) { return makeInt(KFUSE_VALUE_TENSOR, index); }
Arg scalar(int64_t index) { return makeInt(KFUSE_VALUE_SCALAR, index); }
Arg number(int64_t value) { return makeInt(KFUSE_VALUE_INT, value); }
Arg boolean(bool value) { return makeInt(KFUSE_VALUE_BOOL, value); }
Arg dtype(KfuseDtype value) { return makeInt(KFUSE_VALUE_DTYPE, value); }
Arg string(std::string text) {
  return makeText(KFUSE_VALUE_STRING, std::move(text));
}
Arg memoryFormat(std::string name) {
  return makeText(KFUSE_VALUE_MEMORY_FORMAT, std::move(name));
}
Arg real(double value) {
  Arg arg = make(KFUSE_VALUE_FLOAT);
  arg.value.f = value;
  return arg;
}
Arg device(KfuseDevice value) {
  Arg arg = make(KFUSE_VALUE_DEVICE);
  arg.value.device = value;
  return arg;
}
Arg list(std::vector<Arg> items) {
  Arg arg = make(KFUSE_VALUE_LIST);
  arg.items = std::move(items);
  return arg;
}
Arg named(std::string name, Arg arg) {
  arg.name = std::move(name);
  return arg;
}

HostTensor<float> floats(std::vector<float> data, std::vector<int64_t> sizes) {
  return {std::move(data), sizes, denseStrides(sizes), KFUSE_F32};
}
HostTensor<int64_t> longs(std::vector<int64_t> data,
                          std::vector<int64_t> sizes) {
  return {std::move(data), sizes, denseStrides(sizes), KFUSE_I64};
}

KfuseScalar intScalar(int64_t value) {
  KfuseScalar out = {};
  out.kind = KFUSE_SCALAR_INT;
  out.value.i = value;
  return out;
}
KfuseScalar floatScalar(double value) {
  KfuseScalar out = {};
  out.kind = KFUSE_SCALAR_FLOAT;
  out.value.f = value;
  return out;
}

Call::Call(std::string name, std::string overload, std::vector<Arg> args,
           std::vector<int32_t> returns)
    : table(kfuse_provider_get(KFUSE_PROVIDER_VERSION)), name(std::move(name)),
      overload(std::move(overload)), args(std::move(args)),
      returns(std::move(returns)) {
  KfuseProviderConfig config = {{KFUSE_CPU, 0}};
  table->create(&config, &provider, &error);
}

Call::~Call() {
  for (KfuseResult &result : results)
    if (result.handle)
      table->release(provider, result.handle);
  if (op)
    table->releaseOp(provider, op);
  table->destroy(provider);
}

int32_t Call::prepare(size_t tensors, size_t scalars) {
  std::deque<std::vector<KfuseValue>> store;
  std::vector<KfuseArgument> arguments;
  for (const Arg &arg : args)
    arguments.push_back({arg.name.c_str(), view(arg, store)});
  int32_t count = 0;
  for (int32_t r : returns)
    count += r >= 0 ? r : 1;
  KfuseOpSpec spec = {};
  spec.name = name.c_str();
  spec.overload = overload.c_str();
  spec.arguments = arguments.data();
  spec.argumentCount = static_cast<int32_t>(arguments.size());
  spec.tensorCount = static_cast<int32_t>(tensors);
  spec.scalarCount = static_cast<int32_t>(scalars);
  spec.returns = returns.data();
  spec.returnCount = static_cast<int32_t>(returns.size());
  spec.resultCount = count;
  results.resize(static_cast<size_t>(count));
  return table->prepare(provider, &spec, &op, &error);
}

int32_t Call::run(const std::vector<KfuseTensorArg> &tensors,
                  const std::vector<KfuseScalar> &scalars) {
  if (!op)
    if (int32_t code = prepare(tensors.size(), scalars.size()))
      return code;
  for (KfuseResult &result : results) {
    if (result.handle)
      table->release(provider, result.handle);
    result = {};
  }
  KfuseCall call = {tensors.data(), scalars.data(), nullptr, {KFUSE_CPU, 0}};
  return table->call(provider, op, &call, results.data(), &error);
}

std::vector<float> Call::asFloats(size_t result) const {
  return read<float>(results[result].tensor);
}
std::vector<int64_t> Call::asLongs(size_t result) const {
  return read<int64_t>(results[result].tensor);
}
std::vector<int64_t> Call::sizes(size_t result) const {
  const KfuseTensor &t = results[result].tensor;
  return {t.sizes, t.sizes + t.rank};
}

} // namespace kfuse::test
