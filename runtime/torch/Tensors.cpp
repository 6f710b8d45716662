//===- Tensors.cpp - Tensors across the provider interface ----------------===//
/// \file
/// Wrapping of memory, and description of results.

#include "Tensors.h"

#include <c10/core/TensorOptions.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kfuse::aten {
namespace {

struct DtypePair {
  KfuseDtype ours;
  c10::ScalarType torch;
};

constexpr DtypePair dtypes[] = {
    {KFUSE_F64, c10::ScalarType::Double},
    {KFUSE_F32, c10::ScalarType::Float},
    {KFUSE_BF16, c10::ScalarType::BFloat16},
    {KFUSE_F16, c10::ScalarType::Half},
    {KFUSE_I64, c10::ScalarType::Long},
    {KFUSE_I32, c10::ScalarType::Int},
    {KFUSE_I16, c10::ScalarType::Short},
    {KFUSE_I8, c10::ScalarType::Char},
    {KFUSE_U8, c10::ScalarType::Byte},
    {KFUSE_BOOL, c10::ScalarType::Bool},
    {KFUSE_U16, c10::ScalarType::UInt16},
    {KFUSE_U32, c10::ScalarType::UInt32},
    {KFUSE_U64, c10::ScalarType::UInt64},
    {KFUSE_F8E4M3FN, c10::ScalarType::Float8_e4m3fn},
    {KFUSE_F8E5M2, c10::ScalarType::Float8_e5m2},
    {KFUSE_F8E4M3FNUZ, c10::ScalarType::Float8_e4m3fnuz},
    {KFUSE_F8E5M2FNUZ, c10::ScalarType::Float8_e5m2fnuz},
    {KFUSE_F8E8M0FNU, c10::ScalarType::Float8_e8m0fnu},
    {KFUSE_C32, c10::ScalarType::ComplexHalf},
    {KFUSE_C64, c10::ScalarType::ComplexFloat},
    {KFUSE_C128, c10::ScalarType::ComplexDouble},
};

/// Elements from the start of the storage to the last one of the tensor.
int64_t extent(at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset) {
  int64_t last = offset;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

void check(bool holds, const std::string &message) {
  if (!holds)
    throw std::invalid_argument(message);
}

} // namespace

c10::ScalarType toScalarType(KfuseDtype dtype) {
  for (const DtypePair &pair : dtypes)
    if (pair.ours == dtype)
      return pair.torch;
  throw std::invalid_argument("unknown dtype number " + std::to_string(dtype));
}

KfuseDtype fromScalarType(c10::ScalarType type) {
  for (const DtypePair &pair : dtypes)
    if (pair.torch == type)
      return pair.ours;
  return KFUSE_DTYPE_INVALID;
}

c10::Device toDevice(KfuseDevice device) {
  if (device.kind == KFUSE_CPU)
    return c10::Device(c10::kCPU);
  check(device.kind == KFUSE_CUDA,
        "unknown device kind " + std::to_string(device.kind));
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device.index));
}

at::Tensor wrapTensor(const KfuseTensorArg &arg) {
  const KfuseTensor &t = arg.tensor;
  check(t.rank >= 0 && t.rank <= KFUSE_MAX_RANK,
        "rank " + std::to_string(t.rank) + " is out of range");
  c10::ScalarType type = toScalarType(t.dtype);
  c10::Device device = toDevice(t.device);
  at::IntArrayRef sizes(t.sizes, t.rank), strides(t.strides, t.rank);
  int64_t offset = arg.storageBytes > 0 ? arg.storageOffset : 0;
  auto itemBytes = static_cast<int64_t>(c10::elementSize(type));
  char *base =
      t.data ? static_cast<char *>(t.data) - offset * itemBytes : nullptr;
  // Operators such as as_strided may reach beyond this view of the storage.
  int64_t bytes =
      std::max(arg.storageBytes, extent(sizes, strides, offset) * itemBytes);
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), static_cast<size_t>(bytes),
      c10::DataPtr(base, device), /*allocator=*/nullptr, /*resizable=*/false);
  c10::DispatchKeySet keys(
      c10::computeDispatchKey(type, c10::kStrided, device));
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(std::move(storage)), keys, c10::scalarTypeToTypeMeta(type));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return tensor;
}

at::Tensor toTensor(const KfuseTensorArg &arg) {
  return arg.handle ? arg.handle->tensor : wrapTensor(arg);
}

void setTensorResult(at::Tensor tensor, KfuseResult &out) {
  out = KfuseResult{};
  if (!tensor.defined())
    return;
  check(tensor.layout() == c10::kStrided,
        "the result is not a strided tensor; run it outside of the model");
  check(tensor.device().is_cpu() || tensor.device().is_cuda(),
        "the result lies on " + tensor.device().str() +
            ", expected the CPU or a CUDA device");
  KfuseDtype dtype = fromScalarType(tensor.scalar_type());
  check(dtype != KFUSE_DTYPE_INVALID, std::string("the result has dtype ") +
                                          c10::toString(tensor.scalar_type()) +
                                          ", which kfuse does not know");
  check(tensor.dim() <= KFUSE_MAX_RANK,
        "the result has " + std::to_string(tensor.dim()) + " dimensions");
  if (tensor.is_conj() || tensor.is_neg())
    tensor = tensor.resolve_conj().resolve_neg();

  auto *handle = new KfuseHandle{std::move(tensor)};
  const at::Tensor &owned = handle->tensor;
  out.kind = KFUSE_RESULT_TENSOR;
  out.handle = handle;
  out.tensor.data = owned.numel() ? owned.mutable_data_ptr() : nullptr;
  out.tensor.sizes = owned.sizes().data();
  out.tensor.strides = owned.strides().data();
  out.tensor.dtype = dtype;
  out.tensor.rank = static_cast<int32_t>(owned.dim());
  out.tensor.device.kind = owned.is_cuda() ? KFUSE_CUDA : KFUSE_CPU;
  out.tensor.device.index = owned.is_cuda() ? owned.device().index() : 0;
}

} // namespace kfuse::aten
