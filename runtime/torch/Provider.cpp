//===- Provider.cpp - libkfuse_torch's function table ---------------------===//
/// \file
/// The C side of the provider: every function turns exceptions into a code and
/// a message.

#include "CudaCapture.h"
#include "DeviceScope.h"
#include "Operator.h"
#include "Tensors.h"

#include <ATen/Context.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstring>
#include <new>

/// The provider of one model.
struct KfuseProvider {
  KfuseDevice device;
};

namespace kfuse::aten {
namespace {

int32_t report(KfuseProviderError *error, int32_t code, std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == '.'))
    message.pop_back();
  if (error) {
    error->code = code;
    size_t length = std::min(message.size(), sizeof(error->message) - 1);
    std::memcpy(error->message, message.data(), length);
    error->message[length] = 0;
  }
  return code;
}

/// Runs `body`; an exception becomes a code. `context` is called for text to
/// put before the message.
template <typename Body, typename Context>
int32_t guarded(KfuseProviderError *error, Body &&body, Context &&context) {
  try {
    body();
    return KFUSE_PROVIDER_OK;
  } catch (const UnknownOperator &e) {
    return report(error, KFUSE_PROVIDER_NO_OP, context() + e.what());
  } catch (const std::invalid_argument &e) {
    return report(error, KFUSE_PROVIDER_BAD_ARG, context() + e.what());
  } catch (const c10::OutOfMemoryError &e) {
    return report(error, KFUSE_PROVIDER_OUT_OF_MEMORY,
                  context() + e.what_without_backtrace());
  } catch (const c10::Error &e) {
    return report(error, KFUSE_PROVIDER_FAILED,
                  context() + e.what_without_backtrace());
  } catch (const std::bad_alloc &) {
    return report(error, KFUSE_PROVIDER_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &e) {
    return report(error, KFUSE_PROVIDER_FAILED, context() + e.what());
  } catch (...) {
    return report(error, KFUSE_PROVIDER_FAILED, context() + "unknown error");
  }
}

template <typename Body>
int32_t guarded(KfuseProviderError *error, Body &&body) {
  return guarded(error, body, [] { return std::string(); });
}

/// Checks that torch can use `device` and makes its back end ready.
int32_t openDevice(KfuseDevice wanted, KfuseProviderError *error) {
  c10::Device device = toDevice(wanted);
  if (device.is_cpu())
    return KFUSE_PROVIDER_OK;
  if (!c10::impl::hasDeviceGuardImpl(device.type()))
    return report(error, KFUSE_PROVIDER_NO_DEVICE,
                  "this torch was built without CUDA; install a CUDA wheel or "
                  "run on the CPU");
  int count = c10::impl::VirtualGuardImpl(device.type()).deviceCount();
  if (device.index() < 0 || device.index() >= count)
    return report(error, KFUSE_PROVIDER_NO_DEVICE,
                  "torch sees " + std::to_string(count) +
                      " CUDA devices, device " +
                      std::to_string(device.index()) + " was asked for");
  at::globalContext().lazyInitDevice(device.type());
  return KFUSE_PROVIDER_OK;
}

int32_t create(const KfuseProviderConfig *config, KfuseProvider **provider,
               KfuseProviderError *error) {
  *provider = nullptr;
  int32_t opened = KFUSE_PROVIDER_OK;
  int32_t code = guarded(error, [&] {
    opened = openDevice(config->device, error);
    if (opened == KFUSE_PROVIDER_OK)
      *provider = new KfuseProvider{config->device};
  });
  return opened != KFUSE_PROVIDER_OK ? opened : code;
}

void destroy(KfuseProvider *provider) { delete provider; }

int32_t prepare(KfuseProvider *provider, const KfuseOpSpec *spec, KfuseOp **op,
                KfuseProviderError *error) {
  *op = nullptr;
  return guarded(error, [&] {
    c10::InferenceMode inference;
    *op = new KfuseOp(*spec, provider->device);
  });
}

void releaseOp(KfuseProvider *, KfuseOp *op) { delete op; }

int32_t call(KfuseProvider *, KfuseOp *op, const KfuseCall *call,
             KfuseResult *results, KfuseProviderError *error) {
  auto context = [&] {
    try {
      c10::InferenceMode inference;
      return op->describeCall(*call) + ": ";
    } catch (...) {
      return std::string();
    }
  };
  return guarded(
      error,
      [&] {
        DeviceScope scope(toDevice(call->device), call->stream);
        op->call(*call, results);
      },
      context);
}

int32_t wrap(KfuseProvider *, const KfuseTensorArg *tensor,
             KfuseHandle **handle, KfuseProviderError *error) {
  *handle = nullptr;
  return guarded(error, [&] {
    c10::InferenceMode inference;
    *handle = new KfuseHandle{wrapTensor(*tensor)};
  });
}

int32_t empty(KfuseProvider *, const KfuseTensor *like, void *stream,
              KfuseResult *result, KfuseProviderError *error) {
  *result = KfuseResult{};
  return guarded(error, [&] {
    c10::Device device = toDevice(like->device);
    DeviceScope scope(device, stream);
    at::TensorOptions options(toScalarType(like->dtype));
    setTensorResult(
        at::empty_strided(at::IntArrayRef(like->sizes, like->rank),
                          at::IntArrayRef(like->strides, like->rank),
                          options.device(device)),
        *result);
  });
}

int32_t copy(KfuseProvider *, const KfuseTensorArg *to,
             const KfuseTensorArg *from, void *stream,
             KfuseProviderError *error) {
  return guarded(error, [&] {
    bool toCuda = to->tensor.device.kind == KFUSE_CUDA;
    KfuseDevice device = toCuda ? to->tensor.device : from->tensor.device;
    DeviceScope scope(toDevice(device), stream);
    at::Tensor target = toTensor(*to);
    target.copy_(toTensor(*from), /*non_blocking=*/toCuda);
  });
}

void release(KfuseProvider *, KfuseHandle *handle) { delete handle; }

int32_t beginCapture(KfuseProvider *provider, void *stream, void **pool,
                     KfuseProviderError *error) {
  *pool = nullptr;
  return guarded(
      error, [&] { *pool = beginPool(toDevice(provider->device), stream); });
}

int32_t endCapture(KfuseProvider *provider, void *, void *pool,
                   KfuseProviderError *error) {
  return guarded(error, [&] { endPool(toDevice(provider->device), pool); });
}

void releaseCapture(KfuseProvider *provider, void *pool) {
  guarded(nullptr, [&] { releasePool(toDevice(provider->device), pool); });
}

const KfuseProviderTable table = {
    KFUSE_PROVIDER_VERSION,
    sizeof(KfuseProviderTable),
    "torch " TORCH_VERSION,
    create,
    destroy,
    prepare,
    releaseOp,
    call,
    wrap,
    empty,
    copy,
    release,
    hasPools() ? beginCapture : nullptr,
    hasPools() ? endCapture : nullptr,
    hasPools() ? releaseCapture : nullptr,
};

} // namespace
} // namespace kfuse::aten

extern "C" __attribute__((visibility("default"))) const KfuseProviderTable *
kfuse_provider_get(uint32_t version) {
  return version == KFUSE_PROVIDER_VERSION ? &kfuse::aten::table : nullptr;
}
