//===- Tensors.h - Tensors across the provider interface --------*- C++ -*-===//
/// \file
/// Conversions between the runtime's tensors and ATen's, without copies.

#ifndef KFUSE_RUNTIME_TORCH_TENSORS_H
#define KFUSE_RUNTIME_TORCH_TENSORS_H

#include "kfuse/Runtime/Provider.h"

#include <ATen/core/Tensor.h>

/// A tensor that the provider owns, as the runtime sees it.
struct KfuseHandle {
  at::Tensor tensor;
};

namespace kfuse::aten {

/// Throws std::invalid_argument for a dtype that this torch lacks.
c10::ScalarType toScalarType(KfuseDtype dtype);
/// KFUSE_DTYPE_INVALID for dtypes that kfuse has no name for.
KfuseDtype fromScalarType(c10::ScalarType type);

c10::Device toDevice(KfuseDevice device);

/// A tensor over the caller's memory; nothing is copied and nothing is freed.
/// Throws std::invalid_argument when rank or sizes make no sense.
at::Tensor wrapTensor(const KfuseTensorArg &arg);

/// The tensor of an argument: its handle's, or a wrapper of its memory.
at::Tensor toTensor(const KfuseTensorArg &arg);

/// Describes `tensor` in `out` and hands a new handle to the receiver. An
/// undefined tensor becomes KFUSE_RESULT_NONE. Lazily conjugated or negated
/// tensors are materialized, as the runtime reads the memory itself. Throws
/// std::invalid_argument for sparse, quantized and foreign-device tensors.
void setTensorResult(at::Tensor tensor, KfuseResult &out);

} // namespace kfuse::aten

#endif // KFUSE_RUNTIME_TORCH_TENSORS_H
