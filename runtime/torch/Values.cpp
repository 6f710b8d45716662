//===- Values.cpp - Boxed values as schemas want them ---------------------===//
/// \file
/// Coercion of exported arguments to schema types, and their description.

#include "BoundOp.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <sstream>
#include <stdexcept>

using c10::IValue;
using c10::TypeKind;

namespace kfuse::aten {
namespace {

/// A number where a tensor is declared: Python's binding makes a 0-dim CPU
/// tensor marked as a wrapped number, which promotes like a Python scalar.
IValue wrapNumber(const c10::Scalar &scalar) {
  at::Tensor tensor = c10::scalar_to_tensor(scalar, at::kCPU);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

/// The elements of any list value, boxed.
std::vector<IValue> elements(const IValue &list) {
  std::vector<IValue> out;
  for (const IValue &v : list.toListRef())
    out.push_back(v);
  return out;
}

bool isSize(const c10::TypePtr &type) {
  return type->kind() == TypeKind::IntType ||
         type->kind() == TypeKind::SymIntType;
}

/// Whether a list value already has the element type that `type` wants.
bool hasElementType(const IValue &value, const c10::TypePtr &element) {
  return value.isTensorList()   ? element->kind() == TypeKind::TensorType
         : value.isIntList()    ? isSize(element)
         : value.isDoubleList() ? element->kind() == TypeKind::FloatType
         : value.isBoolList()   ? element->kind() == TypeKind::BoolType
                                : false;
}

IValue coerceList(const IValue &value, const c10::TypePtr &element) {
  if (hasElementType(value, element))
    return value;
  // Sizes of 64-bit ints are taken as SymInt[] too; int[] is what is boxed.
  c10::TypePtr boxed = isSize(element) ? c10::IntType::get() : element;
  c10::impl::GenericList list(boxed);
  // A single int may stand for int[N] (broadcasting lists).
  if (!value.isList()) {
    list.push_back(coerce(value, boxed));
  } else {
    for (IValue &item : elements(value))
      list.push_back(coerce(std::move(item), boxed));
  }
  return IValue(std::move(list));
}

[[noreturn]] void mismatch(const IValue &value, const c10::TypePtr &type) {
  throw std::invalid_argument("expected a value of type " + type->str() +
                              ", found " + describe(value));
}

IValue coerceFloat(IValue value, const c10::TypePtr &type) {
  if (value.isDouble())
    return value;
  if (value.isInt())
    return static_cast<double>(value.toInt());
  if (value.isBool())
    return value.toBool() ? 1.0 : 0.0;
  mismatch(value, type);
}

IValue coerceInt(IValue value, const c10::TypePtr &type) {
  if (value.isInt() || value.isNone())
    return value;
  if (value.isBool())
    return int64_t(value.toBool());
  mismatch(value, type);
}

IValue coerceBool(IValue value, const c10::TypePtr &type) {
  if (value.isBool())
    return value;
  if (value.isInt())
    return value.toInt() != 0;
  mismatch(value, type);
}

} // namespace

IValue coerce(IValue value, const c10::TypePtr &type) {
  if (!type)
    return value;
  switch (type->kind()) {
  case TypeKind::OptionalType:
    if (value.isNone())
      return value;
    return coerce(std::move(value),
                  type->expectRef<c10::OptionalType>().getElementType());
  case TypeKind::TensorType:
    if (value.isTensor() || value.isNone())
      return value.isNone() ? IValue(at::Tensor()) : value;
    if (value.isScalar())
      return wrapNumber(value.toScalar());
    mismatch(value, type);
  case TypeKind::NumberType:
    if (value.isScalar())
      return value;
    mismatch(value, type);
  case TypeKind::FloatType:
  case TypeKind::SymFloatType:
    return coerceFloat(std::move(value), type);
  case TypeKind::IntType:
  case TypeKind::SymIntType:
  case TypeKind::ScalarTypeType:
  case TypeKind::LayoutType:
  case TypeKind::MemoryFormatType:
    return coerceInt(std::move(value), type);
  case TypeKind::BoolType:
  case TypeKind::SymBoolType:
    return coerceBool(std::move(value), type);
  case TypeKind::ListType:
    return coerceList(value, type->expectRef<c10::ListType>().getElementType());
  default:
    return value;
  }
}

std::string describe(const IValue &value) {
  std::ostringstream out;
  if (value.isTensor()) {
    const at::Tensor &tensor = value.toTensor();
    if (!tensor.defined())
      return "an undefined tensor";
    out << c10::toString(tensor.scalar_type()) << tensor.sizes();
    if (!tensor.is_contiguous())
      out << " strides " << tensor.strides();
    if (!tensor.device().is_cpu())
      out << " on " << tensor.device();
  } else if (value.isList()) {
    auto items = value.toListRef();
    out << "[";
    for (size_t i = 0; i < items.size() && i < 8; ++i)
      out << (i ? ", " : "") << describe(items[i]);
    out << (items.size() > 8 ? ", ...]" : "]");
  } else if (value.isString()) {
    out << '\'' << value.toStringRef() << '\'';
  } else if (value.isNone()) {
    out << "None";
  } else if (value.isInt() || value.isDouble() || value.isBool() ||
             value.isDevice()) {
    out << value;
  } else {
    out << "a " << value.tagKind();
  }
  return out.str();
}

} // namespace kfuse::aten
