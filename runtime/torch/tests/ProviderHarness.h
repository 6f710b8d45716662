//===- ProviderHarness.h - Calls of the provider in tests -------*- C++ -*-===//
/// \file
/// Short ways to spell operator calls through the C table.

#ifndef KFUSE_RUNTIME_TORCH_TESTS_PROVIDERHARNESS_H
#define KFUSE_RUNTIME_TORCH_TESTS_PROVIDERHARNESS_H

#include "kfuse/Runtime/Provider.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace kfuse::test {

/// An argument value with C++ ownership of everything below it.
struct Arg {
  KfuseValue value = {};
  std::string name;
  std::string text;
  std::vector<Arg> items;
};

Arg none();
Arg tensor(int64_t index);
Arg scalar(int64_t index);
Arg number(int64_t value);
Arg real(double value);
Arg boolean(bool value);
Arg string(std::string text);
Arg dtype(KfuseDtype value);
Arg device(KfuseDevice value);
Arg memoryFormat(std::string name);
Arg list(std::vector<Arg> items);
Arg named(std::string name, Arg arg);

/// A dense or strided host tensor whose elements are in `data`.
template <typename T>
struct HostTensor {
  std::vector<T> data;
  std::vector<int64_t> sizes, strides;
  KfuseDtype dtype;

  KfuseTensorArg arg() {
    KfuseTensorArg out = {};
    out.tensor = {data.data(),
                  sizes.data(),
                  strides.data(),
                  dtype,
                  static_cast<int32_t>(sizes.size()),
                  {KFUSE_CPU, 0}};
    return out;
  }
};

HostTensor<float> floats(std::vector<float> data, std::vector<int64_t> sizes);
HostTensor<int64_t> longs(std::vector<int64_t> data,
                          std::vector<int64_t> sizes);

/// One operator with its arguments; results are released with it.
class Call {
public:
  Call(std::string name, std::string overload, std::vector<Arg> args,
       std::vector<int32_t> returns = {KFUSE_RETURN_ONE});
  ~Call();
  Call(const Call &) = delete;

  /// Prepares on first use and runs. Returns the code, 0 on success.
  int32_t run(const std::vector<KfuseTensorArg> &tensors = {},
              const std::vector<KfuseScalar> &scalars = {});
  int32_t prepare(size_t tensors, size_t scalars);

  std::vector<float> asFloats(size_t result = 0) const;
  std::vector<int64_t> asLongs(size_t result = 0) const;
  std::vector<int64_t> sizes(size_t result = 0) const;
  std::string message() const { return error.message; }

  std::vector<KfuseResult> results;

private:
  const KfuseProviderTable *table;
  KfuseProvider *provider = nullptr;
  KfuseOp *op = nullptr;
  std::string name, overload;
  std::vector<Arg> args;
  std::vector<int32_t> returns;
  KfuseProviderError error = {};
};

KfuseScalar intScalar(int64_t value);
KfuseScalar floatScalar(double value);

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TORCH_TESTS_PROVIDERHARNESS_H
