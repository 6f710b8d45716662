//===- kfuse.hpp - C++ API of the kfuse runtime ----------------*- C++ -*-===//
///
/// \file
/// Header-only owners over kfuse.h: objects that release themselves, and
/// exceptions (`kfuse::Error`) instead of status codes. C++17.
///
///     kfuse::PackageHandle package("model.kfuse");
///     kfuse::WeightsHandle weights(package, {KFUSE_CUDA, 0});
///     kfuse::ModelHandle model(package, weights);
///     kfuse::ContextHandle context(model);
///     auto inputs = std::vector{kfuse::tensor(x, KFUSE_F32, sizes, strides,
///                                              {KFUSE_CUDA, 0})};
///     std::vector<KfuseArg> outputs(1);
///     context.run(inputs, outputs, stream);
///
#ifndef KFUSE_RUNTIME_KFUSE_HPP
#define KFUSE_RUNTIME_KFUSE_HPP

#include "kfuse/Runtime/kfuse.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kfuse {

class Error : public std::runtime_error {
public:
  Error(KfuseStatus status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  const KfuseStatus status;
};

inline void check(KfuseStatus status) {
  if (status != KFUSE_OK)
    throw Error(status, kfuse_last_error());
}

namespace detail {
template <typename T, void (*release)(T *)>
class Owner {
public:
  T *get() const { return pointer.get(); }

protected:
  struct Releaser {
    void operator()(T *object) const { release(object); }
  };
  std::unique_ptr<T, Releaser> pointer;
};
} // namespace detail

/// A tensor argument. `sizes` and `strides` must outlive the call.
inline KfuseArg tensor(void *data, KfuseDtype dtype,
                       const std::vector<int64_t> &sizes,
                       const std::vector<int64_t> &strides,
                       KfuseDevice device) {
  KfuseArg arg = {};
  arg.tensor = {data,
                sizes.data(),
                strides.data(),
                dtype,
                static_cast<int32_t>(sizes.size()),
                device};
  return arg;
}

inline KfuseArg scalar(int64_t value) {
  KfuseArg arg = {};
  arg.scalar.kind = KFUSE_SCALAR_INT;
  arg.scalar.value.i = value;
  return arg;
}

inline KfuseArg scalar(double value) {
  KfuseArg arg = {};
  arg.scalar.kind = KFUSE_SCALAR_FLOAT;
  arg.scalar.value.f = value;
  return arg;
}

class PackageHandle
    : public detail::Owner<KfusePackage, kfuse_package_release> {
public:
  explicit PackageHandle(const std::string &path) {
    KfusePackage *package = nullptr;
    check(kfuse_package_open(path.c_str(), &package));
    pointer.reset(package);
  }
  /// Compares all members with their checksums.
  void verify() const { check(kfuse_package_verify(get())); }
};

class WeightsHandle
    : public detail::Owner<KfuseWeights, kfuse_weights_release> {
public:
  WeightsHandle(const PackageHandle &package, KfuseDevice device,
                const char *search = nullptr,
                const KfuseDeviceTable *table = nullptr) {
    KfuseWeightsOptions options = {};
    options.device = device;
    options.search = search;
    options.table = table;
    KfuseWeights *weights = nullptr;
    check(kfuse_weights_create(package.get(), &options, &weights));
    pointer.reset(weights);
  }
};

class ModelHandle : public detail::Owner<KfuseModel, kfuse_model_release> {
public:
  ModelHandle(const PackageHandle &package, const WeightsHandle &weights,
              const KfuseModelOptions &options = {}) {
    KfuseModel *model = nullptr;
    check(kfuse_model_create(package.get(), weights.get(), &options, &model));
    pointer.reset(model);
  }
};

class StateHandle : public detail::Owner<KfuseState, kfuse_state_release> {
public:
  explicit StateHandle(const ModelHandle &model) {
    KfuseState *state = nullptr;
    check(kfuse_state_create(model.get(), &state));
    pointer.reset(state);
  }
};

class ContextHandle
    : public detail::Owner<KfuseContext, kfuse_context_release> {
public:
  explicit ContextHandle(const ModelHandle &model,
                         const StateHandle *state = nullptr) {
    KfuseContext *context = nullptr;
    check(kfuse_context_create(model.get(), state ? state->get() : nullptr,
                               &context));
    pointer.reset(context);
  }
  /// Dtypes, sizes and strides of the outputs for these inputs.
  std::vector<KfuseArg> infer(const std::vector<KfuseArg> &inputs,
                              int32_t outputCount) const {
    std::vector<KfuseArg> outputs(outputCount);
    check(kfuse_infer(get(), inputs.data(), count(inputs), outputs.data(),
                      outputCount));
    return outputs;
  }
  /// Tensor outputs with null data get memory of the context.
  void run(const std::vector<KfuseArg> &inputs, std::vector<KfuseArg> &outputs,
           void *stream = nullptr) const {
    check(kfuse_run(get(), inputs.data(), count(inputs), outputs.data(),
                    count(outputs), stream));
  }
  /// See kfuse_context_set_allocator and kfuse_context_trace.
  void setAllocator(const KfuseAllocator &allocator) const {
    check(kfuse_context_set_allocator(get(), &allocator));
  }
  void trace(const KfuseTracer &tracer) const {
    check(kfuse_context_trace(get(), &tracer));
  }
  /// See kfuse_context_check.
  void checkLaunches(const KfuseLaunchChecker &checker) const {
    check(kfuse_context_check(get(), &checker));
  }
  /// Memory for all sizes within the declared bounds and `limits`, which has
  /// one for each symbol or is null.
  void reserve(const int64_t *limits, bool withOutputs,
               void *stream = nullptr) const {
    check(kfuse_context_reserve(get(), limits, withOutputs, stream));
  }
  KfuseCounters counters() const {
    KfuseCounters result = {};
    check(kfuse_context_counters(get(), &result));
    return result;
  }

private:
  static int32_t count(const std::vector<KfuseArg> &args) {
    return static_cast<int32_t>(args.size());
  }
};

class GraphHandle : public detail::Owner<KfuseGraph, kfuse_graph_release> {
public:
  GraphHandle(const ContextHandle &context, const std::vector<KfuseArg> &inputs,
              std::vector<KfuseArg> &outputs, void *stream) {
    KfuseGraph *graph = nullptr;
    check(kfuse_capture(context.get(), inputs.data(),
                        static_cast<int32_t>(inputs.size()), outputs.data(),
                        static_cast<int32_t>(outputs.size()), stream, &graph));
    pointer.reset(graph);
  }
  void launch(void *stream) const { check(kfuse_graph_launch(get(), stream)); }
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_KFUSE_HPP
