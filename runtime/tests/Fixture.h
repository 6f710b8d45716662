//===- Fixture.h - a package opened on the fakes ---------------*- C++ -*-===//
///
/// \file
/// Opens a built package with the fake provider, on the CPU or on the fake
/// device, and runs it with one f32 input [rows, 4].
///
#ifndef KFUSE_RUNTIME_TESTS_FIXTURE_H
#define KFUSE_RUNTIME_TESTS_FIXTURE_H

#include "FakeDevice.h"
#include "FakeProvider.h"
#include "PackageBuilder.h"

#include "kfuse/Runtime/kfuse.h"

#include <gtest/gtest.h>

namespace kfuse::test {

/// Objects opened one after the other; `status` and `message` are those of the
/// first failure.
class Opened {
public:
  explicit Opened(const PackageBuilder &builder, bool onDevice = false,
                  KfuseModelOptions options = {},
                  const char *weightSearch = nullptr)
      : Opened(builder, onDevice ? getFakeDevice() : nullptr, options,
               weightSearch) {}
  /// `table` may be null: the CPU.
  Opened(const PackageBuilder &builder, const KfuseDeviceTable *table,
         KfuseModelOptions options = {}, const char *weightSearch = nullptr)
      : bytes(builder.build()), onDevice(table && table->kind == KFUSE_CUDA) {
    if (!options.provider)
      options.provider = getFakeProvider();
    KfuseWeightsOptions weightsOptions = {};
    weightsOptions.table = table;
    weightsOptions.device = device();
    weightsOptions.search = weightSearch;
    step(kfuse_package_open_memory(bytes.data(), bytes.size(), &package));
    if (!status)
      step(kfuse_weights_create(package, &weightsOptions, &weights));
    if (!status)
      step(kfuse_model_create(package, weights, &options, &model));
    if (!status)
      step(kfuse_context_create(model, nullptr, &context));
  }
  ~Opened() {
    kfuse_package_release(package);
    kfuse_weights_release(weights);
    kfuse_model_release(model);
    kfuse_context_release(context);
  }
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;

  KfuseDevice device() const { return {onDevice ? KFUSE_CUDA : KFUSE_CPU, 0}; }
  void step(KfuseStatus result) {
    status = result;
    if (result)
      message = kfuse_last_error();
  }

  std::string bytes;
  bool onDevice;
  KfusePackage *package = nullptr;
  KfuseWeights *weights = nullptr;
  KfuseModel *model = nullptr;
  KfuseContext *context = nullptr;
  KfuseStatus status = KFUSE_OK;
  std::string message;
};

/// A [rows, 4] f32 tensor.
struct Matrix {
  Matrix(int64_t rows, KfuseDevice device, float start = 0)
      : values(rows * 4 + 4), sizes{rows, 4}, strides{4, 1}, device(device) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = start + static_cast<float>(i);
  }
  KfuseArg arg() {
    KfuseArg result = {};
    result.tensor = {values.data(), sizes, strides, KFUSE_F32, 2, device};
    return result;
  }
  std::vector<float> values;
  int64_t sizes[2];
  int64_t strides[2];
  KfuseDevice device;
};

/// Element `i` of (x + b) * 2.
inline float expectedElement(const Matrix &x, int64_t i) {
  return (x.values[i] + static_cast<float>(i % 4 + 1)) * 2;
}

inline KfuseCounters countersOf(const Opened &opened) {
  KfuseCounters counters = {};
  kfuse_context_counters(opened.context, &counters);
  return counters;
}

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TESTS_FIXTURE_H
