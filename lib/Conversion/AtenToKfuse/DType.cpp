//===- DType.cpp - PyTorch's element types and promotion ------------------===//

#include "DType.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::kfuse;

std::optional<DType> kfuse::getDType(Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  if (integer.isUnsigned())
    return integer.getWidth() == 8 ? std::optional(DType::U8) : std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

Type kfuse::getBodyElementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::U8:
  case DType::I8:
    return IntegerType::get(context, 8);
  case DType::I16:
    return IntegerType::get(context, 16);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I64:
    return IntegerType::get(context, 64);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  }
  llvm_unreachable("all element types are handled");
}

DType kfuse::promote(DType lhs, DType rhs) {
  if (lhs == rhs)
    return lhs;
  if (lhs > rhs)
    std::swap(lhs, rhs);
  // Neither holds the other's values.
  if (lhs == DType::U8 && rhs == DType::I8)
    return DType::I16;
  if (lhs == DType::F16 && rhs == DType::BF16)
    return DType::F32;
  return rhs;
}

void Promotion::addTensor(DType dtype, bool hasDims) {
  std::optional<DType> &slot = hasDims ? dims : zeroDims;
  slot = slot ? promote(*slot, dtype) : dtype;
}

void Promotion::addScalar(DType dtype) {
  if (isFloat(dtype))
    dtype = DType::F32;
  else if (dtype != DType::Bool)
    dtype = DType::I64;
  scalars = scalars ? promote(*scalars, dtype) : dtype;
}

/// A lower priority group matters only when it is of a higher category.
static std::optional<DType> combine(std::optional<DType> higher,
                                    std::optional<DType> lower) {
  if (!higher || !lower)
    return higher ? higher : lower;
  if (isFloat(*higher))
    return higher;
  if (*higher == DType::Bool || isFloat(*lower))
    return promote(*higher, *lower);
  return higher;
}

DType Promotion::get() const {
  return *combine(dims, combine(zeroDims, scalars));
}
