//===- FakeProvider.cpp - a handful of operators --------------------------===//
#include "FakeProvider.h"

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct KfuseProvider {
  KfuseDevice device;
};

/// Shares memory with other handles like a tensor shares storage.
struct KfuseHandle {
  std::shared_ptr<std::vector<float>> memory;
  std::vector<int64_t> sizes, strides;
  KfuseTensor tensor = {};
};

struct KfuseOp {
  std::string name;
  std::vector<KfuseValue> values;
};

namespace kfuse::test {

std::atomic<int> &getLiveHandles() {
  static std::atomic<int> count{0};
  return count;
}

namespace {

int32_t failWith(KfuseProviderError *error, int32_t code, const char *text) {
  error->code = code;
  snprintf(error->message, sizeof(error->message), "%s", text);
  return code;
}

KfuseHandle *makeHandle(std::vector<int64_t> sizes, KfuseDtype dtype,
                        KfuseDevice device) {
  auto *handle = new KfuseHandle;
  int64_t count = 1;
  handle->strides.resize(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    handle->strides[i] = count;
    count *= sizes[i];
  }
  handle->sizes = std::move(sizes);
  // Room for 64-bit elements.
  handle->memory = std::make_shared<std::vector<float>>(2 * count + 2);
  handle->tensor = {handle->memory->data(),
                    handle->sizes.data(),
                    handle->strides.data(),
                    dtype,
                    static_cast<int32_t>(handle->sizes.size()),
                    device};
  ++getLiveHandles();
  return handle;
}

void give(KfuseResult &result, KfuseHandle *handle) {
  result.kind = KFUSE_RESULT_TENSOR;
  result.handle = handle;
  result.tensor = handle->tensor;
}

int64_t numel(const KfuseTensor &t) {
  int64_t count = 1;
  for (int32_t d = 0; d < t.rank; ++d)
    count *= t.sizes[d];
  return count;
}

/// Address of row-major element `i`, broadcast from the right.
float &at(const KfuseTensor &t, const KfuseTensor &shape, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = shape.rank - 1, e = t.rank - 1; d >= 0; --d, --e) {
    int64_t index = i % shape.sizes[d];
    i /= shape.sizes[d];
    if (e >= 0 && t.sizes[e] != 1)
      offset += index * t.strides[e];
  }
  return static_cast<float *>(t.data)[offset];
}

std::vector<int64_t> sizesOf(const KfuseTensor &t) {
  return std::vector<int64_t>(t.sizes, t.sizes + t.rank);
}

int32_t create(const KfuseProviderConfig *config, KfuseProvider **provider,
               KfuseProviderError *) {
  *provider = new KfuseProvider{config->device};
  return 0;
}
void destroy(KfuseProvider *provider) { delete provider; }

int32_t prepare(KfuseProvider *, const KfuseOpSpec *spec, KfuseOp **op,
                KfuseProviderError *error) {
  static const char *const known[] = {
      "aten::add", "aten::mul",     "aten::relu", "aten::add_",
      "aten::t",   "aten::nonzero", "aten::item", "aten::scale"};
  for (const char *name : known)
    if (!strcmp(name, spec->name)) {
      *op = new KfuseOp{name, {}};
      for (int32_t i = 0; i < spec->argumentCount; ++i)
        (*op)->values.push_back(spec->arguments[i].value);
      return 0;
    }
  return failWith(error, KFUSE_PROVIDER_NO_OP, "no such operator");
}
void releaseOp(KfuseProvider *, KfuseOp *op) { delete op; }

/// The second operand: a tensor or a number.
std::function<float(int64_t)> operand(const KfuseOp &op, const KfuseCall &call,
                                      const KfuseTensor &shape) {
  const KfuseValue &value = op.values[1];
  if (value.kind == KFUSE_VALUE_TENSOR) {
    const KfuseTensor &t = call.tensors[value.i].tensor;
    return [&t, &shape](int64_t i) { return at(t, shape, i); };
  }
  float number = static_cast<float>(value.f);
  if (value.kind == KFUSE_VALUE_SCALAR) {
    const KfuseScalar &scalar = call.scalars[value.i];
    number = scalar.kind == KFUSE_SCALAR_FLOAT
                 ? static_cast<float>(scalar.value.f)
                 : static_cast<float>(scalar.value.i);
  }
  return [number](int64_t) { return number; };
}

void callNonzero(const KfuseTensor &x, KfuseDevice device,
                 KfuseResult *results) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < numel(x); ++i)
    if (at(x, x, i) != 0)
      found.push_back(i);
  auto *handle =
      makeHandle({static_cast<int64_t>(found.size()), 1}, KFUSE_I64, device);
  if (!found.empty())
    memcpy(handle->tensor.data, found.data(), found.size() * 8);
  give(results[0], handle);
}

void callTranspose(const KfuseTensorArg &x, KfuseDevice device,
                   KfuseResult *results) {
  auto *handle =
      makeHandle({x.tensor.sizes[1], x.tensor.sizes[0]}, KFUSE_F32, device);
  if (x.handle)
    handle->memory = x.handle->memory;
  handle->strides = {x.tensor.strides[1], x.tensor.strides[0]};
  handle->tensor.data = x.tensor.data;
  give(results[0], handle);
}

int32_t call(KfuseProvider *provider, KfuseOp *op, const KfuseCall *call,
             KfuseResult *results, KfuseProviderError *error) {
  const KfuseTensorArg &first = call->tensors[0];
  const KfuseTensor &x = first.tensor;
  if (op->name == "aten::nonzero") {
    callNonzero(x, provider->device, results);
    return 0;
  }
  if (op->name == "aten::t") {
    callTranspose(first, provider->device, results);
    return 0;
  }
  if (op->name == "aten::item") {
    results[0].kind = KFUSE_RESULT_SCALAR;
    results[0].scalar.kind = KFUSE_SCALAR_FLOAT;
    results[0].scalar.value.f = at(x, x, 0);
    return 0;
  }
  if (op->name == "aten::add_") {
    auto second = operand(*op, *call, x);
    for (int64_t i = 0; i < numel(x); ++i)
      at(x, x, i) += second(i);
    auto *handle = makeHandle(sizesOf(x), KFUSE_F32, provider->device);
    handle->tensor.data = x.data;
    give(results[0], handle);
    return 0;
  }
  if (x.dtype != KFUSE_F32)
    return failWith(error, KFUSE_PROVIDER_FAILED, "not an f32 tensor");
  auto *handle = makeHandle(sizesOf(x), KFUSE_F32, provider->device);
  auto *out = static_cast<float *>(handle->tensor.data);
  std::function<float(int64_t)> second;
  if (op->name != "aten::relu")
    second = operand(*op, *call, x);
  for (int64_t i = 0; i < numel(x); ++i) {
    float value = at(x, x, i);
    if (op->name == "aten::relu")
      out[i] = value > 0 ? value : 0;
    else
      out[i] = op->name == "aten::add" ? value + second(i) : value * second(i);
  }
  give(results[0], handle);
  return 0;
}

int32_t wrap(KfuseProvider *, const KfuseTensorArg *tensor,
             KfuseHandle **handle, KfuseProviderError *) {
  *handle = makeHandle(sizesOf(tensor->tensor), tensor->tensor.dtype,
                       tensor->tensor.device);
  (*handle)->tensor.data = tensor->tensor.data;
  return 0;
}

int32_t empty(KfuseProvider *, const KfuseTensor *like, void *,
              KfuseResult *result, KfuseProviderError *) {
  auto *handle = makeHandle(sizesOf(*like), like->dtype, like->device);
  for (int32_t d = 0; d < like->rank; ++d)
    handle->strides[d] = like->strides[d];
  give(*result, handle);
  return 0;
}

int32_t copy(KfuseProvider *, const KfuseTensorArg *to,
             const KfuseTensorArg *from, void *, KfuseProviderError *error) {
  if (to->tensor.dtype != KFUSE_F32)
    return failWith(error, KFUSE_PROVIDER_FAILED, "not an f32 tensor");
  for (int64_t i = 0; i < numel(to->tensor); ++i)
    at(to->tensor, to->tensor, i) = at(from->tensor, to->tensor, i);
  return 0;
}

void release(KfuseProvider *, KfuseHandle *handle) {
  --getLiveHandles();
  delete handle;
}

} // namespace

const KfuseProviderTable *getFakeProvider() {
  static const KfuseProviderTable table = {KFUSE_PROVIDER_VERSION,
                                           sizeof(KfuseProviderTable),
                                           "fake",
                                           create,
                                           destroy,
                                           prepare,
                                           releaseOp,
                                           call,
                                           wrap,
                                           empty,
                                           copy,
                                           release,
                                           nullptr,
                                           nullptr,
                                           nullptr};
  return &table;
}

CaptureCounts &getCaptureCounts() {
  static CaptureCounts counts;
  return counts;
}

const KfuseProviderTable *getCapturingProvider() {
  static const KfuseProviderTable table = [] {
    KfuseProviderTable table = *getFakeProvider();
    table.beginCapture = [](KfuseProvider *, void *, void **pool,
                            KfuseProviderError *) -> int32_t {
      *pool = &++getCaptureCounts().begun;
      return 0;
    };
    table.endCapture = [](KfuseProvider *, void *, void *,
                          KfuseProviderError *) -> int32_t {
      ++getCaptureCounts().ended;
      return 0;
    };
    table.releaseCapture = [](KfuseProvider *, void *) {
      ++getCaptureCounts().released;
    };
    return table;
  }();
  return &table;
}

} // namespace kfuse::test
